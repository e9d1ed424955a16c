"""The decisions in which an experiment's analyses differ, their options, and the resulting designs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import in_order
from recsens.conclusions.verdicts.sweep import sweep
from recsens.study import Decisions
from recsens.study.taxonomy import COLUMNS, DECISIONS, DESIGN, Decision


@dataclass(frozen=True, slots=True)
class VariedDecision:
    """One decision in which an experiment's analyses differ.

    Attributes
    ----------
    decision
        The decision.
    options
        The decision's options as written in the tables, in the order of the figures.
    base
        Index of the base design's option.
    """

    decision: Decision
    options: tuple[str, ...]
    base: int


@dataclass(frozen=True)
class DesignSpace:
    """The designs of an experiment.

    Attributes
    ----------
    varied
        The decisions with several options, in the order of the taxonomy.
    fixed
        The option of every other decision, by its column.
    designs
        Each distinct design as a row of indices: its option for each varied decision, shape (n_designs, n_varied).
    design_of
        Index of the design of each row of the verdicts.
    """

    varied: tuple[VariedDecision, ...]
    fixed: Mapping[str, str]
    designs: tuple[tuple[int, ...], ...]
    design_of: tuple[int, ...]

    def options(self, design: int) -> dict[str, str]:
        """Return a design's option for every decision, by column."""
        taken = zip(self.varied, self.designs[design], strict=True)
        return {**self.fixed, **{varied.decision.column: varied.options[code] for varied, code in taken}}


def design_space(verdicts: PairVerdicts) -> DesignSpace:
    """List the designs of an experiment's analyses."""
    rows, base = verdicts.rows, verdicts.options
    texts = {each: in_order(rows[each.column]) for each in DECISIONS}
    varied = tuple(_varied(each, options, base[each.column]) for each, options in texts.items() if len(options) > 1)
    codes = [rows[each.decision.column].map({text: i for i, text in enumerate(each.options)}) for each in varied]
    keys: list[tuple[int, ...]] = list(zip(*codes, strict=True)) if codes else [()] * len(rows)
    index: dict[tuple[int, ...], int] = {}
    design_of = tuple(index.setdefault(key, len(index)) for key in keys)
    fixed = {column: base[column] for column in COLUMNS if column not in {each.decision.column for each in varied}}
    return DesignSpace(varied, fixed, tuple(index), design_of)


def _varied(decision: Decision, texts: list[str], base: str) -> VariedDecision:
    options = tuple(option.text for option in sweep(decision, texts, base).options)
    return VariedDecision(decision, options, options.index(base))


def option_as_written(decision: Decision, text: str) -> Any:
    """Return an option as a study file contains it: a number, None for the scale's default, or text."""
    if decision.kind is not None or decision.words:
        return text
    return None if text == "scale" else yaml.safe_load(text)


def decisions_of(options: Mapping[str, str]) -> Decisions:
    """Return the decisions of a design; ``options`` has its options by column of a table."""
    return Decisions.model_validate({decision.key: option_as_written(decision, options[decision.column]) for decision in DESIGN})
