"""Calibrated: turns another recommender's scores into predicted ratings."""

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from recsens.data.interactions import Interactions
from recsens.errors import SpecError
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.recommenders import Arrays, Floats, Ints, Reals, Recommender
from recsens.recommenders._base import Wrapper, learn

_SCORES, _RATINGS = "calibrated.scores", "calibrated.ratings"
"""Names of the arrays with the corners of the curve f, which is straight between corners."""

_USERS = 512
"""Number of users scored at a time."""


class Calibrated(Wrapper):
    """s(u, i) = f(score of i for u by the recommender ``of``), where f maps scores to ratings and is learnt on train data only.

    ``of`` learns from the whole train set, as it would without the wrapper. To learn f, ``of`` is fitted once more without a random
    share ``held_out`` of the train ratings. f is the least-squares prediction of these held-out ratings from their scores: among
    all non-decreasing f (``isotonic``, Zadrozny & Elkan 2002), or among straight lines (``linear``). With held_out=0, f is learnt
    from the ratings on which ``of`` was fitted; their scores may be higher than those of new pairs.

    f is the same for all users. If the scores of ``of`` are comparable only within a user, as with BPR, predictions are near the
    mean of all ratings. Interactions without a rating count as 1. Predictions are limited to the rating scale. Where f is level,
    items with different scores tie; therefore evaluate rankings with ``of`` itself. Pairs that ``of`` cannot score are not
    computable. If there are no scores from which to learn f, no pair is computable.
    """

    source = "Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, for isotonic"
    predicts_ratings = True

    of: Annotated[Spec, *component("recommender")] = Field(Spec("bpr"), description="the recommender that gives the scores")
    by: Literal["isotonic", "linear"] = Field("isotonic", description="the form of f: non-decreasing, or a straight line")
    held_out: float = Field(0.2, ge=0, lt=1, description="share of the train ratings used only to learn f")

    _fitted: Recommender = PrivateAttr()

    @model_validator(mode="after")
    def _check_wrapped(self) -> Self:
        inner = self.inner
        if any(kind == self.kind for kind, _ in inner.nested()):
            raise SpecError(
                f"'{self.of}' is itself a wrapper, and 'calibrated' must fit its recommender twice",
                allowed="a recommender with its parameters, such as bpr(factors=50)",
            )
        if inner.score_files is not None:
            raise SpecError(f"'{self.of}' reads scores from files and cannot be fitted on a part of the ratings")
        return self

    @property
    def draws(self) -> bool:  # type: ignore[override]
        """Whether ratings are held out at random, or the inner recommender draws."""
        return self.held_out > 0 or super().draws

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Fit the recommender, and learn f from the scores of a second fit."""
        # This fit comes first; it then draws the same random numbers as without the wrapper.
        self._fitted = learn(self.inner, train, rng)
        scores, ratings = self._held_out_pairs(train, rng)
        curve = _CURVES[self.by](scores, ratings) if len(scores) else _NOTHING
        self._learned = {**self._fitted.learned, **dict(zip((_SCORES, _RATINGS), curve, strict=True))}
        return self

    def restore(self, arrays: Arrays) -> Self:
        """Restore the learnt arrays, including the inner recommender's."""
        super().restore(arrays)
        self._fitted = self.inner.restore({name: array for name, array in arrays.items() if name not in (_SCORES, _RATINGS)})
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Turn the inner recommender's scores into ratings; pairs that it cannot score stay NaN."""
        scores = np.asarray(self._fitted.score(train, users), dtype=np.float64)
        at, ratings = self._learned[_SCORES], self._learned[_RATINGS]
        if self.by == "linear":
            predicted = ratings[0] + (scores - at[0]) * (ratings[1] - ratings[0]) / (at[1] - at[0])
        else:
            predicted = np.interp(scores, at, ratings)
        return np.asarray(np.clip(predicted, train.scale.lowest, train.scale.highest))

    def _held_out_pairs(self, train: Interactions, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the scores and ratings of the pairs from which f is learnt. All of them have a score."""
        is_held_out = rng.random(len(train)) < self.held_out
        if not is_held_out.any():
            return _scores_of_pairs(self._fitted, train, train)
        part = train.take(~is_held_out)
        return _scores_of_pairs(learn(self.inner, part, rng), part, train.take(is_held_out))


def _scores_of_pairs(recommender: Recommender, taught: Interactions, pairs: Interactions) -> tuple[Floats, Floats]:
    """Return the scores and ratings of the pairs that have a score; users are scored in blocks."""
    found = np.full(len(pairs), np.nan)
    for start in range(0, pairs.n_users, _USERS):
        rows = np.flatnonzero((pairs.user >= start) & (pairs.user < start + _USERS))
        if len(rows):
            users = np.arange(start, min(start + _USERS, pairs.n_users))
            found[rows] = recommender.score(taught, users)[pairs.user[rows] - start, pairs.item[rows]]
    known = ~np.isnan(found)
    return found[known], pairs.values[known]


def _isotonic_corners(scores: Floats, ratings: Floats) -> tuple[Floats, Floats]:
    """Return the corners of the best non-decreasing curve. The curve is level beyond its ends."""
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415 - its OpenMP must not be in a process that forks jobs

    curve = IsotonicRegression().fit(scores, ratings)
    return np.asarray(curve.X_thresholds_, dtype=np.float64), np.asarray(curve.y_thresholds_, dtype=np.float64)


def _linear_ends(scores: Floats, ratings: Floats) -> tuple[Floats, Floats]:
    """Return two points on the best straight line. The line is level if all scores are equal."""
    centre = scores.mean()
    variance = np.mean((scores - centre) ** 2)
    slope = np.mean((scores - centre) * ratings) / variance if variance > 0 else 0.0
    return np.array([centre, centre + 1.0]), ratings.mean() + np.array([0.0, slope])


_CURVES = {"isotonic": _isotonic_corners, "linear": _linear_ends}

_NOTHING = (np.array([0.0, 1.0]), np.full(2, np.nan))
"""The corners of f if there are no scores from which to learn f."""
