"""recsens computes what Cornac 3.0.1, implicit 0.7.3, RePlay 0.22.0 and Surprise 1.1.5 computed from these invented scores."""

import numpy as np
import pytest

from recsens.errors import DataError, DesignError, SpecError
from recsens.notebook.evaluations import evaluate as in_notebook
from recsens.runs.evaluation import evaluate

# The scores of items a to h, user by user.
SCORES = """
    ann 7.1 2.4 9.3 5.5 1.2 8.8 3.9 6.0
    bob 4.4 8.1 0.7 6.6 9.0 2.2 5.3 3.1
    cid 1.5 3.3 2.8 9.9 4.7 7.6 6.2 8.4
    dan 6.9 9.4 5.8 0.3 2.0 7.7 8.2 4.1
    eve 3.6 1.9 8.5 7.0 5.1 0.8 9.7 2.6
"""
TRAIN = "ann a 5, ann b 2, ann f 3, bob a 1, bob e 4, cid b 4, cid c 3, cid d 2, dan b 5, dan d 3, eve c 2, eve e 5, eve g 1"
VALIDATION = "ann h 4, bob g 2, cid f 5, dan c 1, eve d 4"
TEST = "ann c 5, ann d 2, bob b 4, bob c 3, bob d 5, cid a 5, cid h 1, dan a 2, dan e 3, eve f 4, eve h 5, eve i 5, fay a 4"
RATED = f"{TEST}, ann e 3, ann g 3, cid g 4, dan h 5, dan f 5, dan g 3"

CORNAC = {
    1: {
        "F1@2": 0.36,
        "HitRatio@2": 0.4,
        "NCRR@2": 0.4,
        "NDCG@2": 0.4,
        "Precision@2": 0.4,
        "Recall@2": 0.333333333333,
        "NCRR@3": 0.541414141414,
        "NDCG@3": 0.614386846674,
        "Precision@3": 0.466666666667,
        "AUC": 0.333333333333,
        "MAP": 0.6,
        "MRR": 0.6,
        "NCRR": 0.60202020202,
        "NDCG": 0.707621940489,
    },
    4: {
        "F1@2": 0.416666666667,
        "HitRatio@2": 0.5,
        "NCRR@2": 0.5,
        "NDCG@2": 0.5,
        "Precision@2": 0.375,
        "Recall@2": 0.5,
        "NCRR@3": 0.5,
        "NDCG@3": 0.5,
        "Precision@3": 0.25,
        "AUC": 0.5,
        "MAP": 0.6,
        "MRR": 0.6,
        "NCRR": 0.6,
        "NDCG": 0.693426403617,
    },
}
IMPLICIT = {
    "precision@2": 0.4,
    "map@2": 0.4,
    "ndcg@2": 0.445258877106,
    "auc(items=8)@2": 0.583333333333,
    "precision@5": 0.818181818182,
    "map@5": 0.546666666667,
    "ndcg@5": 0.677154247441,
    "auc(items=8)@5": 0.68,
}
REPLAY = {
    "NDCG@2": 0.333333333333,
    "Precision@2": 0.333333333333,
    "Recall@2": 0.277777777778,
    "MAP@2": 0.291666666667,
    "MRR@2": 0.416666666667,
    "HitRate@2": 0.5,
    "RocAuc@2": 0.333333333333,
    "NDCG@5": 0.414685898153,
    "Precision@5": 0.233333333333,
    "Recall@5": 0.472222222222,
    "MAP@5": 0.332407407407,
    "MRR@5": 0.472222222222,
    "HitRate@5": 0.666666666667,
    "RocAuc@5": 0.333333333333,
}
SURPRISE = {"rmse": 2.330867043928, "mse": 5.432941176471, "mae": 1.988235294118, "fcp": 0.5}


def ratings(text: str) -> list[tuple[str, str, float]]:
    return [(user, item, float(rating)) for user, item, rating in (row.split() for row in text.split(", "))]


def scores() -> dict[tuple[str, str], float]:
    lines = (line.split() for line in SCORES.strip().splitlines())
    return {(user, item): float(score) for user, *row in lines for item, score in zip("abcdefgh", row, strict=True)}


def columns(rows) -> tuple:
    return tuple(map(list, zip(*rows, strict=True)))


def run(without: str = "", kept=lambda user, item: True) -> tuple:
    left_out = {(user, item) for user, item, _ in ratings(without)} if without else set()
    return columns((*pair, score) for pair, score in scores().items() if pair not in left_out and kept(*pair))


BEFORE = {"train": columns(ratings(TRAIN)), "validation": columns(ratings(VALIDATION))}
HELD = columns(ratings(TEST))


@pytest.mark.parametrize("threshold", CORNAC)
def test_cornac_lets_low_rated_train_items_stay_in_lists(threshold):
    expected = CORNAC[threshold]
    found = evaluate(run(), HELD, list(expected), convention="cornac", relevance=threshold, least_matched=0, **BEFORE)
    assert found.means == pytest.approx(expected, abs=1e-11)
    assert found.notes[0] == "4 judgements of users or items without a train rating are left out"


