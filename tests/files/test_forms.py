"""Forms of files: all readers accept the same forms, and messages name the form that a file was mistaken for."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.data.datasets._assemble import kind_of_ratings
from recsens.errors import DataError
from recsens.files import Layout, read, read_text
from recsens.files.foreign_files import read_foreign
from recsens.files.kinds import PAIRS, QRELS, RUNS, Column, Kind
from recsens.files.scale import Scale
from recsens.files.table import FileTable
from recsens.runs.evaluation import evaluate

TABLE = 'when,item,user,value\n7,"a,b",007,1\n8,NA,"é",5\n'
KINDS = {
    "ratings": (kind_of_ratings(Scale(1, 5, 1), with_times=False), "rating"),
    "scores": (RUNS["score"], "score"),
    "ranks": (RUNS["rank"], "rank"),
    "judgements": (QRELS, "rating"),
    "folds": (Kind((*PAIRS.columns, Column("fold"))), "fold"),
    "roles": (Kind((*PAIRS.columns, Column("role", words=("1", "5")))), "role"),
    "targets": (PAIRS, "x"),
}
EDITS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "gzip": lambda text: gzip.compress(text.encode()),
    "byte order mark": lambda text: ("\ufeff" + text).encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "empty lines": lambda text: text.replace("\n", "\n\n").encode(),
    "no last line end": lambda text: text.rstrip("\n").encode(),
    "tabs": lambda text: text.replace('"a,b"', '"a;b"').replace(",", "\t").replace(";", ",").encode(),
    "a name of two lines": lambda text: text.replace("\n7,", '\n"7\n",').encode(),
    "all quoted": lambda text: (
        pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False).to_csv(index=False, quoting=1).encode()
    ),
}


def rows(table: FileTable) -> list[tuple[str, str]]:
    return [(table.user[row], table.item[row]) for row in range(len(table))]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("name", KINDS)
def test_what_one_kind_of_table_accepts_all_accept(name, edit):
    kind, value = KINDS[name]
    Path("a").write_bytes(EDITS[edit](TABLE.replace("value", value)))
    table = read(Path("a"), kind)
    assert rows(table) == [("007", "a,b"), ("é", "NA")]
    assert table.ignored == [column for column in ("when", "item", "user", value) if column not in kind.roles]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_table_may_be_parquet(name):
    kind, value = KINDS[name]
    number = ["1", "5"] if name in {"folds", "roles"} else [1, 5]
    pd.DataFrame({"item": ["a,b", "NA"], "when": [7, 8], "user": ["007", "é"], value: number}).to_parquet("a", index=False)
    assert rows(read(Path("a"), kind)) == [("007", "a,b"), ("é", "NA")]


@pytest.mark.parametrize("order", [["user", "score", "items"], ["user", "items", "score"]])
def test_a_column_beside_lists_that_is_called_like_one_in_their_entries_is_refused(order):
    lists = pa.table({"user": ["ann"], "score": [9.0], "items": [[{"item": "a", "score": 1.0}]]})
    pq.write_table(lists.select(order), "a")
    with pytest.raises(DataError, match="a: two columns are called 'score', including the fields of the entries in 'items'"):
        read_foreign(Path("a"), RUNS["score"])


def test_a_line_of_a_wrong_kind_is_named_alike_by_all(tmp_path):
    for kind, value in KINDS.values():
        Path("a").write_text(TABLE.replace("value", value) + "9,c\n")
        with pytest.raises(DataError, match=r"^a:4: the line has 2 fields\n  allowed: 4 fields: when, item, user, "):
            read(Path("a"), kind)


EXPORTED = "user,item,rating,timestamp\nann,a,5,10\nbob,b,1,20\n"


def test_the_files_that_an_export_writes_are_evaluated():
    Path("test.csv").write_text(EXPORTED)
    Path("run.csv").write_text("item,timestamp,score,user\na,1,0.5,ann\nb,2,0.25,bob\n")
    done = CliRunner().invoke(main, ["evaluate", "run.csv", "test.csv", "-m", "RR"])
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[1].split() == ["RR", ".500"]


# Files mistaken for something else

RUN, JUDGED = "ann Q0 a 1 0.5 x\n", "ann 0 a 5\n"


def refused(content: str | bytes, kind: Kind) -> str:
    Path("a").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as found:
        read(Path("a"), kind)
    return str(found.value)


def zipped(text: str) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.csv", text)
        file.writestr("another.csv", text)
    return archive.getvalue()


STAMPED = "196 242 3 881250949\n186 302 3 891717742\n"
MISTAKEN = {
    "ratings with time stamps": (STAMPED, QRELS),
    "ratings with time stamps, by tabs": (STAMPED.replace(" ", "\t"), QRELS),
    "a run in TREC's form": (RUN, QRELS),
    "a run as CSV": ("user,item,score\nann,a,1\n", QRELS),
    **{f"judgements in TREC's form, {name}": (JUDGED, kind) for name, kind in RUNS.items()},
    **{f"judgements as CSV, {name}": (EXPORTED, kind) for name, kind in RUNS.items()},
    "a zip archive": (zipped(EXPORTED), PAIRS),
    "UTF-16": (("\ufeff" + EXPORTED).encode("utf-16-le"), PAIRS),
    "semicolons": (EXPORTED.replace(",", ";"), PAIRS),
    "semicolons without a header": ("ann;a;3,5\n", PAIRS),
    "another encoding": ("user,item,score,rating\nZo\xeb,a,1,1\n".encode("cp1252"), PAIRS),
    "a decimal comma": ("user\titem\tscore\nann\ta\t0,5\n", RUNS["score"]),
    "a decimal comma in TREC's form": ("ann Q0 a 1 0,5 x\n", RUNS["score"]),
    "ranks in TREC's form": ("ann Q0 a 1 nan x\n", RUNS["score"]),
    "ranks": ("user,item,score,rank\nann,a,nan,1\n", RUNS["score"]),
    "no ranks": ("user,item,score\nann,a,nan\n", RUNS["score"]),
    "other names, in a run": ("whom,movieId,score\n1,2,3\n", RUNS["score"]),
    "other names, in judgements": ("whom,movieId,score\n1,2,3\n", QRELS),
}


def test_what_a_file_looks_to_be_is_said(approved):
    approved({name: refused(content, kind) for name, (content, kind) in MISTAKEN.items()})


@pytest.mark.parametrize("kind", [RUNS["score"], QRELS, KINDS["folds"][0]])
def test_what_a_file_looks_to_be_is_said_of_every_kind_of_table(kind):
    for name in ("a zip archive", "UTF-16", "semicolons", "another encoding"):
        # The advice names the columns of each kind.
        said, usual = refused(MISTAKEN[name][0], kind), refused(*MISTAKEN[name])
        assert said.partition("\n")[0] == usual.partition("\n")[0]


def test_judgements_may_have_any_constant_second_field():
    for constant in ("0", "Q0", "1", "x"):
        Path("a").write_text(f"ann {constant} a 5\nbob {constant} b 1\n")
        assert len(read(Path("a"), QRELS)) == 2


def test_a_file_of_the_right_kind_is_mistaken_for_no_other():
    for text, kind in (("userId,item,score\n", RUNS["rank"]), ("userId,item,rating\n", QRELS), ("user,rating\n", PAIRS)):
        assert "this looks like" not in refused(text, kind)


def test_no_item_in_common_is_refused_and_measured_only_on_demand():
    Path("run.csv").write_text("user,item,score\nann,7,1\nbob,9,2\n")
    Path("test.csv").write_text("user,item,rating\nann,007,5\nbob,009,1\n")
    asked = ["evaluate", "run.csv", "test.csv", "-m", "RR"]
    refused = CliRunner().invoke(main, asked)
    assert refused.exit_code == 1
    assert (
        "run.csv: no item of the run is judged for any user: the run has 2 items and the judgements 2, but none are in both"
        in refused.output
    )
    assert "only the run has '7', '9', only the judgements have '007', '009'; they differ in leading zeros" in refused.output
    asked += ["--least-matched", "0"]
    assert "run: 2 of 2 items of the run are not judged for any user; 2 of 2 judged items are in no list" in invoked(asked)
    assert json.loads(invoked([*asked, "--format", "json"]))["runs"][0]["shares_no_item"]
    Path("run.csv").write_text("user,item,score\nann,009,1\nbob,9,2\n")
    assert "run: 1 of 2 items of the run are not judged for any user" in invoked(asked[:-2])


def test_a_run_that_honestly_hits_no_judged_item_is_measured_with_a_warning(caplog):
    run = (["ann", "bob"], ["x", "y"], [1, 1])
    assert evaluate(run, (["ann", "bob"], ["a", "b"], [5, 5]), ["RR"]).means["RR"] == 0
    (warning,) = caplog.messages
    assert "no item of the run is judged, so metrics of hits, such as nDCG, are 0; only the run has 'x', 'y'" in warning


@pytest.mark.parametrize("ties", ["item", "refuse"])
def test_items_that_are_mostly_spelt_differently_are_named_before_the_values(caplog, ties):
    users, items = ["ann"] * 100, [str(item) for item in range(100)]
    judged = (users, items, [5] * 100)
    renamed = [item if len(item) == 1 else f"i{item}" for item in items]
    scores = list(range(100))
    evaluate((users, renamed, scores), judged, ["nDCG@10"], ties=ties)
    (warning,) = caplog.messages
    assert "90 of 100 items of the run are not judged for any user, and 90 of 100 judged items are in no list" in warning
    assert "only the run has 'i10', 'i11', 'i12', only the judgements have '10', '11', '12'; they differ in the letters" in warning
    caplog.clear()
    evaluate((users[:11], [*items[:10], "x"], scores[:11]), judged, ["nDCG@10"], ties=ties)
    assert not caplog.messages


def invoked(arguments: list[str]) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_ranks_are_advised_where_there_are_any():
    judged = (["ann", "ann"], ["a", "b"], [5, 1])
    assert not evaluate((["ann", "ann"], ["a", "b"], [1, 1]), judged, ["RR"]).has_ranks
    Path("a.run").write_text(RUN + RUN.replace(" a ", " b "))
    assert evaluate("a.run", judged, ["RR"]).has_ranks


@pytest.mark.parametrize("user", ["BZhao", "PAR1", "PK"])
def test_users_that_are_called_like_the_start_of_an_archive_are_users(user):
    Path("a").write_text(f"{user}\ta\t3\n")
    declared = Layout("\t", {"user": 0, "item": 1, "rating": 2}, header=False)
    assert rows(read_text(Path("a"), kind_of_ratings(Scale(1, 5, 1), with_times=False), declared)) == [(user, "a")]


@pytest.mark.parametrize(
    ("form", "text", "problem", "remedy"),
    [
        ("trec", "user,item,score\nann,a,1\n", "this looks like a table", "format=csv"),
        ("trec", "user\titem\tscore\nann\ta\t1\n", "this looks like a table", "format=csv"),
        ("csv", RUN, "this looks like TREC's form", "format=trec"),
    ],
)
def test_a_form_that_is_declared_and_not_met_is_told(form, text, problem, remedy):
    Path("a").write_text(text)
    with pytest.raises(DataError) as found:
        read(Path("a"), RUNS["score"], form)
    assert str(found.value).startswith(f"a:1: {problem}")
    assert remedy in str(found.value)
