"""RP3beta: a random walk of three steps, in which popular items count less."""

from collections.abc import Hashable, Sequence
from typing import Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Extent, Ints, Reals, SearchSpace
from recsens.recommenders._kernels import Rows
from recsens.recommenders._neighbourhoods import Neighbours, bytes_of_neighbours, claim_neighbours, most_visited, nearest_among
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, refuse_negative, zero_filled
from recsens.recommenders._products import sums_over_profiles
from recsens.recommenders._shared_fits import SharedFit


class RP3Beta(SharedFit):
    """s(u, i) = Σ_{j in I_u, i in N_k(j)} r_uj w_ji, with w_ji = |U_i|^-β Σ_{v in U_j ∩ U_i} (r_vj / R_j)^α (r_vi / R_v)^α.

    A walk goes from the user to an item j of the profile, to a user v who rated j, and to another item i that v rated. R_j and R_v
    are the sums of j's and of v's ratings. With α = 1 and β = 0, w_ji is the probability of the last two steps. N_k(j) are the k
    items other than j with the largest w_ji; if items tie for the last places, the higher index is kept. The first step has the
    weight r_uj and not (r_uj / R_u)^α, as in the code of Dacrema et al.; with ``preference=binary``, the ranking is the same.

    Items that no walk reaches are not computable, nor is any item for a user without ratings that count (other than 0). Negative
    ratings are refused.
    """

    label = "rp3beta"
    source = "Paudel, Christoffel, Newell & Bernstein (2017), section 4; Dacrema et al. (2021), for N_k and the defaults"
    n_threads = 2
    search_space = SearchSpace(
        "alpha=uniform(low=0,high=2),beta=uniform(low=0,high=1),k=log_uniform(low=5,high=1000)",
        "Dacrema et al. (2021), β up to 1: beyond, items that hardly anyone rated come first",
    )

    alpha: float = Field(1.0, ge=0, le=10, description="exponent α of the transition probabilities")
    beta: float = Field(0.6, ge=0, le=10, description="exponent β of the number of users who rated an item")
    k: int = Field(100, ge=1, le=10_000, description="number of items that a walk may reach from an item")
    preference: Preference = Field("binary", description=PREFERENCE_MEANING)

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the items that are reached from every item."""
        return bytes_of_neighbours(extent.items, self.k)

    @property
    def shared_by(self) -> Hashable:
        """Everything but k."""
        return self.alpha, self.beta, self.preference

    def prepare(self, train: Interactions, rng: np.random.Generator, sharing: Sequence[Self]) -> Neighbours:
        """Find the items that walks from every item reach most.

        Raises
        ------
        DesignError
            If a rating that counts is negative, or the items that are reached do not fit into memory.
        """
        ratings = zero_filled(train, self.preference)
        refuse_negative(ratings.data, self, "walks have no probabilities with the negative rating {:g}")
        k = max(each.k for each in sharing)
        claim_neighbours(self, train.n_items, [k])
        onwards, back = Rows.of(ratings), Rows.of_columns(ratings)
        raters = np.diff(back.indptr)
        return most_visited(_step_probabilities(back, self.alpha), _step_probabilities(onwards, self.alpha), raters**self.beta, k)

    def finish(self, train: Interactions, prepared: Neighbours) -> None:
        """Store the items that walks from every item reach most, with their weights."""
        indptr, items, weights = nearest_among(prepared, self.k)
        self._learned = {"indptr": indptr, "items": items, "weights": weights}

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the weights of the walks from a profile's items, item by item in ascending order."""
        return sums_over_profiles(users, zero_filled(train, self.preference), self._learned)


def _step_probabilities(rows: Rows, alpha: float) -> Rows:
    """Return the probabilities of the steps from each row to its columns, to the power of α."""
    row_of_entry = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
    sums = np.bincount(row_of_entry, weights=rows.values)
    return rows._replace(values=(rows.values / sums[row_of_entry]) ** alpha).frozen()
