"""Topic models: users as mixtures of topics, and topics as distributions over items.

plsa: Probabilistic latent semantic analysis: users as mixtures of topics, topics as distributions over items.
lda: Latent Dirichlet allocation: topics as in pLSA, with priors on mixtures and on topics.
"""

from typing import Literal, Self

import numba
import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, Reals, Recommender, SearchSpace, preset_field, progress, valcarce2018_ml1m
from recsens.recommenders._factors import factor_scores, uniform_draws
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._language_models import occurrences
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, preferences, refuse_negative
from recsens.seeds import draw_random_state

_PORTIONS = 64
"""Number of portions into which work is divided among threads. Row n is in portion n mod 64, which spreads long rows evenly."""


def share_out(lines: Ints, rows: Rows, own: Floats, other: Floats, least: float) -> Floats:
    """Return Σ_c x_rc a_rz b_cz / (Σ_y a_ry b_cy + ε), the part of row r that goes to topic z, shape (len(lines), n_topics).

    Every entry x of row r and column c is divided in proportion to a_rz b_cz; the shares themselves are never stored. This is the
    multiplicative update of Lee and Seung (2001), and also the E step and the M step of Hofmann (2004) combined. For K topics, it
    takes 4 K floating-point operations per entry.

    Parameters
    ----------
    lines
        Numbers r of the rows to divide.
    rows
        x >= 0.
    own
        a >= 0, shape (n_rows, n_topics).
    other
        b >= 0, shape (n_columns, n_topics).
    least
        ε > 0; without ε, an entry with no probability in any topic would be divided by 0.
    """
    shares = np.zeros((len(lines), own.shape[1]))
    _share_out(lines, rows, own, other, least, shares)
    return shares


@compiled(parallel=True, reorders_sums=True)
def _share_out(lines: Ints, rows: Rows, own: Floats, other: Floats, least: float, shares: Floats) -> None:
    n_topics = own.shape[1]
    for portion in numba.prange(_PORTIONS):
        for index in range(portion, len(lines), _PORTIONS):
            row = lines[index]
            out, mine = shares[index], own[row]
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                theirs = other[rows.indices[entry]]
                product = 0.0
                for z in range(n_topics):
                    product += mine[z] * theirs[z]
                factor = rows.values[entry] / (product + least)
                for z in range(n_topics):
                    out[z] += factor * theirs[z]
            for z in range(n_topics):
                out[z] *= mine[z]


_TINY = 1e-200
"""Constant added to a product. Because of it, a rating without probability in any topic is ignored, and not divided by 0."""


