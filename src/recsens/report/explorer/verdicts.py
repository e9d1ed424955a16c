"""The verdicts of an experiment as columns, with numbers in printed form."""

import math
from typing import Any

import numpy as np
import pandas as pd

from recsens.conclusions.verdicts.components import n_folds_of, scale_of
from recsens.conclusions.verdicts.metric_names import direction
from recsens.conclusions.verdicts.pairs import EQUIVALENT, PairVerdicts, winning_sides
from recsens.outcomes.winner import ahead
from recsens.report.explorer.columns import column, numbers
from recsens.report.explorer.design_space import DesignSpace
from recsens.report.sentences.evidence import beside_values, p_and_fixed
from recsens.tables.numbers import estimate, p_claim, users


def verdict_columns(verdicts: PairVerdicts, space: DesignSpace) -> dict[str, Any]:
    """Return columns with one row per analysis and pair of systems.

    Returns
    -------
    dict
        ``dataset``, ``first``, ``second``, ``metric``: columns of texts. ``design``: index of the row's design. ``winner``,
        ``ahead``: `recsens.outcomes.winner.Side`. ``equivalent``: whether the difference is certainly within the margin. ``size``,
        ``low``, ``high``, ``p``, ``users``: printed numbers. ``size``, ``low`` and ``high`` are positive in favour of the system
        that is ahead, and empty if missing. ``p`` includes a remark on what it treats as fixed, and ``users`` includes the
        difference between the values if that prints as a different number. ``family``: p adjusted for all analyses of the pair;
        empty for an analysis outside the joint test. ``effect``, ``effect_low``, ``effect_high``: standardised effect size,
        positive if the first system is better. ``original``: index of the row that represents all rows with the same numbers.
    """
    rows = verdicts.rows
    signs = rows["metric_full"].map(direction).to_numpy(dtype=np.float64)
    ends = np.sort(np.stack([signs * rows["effect_low"].to_numpy(), signs * rows["effect_high"].to_numpy()]), axis=0)
    sizes, lows, highs = zip(*_sizes(rows), strict=True) if len(rows) else ((), (), ())
    return {
        "dataset": column(rows["dataset"]),
        "first": column(rows["system_a"]),
        "second": column(rows["system_b"]),
        "metric": column(rows["metric_full"]),
        "design": list(space.design_of),
        "winner": winning_sides(rows).tolist(),
        "equivalent": (rows["verdict"] == EQUIVALENT).tolist(),
        "ahead": ahead(rows["difference"], signs).tolist(),
        "size": column(sizes),
        "low": column(lows),
        "high": column(highs),
        "p": column(_p_values(rows, verdicts.part.alpha)),
        "family": column("" if math.isnan(p) else p_claim(p) for p in rows["p_family"]),
        "users": column(_users_and_values(rows)),
        "effect": numbers(signs * rows["effect"].to_numpy()),
        "effect_low": numbers(ends[0]),
        "effect_high": numbers(ends[1]),
        "original": rows["original"].tolist(),
    }


def _p_values(rows: pd.DataFrame, alpha: float) -> list[str]:
    """Print p with a remark on what it treats as fixed, and p over splits if the two p-values disagree."""
    columns = ["p_adjusted", "resampled_p", "correction", "split", "repeats"]
    listed = rows[columns].itertuples(index=False, name=None)
    return [p_and_fixed(p, q, alpha, n_folds_of(*design), correction) for p, q, correction, *design in listed]


def _users_and_values(rows: pd.DataFrame) -> list[str]:
    """Print the number of users, and the difference in values if it prints differently from the tested difference."""
    columns = ["users", "effective_users", "difference", "value_difference", "low", "high"]
    return [
        f"{users(n, effective)}{beside_values(*_as_leader(*differences))}"
        for n, effective, *differences in rows[columns].itertuples(index=False, name=None)
    ]


def _as_leader(difference: float, of_values: float, low: float, high: float) -> tuple[float, float, float, float]:
    return (-difference, -of_values, -high, -low) if difference < 0 else (difference, of_values, low, high)


def _sizes(rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Print the lead of the leading system, with the ends of the interval."""
    named = rows[["difference", "low", "high", "aggregate"]].itertuples(index=False, name=None)
    return [_size(difference, low, high, aggregate) for difference, low, high, aggregate in named]


def _size(difference: float, low: float, high: float, aggregate: str) -> tuple[str, str, str]:
    if math.isnan(difference):
        return "", "", ""
    if difference < 0:
        difference, low, high = -difference, -high, -low
    size, *ends = estimate(difference, low, high)
    bottom, top = ends if not math.isnan(low) else ("", "")
    return f"{size}{scale_of(aggregate)}", bottom, top
