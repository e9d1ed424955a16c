"""Under another tool's convention, a metric is what that tool computes: by hand, and compared with published tables."""

from functools import partial
from itertools import pairwise, permutations
from math import log2

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from approved import refusal
from recsens.errors import DataError, SpecError
from recsens.runs.evaluation import CONVENTIONS, evaluate
from recsens.runs.evaluation._evaluate import asked_for

# One user, one list: a hit at 1, a miss at 2, a hit at 3; three relevant items, of which one is not listed.
RUN = (["u"] * 3, ["a", "b", "c"], [3.0, 2.0, 1.0])
QRELS = (["u"] * 3, ["a", "c", "d"], [5, 4, 4])


def mean(convention: str, metric: str, **options: object) -> float:
    return evaluate(RUN, QRELS, [metric], convention=convention, **options).means[metric]


LOG = {k: 1 / log2(k + 1) for k in range(1, 11)}


@pytest.mark.parametrize(
    ("convention", "metric", "expected"),
    [
        ("trec_eval", "P_5", 2 / 5),
        ("lenskit", "Precision@5", 2 / 3),
        ("recbole", "Recall@2", 1 / 3),
        ("lenskit", "Recall@2", 1 / 2),
        ("trec_eval", "map_cut_2", 1 / 3),
        ("ranksys", "AveragePrecision@2", 1 / 2),
        ("recbole", "MAP@2", 1 / 2),
        ("rectools", "MAP@2", 1 / 3),
        ("mllib", "meanAveragePrecisionAt@2", 1 / 2),
        ("elliot", "MAP@2", (1 + 1 / 2) / 2),
        ("elliot", "MAP@5", (1 + 1 / 2 + 2 / 3 + 2 / 4 + 2 / 5) / 5),
        ("lenskit", "AveragePrecision@10", (1 + 2 / 3) / 3),
        ("lenskit", "AveragePrecision@2", 1 / 2),
        ("recbole", "NDCG@5", (LOG[1] + LOG[3]) / (LOG[1] + LOG[2] + LOG[3])),
        ("rectools", "NDCG@5", (LOG[1] + LOG[3]) / sum(LOG[k] for k in range(1, 6))),
        ("lenskit", "NDCG@5", (1 + 1 / log2(3)) / (1 + 1 + 1 / log2(3))),
        ("lenskit", "NDCG(gain=rating)@5", (5 + 4 / log2(3)) / (5 + 4 + 4 / log2(3))),
        ("lenskit", "NDCG(gain=rating)@2", 5 / (5 + 4)),
        ("lenskit", "DCG", 1 + 1 / log2(3)),
        ("lenskit", "DCG@2", 1),
        ("lenskit", "DCG(gain=rating)@5", 5 + 4 / log2(3)),
        ("trec_eval", "set_map", 2**2 / (3 * 3)),
        ("trec_eval", "set_relative_P", 2 / 3),
        ("trec_eval", "gm_map", (1 + 2 / 3) / 3),
        ("trec_eval", "gm_bpref", 2 / 3),
        # For three relevant items, a recall of .6 requires two of them, and .8 requires all three.
        ("trec_eval", "iprec_at_recall_0.30", 1),
        ("trec_eval", "iprec_at_recall_0.60", 2 / 3),
        ("trec_eval", "iprec_at_recall_0.80", 0),
        # .7 times 3 is a little below 2.1 in floating point, and requires two as well.
        ("trec_eval", "11pt_avg", (4 * 1 + 4 * (2 / 3)) / 11),
        ("trec_eval", "Rprec_mult_0.40", 1 / 2),
        ("trec_eval", "Rprec_mult_2.00", 2 / 6),
        ("trec_eval", "utility", 2 - 1),
        ("trec_eval", "num_ret", 3),
        ("trec_eval", "num_rel", 3),
        ("trec_eval", "num_rel_ret", 2),
        ("trec_eval", "num_nonrel_judged_ret", 0),
        ("trec_eval", "binG", (1 + 1 / log2(3)) / 3),
        # The best two items have a gain of 9, of which 5 are reached at the second position; the third costs 4 and gains 4.
        ("trec_eval", "G", (5 / log2(2) + 4 / log2(2 + 13 - 9)) / 13),
        ("ranksys", "NDCG@5", (3 * LOG[1] + LOG[3]) / (3 * LOG[1] + LOG[2] + LOG[3])),
        # Ratings from 0 on are relevant: 5 gains 2^6 - 1, 4 gains 2^5 - 1.
        ("elliot", "nDCG@5", (63 * LOG[1] + 31 * LOG[3]) / (63 * LOG[1] + 31 * LOG[2] + 31 * LOG[3])),
        ("trec_eval", "ndcg_cut_2", 5 * LOG[1] / (5 * LOG[1] + 4 * LOG[2])),
        ("trec_eval", "ndcg", (5 * LOG[1] + 4 * LOG[3]) / (5 * LOG[1] + 4 * LOG[2] + 4 * LOG[3])),
        ("lenskit", "RBP@5", 0.15 * (1 + 0.85**2)),
        ("trec_eval", "relative_P_2", 1 / 2),
        ("rectools", "Precision(r_precision=True)@5", 2 / 3),
        ("rectools", "MAP(divide_by_k=True)@5", (1 + 2 / 3) / 5),
        ("rectools", "NDCG(divide_by_achievable=True)@5", (LOG[1] + LOG[3]) / (LOG[1] + LOG[2] + LOG[3])),
        ("rectools", "F1Beta@5", 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
        # There are two misses; one hit is above both, the other above one. PAP counts two of three relevant items.
        ("rectools", "PartialAUC@2", (2 + 1) / (2 * 3)),
        ("rectools", "PAP@2", (2 + 1) / (2 * 2)),
    ],
)
def test_a_name_means_what_its_tool_computes(convention, metric, expected):
    assert mean(convention, metric) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("NDCG@1", [0, 1, 1, 1]),
        ("NDCG@3", [0, 0.46927873, 0.70391809, 1]),
        ("MAP@1", [0, 1, 1 / 3, 1 / 3]),
        ("MAP@3", [0, 1, 0.55555556, 1]),
        ("MAP(divide_by_k=True)@1", [0, 1, 1, 1]),
        ("MAP(divide_by_k=True)@3", [0, 0.33333333, 0.55555556, 1]),
    ],
)
def test_the_users_that_rectools_shows(metric, expected):
    lists = {1: [7, 8], 2: [1, 2], 3: [1, 2, 3, 4], 4: [1, 2, 3]}
    relevant = {1: [1, 2], 2: [1], 3: [1, 3, 4], 4: [1, 2, 3]}
    run = [(user, item, -place) for user, items in lists.items() for place, item in enumerate(items)]
    qrels = [(user, item, 1) for user, items in relevant.items() for item in items]
    found = evaluate(list(zip(*run, strict=True)), list(zip(*qrels, strict=True)), [metric], convention="rectools")
    assert [values[metric] for values in found.per_user.values()] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("metric", "expected"), [("PartialAUC@1", [1, 1, 0]), ("PartialAUC@3", [1, 1, 1 / 3])])
