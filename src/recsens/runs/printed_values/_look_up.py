"""Find the definitions that give printed numbers, and tell them in words and as JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsens.errors import DataError, DesignError
from recsens.files import FileTable
from recsens.files.scale import Scale
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import Source, read_any_run, told_of
from recsens.metrics import WHOLE
from recsens.plugins.prose import listed
from recsens.runs.printed_values._classes import DefinitionClass, FoundClasses, distances, find_classes
from recsens.runs.printed_values._decisions import USERS, USERS_IN_WORDS, thresholds_of
from recsens.runs.printed_values._formulas import NamedFormulas
from recsens.runs.printed_values._numbers import LIKE, PrintedNumber, Reading, numbers_of
from recsens.runs.printed_values._search import CandidateDefinition, Search
from recsens.runs.printed_values._values import EvaluatedFold, choices_to_try, fold_of
from recsens.tables.numbers import tick
from recsens.tables.texts import to_json

_SHOWN, _MOST_LINES = 5, 20
_WHAT = {
    "formula": "the formula",
    "cutoff": "the cut-off",
    "relevance": "the threshold",
    "users": "who is averaged",
    "order": "the order of equal scores",
    "train_items": "train items in lists",
    "unknown": "users and items without a train rating",
    "view": "lists of test items only",
    "folds": "folds",
}
"""Words for each decision, to say in which decisions definitions differ."""

_OF_SETTING = ("relevance", "order", "train_items", "unknown", "view")


@dataclass(frozen=True, repr=False)
class FoundDefinitions:
    """The definitions that give printed numbers.

    Attributes
    ----------
    numbers
        The printed numbers.
    classes
        The classes of definitions that give all numbers, most plausible first; each class is a dictionary, as in the JSON output.
    nearest
        The classes that give as many numbers as possible, if no class gives all; ``missed`` lists the others, each with the value
        that the class gives instead, and whether any definition gives this number alone. If no number is given by any definition,
        the classes whose values are nearest.
    n_tried
        Number of definitions that were tried for the first number.
    notes
        Formulas that were not tried, and why.
    """

    numbers: list[PrintedNumber]
    classes: list[dict[str, Any]]
    nearest: list[dict[str, Any]]
    n_tried: int
    notes: list[str]

    @classmethod
    def of(cls, search: Search, found: FoundClasses) -> FoundDefinitions:
        """Describe the found classes in words."""
        classes, nearest = ([_told(search, one, found.alone) for one in several] for several in (found.classes, found.nearest))
        refused = {_without_module(spec): why for spec, why in search.refused.items()}
        notes = [f"{spec} does not apply: {why}" for spec, why in refused.items()]
        return cls(list(search.numbers), classes, nearest, search.n_tried, notes)

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """The answer in at most twenty lines."""
        shown = list(self._answer_lines())
        return shown if len(shown) <= _MOST_LINES else [*shown[: _MOST_LINES - 1], "... the rest is in --json"]

    def to_json(self) -> str:
        """Write everything as JSON."""
        numbers = [{"run": one.run, "metric": one.label, "printed": one.text} for one in self.numbers]
        whole = {"printed": numbers, "tried": self.n_tried, "classes": self.classes, "nearest": self.nearest, "notes": self.notes}
        return to_json(whole)

    def _answer_lines(self) -> Iterator[str]:
        several = len({one.run for one in self.numbers}) > 1
        named = [f"{one.run}: {one.label}={one.text}" if several else f"{one.label}={one.text}" for one in self.numbers]
        printed = ", ".join(named) if len(named) <= _SHOWN else f"{', '.join(named[:_SHOWN])} and {len(named) - _SHOWN} more"
        many = len(self.classes)
        of = f"of {self.n_tried:,} definitions tried"
        these, them = ("this number", "this") if len(named) == 1 else ("these numbers", "all of them")
        if many == 0:
            n_given = len(named) - len(self.nearest[0]["missed"]) if self.nearest else 0
            nearest = f"{n_given} of {len(named)} are given by:" if n_given else "the nearest are:"
            yield f"{printed}: none {of} gives {them}; {nearest}"
        elif many == 1:
            yield f"{printed}: one class of definitions gives {them}, {of}:"
        else:
            yield f"{printed}: {many:,} classes of definitions give {them}, {of}; first:"
        for place, one in enumerate((self.classes or self.nearest)[:_SHOWN], 1):
            missed = one["missed"] if many == 0 and n_given else []
            off = "" if many or n_given else f"; {_away(one)}"
            yield f"{place}. {one['reads']} ({_plural(one['departures'], 'departure')}{off}): {one['definition']}"
            for each in missed:
                which = f"{each['run']}: " if several else ""
                alone = "; no definition gives this number, even alone" if not each["given_alone"] else ""
                yield f"   but not {which}{each['metric']}={each['printed']}: here {tick(each['value'])}, {_away(each)}{alone}"
            if one["alike"]:
                yield f"   definitions with the same values differ in: {', '.join(one['alike'])}"
        if many > _SHOWN:
            yield f"... and {many - _SHOWN:,} more classes in --json"
        if many:
            first = self.classes[0]
            most = _plural(first["departures"], "departure")
            chance = tick(float(f"{first['by_chance']:.2g}"))
            yield f"expected by chance: {chance} classes with at most {most} that give {these}"
        yield from (f"note: {note}" for note in self.notes[:2])


def _without_module(spec: str) -> str:
    """Remove the module from the name of a tool's formula."""
    return spec.rpartition("variants.")[2]


