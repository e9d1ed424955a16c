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


def test_every_sort_of_fault_is_counted_and_the_first_row_named(tmp_path, approved):
    """One faulty row is told without counts, and skipping is not offered if no row would be left."""
    error = fault(tmp_path, BAD, timestamp="timestamp")
    assert isinstance(error, FaultyRowsError)
    approved(
        {
            "every sort": str(error),
            "in a study": str(error.at("study.yaml: datasets.Mine")),
            "declared repeats": str(fault(tmp_path, BAD, timestamp="timestamp", duplicates="last")),
            "one row": str(fault(tmp_path, "user,item,rating\na,x,3\nb,y,7\n")),
            "no row is left": str(fault(tmp_path, "user,item,rating\n" + "a,x,-1\n" * 20_000)),
        }
    )
