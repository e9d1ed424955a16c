"""Side tables in a user's own files: what columns hold, who is missing, and the message for every fault."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import recsens
from approved import refusal
from recsens.data.datasets import locate_side
from recsens.data.datasets.delimited import Delimited
from recsens.data.datasets.parquet import Parquet
from recsens.errors import DataError

IDS = ["a", "b", "c"]


def write(folder: Path, text: str, name: str = "users.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def users_of(path: Path, ids: list[str] = IDS) -> dict[str, list]:
    """Read a table of users as a data set does."""
    dataset = Delimited(path=str(path), users=str(path))
    return dict(dataset.describe(locate_side(dataset, [path]), ids, ["x"]).users)


def test_columns_hold_numbers_if_all_fields_do_and_else_categories(tmp_path):
    found = users_of(write(tmp_path, "who,age,town,since\nb,31,Oslo,1\na,-2.5,7,new\nc,,,\n"))
    assert found == {"age": [-2.5, 31.0, None], "town": ["7", "Oslo", None], "since": ["new", "1", None]}


def test_a_header_says_what_is_not_meant_otherwise(tmp_path):
    found = users_of(write(tmp_path, "who\tpostcode:category\tlikes:set\na\t0150\tx|y\nb\t00184\tz\n"), ["a", "b"])
    assert found == {"postcode": ["0150", "00184"], "likes": [["x", "y"], ["z"]]}


def test_who_has_no_row_is_counted_and_rows_of_others_are_passed_over(tmp_path, caplog):
    assert users_of(write(tmp_path, "who,age\nz,1\nb,2\n")) == {"age": [None, 2.0, None]}
    assert "2 of 3 users have no row" in caplog.text


def test_faults_name_file_and_line(tmp_path, approved):
    cases = (
        "",
        "who\na\n",
        "who;age\na;1\n",
        "who;height;town\na;1,75;Ulm\n",
        "who,\na,1\n",
        "who,age,age\na,1,2\n",
        "who,key\na,1\n",
        "who,age:nummer\na,1\n",
        "who,age:number\na,1\n\nb,old\n",
        "who,age\na,1e999\n",
        "who,age\na,1,2\n",
        "who,age\na,1\nb,1\na,2\n",
        "who,age\n,1\n",
        "who,age\nq,1\n",
        'who,age\n"a,1\n',
    )
    approved({repr(text): refusal(lambda text=text: users_of(write(tmp_path, text)), DataError) for text in cases})


def test_types_of_a_parquet_file_say_what_columns_hold(tmp_path):
    path = tmp_path / "items.parquet"
    genres = [["War"], ["Drama", "War"]]
    pd.DataFrame({"item": [7, 8], "year": [np.nan, 1999], "genres": genres, "new": [True, False]}).to_parquet(path)
    dataset = Parquet(path="ratings.parquet", items=str(path))
    found = dataset.describe([path], ["u"], ["8", "7"])
    assert found.users == {}
    assert found.items == {"year": [1999.0, None], "genres": genres[::-1], "new": ["false", "true"]}


@pytest.mark.parametrize(
    ("column", "said"), [([b"x"], "column 'of' contains binary"), ([np.inf], "row 1, column 'of': inf is not a number")]
)
def test_other_types_and_infinite_numbers_are_refused(tmp_path, column, said):
    path = tmp_path / "users.parquet"
    pd.DataFrame({"user": ["a"], "of": column}).to_parquet(path)
    with pytest.raises(DataError, match=re.escape(said)):
        users_of(path, ["a"])


def test_a_missing_file_is_named_with_the_parameters(tmp_path):
    ratings = write(tmp_path, "a\tx\t3\n", "ratings.tsv")
    with pytest.raises(DataError, match="users or items or contexts: there is no file"):
        locate_side(Delimited(path=str(ratings), items=str(tmp_path / "no.csv")), [ratings])


def test_side_tables_change_neither_name_nor_draws(tmp_path):
    plain, described = Delimited(path="r.csv"), Delimited(path="r.csv", users="u.csv", items="i.csv")
    assert plain.identity == described.identity
    assert described.users == "u.csv"


def test_a_notebook_reads_them_beside_the_ratings(tmp_path):
    ratings = write(tmp_path, "user,item,rating\na,x,3\nb,y,4\n", "ratings.csv")
    users = write(tmp_path, "who,age\na,31\nb,20\n")
    own = f'delimited(path="{ratings}",separator=",",header=true,user=user,item=item,rating=rating,users="{users}")'
    loaded = recsens.load(own)
    assert loaded.user_columns == {"age": [31.0, 20.0]}


CONTEXTS = "who,what,device,hour:category\nb,x,desk,7\na,y,,8\na,x,phone,7\n"


def contexts_of(path: Path, users: list[str], items: list[str]) -> dict[str, list]:
    dataset = Delimited(path=str(path), contexts=str(path))
    return dict(dataset.describe_interactions(locate_side(dataset, [path]), users, items))


def test_rows_of_a_table_of_contexts_are_found_by_user_and_item(tmp_path, caplog):
    found = contexts_of(write(tmp_path, CONTEXTS), ["a", "a", "b", "b"], ["x", "y", "x", "y"])
    assert found == {"device": ["phone", None, "desk", None], "hour": ["7", "8", "7", None]}
    assert "1 of 4 interactions have no row" in caplog.text


def test_contexts_in_a_parquet_file_have_two_columns_of_names(tmp_path):
    path = tmp_path / "contexts.parquet"
    pd.DataFrame({"user": [1, 2], "item": ["x", "x"], "hour": [7, 8]}).to_parquet(path)
    assert contexts_of(path, ["2", "1"], ["x", "x"]) == {"hour": [8.0, 7.0]}


def test_faults_of_contexts_name_file_and_line(tmp_path, approved):
    cases = (
        "user,item\na,x\n",
        "user,item,device\na,x,1\na,y,1\na,x,2\n",
        "user,item,device\na,,1\n",
        "user,item,item\na,x,1\n",
        "user,item,device\nx,a,1\n",
    )

    def read(text: str) -> None:
        contexts_of(write(tmp_path, text), ["a"], ["x"])

    approved({repr(text): refusal(partial(read, text), DataError) for text in cases})


def test_a_notebook_hands_contexts_to_the_ratings_that_are_left(tmp_path):
    ratings = write(tmp_path, "user,item,rating\na,x,3\nb,y,4\nb,x,5\na,y,1\n", "ratings.csv")
    contexts = write(tmp_path, "user,item,device\na,x,phone\nb,x,desk\nb,y,car\n", "contexts.csv")
    own = f'delimited(path="{ratings}",separator=",",header=true,user=user,item=item,rating=rating,contexts="{contexts}")'
    loaded = recsens.load(own)
    assert loaded.context_columns == {"device": ["phone", None, "desk", "car"]}
    few = recsens.filter(loaded, "rating_range(lowest=4)")
    assert few.context_columns == {"device": ["desk", "car"]}
    some = few.interactions.take(np.array([False, True]))
    assert few.with_tables(some).context_table.columns["device"].levels == ("car", "desk")
    assert few.with_tables(some).context_table.columns["device"].features.toarray().tolist() == [[1, 0]]