def test_the_areas_that_rectools_shows(metric, expected):
    run = ([1, 1, 2, 2, 2, 3, 3], [1, 2, 3, 1, 2, 3, 2], [-1, -2, -1, -2, -3, -1, -2])
    qrels = ([1, 1, 2, 2, 3, 3], [1, 2, 1, 3, 1, 2], [1] * 6)
    found = evaluate(run, qrels, [metric], convention="rectools")
    assert [values[metric] for values in found.per_user.values()] == pytest.approx(expected, abs=1e-8)


def test_the_mean_of_precisions_at_every_position():
    precisions = evaluate(RUN, QRELS, ["P@1,2,3,4,5,6,7"]).means
    assert mean("elliot", "MAP@7") == pytest.approx(sum(precisions.values()) / 7, abs=1e-12)


def test_sklearn_on_a_whole_ranking():
    run = (["u"] * 4, list("abcd"), [0.9, 0.7, 0.5, 0.1])
    qrels = (["u"] * 4, list("abcd"), [3.0, 5.0, 1.0, 4.0])
    expected = ndcg_score([[3, 5, 1, 4]], [[0.9, 0.7, 0.5, 0.1]], k=3)
    assert evaluate(run, qrels, ["ndcg_score@3"], convention="sklearn").means["ndcg_score@3"] == pytest.approx(expected)
    expected = average_precision_score([0, 1, 0, 1], [0.9, 0.7, 0.5, 0.1])
    found = evaluate(run, qrels, ["average_precision_score"], convention="sklearn", relevance=4)
    assert found.means["average_precision_score"] == pytest.approx(expected)


