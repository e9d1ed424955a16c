"""The Python interface gives a study's numbers to the last bit: same random streams, same users, same tests."""

from typing import Any

import pandas as pd
import pytest

import recsens
from notebook.steps import Found, Rows, run_steps
from recsens.notebook.measures import Measures
from recsens.study.taxonomy import DESIGN, decision

DATA = "simulated(users=50,items=150,ratings=1500)"
METRICS = ["nDCG@10", "P@5", "AP"]

CASES: list[tuple[str, dict[str, Any], tuple[str, str], list[str]]] = [
    ("defaults", {}, ("popularity", "user_knn(k=10)"), METRICS),
    ("folds", {"split": "k_fold(k=3)", "repeats": 2}, ("user_knn(k=10)", "random"), METRICS),
    (
        "filters that draw",
        {"filter": "sample(ratings=0.9)+ratings_per_user(at_least=5)+sample(ratings=0.9)"},
        ("popularity", "random"),
        METRICS,
    ),
    ("fallback", {"nc": "append(by=random)", "ties": "high_index"}, ("user_knn(k=2)", "popularity"), METRICS),
    ("left out", {"nc": "drop", "coverage": "reduced", "split": "random(ratio=0.1)"}, ("user_knn(k=1)", "popularity"), METRICS),
    ("condensed", {"view": "condensed", "relevance": 5.0}, ("user_knn(k=10)", "popularity"), METRICS),
    ("sampled targets", {"targets": "ar(n=20)", "relevance": 3.0}, ("hkv(factors=2,epochs=2)", "popularity"), METRICS),
    ("one relevant", {"targets": "one_r(n=30)", "relevance": 5.0}, ("user_knn(k=10)", "popularity"), METRICS),
    ("percentiles", {"targets": "p1r(m=4)"}, ("user_knn(k=10)", "popularity"), METRICS),
    ("users", {"users": "with_ratings(relevant=1)", "aggregate": "weighted(by=test)"}, ("user_knn(k=10)", "popularity"), METRICS),
    ("risk", {"aggregate": "georisk", "test": "wilcoxon"}, ("user_knn(k=10)", "popularity"), METRICS),
    ("draws", {"test": "randomisation(samples=200)", "correction": "holm"}, ("user_knn(k=10)", "popularity"), METRICS),
    ("validated", {"split": "validated(of=random)"}, ("tuned(search=grid(k=[2,5]),split=validation)", "popularity"), METRICS),
    ("tuned", {}, ("tuned(search=grid(k=[2,5]))", "popularity"), METRICS),
    ("tuned by time", {"split": "temporal"}, ("tuned(search=grid(k=[2,5]))", "popularity"), METRICS),
    ("lists", {}, ("user_knn(k=10)", "popularity"), ["Gini@10", "Unrated@10", "EPC@5", "P@5"]),
    ("condensed lists", {"view": "condensed"}, ("user_knn(k=10)", "popularity"), ["Gini@10", "P@5"]),
    ("errors", {}, ("average_rating", "biased_mf(factors=2,epochs=2)"), ["RMSE", "uRMSE", "P@5"]),
]


def by_front(design: dict[str, Any], systems: tuple[str, str], metrics: list[str], seed: int) -> dict[str, list[Measures]]:
    """Run the chain of calls on every fold."""
    ratings = recsens.load(DATA, seed=seed)
    if "filter" in design:
        # Filters one after another, as in a notebook, equal the chain.
        for link in design["filter"].split("+"):
            ratings = recsens.filter(ratings, link)
    ranking = {name: design[name] for name in ("targets", "nc", "ties", "relevance") if name in design}
    found: dict[str, list[Measures]] = {"A": [], "B": []}
    for fold in recsens.folds(ratings, design.get("split", "random"), repeats=design.get("repeats", 1)):
        train, test = fold
        for label, system in zip(found, systems, strict=True):
            ranked = recsens.rank(recsens.fit(system, train), test, **ranking)
            found[label].append(recsens.measure(ranked, metrics, view=design.get("view", "full")))
    return found


def by_study(design: dict[str, Any], systems: tuple[str, str], metrics: list[str], seed: int) -> Found:
    """Run the same experiment as a study."""
    study = {
        "title": "t",
        "seed": seed,
        "datasets": {"S": DATA},
        "systems": dict(zip("AB", systems, strict=True)),
        "metrics": metrics,
    }
    return run_steps({**study, "design": design})


def assert_holds(frame: pd.DataFrame, rows: Rows, *, but: frozenset[str] = frozenset()) -> None:
    """Assert that a frame equals rows in all columns that both have, except for a study's own spelling of options."""
    assert len(frame) == len(rows)
    but |= {each.column for each in DESIGN if each.kind is not None}
    shared = [name for name in frame.columns if name in rows[0] and name not in but]
    expected = pd.DataFrame(rows)[shared]
    pd.testing.assert_frame_equal(frame.reset_index(drop=True)[shared], expected, check_dtype=False, check_exact=True)


@pytest.mark.parametrize(("design", "systems", "metrics"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_the_front_gives_the_numbers_of_a_study(tmp_path, monkeypatch, design, systems, metrics):
    monkeypatch.chdir(tmp_path)
    study = by_study(design, systems, metrics, seed=7)
    measures = by_front(design, systems, metrics, seed=7)
    averaging = {name: design[name] for name in ("users", "aggregate", "coverage") if name in design}
    testing = {name: design[name] for name in ("test", "correction") if name in design}

    summary = recsens.summarise(measures, **averaging)
    in_order = sorted(study.summary, key=lambda row: metrics.index(_short(row["metric"])))
    assert [label for label, _ in summary.index] == [row["system"] for row in in_order]
    assert summary["definition"].tolist() == [row["metric_full"] for row in in_order]
    # Decisions that do not affect a summary have their default there; the comparison gives their values.
    assert_holds(summary, in_order, but=frozenset(decision(key).full_column for key in testing))
    assert {"value", "n_users", "effective_users", "full", "reduced", "user_coverage", "split", "seed"} <= set(summary.columns)

    compared = recsens.compare_all(measures, **averaging, **testing)
    assert_holds(compared, [row for row in study.comparisons if row["fold"] == "all"])
    assert {"difference", "low", "high", "p_value", "p_adjusted", "users", "hypothesis"} <= set(compared.columns)

    counted = recsens.counted({"A": measures["A"]}, **{name: averaging[name] for name in averaging if name != "coverage"})
    assert_holds(counted, [row for row in study.counted if row["systems"] in {"all", "A"}], but=frozenset({"systems"}))


def _short(metric: str) -> str:
    from recsens.metrics import parse_measured_at

    return parse_measured_at(metric)[0].short


def test_a_comparison_of_two_is_that_of_the_study():
    measures = by_front({}, ("popularity", "user_knn(k=10)"), ["P@5", "AP"], seed=3)
    two = recsens.compare(measures["A"], measures["B"], test="t")
    both = recsens.compare_all(measures)
    assert two.index.tolist() == ["P@5", "AP"]
    assert two.loc["AP", "p_value"] == both.loc[("A", "B", "AP"), "p_value"]
    assert two.loc["AP", "value_a"] - two.loc["AP", "value_b"] == pytest.approx(two.loc["AP", "difference"])
