"""What the page says about all analyses together follows from the numbers."""

import pandas as pd

from recsens.report.sentences.multiverse import said_together
from recsens.report.tables.verdicts import joint_table
from recsens.tables.numbers import SPACE

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


def test_the_joint_winner_is_named_with_what_it_rests_on():
    [sentence] = said()
    assert sentence.replace(SPACE, " ") == (
        "Over 22 distinct t-tests taken together, A beats B: the median t is 3.2 in its favour (joint p = .004). "
        "Taken one by one, A wins 15 of them and B wins 1 (joint p = .010). "
        "After adjustment for all of them, A wins 9 and B wins 0."
    )


def test_a_significant_lead_in_wins_does_not_contradict_that_neither_wins():
    [neither] = said(p_median=0.063, p_wins=0.036)
    assert "neither A nor B wins" in neither
    assert "some have one, but not most" in neither
    assert "some have one" not in said(p_median=0.063, p_wins=0.36)[0] + said()[0]


def test_the_sign_of_t_says_who_is_better_and_p_whether_anybody_is():
    assert "B beats A: the median t is 3.2 in its favour" in said(median_t=-3.21)[0].replace(SPACE, " ")
    assert "neither A nor B wins: the median t is 3.2 in favour of B" in said(median_t=-3.21, p_median=0.06)[0].replace(SPACE, " ")


def test_a_single_analysis_is_no_multiverse():
    assert said(distinct=1) == []


def test_the_table_leaves_out_pairs_of_which_no_analysis_enters():
    assert joint_table(pd.DataFrame([{**ROW, "distinct": 0}])).is_empty
    table = joint_table(pd.DataFrame([ROW]))
    assert any("larger sum of t" in note for note in table.notes)
    [group] = table.groups
    assert [cell.text for cell in group.rows[0].cells][2:] == ["22", "3.21", ".004", "15 and 1", ".010", "9 and 0"]
