"""What other tools call a metric is what they compute: worked by hand, and against the tables of a published comparison."""

from math import log2

import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from recsens.errors import DataError, SpecError
from recsens.evaluation import CONVENTIONS, evaluate
from recsens.evaluation._names import asked_for

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
        ("ranksys", "NDCG@5", (3 * LOG[1] + LOG[3]) / (3 * LOG[1] + LOG[2] + LOG[3])),
        ("elliot", "nDCG@5", (3 * LOG[1] + LOG[3]) / (3 * LOG[1] + LOG[2] + LOG[3])),
        ("trec_eval", "ndcg_cut_2", 5 * LOG[1] / (5 * LOG[1] + 4 * LOG[2])),
        ("trec_eval", "ndcg", (5 * LOG[1] + 4 * LOG[3]) / (5 * LOG[1] + 4 * LOG[2] + 4 * LOG[3])),
        ("lenskit", "RBP@5", 0.15 * (1 + 0.85**2)),
        ("trec_eval", "relative_P_2", 1 / 2),
        ("rectools", "Precision(r_precision=True)@5", 2 / 3),
        ("rectools", "MAP(divide_by_k=True)@5", (1 + 2 / 3) / 5),
        ("rectools", "NDCG(divide_by_achievable=True)@5", (LOG[1] + LOG[3]) / (LOG[1] + LOG[2] + LOG[3])),
        ("rectools", "F1Beta@5", 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
        # Of two misses, the hits stand above two and one; PAP counts two relevant items of three.
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
    found = evaluate(run, qrels, ["AP"], convention="sklearn", relevance=4)
    assert found.means["AP"] == pytest.approx(expected)


def test_ties_that_matter_are_refused_where_a_tool_averages_them():
    with pytest.raises(DataError, match="user 'u' has one score for items of different worth"):
        evaluate((["u", "u"], ["a", "x"], [1, 1]), QRELS, ["ndcg_score@3"], convention="sklearn")


@pytest.mark.parametrize("convention", sorted(set(CONVENTIONS) - {"recsens"}))
def test_every_metric_of_a_tool_is_one_of_ours(convention):
    found = evaluate(RUN, QRELS, convention=convention)
    assert len(found.labels) == len(CONVENTIONS[convention].metrics)
    assert all(0 <= value <= 1 for value in found.means.values())


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


@pytest.mark.parametrize(
    ("asked", "convention", "message"),
    [
        ("F1@10", "trec_eval", "trec_eval has no metric 'F1'"),
        ("recip_rank_10", "trec_eval", "computes recip_rank only without a cut-off"),
        ("NDCG", "recbole", "computes NDCG only with a cut-off"),
        ("precisionA@3", "mllib", "did you mean 'precisionAt'"),
        # Parameters that the tool does not know are not passed over.
        ("nDCG(gain=exp)@5", "trec_eval", r"trec_eval has no metric 'nDCG\(gain=exp\)'"),
        ("AP(denominator=min)", "trec_eval", r"trec_eval has no metric 'AP\(denominator=min\)'"),
    ],
)
def test_a_metric_that_a_tool_lacks_is_refused(asked, convention, message):
    with pytest.raises(SpecError, match=message):
        evaluate(RUN, QRELS, [asked], convention=convention)


def test_an_unknown_convention_is_refused_with_the_nearest():
    with pytest.raises(SpecError, match="did you mean 'trec_eval'"):
        evaluate(RUN, QRELS, ["map"], convention="treceval")
