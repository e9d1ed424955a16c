"""Printed numbers: every convention is found, the data's classes are told, several numbers intersect."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.runs.evaluation import CONVENTIONS, evaluate
from recsens.runs.printed_values import look_up

TEST = {
    "ann": {"a": 5, "b": 2, "c": 4, "d": 1},
    "bob": {"b": 3, "c": 5, "e": 2},
    "cid": {"a": 2, "d": 1},
    "dan": {"e": 5, "f": 4, "a": 3},
    "eve": {"c": 3, "f": 5, "g": 4, "b": 1},
}
TRAIN = {
    "ann": {"e": 5, "f": 2},
    "bob": {"a": 4},
    "cid": {"b": 5},
    "dan": {"g": 2},
    "eve": {"d": 5},
    "fay": {"a": 3},
    "gus": {"b": 4},
}
LISTS = {
    "ann": "gcaefbd",
    "bob": "acbdefg",
    "cid": "badgfec",
    "eve": "abcfedg",
    "fay": "cdb",
}


def rows(ratings):
    pairs = [(user, item, float(rating)) for user, own in ratings.items() for item, rating in own.items()]
    return tuple(map(list, zip(*pairs, strict=True)))


def scored(lists):
    pairs = [(user, item, -float(place)) for user, items in lists.items() for place, item in enumerate(items)]
    return tuple(map(list, zip(*pairs, strict=True)))


RUN = scored(LISTS)
FILES = {"runs": {"A": RUN}, "test": rows(TEST)}
WITH_TRAIN = FILES | {"train": rows(TRAIN)}
USUAL = {
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "ndcgat": "nDCG",
    "ndcg_score": "nDCG",
    "map_cut": "MAP",
    "averageprecision": "MAP",
    "map": "MAP",
    "meanaverageprecisionat": "MAP",
    "precision": "Precision",
    "precisionat": "Precision",
    "p": "P",
    "recall": "Recall",
    "recallat": "Recall",
    "mrr": "MRR",
    "recip_rank": "MRR",
    "reciprank": "MRR",
    "hit": "HR",
    "hitrate": "HR",
    "hitratio": "HR",
    "success": "HR",
    "f1": "F1",
    "f1beta": "F1",
    "rocauc": "AUC",
}
"""A tool's name in lower case -> the name that papers print."""


def members(found):
    """Return every definition that was found, in words."""
    return ["; ".join(member.values()) for one in found.classes for member in one["members"]]


def of_tools():
    for tool, convention in CONVENTIONS.items():
        for theirs in convention.metrics:
            bare = theirs.name.partition("(")[0].lower()
            if bare in USUAL and not theirs.takes:
                at = "" if theirs.cutoff == "never" else "@3"
                yield pytest.param(tool, theirs.name + at, USUAL[bare] + at, id=f"{tool} {theirs.name}")


@pytest.mark.parametrize(("tool", "theirs", "printed"), list(of_tools()))
def test_every_tools_convention_is_found_with_one_departure_at_most(tool, theirs, printed):
    given = {"ties": "given"} if tool == "sklearn" else {}
    (value,) = evaluate(RUN, rows(TEST), [theirs], convention=tool, train=rows(TRAIN), **given).means.values()
    found = look_up(f"{printed}={value:.6f}", **WITH_TRAIN, departures=1)
    (own,) = [one for one in found.classes if tool in one["tools"]]
    assert own["values"] == pytest.approx([value], abs=1e-12)


@pytest.mark.parametrize(
    ("decisions", "metric", "words"),
    [
        ({"relevance": 3}, "P@2", "relevant from 3"),
        ({"no_relevant": "skip"}, "P@2", "users with a relevant item"),
        ({"no_list": "skip"}, "R@2", "users with a test rating and a list"),
        ({"train_items": "all"}, "nDCG@3", "train items in lists"),
        ({"unknown": "drop"}, "nDCG@3", "only test ratings of users and items in train"),
        ({"view": "condensed"}, "nDCG@3", "lists of test items only"),
        ({}, "nDCG(gain=exp)@3", "nDCG(gain=exp)@3"),
        ({}, "nDCG@4", "nDCG@4"),
    ],
)
def test_one_decision_that_departs_is_named(decisions, metric, words):
    (value,) = evaluate(RUN, rows(TEST), [metric], train=rows(TRAIN), **decisions).means.values()
    printed = "nDCG@3" if metric.startswith("nDCG") else metric
    found = look_up(f"{printed}={value:.8f}", **WITH_TRAIN, departures=1)
    assert found.classes[0]["departures"] == 1
    assert any(words in said for said in members(found))


