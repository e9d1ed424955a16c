"""Faults that every reader of a user's file refuses, in a message that names the file, the line and what is wrong."""

import gzip
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from approved import refusal
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


def after(start: str, ends: str) -> list[str]:
    """Add each of several faulty rows to a sound start."""
    return [start + end for end in ends.split("|")]


CASES = {
    "ratings": (
        ratings,
        [
            *after(
                R,
                "c,z,,4|c,z, ,4|c,z,good,4|c,z,NaN,4|c,z,inf,4|c,z,1e999,4|c,z,1_0,4|c,z,0x1,4|c,z,0,4|c,z,5.5,4|"
                "c,z,3.5,4|c,z,3|c|c,z,3,4,5|,z,3,4|c,,3,4|c,z,3,|c,z,3,noon|ann,a,4,3|c\0,z,3,4",
            ),
            R + "c,z,3," + "9" * 19,
            R + '"c,z,3,4\nd,w,3,4',
            R + '"c"z,z,3,4',
            R + '"c,z,3,4\nd,w",3,4',
            R + f'c,"{"y" * 140_000},3,4',
            R.encode() + b"c\xff,z,3,4",
            R.encode() + b"c,z,3,4\xc3",
            "u,i,r,t\n" + R,
            "ann,a,3\n",
            "ann\ta\t3\t1\n",
            "",
            "\n\n",
            gzip.compress(R.encode() * 99)[:-9],
        ],
    ),
    "pairs": (
        pairs,
        [
            "ann,a\nann\n",
            "a,b\na,b\n",
            "a,b\n".encode("utf-16-le"),
        ],
    ),
    "titled": (
        titled,
        [
            *after(H, "NA,b,9,1\n"),
            H.replace("user", "usr"),
            H.replace("item", "user"),
            "user,item,4,timestamp\n",
            H.partition("\n")[0],
        ],
    ),
    "double": (
        double,
        [
            *after(D, "NA::b::3\n|NA::b::7::1\n|::b::3::1\n|ann::a::3::1\n"),
            D.encode() + b"N\xff::b::3::1\n",
        ],
    ),
    "table": (
        table,
        [
            parquet(**{**RATED, "user": ["ann", None]}),
            parquet(**{**RATED, "item": ["a", ""]}),
            parquet(**{**RATED, "rating": [3.0, None]}),
            parquet(**{**RATED, "rating": [3.0, np.nan]}),
            parquet(**{**RATED, "rating": [3.0, 6.0]}),
            parquet(**{**RATED, "rating": ["3", "4"]}),
            parquet(**{**RATED, "rating": [True, True]}),
            parquet(**{**RATED, "timestamp": [1, None]}),
            parquet(**{**RATED, "user": [1.0, 2.0]}),
            parquet(**{**RATED, "user": mislabelled(b"a", b"Zo\xeb")}),
            parquet(**{**RATED, "user": ["ann", "ann"], "item": ["a", "a"]}),
            parquet(**{k: v for k, v in RATED.items() if k != "user"}, usr=["a", "b"]),
            b"PAR1",
            b"user,item,rating\n",
            b"",
        ],
    ),
    "scores.csv": (
        scores,
        [
            *after(S, "ann,b|ann,b,1,2|  |ann,b,good|ann,b,|ann,b,nan|ann,b,-inf|ann,b,1e999|ann,a,2|ann,b,1_0"),
            "user,item,rating\nann,a,1\n",
            "user,item,rank\nann,a,1\n",
            "user,item,score,score\nann,a,1,2\n",
            "user,itm,score\nann,a,1\n",
            "ann,a,1\n",
            "\nann,a,1\n",
            "",
            "user,item,score\n",
            "user,item,score\nbob,a,1\n",
            "user,item,score\nann,x,1\n",
            S.replace("ann", "Zoë").encode("latin-1"),
            gzip.compress(S.encode() * 99)[:-20],
        ],
    ),
    "scores.run": (
        scores,
        [
            *after(
                T,
                "ann Q0 c 1 0.5|ann Q0 c d 1 0.5 x|ann Q0 N 2 1 0.5 x|ann Q0 c 1 - x|ann Q0 c 1 nan x|"
                "ann Q0 a 3 0.1 x|#ann Q0 a 3 0.1 x",
            ),
            "\n \n",
            "# only\n",
            "user,item,score\nann,a,1\n",
        ],
    ),
    "ranks.run": (ranks, [T + f"ann Q0 c {rank} 1 x" for rank in ("first", "-1", "0.5", "nan")]),
    "scores.parquet": (
        scores,
        [
            S,
            parquet(**PAIR, rating=[1.0, 2.0]),
            parquet(**{**SCORED, "user": ["ann", None]}),
            parquet(**{**SCORED, "score": [1.0, None]}),
            parquet(**{**SCORED, "user": [1.0, 2.0]}),
            parquet(**{**SCORED, "score": ["1", "2"]}),
            parquet(**{**SCORED, "score": [2**53, 2**53 + 1]}),
            parquet(**{**SCORED, "score": [1.0, np.inf]}),
            parquet(**{**SCORED, "user": ["ann"] * 2, "item": ["a"] * 2}),
            parquet(**{**SCORED, "item": mislabelled(b"a", b"\xeb")}),
        ],
    ),
    "run": (
        run,
        [
            *after(T, "ann Q0 c 1 0.5|ann Q0 c 1 high x|ann Q0 a 3 0.1 x"),
            *after(S, "ann,b|ann,b,x|ann,a,2"),
            "# c\n\n" + T + "ann Q0 a 3 0.1 x",
            "# nothing\n",
            "",
            "ann Q0 Apollo 13 1 0.9 me\n",
            S.replace(",", "\t") + "ann\tb\tx",
            "user,item,rating\nann,a,1\n",
            "ann,a,1\n",
            "eve Q0 a 1 0.5 x\n",
            T.encode("latin-1") + b"Zo\xeb Q0 a 1 0.5 x\n",
            "user;item;score\nann;a;1\n",
            "ann;a;1\n",
            "ann Q0 a 1 0,5 x\n",
            b"PK\x03\x04\x14\0\0\0",
            T.encode("utf-16"),
            b"PAR1",
            Q,
            "ann a 1\n",
        ],
    ),
    "qrels": (
        qrels,
        [
            *after(Q, "ann 0 b\n|ann 0 b good\n|ann 0 a 2\n|\n#w 0 b 1\n"),
            "ann 0 a 1 more\n",
            T,
            "",
            "user,item,score\nann,a,1\n",
            "user,item,rating\nann,a,\n",
            "ann,a,1\n",
            "ann\t0\ta\t4,5\n",
            parquet(**PAIR, rating=[3.0, np.inf]),
        ],
    ),
    "folds.csv": (
        folds,
        [
            *after(
                F,
                "\nbob,a,test\n|ann,x,test\n|ann,c,test\n|ann,a,test\n|ann,b,tset\n|ann,b,\n|ann,b\n|ann,b,test,4\n|"
                ",b,test\n|ann,b,Test\n",
            ),
            F.encode() + b"Zo\xeb,b,test\n",
            "user,item\nann,a\n",
            "ann,a,train\n",
            "",
            "user,item,fold\nann,a,1\nann,b,1\n",
            "user,item,fold\n",
            "user;item;role\nann;a;train\n",
        ],
    ),
    "ua.base": (
        folds,
        [
            "ann\ta\t5\t1\nbob\ta\t4\t2\n",
            "ann\ta\t5\t1\nann\ta\t4\t2\n",
            "ann\tb\t5\t1\nNA\tc\t5\t5\n",
            "ann\ta\t5\t1\nann\tb\t4\n",
            "ann,a,5,1\n",
            "",
        ],
    ),
    "targets.csv": (
        targets,
        [
            *after(G, "anne,b\n|ann,2\n|ann\n|ann,b,c\n"),
            "ann,a\n",
            "",
            G.encode() + b"Zo\xeb,a\n",
            "user;item\nann;a\n",
        ],
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_it_is_refused_with_its_place(tmp_path: Path, kind: str, approved):
    read, cases = CASES[kind]
    path = tmp_path / (kind if "." in kind else f"{kind}.txt")
    (tmp_path / "ua.test").write_text("NA\tc\t5\t5\n")
    told = {}
    for number, content in enumerate(cases):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        shown = repr(content) if isinstance(content, str) and len(content) < 60 else f"case {number}"
        told[shown] = refusal(partial(read, path), RecsensError)
    approved(told)
