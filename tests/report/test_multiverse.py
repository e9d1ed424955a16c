"""What the page says about all analyses together follows from the numbers."""

import pandas as pd

from recsens.report.sentences.headline import said_together
from recsens.report.tables.verdicts import joint_table

ROW = {
    "dataset": "D",
    "system_a": "A",
    "system_b": "B",
    "analyses": 31,
    "entered": 31,
    "distinct": 22,
    "median_t": 3.21,
    "p_median": 0.004,
    "wins_a": 15,
    "wins_b": 1,
    "p_wins": 0.01,
    "stand_a": 9,
    "stand_b": 0,
}


def said(**changes):
    return said_together(pd.DataFrame([{**ROW, **changes}]), 0.05)


def test_the_joint_winner_is_named_with_what_it_rests_on(approved):
    """The sign of t says who is better, p whether anybody is; a significant lead in wins may come without a winner."""
    asked = ({}, {"median_t": -3.21}, {"median_t": -3.21, "p_median": 0.06}, {"p_median": 0.063, "p_wins": 0.036})
    approved([said(**changes)[0].replace(". ", ".\n") + "\n" for changes in (*asked, {"p_median": 0.063, "p_wins": 0.36})])


def test_a_single_analysis_is_no_multiverse():
    assert said(distinct=1) == []


def test_the_table_leaves_out_pairs_of_which_no_analysis_enters():
    assert joint_table(pd.DataFrame([{**ROW, "distinct": 0}])).is_empty
    table = joint_table(pd.DataFrame([ROW]))
    assert any("larger sum of t" in note for note in table.notes)
    [group] = table.groups
    assert [cell.text for cell in group.rows[0].cells][2:] == ["22", "3.21", ".004", "15 and 1", ".010", "9 and 0"]
