"""Comparison with trec_eval, gdeval and ir_measures on 2,000 random rankings, including empty and short ones."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from shutil import which

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from oracle.boards import Rankings, Table, rows
from recsens import plugins
from recsens.metrics import WHOLE, Judged
from recsens.runs.evaluation import CONVENTIONS, Evaluation, Theirs, evaluate

N_USERS, N_ITEMS, DEPTHS = 1000, 50, (1, 3, 5, 10, 30, 100)
THEIRS = CONVENTIONS["trec_eval"].metrics

# Other output of trec_eval, which is text and has no mean: the name of the run, and the grades of its first items.
NOT_NUMBERS = {"runid", "relstring"}


def test_whatever_trec_eval_computes_in_numbers_has_its_name_under_the_convention():
    ours = [metric.name for metric in THEIRS]
    assert sorted([*ours, *NOT_NUMBERS]) == sorted(pytrec_eval.supported_measures)


@pytest.fixture(scope="module", params=[0, 1])
def rankings(request: pytest.FixtureRequest) -> Rankings:
    return Rankings.draw(request.param, N_USERS, N_ITEMS)


def test_cases_that_matter_are_among_the_rankings(rankings):
    relevant, listed = (rankings.ratings >= 4).sum(axis=1), (rankings.positions > 0).sum(axis=1)
    judged = rankings.ratings.any(axis=1)
    assert (judged & (listed == 0)).sum() >= 50
    assert (judged & (listed > 0) & (listed < 5)).sum() >= 100
    assert (judged & (listed > 0) & (relevant == 0)).sum() >= 50
    assert (~judged & (listed > 0)).sum() >= 50


# Output of both tools: users, names of metrics, values


def names_of(metric: Theirs, depths: Iterable[int]) -> list[str]:
    if metric.levels:
        return [name for name, _ in metric.at_levels(metric.levels)]
    return [metric.name] if metric.cutoff == "never" else [f"{metric.name}_{n}" for n in depths]


def names(depths: Iterable[int]) -> list[str]:
    return [name for metric in THEIRS for name in names_of(metric, depths)]


def is_geometric(name: str) -> bool:
    """Whether trec_eval prints no values of single users; in Python, it returns their logarithms."""
    return name.startswith("gm_")


def trec_evals_values(qrels: Table, run: Table, least: int, depths: Iterable[int]) -> dict[str, dict[str, float]]:
    cuts = ",".join(map(str, depths))
    asked = {metric.name if metric.cutoff == "never" else f"{metric.name}.{cuts}" for metric in THEIRS}
    return pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=least).evaluate(run)


@cache
def both(seed: int, grades: str) -> tuple[Evaluation, dict[str, dict[str, float]]]:
    """All of trec_eval's metrics under its convention, and each user's values from trec_eval."""
    drawn = Rankings.draw(seed, N_USERS, N_ITEMS)
    # Grades may differ among relevant items, and non-relevant items may have grades too.
    least, qrels = {
        "binary": (1, drawn.qrels(least=4, binary=True)),
        "graded": (1, drawn.qrels(least=4)),
        "graded below the threshold": (4, drawn.qrels()),
    }[grades]
    run = drawn.run()
    found = evaluate(rows(run), rows(qrels), names(DEPTHS), convention="trec_eval", relevance=least)
    return found, trec_evals_values(qrels, run, least, DEPTHS)


@pytest.mark.parametrize("grades", ["binary", "graded", "graded below the threshold"])
@pytest.mark.parametrize("seed", [0, 1])
def test_each_user_and_all_together_have_the_values_of_trec_eval_under_its_convention(seed, grades):
    evaluation, theirs = both(seed, grades)
    ours, columns = evaluation.per_user, [name for name in names(DEPTHS) if not is_geometric(name)]
    assert set(ours) == set(theirs)
    assert all(set(values) == set(columns) for values in ours.values())
    for name in columns:
        found, expected = ([table[user][name] for user in ours] for table in (ours, theirs))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9, err_msg=name)
    for name in names(DEPTHS):
        expected = pytrec_eval.compute_aggregated_measure(name, [values[name] for values in theirs.values()])
        assert evaluation.means[name] == pytest.approx(expected, abs=1e-9), name


@given(
    seed=st.integers(0, 10**6),
    n_users=st.integers(1, 8),
    n_items=st.integers(1, 12),
    share=st.sampled_from([0.05, 0.4, 1.0]),
    binary=st.booleans(),
)
@settings(max_examples=25)
@example(seed=0, n_users=2, n_items=1, share=1.0, binary=True)
def test_rankings_of_any_shape_have_the_values_of_trec_eval(seed, n_users, n_items, share, binary):
    drawn = Rankings.draw(seed, n_users, n_items, share)
    qrels, run, depths = drawn.qrels(least=3, binary=binary), drawn.run(), (1, 2, 5)
    # Neither tool has a value if no user is in both files, or if nothing is relevant.
    assume(set(qrels) & set(run) and any(map(any, (items.values() for items in qrels.values()))))
    found = evaluate(rows(run), rows(qrels), names(depths), convention="trec_eval", least_matched=0)
    theirs = trec_evals_values(qrels, run, 1, depths)
    assert set(found.per_user) == set(theirs)
    for user, values in found.per_user.items():
        assert {*values} == {name for name in names(depths) if not is_geometric(name)}
        assert values == pytest.approx({name: theirs[user][name] for name in values}, abs=1e-9)
    expected = {
        name: pytrec_eval.compute_aggregated_measure(name, [values[name] for values in theirs.values()]) for name in names(depths)
    }
    assert found.means == pytest.approx(expected, abs=1e-9)


IR_MEASURES = ["AP", "AP@10", "RR", "Rprec", "Bpref", "infAP", "P@5", "R@10", "Success@3", "nDCG@10", "SetP", "SetF"]


def test_each_user_has_the_values_of_ir_measures(rankings):
    run, qrels = rankings.run(), rankings.qrels(least=4)
    measures = {ir_measures.parse_measure(name): name for name in IR_MEASURES}
    expected = ir_measures_values(measures, qrels, run)
    found = evaluate(rows(run), rows(qrels), IR_MEASURES, convention="trec_eval", no_list="zero").per_user
    assert list(found) == list(qrels)
    for user, values in found.items():
        assert values == pytest.approx({name: expected[user, name] for name in values}, abs=1e-9)


def test_condensed_lists_are_those_of_which_ir_measures_reads_the_judged_items_only(rankings):
    run, qrels = rankings.run(), rankings.qrels(least=4)
    conditional = [name for name in IR_MEASURES if name not in {"Bpref", "infAP"}]
    measures = {ir_measures.parse_measure(name)(judged_only=True): name for name in conditional}
    expected = ir_measures_values(measures, qrels, run)
    found = evaluate(rows(run), rows(qrels), conditional, convention="trec_eval", view="condensed", no_list="zero").per_user
    for user, values in found.items():
        assert values == pytest.approx({name: expected[user, name] for name in values}, abs=1e-9)


def ir_measures_values(measures: dict, qrels: Table, run: Table) -> defaultdict[tuple[str, str], float]:
    """Return values by user and name, and 0 if there is none."""
    return defaultdict(
        float, {(m.query_id, measures[m.measure]): m.value for m in ir_measures.iter_calc(list(measures), qrels, run)}
    )


# Positions, as in a study: users without a list count as 0


def ours(spec: str, judged: Judged, cutoffs: tuple[int, ...] = DEPTHS) -> np.ndarray:
    return plugins.build("metric", spec).measure(judged, cutoffs)


def assert_same(found: np.ndarray, rankings: Rankings, expected: list[list[float]], within: float = 1e-9) -> None:
    """Compare users with a judged item, and check that all others have 0."""
    judged = rankings.ratings.any(axis=1)
    np.testing.assert_allclose(found[judged], expected, rtol=0, atol=within)
    assert not found[~judged].any()


def of_all(qrels: Table, run: Table, measure: str, keys: list[str]) -> list[list[float]]:
    """Evaluate all users with trec_eval; 0 for a user without a single ranked item."""
    found = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    return [[found.get(user, {}).get(key, 0.0) for key in keys] for user in qrels]


def at_depths(qrels: Table, run: Table, measure: str) -> list[list[float]]:
    cuts = ",".join(map(str, DEPTHS))
    return of_all(qrels, run, f"{measure}.{cuts}", [f"{measure}_{depth}" for depth in DEPTHS])


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize(("spec", "theirs"), [("P", "P"), ("R", "recall"), ("Success", "success"), ("AP", "map_cut")])
def test_what_trec_eval_cuts_is_the_same(rankings, view, spec, theirs):
    expected = at_depths(rankings.qrels(least=4), rankings.run(view), theirs)
    assert_same(ours(spec, rankings.judged(view)), rankings, expected)


WHOLE_RANKING = {
    "map": "AP",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "infAP": "infAP(pool=judged)",
    "Rprec": "Rprec",
    "set_P": "SetP",
    "set_recall": "R",
    "set_F": "SetF",
    "set_F.2.5": "SetF(beta=2.5)",
}


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize(("theirs", "spec"), WHOLE_RANKING.items())
def test_what_trec_eval_reads_whole_is_the_same(rankings, view, theirs, spec):
    expected = of_all(rankings.qrels(least=4), rankings.run(view), theirs, [theirs.partition(".")[0]])
    assert_same(ours(spec, rankings.judged(view), (WHOLE,)), rankings, expected)


def test_inferred_precision_of_a_pool_of_all_items_is_that_of_trec_eval(rankings):
    # For trec_eval, a grade of -1 marks an item in the pool that nobody judged.
    pool = {f"i{item:03}": -1 for item in range(N_ITEMS)}
    qrels = {user: {**pool, **items} for user, items in rankings.qrels(least=4).items()}
    assert_same(ours("infAP", rankings.judged(), (WHOLE,)), rankings, of_all(qrels, rankings.run(), "infAP", ["infAP"]))


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize(("gain", "least"), [("linear", 1), ("binary", 4)])
def test_ndcg_with_a_cut_ideal_is_that_of_trec_eval(rankings, view, gain, least):
    qrels = rankings.qrels(least, binary=gain == "binary")
    expected = at_depths(qrels, rankings.run(view), "ndcg_cut")
    assert_same(ours(f"nDCG(gain={gain})", rankings.judged(view)), rankings, expected)


def test_ndcg_of_the_whole_ranking_is_that_of_trec_eval(rankings):
    expected = of_all(rankings.qrels(), rankings.run(), "ndcg", ["ndcg"])
    assert_same(ours("nDCG(gain=linear,ideal=uncut)", rankings.judged(), (WHOLE,)), rankings, expected)


@pytest.mark.skipif(which("perl") is None, reason="gdeval is a Perl script")
def test_exponential_gains_and_expected_reciprocal_rank_are_those_of_gdeval(rankings):
    # 2^grade - 1 with grades from 0: the same ratio as our gain, whose scale starts at 1. gdeval prints five decimals.
    grades = {user: {item: grade - 1 for item, grade in items.items()} for user, items in rankings.qrels().items()}
    measures = {kind @ depth: spec for spec, kind in GDEVAL.items() for depth in (5, 10)}
    found = {(m.query_id, m.measure): m.value for m in ir_measures.gdeval.iter_calc(list(measures), grades, rankings.run())}
    for spec in GDEVAL:
        asked = [measure for measure, name in measures.items() if name == spec]
        expected = [[found.get((user, measure), 0.0) for measure in asked] for user in grades]
        assert_same(ours(spec, rankings.judged(), (5, 10)), rankings, expected, within=1e-5)


GDEVAL = {"nDCG(gain=exp)": ir_measures.nDCG(dcg="exp-log2"), "ERR": ir_measures.ERR}


def test_the_unrated_share_is_the_rest_of_what_ir_measures_calls_judged(rankings):
    run = {user: items for user, items in rankings.run().items() if len(items) >= 10}
    found = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.Judged @ 10], rankings.qrels(), run)}
    unrated = ours("Unrated", rankings.judged(), (10,))[:, 0]
    assert len(found) > 100
    for user, judged in found.items():
        if user in run:
            assert 1 - judged == pytest.approx(unrated[int(user)], abs=1e-9)
