"""Parquet files: which types are accepted, and the message for every fault."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recsens.data.datasets.parquet import Parquet
from recsens.errors import DataError, SpecError
from recsens.plugins import build
from recsens.seeds import Stream


def write(folder, **columns):
    path = folder / "ratings.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def load(path, **declared):
    return Parquet(path=str(path), **declared).load([path], Stream(0))


def fault(path, **declared) -> DataError:
    with pytest.raises(DataError) as caught:
        load(path, **declared)
    assert caught.value.remedy
    return caught.value


def test_text_and_integers(tmp_path):
    path = write(tmp_path, user=["b", "a"], item=[10, 9], rating=[3, 4], at=[7, 8])
    loaded = load(path, timestamp="at")
    assert (loaded.user_ids, loaded.item_ids) == (["a", "b"], ["9", "10"])
    assert loaded.rating.tolist() == [4.0, 3.0]
    assert loaded.timestamp.tolist() == [8, 7]


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int32(), pa.large_string()),
    ],
)
def test_kinds_of_text(tmp_path, kind):
    names = pa.array(["007", "NA", " x "]).cast(kind)
    assert load(write(tmp_path, user=names, item=names, rating=[1, 2, 3])).user_ids == [" x ", "007", "NA"]


def test_times_become_seconds(tmp_path):
    times = pa.array([dt.datetime(1970, 1, 1, 0, 1, tzinfo=dt.UTC)], pa.timestamp("us", tz="UTC"))
    assert load(write(tmp_path, user=["a"], item=["x"], rating=[3], when=times), timestamp="when").timestamp.tolist() == [60]


def test_single_precision_and_decimals(tmp_path):
    for kind in (pa.float32(), pa.decimal128(21, 2), pa.int8(), pa.float64()):
        rating = pa.array([3, 4], pa.int64()).cast(kind, safe=False)
        assert load(write(tmp_path, user=["a", "b"], item=["x", "x"], rating=rating)).rating.tolist() == [3.0, 4.0]


def test_without_ratings(tmp_path):
    assert load(write(tmp_path, user=["a"], item=["x"]), rating=None).rating is None


@pytest.mark.parametrize(
    ("column", "values", "problem"),
    [
        ("user", ["a", None], "the user is missing"),
        ("user", ["a", ""], "the user is missing"),
        ("item", ["x", None], "the item is missing"),
        ("rating", [3.0, None], "the rating is missing"),
        ("rating", [3.0, float("nan")], "the rating 'nan' is not a finite number"),
        ("rating", [3.0, float("inf")], "the rating 'inf' is not a finite number"),
        ("rating", [3.0, 6.0], "the rating 6 is outside the declared scale"),
        ("rating", [3.0, 3.5], "the rating 3.5 lies between two values of the declared scale"),
        ("at", [7, None], "the time stamp is missing"),
    ],
)
def test_a_fault_names_file_and_row_or_is_skipped_and_counted(tmp_path, column, values, problem):
    columns = {"user": ["a", "b"], "item": ["x", "y"], "rating": [3.0, 4.0], "at": [7, 8]}
    path = write(tmp_path, **{**columns, column: values})
    error = fault(path, timestamp="at")
    assert (error.problem, error.where) == (problem, f"{path}, row 2")
    loaded = load(path, timestamp="at", invalid="skip")
    assert (loaded.user_ids, loaded.item_ids, loaded.rating.tolist()) == (["a"], ["x"], [3.0])
    assert loaded.notes == {"invalid_rows": 1}


def test_ratings_in_halves_are_answered_with_their_step_and_not_with_leaving_them_out(tmp_path):
    path = write(tmp_path, user=["a", "b"], item=["x", "y"], rating=[3.0, 3.5])
    assert fault(path).remedy == "declare step=0.5 if the scale has such ratings; otherwise correct the row"
    assert load(path, step=0.5).rating.tolist() == [3.0, 3.5]


def test_repeated_pair_names_rows_of_the_file(tmp_path):
    path = write(tmp_path, user=["", "a", "a"], item=["x", "x", "x"], rating=[3, 4, 5])
    error = fault(path, invalid="skip")
    assert (error.where, f"first at {path}, row 2" in error.problem) == (f"{path}, row 3", True)
    assert load(path, invalid="skip", duplicates="max").rating.tolist() == [5.0]


@pytest.mark.parametrize(
    ("column", "values", "problem"),
    [
        ("user", [1.5], "column 'user' contains double"),
        ("rating", ["3 stars"], "column 'rating' contains string"),
        ("at", np.array([2**64 - 1], dtype=np.uint64), "column 'at' contains uint64"),
    ],
)
def test_wrong_types(tmp_path, column, values, problem):
    path = write(tmp_path, **{"user": ["a"], "item": ["x"], "rating": [3], "at": [7], column: values})
    assert fault(path, timestamp="at").problem == problem


def test_missing_column_names_the_nearest(tmp_path):
    path = write(tmp_path, uzer=["a"], item=["x"], rating=[3])
    error = fault(path)
    assert error.problem == "no column 'user'; did you mean 'uzer'?"
    assert error.allowed == "'uzer', 'item', 'rating'"


def test_no_rows(tmp_path):
    path = write(tmp_path, user=pa.array([], pa.string()), item=pa.array([], pa.string()), rating=pa.array([], pa.float64()))
    assert fault(path).problem == "the file contains no interactions"


def test_not_a_parquet_file_and_no_file(tmp_path):
    path = tmp_path / "ratings.parquet"
    assert fault(path).problem == "no such file"
    path.write_text("user,item\n")
    assert "not a parquet file" in fault(path).problem
    path.write_bytes(b"")
    assert "not a parquet file" in fault(path).problem


def mislabelled(values):
    """Declare bytes as text, as a writer does that does not check its input."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values, pa.binary()).buffers())


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("column", ["user", "item"])
def test_bytes_that_are_called_text_are_named_with_column_and_row(tmp_path, column, encoded):
    wrong = mislabelled([b"a", b"b", b"Zo\xeb"])
    columns = {"user": ["a", "b", "c"], "item": ["x", "y", "z"], "rating": [3, 4, 5]}
    path = write(tmp_path, **{**columns, column: wrong.dictionary_encode() if encoded else wrong})
    error = fault(path, invalid="skip")
    assert error.problem == f"column '{column}' is declared as text but contains b'Zo\\xeb', which is not UTF-8"
    assert error.where == f"{path}, row 3"


def test_a_column_that_nobody_asks_for_may_hold_anything(tmp_path):
    path = write(tmp_path, user=["a"], item=["x"], rating=[3], title=mislabelled([b"\xff"]))
    assert load(path).user_ids == ["a"]


def test_a_columns_name_that_is_not_text_is_told(tmp_path):
    path = write(tmp_path, user=["a"], item=["x"], rating=[3])
    path.write_bytes(path.read_bytes().replace(b"rating", b"r\xffting"))
    assert fault(path).problem == "the name of a column is not UTF-8: b'r\\xffting'"


def test_one_column_for_two_roles_is_refused():
    with pytest.raises(SpecError, match="different columns"):
        build("dataset", "parquet(user=item)")
