"""Audit scores that you already have: one call, with frames, matrices or files of train, test and runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsens.errors import DesignError
from recsens.inputs.foreign_results import ForeignResults
from recsens.notebook.forms import Axes, rows_of_ratings, rows_of_scores
from recsens.runs.audits import Audit, Options
from recsens.runs.audits import audit as audit_files


def audit(
    train: Any,
    test: Any = None,
    runs: Mapping[str, Any] | None = None,
    *,
    validation: Any = None,
    users: Sequence[Any] | None = None,
    items: Sequence[Any] | None = None,
    to: str | Path = "audit",
    name: str = "",
    **options: Any,
) -> Audit:
    """Show which wins hold under every decision that can be varied after ranking, as ``recsens audit`` does.

    Parameters
    ----------
    train, test, validation
        The sets, in any form of `evaluate`'s ``test``. Alternatively, ``train`` alone is a folder with the sets and the runs.
    runs
        The runs by name, in any form of `evaluate`'s ``run`` except judged ranks.
    users, items
        Names of the rows and columns of matrices; by default, their numbers, counted from 0.
    to
        Folder for the page, the tables and the study of the audit; an earlier audit there is replaced.
    name
        Name of the data; if a folder has several data sets, the one to audit.
    options
        The fields of `recsens.runs.audits.Options`: ``metrics``, ``base``, ``vary``, ``relevance``, ``margin``, ``page``, ...

    Returns
    -------
    Audit
        ``told()`` says which wins hold; ``verdicts`` and ``table("summary")`` are tables; ``page`` is the report.

    Raises
    ------
    RecsensError
        In the same cases as `evaluate`, if decisions exclude each other, or if ``to`` contains anything other than an earlier
        audit.
    """
    decided = Options(**options)
    if test is None and runs is None:
        return audit_files(_results_in_folder(train, name), Path(to), decided)
    if not isinstance(runs, Mapping):
        raise DesignError(f"the runs are of type {type(runs).__name__}", allowed='a mapping of names to runs: {"A": ..., "B": ...}')
    axes = Axes(users, items)
    given = {"train": train, "validation": validation, "test": test}
    sets = {each: rows_of_ratings(rows, axes, what=f"the {each} set") for each, rows in given.items() if rows is not None}
    read = {str(label): rows_of_scores(run, axes, what=f"run {label}", role=decided.rank_by) for label, run in runs.items()}
    return audit_files(ForeignResults.of(sets, read, name or "these files"), Path(to), decided)


def _results_in_folder(folder: Any, name: str) -> ForeignResults:
    if not isinstance(folder, str | Path):
        problem = "neither a test set nor runs are given"
        raise DesignError(problem, allowed="audit(train, test, runs), or audit(FOLDER) with the path of a folder")
    found = ForeignResults.of_folder(folder)
    if len(found) > 1 and name not in found:
        problem = f"the folder has {len(found)} data sets"
        raise DesignError(problem, allowed=" or ".join(f'name="{each}"' for each in found), remedy="audit one at a time")
    return found[name] if name in found else next(iter(found.values()))
