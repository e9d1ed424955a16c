"""Runs of several systems and folds: each fold is measured with its own judgements, and the means are averaged."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from recsens.runs.evaluation._evaluate import mean_of
from recsens.runs.evaluation._output import (
    Format,
    Outcome,
    RunColumn,
    aligned,
    decimals,
    delimited,
    digits,
    head,
    table_of_values,
    tabular,
    write,
)

MEAN = "mean"
"""The entry in the fold column for rows with means over folds."""


def write_folds(outcomes: Mapping[str, Outcome], form: Format, *, per_user: bool) -> str:
    """Write the results of each fold, and each run's means over the folds."""
    if form == "json":
        written = {fold: json.loads(write(outcome, form, per_user=per_user)) for fold, outcome in outcomes.items()}
        return json.dumps({"folds": written, MEAN: _means(outcomes)}, indent=2, ensure_ascii=False)
    if form == "csv":
        tables = {fold: list(csv.reader(io.StringIO(write(one, form, per_user=per_user)))) for fold, one in outcomes.items()}
        header = ["fold", *next(iter(tables.values()))[0]]
        rows = [[fold, *row] for fold, table in tables.items() for row in table[1:]]
        return delimited([header, *rows, *([] if per_user else _mean_rows(outcomes, header))])
    tables_of: Callable[[Sequence[Sequence[str]]], str] = tabular if form == "latex" else aligned
    mark = "% " if form == "latex" else ""
    parts = [f"{mark}fold {fold}:\n{write(outcome, form, per_user=per_user)}" for fold, outcome in outcomes.items()]
    return "\n\n".join([*parts, f"{mark}means over {len(outcomes)} folds:\n{tables_of(_table(outcomes))}"])


def _means(outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, float]]:
    """Average each run's means over folds, by run and metric."""
    first = next(iter(outcomes.values()))
    return {
        run: {
            label: mean_of(np.array([outcome.evaluations[run].means[label] for outcome in outcomes.values()]))
            for label in first.first.labels
        }
        for run in first.evaluations
    }


def _table(outcomes: Mapping[str, Outcome]) -> list[list[str]]:
    first, labels = next(iter(outcomes.values())), next(iter(outcomes.values())).first.labels
    columns = {run: RunColumn([decimals(of[label]) for label in labels]) for run, of in _means(outcomes).items()}
    return table_of_values(head(first), labels, columns, "")


def _mean_rows(outcomes: Mapping[str, Outcome], header: Sequence[str]) -> list[list[str]]:
    first = next(iter(outcomes.values())).first
    known = dict(zip(first.labels, first.definitions, strict=True))
    rows = []
    for run, means in _means(outcomes).items():
        for label, mean in means.items():
            cells = {"fold": MEAN, "run": run, "metric": label, "definition": known[label], MEAN: digits(mean)}
            rows.append([({"convention": first.settings.convention} | cells).get(name, "") for name in header])
    return rows
