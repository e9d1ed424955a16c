"""The command `recsens meta`: its output agrees with a study's, and it refuses bad input."""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from conclusions.meta.boards import asked, random_board, rules
from recsens.cli import main
from recsens.conclusions.meta import Board, MetricAnalysis, columns_of
from recsens.seeds import Stream

# By P@1, A is right for both, B for u alone, C for neither; without judgements of item a: A for v, B and C for nobody.
RATINGS = "u 0 a 5\nu 0 b 1\nv 0 c 5\nv 0 a 1\n"
LISTS = {"A": ("a b d", "c a d"), "B": ("a b d", "d a c"), "C": ("b d a", "d a c")}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("test.qrels").write_text(RATINGS, encoding="utf-8")
    lines = [",".join(np.array(line.split())[[0, 2, 3]]) for line in RATINGS.splitlines()]
    Path("test.csv").write_text("\n".join(["user,item,rating", *lines]), encoding="utf-8")
    for name, lists in LISTS.items():
        rows = [(user, item, rank) for user, items in zip("uv", lists, strict=True) for rank, item in enumerate(items.split(), 1)]
        Path(f"{name}.run").write_text("".join(f"{user} Q0 {item} {rank} {9 - rank} {name}\n" for user, item, rank in rows))
        Path(f"{name}.csv").write_text("user,item,score\n" + "".join(f"{user},{item},{9 - rank}\n" for user, item, rank in rows))


THREE = ("--run", "A.run", "--run", "B.run", "--run", "C.run", "--qrels", "test.qrels")
SCALE = ("--scale", "1", "5")


