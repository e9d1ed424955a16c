"""Comparison with an independent implementation of the equations, written without looking at ours.

``vectors.json`` contains small cases under twelve headings: the input, and the values that follow from the papers' equations or
from other tools' sources. The tests pass the same input to the code that users call: `measure`, `evaluate`, and the tables of a
study. If recsens deliberately differs, the test says so and asserts recsens's value.
"""

import json
import math
from collections.abc import Mapping
from itertools import chain, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracle.boards import Table, rows
from oracle.written import Written, write_sides
from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.folds import sides
from recsens.comparison.significance import FEWEST_USERS
from recsens.data.datasets import to_interactions
from recsens.data.interactions import Interactions
from recsens.data.popularity import percentiles
from recsens.errors import DataError, DesignError
from recsens.files.scale import Scale
from recsens.outcomes.measuring.own_positions import measure
from recsens.runs.evaluation import Evaluation, evaluate
from recsens.seeds import Origin, Stream
from recsens.vocabulary import Role
from recsens.workflow.steps.check_targets import check_targets

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))
STREAM = Stream.of(1, "second hand")
SCALE = Scale(0, 5, 0)
WITHIN = 1e-12

Case = dict[str, Any]


def cases(heading: str) -> pytest.MarkDecorator:
    """One test for each case of a heading."""
    return pytest.mark.parametrize(
        ("given", "expected"), [pytest.param(case["input"], case["expected"], id=case.get("note")) for case in VECTORS[heading]]
    )


def assert_same(found: Mapping[str, float], expected: Mapping[str, float | None]) -> None:
    """Compare values by name; None is an undefined value."""
    wanted = {name: math.nan if value is None else value for name, value in expected.items()}
    assert dict(found) == pytest.approx(wanted, rel=WITHIN, abs=WITHIN, nan_ok=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder whose files need not survive a crash."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.fsync", lambda _: None)
    return tmp_path


# 1 and 2: errors of predicted ratings, and ratings sold too high or too low


def of_predictions(given: Case, metrics: list[str], orders: list[list[int]]) -> dict[str, np.ndarray]:
    """Measure one user's predictions in several orders, each as if it belonged to a different user."""
    order = np.array(orders, dtype=np.int64).reshape(len(orders), -1)
    columns = {"rating": given["ratings"], "score": given["scores"]}
    return measure(
        {
            "user": np.repeat(np.arange(len(orders)), order.shape[1]),
            "position": np.tile(np.arange(1, order.shape[1] + 1), len(orders)),
            **{name: np.array(values, dtype=float)[order.ravel()] for name, values in columns.items()},
        },
        metrics,
        ranked=[order.shape[1]] * len(orders),
        scale=SCALE,
    )


@cases("1_sdcse")
def test_discounted_squared_errors_are_those_of_the_listed_items(given, expected):
    names = {"dcse": f"DCSE@{given['n']}", "sdcse": f"SDCSE@{given['n']}"}
    found = of_predictions(given, list(names.values()), [given["order"]])
    assert_same({name: found[label][0] for name, label in names.items()}, {name: expected[name] for name in names})


@cases("1_sdcse")
def test_ties_of_predictions_span_the_same_range_of_discounted_errors(given, expected):
    if not given["order"]:
        assert "least_mean_greatest_over_tied_orders" not in expected
        return
    score = given["scores"]
    levels = [[place for place in given["order"] if score[place] == level] for level in sorted(set(score), reverse=True)]
    orders = [list(chain.from_iterable(blocks)) for blocks in product(*map(permutations, levels))]
    found = of_predictions(given, [f"SDCSE@{given['n']}"], orders)[f"SDCSE@{given['n']}"]
    wanted = zip(("least", "mean", "greatest"), expected["least_mean_greatest_over_tied_orders"], strict=True)
    assert_same({"least": found.min(), "mean": found.mean(), "greatest": found.max()}, dict(wanted))