# Scores of a user, from best to worst, each with the rating of its item, or None if it is not judged.
TIED = [
    # Both have no gain, whether or not they are judged.
    ("equal gains", [(9, 5), (5, 0), (5, None), (1, 3)], ("ndcg_score@3", "ndcg_score")),
    ("a tie of one rating", [(9, 5), (5, 3), (5, 3), (1, 4)], ("ndcg_score@3", "average_precision_score")),
    ("a tie below the cut-off", [(9, 5), (7, 2), (5, 4), (5, 1)], ("ndcg_score@2",)),
    ("a tie of what is not relevant", [(9, 5), (5, 1), (5, 3), (1, 4)], ("average_precision_score",)),
    ("relevant items at one score below a miss", [(9, 1), (5, 4), (5, 5), (1, 3)], ("average_precision_score",)),
]
DECIDES = [
    ("a tie above the cut-off", [(9, 5), (5, 4), (5, 1), (1, 3)], "ndcg_score@3"),
    ("a tie at the cut-off", [(9, 5), (5, 4), (5, 1), (1, 3)], "ndcg_score@2"),
    ("a hit tied with a miss", [(9, 5), (5, 4), (5, 1), (1, 3)], "average_precision_score"),
]


def tables(listed: list[tuple[float, float | None]]) -> tuple[tuple, tuple]:
    run = (["u"] * len(listed), [*map(str, range(len(listed)))], [float(score) for score, _ in listed])
    judged = [(str(item), rating) for item, (_, rating) in enumerate(listed) if rating is not None]
    return run, (["u"] * len(judged), [item for item, _ in judged], [float(rating) for _, rating in judged])


def of_sklearn(name: str, listed: list[tuple[float, float | None]]) -> float:
    scores, ratings = [score for score, _ in listed], [rating or 0 for _, rating in listed]
    if name.startswith("ndcg_score"):
        return ndcg_score([ratings], [scores], k=int(name.partition("@")[2] or len(listed)))
    return average_precision_score([rating >= 4 for rating in ratings], scores)


@pytest.mark.parametrize(("listed", "names"), [case[1:] for case in TIED], ids=[case[0] for case in TIED])
def test_ties_that_do_not_matter_have_the_value_of_sklearn(listed, names):
    for name in names:
        found = evaluate(*tables(listed), [name], convention="sklearn", relevance=4)
        assert found.means[name] == pytest.approx(of_sklearn(name, listed), abs=1e-12), name


@pytest.mark.parametrize(("listed", "name"), [case[1:] for case in DECIDES], ids=[case[0] for case in DECIDES])
def test_ties_that_matter_are_refused_with_user_and_metric(listed, name):
    with pytest.raises(DataError, match=f"{name} of user 'u' depends on the arbitrary order of items with the same score"):
        evaluate(*tables(listed), [name], convention="sklearn", relevance=4)


def test_ties_of_users_who_are_not_averaged_do_not_matter():
    run = (["u", "v", "v"], ["a", "a", "b"], [1, 1, 1])
    qrels = (["u", "v", "v"], ["a", "a", "b"], [5, 1, 2])
    found = evaluate(run, qrels, ["P@1"], ties="refuse", no_relevant="skip")
    assert found.means == {"P@1": 1.0}


def test_drawn_lists_have_the_values_of_sklearn_or_are_refused():
    rng = np.random.default_rng(3)
    n_same = 0
    for _ in range(120):
        n = int(rng.integers(2, 7))
        listed = [
            (float(score), int(rating)) for score, rating in zip(rng.integers(0, 4, n), rng.choice([0, 4, 5], n), strict=True)
        ]
        if all(rating == 0 for _, rating in listed):
            continue
        shown = {tuple(rating for _, rating in order) for order in permutations(listed) if is_falling(order)}
        for name in ("ndcg_score@2", "ndcg_score", "average_precision_score"):
            orders = {of_order(name, ratings) for ratings in shown}
            try:
                found = evaluate(*tables(listed), [name], convention="sklearn", relevance=4).means[name]
            except DataError:
                assert max(orders) - min(orders) > 1e-9, (name, listed)
            else:
                n_same += 1
                assert found == pytest.approx(of_sklearn(name, listed), abs=1e-12), (name, listed)
    assert n_same > 120


