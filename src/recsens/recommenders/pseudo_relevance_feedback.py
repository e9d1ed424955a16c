"""Pseudo-relevance feedback: items are scored by their ratings among the nearest users.

rocchio: Rocchio's weights: scores are mean ratings among the nearest users.
chi2: Chi-squared feedback: how far an item's probability among the nearest users is from its probability among all users.
kld: Kullback-Leibler feedback: an item's contribution to the divergence of the nearest users from all users.
rsv: Robertson selection value: an item's mean rating among the nearest users, times its probability among them.
"""

from collections.abc import Sequence
from typing import Literal, Self

import numpy as np
from pydantic import Field
from scipy.special import rel_entr

from recsens.data.interactions import Interactions
from recsens.recommenders import Extent, Floats, Ints, Reals, SearchSpace, preset_field, valcarce2018_ml1m
from recsens.recommenders._kernels import Rows
from recsens.recommenders._language_models import column_shares, occurrences, row_sums
from recsens.recommenders._neighbourhoods import Neighbours, bytes_of_neighbours, cosine_neighbours, nearest_among
from recsens.recommenders._products import sums_of_rows
from recsens.recommenders._shared_fits import SharedFit


class Feedback(SharedFit):
    """Scores from the ratings of V_u, each user u's k nearest users by cosine: ``neighbours[indptr[u]:indptr[u + 1]]``."""

    n_threads = 2
    search_space = SearchSpace("k=log_uniform(low=5,high=500)", "Dacrema et al. (2021), nearest neighbours, up to 500")

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes of the neighbours."""
        return bytes_of_neighbours(extent.users, self.k)

    @property
    def shared_by(self) -> None:
        """Nothing but the number of neighbours decides on them."""

    def prepare(self, train: Interactions, rng: np.random.Generator, sharing: Sequence[Self]) -> Neighbours:
        """Find the neighbours.

        Raises DesignError if a rating is negative, or the neighbours do not fit into memory.
        """
        ratings = occurrences(train, self)
        return cosine_neighbours(self, Rows.of(ratings), Rows.of_columns(ratings), max(each.k for each in sharing))

    def finish(self, train: Interactions, prepared: Neighbours) -> None:
        """Store the neighbours of every user."""
        indptr, neighbours, _ = nearest_among(prepared, self.k)
        self._learned = {"indptr": indptr, "neighbours": neighbours}

    def _neighbour_sums(self, train: Interactions, users: Ints) -> Floats:
        """Return Σ_{v in V_u} r_vi, shape (len(users), n_items); NaN for items that no user in V_u rated."""
        indptr, neighbours = self._learned["indptr"], self._learned["neighbours"]
        return sums_of_rows(users, Rows(indptr, neighbours, np.ones(len(neighbours))), Rows.of(train.matrix), train.n_items)

    def _neighbour_means(self, train: Interactions, users: Ints) -> Floats:
        """Return Σ_{v in V_u} r_vi / |V_u|, shape (len(users), n_items); NaN for items that no user in V_u rated."""
        sizes: Ints = np.diff(self._learned["indptr"])[users]
        return self._neighbour_sums(train, users) / np.maximum(sizes, 1)[:, np.newaxis]


class Expansion(Feedback):
    """Scores from the probabilities of an item among the neighbours and among all users, as in Valcarce et al. (2016).

    By maximum likelihood (``mle``), p(i|V) = Σ_{v in V} r_vi / Σ_{v in V} Σ_j r_vj; p(i|C) is the same for the users C with train
    ratings. ``nmle`` divides p(i|V) by |V|, and p(i|C) by |C|.
    """

    search_space = SearchSpace(
        "estimate=[nmle,mle],k=log_uniform(low=5,high=500)",
        "Dacrema et al. (2021), nearest neighbours, up to 500",
    )

    estimate: Literal["mle", "nmle"] = Field(
        "nmle",
        description="the estimate of p(i|V) and p(i|C), by maximum likelihood, or that divided by the number of users in V or C",
    )

    def finish(self, train: Interactions, prepared: Neighbours) -> None:
        """Store the neighbours, and the divisors for p(i|V) and, for items with a rating above 0, p(i|C)."""
        super().finish(train, prepared)
        sizes = np.diff(self._learned["indptr"])
        user_of_neighbour = np.repeat(np.arange(train.n_users), sizes)
        lengths = row_sums(train.matrix)[self._learned["neighbours"]]
        sums = np.bincount(user_of_neighbour, weights=lengths, minlength=train.n_users)
        collection = column_shares(train.matrix)
        if self.estimate == "nmle":
            sums *= sizes
            collection /= max(int(np.count_nonzero(train.user_counts)), 1)
        self._learned |= {"denominators": np.where(sizes > 0, sums, 1.0), "collection": collection}

    def _probabilities(self, train: Interactions, users: Ints) -> Floats:
        """Return the estimated p(i|V_u), shape (len(users), n_items); NaN for items that no user in V_u rated."""
        return np.asarray(self._neighbour_sums(train, users) / self._learned["denominators"][users, np.newaxis])


class Rocchio(Feedback):
    """s(u, i) = Σ_{v in V_u} r_vi / |V_u|.

    V_u are the k users nearest to u by the cosine of raw ratings, among users with a cosine other than 0. If users tie for the last
    places, the higher index is kept. Neighbours who did not rate i count as 0, and all neighbours have the same weight. In data
    without ratings, every interaction counts as a rating of 1, so s is the share of neighbours who interacted with i.

    Items that no user in V_u rated are not computable, nor is any item for a user without neighbours. Negative ratings are refused.
    """

    label = "rocchio"
    source = "Valcarce, Parapar & Barreiro (2016), Efficient pseudo-relevance feedback methods"
    presets = valcarce2018_ml1m({"k": 200}, "Valcarce et al. (2018), RW: the released P@10 and nDCG@10 on MovieLens 1M")

    preset: str | None = preset_field()

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Average the neighbours' ratings."""
        return self._neighbour_means(train, users)


