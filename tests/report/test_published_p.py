"""Printed p-values next to those of our folds."""

import pytest

from recsens.report.tables.published import p_value_table


@pytest.fixture
def comparisons(make_study, make_results):
    table = make_results(make_study(vary={"view": ["condensed"]}, published_comparisons=[])).comparisons
    table["published"] = float("nan")
    return table


def test_the_folds_beside_a_printed_p_are_those_of_its_own_design(comparisons):
    # One metric of one pair, under two designs with two folds each.
    first = comparisons[comparisons["is_base"]].iloc[0]
    keys = ["dataset", "system_a", "system_b", "metric_full"]
    rows = comparisons[(comparisons[keys] == first[keys]).all(axis=1)]
    other = rows[(rows["view"] == "condensed") & (rows["fold"] == "all")].index
    assert len(other) == 1
    table = rows.copy()
    table.loc[other, ["published", "source"]] = [0.04, "Figure 4"]
    for view, p_values in (("full", [0.9, 0.8]), ("condensed", [0.2, 0.1])):
        own = table[(table["view"] == view) & (table["fold"] != "all")].index
        table.loc[own, "p_value"] = p_values
    [row] = [row for group in p_value_table(table).groups for row in group.rows]
    assert row.cells[2].text == ".100 to .200"
