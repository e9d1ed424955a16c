"""All faults of a file's rows are reported at once, with counts, and no remedy would leave the file empty."""

import pytest

from recsens.data.datasets import DataSet
from recsens.errors import DataError
from recsens.files.text_reader import FaultyRowsError
from recsens.seeds import Stream

BAD = """user,item,rating,timestamp
a,x,3,2024-01-01
a,x,4,2024-01-02
b,,3,2024-01-01
b,y,-1,2024-01-01
c,y,5,yesterday
c,z,5
d,z,,2024-01-01
e,q,-3,2024-01-01
"""


def fault(tmp_path, text, **declared):
    path = tmp_path / "r.csv"
    path.write_text(text)
    params = ",".join([f'path="{path}"', *(f"{name}={value}" for name, value in declared.items())])
    with pytest.raises(DataError) as refused:
        DataSet.build(f"csv({params})").load([path], Stream.of(0))
    return refused.value


def test_every_sort_of_fault_is_counted_and_the_first_row_named(tmp_path):
    error = fault(tmp_path, BAD, timestamp="timestamp")
    assert str(error).startswith(f"{tmp_path}/r.csv:4: the item is missing\n  in all: 6 of 8 rows read are not as declared: ")
    for said in (
        "1 without an item",
        "2 with a rating off the scale",
        "1 with a time stamp that is not an integer of 64 bits, a date or a time",
        "1 with more or fewer fields than 4",
        "1 without a rating",
        "1 row repeats the user and item of another row",
        "invalid=skip; say how to treat repeated pairs: duplicates=first",
    ):
        assert said in str(error)


def test_repeats_that_are_declared_are_no_fault(tmp_path):
    assert "a user and an item" not in str(fault(tmp_path, BAD, timestamp="timestamp", duplicates="last"))


def test_the_counts_survive_a_longer_place(tmp_path):
    error = fault(tmp_path, BAD, timestamp="timestamp")
    assert isinstance(error, FaultyRowsError)
    assert "in all: 6 of 8" in str(error.at("study.yaml: datasets.Mine"))


def test_one_faulty_row_is_told_without_counts(tmp_path):
    assert "in all" not in str(fault(tmp_path, "user,item,rating\na,x,3\nb,y,7\n"))


def test_skipping_is_not_offered_if_no_row_would_be_left(tmp_path):
    told = str(fault(tmp_path, "user,item,rating\n" + "a,x,-1\n" * 20_000))
    assert "invalid=skip" not in told
    assert "none of the 20,000 rows from this one on is as declared" in told