def _away(one: Mapping[str, Any]) -> str:
    far = float(f"{one['distance']:.3g}")
    return f"{far:,g} units of the last digit away"


def _told(search: Search, one: DefinitionClass, alone: Collection[PrintedNumber]) -> dict[str, Any]:
    """Describe a class by its simplest member; among equally simple members, a tool's convention is preferred."""
    simplest = one.members[: one.n_simplest]
    first = next((member for member in simplest if any(_equal_tools(search, member))), simplest[0])
    parts = [_describe_decisions(search, member) for member in one.members]
    tools = dict.fromkeys(tool for member in one.members for tool in _equal_tools(search, member))
    told: dict[str, Any] = {
        "reads": _nearest_reading(search, first, list(tools)),
        "departures": one.departures,
        "definition": "; ".join(part for part in _describe_decisions(search, first).values() if part),
        "values": list(one.values),
        "tools": list(tools),
        "alike": [what for name, what in _WHAT.items() if len({part.get(name) for part in parts}) > 1],
        "members": [{name: part for name, part in each.items() if part} for each in parts],
    }
    if one.by_chance is not None:
        return told | {"by_chance": one.by_chance}
    missed = [
        {"run": number.run, "metric": number.label, "printed": number.text, "value": value, "distance": far}
        | {"given_alone": number not in alone}
        for number, value, far in zip(search.numbers, first.values, distances(first, search.numbers), strict=True)
        if far > 0
    ]
    return told | {"distance": one.distance, "missed": missed}


def _equal_tools(search: Search, one: CandidateDefinition) -> Iterator[str]:
    """Yield the tools whose convention equals this definition in every decision."""
    for reader, departures in zip(search.readers, one.by_reader.tolist(), strict=True):
        if reader.tool and departures == reader.departures:
            yield reader.tool


def _nearest_reading(search: Search, one: CandidateDefinition, tools: list[str]) -> str:
    """Name the reading of the metric's name that is most similar to a definition, and the decisions in which the two differ."""
    if one.departures == 0:
        return f"as named{f', and as {listed(tools)}' if tools else ''}"
    if tools and one.departures == 1:
        return f"as {listed(tools)}"
    reader = search.readers[int(one.by_reader.argmin())]
    departing = one.departures - reader.departures
    plainly = f"as {reader.tool}" if reader.tool else "as named"
    return f"{plainly}, except for {listed(_departing_decisions(search, one))}" if departing else plainly