def test_cornac_counts_what_it_leaves_out_and_what_stays():
    found = evaluate(run(), HELD, ["NDCG@2"], convention="cornac", relevance=4, least_matched=0, **BEFORE)
    assert found.notes[1:] == (
        "5 scores of users or items without a train rating are left out",
        "7 scores of train pairs are left out, and 10 rated below 4 are ranked",
    )
    assert "train items in lists: those rated below 4; users and items without a train rating: left out" in str(found.settings)


def test_cornac_needs_the_train_set_unless_lists_are_as_they_should_be():
    with pytest.raises(DesignError, match="it needs the train set"):
        evaluate(run(), HELD, ["NDCG@2"], convention="cornac")
    found = evaluate(run(TRAIN), HELD, ["NDCG@2"], convention="cornac", train_items="all", unknown="keep")
    assert found.means["NDCG@2"] > 0


@pytest.mark.parametrize("least", ["none", "low"])
def test_a_decision_about_train_items_needs_them(least):
    with pytest.raises(DesignError, match="but there is none"):
        evaluate(run(), HELD, ["RR"], train_items=least)
    with pytest.raises(DesignError, match="needs a train set"):
        evaluate(run(), HELD, ["RR"], validation=HELD)


def test_under_any_convention_the_train_set_leaves_the_lists():
    lists = evaluate(run(TRAIN), HELD, ["NDCG@2", "MAP@5"], convention="recbole")
    whole = evaluate(run(), HELD, ["NDCG@2", "MAP@5"], convention="recbole", train=BEFORE["train"])
    assert whole.means == lists.means
    assert whole.notes == ("13 scores of train pairs are left out",)
    assert lists.notes == ()
    assert evaluate(run(), HELD, ["RR"], train=BEFORE["train"], train_items="all").notes == ()


def test_a_run_of_train_items_and_a_train_set_of_others_are_refused():
    train = BEFORE["train"]
    with pytest.raises(DataError, match="every row of the run is a pair of the train set"):
        evaluate(train, HELD, ["RR"], train=train)
    with pytest.raises(DataError, match="no judged user, or no judged item, is in the train set"):
        evaluate(run(), HELD, ["RR"], train=(["x"], ["y"], [1]), unknown="drop")


def test_implicit_divides_the_hits_of_all_users_by_the_most_they_could_be():
    held = columns(row for row in ratings(TEST) if row[0] != "fay" and row[1] != "i")
    found = evaluate(run(TRAIN), held, list(IMPLICIT), convention="implicit")
    assert found.means == pytest.approx(IMPLICIT, abs=1e-11)


def test_the_auc_of_implicit_needs_the_number_of_items():
    with pytest.raises(SpecError, match="implicit's auc needs items") as error:
        evaluate(run(TRAIN), HELD, ["auc@2"], convention="implicit")
    assert "auc(items=...)@10" in str(error.value)
    with pytest.raises(DesignError, match="a catalogue of 2 items is too small: 3 items are relevant"):
        evaluate(run(TRAIN), HELD, ["auc(items=2)@2"], convention="implicit")


def test_replay():
    lists = run(TRAIN, lambda user, item: user != "dan" and (user != "cid" or item in "ae"))
    assert evaluate(lists, HELD, list(REPLAY), convention="replay").means == pytest.approx(REPLAY, abs=1e-11)


def test_surprise():
    predicted = {pair: 3.0 if pair[1] == "d" else round(score / 2, 1) for pair, score in scores().items()}
    rows = [(user, item, predicted[user, item]) for user, item, _ in ratings(RATED) if (user, item) in predicted]
    found = evaluate(columns(rows), columns(ratings(RATED)), list(SURPRISE), convention="surprise")
    assert found.means == pytest.approx(SURPRISE, abs=1e-11)


def test_cornac_measures_compact_scores_as_it_measures_a_table(tmp_path):
    users, items = ["ann", "bob", "cid", "dan", "eve"], list("abcdefgh")
    known = scores()
    np.savez(
        tmp_path / "scores.npz",
        recsens_scores=np.int64(1),
        kind=np.array("dense"),
        users=np.array(users),
        items=np.array(items),
        scores=np.array([[known[user, item] for item in items] for user in users]),
    )
    for threshold, expected in CORNAC.items():
        found = evaluate(
            tmp_path / "scores.npz", HELD, list(expected), convention="cornac", relevance=threshold, least_matched=0, **BEFORE
        )
        assert found.means == pytest.approx(expected, abs=1e-11)
    assert "7 scores of train pairs are left out, and 10 rated below 4 are ranked" in found.notes
    assert "1 items without a train rating are left out" in found.notes


def test_a_notebook_measures_as_cornac_too():
    found = in_notebook(run(), HELD, ["NDCG@2"], convention="cornac", relevance=4, least_matched=0, **BEFORE)
    assert found.means == pytest.approx({"NDCG@2": CORNAC[4]["NDCG@2"]}, abs=1e-11)
