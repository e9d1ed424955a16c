"""Networks of He et al. (2017): a product of factors, layers over factors, and both together.

gmf: Generalised matrix factorisation: a weighted product of factors.
mlp: A multi-layer perceptron over the factors of a user and an item.
neumf: Neural matrix factorisation: a product of factors and a tower, joined at the top.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Arrays, Extent, Ints, Reals, Recommender, claim
from recsens.recommenders._gradient_descent import Labelled, Network, Optimiser, RatedPairs, Steps, descended
from recsens.recommenders._neural_networks import FusedNetwork, fused
from recsens.recommenders._preference import preferences

_BYTES_PER_PAIR = 72
"""Peak memory, in bytes, per pair of an epoch; a pair is in memory three times: as drawn, in order, and shuffled."""

_BYTES_PER_NUMBER = 24
"""Additional bytes per pair, if each has the number of the rated pair for which it was drawn."""


class CollaborativeNetwork(Recommender):
    """A network s(u, i) that learns to distinguish rated pairs from unrated pairs, which are sampled anew in every epoch."""

    extra = "neural"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("num_neg", "num_ng", "n_negatives", "neg_sampling", "train_neg_sample"), "negatives"),
        **dict.fromkeys(("batch", "train_batch_size"), "batch_size"),
    }

    factors: int = Field(8, ge=1, le=1024, description="number K of predictive factors")
    epochs: int = Field(20, ge=1, le=10_000, description="passes over the rated pairs")
    negatives: int = Field(4, ge=1, le=1000, description="unrated items drawn for each rated one, anew in each epoch")
    batch_size: int = Field(256, ge=1, le=1_000_000, description="pairs, rated or not, per step")
    learning_rate: float = Field(0.001, gt=0, le=1, description="length of a step")
    preference: Literal["binary", "positive"] = Field("binary", description="which ratings count, all or only relevant ones")

    @property
    @abstractmethod
    def network(self) -> FusedNetwork:
        """The network described by these parameters."""

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes that the pairs of an epoch need, including the numbers of their rated pairs."""
        return extent.ratings * (1 + self.negatives) * (_BYTES_PER_PAIR + _BYTES_PER_NUMBER)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend the gradient with PyTorch, on one thread.

        Raises ConfigError if PyTorch is not installed, and DesignError if the weights do not stay finite or the pairs of an epoch
        do not fit into memory.
        """
        weights = self._minimised(self.network, self.network.start(train, rng), train, rng)
        self._learned = self._withheld(weights, train)
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Run the network for all items, without PyTorch."""
        scores = self.network.scores(self._learned, users)
        scores[np.isnan(self._learned["users"][users, 0]), :] = np.nan
        scores[:, np.isnan(self._learned["items"][:, 0])] = np.nan
        return scores

    def _minimised(
        self,
        network: Network,
        start: Mapping[str, NDArray[Any]],
        train: Interactions,
        rng: np.random.Generator,
        optimiser: Optimiser = "adam",
        *,
        numbered: bool = False,
    ) -> dict[str, NDArray[np.float32]]:
        """Return a network's fitted weights.

        If ``numbered``, the network also receives, for each pair, the number of the rated pair for which it was drawn.
        """
        pairs = RatedPairs(preferences(train, self.preference))
        n_pairs = len(pairs.user) * (1 + self.negatives)
        n_bytes = n_pairs * (_BYTES_PER_PAIR + _BYTES_PER_NUMBER * numbered)
        claim(self, n_bytes, f"the {n_pairs:,} pairs of an epoch", "draw fewer negatives")
        steps = Steps(self.epochs, self.batch_size, self.learning_rate)

        def draw() -> Labelled:
            return pairs.drawn(self.negatives, rng, numbered=numbered)

        return descended(self, network, start, draw, steps, optimiser=optimiser)

    def _withheld(self, learned: Arrays, train: Interactions) -> dict[str, NDArray[Any]]:
        """Set to NaN the rows of users and items that have no rating that counts, because these rows were never learnt."""
        counted = preferences(train, self.preference)
        users, items = learned["users"].copy(), learned["items"].copy()
        users[np.diff(counted.indptr) == 0] = np.nan
        items[np.bincount(counted.indices, minlength=train.n_items) == 0] = np.nan
        return {**learned, "users": users, "items": items}


