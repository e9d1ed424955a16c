"""Faults that every reader of a user's file refuses, in a message that names the file, the line and what is wrong."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recsens import plugins
from recsens.data.datasets.delimited import Delimited
from recsens.data.datasets.parquet import Parquet
from recsens.errors import RecsensError
from recsens.ranking.targets.listed import Listed
from recsens.recommenders.from_file import FromFile
from recsens.runs.evaluation import evaluate
from recsens.seeds import Stream
from recsens.testing import from_rows

DATA = replace(
    from_rows([[5, 3, None], [4, None, 2], [None, 1, 5]]),
    user_ids=np.array(["ann", "007", "NA"], dtype=object),
    item_ids=np.array(["a", "b", "c"], dtype=object),
)


def ratings(path: Path, **declared: object) -> None:
    """Read ratings: user, item, rating, time stamp."""
    Delimited(path=str(path), **{"separator": ",", "timestamp": 3, **declared}).load([path], Stream(0))


def pairs(path: Path) -> None:
    """Read interactions without ratings and times."""
    ratings(path, rating=None, timestamp=None)


def titled(path: Path) -> None:
    """Read ratings by the names of their columns."""
    ratings(path, header=True, user="user", item="item", rating="rating", timestamp="timestamp")


def double(path: Path) -> None:
    """Read ratings between separators of two characters."""
    ratings(path, separator="::")


def table(path: Path) -> None:
    """Read ratings in parquet."""
    Parquet(path=str(path), timestamp="timestamp").load([path], Stream(0))


def scores(path: Path) -> None:
    """Read the scores of a recommender."""
    FromFile(path=str(path)).fit(DATA, np.random.default_rng(1))


def ranks(path: Path) -> None:
    """Read its ranks."""
    FromFile(path=str(path), rank_by="rank").fit(DATA, np.random.default_rng(1))


def run(path: Path) -> None:
    """Evaluate a run."""
    evaluate(path, (["ann", "007"], ["a", "b"], [1, 5]), ["RR"], relevance=1)


def qrels(path: Path) -> None:
    """Evaluate against judgements."""
    evaluate((["ann", "007"], ["a", "b"], [1, 5]), path, ["RR"], relevance=1)


def folds(path: Path) -> None:
    """Read predefined folds."""
    split = plugins.build("split", f'predefined(path="{path}")')
    for fold in range(split.n_folds):
        split.roles(DATA, fold, Stream(0))


def targets(path: Path) -> None:
    """Read target items."""
    Listed(path=str(path)).check(DATA, DATA, 4)


def parquet(**columns: object) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


def mislabelled(*values: bytes) -> pa.Array:
    """Declare bytes as text."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values, pa.binary()).buffers())


PAIR = {"user": ["ann", "NA"], "item": ["a", "b"]}
RATED = {**PAIR, "rating": [3.0, 4.0], "timestamp": [1, 2]}
SCORED = {**PAIR, "score": [3.0, 4.0]}
R = "ann,a,3,1\n\nNA,b,4,2\n"
H = "user,item,rating,timestamp\nann,a,3,1\n"
D = "ann::a::3::1\n"
S = "user,item,score\nann,a,1\n\n"
T = "ann Q0 a 1 0.5 x\nann Q0 b 2 0.25 x\n"
Q = "ann 0 a 4\n"
F = "user,item,role\nann,a,train\n"
G = "user,item\nann,a\n"

