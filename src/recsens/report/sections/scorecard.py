"""The page's scorecard: how well designs agree with the truth, as sentences, a figure and tables."""

from collections.abc import Mapping
from typing import Any

from recsens.conclusions.verdicts.changes import base_options
from recsens.conclusions.verdicts.scorecard_lines import scorecard_lines
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.figures import caption_of_scorecard
from recsens.report.sections.figures import drawn_on_page
from recsens.report.sentences.scorecard import said_of_designs
from recsens.report.tables.abridged import abridged
from recsens.report.tables.scorecard import believed_tables
from recsens.study import Study

SCORECARD = "truth"
"""File name of the figure."""


def believed_section(study: Study, results: Results, figures: Mapping[str, str]) -> dict[str, Any]:
    """Collect the content of the section that compares designs with the truth; empty in a study without a reference."""
    if results.truth.empty:
        return {}
    judged = scorecard_lines(results.truth, base_options(results.of(study.own).summary))
    title = "Analyses by how close they come to the truth"
    picture = drawn_on_page(SCORECARD, title, figures[SCORECARD], caption_of_scorecard(judged)) if SCORECARD in figures else None
    return {"sentences": said_of_designs(judged), "picture": picture, "tables": abridged(believed_tables(judged))}
