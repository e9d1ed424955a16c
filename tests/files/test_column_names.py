"""Columns are found under usual names; the reading of names is reported once, and ambiguous names are refused."""

import logging

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recsens.data.datasets import DataSet
from recsens.errors import DataError
from recsens.files import read
from recsens.files.column_names import column_of
from recsens.files.kinds import QRELS, RUNS
from recsens.seeds import Stream

USERS = ("user", "user_id", "userId", "userID", "uid", "user_id:token", "customer_id")
ITEMS = ("item", "item_id", "itemID", "movieId", "iid", "item_id:token", "sku")
TIMES = ("timestamp", "ts", "timestamp:float", "unix_time", "ordered_at")


def load(path, spec):
    return DataSet.build(spec.format(path)).load([path], Stream.of(0))


CALLED = [(role, name) for role, names in (("user", USERS), ("item", ITEMS), ("timestamp", TIMES)) for name in names]


@pytest.mark.parametrize(("role", "name"), CALLED)
def test_a_column_is_found_under_its_usual_names(role, name):
    assert column_of("f:1", role, ["price", name]) == name


def test_ids_come_before_names_and_sessions():
    assert column_of("f:1", "user", ["session_id", "user_id", "user_name"]) == "user_id"


def test_two_columns_of_one_role_are_both_named():
    with pytest.raises(DataError, match="'uid' and 'userId' could both be the user"):
        column_of("f:1", "user", ["uid", "userId", "item"])


def test_a_file_gives_the_same_data_under_other_names_and_says_so(tmp_path, caplog):
    ours, theirs = tmp_path / "ours.csv", tmp_path / "theirs.csv"
    rows = "a,x,4,7\nb,y,3,8\n"
    ours.write_text(f"user,item,rating,timestamp\n{rows}")
    theirs.write_text(f"user_id:token,movieId,rating:float,ts\n{rows}")
    with caplog.at_level(logging.INFO):
        first, second = (load(path, 'csv(path="{}",timestamp=timestamp)') for path in (ours, theirs))
    assert first.user_ids == second.user_ids
    assert first.rating.tolist() == second.rating.tolist()
    assert first.timestamp.tolist() == second.timestamp.tolist()
    (said,) = [record.getMessage() for record in caplog.records if "columns read" in record.getMessage()]
    assert said.endswith("'user_id:token' as user, 'movieId' as item, 'rating:float' as rating, 'ts' as timestamp")


def test_parquet_files_are_read_the_same_way(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"uid": ["a", "b"], "iid": ["x", "y"], "rating": [3.0, 4.0]}), path)
    assert load(path, 'parquet(path="{}")').user_ids == ["a", "b"]


def test_judgements_are_not_taken_for_a_run_nor_a_run_for_judgements(tmp_path):
    qrels, run = tmp_path / "q.csv", tmp_path / "r.csv"
    qrels.write_text("user_id,item_id,rating\na,x,4\n")
    run.write_text("user_id,item_id,score\na,x,4\n")
    assert len(read(qrels, QRELS)) == len(read(run, RUNS["score"])) == 1
    with pytest.raises(DataError, match="no column 'score'"):
        read(qrels, RUNS["score"])
    with pytest.raises(DataError, match="no column 'rating'"):
        read(run, QRELS)
