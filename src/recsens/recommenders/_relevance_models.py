"""Code shared by the relevance models: users as smoothed language models over items."""

from typing import Literal, NamedTuple, Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders import Extent, Floats, Recommender
from recsens.recommenders._neighbourhoods import bytes_of_neighbours, cosine_neighbours
from recsens.recommenders._occurrences import column_shares, row_sums
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, preferences
from recsens.recommenders._rows import Rows
from recsens.recommenders._smoothing import Smoothed, Smoothing

Prior = Literal["uniform", "linear"]


class UserModels(NamedTuple):
    """p(i|v) = own_vi + floor_v p(i|C) for all users v and items i; each user's probabilities add up to 1.

    Attributes
    ----------
    own
        The part of v's ratings that remains after smoothing: one row per user v, with an entry, perhaps 0, for each item that v
        rated.
    floor
        The part of v's ratings that smoothing redistributes, shape (n_users,); 1 for users without ratings above 0.
    background
        p(i|C) = Σ_v r_vi / Σ_v Σ_j r_vj, shape (n_items,); zeros if there is no rating above 0.
    lengths
        |v| = Σ_j r_vj, shape (n_users,).
    """

    own: Rows
    floor: Floats
    background: Floats
    lengths: Floats


class RelevanceModel(Recommender):
    """Base of `RM1` and `RM2`: the neighbours V_u, their language models p(i|v) and their prior p(v)."""

    n_threads = 2

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")
    smoothing: Smoothing = Field("absolute_discounting", description="how p(i|v) is smoothed by p(i|C)")
    mu: float = Field(
        100.0, ge=1e-6, le=1e9, description="μ of smoothing=dirichlet, the weight of p(i|C), on the scale of a sum of ratings"
    )
    mixing: float = Field(0.5, ge=1e-6, lt=1, description="λ of smoothing=jelinek_mercer, the share of p(i|C)")
    discount: float = Field(
        0.1, ge=1e-6, le=1, description="δ of smoothing=absolute_discounting, the amount subtracted from every rating"
    )
    user_prior: Prior = Field(
        "uniform", description="p(v), which is the same for all neighbours v, or linear in the sum of v's ratings"
    )
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes of the neighbours."""
        return bytes_of_neighbours(extent.users, self.k)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours.

        Raises DesignError if a rating is negative, or if the neighbours do not fit into memory.
        """
        matrix = preferences(train, self.preference)
        lowest = matrix.data.min(initial=0.0)
        if lowest < 0:
            raise DesignError(
                f"the negative rating {lowest:g} cannot be part of a probability",
                where=f"recommender '{self.spec}'",
                allowed="ratings of 0 and above",
                remedy="choose preference=binary or preference=positive, or leave negative ratings out with a filter",
            )
        indptr, neighbours, _ = cosine_neighbours(self, Rows.of(matrix), Rows.of_columns(matrix), self.k)
        self._learned = {"indptr": indptr, "neighbours": neighbours}
        return self

    def _language_models(self, train: Interactions) -> UserModels:
        """Estimate every user's language model."""
        ratings = preferences(train, self.preference)
        kept, spread, whole = Smoothed.of(ratings, self.smoothing, self.mu, self.mixing, self.discount)
        lengths = row_sums(ratings)
        user = np.repeat(np.arange(train.n_users), np.diff(ratings.indptr))
        own = np.divide(kept, whole[user], out=np.zeros(len(kept)), where=lengths[user] > 0)
        floor = np.divide(spread, whole, out=np.ones(train.n_users), where=lengths > 0)
        rows = Rows.of(csr_array((own, ratings.indices, ratings.indptr), shape=ratings.shape))
        return UserModels(rows, floor, np.nan_to_num(column_shares(ratings)), lengths)

    def _prior_of_users(self, models: UserModels) -> Floats:
        """Return p(v) up to a factor, shape (n_users,)."""
        return np.ones(len(models.lengths)) if self.user_prior == "uniform" else models.lengths
