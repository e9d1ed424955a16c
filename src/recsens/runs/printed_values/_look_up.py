"""The function that finds the definitions that give printed numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recsens.errors import DataError, DesignError
from recsens.files import FileTable
from recsens.files.scale import Scale
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import Source, run_of, told_of
from recsens.runs.printed_values._classes import answer
from recsens.runs.printed_values._decisions import thresholds_of
from recsens.runs.printed_values._formulas import NamedFormulas
from recsens.runs.printed_values._found import FoundDefinitions
from recsens.runs.printed_values._numbers import LIKE, PrintedNumber, Reading, numbers_of
from recsens.runs.printed_values._search import Search
from recsens.runs.printed_values._values import EvaluatedFold, fold_of, space_of

DEPARTURES = 3
"""Default limit on departures: the decisions and parameters that differ from the plain reading of a printed name."""

MOST_DEPARTURES = 6
_MOST_THRESHOLDS = 12


def look_up(
    printed: Any,
    runs: Mapping[str, Source],
    test: Source,
    *,
    train: Source | None = None,
    validation: Source | None = None,
    scale: Scale | None = None,
    columns: Sequence[str] = (),
    departures: int = DEPARTURES,
) -> FoundDefinitions:
    """Find the definitions that give printed numbers.

    Parameters
    ----------
    printed
        One or more numbers, in one of three forms: text such as ``nDCG@10=0.4312`` or, with several runs, ``A:nDCG@10=0.4312``; a
        mapping of labels to numbers, or of runs to such mappings; or the path of a table (``.csv``) with a row per run and a column
        per metric. Final zeros matter: 0.430 is not 0.43.
    runs, test, train, validation, scale, columns
        As in `recsens.runs.evaluation.evaluate`; runs by name.
    departures
        Definitions with more departures than this are not tried; a number from 0 to 6. Each decision, and each parameter of the
        formula, that differs from the plain reading of the printed name is a departure; a tool's convention is one departure as a
        whole.

    Raises
    ------
    RecsensError
        If an input cannot be read, a name is unknown, a number cannot be a value of its metric, or a number has too few digits.
    """
    given = ForeignResults.of({"train": train, "validation": validation, "test": test}, runs)
    return look_up_in(given, printed, scale=scale, columns=columns, departures=departures)


def look_up_in(
    given: ForeignResults,
    printed: Any,
    *,
    scale: Scale | None = None,
    columns: str | Sequence[str] = (),
    departures: int = DEPARTURES,
) -> FoundDefinitions:
    """Find the definitions that give printed numbers, as `look_up` does, for the results of another program.

    Raises RecsensError for the reasons of `look_up`, or if a run has several trainings.
    """
    if isinstance(departures, bool) or not isinstance(departures, int) or not 0 <= departures <= MOST_DEPARTURES:
        raise DesignError(f"departures = {departures!r}", allowed=f"a whole number from 0 to {MOST_DEPARTURES}")
    if len(given.trainings) > 1:
        raise DataError(f"{given.name} has {len(given.trainings)} trainings of each run", allowed="the files of one: --run A=...")
    told = told_of(columns)
    given = given.divided(told, rank_by="score")
    given.refuse_undivided()
    folds = list(given.folds.values())
    if not folds[0].runs:
        raise DataError("no run is given, so there are no values to compare with a printed number", allowed="--run A=FILE")
    numbers = numbers_of(printed, folds[0].runs)
    for name in dict.fromkeys(one.name for one in numbers):
        # Refuse bad numbers before measuring.
        _check(NamedFormulas.of(name, 0), [one for one in numbers if one.name == name])
    used = list(dict.fromkeys(one.run for one in numbers))
    evaluated = [
        fold_of(
            {run: run_of(fold.runs[run][0], "score", told.get("score")) for run in used},
            fold.sets["test"],
            fold.beside,
            columns,
            scale,
        )
        for fold in folds
    ]
    names = list(given.folds) if len(folds) > 1 else []
    first = evaluated[0].evaluators["keep"]
    ratings = [rating for fold in evaluated for rating in set(fold.evaluators["keep"].judgements.rating.tolist())]
    labels = list(dict.fromkeys(one.label for one in numbers))
    ordered = sorted(numbers, key=lambda one: labels.index(one.label))
    n_items = _n_items(evaluated)
    families = {name: NamedFormulas.of(name, n_items) for name in dict.fromkeys(one.name for one in ordered)}
    space = space_of(evaluated, *thresholds_of(ratings, first.settings.scale.relevance, families.values(), _MOST_THRESHOLDS))
    search = Search(evaluated, space, families, ordered, departures, first.settings.scale, names)
    return FoundDefinitions.of(search, answer(search))


def _check(family: NamedFormulas, numbers: Iterable[PrintedNumber]) -> None:
    """Refuse a number that cannot be a value of its metric, even as a percentage."""
    low, high = family.range
    for one in numbers:
        value = one.value(Reading())
        if value < low or one.value(Reading(is_percent=True)) > high:
            end = f"above {100 * high:g} %" if value > low else f"below {low:g}"
            raise DataError(f"{one.label}={one.text} of {one.run} is out of range: {one.name} is never {end}", allowed=LIKE)


def _n_items(folds: Sequence[EvaluatedFold]) -> int:
    items: set[str] = set()
    for fold in folds:
        evaluator = fold.evaluators["keep"]
        items |= set(evaluator.judgements.items)
        items |= set() if evaluator.train is None else set(evaluator.train.table.item.names)
        for run in fold.runs.values():
            items |= set(run.item.names if isinstance(run, FileTable) else run.items)
    return len(items)
