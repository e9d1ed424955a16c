"""The design space of a study: the decisions that it varies, their options in order, and the rows of results by design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import pandas as pd

from recsens.arrays import grouped
from recsens.artefacts.addresses import Fold
from recsens.conclusions.verdicts.components import in_full
from recsens.plugins.specs import Spec, Value, format_number
from recsens.study import Decisions, Experiment, file_name
from recsens.study.design import Design
from recsens.study.taxonomy import DECISIONS, FULL_COLUMNS, Decision, columns_with_full

Change = tuple[tuple[str, str], ...]
"""The decisions in which a design differs from the base, in the order of the taxonomy: key and option as written."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a varied decision.

    Attributes
    ----------
    text
        The option as the study writes it.
    number
        The value of the only parameter in which the options differ; None if the options differ in any other way.
    is_base
        Whether it is the base design's option.
    """

    text: str
    number: float | None
    is_base: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """The options of one decision, sorted by number; without numbers, first the base option, then the others as in the study.

    Attributes
    ----------
    varied
        The decision.
    options
        Its options.
    parameter
        The parameter in which numeric options differ; empty if the options have no such parameter.
    """

    varied: Decision
    options: tuple[Option, ...]
    parameter: str = ""

    @property
    def is_numeric(self) -> bool:
        """Whether every option has a number."""
        return all(option.number is not None for option in self.options)

    def titled(self, name: str) -> str:
        """Add to the decision's name the parameter in which its options differ, if there is one."""
        return name if self.parameter in {"", self.varied.key} else f"{name}: {self.parameter}"


def sweep(varied: Decision, texts: Sequence[str], base: str) -> Sweep:
    """Order the options of a decision."""
    numbers, parameter = _option_numbers(varied, texts)
    options = [Option(text, numbers.get(text), text == base) for text in texts]
    options.sort(key=lambda option: (option.number or 0.0) if numbers else not option.is_base)
    return Sweep(varied, tuple(options), parameter)


def planned_options(experiment: Experiment, varied: Decision) -> list[str]:
    """List the options of a decision in an experiment, whose results need not exist; the base design's option comes first."""
    return list(dict.fromkeys(option_of(varied, design) for design in experiment.designs()))


def planned_sweep(experiment: Experiment, varied: Decision) -> Sweep:
    """Order the options of a decision in an experiment, whose results need not exist."""
    return sweep(varied, planned_options(experiment, varied), option_of(varied, experiment.design))


def option_of(varied: Decision, design: Decisions) -> str:
    """Write a design's option for a decision in the form that tables use."""
    option = getattr(design, varied.key)
    if varied.key == "relevance":
        return "scale" if option is None else format_number(option)
    return str(option)


class DesignSpace:
    """The designs in a table of results.

    Parameters
    ----------
    rows
        Rows with a column for every decision, as written and in full, and with ``is_base``.
    """

    def __init__(self, rows: pd.DataFrame) -> None:
        self.rows = rows

    @cached_property
    def base(self) -> dict[str, str]:
        """The base design's option for every decision, by column, both as written and in full; empty if no row is of the base."""
        base = self.rows.loc[self.rows["is_base"], columns_with_full(DECISIONS)]
        return {} if base.empty else {str(column): str(option) for column, option in base.iloc[0].items()}

    @cached_property
    def varied(self) -> list[Decision]:
        """The decisions with several options, in the order of the taxonomy."""
        return [each for each in DECISIONS if len(self.options(each)) > 1]

    def options(self, varied: Decision) -> list[str]:
        """List the options of a decision as written, in the order of the rows."""
        return list(map(str, self.rows[varied.column].unique()))

    def sweep(self, varied: Decision) -> Sweep:
        """Order the options of a decision."""
        return sweep(varied, self.options(varied), self.base.get(varied.column, ""))

    def along(self, varied: Decision) -> DesignSpace:
        """Select the base design, and the designs that differ from it only in one decision."""
        others = [each.full_column for each in DECISIONS if each != varied]
        is_base = self.rows[others].eq([self.base.get(column) for column in others])
        return DesignSpace(self.rows[is_base.all(axis=1)])

    def change(self, row: Mapping[str, Any]) -> Change:
        """List the decisions, with the row's options, in which a row's design differs from the base."""
        changed = [each for each in DECISIONS if row[each.full_column] != self.base.get(each.full_column)]
        return tuple((each.key, str(row[each.column])) for each in changed)

    @cached_property
    def designs(self) -> dict[tuple[str, ...], list[int]]:
        """The positions of each design's rows, by the design's option for every decision in full."""
        designs = self.rows[list(FULL_COLUMNS)].itertuples(index=False, name=None)
        return grouped((options, place) for place, options in enumerate(designs))

    def rows_of(self, design: tuple[str, ...]) -> pd.DataFrame:
        """Return the rows of a design; there are no rows if the table lacks the design."""
        return self.rows.iloc[self.designs.get(design, [])]