def test_users_without_a_test_rating_count_nothing():
    values = evaluate(RUN, rows(TEST), ["P@2"], train=rows(TRAIN))
    for n, words in ((5, "users of the run"), (7, "users of any file")):
        found = look_up(f"P@2={values.means['P@2'] * values.n_users / n:.8f}", **WITH_TRAIN, departures=1)
        assert any(words in said for said in members(found))


@pytest.mark.parametrize("ties", ["given", "pessimistic", "optimistic"])
def test_the_order_of_equal_scores_is_found(ties):
    users, items, scores = RUN
    tied = (users, items, [float(round(score / 3)) for score in scores])
    (value,) = evaluate(tied, rows(TEST), ["nDCG@3"], ties=ties).means.values()
    found = look_up(f"nDCG@3={value:.8f}", {"A": tied}, rows(TEST), departures=1)
    assert found.classes[0]["departures"] <= 1
    assert found.classes[0]["values"] == pytest.approx([value], abs=1e-12)


def test_a_percentage_and_a_digit_cut_off_are_readings():
    (value,) = evaluate(RUN, rows(TEST), ["nDCG@3"]).means.values()
    assert look_up(f"nDCG@3={100 * value:.4f}%", **FILES).classes[0]["departures"] == 0
    assert look_up(f"nDCG@3={100 * value:.4f}", **FILES).classes[0]["reads"].startswith("as named")
    digits = next(digits for digits in range(5, 12) if value * 10**digits % 1 > 0.6)
    cut = np.floor(value * 10**digits) / 10**digits
    found = look_up(f"nDCG@3={cut:.{digits}f}", **FILES, departures=1)
    (own,) = [one for one in found.classes if one["values"][0] == pytest.approx(value)]
    assert own["reads"] == "as named, except for last digit cut off"


def test_definitions_with_the_same_value_are_one_class():
    everyone = dict.fromkeys(TEST, "abcdefg")
    found = look_up("HR@7=1", {"A": scored(everyone)}, rows({user: {"a": 5} for user in TEST}))
    assert found.classes[0]["departures"] == 0
    assert "who is averaged" in found.classes[0]["alike"]


def test_several_numbers_are_of_one_definition():
    other = scored({user: items[::-1] for user, items in LISTS.items()})
    metrics = ["nDCG@3", "P@2"]
    both = {name: evaluate(run, rows(TEST), metrics, relevance=5).means for name, run in (("A", RUN), ("B", other))}
    texts = {run: {metric: f"{value:.3f}" for metric, value in means.items()} for run, means in both.items()}
    files = {"runs": {"A": RUN, "B": other}, "test": rows(TEST)}
    found = look_up(texts, **files)
    alone = look_up({"A": {"P@2": texts["A"]["P@2"]}}, **files)
    assert "relevant from 5" in found.classes[0]["definition"]
    assert len(found.classes) < len(alone.classes)
    assert found.classes[0]["values"] == pytest.approx(
        [both["A"]["nDCG@3"], both["B"]["nDCG@3"], both["A"]["P@2"], both["B"]["P@2"]]
    )
    mixed = look_up({"A": {"P@2": texts["A"]["P@2"]}, "B": {"P@2": "0.987"}}, **files)
    assert mixed.classes == []


def test_if_nothing_gives_the_number_the_nearest_are_shown_with_their_distance():
    found = look_up("P@2=0.98765", **FILES)
    assert found.classes == []
    distances = [one["distance"] for one in found.nearest]
    assert len(distances) == 3
    assert distances == sorted(distances)
    assert distances[0] > 0
    assert "none of" in found.lines[0]


