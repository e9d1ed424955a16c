"""Designs that a table shows together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from recsens.conclusions.design_space import DesignSpace, change_in_words
from recsens.conclusions.verdicts.study_tables import records
from recsens.metrics import MeasuredAt
from recsens.study import Experiment
from recsens.study.ignored import ignored
from recsens.study.taxonomy import FULL_COLUMNS, decision

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
    space = DesignSpace(summary)
    if study.combine == "grid" and len(study.vary) > 1:
        rows = records(summary.drop_duplicates(list(FULL_COLUMNS)))
        labels = {change_in_words(space.change(row)): tuple(row[column] for column in FULL_COLUMNS) for row in rows}
        return [DesignSet("grid", "in every combination", "Design", labels)]
    ignoring, listed = ignored(study), []
    for varied in map(decision, study.vary):
        along = space.along(varied)
        in_full = dict(zip(along.rows[varied.column], along.rows[varied.full_column], strict=True))
        designs = {
            f"{option.text} (base)" if option.is_base else option.text: tuple(
                in_full[option.text] if column == varied.full_column else space.base[column] for column in FULL_COLUMNS
            )
            for option in along.sweep(varied).options
        }
        if len(designs) > 1:
            listed.append(DesignSet(varied.key, f"by {varied.name.lower()}", varied.name, designs, ignoring.get(varied.key, ())))
    return listed


def cut_note(shown: DesignSet | None) -> list[str]:
    """Say that a table shows only the first designs of a set; empty if it shows all designs."""
    n = len(shown.designs) if shown else 0
    return [f"Only the first {MAX_DESIGNS} of {n} designs are shown; summary.csv lists all designs."] if n > MAX_DESIGNS else []
