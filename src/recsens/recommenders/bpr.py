"""Bayesian personalised ranking.

bpr: Bayesian personalised ranking: learns from pairs of a rated and an unrated item.
bpr_implicit: Bayesian personalised ranking as implemented in the ``implicit`` library, which draws unrated items by popularity.
"""

from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from scipy.sparse import csr_array, csr_matrix
from threadpoolctl import threadpool_limits

from recsens.compiled.prefetch import prefetch_row
from recsens.compiled.random_bits import STEP, mix_bits, uniform_below
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.plugins import refuse_missing_extra
from recsens.recommenders import (
    Floats,
    Ids,
    Ints,
    Reals,
    Recommender,
    SearchSpace,
    preset_field,
    progress,
    valcarce2018_ml1m,
)
from recsens.recommenders._factors import factor_scores, normal_draws, refuse_divergence
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._preference import preferences, select_counted

Marks = NDArray[np.uint64]

_WORDS_PER_RATING = 2
"""Most words of 64 bits per rating that the table may take, which is as much memory as the ratings themselves."""


def marks_of(rows: Rows, n_items: int) -> Marks:
    """Return a table with the bits of all stored pairs, a row per user, or without columns if it would take too much memory."""
    n_users, n_words = len(rows.indptr) - 1, -(-n_items // 64)
    marks = np.zeros((n_users, n_words if n_users * n_words <= _WORDS_PER_RATING * len(rows.indices) else 0), dtype=np.uint64)
    _fill_marks(rows, marks)
    return marks


@compiled(allocates=False)
def is_rated(rows: Rows, marks: Marks, user: np.int64, item: np.int64) -> bool:
    """Return whether a pair is stored, for a user with at least one item.

    Reading a bit is several times as fast as a search, each of whose steps waits for the previous one to load a number.
    """
    if marks.shape[1] == 0:
        return _list_contains(rows.indices[rows.indptr[user] : rows.indptr[user + 1]], item)
    return bool((marks[user, item >> 6] >> np.uint64(item & 63)) & np.uint64(1))


@compiled(allocates=False)
def _fill_marks(rows: Rows, marks: Marks) -> None:
    if marks.shape[1] == 0:
        return
    for user in range(len(marks)):
        for item in rows.indices[rows.indptr[user] : rows.indptr[user + 1]]:
            marks[user, item >> 6] |= np.uint64(1) << np.uint64(item & 63)


@compiled(allocates=False)
def _list_contains(rated: Ids, item: np.int64) -> bool:
    """Return whether an item is in a non-empty ascending list of items."""
    first, left = 0, len(rated)
    while left > 1:
        half = left // 2
        # This compiles to a conditional move instead of a branch, which the processor could not predict.
        first = first + half if rated[first + half] <= item else first
        left -= half
    return bool(rated[first] == item)


_DRAWN, _AHEAD = 1024, 4
"""Number of triples drawn at a time (draws do not depend on learnt values), and how many steps ahead factors are fetched."""


class BPR(Recommender):
    """s(u, i) = b_i + p_u · q_i, with parameters that maximise Σ_{(u,i,j)} [ln σ(s(u, i) - s(u, j)) - λ terms / 2].

    A triple (u, i, j) is a user, an item that the user rated, and an item that only other users rated. j is drawn uniformly from
    these items. The λ terms of a triple are λ_u ‖p_u‖² + λ_i ‖q_i‖² + λ_j ‖q_j‖² + λ_b (b_i² + b_j²).

    Stochastic gradient ascent handles one triple after another. An epoch draws as many triples as there are ratings, with
    replacement. It draws a user and then one of the user's items (``sampling=users``, as in MyMediaLite), or it draws a rating
    uniformly. Drawing ratings is close to the paper, which draws uniformly from all triples and thus gives each rating a weight,
    the number of items that its user did not rate. Factors start at N(0, σ²), biases at 0. Fitting uses one thread, because each
    step builds on the previous one. With ``preference=positive``, items rated below the threshold of relevance count as unrated and
    may be drawn as j. ``positive_from`` sets this threshold to any rating. With ``negative_to``, j is drawn from the items that the
    user rated at most so high, instead of unrated items; a user without an i or without such a j is then left out.

    Users and items that occur in no possible triple, because none of their train ratings counts, are not computable. A user who
    rated every item has no triple and keeps the initial factors.
    """

    label = "bpr"
    source = (
        "Rendle, Freudenthaler, Gantner & Schmidt-Thieme (2009), for matrix factorization; defaults of MyMediaLite, BPRMF; Aftab & "
        "Ramampiaro (2022), section IV-E, for negatives by rating"
    )
    pace = 2
    presets = valcarce2018_ml1m(
        {
            "factors": 100,
            "learning_rate": 0.02,
            "user_regularization": 0.01,
            "positive_regularization": 0.01,
            "negative_regularization": 0.005,
            "epochs": 100,
        },
        "Valcarce et al. (2018), BPRMF on MovieLens 1M: P@10 .2816, nDCG@10 .3727; parameters are not released",
    )
    also_called = ("bpr_mf", "mf_bpr")
    search_space = SearchSpace(
        "epochs=log_uniform(low=10,high=200),factors=log_uniform(low=4,high=128),"
        "initial_deviation=log_uniform(low=0.001,high=0.1),learning_rate=log_uniform(low=0.005,high=0.3),"
        "positive_regularization=log_uniform(low=0.00001,high=0.1),user_regularization=log_uniform(low=0.00001,high=0.1)",
        "Dacrema et al. (2021), with longer steps, and epochs in place of early stopping; starts as small as Cornac's",
    )

    factors: int = Field(10, ge=1, le=1000, description="number K of latent factors")
    learning_rate: float = Field(0.05, gt=0, le=1, description="length of a step")
    user_regularization: float = Field(0.0025, ge=0, le=10, description="λ_u, for the user's factors")
    positive_regularization: float = Field(0.0025, ge=0, le=10, description="λ_i, for the factors of the rated item")
    negative_regularization: float = Field(0.00025, ge=0, le=10, description="λ_j, for the factors of the unrated item")
    bias_regularization: float = Field(0.0, ge=0, le=10, description="λ_b, for the items' biases")
    initial_deviation: float = Field(
        0.1, gt=0, le=1, description="σ, of factors at the start; with many factors, a smaller one is often better"
    )
    epochs: int = Field(30, ge=1, le=10_000, description="passes, each with as many triples as there are ratings")
    sampling: Literal["users", "ratings"] = Field(
        "users",
        description="how rated items are drawn, by first drawing a user and then one of the user's items, or uniformly",
    )
    preference: Literal["binary", "positive"] = Field("binary", description="which ratings count, all or only relevant ones")
    positive_from: float | None = Field(None, allow_inf_nan=False, description="lowest rating of i; null: any that counts")
    negative_to: float | None = Field(
        None, allow_inf_nan=False, description="highest rating of j, if j is an item that the user rated; null: j is unrated"
    )
    preset: str | None = preset_field()

    @model_validator(mode="after")
    def _check_sides(self) -> Self:
        if self.positive_from is not None and self.preference == "positive":
            raise ValueError("'positive_from' and preference=positive both say which ratings are positive")
        if self.positive_from is not None and self.negative_to is not None and self.negative_to >= self.positive_from:
            raise ValueError(f"'negative_to' must be below positive_from, which is {self.positive_from:g}")
        return self

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Ascend the gradient, triple by triple.

        Raises
        ------
        DesignError
            If the parameters do not stay finite, or if data without ratings are to be divided by rating.
        """
        matrix, disliked = self._sides(train)
        rows, lows = Rows.of(matrix), Rows.of(disliked)
        marks = marks_of(rows, train.n_items)
        users = normal_draws(train.user_keys, self.factors, self.initial_deviation, rng)
        items = normal_draws(train.item_keys, self.factors, self.initial_deviation, rng)
        biases = np.zeros(train.n_items)
        met = np.bincount(matrix.indices, minlength=train.n_items) > 0
        user_of_rating = np.repeat(np.arange(train.n_users), np.diff(rows.indptr))
        state = rng.integers(2**63, size=1).astype(np.uint64)
        triples = np.empty((_DRAWN, 3), dtype=np.int64)
        for _ in progress(range(self.epochs), "epochs of bpr"):
            _climb_gradient(
                rows,
                lows,
                marks,
                user_of_rating,
                np.unique(user_of_rating),
                np.flatnonzero(met),
                self.sampling == "users",
                np.array(self._step_rates),
                state,
                triples,
                users,
                items,
                biases,
            )
        refuse_divergence(self, (users, items, biases), "lower learning_rate, or the regularizations")
        users[np.diff(rows.indptr) == 0] = np.nan
        biases[~met & (np.bincount(disliked.indices, minlength=train.n_items) == 0)] = np.nan
        self._learned = {"user_factors": users, "item_factors": items, "item_biases": biases}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the users' factors with all items' factors, and add the items' biases."""
        learned = self._learned
        products = factor_scores(train, users, learned["user_factors"], learned["item_factors"])
        return np.asarray(products + learned["item_biases"])

    def _sides(self, train: Interactions) -> tuple[csr_array, csr_array]:
        """Return the ratings of which i may be one, and those of which j may be one, which are none if j is unrated."""
        if self.positive_from is None and self.negative_to is None:
            return preferences(train, self.preference), csr_array((train.n_users, train.n_items))
        if train.rating is None:
            raise DesignError(
                f"recommender '{self.spec}' divides ratings into high and low ones, but these data have no ratings",
                allowed="bpr without positive_from and negative_to",
            )
        counted, low = select_counted(train, self.preference), -np.inf if self.negative_to is None else self.negative_to
        high = counted.take(counted.values > low if self.positive_from is None else counted.values >= self.positive_from)
        below = train.take(train.values <= low)
        if self.negative_to is not None:
            has_both = (high.user_counts > 0) & (below.user_counts > 0)
            high, below = high.take(has_both[high.user]), below.take(has_both[below.user])
        return high.matrix, below.matrix

    @property
    def _step_rates(self) -> list[float]:
        """The length of a step, and the weights λ_u, λ_i, λ_j and λ_b."""
        weights = [self.user_regularization, self.positive_regularization, self.negative_regularization, self.bias_regularization]
        return [self.learning_rate, *weights]


@compiled(allocates=False)
def _climb_gradient(
    rows: Rows,
    lows: Rows,
    marks: Marks,
    user_of_rating: Ints,
    raters: Ints,
    met: Ints,
    over_users: bool,
    rates: Floats,
    state: NDArray[np.uint64],
    triples: Ints,
    users: Floats,
    items: Floats,
    biases: Floats,
) -> None:
    """Take as many steps as there are ratings; ``state`` is the random-number state, and ``triples`` memory for draws."""
    for first in range(0, len(user_of_rating), len(triples)):
        n_triples = _draw(rows, lows, marks, user_of_rating, raters, met, over_users, state, triples[: len(user_of_rating) - first])
        for n in range(n_triples):
            # The factors of a triple may be anywhere in memory; without prefetching, loading them would take as long as the step
            # itself.
            coming = min(n + _AHEAD, n_triples - 1)
            prefetch_row(users, triples[coming, 0])
            prefetch_row(items, triples[coming, 1])
            prefetch_row(items, triples[coming, 2])
            _step(triples[n, 0], triples[n, 1], triples[n, 2], rates, users, items, biases)


@compiled(allocates=False)
def _draw(
    rows: Rows,
    lows: Rows,
    marks: Marks,
    user_of_rating: Ints,
    raters: Ints,
    met: Ints,
    over_users: bool,
    state: NDArray[np.uint64],
    triples: Ints,
) -> int:
    """Fill rows of ``triples`` with user, rated and other item, and return the number of rows.

    The other item is one of the user's ``lows``, if there are any, or unrated; users who rated all items are then skipped.
    """
    n_triples = 0
    for _ in range(len(triples)):
        if over_users:
            user = raters[_draw_below(state, np.int64(len(raters)))]
            nth = rows.indptr[user] + _draw_below(state, rows.indptr[user + 1] - rows.indptr[user])
        else:
            nth = _draw_below(state, np.int64(len(user_of_rating)))
            user = user_of_rating[nth]
        if len(lows.indices) > 0:
            other = np.int64(lows.indices[lows.indptr[user] + _draw_below(state, lows.indptr[user + 1] - lows.indptr[user])])
        else:
            if rows.indptr[user + 1] - rows.indptr[user] == len(met):
                continue
            other = met[_draw_below(state, np.int64(len(met)))]
            while is_rated(rows, marks, user, other):
                other = met[_draw_below(state, np.int64(len(met)))]
        triples[n_triples, 0], triples[n_triples, 1], triples[n_triples, 2] = user, rows.indices[nth], other
        n_triples += 1
    return n_triples


@compiled(allocates=False)
def _step(user: np.int64, rated: np.int64, other: np.int64, rates: Floats, users: Floats, items: Floats, biases: Floats) -> None:
    """Take a gradient step for one triple, as in Rendle et al. (2009) for matrix factorization."""
    rate, of_user, of_rated, of_other, of_bias = rates
    p, q, r = users[user], items[rated], items[other]
    slope = 1.0 / (1.0 + np.exp(biases[rated] - biases[other] + _margin(p, q, r)))
    biases[rated] += rate * (slope - of_bias * biases[rated])
    biases[other] += rate * (-slope - of_bias * biases[other])
    # p + rate (slope (q - r) - λ_u p), and likewise for q and r, with what is the same for all factors computed once.
    pull, user_kept, rated_kept, other_kept = rate * slope, 1.0 - rate * of_user, 1.0 - rate * of_rated, 1.0 - rate * of_other
    for f in range(len(p)):
        a, b, c = p[f], q[f], r[f]
        p[f] = user_kept * a + pull * (b - c)
        q[f] = rated_kept * b + pull * a
        r[f] = other_kept * c - pull * a


@compiled(allocates=False)
def _margin(p: Floats, q: Floats, r: Floats) -> float:
    """Return p · (q - r), computed as eight independent sums, in which no addition waits for the previous one."""
    a = b = c = d = e = f = g = h = 0.0
    whole = len(p) // 8 * 8
    for n in range(0, whole, 8):
        a += p[n] * (q[n] - r[n])
        b += p[n + 1] * (q[n + 1] - r[n + 1])
        c += p[n + 2] * (q[n + 2] - r[n + 2])
        d += p[n + 3] * (q[n + 3] - r[n + 3])
        e += p[n + 4] * (q[n + 4] - r[n + 4])
        f += p[n + 5] * (q[n + 5] - r[n + 5])
        g += p[n + 6] * (q[n + 6] - r[n + 6])
        h += p[n + 7] * (q[n + 7] - r[n + 7])
    for n in range(whole, len(p)):
        a += p[n] * (q[n] - r[n])
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@compiled(allocates=False)
def _draw_below(state: NDArray[np.uint64], n: np.int64) -> np.int64:
    """Draw from 0..n-1, n < 2³², and advance the state to that of the next draw."""
    bits = mix_bits(state[0])
    state[0] += STEP
    return np.int64(uniform_below(bits, n))


class BPRImplicit(Recommender):
    """s(u, i) = b_i + p_u · q_i, with parameters that maximise Σ_{(u,i,j)} [ln σ(s(u, i) - s(u, j)) - λ terms / 2].

    A triple (u, i, j) is a user, an item that the user rated, and an item that the user did not rate. j is the item of a random
    rating, so it is drawn in proportion to popularity; a triple in which u rated j is skipped. This lowers the scores of popular
    items. In ``bpr``, as in the paper, j is drawn uniformly. `implicit.bpr.BayesianPersonalizedRanking` fits the model in float32,
    with one λ for all parameters. Fitting runs on one thread, because with more threads results would depend on their timing.

    The defaults are implicit's, except ``learning_rate`` and ``epochs``, 0.01 and 100 there: with steps of 0.02, 50 epochs were
    better than 100 on validation data of three small data sets.

    Users and items without train ratings that count are not computable.
    """

    label = "bpr_implicit"
    source = "Rendle, Freudenthaler, Gantner & Schmidt-Thieme (2009); implicit, BayesianPersonalizedRanking"
    extra = "study"
    pace = 5
    search_space = SearchSpace(
        "epochs=log_uniform(low=10,high=200),factors=log_uniform(low=4,high=128),"
        "learning_rate=log_uniform(low=0.005,high=0.3),regularization=log_uniform(low=0.00001,high=0.1)",
        "Dacrema et al. (2021), with longer steps, and epochs in place of early stopping",
    )

    factors: int = Field(100, ge=1, le=1000, description="number K of latent factors")
    learning_rate: float = Field(0.02, gt=0, le=1, description="length of a step")
    regularization: float = Field(0.01, ge=0, le=10, description="weight λ of the squared parameters of a triple")
    epochs: int = Field(50, ge=1, le=10_000, description="passes, each with as many triples as there are ratings")
    preference: Literal["binary", "positive"] = Field("binary", description="which ratings count, all or only relevant ones")

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Fit with the library implicit."""
        refuse_missing_extra(type(self))
        from implicit.cpu.bpr import BayesianPersonalizedRanking  # noqa: PLC0415  # takes a second, which scoring does not need

        chosen = preferences(train, self.preference)
        observed = csr_matrix((np.ones(chosen.nnz, np.float32), chosen.indices.copy(), chosen.indptr.copy()), shape=chosen.shape)
        seed = int(rng.integers(2**31))
        with threadpool_limits(limits=1, user_api="blas"):
            model = BayesianPersonalizedRanking(
                factors=self.factors,
                learning_rate=self.learning_rate,
                regularization=self.regularization,
                iterations=self.epochs,
                dtype=np.float32,
                num_threads=1,
                random_state=seed,
            )
            model.fit(observed, show_progress=False)
        users, items = model.user_factors, model.item_factors
        users[np.diff(observed.indptr) == 0] = np.nan
        items[np.bincount(observed.indices, minlength=train.n_items) == 0] = np.nan
        # implicit stores an item's bias as its last factor; the last factor of users is 1.
        self._learned = {"user_factors": users, "item_factors": items}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the users' factors with all items' factors, which include the items' biases."""
        return factor_scores(train, users, self._learned["user_factors"], self._learned["item_factors"])
