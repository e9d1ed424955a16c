"""The output of the commands evaluate and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import Any

from recsens import plugins
from recsens.comparison.significance import SignificanceTest
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.inputs.folders import FoldFiles
from recsens.inputs.foreign_results import EACH
from recsens.inputs.run_arguments import results_of_files
from recsens.metrics import Metric
from recsens.metrics.variants.conventions import Convention, convention_named
from recsens.runs.evaluation._curves import curves
from recsens.runs.evaluation._evaluate import Evaluator
from recsens.runs.evaluation._evaluation import compare
from recsens.runs.evaluation._output import Format, Outcome, write

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
    beside = {name: decisions[name] for name in ("train", "validation") if decisions.get(name) is not None}
    given = results_of_files(files, beside)
    tested = SignificanceTest.build(test)
    decisions |= {"scale": Scale(*scale, step=0) if scale else None}

    def evaluator(own: FoldFiles) -> Evaluator:
        return Evaluator.of(own.sets["test"], metrics, **{**decisions, **own.beside})

    def outcome(own: FoldFiles) -> Outcome:
        decided = evaluator(own)
        evaluations = {name: decided.evaluate(run) for name, run in own.only_training.items()}
        return Outcome(evaluations, compare(evaluations, tested) if len(evaluations) > 1 else {}, tested)

    folds = given.measured(decisions, fold)
    if curve is None:
        return write({name: outcome(own) for name, own in folds.items()}, form, per_user=per_user)
    if fold == EACH:
        raise DesignError("a curve can show only one fold", allowed=", ".join(f"--fold {quote(name)}" for name in folds))
    [own] = folds.values()
    return curves(own.only_training, evaluator(own), curve).to_csv(index=False, lineterminator="\n").rstrip("\n")


def list_of_metrics(convention: str | None) -> str:
    """List our metrics with definition, range and source, or another tool's metrics under the tool's names."""
    known = convention_named(convention or "recsens")
    return "\n".join(_tool_lines(known) if known.metrics else _our_lines())


def _our_lines() -> list[str]:
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


def _tool_lines(convention: Convention) -> list[str]:
    rows = [
        (
            f"{metric.name}{f'({metric.takes}=x)' if metric.takes else ''}{'[_x]' if metric.levels else _MARK[metric.cutoff]}",
            metric.ours.rpartition(".")[2] if metric.ours.startswith("recsens.") else metric.ours,
        )
        for metric in convention.metrics
    ]
    width = max(len(name) for name, _ in rows)
    return [f"{convention.name}: {convention.about}", *(f"  {name.ljust(width)}  {ours}" for name, ours in rows)]
