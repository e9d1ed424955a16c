"""The output of the commands evaluate and metrics."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import Any

import numpy as np

from recsens import plugins
from recsens.comparison.significance import SignificanceTest
from recsens.errors import DesignError
from recsens.files.kinds import RankBy
from recsens.files.scale import Scale
from recsens.metrics import Metric
from recsens.metrics.variants.conventions import Convention, convention_named
from recsens.runs.evaluation._curves import curves
from recsens.runs.evaluation._divided import EACH
from recsens.runs.evaluation._evaluate import Evaluator, mean_of
from recsens.runs.evaluation._folders import chosen_folds, folds_of_files
from recsens.runs.evaluation._input_forms import Source, told_of
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
from recsens.runs.evaluation._run_comparison import compare

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


_MARK = {"always": "@n", "optionally": "[@n]", "never": ""}


def evaluation_of(
    files: Sequence[str],
    metrics: Sequence[str],
    *,
    test: str,
    form: Format,
    per_user: bool,
    curve: str | None,
    scale: tuple[float, float] | None,
    fold: str | None = None,
    **decisions: Any,
) -> str:
    """Evaluate runs against the judgements in the last file, and return the output: a table, or curve points as CSV.

    Raises
    ------
    RecsensError
        If a file cannot be read, or a setting is invalid.
    """
    given = {name: decisions[name] for name in ("train", "validation") if decisions.get(name) is not None}
    folds = folds_of_files(files, given)
    tested = SignificanceTest.build(test)
    decisions |= {"scale": Scale(*scale, step=0) if scale else None}

    def evaluator(judgements: Source, beside: Mapping[str, Source]) -> Evaluator:
        return Evaluator.of(judgements, metrics, **{**decisions, **beside})

    def outcome(measured: Mapping[str, Source], judgements: Source, beside: Mapping[str, Source]) -> Outcome:
        decided = evaluator(judgements, beside)
        evaluations = {name: decided.evaluate(run) for name, run in measured.items()}
        return Outcome(evaluations, compare(evaluations, tested) if len(evaluations) > 1 else {}, tested)

    rank_by: RankBy = "rank" if decisions.get("rank_by") == "rank" else "score"
    folds = chosen_folds(folds, told_of(decisions.get("columns", ())), fold=fold, rank_by=rank_by)
    if fold == EACH and curve is not None:
        raise DesignError("a curve can show only one fold", allowed=", ".join(f"--fold {quote(name)}" for name in folds))
    if fold == EACH:
        return write_folds({name: outcome(*own) for name, own in folds.items()}, form, per_user=per_user)
    [sources] = folds.values()
    if curve is not None:
        return curves(sources[0], evaluator(*sources[1:]), curve).to_csv(index=False, lineterminator="\n").rstrip("\n")
    return write(outcome(*sources), form, per_user=per_user)


def list_of_metrics(convention: str | None) -> str:
    """List our metrics with definition, range and source, or another tool's metrics under the tool's names."""
    known = convention_named(convention or "recsens")
    return "\n".join(_theirs(known) if known.metrics else _ours())


def _ours() -> list[str]:
    lines = []
    for name in plugins.names("metric"):
        metric = plugins.load("metric", name)
        assert issubclass(metric, Metric)
        first = (metric.__doc__ or "").splitlines()[0]
        where = " (only in studies: it reads whole lists)" if metric.reads == "lists" else ""
        lines += [f"{name}{_MARK[metric.takes_cutoff]}: {first}", f"  range {metric.values_range}; {metric.source}{where}"]
        if metric.model_fields:
            lines.append(f"  {plugins.describe(metric)}")
    return lines


def _theirs(convention: Convention) -> list[str]:
    rows = [
        (
            f"{metric.name}{f'({metric.takes}=x)' if metric.takes else ''}{'[_x]' if metric.levels else _MARK[metric.cutoff]}",
            metric.ours.rpartition(".")[2] if metric.ours.startswith("recsens.") else metric.ours,
        )
        for metric in convention.metrics
    ]
    width = max(len(name) for name, _ in rows)
    return [f"{convention.name}: {convention.about}", *(f"  {name.ljust(width)}  {ours}" for name, ours in rows)]