class CHI2(Expansion):
    """s(u, i) = (p(i|V_u) - p(i|C))² / p(i|C).

    V_u are the k users nearest to u by the cosine of raw ratings, as in ``rocchio``, and C are all users. By maximum likelihood
    (``mle``), p(i|V) = Σ_{v in V} r_vi / Σ_{v in V} Σ_j r_vj, and p(i|C) is the same for C. ``nmle`` divides p(i|V) by |V| and
    p(i|C) by |C|; the same ratings then give an item more probability in a smaller set.

    Because the square ignores the sign, an item that neighbours rated much less than other users did gets a high score too. Items
    that no user in V_u rated are not computable, nor are items whose ratings are all 0. A user without neighbours has no computable
    item. Without ratings, every interaction counts as a rating of 1. Negative ratings are refused.
    """

    label = "chi2"
    source = "Valcarce, Parapar & Barreiro (2016), Efficient pseudo-relevance feedback methods; Carpineto et al. (2001)"
    presets = valcarce2018_ml1m({"k": 200}, "Valcarce et al. (2018), CHI2: the released P@10 and nDCG@10 on MovieLens 1M")

    preset: str | None = preset_field()

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Compare the items' probabilities among neighbours and among all users."""
        of_set, of_collection = self._probabilities(train, users), self._learned["collection"]
        return np.asarray((of_set - of_collection) ** 2 / of_collection)


class KLD(Expansion):
    """s(u, i) = p(i|V_u) ln(p(i|V_u) / p(i|C)).

    V_u are the k users nearest to u by the cosine of raw ratings, as in ``rocchio``, and C are all users. By maximum likelihood
    (``mle``), p(i|V) = Σ_{v in V} r_vi / Σ_{v in V} Σ_j r_vj, and p(i|C) is the same for C. ``nmle`` divides p(i|V) by |V| and
    p(i|C) by |C|; the same ratings then give an item more probability in a smaller set.

    Scores are negative for items that are less probable among neighbours than among all users, and 0 for items whose ratings by
    neighbours are all 0. Items that no user in V_u rated are not computable, nor are items whose ratings are all 0. A user without
    neighbours has no computable item. Without ratings, every interaction counts as a rating of 1. Negative ratings are refused.
    """

    label = "kld"
    source = "Valcarce, Parapar & Barreiro (2016), Efficient pseudo-relevance feedback methods; Carpineto et al. (2001)"
    presets = valcarce2018_ml1m({"k": 200}, "Valcarce et al. (2018), KLD: the released P@10 and nDCG@10 on MovieLens 1M")

    preset: str | None = preset_field()

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Compare the items' probabilities among neighbours and among all users."""
        of_set, of_collection = self._probabilities(train, users), self._learned["collection"]
        return np.asarray(rel_entr(of_set, of_collection))


class RSV(Expansion):
    """s(u, i) = p(i|V_u) Σ_{v in V_u} r_vi / |V_u|.

    V_u are the k users nearest to u by the cosine of raw ratings, as in ``rocchio``. p(i|V) = Σ_{v in V} r_vi / Σ_{v in V} Σ_j r_vj
    by maximum likelihood (``mle``); ``nmle`` divides p(i|V) by |V|. Both factors of s depend on i only through Σ_{v in V} r_vi, and
    increase with that sum. Therefore every user's ranking is the same as with ``rocchio``, whatever the estimate; only the scores
    differ.

    Items that no user in V_u rated are not computable, nor is any item for a user without neighbours. Without ratings, every
    interaction counts as a rating of 1. Negative ratings are refused.
    """

    label = "rsv"
    source = "Valcarce, Parapar & Barreiro (2016), Efficient pseudo-relevance feedback methods; Robertson (1990)"
    presets = valcarce2018_ml1m({"k": 200}, "Valcarce et al. (2018), RSV: the released P@10 and nDCG@10 on MovieLens 1M")

    preset: str | None = preset_field()

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the neighbours' mean ratings by the items' probabilities among them."""
        return self._probabilities(train, users) * self._neighbour_means(train, users)
