"""Errors of predicted ratings, compared with the ratings in the test set."""

from typing import Literal

import numpy as np

from recsens.arrays import Floats, Ids, Ints
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.metrics._judged import Judged

Norm = Literal["none", "range", "chance"]
"""none: errors in rating points. range: errors divided by the highest minus the lowest rating. chance: errors divided by the mean
error of uniform guesses."""

NORM_MEANING = "divide by nothing (none), the width of the scale (range), or E|X - Y| of two uniform ratings (chance; 1.6 on 1-5)"
"""Meaning of the parameter ``norm`` of a mean absolute error, in one line."""

RANGE_MEANING = "divide by nothing (none), or the width of the scale (range)"
"""Meaning of the parameter ``norm`` of a root mean squared error, in one line."""


def predictions_of(judged: Judged) -> Floats:
    """Return the judged items' predicted ratings, NaN for items without one, shape (n,).

    Raises DesignError if the data set has no ratings, or if the predictions are unknown.
    """
    if np.isnan(judged.rating).any():
        raise DesignError("the data set has no ratings to predict", allowed="metrics of relevance, such as P, nDCG or RBP")
    if judged.score is None:
        raise DesignError(
            "this metric reads the predicted ratings, which are not known here", allowed="metrics of judged positions"
        )
    return judged.score


def errors_at(judged: Judged, rows: Ints) -> Floats:
    """Return predicted minus true ratings, shape (len(rows),); predictions outside the scale are not clipped."""
    assert judged.score is not None
    return judged.score[rows] - judged.rating[rows]


def divisor(scale: Scale, norm: Norm) -> float:
    """Return the divisor of errors.

    With ``norm=chance`` it is E|X - Y| for two uniform draws X and Y from the scale: step (m² - 1) / (3 m) if the scale has m
    values, or a third of the scale's width if it has no steps.
    """
    width = scale.highest - scale.lowest
    if norm == "none":
        return 1.0
    if norm == "range":
        return width
    if scale.step == 0:
        return width / 3.0
    m = round(width / scale.step) + 1
    return scale.step * (m * m - 1) / (3.0 * m)


def group_means(values: Floats, group: Ids, n_groups: int) -> Floats:
    """Average the values in each group, shape (n_groups,); NaN for an empty group."""
    counts = np.bincount(group, minlength=n_groups)
    means = np.full(n_groups, np.nan)
    np.divide(np.bincount(group, weights=values, minlength=n_groups), counts, out=means, where=counts > 0)
    return means


def items_of(judged: Judged) -> Ids:
    """Return the item of each row.

    Raises DesignError if items are unknown.
    """
    if judged.item is None:
        raise DesignError(
            "this metric joins the ratings of an item, but items are not known here", allowed="MAE, uMAE, RMSE, uRMSE"
        )
    return judged.item


def mean_or_nan(values: Floats) -> float:
    """Average the values that are not NaN; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def predicted_order(judged: Judged, counted: Ints) -> tuple[Ints, Ints]:
    """Return the rows ``counted``, by user and then as ranked, and each row's rank (from 0) among the user's rows.

    All these rows have a predicted rating. The result is the same for full and condensed rankings. Ties are broken as in the
    ranking.
    """
    order = judged.order
    is_counted = np.zeros(len(judged.user), dtype=bool)
    is_counted[counted] = True
    rows = order[is_counted[order]]
    user = judged.user[rows]
    return rows, np.arange(len(rows)) - np.searchsorted(user, user)
