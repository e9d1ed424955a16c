"""Claims on the page: a table, and how many held."""

import pandas as pd

from recsens.conclusions.claims import claim_rows
from recsens.report.tables.verdicts import claim_table, in_short
from recsens.study.columns import TABLES

ALPHA = {
    "datasets": {"Alpha-1M": "lab_plugins.Ratings(name=alpha)"},
    "published": [],
    "published_comparisons": [],
    "metrics": ["P@10"],
}


def judged(study, tables) -> pd.DataFrame:
    rows = claim_rows(study, tables)
    return pd.DataFrame(rows, columns=TABLES["claims"].names)


def test_written_claims_come_before_those_from_print_in_table_and_sentence(make_study, make_results):
    written = [
        {
            "claim": "wins(a=kNN,b=Pop_1,metric=P@10)",
            "source": "Section 4",
            "dataset": "Beta_2",
            "says": "Neighbours beat the many.",
        },
        {"claim": "exceeds(a=Pop_1,b=kNN)", "source": "Fig. 1", "dataset": "Alpha-1M", "under": {"view": "condensed"}},
    ]
    study = make_study(claims=written)
    tables = make_results(study)
    frame = judged(study, tables)
    assert list(zip(frame["origin"], frame["verdict"], strict=True)) == [
        ("written", "held"),
        ("written", "not held"),
        ("printed", "undecided"),
    ]
    table = claim_table(frame)
    assert [group.title for group in table.groups] == ["Beta_2", "Alpha-1M"]
    assert table.groups[0].rows[0].label == "Neighbours beat the many."
    assert [row.cells[0].text for group in table.groups for row in group.rows] == ["✓ held", "✗ not held", "? undecided"]
    assert table.groups[1].rows[0].label == "P@10 of Pop_1 exceeds that of kNN (view: condensed)"
    assert in_short(frame) == "1 of 3 claims held, 1 was not held and 1 is undecided."
    assert in_short(frame[:0]) == ""


def test_claims_that_parameters_were_chosen_to_meet_are_counted_apart(make_study, make_results):
    claim = {"claim": "within(of=MF,metric=P@10,value=.4,tolerance=.5)", "source": "Table 2", "calibrated": True}
    study = make_study(**{**ALPHA, "claims": [claim, {**claim, "claim": "wins(a=kNN,b=Pop_1)", "calibrated": False}]})
    frame = judged(study, make_results(study))
    assert list(frame["calibrated"]) == [True, False]
    assert in_short(frame) == "1 of 1 claim held. Counted separately: 1 of 1 calibrated claim held."
    assert in_short(frame[:1]) == "Counted separately: 1 of 1 calibrated claim held."
    table = claim_table(frame)
    assert [row.cells[0].text for row in table.groups[0].rows] == ["✓ held (calibrated)", "✓ held"]
    assert any("counted separately" in note for note in table.notes)
    assert not any("counted separately" in note for note in claim_table(frame[1:]).notes)
