"""The tables of a study, for the steps that judge or draw them."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict, Unpack

from recsens.conclusions.verdicts.study_tables import Results, read_results
from recsens.study import Study
from recsens.study.keys_by_step import load_part


class TableFiles(TypedDict):
    """What a step gets that reads a study's tables.

    Attributes
    ----------
    study
        The study file.
    summary, comparisons, verdicts
        The tables that every study has.
    further
        The tables that only some studies have, and that the step needs.
    decisions
        Digest of the part of the study on which the step depends; None if nothing was planned.
    """

    study: str
    summary: str
    comparisons: str
    verdicts: str
    further: NotRequired[Sequence[str]]
    decisions: NotRequired[str | None]


def read_part(step: str, **files: Unpack[TableFiles]) -> tuple[Study, Results]:
    """Return the part of the study on which a step depends, and the study's tables."""
    tables = [files["summary"], files["comparisons"], files["verdicts"], *files.get("further", ())]
    return load_part(files["study"], step, files.get("decisions")), read_results(tables)
