"""Which decision matters: the share of variance over analyses that each explains, and how often it turns a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.multiverse.variance import variance_shares
from recsens.report.changes import sweep_rows
from recsens.report.metric_names import direction
from recsens.report.results import in_order
from recsens.report.verdicts.pairs import PAIR, PairVerdicts
from recsens.study.taxonomy import DECISIONS, Decision, decision

_METRICS = decision("metrics")
_METRIC = f"{_METRICS.column}_full"

_NAN = float("nan")


def influences(verdicts: PairVerdicts) -> list[dict[str, Any]]:
    """List for each pair of systems what each varied decision does, the metric among them, and what decisions do together.

    The effect of an analysis is d_z, above zero where the first system is better. On a full grid its variance is split exactly
    (`recsens.multiverse.variance`); analyses by a metric without differences of users are left out of it. Lowest and highest effect
    are over the base design and the changes of one decision alone. The flip rate is the share of pairs of analyses that differ in
    one decision alone whose verdicts differ.
    """
    varied = _varied(verdicts.rows)
    if not varied:
        return []
    effect = verdicts.rows["effect"] * verdicts.rows["metric_full"].map(direction)
    rows = verdicts.rows.assign(signed=np.asarray(effect, dtype=np.float64))
    found = []
    for pair, own in rows.groupby(list(PAIR), sort=False):
        head = dict(zip(PAIR, map(str, pair), strict=True))
        found += [{**head, **line} for line in _of_pair(own, varied)]
    return found


def _of_pair(rows: pd.DataFrame, varied: Sequence[Decision]) -> Iterator[dict[str, Any]]:
    columns = [_column(each) for each in varied]
    grid = _grid(rows, columns)
    shares = {} if grid is None else {share.of: share.share for share in variance_shares(grid)}
    for axis, each in enumerate(varied):
        alone = _changing_only(rows, each)["signed"].dropna()
        n_compared, n_turned = _turned(rows, [column for column in columns if column != columns[axis]])
        yield {
            **_named(each),
            "share": shares.get((axis,), _NAN),
            "lowest": float(alone.min()),
            "highest": float(alone.max()),
            "flip_rate": n_turned / n_compared if n_compared else _NAN,
            "compared": n_compared,
        }
    for of, share in shares.items():
        if len(of) == 2:
            yield {**_named(varied[of[0]]), "together_with": varied[of[1]].name, "share": share}
    if () in shares:
        yield {"code": "", "decision": "three or more together", "share": shares[()]}


def _named(each: Decision) -> dict[str, str]:
    return {"code": each.code, "decision": each.name}


def _column(each: Decision) -> str:
    return _METRIC if each is _METRICS else each.full_column


def _varied(rows: pd.DataFrame) -> list[Decision]:
    """List the decisions with several options, in the order of the taxonomy, and the metric."""
    return [each for each in (*DECISIONS, _METRICS) if len(rows[_column(each)].unique()) > 1]


def _changing_only(rows: pd.DataFrame, each: Decision) -> pd.DataFrame:
    """Keep the analyses that leave the base in one decision at most."""
    if each is _METRICS:
        return rows[rows["is_base"]]
    return sweep_rows(rows[rows["is_base_metric"]], each)


def _grid(rows: pd.DataFrame, columns: Sequence[str]) -> NDArray[np.float64] | None:
    """Lay the effects out with an axis a decision; None unless every combination of options has one."""
    without = rows.groupby(_METRIC)["signed"].transform(lambda effects: effects.isna().all())
    known = rows[~without.astype(bool)]
    codes = [pd.Categorical(known[column], categories=in_order(known[column])) for column in columns]
    shape = tuple(len(each.categories) for each in codes)
    if not len(known) or len(known) != np.prod(shape) or known["signed"].isna().any() or known.duplicated(list(columns)).any():
        return None
    grid = np.empty(shape)
    grid[tuple(each.codes for each in codes)] = known["signed"].to_numpy()
    return grid


def _turned(rows: pd.DataFrame, others: list[str]) -> tuple[int, int]:
    """Count the pairs of analyses with the same options of all other decisions, and those of them whose verdicts differ."""
    keys = others or [PAIR[0]]
    sizes = rows.groupby(keys, sort=False).size()
    alike = rows.groupby([*keys, "verdict"], sort=False).size()
    n_compared = int((sizes * (sizes - 1) // 2).sum())
    return n_compared, n_compared - int((alike * (alike - 1) // 2).sum())
