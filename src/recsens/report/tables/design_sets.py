"""Designs that a table shows together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from recsens.conclusions.verdicts.changes import base_options, change_of, sweep_rows
from recsens.conclusions.verdicts.study_tables import in_order, records
from recsens.conclusions.verdicts.sweep import sweep
from recsens.conclusions.verdicts.words import change_in_words
from recsens.metrics import MeasuredAt
from recsens.study import Experiment
from recsens.study.ignored import ignored
from recsens.study.taxonomy import FULL_COLUMNS, Decision, decision

MAX_DESIGNS = 30
"""Largest number of designs that a table shows; the CSV files have all designs."""


@dataclass(frozen=True)
class DesignSet:
    """Designs shown together.

    Attributes
    ----------
    key, title
        A short name, and the words that follow ‘scores’ in a caption.
    corner
        The header of the labels.
    designs
        Each design's option for every decision in full, in the order of the columns, by the design's label. The label of the base
        design has a mark.
    ignored_by
        The metrics that ignore the varied decision.
    """

    key: str
    title: str
    corner: str
    designs: Mapping[str, tuple[str, ...]]
    ignored_by: Sequence[MeasuredAt] = ()


def design_sets(study: Experiment, summary: pd.DataFrame) -> list[DesignSet]:
    """List the designs shown together: the options of each varied decision, or every combination in a grid."""
    base = base_options(summary)
    if study.combine == "grid" and len(study.vary) > 1:
        rows = records(summary.drop_duplicates(list(FULL_COLUMNS)))
        labels = {change_in_words(change_of(row, base)): tuple(row[column] for column in FULL_COLUMNS) for row in rows}
        return [DesignSet("grid", "in every combination", "Design", labels)]
    ignoring = ignored(study)
    return [
        _varied(decision(key), summary, base, ignoring.get(key, ()))
        for key in study.vary
        if len(_swept(decision(key), summary)) > 1
    ]


def options_of(rows: pd.DataFrame) -> list[tuple[str, ...]]:
    """List the designs in a results table, each by its option for every decision."""
    return list(dict.fromkeys(rows[list(FULL_COLUMNS)].itertuples(index=False, name=None)))


def by_design(rows: pd.DataFrame) -> Callable[[tuple[str, ...]], pd.DataFrame]:
    """Return a function from a design's options to its rows; there are no rows if the table lacks the design."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, options in enumerate(rows[list(FULL_COLUMNS)].itertuples(index=False, name=None)):
        places.setdefault(options, []).append(place)
    return lambda options: rows.iloc[places.get(options, [])]


def cut_note(shown: DesignSet | None) -> list[str]:
    """Say that a table shows only the first designs of a set; empty if it shows all designs."""
    n = len(shown.designs) if shown else 0
    return [f"Only the first {MAX_DESIGNS} of {n} designs are shown; summary.csv lists all designs."] if n > MAX_DESIGNS else []


def _varied(varied: Decision, summary: pd.DataFrame, base: Mapping[str, str], ignored_by: Sequence[MeasuredAt]) -> DesignSet:
    options = sweep(varied, _swept(varied, summary), base[varied.column]).options
    in_full = dict(zip(summary[varied.column], summary[varied.full_column], strict=True))
    designs = {
        f"{option.text} (base)" if option.is_base else option.text: tuple(
            in_full[option.text] if column == varied.full_column else base[column] for column in FULL_COLUMNS
        )
        for option in options
    }
    return DesignSet(varied.key, f"by {varied.name.lower()}", varied.name, designs, ignored_by)


def _swept(varied: Decision, summary: pd.DataFrame) -> list[str]:
    return in_order(sweep_rows(summary, varied)[varied.column])
