"""If many rows of a data set are left out as invalid, the page and the terminal say so."""

import pandas as pd
import pytest

from recsens.report.alerts import alerts, left_out_rows

SAID = (
    "In Alpha-1M, 900 invalid rows are left out, and 100 ratings remain. Check the columns that the study declares "
    "for this file; the option invalid=error reports the first invalid row."
)


def counted(invalid: int, kept: int, filtered: int) -> pd.DataFrame:
    rows = [("Alpha-1M", "ratings", kept), ("Alpha-1M", "invalid_rows", invalid), ("Alpha-1M", "ratings", filtered)]
    return pd.DataFrame([*rows, ("Beta", "ratings", 5)], columns=["dataset", "metric", "value"])


@pytest.mark.parametrize(("invalid", "kept", "said"), [(900, 100, [SAID]), (99, 901, []), (0, 0, [])])
def test_a_data_set_that_loses_a_tenth_of_its_rows_is_named(invalid, kept, said):
    assert left_out_rows(counted(invalid, kept, filtered=1)) == said


def test_rows_left_out_are_the_first_alert(make_study, make_results):
    study = make_study()
    found = make_results(study)
    found = found.with_tables(datasets=counted(900, 100, filtered=1))
    told = alerts(study, found)
    assert told[0] == SAID