@cases("2_sell_shares")
def test_shares_of_ratings_sold_too_high_too_low_and_as_they_are(given, expected):
    kinds = {"up": "UpSell", "down": "DownSell", "perfect": "PerfectSell"}
    labels = {name: f"{kind}(tolerance={given['lambda']})@{given['n']}" for name, kind in kinds.items()}
    found = of_predictions(given, list(labels.values()), [given["order"]])
    assert_same({name: next(v for k, v in found.items() if k.startswith(kinds[name]))[0] for name in kinds}, expected)


# 3: the mean difference of users with different weights


@cases("3_weighted_mean_difference")
def test_the_difference_of_weighted_means_its_interval_and_its_tests(given, expected, folder):
    # The last user is not averaged, so that there is one where nobody is.
    delta = np.array([np.nan if value is None else value for value in [*given["d"], 0.5]])
    weight = [*given["w"], 1]
    level = given["confidence"]
    tests = {"test": f"t(confidence={level})", "vary": {"test": [f"randomisation(confidence={level})"]}}
    study = Written.of("P@1", names="AB", aggregate="weighted(by=test)", **tests)
    n = len(weight)
    study.positions({"train": [1] * (n - 1) + [0], "test": weight, "targets": [1] * n, "scored": [1] * n})
    compared = study.outcomes(study.measured([delta, np.zeros(n)])).comparisons()
    by_t, by_swaps = (row for row in compared if row["fold"] == "all")
    if expected["n"] < FEWEST_USERS:
        # The equations give an interval and a p from two users on; here, so few users have none.
        expected = {**expected, "low": None, "high": None, "p": None}
    for row in (by_t, by_swaps):
        found = {"n": row["users"], "mean": row["difference"], "low": row["low"], "high": row["high"]}
        assert_same(found, {name: expected[name] for name in found})
        # Without users, Kish's number is 0 here; the equation divides 0 by 0.
        assert_same({"kish": row["effective_users"]}, {"kish": expected["kish"] or 0})
    assert_same({"p": by_t["p_value"]}, {"p": expected["p"]})
    # A single user is not tested here, whatever the swaps.
    swapped = expected["randomisation_p"] if expected["n"] > 1 else None
    assert_same({"p": by_swaps["p_value"]}, {"p": swapped})
    if expected["se"]:
        # The table has d = mean / deviation, of which t is √n times as much.
        t = by_t["effect"] * math.sqrt(expected["n"])
        assert_same({"t": t, "se": by_t["difference"] / t}, {name: expected[name] for name in ("t", "se")})


# 4: coverage, and the number of effective users


@cases("4_kish")
def test_effective_number_of_users(given, expected, folder):
    weights = given["weights"] or [0]
    study, n = Written.of("P@1", aggregate="weighted(by=test)"), len(weights)
    study.positions({"train": [1] * n, "test": weights, "targets": [1] * n, "scored": [1] * n})
    measured = study.measured()
    [counted] = study.counted(measured)
    # If all weights are zero, it is 0 here; the equation divides 0 by 0.
    wanted = {"kish": expected["kish"] or 0}
    assert_same({"kish": counted["effective_users"]}, wanted)
    assert_same({"kish": study.outcomes(measured).summary()[0]["effective_users"]}, wanted)


@cases("4_coverage")
def test_coverage_is_over_users_who_have_something_to_cover(given, expected, folder):
    lengths = given["lengths"]
    to_cover = given["has_something_to_cover"] or [1] * len(lengths)
    # A user who is left out has no targets or, if there is a list, is not averaged.
    averaged = [int(own or not length) for own, length in zip(to_cover, lengths, strict=True)]
    targets = [max(length, 12) * own for own, length in zip(to_cover, lengths, strict=True)]
    study = Written.of(f"P@{given['d']}")
    study.positions({"train": averaged, "test": [0] * len(lengths), "targets": targets, "scored": lengths})
    row = study.outcomes(study.measured()).summary()[0]
    assert_same({"coverage_at_d": row["coverage_at_cutoff"], "user_coverage": row["user_coverage"]}, expected)


