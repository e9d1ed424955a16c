"""Compare every analysis of a study with its reference design."""

import pandas as pd

from recsens.artefacts.storage import write_text
from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.scorecard import scorecard, scorecard_lines
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.pipeline.table_files import write_rows
from recsens.report.figure_style import house_style
from recsens.report.figures import draw_scorecard, write_figure
from recsens.report.tables.scorecard import scorecard_page
from recsens.study.keys_by_step import load_part


def score_designs(
    *,
    study: str,
    summary: str,
    comparisons: str,
    verdicts: str,
    truth: str,
    words: str,
    svg: str,
    png: str,
    pdf: str,
    decisions: str | None = None,
) -> None:
    """Write the scorecard as a table, as text, and as a figure."""
    asked = load_part(study, "score_designs", decisions)
    values = read_table(summary, "summary")
    rows = scorecard(asked, values, read_table(comparisons, "comparisons"), read_table(verdicts, "verdicts"))
    write_rows(truth, "truth", rows)
    judged = scorecard_lines(pd.DataFrame(rows), DesignSpace(values))
    write_text(words, scorecard_page(judged))
    with house_style():
        drawn = draw_scorecard(judged)
    write_figure(drawn, svg=svg, png=png, pdf=pdf)
