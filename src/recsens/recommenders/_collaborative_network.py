"""Neural collaborative filtering: a network that distinguishes rated pairs from sampled unrated pairs."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Arrays, Extent, Ints, Reals, Recommender, claim
from recsens.recommenders._gradient_descent import Network, Optimiser, Steps, descended
from recsens.recommenders._neural_networks import FusedNetwork
from recsens.recommenders._preference import preferences
from recsens.recommenders._sampled_negatives import Labelled, RatedPairs

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