@cases("4_one_relevant_coverage")
def test_coverage_under_one_relevant_is_over_ratings(given, expected, folder):
    found, lengths = given["target_ranked"], given["list_lengths"]
    user, n = np.arange(len(found)) // 2, (len(found) + 2) // 2
    study = Written.of(f"P@{given['d']}", targets="one_r")
    study.positions(
        {"train": [1] * n, "test": [2] * n, "targets": [12] * n, "scored": [12] * n},
        {
            "user": user,
            "position": [1 if is_ranked else None for is_ranked in found],
            "targets": [12] * len(found),
            "ranked": lengths,
            "percentile": [0] * len(found),
        },
    )
    row = study.outcomes(study.measured()).summary()[0]
    assert_same({"share_ranked": row["rating_coverage"], "coverage_at_d_of_lists": row["coverage_at_cutoff"]}, expected)


# 5: the precision of a random order


def sides_of(train: list[list[int]], test: list[list[float]], n_items: int) -> tuple[Interactions, Interactions]:
    """Return train and test sets of users, one row per item and rating."""
    n_users = int(max([row[0] for row in [*train, *test]], default=0)) + 1
    found = []
    for given in (train, test):
        user, item, rating = np.array(given, dtype=float).reshape(-1, 3).T
        keys = {"user_keys": np.arange(n_users, dtype=np.int64), "item_keys": np.arange(n_items, dtype=np.int64)}
        codes = {"user": user.astype(np.int32), "item": item.astype(np.int32)}
        found.append(Interactions(**codes, rating=rating, timestamp=None, **keys, scale=Scale(0.5, 5, 0.5)))
    return found[0], found[1]


@cases("5_random_precision")
def test_expected_precision_of_a_random_order(given, expected, folder):
    numbers = list(zip(given["relevant"], given["targets"], strict=True)) or [(0, 1)]
    n_items = max(size for _, size in numbers) + 1
    train = [[user, item, 3] for user, (_, size) in enumerate(numbers) for item in range(size, n_items)]
    test = [[user, item, 5] for user, (liked, _) in enumerate(numbers) for item in range(liked)]
    users = "with_ratings" if given["relevant"] else f"with_ratings(train={n_items + 1})"
    files = write_sides(*sides_of(train, test, n_items))
    asked = {"targets": "ar", "audiences": [(4, users)], "origin": Origin(1, "x", "repeat-0")}
    check_targets(**files, record="record.json", **asked)
    [found] = storage.read_json("record.json", schemas.CHECK)["audiences"]
    if "equation_4_4_as_printed" not in expected:
        assert_same({"exact": math.nan if found["users_averaged"] == 0 else found["expected_random_precision"]}, expected)
    else:
        # The printed equation ignores empty places, which arise if there are fewer targets than the cut-off.
        [size] = given["targets"]
        assert size < given["n"] or expected["exact"] == expected["equation_4_4_as_printed"]
        assert_same({"printed": found["expected_random_precision"]}, {"printed": expected["equation_4_4_as_printed"]})
        assert_same({"exact": found["expected_random_precision"] * size / given["n"]}, {"exact": expected["exact"]})


# 6 to 8: trec_eval


def evaluated(run: Table, qrels: Table, metrics: list[str], **options: Any) -> Evaluation:
    """Evaluate with an additional user who has a relevant item: a threshold is refused if no item in the file is relevant."""
    seen, liked = {"bystander": {"y": 1.0}}, {"bystander": {"y": 5}}
    return evaluate(rows({**run, **seen}), rows({**qrels, **liked}), metrics, scale=SCALE, **options)


@cases("6_negative_judgements")
def test_judgements_below_zero_are_those_of_trec_eval(given, expected):
    level = given["relevance_level"]
    found = evaluated({"u": given["run"]}, {"u": given["qrel"]}, list(expected), convention="trec_eval", relevance=level)
    assert_same(found.per_user["u"], expected)