class PLSA(Recommender):
    """s(u, i) = p(i | u) = Σ_z p(z | u) p(i | z), with distributions that maximise the likelihood Σ_{u,i} r_ui ln p(i | u).

    A rating r counts as r occurrences of the item in the user's profile. Expectation maximisation starts from random distributions
    and updates all of them at once. The E step is q(z | u, i) ∝ (p(z | u) p(i | z))^β, and the M step is p(z | u) ∝ Σ_i r_ui q(z |
    u, i) and p(i | z) ∝ Σ_u r_ui q(z | u, i). β = 1 is plain EM, under which the likelihood never falls; β < 1 (tempering) prevents
    topics from fitting single users.

    Users and items are not computable if they have no train ratings, or if all their ratings count as 0.
    """

    label = "plsa"
    source = "Hofmann (2004), aspect model and tempered EM; RankSys, PLSAFactorizer, which ranks by p(u, i), hence alike"
    pace = 10
    n_threads = 2
    presets = valcarce2018_ml1m(
        {"topics": 50, "epochs": 100},
        "Valcarce et al. (2018), PLSA on MovieLens 1M: P@10 .2608, nDCG@10 .3309; parameters are not released",
    )
    search_space = SearchSpace(
        "preference=[rating,binary],temper=uniform(low=0.5,high=1),topics=log_uniform(low=4,high=128)",
        "around the values of Hofmann (2004)",
    )

    topics: int = Field(50, ge=1, le=1000, description="number of topics z")
    epochs: int = Field(100, ge=1, le=10_000, description="steps of expectation maximisation")
    temper: float = Field(1.0, gt=0, le=1, description="exponent β of the E step")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Maximise the likelihood.

        Raises
        ------
        DesignError
            If a rating that counts is negative.
        """
        meetings = preferences(train, self.preference)
        refuse_negative(meetings.data, self, "the negative rating {:g} is not a number of occurrences")
        of_users, of_items = Rows.of(meetings), Rows.of_columns(meetings)
        mixtures = _normalise_rows(uniform_draws(train.user_keys, self.topics, rng))
        topics = _normalise_rows(uniform_draws(train.item_keys, self.topics, rng).T).T
        users, items = np.arange(train.n_users), np.arange(train.n_items)
        for _ in progress(range(self.epochs), "epochs of plsa"):
            warm, warm_topics = np.ascontiguousarray(mixtures**self.temper), np.ascontiguousarray(topics**self.temper)
            mixtures = _normalise_rows(share_out(users, of_users, warm, warm_topics, _TINY))
            topics = _normalise_rows(share_out(items, of_items, warm_topics, warm, _TINY).T).T
        mixtures[meetings.sum(axis=1) == 0] = np.nan
        topics[meetings.sum(axis=0) == 0] = np.nan
        self._learned = {"mixtures": mixtures, "topics": np.ascontiguousarray(topics)}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Mix the topics of each user."""
        return factor_scores(train, users, self._learned["mixtures"], self._learned["topics"])


def _normalise_rows(weights: Floats) -> Floats:
    """Divide every row by its sum; rows of zeros stay unchanged."""
    totals = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0))


Counts = Literal["rating", "binary"]

_CHANGE = 0.001
"""A mixture has converged when the mean change of its counts is less than this."""

_EPSILON = float(np.finfo(np.float64).eps)
"""scikit-learn adds this constant to the probability of every occurrence."""