def test_the_printed_number_that_fits_no_definition_is_named():
    means = evaluate(RUN, rows(TEST), ["nDCG@3", "P@1", "P@2", "P@3", "R@2", "MRR"]).means
    texts = {metric: f"{value:.4f}" for metric, value in means.items()}
    wrong = f"{means['P@3'] + 0.0432:.4f}"
    found = look_up(texts | {"P@3": wrong}, **FILES)
    assert found.classes == []
    assert found.nearest[0]["departures"] == 0
    [missed] = found.nearest[0]["missed"]
    assert (missed["metric"], missed["printed"], missed["given_alone"]) == ("P@3", wrong, False)
    assert missed["value"] == pytest.approx(means["P@3"], abs=1e-12)
    # The value's distance from the end of the range that the printed number stands for, half a unit from its middle.
    assert missed["distance"] == pytest.approx(abs(float(wrong) - means["P@3"]) * 1e4 - 0.5, abs=1e-4)
    assert "5 of 6" in found.lines[0]
    assert any(f"P@3={wrong}" in line and f"{means['P@3']:.6g}" in line for line in found.lines[1:])


def test_two_numbers_of_another_run_are_named_without_trying_all_their_definitions():
    other = scored({user: items[::-1] for user, items in LISTS.items()})
    metrics = ["nDCG@3", "P@2", "MRR", "R@2"]
    texts = {
        name: {metric: f"{value:.6f}" for metric, value in evaluate(run, rows(TEST), metrics, relevance=5).means.items()}
        for name, run in (("A", RUN), ("B", other))
    }
    texts["B"] |= {"nDCG@3": "0.123456", "R@2": texts["A"]["R@2"]}
    found = look_up(texts, {"A": RUN, "B": other}, rows(TEST))
    assert [(one["run"], one["metric"]) for one in found.nearest[0]["missed"]] == [("B", "nDCG@3"), ("B", "R@2")]
    assert "relevant from 5" in found.nearest[0]["definition"]
    assert "6 of 8" in found.lines[0]


def test_the_answer_is_short_and_its_json_is_whole():
    found = look_up("P@2=0.2", **WITH_TRAIN)
    assert len(found.lines) <= 20
    whole = json.loads(found.to_json())
    assert len(whole["classes"]) == len(found.classes) > 5
    assert whole["tried"] == found.n_tried > 100


def test_fewer_departures_come_first():
    departures = [one["departures"] for one in look_up("P@2=0.2", **WITH_TRAIN).classes]
    assert departures == sorted(departures)


def test_folds_are_averaged_or_pooled(tmp_path):
    halves = [("ann", "bob"), ("cid", "dan", "eve")]
    folded = {"ratings": (TEST, "rating"), "scores": ({u: {i: -p for p, i in enumerate(own)} for u, own in LISTS.items()}, "score")}
    paths = {}
    for name, (table, column) in folded.items():
        lines = [
            f"{user},{item},{value},{fold}"
            for fold, users in enumerate(halves)
            for user in users
            for item, value in table.get(user, {}).items()
        ]
        paths[name] = tmp_path / f"{name}.csv"
        paths[name].write_text("\n".join([f"user,item,{column},fold", *lines]), encoding="utf-8")
    values = evaluate(RUN, rows(TEST), ["nDCG@3"]).per_user
    means = [np.mean([values[user]["nDCG@3"] for user in users]) for users in halves]
    pooled = np.mean([values[user]["nDCG@3"] for users in halves for user in users])
    for value, words in ((np.mean(means), "mean over folds"), (pooled, "users of all folds"), (means[1], "fold 1 alone")):
        found = look_up(f"nDCG@3={value:.9f}", {"A": str(paths["scores"])}, str(paths["ratings"]), departures=1)
        assert any(words in said for said in members(found))


def test_a_folder_with_folds_is_one_experiment(tmp_path):
    halves = (TEST, TEST | {"ann": {"a": 2, "b": 5, "c": 4, "d": 1}})
    for fold, test in enumerate(halves):
        (tmp_path / f"fold{fold}").mkdir()
        for name, given, value in (("train", rows(TRAIN), "rating"), ("test", rows(test), "rating"), ("A", RUN, "score")):
            lines = "".join(f"{user},{item},{number}\n" for user, item, number in zip(*given, strict=True))
            (tmp_path / f"fold{fold}" / f"{name}.csv").write_text(f"user,item,{value}\n{lines}")
    means = [evaluate(RUN, rows(test), ["nDCG@3"], train=rows(TRAIN)).means["nDCG@3"] for test in halves]
    done = CliRunner().invoke(main, ["audit", str(tmp_path), "--printed", f"nDCG@3={sum(means) / 2:.7f}", "--json"])
    assert json.loads(done.stdout)["classes"][0]["departures"] == 0
