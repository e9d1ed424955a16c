"""Code shared by SLIM with and without feature selection."""

import logging
from collections.abc import Iterator

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Reals, Recommender, progress
from recsens.recommenders._elastic_nets import UNFINISHED, Penalty
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, zero_filled
from recsens.recommenders._rows import Rows
from recsens.recommenders._sums import sums_over_profiles

_BLOCK = 256
"""Number of columns solved between two steps of the progress bar."""

log = logging.getLogger(__name__)


class SparseLinear(Recommender):
    """s(u, i) = Σ_{j in I_u} r_uj w_ji, with sparse weights."""

    n_threads = 2

    l1: float = Field(2.0, ge=0, le=1e6, description="penalty λ on the sum of weights; a larger λ leaves fewer positive weights")
    l2: float = Field(1.0, ge=0, le=1e6, description="penalty β on the squared weights")
    preference: Preference = Field("binary", description=PREFERENCE_MEANING)
    tolerance: float = Field(1e-6, ge=1e-12, le=0.1, description="largest distance of any single weight from its optimum")
    max_sweeps: int = Field(10_000, ge=1, le=10_000_000, description="most passes of coordinate descent over an item's weights")

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the contributions of a profile's items, item by item in ascending order."""
        return sums_over_profiles(users, zero_filled(train, self.preference), self._learned)

    @property
    def _penalty(self) -> Penalty:
        return Penalty(self.l1, self.l2, self.tolerance, self.max_sweeps)

    def _blocks(self, n_items: int) -> Iterator[tuple[int, int]]:
        """Iterate over blocks of items; yield each block's first item, and the first item after it."""
        for first in progress(range(0, n_items, _BLOCK), f"blocks of items of {self.plugin_name()}"):
            yield first, min(first + _BLOCK, n_items)

    def _learn(self, by_target: csr_array, sweeps: Ints) -> None:
        """Store the weights by the profile item that contributes them, and log if descent stopped before convergence."""
        unfinished = np.count_nonzero(sweeps == UNFINISHED)
        if unfinished:
            log.warning("%s: max_sweeps was not enough for %d of %d items", self.spec, unfinished, len(sweeps))
        by_giver = Rows.of_columns(by_target)
        self._learned = {"indptr": by_giver.indptr, "items": by_giver.indices, "weights": by_giver.values}