class LDA(Recommender):
    """s(u, i) = Σ_z E[θ_uz] E[φ_zi], the probability of item i under user u's mixture of topics.

    θ_u ~ Dirichlet(α) is user u's mixture of topics z, and φ_z ~ Dirichlet(η) is topic z's distribution over items. A rating r
    counts as ⌊r⌋ occurrences of the item in the user's profile. For every occurrence, a topic is drawn from θ_u, and the item from
    that topic.

    The model is fitted by batch variational Bayes as in `sklearn.decomposition.LatentDirichletAllocation`: Dirichlet distributions
    approximate θ_u and φ_z. In every epoch, the mixtures of all users start again, and are updated given the current topics until
    the mean change is less than 0.001, at most ``steps`` times. Then the topics are updated given the mixtures. Mixtures given the
    final topics are computed in the same way. Priors are at most 1, as in that library.

    Users and items are not computable if they have no train ratings, or if all their ratings count as 0.
    """

    label = "lda"
    source = "Blei, Ng & Jordan (2003), smoothed variational inference; Hoffman, Blei & Bach (2010), in batch; RankSys, counts"
    pace = 30
    n_threads = 2
    presets = valcarce2018_ml1m(
        {"factors": 50, "alpha": 1.0, "eta": 1.0, "epochs": 20, "steps": 5},
        "Valcarce et al. (2018), LDA on MovieLens 1M: P@10 .2653, nDCG@10 .3365; parameters are not released",
    )
    search_space = SearchSpace(
        "alpha=log_uniform(low=0.01,high=1),counts=[rating,binary],eta=log_uniform(low=0.01,high=1),"
        "factors=log_uniform(low=4,high=128)",
        "around the priors of Griffiths & Steyvers (2004)",
    )

    factors: int = Field(50, ge=1, le=1000, description="number of topics z")
    alpha: float = Field(1.0, gt=0, le=1, description="prior α of users' mixtures")
    eta: float = Field(1.0, gt=0, le=1, description="prior η of topics")
    epochs: int = Field(20, ge=1, le=10_000, description="number of updates of the topics")
    steps: int = Field(5, ge=1, le=1000, description="most updates of the users' mixtures, in each epoch and for the final topics")
    counts: Counts = Field("rating", description="number of occurrences that a rating counts as: the rating rounded down, or one")
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Approximate mixtures and topics in turn.

        Raises
        ------
        DesignError
            If a rating is negative, unless every rating counts as one occurrence.
        """
        meetings = self._count_occurrences(train)
        of_users, of_items, items = Rows.of(meetings), Rows.of_columns(meetings), np.arange(train.n_items)
        draws = draw_random_state(rng)  # The draws are also in scikit-learn's order.
        counts = draws.gamma(100.0, 0.01, (self.factors, train.n_items)).T
        for _ in progress(range(self.epochs), "epochs of lda"):
            topics = _expected_topics(counts)
            start = draws.gamma(100.0, 0.01, (train.n_users, self.factors))
            _, mixtures = self._infer_mixtures(of_users, start, topics)
            counts = self.eta + share_out(items, of_items, topics, mixtures, _EPSILON)
        mixtures, _ = self._infer_mixtures(of_users, np.ones((train.n_users, self.factors)), _expected_topics(counts))
        mixtures /= mixtures.sum(axis=1, keepdims=True)
        topics = counts / counts.sum(axis=0)
        mixtures[meetings.sum(axis=1) == 0] = np.nan
        topics[meetings.sum(axis=0) == 0] = np.nan
        self._learned = {"mixtures": mixtures, "topics": topics}
        return self

    def _infer_mixtures(self, of_users: Rows, counts: Floats, topics: Floats) -> tuple[Floats, Floats]:
        """Return the counts of each θ_u's distribution given the topics, starting from ``counts``, and exp E[ln θ_u]."""
        mixtures = _exp_expected_log(counts)
        users = np.arange(len(counts))
        for _ in range(self.steps):
            updated = self.alpha + share_out(users, of_users, mixtures, topics, _EPSILON)
            change = np.abs(updated - counts[users]).mean(axis=1)
            counts[users], mixtures[users] = updated, _exp_expected_log(updated)
            users = users[change >= _CHANGE]
        return counts, mixtures

    def _count_occurrences(self, train: Interactions) -> csr_array:
        """Return each user's occurrences of each item, shape (n_users, n_items); zeros are left out."""
        ratings = train.matrix if self.counts == "binary" else occurrences(train, self)
        times = np.ones_like(ratings.data) if self.counts == "binary" else np.floor(ratings.data)
        meetings = csr_array((times, ratings.indices.copy(), ratings.indptr.copy()), shape=ratings.shape)
        meetings.eliminate_zeros()
        return meetings

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Mix the topics of each user."""
        return factor_scores(train, users, self._learned["mixtures"], self._learned["topics"])


def _expected_topics(counts: Floats) -> Floats:
    """Return exp E[ln φ], with the shape of ``counts``, (n_items, n_topics)."""
    return np.ascontiguousarray(_exp_expected_log(np.ascontiguousarray(counts.T)).T)


@compiled(parallel=True)
def _exp_expected_log(counts: Floats) -> Floats:
    """Return exp E[ln p] = exp(ψ(n_z) - ψ(Σ_z n_z)) for p ~ Dirichlet(n), for each row n.

    ψ is computed as in scikit-learn, by algorithm AS 103 (Bernardo 1976), accurate to 3e-9.
    """
    expected = np.empty(counts.shape)
    for row in numba.prange(len(counts)):
        whole = _digamma(counts[row].sum())
        for z in range(counts.shape[1]):
            expected[row, z] = np.exp(_digamma(counts[row, z]) - whole)
    return expected


@compiled()
def _digamma(x: float) -> float:
    if x <= 1e-6:
        return -np.euler_gamma - 1.0 / x
    result = 0.0
    while x < 6.0:
        result -= 1.0 / x
        x += 1.0
    r = 1.0 / x
    result += np.log(x) - 0.5 * r
    r *= r
    return float(result - r * (1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0))))