def base_designs(study: Experiment, addresses: Mapping[str, Spec] | None = None) -> dict[str, Design]:
    """Return each data set's base design, by label; ``addresses`` maps the labels of data sets to their specs in paths."""
    return {
        label: Design(seed=study.seed, dataset=(addresses or {}).get(label, spec), name=file_name(label), **dict(study.design))
        for label, spec in study.datasets.items()
    }


def ranking_folder(design: Design, system: Spec | None = None) -> str:
    """Return the folder of a design's ranking on its first fold; without a system, the path has the placeholder ‹system›."""
    if system is not None:
        return f"{design.ranking_folder(Fold(0), system)}/"
    # Only `Design` names folders, so the path is made with an arbitrary system, which is then replaced.
    example = Spec("random")
    tail = design.ranking_folder(Fold(0), example).relative_to(design.system_folder(Fold(0), example))
    return f"{design.fold_folder(Fold(0))}/‹system›/{tail}/"


def change_in_words(change: Change) -> str:
    """Write a design's changes: ``split random(ratio=0.2) and view condensed``; for the base, ``the base design``."""
    return " and ".join(f"{key} {option}" for key, option in change) if change else "the base design"


def flat_parameters(kind: str, text: str) -> Mapping[str, Value]:
    """Flatten a chain of specs with all defaults: ``0`` is the name of the first link, and ``0/ratio`` its parameter ``ratio``."""
    flat: dict[str, Value] = {}
    for number, link in enumerate(in_full(kind, text)):
        _flatten(link, str(number), flat)
    return flat


def _flatten(spec: Spec, path: str, flat: dict[str, Value]) -> None:
    flat[path] = spec.name
    for key, value in spec.params:
        if isinstance(value, Spec):
            _flatten(value, f"{path}/{key}", flat)
        else:
            flat[f"{path}/{key}"] = value


def _option_numbers(varied: Decision, texts: Sequence[str]) -> tuple[dict[str, float], str]:
    """Return each option's number, and the parameter's name; both are empty unless the options differ in exactly one number."""
    if varied.kind is None:
        try:
            return {text: float(text) for text in texts}, varied.key
        except ValueError:
            return {}, ""
    flat = {text: flat_parameters(varied.kind, text) for text in texts}
    keys = sorted({key for each in flat.values() for key in each})
    differing = [key for key in keys if len({repr(each.get(key)) for each in flat.values()}) > 1]
    values = {text: each.get(differing[0]) for text, each in flat.items()} if len(differing) == 1 else {}
    numbers = {text: float(value) for text, value in values.items() if is_number(value)}
    return (numbers, differing[0].rpartition("/")[2]) if numbers and len(numbers) == len(texts) else ({}, "")


def is_number(value: Value | None) -> TypeGuard[int | float]:
    """Whether a parameter's value is a number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
