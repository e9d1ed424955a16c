"""Nearest neighbours of users or of items by similarity, whose ratings are summed as RankSys does.

item_knn: Nearest neighbours by items: recommends items that are similar to the items in the profile.
user_knn: User-based nearest neighbours: recommends what similar users rated.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.plugins.specs import Spec
from recsens.recommenders import Extent, Ints, Preset, Presets, Reals, SearchSpace, preset_field
from recsens.recommenders._kernels import Rows
from recsens.recommenders._neighbourhoods import (
    OF_SETS,
    Measure,
    Neighbours,
    Similarity,
    bytes_of_neighbours,
    claim_neighbours,
    nearest_among,
    nearest_rows,
)
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, preferences, zero_filled
from recsens.recommenders._products import sums_over_neighbours, sums_over_profiles
from recsens.recommenders._shared_fits import SharedFit

_BYTES_OF_WEIGHT = 8
"""Bytes of a neighbour's weight, which is stored in addition to the similarity."""


class WeightedSum(SharedFit):
    """Neighbours by the similarity of ratings, and their weights."""

    n_threads = 2
    by: ClassVar[Literal["users", "items"]] = "users"
    """Whether the neighbours of users or those of items are found."""
    search_space = SearchSpace(
        "k=log_uniform(low=5,high=500),preference=[rating,binary],q=[1,2,3],similarity=[cosine,set_cosine,jaccard]",
        "Dacrema et al. (2021), up to 500 neighbours; Aiolli (2013) for q",
    )

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")
    similarity: Similarity = Field(
        "cosine", description="similarity measure; it compares rating vectors, or sets of rated items or of raters"
    )
    alpha: float = Field(0.5, ge=0, le=1, description="asymmetry α of cosine and set_cosine; 0.5 is symmetric")
    overlap: int = Field(1, ge=1, le=10_000, description="minimum number of ratings that neighbours have in common")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    q: int = Field(1, ge=0, le=20, description="exponent of the similarity; 0 gives all neighbours the same weight")

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the neighbours and their weights."""
        return bytes_of_neighbours(getattr(extent, self.by), self.k, bytes_beside=_BYTES_OF_WEIGHT)

    @property
    def shared_by(self) -> Preference:
        """What is compared, whose products serve all measures; sets of items are compared as ratings of 1 are."""
        return "binary" if self.preference == "rating" and self.similarity in OF_SETS else self.preference

    @property
    def nearness(self) -> Measure:
        """What makes two rows neighbours."""
        of_ones: dict[str, Similarity] = {"set_cosine": "cosine", "jaccard": "vector_jaccard"}
        return Measure(of_ones.get(self.similarity, self.similarity), self.alpha, self.overlap)

    def prepare(self, train: Interactions, rng: np.random.Generator, sharing: Sequence[Self]) -> Mapping[Measure, Neighbours]:
        """Find the nearest rows of every row by each measure, as many as the largest k for it.

        Raises
        ------
        DesignError
            If the neighbours do not fit into memory.
        """
        matrix = preferences(train, self.shared_by)
        matrix = matrix.T.tocsr() if self.by == "items" else matrix
        sought: dict[Measure, int] = {}
        for each in sharing:
            sought[each.nearness] = max(each.k, sought.get(each.nearness, 0))
        claim_neighbours(self, matrix.shape[0], sought.values(), bytes_beside=_BYTES_OF_WEIGHT)
        return nearest_rows(Rows.of(matrix), Rows.of_columns(matrix), sought)

    def _weigh_nearest(self, found: Mapping[Measure, Neighbours]) -> Neighbours:
        """Return the k nearest of the rows found for every row, with sim^q as their weights."""
        indptr, neighbours, similarities = nearest_among(found[self.nearness], self.k)
        return indptr, neighbours, similarities**self.q


class ItemKNN(WeightedSum):
    """s(u, i) = Σ_{j in I_u ∩ N_k(i)} sim(i, j)^q r_uj, not normalised.

    With ``of=target``, N_k(i) are the k items other than i that are most similar to i among all items, whether u rated them or not;
    at most k items then contribute to i. Most frameworks do this. With ``of=profile``, the sum runs over the j in I_u with i in
    N_k(j), with sim(j, i); any number of items may contribute to i. RankSys does this, and so do Deshpande & Karypis, who keep the
    k largest values in every column of their model. Similarities are computed as in ``user_knn``, with items in place of users:
    they compare the vectors of two items' ratings over all users, or the sets of users who rated the items.

    Two items whose rating vectors have a product of 0 (for similarities of sets: without a common user) are not neighbours. If
    items tie for the last places, the higher index is kept. A rating of 0 in a profile contributes nothing. Items to which no other
    item of the profile contributes are not computable.
    """

    label = "item_knn"
    source = (
        "RankSys, ItemNeighborhoodRecommender; Deshpande & Karypis (2004) for the neighbours of of=profile; "
        "Sarwar, Karypis, Konstan & Riedl (2001), model size, for those of of=target"
    )
    by = "items"
    presets: ClassVar[Presets] = {"ranksys": Preset({"of": "profile"}, "RankSys, ItemNeighborhoodRecommender")}
    also_called = ("knn", "item_based", "item_cf", "ibcf", "item_item")
    search_space = SearchSpace(
        "of=[target,profile],k=log_uniform(low=5,high=1000),alpha=uniform(low=0,high=1),overlap=[1,2,5],preference=[rating,binary],"
        "q=[1,2],similarity=[cosine,set_cosine]",
        "Dacrema et al. (2021), up to 1,000 neighbours; Aiolli (2013) for α and q; a least overlap is ours",
    )

    k: int = Field(10, ge=1, le=10_000, description="number of neighbours")
    of: Literal["profile", "target"] = Field(
        "target", description="whose neighbours count, those of the scored item (target) or those of the rated item (profile)"
    )
    preset: str | None = preset_field()

    @property
    def full_spec(self) -> Spec:
        """The spec with every parameter; without a preset, it is as before there were presets, and so are tables that state it."""
        return super().full_spec if self.preset else super().full_spec.without("preset")

    def finish(self, train: Interactions, prepared: Mapping[Measure, Neighbours]) -> None:
        """Store for every item the items to which it contributes."""
        indptr, neighbours, weights = self._weigh_nearest(prepared)
        given = Rows(indptr, neighbours, weights)
        if self.of == "target":
            given = Rows.of_columns(csr_array((weights, neighbours, indptr), shape=(train.n_items, train.n_items)))
        self._learned = {"indptr": given.indptr, "items": given.indices, "weights": given.values}

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the contributions of a profile's items, item by item in ascending order."""
        return sums_over_profiles(users, zero_filled(train, self.preference), self._learned)