class GMF(CollaborativeNetwork):
    """s(u, i) = h · (p_u ∘ q_i) + b, with weights that minimise -Σ [y ln σ(s) + (1 - y) ln(1 - σ(s))], y = 1 if u rated i.

    The sum runs over all rated pairs and, for each of them, ``negatives`` unrated pairs of the same user. The items of the unrated
    pairs are drawn uniformly, with replacement, from the items that only other users rated, with new draws in each epoch. The pairs
    are put into random order and divided into batches of ``batch_size``; for each batch, Adam (Kingma & Ba 2015, with their β and
    ε) takes a step for all weights on the mean of the batch's terms. p and q start from N(0, 0.01²). h starts from U(-a, a) with a
    = √(3 / K), as in the authors' code; in the paper it starts from N(0, 0.01²). The constant b is in that code, but not in the
    paper's equations. There is no regularisation and no early stopping: the authors' code keeps the weights of the epoch that does
    best on test data, whereas ``gmf`` keeps those of the last epoch.

    PyTorch (``recsens[neural]``) computes in float32, on one thread. The paper ranks by ŷ = σ(s), which gives the same order as s.
    Users and items without train ratings that count are not computable. With ``preference=positive``, items rated below the
    threshold of relevance count as unrated.
    """

    label = "gmf"
    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equations 7 and 9, section 4.1; Keras code by the authors"
    pace = 20
    also_called = ("generalized_matrix_factorization",)

    @property
    def network(self) -> FusedNetwork:
        """The product of factors, without a tower of layers."""
        return FusedNetwork(factors=self.factors)


class MLP(CollaborativeNetwork):
    """s(u, i) = h · z_L + b, where z_0 = [p_u; q_i] and z_l = max(0, W_l z_{l-1} + b_l), learnt as ``gmf``.

    The last of the L layers has K units, and each layer has half as many units as the one below, so p and q have K 2^{L-1} values.
    With K = 8 and L = 3, the input has 64 units, and the layers have 32, 16 and 8. The W_l start from U(-a, a), a = √(6 / (width
    below + width)), as is the default in the authors' code; in the paper they start from N(0, 0.01²).

    Users and items without train ratings that count are not computable.
    """

    label = "mlp"
    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equation 10, section 4.1; Keras code by the authors"
    pace = 30
    also_called = ("multi_layer_perceptron", "ncf_mlp")

    layers: int = Field(3, ge=1, le=8, description="number L of layers, each half as wide as the one below")

    @property
    def network(self) -> FusedNetwork:
        """The tower of layers, without a product of factors."""
        return FusedNetwork(narrowest=self.factors, layers=self.layers)


class NeuMF(CollaborativeNetwork):
    """s(u, i) = h · [p_u ∘ q_i; z_L] + b, where z_0 = [p'_u; q'_i] and z_l = max(0, W_l z_{l-1} + b_l), learnt as ``gmf``.

    The product and the tower (as in ``mlp``) have separate factors. With ``pretraining``, Adam first learns each of them
    separately. Then h starts as [α h_product; (1 - α) h_tower], and b starts as the mean of the two values with the same weights.
    From there, plain stochastic gradient descent learns the whole network. All three fits have the same ``epochs`` and
    ``learning_rate``, because the paper does not give them for the last fit.

    Users and items without train ratings that count are not computable.
    """

    label = "neumf"
    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equations 12 and 13, sections 3.4 and 4.1; Keras code by the authors"
    pace = 40
    also_called = ("ncf", "neural_collaborative_filtering", "neural_matrix_factorization", "nmf_neural")

    layers: int = Field(3, ge=1, le=8, description="number L of layers, each half as wide as the one below")
    pretraining: bool = Field(False, description="whether the product and the tower are first learnt separately")
    alpha: float = Field(0.5, ge=0, le=1, description="weight α of the product after pre-training")

    @property
    def network(self) -> FusedNetwork:
        """The product and the tower, side by side."""
        return FusedNetwork(factors=self.factors, narrowest=self.factors, layers=self.layers)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend the gradient with PyTorch, on one thread; with pre-training, three times.

        Raises
        ------
        ConfigError
            If PyTorch is not installed.
        DesignError
            If the weights do not stay finite, or the pairs of an epoch do not fit into memory.
        """
        if not self.pretraining:
            return super().fit(train, rng)
        alone = [FusedNetwork(factors=self.factors), FusedNetwork(narrowest=self.factors, layers=self.layers)]
        product, tower = (self._minimised(each, each.start(train, rng), train, rng) for each in alone)
        start = fused(product, tower, self.alpha)
        self._learned = self._withheld(self._minimised(self.network, start, train, rng, "sgd"), train)
        return self
