"""Tables of findings of one fold, and of means over folds."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import stats

from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.metrics import MeasuredAt

FINDINGS = pa.schema(
    [
        pa.field("quantity", pa.string(), nullable=False),
        *(pa.field(name, pa.string(), nullable=False) for name in ("metric", "metric_full", "against", "against_full")),
        pa.field("at", pa.float64()),
        *(pa.field(name, pa.string(), nullable=False) for name in ("system_a", "system_b")),
        *(pa.field(name, pa.float64()) for name in ("value", "low", "high", "spread")),
        pa.field("n", pa.int64(), nullable=False),
    ],
    metadata={"kind": "findings 1"},
)
"""The findings of an analysis on one fold, one number per row; metrics are named as in the study, and with every parameter."""

ALL = "all"
"""Name of the fold in rows over all folds."""

_KEY = ("quantity", "metric", "metric_full", "against", "against_full", "at", "system_a", "system_b")
_CONFIDENCE = 0.95


def columns_of(findings: Sequence[Finding]) -> dict[str, list[object]]:
    """Return findings as the columns of `FINDINGS`."""
    columns: dict[str, list[object]] = {
        each.name: [getattr(finding, each.name) for finding in findings]
        for each in fields(Finding)
        if each.name not in {"metric", "against"}
    }
    for name in ("metric", "against"):
        named: list[MeasuredAt | None] = [getattr(finding, name) for finding in findings]
        columns[name] = ["" if each is None else each.written for each in named]
        columns[f"{name}_full"] = ["" if each is None else str(each) for each in named]
    return columns


def over_folds(analysis: MetricAnalysis, folds: pd.DataFrame) -> pd.DataFrame:
    """Average findings over several folds, as rows of fold ``all``.

    Parameters
    ----------
    analysis
        The analysis; quantities that the analysis does not average over folds are left out.
    folds
        The columns of `FINDINGS`, and ``fold``.

    Returns
    -------
    pandas.DataFrame
        The rows of the fold, if there is only one. If there are several folds, there is a row for each number that any fold has:
        the mean of the defined values, their standard deviation, the 95 % Student interval of the mean and, in ``n``, the number of
        folds with a value. If only one fold has a value, the deviation and the interval are NaN. Folds are treated as independent,
        although they share users and ratings.
    """
    kept = folds[~folds["quantity"].isin(analysis.not_averaged)]
    if folds["fold"].nunique() < 2:
        return kept.assign(fold=ALL)
    grouped = kept.groupby(list(_KEY), sort=False, dropna=False)["value"]
    means = grouped.agg(value="mean", spread="std", n="count").reset_index()
    reach = stats.t.ppf((1 + _CONFIDENCE) / 2, np.maximum(means["n"] - 1, 1)) * means["spread"] / np.sqrt(means["n"])
    return means.assign(low=means["value"] - reach, high=means["value"] + reach, fold=ALL)