class UserKNN(WeightedSum):
    """s(u, i) = Σ_{v in N_k(u), i in I_v} sim(u, v)^q r_vi, not normalised.

    N_k(u) are the k users other than u who are most similar to u, and r_u is the vector of u's raw ratings over all items (no
    rating = 0, not centred). In data without ratings, every interaction counts as a rating of 1. sim(u, v) is

    - ``cosine``: r_u · r_v / ((‖r_u‖²)^α (‖r_v‖²)^(1 - α)), which is the usual cosine at α = 1/2; ``set_cosine``: the same formula
      with every rating set to 1;
    - ``vector_jaccard``: r_u · r_v / (‖r_u‖² + ‖r_v‖² - r_u · r_v); ``jaccard``: |I_u ∩ I_v| / |I_u ∪ I_v|;
    - ``log_likelihood``: 1 - 1 / (1 + Λ), where Λ is Dunning's likelihood ratio for the numbers of items that both, one or neither
      of u and v rated.

    Users with r_u · r_v = 0 (for similarities of sets: without a common item) are not neighbours. If users tie for the last places,
    the higher index is kept. Items that no neighbour rated are not computable, nor is any item for a user without neighbours.
    """

    label = "user_knn"
    source = (
        "Aiolli (2013), section 3.2; Cremonesi, Koren & Turrin (2010), section 3.2; Dunning (1993); RankSys, "
        "UserNeighborhoodRecommender, VectorCosineSimilarity, LogLikelihoodSimilarity"
    )
    presets: ClassVar[Presets] = {
        "canamares2020": Preset(
            {"k": 100, "similarity": "cosine", "preference": "rating"},
            "Cañamares, Castells & Moffat (2020), section 4: MovieLens 1M; ratings and the missing denominator as in RankSys",
        )
    }
    also_called = ("knn", "user_based", "user_cf", "ubcf", "user_user")

    preset: str | None = preset_field()

    def finish(self, train: Interactions, prepared: Mapping[Measure, Neighbours]) -> None:
        """Store the neighbours of every user."""
        indptr, neighbours, weights = self._weigh_nearest(prepared)
        self._learned = {"indptr": indptr, "neighbours": neighbours, "weights": weights}

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the neighbours' ratings, neighbour by neighbour in ascending order."""
        return sums_over_neighbours(users, preferences(train, self.preference), self._learned)
