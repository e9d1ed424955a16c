"""What several data sets say together in the report: first screen, section, tables, figure and methods."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from recsens.comparison.random_effects import RandomEffects
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.figure_style import house_style
from recsens.report.figures import FigureData
from recsens.report.figures.forest import Forest
from recsens.report.sentences.best import chance_sentences
from recsens.report.sentences.over_datasets import (
    first_sentences,
    how_combined,
    means_without,
    over_datasets_in_methods,
    over_datasets_sentences,
)
from recsens.report.tables.questions import order_over_datasets, pairs_over_datasets, won_by_effort
from recsens.study import Study
from recsens.tables.texts import to_text

DATASETS = {f"Set {n}": f"lab_plugins.Ratings(name=set{n})" for n in range(1, 6)}
SYSTEMS = {"kNN": "lab_plugins.Neighbours", "MF": "lab_plugins.Factors", "Pop_1": "lab_plugins.Popular"}
STRENGTHS = {"kNN": [0.0, 0.1, 0.02, -0.05, 0.3], "MF": [0.1, 0.12, 0.11, 0.08, 0.1], "Pop_1": [-0.9, -1.0, -0.95, -0.97, -1.1]}
"""Logarithms of values, data set by data set: kNN and MF depend on the data set, popularity is always far behind."""


@pytest.fixture(scope="module")
def make(make_study: Callable[..., Study], make_results: Callable[..., Results]) -> Callable[..., OverDatasets]:
    def made(scale: str = "relative", n: int = 5, friedman: bool = False, **changes: object) -> OverDatasets:
        families = {"families": {"Site": [f"Set {place}" for place in range(4, n + 1)]}} if n > 4 else {}
        datasets = dict(list(DATASETS.items())[:n])
        plain = {"published": [], "published_comparisons": [], "experiments": {}, "vary": {}, "metrics": ["P@10"]}
        study = make_study(
            **{
                **plain,
                "datasets": datasets,
                "systems": SYSTEMS,
                "over_datasets": {"scale": scale, "friedman": friedman, **families},
                **changes,
            }
        )
        rows, effects = [], []
        for a, b in study.own.pairs():
            values = np.array(STRENGTHS[a][:n]) - np.array(STRENGTHS[b][:n])
            errors = np.full(n, 0.02)
            if n > 4:
                values, errors = np.append(values[:3], values[3:].mean()), np.append(errors[:3], 0.02 / np.sqrt(n - 3))
            over = RandomEffects(values[np.newaxis], errors[np.newaxis])
            names = [
                "these",
                "these_error",
                "these_low",
                "these_high",
                "alike",
                "alike_error",
                "alike_low",
                "alike_high",
                "p_value",
            ]
            found = dict(zip(names, (float(each[0]) for each in (*over.these[:4], *over.alike)), strict=True))
            found |= dict(zip(("new_low", "new_high"), (float(each[0]) for each in over.new), strict=True))
            found |= dict(zip(("tau_low", "tau_high"), (float(each[0]) for each in over.tau_interval), strict=True))
            found |= {"tau": float(over.tau[0]), "between": float(over.between[0]), "families": int(over.n_families[0])}
            winner = (a if found["alike"] > 0 else b) if found["p_value"] < 0.05 else ""
            head = {"system_a": a, "system_b": b, "metric": "P@10", "metric_full": "P@10", "scale": study.own.scale}
            flags = {"winner": winner, "is_equivalent": False, "is_base": True}
            rows.append({**head, **found, "p_adjusted": found["p_value"], **flags})
            for label, value in zip(study.datasets, np.array(STRENGTHS[a]) - np.array(STRENGTHS[b]), strict=False):
                effects.append(
                    {**head, "dataset": label, "effect": value, "error": 0.02, "low": value - 0.04, "high": value + 0.04}
                )
        rows += [{**row, "is_base": False, "winner": "Pop_1"} for row in rows]
        tables = make_results(study).with_tables(over_datasets=pd.DataFrame(rows), effects=pd.DataFrame(effects))
        return OverDatasets(study.own, tables)

    return made


def test_what_the_report_says(make: Callable[..., OverDatasets], approved):
    four, few = make(), make(n=2)
    approved(
        {
            "first": first_sentences(four),
            "asked": first_sentences(make(compare=[["kNN", "Pop_1"]])),
            "two families": first_sentences(few),
            "how": how_combined(four),
            "pairs": over_datasets_sentences(four),
            "standardised": over_datasets_sentences(make("standardised"))[:1],
            "difference": over_datasets_sentences(make("difference"))[:1],
            "methods": [over_datasets_in_methods(four.part)],
            "tables": [*to_text(pairs_over_datasets(four)).splitlines(), *to_text(order_over_datasets(four)).splitlines()],
            "mean ranks": [
                *to_text(order_over_datasets(make(friedman=True))).splitlines(),
                *order_over_datasets(make(friedman=True)).notes,
                *to_text(pairs_over_datasets(make(friedman=True))).splitlines(),
                pairs_over_datasets(make(friedman=True)).notes[-1],
            ],
            "of two families": to_text(pairs_over_datasets(few)).splitlines(),
        }
    )


def test_ranks_lie_in_intervals_and_the_best_is_first(make: Callable[..., OverDatasets]):
    ranks = make().ranks
    assert list(ranks) == ["MF", "kNN", "Pop_1"] or list(ranks) == ["kNN", "MF", "Pop_1"]
    assert {system: (first, last) for system, (_, first, last) in ranks.items()} == {"MF": (1, 2), "kNN": (1, 2), "Pop_1": (3, 3)}
    assert sum(effect for effect, _, _ in ranks.values()) == pytest.approx(0)
    assert order_over_datasets(make(n=2)).is_empty
    assert make(compare=[["kNN", "Pop_1"]]).ranks == {}


def _ranked_by_hand(values: np.ndarray, alpha: float) -> list[tuple[int, int]]:
    """Return the first and last place of each system among all orders that no rejected hypothesis contradicts.

    ``values`` has the logarithm of each system's value on each family, shape (n_systems, n_families). Pairs are rejected by Holm's
    procedure over all pairs, step by step.
    """
    n = len(values)
    p = {(a, b): stats.ttest_1samp(values[a] - values[b], 0).pvalue for a, b in combinations(range(n), 2)}
    better = set()
    for left, (a, b) in zip(range(len(p), 0, -1), sorted(p, key=p.__getitem__), strict=True):
        if p[a, b] * left >= alpha:
            break
        better.add((a, b) if values[a].mean() > values[b].mean() else (b, a))
    orders = [order for order in permutations(range(n)) if all(order.index(a) < order.index(b) for a, b in better)]
    places = [[order.index(system) + 1 for order in orders] for system in range(n)]
    return [(min(own), max(own)) for own in places]


def test_intervals_of_ranks_hold_what_all_orders_that_are_left_hold(make_study: Callable[..., Study]):
    generator, names = np.random.default_rng(57), ["A", "B", "C", "D"]
    systems = {name: f"user_knn(k={k})" for k, name in enumerate(names, start=1)}
    families = {"over_datasets": {"families": {"A": ["Alpha-1M"], "B": ["Beta_2"]}}}
    part = make_study(systems=systems, published=[], published_comparisons=[], experiments={}, **families).own
    seen = set()
    for _ in range(60):
        values = generator.normal([[0.0], [0.3], [0.6], [1.5]], 0.15, (4, 5))
        pairs = list(combinations(range(4), 2))
        over = RandomEffects(np.array([values[a] - values[b] for a, b in pairs]), np.full((6, 5), 1e-6))
        rows = [
            {
                "system_a": names[a],
                "system_b": names[b],
                "metric": "P@10",
                "metric_full": "P@10",
                "is_base": True,
                "these": over.these.value[nth],
                "alike": over.alike.value[nth],
                "p_value": over.alike.p_value[nth],
            }
            for nth, (a, b) in enumerate(pairs)
        ]
        ranks = OverDatasets(part, Results({"over_datasets": pd.DataFrame(rows)})).ranks
        assert list(ranks) == [names[place] for place in np.argsort(-values.mean(axis=1))]
        assert [ranks[name][1:] for name in names] == _ranked_by_hand(values, part.alpha)
        seen.add(tuple(sorted((first, last) for *_, first, last in ranks.values())))
    assert len(seen) > 3


def test_mean_ranks_are_over_families_and_only_if_asked_for(make: Callable[..., OverDatasets]):
    over = make(friedman=True)
    found = over.mean_ranks
    assert found is not None
    # By the mean effects on the sets 1, 2 and 3 and on the site of 4 and 5: MF wins the first three, and kNN the site.
    assert dict(zip(over.ranks, found.ranks.tolist(), strict=True)) == {"MF": 1.25, "kNN": 1.75, "Pop_1": 3.0}
    # MF and kNN win against each other, and both always against popularity.
    assert dict(zip(over.ranks, found.strengths, strict=True)) == {
        "MF": pytest.approx(np.log(3) / 2, abs=1e-6),
        "kNN": pytest.approx(-np.log(3) / 2, abs=1e-6),
        "Pop_1": -np.inf,
    }
    assert "Friedman and Nemenyi" in over_datasets_in_methods(over.part)
    assert [make().mean_ranks, make(n=2, friedman=True).mean_ranks] == [None, None]
    assert make(compare=[["kNN", "Pop_1"]], friedman=True).mean_ranks is None


def test_weighted_means_are_seen_from_the_better_system_and_only_if_asked_for(make: Callable[..., OverDatasets]):
    rows = make(friedman=True).weighted()
    values = np.array(STRENGTHS["kNN"]) - np.array(STRENGTHS["Pop_1"])
    families, errors = np.append(values[:3], values[3:].mean()), np.append(np.full(3, 0.02), 0.02 / np.sqrt(2))
    over = RandomEffects(families[np.newaxis], errors[np.newaxis])
    expected = over.weighted(over.tau**2)
    found = next(row for row in rows if (row["system_a"], row["system_b"]) == ("kNN", "Pop_1"))
    assert [found[f"weighted{end}"] for end in ("", "_low", "_high")] == pytest.approx(
        [expected.value[0], expected.low[0], expected.high[0]]
    )
    turned = make().from_better({**found, "these": -1.0})
    assert (turned["weighted"], turned["weighted_low"]) == (-found["weighted"], -found["weighted_high"])
    for over in (make(), make(n=2, friedman=True)):
        assert over.weighted() == list(over.base.values())


def test_a_mean_is_said_without_a_data_set_where_it_changes_what_is_said(make: Callable[..., OverDatasets]):
    over = make()
    assert means_without(over, "Set 2", {"MF", "kNN", "Pop_1"}) == []
    assert means_without(over, "Set 1", {"Pop_1"}) == []
    # Without set 5, the effects of MF beside kNN are .1, .02, .09 and .13: t = 3.6.
    [row] = over.without("Set 5")
    assert (row["system_a"], row["system_b"], row["winner"]) == ("kNN", "MF", "MF")
    assert row["these"] == pytest.approx(-0.085)
    said = "Over data sets without Set 5, P@10 of MF is 8.9\xa0% higher than that of kNN, and MF wins."
    assert means_without(over, "Set 5", {"MF"}) == [said]
    assert means_without(over, "Set 5", {"Pop_1"}) == []
    low = pd.DataFrame(
        [
            {"dataset": "Set 5", "system": system, "metric_full": "P@10", "is_base": True, "random_p": p, "value": 0.2}
            for system, p in (("kNN", 0.3), ("MF", 1e-9))
        ]
    )
    [warning] = chance_sentences(over.part, over.results.with_tables(summary=low.assign(metric="P@10", expected_random=0.1)))
    assert f"rest partly on noise. {said}" in warning
    effects = over.results.effects
    turned = OverDatasets(over.part, over.results.with_tables(effects=effects.assign(effect=-effects["effect"])))
    assert means_without(turned, "Set 1", {"MF"})[0].count("P@10 of ") == 2


def test_families_won_are_counted_after_so_many_trials(make: Callable[..., OverDatasets]):
    tuned = {**SYSTEMS, "MF": "tuned(of=hkv,search=random(trials=2,factors=[5,10]))"}
    over = make(vary={"effort": [0, 1]}, systems=tuned)
    won = {0: ["MF", "MF", "", "kNN", "kNN"], 1: ["MF"] * 5}
    rows = [
        {"dataset": label, "system_a": "kNN", "system_b": "MF", "effort_a": k, "effort_b": other, "winner": winner}
        for k, other in ((0, 0), (0, 1), (1, 1))
        for label, winner in zip(over.part.datasets, won[k], strict=True)
    ]
    found = OverDatasets(over.part, over.results.with_tables(effort=pd.DataFrame(rows)))
    assert found.won_after == {("kNN", "MF"): {0: (1, 2), 1: (0, 4)}}
    assert to_text(won_by_effort(found)).split("\n")[-1].split("  ")[0] == "kNN and MF"
    assert [cell.text for cell in won_by_effort(found).rows[0].cells] == ["1 and 2", "0 and 4"]
    assert won_by_effort(make()).is_empty
    assert found._families_won(("kNN", "MF"), {"Set 4": "kNN", "Set 5": "MF"}) == (0, 0)
    assert found._families_won(("kNN", "MF"), {"Set 3": "MF", "Set 4": "kNN"}) == (1, 1)


def test_a_pair_is_seen_from_its_better_system(make: Callable[..., OverDatasets]):
    over = make()
    row = over.base["kNN", "Pop_1"]
    turned = over.from_better({**row, "these": -0.2, "these_low": -0.3, "these_high": -0.1, "new_low": -1.0, "new_high": 0.5})
    assert (turned["system_a"], turned["these"], turned["these_low"], turned["these_high"]) == ("Pop_1", 0.2, 0.1, 0.3)
    assert (turned["new_low"], turned["new_high"]) == (-0.5, 1.0)
    assert over.from_better(row) is row


@pytest.mark.parametrize("scale", ["relative", "difference"])
def test_the_forest_shows_every_data_set_and_what_they_say_together(make: Callable[..., OverDatasets], scale: str):
    over = make(scale)
    with house_style():
        figure = Forest().draw(FigureData(over.part, over.results))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["kNN and MF", "kNN and Pop_1", "MF and Pop_1"]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [*over.part.datasets, "these", "like these", "a new one"]
    lines = figure.axes[0].lines
    points = [line.get_xdata()[0] for line in lines if len(line.get_xdata()) == 1]
    row = over.base["kNN", "MF"]
    expected = [*(each["effect"] for each in over.effects["kNN", "MF"]), row["these"], row["alike"]]
    assert [point for point in points if not np.isnan(point)] == pytest.approx(expected)


def test_a_study_of_one_system_has_nothing_to_compare(make_study: Callable[..., Study], make_results: Callable[..., Results]):
    study = make_study(systems={"kNN": SYSTEMS["kNN"]}, published=[], published_comparisons=[])
    over = OverDatasets(study.own, make_results(study))
    assert (over.ranks, first_sentences(over)) == ({}, [])


def test_a_study_that_combines_nothing_says_nothing(make_study: Callable[..., Study], make_results: Callable[..., Results]):
    study = make_study()
    over = OverDatasets(study.own, make_results(study))
    assert (over.base, first_sentences(over), over.ranks) == ({}, [], {})
