"""Nearest neighbours by items: recommends items that are similar to the items in the profile."""

from typing import Literal, Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Reals
from recsens.recommenders._preference import preferences, zero_filled
from recsens.recommenders._rows import Rows
from recsens.recommenders._sums import sums_over_profiles
from recsens.recommenders._weighted_sums import WeightedSum


class ItemKNN(WeightedSum):
    """s(u, i) = Σ_{j in I_u, i in N_k(j)} sim(j, i)^q r_uj, not normalised.

    With ``of=profile``, N_k(j) are the k items other than j that are most similar to j; any number of items may contribute to i.
    RankSys does this, and so do Deshpande & Karypis, who keep the k largest values in every column of their model. With
    ``of=target``, the sum runs over j in I_u ∩ N_k(i), with sim(i, j). At most k items then contribute to i, because N_k(i) are the
    k items most similar to i among all items, whether u rated them or not. Similarities are computed as in ``user_knn``, with items
    in place of users: they compare the vectors of two items' ratings over all users, or the sets of users who rated the items.

    Two items whose rating vectors have a product of 0 (for similarities of sets: without a common user) are not neighbours. If
    items tie for the last places, the higher index is kept. A rating of 0 in a profile contributes nothing. Items to which no other
    item of the profile contributes are not computable.
    """

    source = (
        "RankSys, ItemNeighborhoodRecommender; Deshpande & Karypis (2004) for the neighbours of of=profile; "
        "Sarwar, Karypis, Konstan & Riedl (2001), model size, for those of of=target"
    )
    by = "items"
    also_called = ("knn", "item_based", "item_cf", "ibcf", "item_item")

    k: int = Field(10, ge=1, le=10_000, description="number of neighbours")
    of: Literal["profile", "target"] = Field(
        "profile", description="whose neighbours count, those of the rated item (profile) or those of the scored item (target)"
    )

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours, and store for every item the items to which it contributes.

        Raises
        ------
        DesignError
            If the neighbours do not fit into memory.
        """
        indptr, neighbours, weights = self._neighbours(preferences(train, self.preference).T.tocsr())
        given = Rows(indptr, neighbours, weights)
        if self.of == "target":
            given = Rows.of_columns(csr_array((weights, neighbours, indptr), shape=(train.n_items, train.n_items)))
        self._learned = {"indptr": given.indptr, "items": given.indices, "weights": given.values}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the contributions of a profile's items, item by item in ascending order."""
        return sums_over_profiles(users, zero_filled(train, self.preference), self._learned)
