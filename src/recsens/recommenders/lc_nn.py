"""LC-NN: a network with a latent cross that predicts ratings."""

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Reals, Recommender
from recsens.recommenders._gradient_descent import Steps, descended
from recsens.recommenders._latent_crosses import CrossedNetwork
from recsens.recommenders._neural_networks import FusedNetwork
from recsens.recommenders._sampled_negatives import Labelled


class LCNN(Recommender):
    """s(u, i) = h · [(1 + Σ_c x_c w_c) ∘ z_L] + b, a predicted rating, where z_0 = [p_u; q_i], z_l = max(0, W_l z_{l-1} + b_l).

    Adam minimises the mean of (r_ui - s)², in batches of train ratings in random order. The context x comes from the side tables of
    users and of contexts, as in ``latent_cross``; without these tables, 1 + Σ_c x_c w_c is 1. A score is the mean of s over the
    contexts of the user's train ratings; publications that predict a rating from its own context report a different error. b starts
    at the mean rating, and all other weights as in ``mlp``.

    This recommender replaces the paper's LC-NN, which is not specified well enough to be rebuilt. From the paper we take the user's
    profile as context, a latent cross, a pointwise loss on ratings, a regressor of one layer at the top, and Adam with steps of
    .005, batches of 64 and ten epochs. We leave out convolutions (filters of 1, 2 and 2; maps of 150, 500, 500 and 256), because
    the order of their input is unspecified; a triplet hinge loss on normalised embeddings, which the pointwise loss contradicts; a
    momentum of .9, given in addition to Adam; dropout (.05, and .5, .5 and .25), because its places are unspecified; and "the dot
    product of hidden vector and context vector", where Latent Cross multiplies elementwise. The width and depth of the tower are
    our choice.

    Users and items without train ratings are not computable.
    """

    source = "Aftab & Ramampiaro (2022), section IV, as far as it is specified; Beutel et al. (2018), section 5.2"
    pace = 20
    also_called = ("latent_cross_neural_network",)
    extra = "neural"
    needs = ()
    predicts_ratings = True
    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("batch", "train_batch_size"), "batch_size")

    factors: int = Field(32, ge=1, le=1024, description="width of the last layer")
    layers: int = Field(2, ge=1, le=8, description="number L of layers, each half as wide as the one below")
    epochs: int = Field(10, ge=1, le=10_000, description="passes over the ratings")
    batch_size: int = Field(64, ge=1, le=1_000_000, description="ratings per step")
    learning_rate: float = Field(0.005, gt=0, le=1, description="length of a step")

    @property
    def network(self) -> FusedNetwork:
        """The network without context."""
        return FusedNetwork(narrowest=self.factors, layers=self.layers)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend the gradient with PyTorch, on one thread.

        Raises
        ------
        ConfigError
            If PyTorch is not installed.
        DesignError
            If the weights do not stay finite.
        """
        crossed = CrossedNetwork.around(self.network, train)
        start = crossed.start(train, rng)
        start["bias"] += np.float32(train.values.mean() if len(train) else 0.0)
        steps = Steps(self.epochs, self.batch_size, self.learning_rate)
        weights = descended(self, crossed, start, lambda: _shuffled(train, rng), steps, loss="squared_error")
        self._learned = crossed.gated(weights)
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Run the network for all items, without PyTorch."""
        scores = self.network.scores(self._learned, users)
        scores[train.user_counts[users] == 0, :] = np.nan
        scores[:, train.item_counts == 0] = np.nan
        return scores


def _shuffled(train: Interactions, rng: np.random.Generator) -> Labelled:
    """Return the train ratings in random order."""
    order = rng.permutation(len(train))
    user, item = train.user[order].astype(np.int64), train.item[order].astype(np.int64)
    return Labelled(user, item, train.values[order].astype(np.float32), order)