def is_falling(order: tuple[tuple[float, int], ...]) -> bool:
    return all(score >= after for (score, _), (after, _) in pairwise(order))


def of_order(name: str, ratings: tuple[int, ...]) -> float:
    """Return the value of sklearn's metric if equal scores have a given order."""
    return of_sklearn(name, [(-place, rating) for place, rating in enumerate(ratings)])


RANKSYS_RUN = (["u", "u", "u"], ["a", "b", "c"], [1.0, 3.0, 2.0])


def test_ranksys_reads_lists_as_the_rows_stand_whatever_the_scores():
    qrels = (["u"], ["a"], [5])
    found = evaluate(RANKSYS_RUN, qrels, ["ReciprocalRank@3"], convention="ranksys")
    assert found.means == {"ReciprocalRank@3": 1}
    assert "lists in the order of rows, whatever the scores" in str(found.settings)
    # As with RankSys' sortByDecreasingScore.
    found = evaluate(RANKSYS_RUN, qrels, ["ReciprocalRank@3"], convention="ranksys", ties="given")
    assert found.means == {"ReciprocalRank@3": pytest.approx(1 / 3)}
    assert "ties in the order of rows" in str(found.settings)


def test_ranksys_reads_each_users_rows_in_their_order_wherever_they_stand():
    run = (["u", "v", "u"], ["b", "a", "a"], [1.0, 1.0, 2.0])
    found = evaluate(run, (["u", "v"], ["a", "a"], [5, 5]), ["ReciprocalRank@3"], convention="ranksys").per_user
    assert found == {"u": {"ReciprocalRank@3": 0.5}, "v": {"ReciprocalRank@3": 1.0}}


def test_elliot_takes_every_rating_from_zero_on_for_relevant():
    found = evaluate(
        (["u", "u"], ["a", "b"], [2, 1]), (["u", "u", "u"], ["a", "b", "c"], [1, 0, -1]), ["Recall@2"], convention="elliot"
    )
    assert found.settings.relevance == 0
    assert found.means == {"Recall@2": 1}


def test_the_refusal_of_a_name_says_how_metrics_are_asked_for():
    with pytest.raises(SpecError) as error:
        evaluate(RUN, QRELS, ["nDCG(gain=linear)@10"], convention="lenskit")
    said = str(error.value)
    assert "NDCG(gain=rating)[@10]" in said
    assert "DCG[@10]" in said
    assert "for any other metric of recsens, leave out --convention lenskit" in said


@pytest.mark.parametrize("convention", sorted(set(CONVENTIONS) - {"recsens"}))
def test_every_metric_of_a_tool_is_one_of_ours(convention):
    as_it_is = {"train_items": "all", "unknown": "keep"} if convention == "cornac" else {}
    found = evaluate(RUN, QRELS, convention=convention, **as_it_is)
    known = [metric for metric in CONVENTIONS[convention].metrics if not metric.takes]
    assert len(found.labels) == sum(max(len(metric.levels), 1) for metric in known)
    unbounded = {"rmse", "mse", "mae", "utility", "DCG", "DCG(gain=rating)", *(metric.name for metric in known if metric.is_total)}
    assert all(0 <= value <= 1 for label, value in found.means.items() if label not in unbounded)


@pytest.mark.parametrize(
    ("asked", "convention", "label", "definition"),
    [
        ("nDCG@10", "trec_eval", "nDCG@10", "nDCG(discount=log2,gain=linear,ideal=cut)@10"),
        ("ndcg", "trec_eval", "ndcg", "nDCG(discount=log2,gain=linear,ideal=uncut)"),
        ("AP", "trec_eval", "AP", "AP(denominator=relevant)"),
        ("MAP@10", "recbole", "MAP@10", "AP(denominator=min)@10"),
        ("ap@10", "recbole", "ap@10", "AP(denominator=min)@10"),
        ("hit@3", "recbole", "hit@3", "Success@3"),
    ],
)
def test_metrics_are_found_by_their_names_and_by_ours(asked, convention, label, definition):
    (found,) = asked_for([asked], CONVENTIONS[convention], "cutoff")
    assert (found.label, str(found.measured)) == (label, definition)


