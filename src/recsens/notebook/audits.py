"""Audit scores that you already have: one call, from frames, matrices or files of train, test and runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsens.audits import Audit, AuditInput, Options
from recsens.audits import audit as audit_files
from recsens.errors import DesignError
from recsens.evaluation import rows_of, run_of
from recsens.files import FileTable
from recsens.files.kinds import QRELS
from recsens.notebook.forms import Axes, rows_of_ratings, rows_of_scores


def audit(
    train: Any,
    test: Any,
    runs: Mapping[str, Any],
    *,
    validation: Any = None,
    users: Sequence[Any] | None = None,
    items: Sequence[Any] | None = None,
    to: str | Path = "audit",
    name: str = "these files",
    **options: Any,
) -> Audit:
    """Show which wins hold under every decision that can be varied after ranking, as ``recsens audit`` does.

    Parameters
    ----------
    train, test, validation
        The sets, in any form in which `evaluate` takes its ``test``.
    runs
        The runs by name, in any form in which `evaluate` takes its ``run``, except judged ranks.
    users, items
        Names of the rows and columns of matrices; by default, their numbers, counted from 0.
    to
        Folder for the page, the tables and the study behind the audit; replaces an earlier audit there.
    name
        Name of the data.
    options
        The fields of `recsens.audits.Options`: ``metrics``, ``base``, ``vary``, ``relevance``, ``margin``, ``page``, ...

    Returns
    -------
    Audit
        ``told()`` says what holds; ``verdicts`` and ``table("summary")`` are the tables; ``page`` is the report.

    Raises
    ------
    RecsensError
        In the same cases as `evaluate`, if decisions exclude each other, or if ``to`` contains anything else than an earlier audit.
    """
    if not isinstance(runs, Mapping):
        raise DesignError(f"the runs are of type {type(runs).__name__}", allowed='a mapping of names to runs: {"A": ..., "B": ...}')
    axes = Axes(users, items)
    decided = Options(**options)
    before = None if validation is None else _set(validation, axes, "the validation set")
    read = {str(label): _run(run, axes, decided, f"run {label}") for label, run in runs.items()}
    given = AuditInput(_set(train, axes, "the train set"), _set(test, axes, "the test set"), read, before, name)
    return audit_files(given, Path(to), decided)


def _set(given: Any, axes: Axes, what: str) -> Path | FileTable:
    rows = rows_of_ratings(given, axes, what=what)
    return rows if isinstance(rows, Path) else rows_of(rows, QRELS)


def _run(given: Any, axes: Axes, options: Options, what: str) -> Any:
    rows = rows_of_scores(given, axes, what=what, role=options.rank_by)
    return rows if isinstance(rows, Path) else run_of(rows, options.rank_by)
