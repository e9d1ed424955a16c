"""Runs and qrels as version 10 of trec_eval reads them: with comments, and with fields after the tag."""

import gzip
from functools import partial
from pathlib import Path

import pytest

from approved import refusal
from recsens.errors import DataError
from recsens.files import read
from recsens.files.kinds import QRELS, RUNS
from recsens.runs.evaluation import CONVENTIONS, evaluate

RUN = RUNS["score"]
PLAIN_RUN = "u Q0 a 1 0.9 me\nu Q0 b 2 0.8 me\nv Q0 #c 1 0.7 me\n"
PLAIN_QRELS = "u 0 b 1\nv 0 #c 1\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.run").write_text(PLAIN_RUN)
    Path("plain.qrels").write_text(PLAIN_QRELS)


def rows(text: str | bytes, layout=RUN) -> list[tuple[str, str, float]]:
    Path("file").write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read(Path("file"), layout)
    users, items = ([column.names[code] for code in column.code] for column in (found.user, found.item))
    return list(zip(users, items, found.value.tolist(), strict=True))


EXPECTED = [("u", "a", 0.9), ("u", "b", 0.8), ("v", "#c", 0.7)]


@pytest.mark.parametrize(
    "text",
    [
        f"# made by me, with k=50\n{PLAIN_RUN}",
        f"#\n##\n#user,item,score\n{PLAIN_RUN}# the end",
        PLAIN_RUN.replace("\n", "\n# between, 1 2 3\n"),
        f"\t # with blanks ahead\r\n{PLAIN_RUN}".replace("\n", "\r\n"),
        "# a row that is left out: seven fields\n# u Q0 d 1 1.0 me\n" + PLAIN_RUN,
        PLAIN_RUN.replace(" me\n", " me too 1 2.0\n"),
        PLAIN_RUN.replace("0.8 me\n", "0.8 me\tand more\n"),
        PLAIN_RUN.replace(" ", "\t").replace("me\n", "me\tmore # not a comment\n"),
        f"\ufeff# behind a byte order mark\n{PLAIN_RUN}",
        gzip.compress(f"# zipped\n{PLAIN_RUN}".encode()),
    ],
    ids=["above", "several", "between", "blanks", "a row", "behind all tags", "behind one", "tabs", "byte order mark", "gzipped"],
)
def test_comments_and_what_follows_the_tag_are_passed_over(text):
    assert rows(text) == EXPECTED


def test_comments_in_judgements_are_passed_over():
    # With as many words as a row, the last of which is a number.
    assert rows(f"# grades from 1\n{PLAIN_QRELS}# end\n", QRELS) == [("u", "b", 1.0), ("v", "#c", 1.0)]


@pytest.mark.parametrize("convention", sorted(CONVENTIONS))
def test_every_convention_reads_them_alike(convention):
    Path("decorated.run").write_text("# mine\n" + PLAIN_RUN.replace("me\n", "me x\n"))
    Path("decorated.qrels").write_text(f"# mine\n{PLAIN_QRELS}")
    decided = {"train_items": "all", "unknown": "keep"} if convention == "cornac" else {}
    plain, decorated = (
        evaluate(f"{name}.run", f"{name}.qrels", convention=convention, relevance=1, **decided).means
        for name in ("plain", "decorated")
    )
    assert decorated == pytest.approx(plain, rel=0, abs=0, nan_ok=True)


def test_faults_are_named_with_their_line(approved):
    cases = (
        "# one\nu Q0 a 1 0.9 me\nu Q0 b 2 high me\n",
        "# one\n\n# two\nu Q0 a 1 0.9 me\nu Q0 a 2 0.8 me\n",
        "# nothing else\n",
        "u Q0 a 1 0.9 me\nu Q0 b 2\n",
        "u Q0 a 1 0.9 me x\nu Q0 b 2 0.8\n",
        "u Q0 Blade Runner 1 0.9 me\n",
        "u Q0 Apollo 13 1 0.9 me\n",
    )
    told = {}
    for text in cases:
        Path("file").write_text(text)
        told[repr(text)] = refusal(partial(evaluate, "file", "plain.qrels", ["RR"]), DataError)
    approved(told)


@pytest.mark.parametrize(("text", "layout"), [(f"{PLAIN_RUN}#w Q0 a 1 0.9 me\n", RUN), ("u 0 b 1\n\n#w 0 b 1\n", QRELS)])
def test_a_line_that_may_be_a_comment_or_a_row_is_refused(text, layout):
    with pytest.raises(DataError, match=r"file:\d: the line starts with #, as a comment does, but has the fields of a row"):
        rows(text, layout)


def test_judgements_have_four_fields_as_trec_eval_wants_them():
    with pytest.raises(DataError, match="file:1: the line has 5 fields"):
        rows("u 0 b 1 more\n", QRELS)