@cases("7_ties")
@pytest.mark.parametrize(("convention", "version"), [("trec_eval", 9), ("recsens", 10)])
def test_equal_scores_are_ranked_by_name_from_the_last(given, expected, convention, version):
    # Version 10 ranks in double precision, as recsens does under its own convention.
    places = {doc: place for place, doc in enumerate(expected[f"order_trec_eval_{version}"], start=1)}
    run, qrels = dict.fromkeys(["u", *places], given["run"]), {"u": given["qrel"], **{doc: {doc: 1} for doc in places}}
    found = evaluated(run, qrels, ["RR", "AP"], convention=convention, relevance=1).per_user
    assert {doc: round(1 / found[doc]["RR"]) for doc in places} == places
    ends = "" if version == 9 else "_version_10"
    wanted = {"RR": expected[f"recip_rank{ends}"], "AP": expected[f"map{ends}"]}
    assert_same(found["u"], wanted)


@cases("7_ties")
def test_scores_of_equal_items_are_predictions_all_the_same(given, expected):
    found = evaluate(rows({"u": given["run"]}), rows({"u": given["qrel"]}), ["RMSE"], relevance=0)
    assert_same(found.means, {"RMSE": expected["rmse"]})


@cases("7_tied_blocks")
def test_the_mean_over_all_orders_of_equal_items(given, expected):
    orders = list(permutations(range(given["tied"])))
    run = {f"{nth}": {f"i{item}": 1.0 for item in order} for nth, order in enumerate(orders)}
    qrels = {user: {f"i{item}": 1 for item in range(given["relevant"])} for user in run}
    found = evaluate(rows(run), rows(qrels), ["RR", "AP"], relevance=1, ties="given").means
    assert_same({"rr": found["RR"], "ap": found["AP"]}, expected)


@cases("7_ranksys")
def test_lists_that_ranksys_has_ordered_are_read_as_they_stand(given, expected):
    # RankSys ranks the larger index first when it makes the list; a file holds the list, best first.
    score = dict(zip(map(str, given["indices"]), given["scores"], strict=True))
    order = list(map(str, expected["order"]))
    run = {f"at {item}": {each: score[each] for each in order} for item in order}
    found = evaluate(rows(run), rows({f"at {item}": {item: 1} for item in order}), ["RR@9"], convention="ranksys", relevance=1)
    assert [found.per_user[f"at {item}"]["RR@9"] for item in order] == [1 / place for place in range(1, len(order) + 1)]


@cases("8_aggregates")
def test_geometric_means_counts_and_interpolated_precision_of_all_topics(given, expected):
    # Recall levels of version 10, which rounds them to the nearest, are not among the values: ours are those of version 9.
    names = list(expected["aggregate"])
    found = evaluate(
        rows(given["run"]),
        rows(given["qrels"]),
        names,
        convention="trec_eval",
        relevance=given.get("level"),
        no_list="zero" if given.get("complete") else None,
    )
    assert_same(found.means, expected["aggregate"])
    for topic, values in expected.get("per_topic", {}).items():
        assert_same(found.per_user[topic], values)


# 9: one relevant, within percentiles of popularity


def of_one_relevant(given: Case, targets: str, percentile: list[int]) -> Written:
    """Write rankings whose reciprocal ranks are the values."""
    users, user = np.unique(given["users"], return_inverse=True)
    n, n_ratings = max(len(users), 1), len(given["values"])
    study = Written.of("RR", targets=targets)
    study.positions(
        {"train": [1] * n, "test": [1] * n, "targets": [12] * n, "scored": [12] * n},
        {
            "user": user,
            "position": [round(1 / value) if value else None for value in given["values"]],
            "targets": [12] * n_ratings,
            "ranked": [12] * n_ratings,
            "percentile": percentile,
        },
    )
    return study


