"""Mean errors of predicted ratings; the mean is over ratings, items or users.

MAE: Mean absolute error.
RMSE: Root mean squared error.
"""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recsens.arrays import Ids
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.metrics import Floats, Judged, PredictionMetric, Unit, at_every, share
from recsens.metrics._predictions import errors_at
from recsens.plugins.specs import Spec, Value

_PREFIXES = {"ratings": "", "items": "i", "users": "u"}
"""Prefixes in the usual names of these means: iMAE is MAE(over=items)."""


Norm = Literal["none", "range", "chance"]
"""none: errors in rating points. range: errors divided by the highest minus the lowest rating. chance: errors divided by the mean
error of uniform guesses."""

_NORM_MEANING = "divide by nothing (none), the width of the scale (range), or E|X - Y| of two uniform ratings (chance; 1.6 on 1-5)"
"""Meaning of the parameter ``norm`` of a mean absolute error, in one line."""

_RANGE_MEANING = "divide by nothing (none), or the width of the scale (range)"
"""Meaning of the parameter ``norm`` of a root mean squared error, in one line."""


class _MeanErrors(PredictionMetric):
    """The mean absolute error, or root mean squared error, of predicted ratings."""

    is_monotone = True
    higher_is_better = False
    takes_cutoff = "never"
    values_range = "[0, ∞)"
    power: ClassVar[Literal[1, 2]] = 1

    over: Literal["ratings", "items", "users"] = Field(
        "ratings", description="what has equal weight: every rating, every item, or every user (who then has a separate value)"
    )
    norm: Norm = Field("none", description=_NORM_MEANING)

    def _spec(self, params: dict[str, Value]) -> Spec:
        name = f"{_PREFIXES[self.over]}{self.plugin_name()}"
        return Spec(name, tuple((key, value) for key, value in params.items() if key != "over"))

    @property
    def unit(self) -> Unit:  # type: ignore[override]
        """``user`` if every user has a value, else ``pooled``."""
        return "user" if self.over == "users" else "pooled"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the errors, or take their root mean square. The values are the same at every cut-off."""
        rows, power = self.rows(judged), self.power
        errors = errors_at(judged, rows) / _divisor(judged.scale, self.norm)
        costs = np.abs(errors) if power == 1 else errors**2
        if self.over == "ratings":
            return at_every(cutoffs, _root_of_means(np.array([_mean_or_nan(costs)]), power))
        if self.over == "users":
            return at_every(cutoffs, _root_of_means(_group_means(costs, judged.user[rows], judged.n_users), power))
        if judged.item is None:
            raise DesignError(
                "this metric joins the ratings of an item, but items are not known here", allowed="MAE, uMAE, RMSE, uRMSE"
            )
        items = judged.item
        means = _root_of_means(_group_means(costs, items[rows], int(items.max(initial=-1)) + 1), power)
        return at_every(cutoffs, np.array([_mean_or_nan(means)]))


def _divisor(scale: Scale, norm: Norm) -> float:
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


def _group_means(values: Floats, group: Ids, n_groups: int) -> Floats:
    """Average the values in each group, shape (n_groups,); NaN for an empty group."""
    sums, counts = np.bincount(group, weights=values, minlength=n_groups), np.bincount(group, minlength=n_groups)
    return share(sums, counts, np.nan)


def _mean_or_nan(values: Floats) -> float:
    """Average the values that are not NaN; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _root_of_means(means: Floats, power: Literal[1, 2]) -> Floats:
    return means if power == 1 else np.sqrt(means)


class MAE(_MeanErrors):
    """MAE = (1/|T|) Σ_{(u,i) in T} |r̂_ui - r_ui| over the predicted test ratings T.

    ``over=items`` is iMAE = (1/|I|) Σ_i (1/|T_i|) Σ_{u in T_i} |r̂_ui - r_ui| over the items I with predicted test ratings T_i.
    ``over=users`` is uMAE_u = (1/|T_u|) Σ_{i in T_u} |r̂_ui - r_ui|, one value per user; users without a predicted rating are left
    out of the average. MAE and iMAE have one value for all users; it is NaN if there is no prediction. Predictions outside the
    scale are not clipped. Report `PredictionCoverage` too, because systems may predict different pairs. Range [0, ∞), in rating
    points; [0, 1] with norm=range for predictions on the scale.
    """

    label = "MAE"
    source = "Bellogín (2012), eqs. 3.1 to 3.3; norm=range, Goldberg et al. (2001); norm=chance, Marlin (2003)"


class RMSE(_MeanErrors):
    """RMSE = √((1/|T|) Σ_{(u,i) in T} (r̂_ui - r_ui)²) over the predicted test ratings T.

    ``over=items`` is iRMSE = (1/|I|) Σ_i √((1/|T_i|) Σ_{u in T_i} (r̂_ui - r_ui)²) over the items I with predicted test ratings
    T_i. ``over=users`` is uRMSE_u = √((1/|T_u|) Σ_{i in T_u} (r̂_ui - r_ui)²), one value per user; users without a predicted rating
    are left out of the average. RMSE and iRMSE have one value for all users; it is NaN if there is no prediction. Predictions
    outside the scale are not clipped. Report `PredictionCoverage` too, because systems may predict different pairs. Range [0, ∞),
    in rating points; [0, 1] with norm=range for predictions on the scale.
    """

    label = "RMSE"
    power = 2
    source = "Bellogín (2012), eqs. 3.1 to 3.3"

    norm: Literal["none", "range"] = Field("none", description=_RANGE_MEANING)
