"""Compare every analysis of a study with its reference design."""

from typing import Unpack

import pandas as pd

from recsens.artefacts.storage import write_text
from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.scorecard import scorecard, scorecard_lines
from recsens.pipeline.table_files import write_rows
from recsens.report.figure_style import house_style
from recsens.report.figures import draw_scorecard, write_figure
from recsens.report.tables.scorecard import scorecard_page
from recsens.workflow.steps._tables import TableFiles, read_part


def score_designs(*, truth: str, words: str, svg: str, png: str, pdf: str, **files: Unpack[TableFiles]) -> None:
    """Write the scorecard as a table, as text, and as a figure."""
    asked, results = read_part("score_designs", **files)
    rows = scorecard(asked, results.summary, results.comparisons, results.verdicts)
    write_rows(truth, "truth", rows)
    judged = scorecard_lines(pd.DataFrame(rows), DesignSpace(results.summary))
    write_text(words, scorecard_page(judged))
    with house_style():
        drawn = draw_scorecard(judged)
    write_figure(drawn, svg=svg, png=png, pdf=pdf)