CASES = {
    "ratings": (
        ratings,
        [
            (R + "c,z,,4", ":4: ", "rating is missing"),
            (R + "c,z, ,4", ":4: ", "rating is missing"),
            (R + "c,z,good,4", ":4: ", "rating", "'good'"),
            (R + "c,z,no,4", ":4: ", "rating", "'no'"),
            (R + "c,z,NaN,4", ":4: ", "rating", "'NaN'"),
            (R + "c,z,inf,4", ":4: ", "rating", "'inf'"),
            (R + "c,z,1e999,4", ":4: ", "rating", "finite"),
            (R + "c,z,1_0,4", ":4: ", "rating", "'1_0'"),
            (R + "c,z,0x1,4", ":4: ", "rating", "'0x1'"),
            (R + "c,z,0,4", ":4: ", "rating 0 is outside the declared scale"),
            (R + "c,z,5.5,4", ":4: ", "rating 5.5 is outside"),
            (R + "c,z,3.5,4", ":4: ", "rating 3.5 lies between", "step=0.5"),
            (R + "c,z,3", ":4: ", "3 fields", "4"),
            (R + "c", ":4: ", "1 field", "4"),
            (R + "c,z,3,4,5", ":4: ", "5 fields", "4"),
            (R + ",z,3,4", ":4: ", "user is missing"),
            (R + "c,,3,4", ":4: ", "item is missing"),
            (R + "c,z,3,", ":4: ", "time stamp is missing"),
            (R + "c,z,3,noon", ":4: ", "time stamp", "'noon'", "integer"),
            (R + "c,z,3,1511544070123.5", ":4: ", "time stamp", "'1511544070123.5'"),
            (R + "c,z,3," + "9" * 19, ":4: ", "time stamp", "64 bits"),
            (R + "ann,a,4,3", ":4: ", "user 'ann' and item 'a'", ":1"),
            (R + '"c,z,3,4\nd,w,3,4', ":4: ", "double quotes are not balanced"),
            (R + '"c"z,z,3,4', ":4: ", "double quotes are not balanced"),
            (R + '"c,z,3,4\nd,w",3,4', ":4: ", "3 fields"),
            (R + f'c,"{"y" * 140_000},3,4', ":4: ", "more than 131,072 characters"),
            (R + "c\0,z,3,4", ":4: ", "NUL"),
            (R.encode() + b"c\xff,z,3,4", ":4: ", "0xFF", "utf-8"),
            (R.encode() + b"c,z,3,4\xc3", ":4: ", "utf-8"),
            ("u,i,r,t\n" + R, ":1: ", "rating", "'r'", "header=true"),
            ("ann,a,3\n", ":1: ", "no column 3", "3 fields"),
            ("ann\ta\t3\t1\n", ":1: ", "no column", "1 field", "separator"),
            ("", ": ", "empty"),
            ("\n\n", ": ", "empty"),
            (gzip.compress(R.encode() * 99)[:-9], ": ", "the packed file is damaged or cut off"),
        ],
    ),
    "pairs": (
        pairs,
        [("ann,a\nann\n", ":2: ", "1 field"), ("a,b\na,b\n", ":2: ", ":1"), ("a,b\n".encode("utf-16-le"), ":1: ", "NUL")],
    ),
    "titled": (
        titled,
        [
            (H + "NA,b,9,1\n", ":3: ", "rating 9 is outside"),
            (H.replace("user", "uzer"), ":1: ", "no column 'user'", "did you mean 'uzer'"),
            (H.replace("item", "user"), ":1: ", "'user'"),
            ("user,item,4,timestamp\n", ":1: ", "no column 'rating'"),
            (H.partition("\n")[0], ": ", "no interaction"),
        ],
    ),
    "double": (
        double,
        [
            (D + "NA::b::3\n", ":2: ", "3 fields"),
            (D + "NA::b::7::1\n", ":2: ", "rating 7 is outside"),
            (D + "::b::3::1\n", ":2: ", "user is missing"),
            (D + "ann::a::3::1\n", ":2: ", ":1"),
            (D.encode() + b"N\xff::b::3::1\n", ":2: ", "0xFF"),
        ],
    ),
    "table": (
        table,
        [
            (parquet(**{**RATED, "user": ["ann", None]}), ", row 2: ", "user is missing"),
            (parquet(**{**RATED, "item": ["a", ""]}), ", row 2: ", "item is missing"),
            (parquet(**{**RATED, "rating": [3.0, None]}), ", row 2: ", "rating is missing"),
            (parquet(**{**RATED, "rating": [3.0, np.nan]}), ", row 2: ", "rating", "nan"),
            (parquet(**{**RATED, "rating": [3.0, 6.0]}), ", row 2: ", "rating 6 is outside"),
            (parquet(**{**RATED, "rating": ["3", "4 stars"]}), ": ", "column 'rating' contains string"),
            (parquet(**{**RATED, "rating": [True, False]}), ", row 2: ", "rating 0 is outside"),
            (parquet(**{**RATED, "timestamp": [1, None]}), ", row 2: ", "time stamp is missing"),
            (parquet(**{**RATED, "user": [1.0, 2.0]}), ": ", "column 'user' contains double"),
            (parquet(**{**RATED, "user": mislabelled(b"a", b"Zo\xeb")}), ", row 2: ", "column 'user'", "not UTF-8"),
            (parquet(**{**RATED, "user": ["ann", "ann"], "item": ["a", "a"]}), ", row 2: ", "row 1"),
            (parquet(**{k: v for k, v in RATED.items() if k != "user"}, uzer=["a", "b"]), ": ", "no column 'user'", "'uzer'"),
            (b"PAR1", ": ", "parquet"),
            (b"user,item,rating\n", ": ", "not a parquet file"),
            (b"", ": ", "not a parquet file"),
        ],
    ),
    "scores.csv": (
        scores,
        [
            (S + "ann,b", ":4: ", "2 fields"),
            (S + "ann,b,1,2", ":4: ", "4 fields"),
            (S + "  ", ":4: ", "1 field"),
            (S + "ann,b,good", ":4: ", "score", "'good'"),
            (S + "ann,b,", ":4: ", "score"),
            (S + "ann,b,nan", ":4: ", "score", "'nan'"),
            (S + "ann,b,-inf", ":4: ", "score", "'-inf'"),
            (S + "ann,b,1e999", ":4: ", "score", "finite"),
            (S + "ann,a,2", ":4: ", "user 'ann' with item 'a'", ":2"),
            (S + "ann,b,1_0", ":4: ", "score", "'1_0'"),
            ("user,item,rating\nann,a,1\n", ":1: ", "no column 'score'"),
            ("user,item,rank\nann,a,1\n", ":1: ", "no column 'score'", "rank"),
            ("user,item,score,score\nann,a,1,2\n", ":1: ", "column"),
            ("user,itm,score\nann,a,1\n", ":1: ", "'item'"),
            ("ann,a,1\n", ":1: ", "no column"),
            ("\nann,a,1\n", ":", "no column 'user'"),
            ("", ":", ""),
            ("user,item,score\n", ": ", "no scores"),
            ("user,item,score\nbob,a,1\n", ": ", "no user of the file", "'ann'", "'bob'"),
            ("user,item,score\nann,x,1\n", ": ", "no item of the file"),
            (S.replace("ann", "Zoë").encode("latin-1"), ":", ""),
            (gzip.compress(S.encode() * 99)[:-20], ": ", ""),
        ],
    ),
    "scores.run": (
        scores,
        [
            (T + "ann Q0 c 1 0.5", ":3: ", "5 fields"),
            (T + "ann Q0 c d 1 0.5 x", ":3: ", "7 fields"),
            (T + "ann Q0 N 2 1 0.5 x", ":3: ", "7 fields"),
            (T + "ann Q0 c 1 - x", ":3: ", "score", "'-'"),
            (T + "ann Q0 c 1 nan x", ":3: ", "score", "'nan'"),
            (T + "ann Q0 a 3 0.1 x", ":3: ", "user 'ann' with item 'a'", ":1"),
            (T + "#ann Q0 a 3 0.1 x", ":3: ", "#", "comment"),
            ("\n \n", ": ", "no scores"),
            ("# only\n", ": ", "no scores"),
            ("user,item,score\nann,a,1\n", ":1: ", ""),
        ],
    ),
    "ranks.run": (
        ranks,
        [(T + f"ann Q0 c {rank} 1 x", ":3: ", "rank", f"'{rank}'", "whole number") for rank in ("first", "-1", "0.5", "nan")],
    ),
    "scores.parquet": (
        scores,
        [
            (S, ": ", "not a parquet file"),
            (parquet(**PAIR, rating=[1.0, 2.0]), ": ", "no column 'score'"),
            (parquet(**{**SCORED, "user": ["ann", None]}), ", row 2: ", "user is missing"),
            (parquet(**{**SCORED, "score": [1.0, None]}), ", row 2: ", "score is missing"),
            (parquet(**{**SCORED, "user": [1.0, 2.0]}), ": ", "column 'user' contains double"),
            (parquet(**{**SCORED, "score": ["1", "high"]}), ": ", "column 'score' contains string"),
            (
                parquet(**{**SCORED, "score": [2**53, 2**53 + 1]}),
                ": ",
                "column 'score' contains int64 values too large to be exact",
            ),
            (parquet(**{**SCORED, "score": [1.0, np.inf]}), ", row 2: ", "score", "inf"),
            (parquet(**{**SCORED, "user": ["ann"] * 2, "item": ["a"] * 2}), ", row 2: ", "user 'ann' with item 'a'", "row 1"),
            (parquet(**{**SCORED, "item": mislabelled(b"a", b"\xeb")}), ", row 2: ", "column 'item'", "not UTF-8"),
        ],
    ),
    "run": (
        run,
        [
            (T + "ann Q0 c 1 0.5", ":3: ", "5 fields"),
            (T + "ann Q0 c 1 high x", ":3: ", "score", "'high'"),
            (T + "ann Q0 a 3 0.1 x", ":3: ", "again", ":1"),
            ("# c\n\n" + T + "ann Q0 a 3 0.1 x", ":5: ", "again", ":3"),
            ("# nothing\n", ": ", "no scores"),
            ("", ": ", "no scores"),
            ("ann Q0 Apollo 13 1 0.9 me\n", ":1: ", "7 fields"),
            (S + "ann,b", ":4: ", "2 fields"),
            (S + "ann,b,x", ":4: ", "score", "'x'"),
            (S + "ann,a,2", ":4: ", "again", ":2"),
            (S.replace(",", "\t") + "ann\tb\tx", ":4: ", "score", "'x'"),
            ("user,item,rating\nann,a,1\n", ":1: ", "no column 'score'"),
            ("ann,a,1\n", ":1: ", "no column"),
            ("eve Q0 a 1 0.5 x\n", ":1: ", "no user of the run is judged", "'eve'", "'ann'"),
            (T.encode("latin-1") + b"Zo\xeb Q0 a 1 0.5 x\n", ":", ""),
            ("user;item;score\nann;a;1\n", ":1: ", ""),
            ("ann;a;1\n", ":1: ", ""),
            ("ann Q0 a 1 0,5 x\n", ":1: ", "score", "'0,5'"),
            (b"PK\x03\x04\x14\0\0\0", ":", ""),
            (T.encode("utf-16"), ":", ""),
            (b"PAR1", ": ", "parquet"),
            (Q, ":1: ", "4 fields"),
            ("ann a 1\n", ":1: ", "3 fields"),
        ],
    ),
    "qrels": (
        qrels,
        [
            ("ann 0 a 1 more\n", ":1: ", "5 fields"),
            (Q + "ann 0 b\n", ":2: ", "3 fields"),
            (Q + "ann 0 b good\n", ":2: ", "rating", "'good'"),
            (Q + "ann 0 a 2\n", ":2: ", "again", ":1"),
            (Q + "\n#w 0 b 1\n", ":3: ", "#", "comment"),
            (T, ":1: ", "6 fields"),
            ("", ": ", "no ratings"),
            ("user,item,score\nann,a,1\n", ":1: ", "no column 'rating'"),
            ("user,item,rating\nann,a,\n", ":2: ", "rating"),
            ("ann,a,1\n", ":1: ", "no column"),
            ("ann\t0\ta\t4,5\n", ":1: ", "rating", "'4,5'"),
            (parquet(**PAIR, rating=[3.0, np.inf]), ", row 2: ", "rating", "inf"),
        ],
    ),
    "folds.csv": (
        folds,
        [
            (F + "\nbob,a,test\n", ":4: ", "no user 'bob'"),
            (F + "ann,x,test\n", ":3: ", "no item 'x'"),
            (F + "ann,c,test\n", ":3: ", "user 'ann' with item 'c' is not in the data"),
            (F + "ann,a,test\n", ":3: ", "again", ":2"),
            (F + "ann,b,tset\n", ":3: ", "role", "'tset'", "train, test, validation"),
            (F + "ann,b,\n", ":3: ", "role"),
            (F + "ann,b\n", ":", ""),
            (F + "ann,b,test,4\n", ":", ""),
            (F + ",b,test\n", ":3: ", "user"),
            (F + "ann,b,Test\n", ":3: ", "role", "'Test'"),
            (F.encode() + b"Zo\xeb,b,test\n", ":", ""),
            ("user,item\nann,a\n", ":1: ", "user,item"),
            ("ann,a,train\n", ":1: ", ""),
            ("", ":", "empty"),
            ("user,item,fold\nann,a,1\nann,b,1\n", ": ", "folds: 1"),
            ("user,item,fold\n", ": ", "folds: 0"),
            ("user;item;role\nann;a;train\n", ":1: ", ""),
        ],
    ),
    "ua.base": (
        folds,
        [
            ("ann\ta\t5\t1\nbob\ta\t4\t2\n", "/ua.base:2: ", "no user 'bob'"),
            ("ann\ta\t5\t1\nann\ta\t4\t2\n", "/ua.base:2: ", "again", "ua.base:1"),
            ("ann\tb\t5\t1\nNA\tc\t5\t5\n", "/ua.test:1: ", "again", "ua.base:2"),
            ("ann\ta\t5\t1\nann\tb\t4\n", "/ua.base", ""),
            ("ann,a,5,1\n", "/ua.base", ""),
            ("", "/ua.base", ""),
        ],
    ),
    "targets.csv": (
        targets,
        [
            (G + "anne,b\n", ":3: ", "no user 'anne'", "did you mean 'ann'"),
            (G + "ann,2\n", ":3: ", "no item '2'"),
            (G + "ann\n", ":3: ", "1 field"),
            (G + "ann,b,c\n", ":3: ", "3 fields"),
            ("ann,a\n", ":1: ", "ann,a"),
            ("", ":", ""),
            (G.encode() + b"Zo\xeb,a\n", ":", "UTF-8"),
            ("user;item\nann;a\n", ":1: ", ""),
        ],
    ),
}


@pytest.mark.parametrize(
    ("read", "name", "content", "place", "words"),
    [
        pytest.param(read, kind if "." in kind else f"{kind}.txt", content, place, words, id=f"{kind}-{number}")
        for kind, (read, cases) in CASES.items()
        for number, (content, place, *words) in enumerate(cases)
    ],
)
def test_it_is_refused_with_its_place(
    tmp_path: Path, read: Callable[[Path], None], name: str, content: str | bytes, place: str, words
):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "ua.test").write_text("NA\tc\t5\t5\n")
    with pytest.raises(RecsensError) as refused:
        read(path)
    message = str(refused.value)
    assert message.startswith(f"{tmp_path if place.startswith('/') else path}{place}")
    for word in words:
        assert word in message
