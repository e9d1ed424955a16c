"""Under trec_eval's convention, the values of trec_eval."""

from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from recsens.errors import DataError, DesignError, SpecError
from recsens.files.scale import Scale
from recsens.metrics.variants.conventions import CONVENTIONS
from recsens.runs.evaluation import evaluate

CUTOFFS = (1, 3, 5, 10, 100)
THEIRS = CONVENTIONS["trec_eval"].metrics
ALL = [metric.name for metric in THEIRS if metric.cutoff == "never" and not metric.levels and not metric.name.startswith("gm_")]
ALL += [name for metric in THEIRS for name, _ in metric.at_levels(metric.levels)]
ALL += [f"{metric.name}_{n}" for metric in THEIRS if metric.cutoff == "always" for n in CUTOFFS]


def draw(seed: int, *, lowest: int = 0) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Draw a run with many ties, short lists and unjudged items, and judgements that leave some users without a relevant item.

    Judgements below 0 name items in the pool that nobody judged. Every user has another judgement: otherwise trec_eval reads beyond
    its memory.
    """
    rng = np.random.default_rng(seed)
    names = [f"i{number}" for number in rng.permutation(60)] + ["Zoë", "é", "z"]
    run, qrels = {}, {}
    for user in range(40):
        length = int(rng.integers(1, len(names)))
        chosen = rng.permutation(len(names))[:length]
        # Few distinct values, which give many ties; some differences are below the precision of trec_eval.
        run[f"u{user}"] = {names[i]: float(rng.integers(0, 12)) + 1e-12 * float(rng.integers(0, 2)) for i in chosen}
        judged = rng.permutation(len(names))[: int(rng.integers(1, 30))]
        qrels[f"u{user}"] = {names[i]: int(rng.integers(lowest, 4)) * (user > 2) for i in judged}
        qrels[f"u{user}"][names[judged[0]]] = max(qrels[f"u{user}"][names[judged[0]]], 0)
    del run["u7"], qrels["u8"]
    return run, qrels


def rows(table: dict[str, dict[str, float]]) -> tuple[list[str], list[str], list[float]]:
    cells = [(user, item, value) for user, items in table.items() for item, value in items.items()]
    return tuple(map(list, zip(*cells, strict=True)))


@pytest.fixture(scope="module", params=[(0, 0), (1, 0), (2, 0), (3, -3), (4, -3)], ids=lambda drawn: f"{drawn[0]} from {drawn[1]}")
def tables(request):
    seed, lowest = request.param
    return draw(seed, lowest=lowest)


def theirs(run, qrels, names, **options: bool) -> dict[str, dict[str, float]]:
    wanted = {name.rpartition("_")[0] + "." + name.rpartition("_")[2] if name[-1].isdigit() else name for name in names}
    # For metrics with a recall level, the name is given without it.
    wanted = {name.partition(".")[0] if name.startswith(("iprec", "Rprec_mult")) else name for name in wanted}
    return pytrec_eval.RelevanceEvaluator(qrels, wanted, **options).evaluate(run)


def test_each_user_has_the_values_of_trec_eval(tables):
    run, qrels = tables
    expected = theirs(run, qrels, ALL)
    found = evaluate(rows(run), rows(qrels), ALL, convention="trec_eval").per_user
    assert set(found) == set(expected)
    assert len(found) == 38  # users of both files
    for user, values in expected.items():
        assert found[user] == pytest.approx({name: values[name] for name in ALL}, abs=1e-9), user


def test_condensed_lists_are_those_of_judged_items_only(tables):
    run, qrels = tables
    names = ["bpref", "infAP", "ndcg", "ndcg_cut_5", "map", "P_3", "recip_rank"]
    expected = theirs(run, qrels, names, judged_docs_only_flag=True)
    found = evaluate(rows(run), rows(qrels), names, convention="trec_eval", view="condensed").per_user
    for user, values in expected.items():
        assert found[user] == pytest.approx({name: values[name] for name in names}, abs=1e-9), user


def test_what_is_in_the_pool_and_not_judged_is_no_judgement():
    # b and d are in the pool, x is not; above c one of a and e is relevant. infAP: (1/3 (1 + 1) + 1/6 (1 + 4 * 1 / 2)) / 2.
    run = (["u"] * 6, ["b", "x", "a", "d", "e", "c"], [6, 5, 4, 3, 2, 1])
    qrels = (["u"] * 5, ["a", "b", "c", "d", "e"], [3, -1, 1, -2, 0])
    found = evaluate(run, qrels, ["bpref", "infAP", "ndcg_cut_3"], convention="trec_eval")
    assert found.means["bpref"] == pytest.approx((1 + 0) / 2)
    assert found.means["infAP"] == pytest.approx((1 / 3 * (1 + 1 / 2) + 1 / 6 * (1 + 4 / 2)) / 2, abs=1e-5)
    assert found.means["ndcg_cut_3"] == pytest.approx(3 / 2 / (3 + 1 / np.log2(3)))
    assert found.settings.scale.lowest == 0
    assert found.n_unjudged == 2


def test_an_item_above_that_nobody_judged_costs_nothing():
    run, qrels = (["u", "u"], ["b", "a"], [2, 1]), (["u", "u"], ["a", "b"], [1, -1])
    assert evaluate(run, qrels, ["bpref"], convention="trec_eval").means == {"bpref": 1}
    # Our own bpref counts every judgement as a judgement.
    assert evaluate(run, qrels, ["Bpref"], relevance=1).means == {"Bpref": 0}


def test_an_item_of_the_pool_is_worth_no_less_than_one_outside_it():
    # a and b tie; one is in the pool, and neither was judged, so their order does not matter.
    run, qrels = (["u"] * 3, ["a", "b", "c"], [1, 1, 0]), (["u"] * 2, ["a", "c"], [-1, 1])
    assert evaluate(run, qrels, ["P@3"], convention="trec_eval", ties="refuse").means == {"P@3": pytest.approx(1 / 3)}


def test_a_user_of_whom_nothing_is_judged_is_averaged_as_one_without_relevant_items():
    run, qrels = (["u", "v"], ["a", "a"], [1, 1]), (["u", "v"], ["a", "a"], [1, -1])
    assert evaluate(run, qrels, ["map", "bpref", "ndcg"], convention="trec_eval").means == {"map": 0.5, "bpref": 0.5, "ndcg": 0.5}


def test_judgements_that_are_all_below_zero_are_refused():
    with pytest.raises(DataError, match="nothing is judged: for trec_eval, a judgement below 0 means that the item is not judged"):
        evaluate((["u"], ["a"], [1]), (["u"], ["a"], [-1]), ["map"], convention="trec_eval")


def test_a_scale_from_below_zero_is_refused():
    with pytest.raises(
        DesignError, match="the rating scale starts at -2: for trec_eval, a judgement below 0 means that the item is not judged"
    ):
        evaluate((["u"], ["a"], [1]), (["u"], ["a"], [1]), ["ndcg"], convention="trec_eval", scale=Scale(-2, 5))


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ("iprec_at_recall", [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]),
        ("iprec_at_recall.0.25,.5", ["iprec_at_recall_0.25", "iprec_at_recall_0.50"]),
        ("iprec_at_recall_1", ["iprec_at_recall_1.00"]),
        ("Rprec_mult_0.20", ["Rprec_mult_0.20"]),
    ],
)
def test_levels_are_asked_for_as_trec_eval_writes_them(tables, asked, labels):
    run, qrels = tables
    assert evaluate(rows(run), rows(qrels), [asked], convention="trec_eval").labels == labels


def test_a_level_out_of_range_is_refused(tables):
    run, qrels = tables
    with pytest.raises(SpecError, match="recall"):
        evaluate(rows(run), rows(qrels), ["iprec_at_recall_1.5"], convention="trec_eval")


def test_zeros_for_users_without_a_list_make_the_means_of_ir_measures(tables):
    run, qrels = tables
    names = ["nDCG@10", "AP", "AP@5", "P@5", "R@20", "RR", "Rprec", "Bpref", "Success@3"]
    expected = ir_measures.calc_aggregate(map(ir_measures.parse_measure, names), qrels, run)
    found = evaluate(rows(run), rows(qrels), names, convention="trec_eval", no_list="zero").means
    assert list(found.values()) == pytest.approx([expected[ir_measures.parse_measure(name)] for name in names], abs=1e-9)


def test_files_in_any_order_of_lines_say_the_same(tables, tmp_path: Path):
    run, qrels = tables
    lines = [f"{u} Q0 {i} 1 {s!r} me\n" for u, i, s in zip(*rows(run), strict=True)]
    judged = [f"{u}\t0\t{i}\t{r}\n" for u, i, r in zip(*rows(qrels), strict=True)]
    (tmp_path / "run.txt").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "mixed.txt").write_text("".join(np.random.default_rng(1).permutation(lines)), encoding="utf-8")
    (tmp_path / "qrels").write_text("".join(np.random.default_rng(2).permutation(judged)), encoding="utf-8")
    (tmp_path / "straight").write_text("".join(judged), encoding="utf-8")
    asked = ["map", "ndcg_cut.5,10", "P_10"]
    straight = evaluate(tmp_path / "run.txt", tmp_path / "straight", asked, convention="trec_eval")
    mixed = evaluate(tmp_path / "mixed.txt", tmp_path / "qrels", asked, convention="trec_eval")
    assert straight.labels == ["map", "ndcg_cut_5", "ndcg_cut_10", "P_10"]
    for user, values in straight.per_user.items():
        assert mixed.per_user[user] == pytest.approx(values, abs=1e-12)
