"""Runs as compact scores and as judged ranks: the same values as from a table of the same scores, and the limits of each form."""

import json
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import recsens
from recsens.cli import main
from recsens.errors import DataError, DesignError
from recsens.files.kinds import RUNS
from recsens.runs.evaluation import Evaluation, curve, evaluate
from recsens.runs.evaluation._file_positions import _chosen
from recsens.score_files import JUDGED_RANKS
from score_files.written import write, write_mapped
from workspaces import REPOSITORY

METRICS = ["nDCG@3", "AP", "AUC", "RR", "P@2", "Bpref", "ERR@5", "RBP@9"]
PAGE = (REPOSITORY / "docs" / "scores-format.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Data:
    """Small scores with many ties, judgements, and train pairs that are never judged."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.users, self.items = np.array([f"u{n}" for n in rng.permutation(7)]), np.array([f"i{n}" for n in rng.permutation(9)])
        self.scores = rng.integers(0, 5, (7, 9)) / 2.0
        role = rng.random((7, 9))
        # Every user has a rating and at least one other candidate.
        role[:, 0], role[:, 1] = 0.1, 0.5
        self.judged, self.train = role < 0.4, role > 0.8
        self.ratings = rng.integers(1, 6, (7, 9))

    def rows(self, mask: np.ndarray, **columns: np.ndarray) -> pd.DataFrame:
        user, item = np.nonzero(mask)
        return pd.DataFrame({"user": self.users[user], "item": self.items[item], **{k: v[user, item] for k, v in columns.items()}})

    @property
    def qrels(self) -> pd.DataFrame:
        return self.rows(self.judged, rating=self.ratings)

    @property
    def known(self) -> pd.DataFrame:
        return self.rows(self.train, rating=self.ratings)

    @property
    def table(self) -> pd.DataFrame:
        return self.rows(~self.train, score=self.scores)

    def ranks(self, given: np.ndarray) -> pd.DataFrame:
        """Count the items above and equal, as a program would that ranks all items except train."""
        values = np.where(self.train, np.nan, self.scores)
        above = (values[:, None, :] > values[:, :, None]).sum(axis=2)
        equal = (values[:, None, :] == values[:, :, None]).sum(axis=2) - 1
        candidates = np.broadcast_to(np.count_nonzero(~self.train, axis=1)[:, None], values.shape)
        return self.rows(given & ~self.train, above=above, equal=equal, candidates=candidates)


def same(found: Evaluation, expected: Evaluation) -> None:
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.users == expected.users
    assert found.by_ties == expected.by_ties
    assert found.unbounded == expected.unbounded
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.matched.counts["n_judged_pairs_not_ranked"] == expected.matched.counts["n_judged_pairs_not_ranked"]


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from(["item", "pessimistic", "optimistic"]),
    st.sampled_from(["full", "condensed"]),
    st.sampled_from([np.float16, np.float32, np.float64]),
)
def test_blocks_of_scores_have_the_values_of_a_table(seed, ties, view, dtype):
    data = Data(seed)
    decided: dict[str, Any] = {"metrics": METRICS, "ties": ties, "view": view}
    expected = evaluate(data.table, data.qrels, **decided)
    dense = write("d.npz", "dense", users=data.users, items=data.items, scores=data.scores.astype(dtype))
    mapped = write_mapped(Path("m.npy"), np.where(data.train, np.nan, data.scores).astype(dtype), data.users, data.items)
    # One factor per item, which is the score itself.
    unit = {"user_factors": data.scores.astype(dtype), "item_factors": np.eye(9, dtype=dtype)}
    factors = write("f.npz", "factors", users=data.users, items=data.items, **unit)
    for run, train in ((dense, data.known), (mapped, None), (factors, data.known)):
        same(evaluate(run, data.qrels, train=train, **decided), expected)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["item", "pessimistic", "optimistic"]), st.sampled_from(["full", "condensed"]))
def test_judged_ranks_have_the_values_of_the_scores_that_they_count(seed, ties, view):
    data = Data(seed)
    decided: dict[str, Any] = {"metrics": METRICS, "ties": ties, "view": view}
    expected = evaluate(data.table, data.qrels, **decided)
    # If all candidates are named, every order of ties can be followed.
    named = evaluate(data.ranks(np.ones((7, 9), bool)), data.qrels, **decided)
    same(named, expected)
    found = evaluate(data.ranks(data.judged), data.qrels, **decided)
    assert found.by_ties == expected.by_ties
    if ties != "item":
        same(found, expected)
    else:
        # Drawn places lie between the extremes, whatever the order of rows.
        shuffled = data.ranks(data.judged).sample(frac=1, random_state=1)
        np.testing.assert_array_equal(found.values, evaluate(shuffled, data.qrels, **decided).values)
        for label in set(found.labels) - found.unbounded:
            low, high = expected.range_by_ties(label)
            assert low - 1e-12 <= found.means[label] <= high + 1e-12


def test_what_is_unjudged_by_convention_is_counted_as_in_a_table():
    data = Data(3)
    qrels = data.qrels.assign(rating=lambda frame: frame["rating"] - 2)
    for ties in ("pessimistic", "optimistic"):
        decided: dict[str, Any] = {"convention": "trec_eval", "metrics": ["infAP", "bpref", "map"], "ties": ties}
        expected = evaluate(data.table, qrels, **decided)
        assert expected.n_unjudged
        found = evaluate(data.ranks(data.judged), qrels, **decided)
        np.testing.assert_array_equal(found.values, expected.values)
        assert found.notes == ("the positions are those in the file, for which scores were not rounded to 32 bits",)


def test_a_place_among_unnamed_items_is_as_likely_as_any_other():
    counts = np.zeros(5)
    for draw in (np.arange(1000) + 0.5) / 1000:
        counts[_chosen(5, [draw])] += 1
    assert counts.tolist() == [200] * 5
    pairs = {(first, second) for first in np.arange(0, 1, 0.05) for second in np.arange(0, 1, 0.05)}
    chosen = [tuple(_chosen(4, list(pair))) for pair in sorted(pairs)]
    assert all(first < second < 4 for first, second in chosen)
    shares = pd.Series(chosen).value_counts(normalize=True)
    assert len(shares) == 6
    assert shares.between(0.12, 0.21).all()
    assert _chosen(3, [0.9, 0.9, 0.9]) == [0, 1, 2]


def test_the_mean_place_of_many_draws_is_in_the_middle():
    users = [f"u{n}" for n in range(2000)]
    ranks = pd.DataFrame({"user": users, "item": "i", "above": 2, "equal": 4, "candidates": 9})
    found = evaluate(ranks, pd.DataFrame({"user": users, "item": "i", "rating": 5}), ["RR"])
    places = 1 / found.column("RR")
    places = pd.Series(places).round().astype(int).value_counts().sort_index()
    assert places.index.tolist() == [3, 4, 5, 6, 7]
    assert places.between(340, 460).all()
    assert found.notes == (
        "2,000 of 2,000 judged items share their score with items that the file does not name: their places are drawn",
    )
    with pytest.raises(DataError, match="RR of user 'u0' depends on the arbitrary order of items with the same score"):
        evaluate(ranks, pd.DataFrame({"user": users, "item": "i", "rating": 5}), ["RR"], ties="refuse")


# Train, and what is told


def test_weights_are_summed_over_train_and_need_it():
    data = Data(5)
    held = {"indptr": np.arange(0, 82, 9), "indices": np.tile(np.arange(9), 9), "data": np.arange(81) % 7 / 4.0}
    run = write("w.npz", "item_weights", items=data.items, profile="ratings", **held)
    with pytest.raises(DataError, match="give scores only together with the items that each user has rated") as found:
        evaluate(run, data.qrels)
    assert found.value.remedy == "give the train set: --train, train=..."
    profiles = np.where(data.train, data.ratings, 0)
    scores = profiles @ held["data"].reshape(9, 9)
    user, item = np.nonzero(~data.train & (profiles.sum(axis=1, keepdims=True) > 0))
    table = pd.DataFrame({"user": data.users[user], "item": data.items[item], "score": scores[user, item]})
    same(evaluate(run, data.qrels, METRICS, train=data.known), evaluate(table, data.qrels, METRICS))


def test_pairs_of_train_are_left_out_of_every_run_and_counted(tmp_path):
    data = Data(6)
    everything = data.rows(np.ones((7, 9), bool), score=data.scores)
    data.known.drop(columns="rating").to_csv("train.csv", index=False)
    expected = evaluate(data.table, data.qrels, METRICS)
    n_known = int(data.train.sum())
    for run in (everything, write("d.npz", "dense", users=data.users, items=data.items, scores=data.scores)):
        found = evaluate(run, data.qrels, METRICS, train="train.csv")
        same(found, expected)
        assert found.notes[0] == f"{n_known:,} scores of train pairs are left out"
    assert evaluate("d.npz", data.qrels).notes[0].startswith("for some users, every item of the file is ranked, train items too")
    ranks = data.ranks(data.judged)
    assert "here, train pairs are not left out" in evaluate(ranks, data.qrels, train="train.csv").notes[-1]
    with pytest.raises(DataError, match="every row of the run is a pair of the train set"):
        evaluate(data.known.rename(columns={"rating": "score"}), data.qrels, train="train.csv")
    pd.concat([data.known, data.known]).to_csv("twice.csv", index=False)
    with pytest.raises(DataError, match="occurs again; first at") as error:
        evaluate(data.table, data.qrels, train="twice.csv")
    assert error.value.where == f"the train set, twice.csv:{len(data.known) + 2}"
    known = data.known.rename(columns={"rating": "score"})
    with pytest.raises(DataError, match="occurs again"):
        evaluate(pd.concat([data.table, known.head(1), known.head(1).assign(score=0.5)]), data.qrels, train="train.csv")


def test_ties_of_half_precision_are_counted_and_told():
    qrels = pd.DataFrame({"user": "u", "item": ["a", "b", "c"], "rating": 5})
    write("d.npz", "dense", users=["u"], items=["a", "b", "c", "d"], scores=np.float16([[1, 1.0001, 2, 3]]))
    (told,) = (note for note in evaluate("d.npz", qrels).notes if "16-bit" in note)
    assert "2 of 3 ranked judged items share their score with another item" in told


def test_more_users_than_a_block_are_scored_and_strangers_are_counted(monkeypatch):
    monkeypatch.setattr("recsens.runs.evaluation._file_positions.USERS_AT_ONCE", 3)
    data = Data(8)
    qrels = data.qrels[data.qrels["user"] != "u4"]
    run = write("d.npz", "dense", users=data.users, items=data.items, scores=np.where(data.train, np.nan, data.scores))
    same(evaluate(run, qrels, METRICS), evaluate(data.table, qrels, METRICS))
    assert evaluate(run, qrels).matched.strangers == ("u4",)


def test_the_forms_stand_side_by_side_in_the_command_and_in_a_notebook():
    data = Data(9)
    write("d.npz", "dense", users=data.users, items=data.items, scores=data.scores)
    data.ranks(np.ones((7, 9), bool)).to_parquet("ranks.parquet", index=False)
    for name, frame in (("run", data.table), ("train", data.known), ("test", data.qrels)):
        frame.to_csv(f"{name}.csv", index=False)
    files = ["run.csv", "d.npz", "ranks.parquet", "test.csv", "--train", "train.csv"]
    done = CliRunner().invoke(main, ["evaluate", *files, "-m", "AP", "-m", "nDCG@3", "--format", "json"])
    assert done.exit_code == 0, done.output
    runs = json.loads(done.output)["runs"]
    assert runs[0]["means"] == runs[1]["means"] == runs[2]["means"]
    assert runs[1]["notes"] == [f"{int(data.train.sum())} scores of train pairs are left out"]
    shown = CliRunner().invoke(main, ["evaluate", *files])
    assert f"d: {runs[1]['notes'][0]}\n" in shown.output
    for run in ("d.npz", "ranks.parquet", data.ranks(np.ones((7, 9), bool))):
        assert recsens.evaluate(run, data.qrels, ["AP", "nDCG@3"], train="train.csv").means == runs[0]["means"]


def test_the_sampled_dial_turns_as_with_the_scores():
    data = Data(11)
    other = Data(11)
    other.scores = -other.scores + np.arange(9) / 16
    data.scores = data.scores + np.arange(9) / 16
    for name, each in (("a", data), ("b", other)):
        each.table.to_csv(f"{name}.csv", index=False)
        each.ranks(each.judged).to_csv(f"{name}-ranks.csv", index=False)
    data.qrels.to_csv("test.csv", index=False)
    told = [
        CliRunner().invoke(
            main,
            [
                *("meta", "dial(negatives=[1,2])", "--run", f"a{end}.csv", "--run", f"b{end}.csv", "--qrels", "test.csv"),
                *("-m", "nDCG@3", "--format", "csv"),
            ],
        )
        for end in ("", "-ranks")
    ]
    assert all(each.exit_code == 0 for each in told), told[0].output
    assert told[0].output.count("\n") > 2
    assert told[0].output == told[1].output.replace("-ranks", "")


def test_users_without_a_row_are_counted_since_the_scores_may_have_lists_of_theirs():
    # The file says nothing about ben's only test item, z.
    scores = pd.DataFrame({"user": ["ann", "ben"], "item": ["x", "y"], "score": [2.0, 1.0]})
    qrels = pd.DataFrame({"user": ["ann", "ben"], "item": ["x", "z"], "rating": [5, 5]})
    ranks = pd.DataFrame({"user": ["ann"], "item": ["x"], "above": [0], "equal": [0], "candidates": [1]})
    found = evaluate(ranks, qrels, ["RR"], no_list="skip")
    assert (evaluate(scores, qrels, ["RR"], no_list="skip").means, found.means) == ({"RR": 0.5}, {"RR": 1.0})
    told = "1 of 2 judged users have no row and are treated as users without a list, even if they have one"
    assert found.notes == (f"{told}: means may differ from those of the full scores",)
    assert not evaluate(ranks, qrels[:1], ["RR"]).notes
    ranks.to_csv("ranks.csv", index=False)
    qrels.to_csv("test.csv", index=False)
    assert f"ranks: {told}" in CliRunner().invoke(main, ["evaluate", "ranks.csv", "test.csv", "-m", "RR"]).output


# What is refused


def test_metrics_of_scores_are_refused_for_judged_ranks_with_what_lifts_it():
    data = Data(1)
    ranks = data.ranks(data.judged)
    for metric in ("RMSE", "MAE"):
        with pytest.raises(DesignError, match=f"metric '{metric}' reads scores, but judged ranks contain none") as found:
            evaluate(ranks, data.qrels, [metric])
        assert "give the scores themselves" in str(found.value)
    with pytest.raises(DesignError, match="GROC orders all pairs by score"):
        evaluate(ranks, data.qrels, ["GROC"])
    with pytest.raises(DesignError, match="GROC orders all pairs by score"):
        curve(ranks, data.qrels, "groc")
    assert len(curve(ranks, data.qrels, "roc", ties="pessimistic")) > 2


def test_scores_have_no_order_of_rows_and_lists_have():
    data = Data(2)
    run = write("d.npz", "dense", users=data.users, items=data.items, scores=data.scores)
    for rank_by, says in (("rank", "have no ranks"), ("rows", "have no order of rows")):
        with pytest.raises(DataError, match=f"dense scores of 7 users and 9 items {says}"):
            evaluate(run, data.qrels, rank_by=rank_by)
    order = np.argsort(-data.scores, axis=1, kind="stable")[:, :4]
    lists = write("l.npz", "lists", users=data.users, items=data.items, indptr=np.arange(0, 29, 4), indices=order.ravel())
    by_rows, by_rank, by_score = (evaluate(lists, data.qrels, METRICS, rank_by=each) for each in ("rows", "rank", "score"))
    np.testing.assert_array_equal(by_rows.values, by_rank.values)
    np.testing.assert_array_equal(by_rows.values, by_score.values)


def test_judgements_are_no_scores_and_strangers_no_users():
    data = Data(2)
    run = write("d.npz", "dense", users=[f"x{n}" for n in range(7)], items=data.items, scores=data.scores)
    with pytest.raises(DataError, match="no user of the run is judged: the run has 'x0'"):
        evaluate(run, data.qrels)
    with pytest.raises(DataError, match="no user of the run is judged"):
        evaluate(data.ranks(data.judged).assign(user=lambda frame: "x" + frame["user"]), data.qrels)
    assert "d.npz: contains compact scores instead of ratings" in CliRunner().invoke(main, ["evaluate", "d.npz", "d.npz"]).output
    assert set(RUNS["score"].roles) < {*JUDGED_RANKS.roles, "score"}


# The page


def test_the_program_and_the_commands_of_the_page_run():
    for name, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        Path(name).write_text(text, encoding="utf-8")
    runpy.run_path("write_scores.py")
    commands = re.findall(r"^recsens evaluate (.*)$", PAGE, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        done = CliRunner().invoke(main, ["evaluate", *command.split()])
        assert done.exit_code == 0, done.output