def test_a_metric_that_a_tool_lacks_is_refused(approved):
    cases = (
        ("F1@10", "trec_eval"),
        ("recip_rank_10", "trec_eval"),
        ("NDCG", "recbole"),
        ("precisionA@3", "mllib"),
        ("nDCG(gain=exp)@5", "trec_eval"),
        ("AP(denominator=min)", "trec_eval"),
    )
    approved(
        {f"{asked} of {tool}": refusal(partial(evaluate, RUN, QRELS, [asked], convention=tool), SpecError) for asked, tool in cases}
    )


def test_an_unknown_convention_is_refused_with_the_nearest():
    with pytest.raises(SpecError, match="did you mean 'trec_eval'"):
        evaluate(RUN, QRELS, ["map"], convention="treceval")


# Equal scores, and users without judgements


def test_replay_orders_equal_scores_by_item_with_numbers_by_value():
    run, qrels = (["u"] * 3, ["9", "10", "x"], [1.0] * 3), (["u"] * 2, ["9", "10"], [5, 4])
    first = {item: (["u"], [item], [5]) for item in ("9", "10", "x")}
    assert [item for item, own in first.items() if evaluate(run, own, ["P@1"], convention="replay").means["P@1"]] == ["x"]
    numbers = tuple(column[:2] for column in run)
    assert evaluate(numbers, first["10"], ["MRR@2"], convention="replay").means["MRR@2"] == 1
    assert evaluate(numbers, first["9"], ["MRR@2"], convention="replay").means["MRR@2"] == 1 / 2
    # trec_eval compares names as text.
    assert evaluate(numbers, first["9"], ["recip_rank"], convention="trec_eval").means["recip_rank"] == 1
    assert evaluate(run, qrels, ["MRR@3"], convention="replay").means["MRR@3"] == 1 / 2


@pytest.mark.parametrize("seed", range(4))
def test_map_and_auc_of_cornac_count_misses_before_hits_of_the_same_score(seed):
    rng = np.random.default_rng(seed)
    items = [f"i{n}" for n in range(30)]
    score, is_hit = rng.integers(0, 5, 30).astype(float), rng.random(30) < 0.3
    hits = np.flatnonzero(is_hit)
    # Cornac 3.0.1: rankdata(-scores, "max") among all items, and among the hits; a pair is correct if the hit's score is higher.
    at_least = [((score[is_hit] >= score[hit]).sum(), (score >= score[hit]).sum()) for hit in hits]
    higher = [score[hit] > other for hit in hits for other in score[~is_hit]]
    expected = {"MAP": np.mean([hit / all_of for hit, all_of in at_least]), "AUC": np.mean(higher)}
    run, qrels = (["u"] * 30, items, score), (["u"] * len(hits), [items[hit] for hit in hits], [5] * len(hits))
    given = {"convention": "cornac", "train_items": "all", "unknown": "keep"}
    found = evaluate(run, qrels, list(expected), **given)
    assert found.means == pytest.approx(expected, abs=1e-12)
    assert found.range_by_ties("AUC") == (found.means["AUC"], found.means["AUC"])
    # An order that the user chooses applies to all metrics.
    assert evaluate(run, qrels, ["AUC"], ties="optimistic", **given).means["AUC"] > expected["AUC"]


def test_lenskit_counts_a_user_with_a_list_and_no_test_item_as_zero():
    run, qrels = (["a", "b", "d"], ["x", "x", "x"], [1.0] * 3), (["a", "c"], ["x", "x"], [5, 5])
    # a is served, c has no list, b and d have no test item: LensKit averages 1, 0, 0 and 0.
    found = evaluate(run, qrels, ["NDCG@5", "Precision@5"], convention="lenskit", least_matched=0)
    assert found.means == {"NDCG@5": 1 / 4, "Precision@5": 1 / 4}
    assert found.n_users == 4
    assert found.population.endswith("of 3 users of the run, 2 are not judged and count as 0")
    assert evaluate(run, qrels, ["P@1"], least_matched=0).means == {"P@1": 1 / 2}
