"""Second opinions: trec_eval, gdeval and ir_measures on random rankings, with short lists and unjudged items."""

from dataclasses import dataclass
from shutil import which

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from recsens import plugins
from recsens.interactions import Scale
from recsens.metrics import WHOLE, Judged

N_USERS, N_ITEMS, DEPTHS = 300, 50, (1, 3, 5, 10, 30, 100)


@dataclass(frozen=True)
class Rankings:
    """Random rankings, as others read them and as positions."""

    ratings: np.ndarray
    """Shape (n_users, n_items); 0 where an item is not judged."""
    positions: np.ndarray
    """Shape (n_users, n_items); 0 where an item is not ranked."""

    @classmethod
    def draw(cls, seed: int) -> "Rankings":
        rng = np.random.default_rng(seed)
        ratings = rng.choice([0, 1, 2, 3, 4, 5], (N_USERS, N_ITEMS), p=[0.6, 0.08, 0.08, 0.08, 0.08, 0.08])
        ratings[:3] = np.minimum(ratings[:3], 3)
        lengths = rng.integers(1, N_ITEMS + 1, N_USERS)
        order = np.argsort(rng.random((N_USERS, N_ITEMS)), axis=1).argsort(axis=1) + 1
        return cls(ratings, np.where(order <= lengths[:, np.newaxis], order, 0))

    def judged(self, view: str = "full") -> Judged:
        user, item = np.nonzero(self.ratings)
        return Judged.of(
            user=user.astype(np.int32),
            position=self.positions[user, item].astype(np.int64),
            rating=self.ratings[user, item].astype(float),
            targets_ranked=(self.positions > 0).sum(axis=1),
            view=view,
            scale=Scale(),
            relevance=4,
        )

    def qrels(self, least: int = 1) -> dict[str, dict[str, int]]:
        """Ratings as grades, lower ones as grade 0."""
        return {
            f"{user}": {f"i{item:03}": int(row[item]) if row[item] >= least else 0 for item in np.flatnonzero(row)}
            for user, row in enumerate(self.ratings)
        }

    def run(self, view: str = "full") -> dict[str, dict[str, float]]:
        """Scores that fall with the position; only judged items where condensed."""
        kept = self.positions * ((self.ratings > 0) if view == "condensed" else 1)
        return {f"{u}": {f"i{i:03}": 1000.0 - row[i] for i in np.flatnonzero(row)} for u, row in enumerate(kept)}


@pytest.fixture(scope="module", params=[0, 1])
def rankings(request: pytest.FixtureRequest) -> Rankings:
    return Rankings.draw(request.param)


def ours(spec: str, judged: Judged, cutoffs: tuple[int, ...] = DEPTHS) -> np.ndarray:
    return plugins.build("metric", spec).measure(judged, cutoffs)


def trec_eval(qrels: dict, run: dict, measure: str) -> np.ndarray:
    """Evaluate all users with trec_eval, a column a cut-off; 0 for a user without a single ranked item."""
    names = [f"{measure}_{depth}" for depth in DEPTHS]
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"{measure}.{','.join(map(str, DEPTHS))}"}).evaluate(run)
    return np.array([[found.get(user, {}).get(name, 0.0) for name in names] for user in qrels])


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize(("spec", "theirs"), [("P", "P"), ("R", "recall"), ("Success", "success"), ("AP", "map_cut")])
def test_what_trec_eval_cuts_is_the_same(rankings, view, spec, theirs):
    expected = trec_eval(rankings.qrels(least=4), rankings.run(view), theirs)
    np.testing.assert_allclose(ours(spec, rankings.judged(view)), expected, rtol=0, atol=1e-9)


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
    assert_same_whole(rankings.qrels(least=4), rankings.run(view), theirs, ours(spec, rankings.judged(view), (WHOLE,)))


def test_inferred_precision_of_a_pool_of_all_items_is_that_of_trec_eval(rankings):
    # To trec_eval, a grade of -1 is an item in the pool that nobody judged.
    qrels = {user: {**{f"i{item:03}": -1 for item in range(N_ITEMS)}, **items} for user, items in rankings.qrels(least=4).items()}
    assert_same_whole(qrels, rankings.run(), "infAP", ours("infAP", rankings.judged(), (WHOLE,)))


def assert_same_whole(qrels: dict, run: dict, theirs: str, found: np.ndarray) -> None:
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, {theirs}).evaluate(run)
    name = theirs.partition(".")[0]
    expected = [evaluated.get(user, {}).get(name, 0.0) for user in qrels]
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize(("gain", "least"), [("linear", 1), ("binary", 4)])
def test_ndcg_with_a_cut_ideal_is_that_of_trec_eval(rankings, view, gain, least):
    qrels = rankings.qrels(least)
    if gain == "binary":
        qrels = {user: {item: int(grade > 0) for item, grade in items.items()} for user, items in qrels.items()}
    expected = trec_eval(qrels, rankings.run(view), "ndcg_cut")
    np.testing.assert_allclose(ours(f"nDCG(gain={gain})", rankings.judged(view)), expected, rtol=0, atol=1e-9)


def test_ndcg_of_the_whole_ranking_is_that_of_trec_eval(rankings):
    found = pytrec_eval.RelevanceEvaluator(rankings.qrels(), {"ndcg"}).evaluate(rankings.run())
    expected = [found[user]["ndcg"] for user in rankings.qrels()]
    np.testing.assert_allclose(
        ours("nDCG(gain=linear,ideal=uncut)", rankings.judged(), (N_ITEMS,))[:, 0], expected, rtol=0, atol=1e-9
    )


@pytest.mark.skipif(which("perl") is None, reason="gdeval is a Perl script")
def test_exponential_gains_and_expected_reciprocal_rank_are_those_of_gdeval(rankings):
    # 2^grade - 1 with grades from 0: the same ratio as our gain, whose scale starts at 1. gdeval prints five decimals.
    grades = {user: {item: grade - 1 for item, grade in items.items()} for user, items in rankings.qrels().items()}
    for spec, kind in (("nDCG(gain=exp)", ir_measures.nDCG(dcg="exp-log2")), ("ERR", ir_measures.ERR)):
        measures = [kind @ depth for depth in (5, 10)]
        found = {(m.query_id, m.measure): m.value for m in ir_measures.gdeval.iter_calc(measures, grades, rankings.run())}
        expected = [[found.get((user, measure), 0.0) for measure in measures] for user in grades]
        np.testing.assert_allclose(ours(spec, rankings.judged(), (5, 10)), expected, rtol=0, atol=1e-5)


def test_the_unrated_share_is_the_rest_of_what_ir_measures_calls_judged(rankings):
    run = {user: items for user, items in rankings.run().items() if len(items) >= 10}
    found = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.Judged @ 10], rankings.qrels(), run)}
    unrated = ours("Unrated", rankings.judged(), (10,))[:, 0]
    for user in run:
        assert 1 - found[user] == pytest.approx(unrated[int(user)], abs=1e-9)