@cases("9_p1r")
def test_percentiles_of_popularity_count_the_same(given, expected, folder):
    study = of_one_relevant(given, f"p1r(m={given['m']})", given["percentile"])
    measured = study.measured()
    [counted] = study.counted(measured)
    summary = study.outcomes(measured).summary()[0]
    assert [int(number) for number in counted["ratings_by_percentile"].split()] == expected["ratings_per_percentile"]
    wanted = {"p1r": expected["p1r"], "kish": expected["kish_users_p1r"] or 0}  # 0 of nobody
    assert_same({"p1r": summary["value"], "kish": counted["effective_users"]}, wanted)
    assert_same({"p1r": summary["value"], "kish": summary["effective_users"]}, wanted)
    values, n_ratings = measured.values(study.cells[0], study.metric), measured.n_measured(study.cells[0])
    means = [(row * n).sum() / n.sum() if n.any() else None for row, n in zip(values, n_ratings, strict=True)]
    means += [None] * (given["m"] - len(means))
    assert_same(dict(enumerate(means_or_nan(means))), dict(enumerate(expected["percentile_means"])))


def means_or_nan(means: list[float | None]) -> list[float]:
    """Write None as NaN."""
    return [math.nan if mean is None else mean for mean in means]


@cases("9_p1r")
def test_without_percentiles_ratings_count_the_same(given, expected, folder):
    study = of_one_relevant(given, "one_r", [0] * len(given["values"]))
    summary = study.outcomes(study.measured()).summary()[0]
    wanted = {"1r": expected["plain_1r"], "kish": expected["kish_users_1r"] or 0}  # 0 of nobody
    assert_same({"1r": summary["value"], "kish": summary["effective_users"]}, wanted)


@cases("9_percentiles")
def test_items_are_cut_into_percentiles_by_falling_popularity(given, expected):
    counts = np.array(given["popularity"])
    assert percentiles(counts, np.arange(len(counts)), given["m"]).tolist() == expected["percentile"]


# 10: who is counted


def counts_of(study: Written) -> list[dict[str, float]]:
    """Return the counts in counted.csv under each design."""
    names = {"test": "test_ratings", "lost": "lost_ratings", "lost_share": "share_lost"}
    same = ("averaged", "with_test", "with_relevant")
    return [
        {**{name: row[name] for name in same}, **{k: row[v] for k, v in names.items()}} for row in study.counted(study.measured())
    ]


@cases("10_population")
def test_users_averaged_those_who_can_score_and_ratings_lost(given, expected, folder):
    # No two users rate the same item; each user's first ratings are in train.
    train = [[user, item, 3] for item, user in enumerate(given["train_user"])]
    judged = zip(given["test_user"], given["test_rating"], strict=True)
    test = [[user, len(train) + item, rating] for item, (user, rating) in enumerate(judged)]
    study = Written.of("P@1", relevance=given["threshold"])
    study.rank(*sides_of(train, test, len(train) + len(test)))
    [found] = counts_of(study)
    assert_same(found, expected)


def timed(times: list[int]) -> Interactions:
    """Return one user's interactions at given times."""
    n = len(times)
    codes = {"user": np.zeros(n, dtype=np.int32), "item": np.arange(n, dtype=np.int32)}
    keys = {"user_keys": np.zeros(1, dtype=np.int64), "item_keys": np.arange(n, dtype=np.int64)}
    return Interactions(**codes, rating=np.full(n, 3.0), timestamp=np.array(times, dtype=np.int64), **keys, scale=Scale())


@cases("10_moments")
def test_the_latest_interactions_are_the_test_set(given, expected):
    split = plugins.build("split", f"temporal(ratio={1 - given['share']})")
    if not any(expected["test"]):
        # If the equation leaves no test rating, the split is refused here.
        with pytest.raises(DesignError, match="leaves the test set empty"):
            split.roles(timed(given["time"]), 0, STREAM)
        return
    assert (split.roles(timed(given["time"]), 0, STREAM) == Role.TEST).tolist() == expected["test"]


def test_users_of_a_temporal_split_of_movielens_are_counted(real_data, folder):
    loaded = plugins.build("dataset", "movielens(release=100k)").load([real_data("ml-100k/u.data")], STREAM)
    data = to_interactions(loaded)
    first, second = VECTORS["10_movielens_100k"]
    split = plugins.build("split", f"temporal(ratio={1 - first['input']['share']})")
    study = Written.of("P@1", relevance=first["input"]["threshold"], vary={"relevance": [second["input"]["threshold"]]})
    study.rank(*sides(data, split.roles(data, 0, STREAM)))
    for found, case in zip(counts_of(study), (first, second), strict=True):
        assert_same(found, case["expected"])


