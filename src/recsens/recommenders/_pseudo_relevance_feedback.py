"""Pseudo-relevance feedback: the nearest users serve as relevant documents, and items as expansion terms."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Arrays, Extent, Floats, Ints, Recommender
from recsens.recommenders._neighbourhoods import bytes_of_neighbours, cosine_neighbours
from recsens.recommenders._occurrences import column_shares, occurrences, row_sums
from recsens.recommenders._rows import Rows
from recsens.recommenders._sums import sums_of_rows

Estimate = Literal["mle", "nmle"]

ESTIMATE_MEANING = "the estimate of p(i|V) and p(i|C), by maximum likelihood, or that divided by the number of users in V or C"


class Feedback(Recommender):
    """Scores from the ratings of the k nearest users."""

    n_threads = 2

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes of the neighbours."""
        return bytes_of_neighbours(extent.users, self.k)


class Expansion(Feedback):
    """Scores from the probabilities of an item among the neighbours and among all users."""

    estimate: Estimate = Field("nmle", description=ESTIMATE_MEANING)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours, and compute the parts of the probabilities that `probabilities` needs.

        Raises DesignError if a rating is negative, or the neighbours do not fit into memory.
        """
        sets = feedback_sets(self, train, self.k)
        self._learned = {**sets, **estimates(train, sets, self.estimate)}
        return self


def feedback_sets(recommender: Recommender, train: Interactions, k: int) -> dict[str, NDArray[Any]]:
    """Find V_u, each user u's k nearest users by cosine: ``neighbours[indptr[u]:indptr[u + 1]]`` in the result.

    Raises DesignError if a rating is negative, or the neighbours do not fit into memory.
    """
    ratings = occurrences(train, str(recommender.spec))
    indptr, neighbours, _ = cosine_neighbours(recommender, Rows.of(ratings), Rows.of_columns(ratings), k)
    return {"indptr": indptr, "neighbours": neighbours}


def estimates(train: Interactions, sets: Arrays, estimate: Estimate) -> dict[str, NDArray[Any]]:
    """Return the parts of the probabilities of Valcarce et al. (2016).

    By maximum likelihood (``mle``), p(i|V) = Σ_{v in V} r_vi / Σ_{v in V} Σ_j r_vj; p(i|C) is the same for the users C with train
    ratings. ``nmle`` divides p(i|V) by |V|, and p(i|C) by |C|.

    Returns
    -------
    dict
        ``denominators``: Σ_{v in V_u} r_vi divided by this number is p(i|V_u); shape (n_users,), 1 if V_u is empty. ``collection``:
        p(i|C), shape (n_items,), NaN for items without a rating above 0.
    """
    sizes = np.diff(sets["indptr"])
    user_of_neighbour = np.repeat(np.arange(train.n_users), sizes)
    sums = np.bincount(user_of_neighbour, weights=row_sums(train.matrix)[sets["neighbours"]], minlength=train.n_users)
    collection = column_shares(train.matrix)
    if estimate == "nmle":
        sums *= sizes
        collection /= max(int(np.count_nonzero(train.user_counts)), 1)
    return {"denominators": np.where(sizes > 0, sums, 1.0), "collection": collection}


def neighbours_sums(train: Interactions, users: Ints, learned: Arrays) -> Floats:
    """Return Σ_{v in V_u} r_vi, shape (len(users), n_items); NaN for items that no user in V_u rated."""
    members = Rows(learned["indptr"], learned["neighbours"], np.ones(len(learned["neighbours"])))
    return sums_of_rows(users, members, Rows.of(train.matrix), train.n_items)


def neighbours_means(train: Interactions, users: Ints, learned: Arrays) -> Floats:
    """Return Σ_{v in V_u} r_vi / |V_u|, shape (len(users), n_items); NaN for items that no user in V_u rated."""
    sizes: Ints = learned["indptr"][users + 1] - learned["indptr"][users]
    return neighbours_sums(train, users, learned) / np.maximum(sizes, 1)[:, np.newaxis]


def probabilities(train: Interactions, users: Ints, learned: Arrays) -> Floats:
    """Return the estimated p(i|V_u), shape (len(users), n_items); NaN for items that no user in V_u rated."""
    denominators: Floats = learned["denominators"]
    return neighbours_sums(train, users, learned) / denominators[users, np.newaxis]