def call(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["meta", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["meta", *arguments])
    assert done.exit_code == 1
    return done.output


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_metrics_stand_in_order_best_first():
    # P@1 orders A, B, C; P@3 ties all: one agreement of the orders, which is not defined.
    lines = call("correlation", *THREE, *SCALE, "-m", "P@1", "-m", "RR@1", "-m", "P@3", "-m", "RR@3").splitlines()
    assert lines[0].startswith("correlation with 3 systems and 2 users. mean_agreement: mean of a metric's agreement")
    assert [line.split() for line in lines[1:-1]] == [
        ["metric", "mean_agreement", "n"],
        ["P@1", "1.000", "1"],
        ["RR@1", "1.000", "1"],
        ["P@3", "–", "0"],
        ["RR@3", "–", "0"],
    ]
    assert lines[-1] == "Every number: --format csv"


def test_csv_holds_every_number_whatever_the_format_of_the_files():
    analysis, options = "popularity(of=test,shares=[0,20])", (*SCALE, "-m", "P@1", "--format", "csv")
    of_trec = call(analysis, *THREE, *options)
    runs = [part for name in LISTS for part in ("--run", f"{name}.csv")]
    assert (
        call("popularity(of=test,shares=[0,20])", *runs, "--qrels", "test.csv", *SCALE, "-m", "P@1", "--format", "csv") == of_trec
    )
    found = rows(of_trec)
    assert [(row["quantity"], row["metric"], row["at"]) for row in found] == [
        ("tau", "P@1", "0.0"),
        ("tau", "P@1", "20.0"),
        ("area", "P@1", ""),
    ]
    # Of four judged items, 20 % is one, a: A has .5, B and C 0. Against A, B, C: two pairs agree, one is tied by one order alone.
    tau = 2 / np.sqrt(2 * 3)
    assert [float(row["value"]) for row in found] == pytest.approx([1, tau, (1 + tau) / 2])


def test_users_without_a_list_or_a_relevant_item_count_or_not_as_told():
    Path("test.qrels").write_text(RATINGS + "w 0 b 1\n", encoding="utf-8")
    assert " 3 users" in call("correlation", *THREE, *SCALE, "--no-relevant", "zero").splitlines()[0]
    assert " 2 users" in call("correlation", *THREE, *SCALE, "--no-relevant", "skip").splitlines()[0]


@pytest.mark.parametrize(
    "analysis", ["sparsity(samples=3,sizes=[100,40])", "discrimination(test=t)", "correlation", "dial(negatives=[1,5])"]
)
def test_it_finds_what_a_board_of_the_same_rankings_has(analysis):
    """The runs and judgements come from a board on which every judged item is ranked, and whose names are the numbers."""
    board = whole_board()
    named = [f"{nth:03d}" for nth in range(60)]
    judged = list(zip(board.user, board.item, board.rating, strict=True))
    Path("board.qrels").write_text("".join(f"{named[user]} 0 {named[item]} {rating:g}\n" for user, item, rating in judged))
    runs = []
    for label, positions in zip(board.systems, board.position, strict=True):
        lists = {(int(user), int(at)): named[item] for user, item, at in zip(board.user, board.item, positions, strict=True)}
        lines = [
            f"{named[user]} Q0 {lists.get((user, at), f'x{at}')} {at} {100 - at} r\n"
            for user in range(board.n_users)
            for at in range(1, int(board.ranked[0, user]) + 1)
        ]
        Path(f"{label}.txt").write_text("".join(lines))
        runs += ["--run", f"{label}.txt"]
    written = ["P@5", "nDCG@5", "AP"]
    told = call(
        analysis, *runs, "--qrels", "board.qrels", *SCALE, "--relevance", "4", *(part for each in written for part in ("-m", each)),
        "--no-relevant", "zero", "--no-list", "zero", "--format", "csv",
    )  # fmt: skip
    question = asked(board, written)
    by_hand = MetricAnalysis.build(analysis).analyse(
        board, type(question)(question.metrics, question.pairs, 0.05, Stream.of(0, "meta"))
    )
    expected = pd.DataFrame(columns_of(by_hand)).drop(columns=["metric_full", "against_full"])
    assert told == expected.to_csv(index=False, lineterminator="\n")


def whole_board() -> Board:
    """Return a board on which every judged item is ranked, and every user is judged."""
    plain = random_board(3, 12, 30, share=0.5, decided=rules(users="with_ratings(train=0)"))
    items = np.unique(plain.item, return_inverse=True)[1].astype(np.int32)
    assert set(plain.user.tolist()) == set(range(12))
    position = plain.position.copy()
    for positions in position:
        for user in range(12):
            mine = np.flatnonzero(plain.user == user)
            free = sorted(set(range(1, 31)) - set(positions[mine].tolist()))
            for row in mine[positions[mine] == 0]:
                positions[row] = free.pop()
    return Board(
        systems=plain.systems, user=plain.user, item=items, rating=plain.rating, position=position,
        score=100.0 - position, ranked=np.full((3, 12), 30), train=np.zeros(12, dtype=np.int64), item_train=None,
        scale=plain.scale, rules=plain.rules,
    )  # fmt: skip


def test_samples_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    analysis = ("sparsity(samples=5,sizes=[100,60,30])", *THREE, *SCALE, "-m", "RR", "--format", "csv")
    before = call(*analysis)
    for name in ("test.qrels", "A.run", "B.run"):
        Path(name).write_text("\n".join(rng.permutation(Path(name).read_text(encoding="utf-8").splitlines())), encoding="utf-8")
    assert call(*analysis) == before


# Refusals


def test_what_cannot_be_done_is_refused_by_name(approved):
    cases = (
        ("correlation", "--run", "A.run", "--qrels", "test.qrels"),
        ("correlation", "--run", "A.run", "--run", "A.run", "--qrels", "test.qrels"),
        ("sparsty", *THREE),
        ("sparsity(sample=2)", *THREE),
        ("popularity", *THREE, *SCALE),
        ("popularity(of=all)", *THREE, *SCALE),
        ("dial", *THREE, *SCALE, "--view", "condensed"),
        ("correlation", *THREE, "-m", "Gini@5"),
        ("correlation", *THREE, "-m", "P@5"),
        ("correlation", *THREE, "-m", "Q@5"),
        ("correlation", "--run", "A.run", "--run", "none.run", "--qrels", "test.qrels"),
        ("correlation", "--run", "A.run", "--run", "B.run", "--qrels", "none.qrels"),
    )
    approved({" ".join(arguments): refused(*arguments) for arguments in cases})


@pytest.mark.parametrize("alpha", ["nan", "inf", "-0.1", "0.0", "1.0"])
def test_a_level_that_is_none_is_refused(alpha):
    done = CliRunner().invoke(main, ["meta", "discrimination", *THREE, "--alpha", alpha])
    assert done.exit_code == 2
    assert f"Invalid value for '--alpha': {alpha} is not in the range 0<x<1." in done.output


def test_help_says_what_to_give():
    said = call("--help")
    for part in ("ANALYSIS", "--run", "--qrels", "'recsens plugins analysis' lists the analyses", "sparsity(samples=20)"):
        assert part in said