# 11: exponential gains


@cases("11_ndcg_exponential")
def test_exponential_gains_never_exceed_the_ideal(given, expected):
    listed, rest = given["list"], list(given["test"])
    for rating in listed:
        if rating is not None:
            rest.remove(rating)
    places = [place for place, rating in enumerate(listed, start=1) if rating is not None] + [0] * len(rest)
    rating = [rating for rating in listed if rating is not None] + rest
    found = measure(
        ([0] * len(rating), places, np.array(rating, dtype=float)),
        [f"nDCG(gain=power)@{given['n']}"],
        ranked=[len(listed)],
        scale=SCALE,
    )
    [[value]] = found.values()
    assert value <= 1
    if expected["ndcg"] is None:
        # Without a gain, the equation divides 0 by 0; such a user counts as 0 here.
        assert value == 0
        return
    assert_same({"ndcg": value, "digits": value}, {"ndcg": expected["ndcg"], "digits": float(expected["digits"])})


# 12: other libraries


def list_values(given: Case, metrics: dict[str, str], **options: Any) -> dict[str, float] | None:
    """Evaluate one user's list by some metrics; None if the user is not averaged."""
    run = {item: -float(place) for place, item in enumerate(given["list"])}
    found = evaluated({"u": run}, {"u": given["test"]}, list(metrics.values()), **options).per_user.get("u")
    return None if found is None else {name: found[label] for name, label in metrics.items()}


def at(given: Case) -> str:
    return "" if given["n"] is None else f"@{given['n']}"


@cases("12_lists")
def test_gains_of_lenskit(given, expected):
    metrics = {
        "lenskit_dcg_rating": f"DCG(gain=rating){at(given)}",
        "lenskit_ndcg_rating": f"NDCG(gain=rating){at(given)}",
        "lenskit_ndcg_default_binary": f"NDCG{at(given)}",
    }
    found = list_values(given, metrics, convention="lenskit")
    if not given["test"]:
        # Users without a judgement are not averaged.
        assert found is None
        return
    assert found is not None
    assert_same(found, {name: expected[name] for name in metrics})


@cases("12_lists")
def test_gains_and_hits_of_elliot(given, expected):
    if given["n"] is None:
        assert "elliot_ndcg" not in expected
        return
    metrics = {"elliot_ndcg": f"nDCG@{given['n']}", "elliot_precision": f"Precision@{given['n']}"}
    found = list_values(given, metrics, convention="elliot", relevance=given["elliot_threshold"])
    if expected["elliot_ndcg"] is None or not given["list"]:
        # Elliot averages users with a list; the equation alone gives an empty list 0.
        assert found is None
        return
    assert found is not None
    assert_same(found, {name: expected[name] for name in metrics})


TIES_MATTER = {1, 2, 4}
"""Indices of the scikit-learn cases in which ties affect the value."""


@pytest.mark.parametrize("nth", range(len(VECTORS["12_sklearn"])))
def test_what_scikit_learn_averages_over_ties_is_refused_and_the_rest_the_same(nth):
    given, expected = (VECTORS["12_sklearn"][nth][part] for part in ("input", "expected"))
    run = {f"i{item}": float(score) for item, score in enumerate(given["y_score"])}
    qrels = {f"i{item}": gain for item, gain in enumerate(given["y_true"])}
    name = "ndcg_score" if given["k"] is None else f"ndcg_score@{given['k']}"

    def value(**options: Any) -> float:
        asked = {"scale": Scale(0, 10, 1), "relevance": 0, "convention": "sklearn", **options}
        return evaluate(rows({"u": run}), rows({"u": qrels}), [name], **asked).means[name]

    if nth not in TIES_MATTER:
        assert_same({name: value()}, {name: expected["sklearn_ndcg"]})
        return
    with pytest.raises(DataError, match="depends on the arbitrary order of items with the same score"):
        value()
    assert value(ties="pessimistic") < expected["sklearn_ndcg"] < value(ties="optimistic")