def _departing_decisions(search: Search, one: CandidateDefinition) -> list[str]:
    """Name the decisions in which a definition differs from the reading that is most similar to it."""
    reader, setting = search.readers[int(one.by_reader.argmin())], search.settings[one.setting]
    formulas = zip(search.families.values(), one.formulas, strict=True)
    cutoffs = ((search.families[number.name], cutoff, number.cutoff) for number, cutoff in _cutoffs(search, one))
    departs = {
        "formula": any(reader.of_formulas(family)[formula] for family, formula in formulas),
        "cutoff": any(reader.of_cutoffs(family, [cutoff], printed)[0] for family, cutoff, printed in cutoffs),
        "users": USERS[one.users] != reader.users,
        **{name: getattr(setting, name) != getattr(reader.setting, name) for name in _OF_SETTING},
        "folds": one.fold > 0,
    }
    return [*(_WHAT[name] for name, is_other in departs.items() if is_other), *one.reading.in_words]


def _cutoffs(search: Search, one: CandidateDefinition) -> Iterator[tuple[PrintedNumber, int]]:
    """Yield the first printed number of each label, and the label's cut-off in a definition."""
    for (number, *_), cutoff in zip(search.labels.values(), one.cutoffs, strict=True):
        yield number, search.cutoffs[cutoff]


def _describe_decisions(search: Search, one: CandidateDefinition) -> dict[str, str]:
    """Describe each decision of a definition in a few words, except decisions with only one choice."""
    formula_of, formulas = dict(zip(search.families, one.formulas, strict=True)), []
    for number, cutoff in _cutoffs(search, one):
        metric = search.families[number.name].formulas[formula_of[number.name]].metric
        formulas.append(f"{_without_module(str(metric.spec))}{'' if cutoff == WHOLE else f'@{cutoff}'}")
    setting = search.settings[one.setting].in_words(search.space.thresholds)
    return {
        "formula": ", ".join(dict.fromkeys(formulas)),
        "users": USERS_IN_WORDS[USERS[one.users]],
        **{name: words for name, words in setting.items() if len({getattr(each, name) for each in search.settings}) > 1},
        "folds": search.fold_choices[one.fold],
        "reading": ", ".join(one.reading.in_words),
    }


def _plural(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


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
        _refuse_impossible(NamedFormulas.of(name, 0), [one for one in numbers if one.name == name])
    used = list(dict.fromkeys(one.run for one in numbers))
    evaluated = [
        fold_of(
            {run: read_any_run(fold.runs[run][0], "score", told.get("score")) for run in used},
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
    space = choices_to_try(evaluated, *thresholds_of(ratings, first.settings.scale.relevance, families.values(), _MOST_THRESHOLDS))
    search = Search(evaluated, space, families, ordered, departures, first.settings.scale, names)
    return FoundDefinitions.of(search, find_classes(search))


def _refuse_impossible(family: NamedFormulas, numbers: Iterable[PrintedNumber]) -> None:
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


def found_of(
    datasets: Mapping[str, ForeignResults],
    *,
    printed: Sequence[str],
    scale: tuple[float, float] | None,
    columns: Sequence[str],
    departures: int,
    as_json: bool,
) -> str:
    """Look up printed numbers for the runs of a data set; return at most twenty lines, or JSON.

    Raises
    ------
    RecsensError
        If there are several data sets or trainings, because a printed number belongs to one, or for the reasons of `look_up`.
    """
    if len(datasets) > 1:
        raise DataError(f"the folder has {len(datasets)} data sets: {', '.join(datasets)}", allowed="the folder of one of them")
    [given] = datasets.values()
    found = look_up_in(given, printed, scale=Scale(*scale, step=0) if scale else None, columns=columns, departures=departures)
    return found.to_json() if as_json else "\n".join(found.lines)
