"""All analyses of a study, tested together: which are included, which count as one, and what is said about them."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from recsens.comparison.aggregation import Cover
from recsens.comparison.significance import max_t_family
from recsens.comparison.users import Population
from recsens.conclusions.multiverse import BY_RATING, multiverse
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.outcomes.shared_panels import Shared
from recsens.plugins.specs import parse
from recsens.ranking.targets import Targets
from recsens.seeds import Stream
from recsens.study import Study
from recsens.study.designs import expand

ASKED = {
    "title": "t",
    "datasets": {"S": "simulated"},
    "systems": {"A": "random", "B": "popularity"},
    "vary": {"view": ["condensed"]},
    "metrics": ["P@5", "RR"],
}


@dataclass(frozen=True)
class Given:
    """Outcomes of a study with given values per fold: by design number and metric, one row per system and one column per user."""

    study: Study
    values: dict

    @property
    def designs(self):
        return expand(self.study, {"S": parse("simulated")})

    @property
    def columns(self):
        return {"S": [design.columns() for design in self.designs["S"]]}

    def place(self, shared, number):
        return 0, number, self.study.metrics.index(shared.measured)

    def panels(self):
        for number, design in enumerate(self.designs["S"]):
            for measured in self.study.metrics:
                folds = self.values[number, measured.written]
                systems = {
                    name: SystemMeasures(tuple(fold_of(fold[nth]) for fold in folds)) for nth, name in enumerate(self.study.systems)
                }
                panel = Panel(systems, Targets.build(design.targets).unit, design.coverage, {})
                yield Shared(self.study.own, "S", [number], measured, panel, frames={})


def fold_of(values) -> FoldMeasures:
    """Return one system's values on a fold; a user with NaN is not averaged."""
    values = np.array(values, dtype=float)
    known = ~np.isnan(values)
    ones = np.ones(len(values), dtype=np.int64)
    population = Population(train=ones, test=ones, relevant=ones, listed=ones)
    cover = Cover(ones, ones, {})
    return FoldMeasures.of(np.nan_to_num(values)[np.newaxis], ones[np.newaxis], known, population, cover)


def given(seed=0, n_users=40, **changes):
    study = Study.model_validate({**ASKED, **changes})
    generator = np.random.default_rng(seed)
    n_designs = len(study.own.designs())
    values = {
        (number, measured.written): [generator.integers(0, 11, (len(study.systems), n_users)) / 10]
        for number in range(n_designs)
        for measured in study.metrics
    }
    return Given(study, values)


def test_every_analysis_has_a_row_and_its_p_is_that_of_the_family():
    outcomes = given()
    found = multiverse(outcomes, samples=300)
    assert [(row["metric"], row["view"]) for row in found.analyses] == [
        (metric, view) for view in ("full", "condensed") for metric in ("P@5", "RR")
    ]
    deltas = np.stack([outcomes.values[key][0][0] - outcomes.values[key][0][1] for key in outcomes.values], axis=1)
    family = max_t_family(deltas, Stream.of(0, "multiverse"), alpha=0.05, samples=300)
    assert [row["p_family"] for row in found.analyses] == family.p_family.tolist()
    assert [row["t"] for row in found.analyses] == pytest.approx(family.t.tolist())
    [joint] = found.joint
    assert (joint["p_median"], joint["p_wins"]) == (family.p_median, family.p_wins)
    assert (joint["analyses"], joint["entered"], joint["distinct"]) == (4, 4, 4)


def test_analyses_with_the_same_numbers_up_to_a_factor_count_once():
    outcomes = given()
    outcomes.values[1, "RR"] = [outcomes.values[0, "P@5"][0] / 10]
    found = multiverse(outcomes, samples=200)
    assert [row["distinct"] for row in found.analyses] == [1, 2, 3, 1]
    assert (found.joint[0]["entered"], found.joint[0]["distinct"]) == (4, 3)
    alone = given()
    del alone.values[1, "RR"]
    deltas = np.stack([values[0][0] - values[0][1] for values in alone.values.values()], axis=1)
    family = max_t_family(deltas, Stream.of(0, "multiverse"), alpha=0.05, samples=200)
    assert (found.joint[0]["median_t"], found.joint[0]["p_median"]) == pytest.approx((family.median_t, family.p_median))


def test_a_user_is_averaged_over_the_folds_that_count_the_user_and_left_out_where_none_does():
    outcomes = given(vary={}, metrics=["P@5"])
    first, second = np.random.default_rng(3).random((2, 2, 8))
    first[:, 0], second[:, 1] = np.nan, np.nan
    first[:, 2], second[:, 2] = np.nan, np.nan
    outcomes.values[0, "P@5"] = [first, second]
    [row] = multiverse(outcomes).analyses
    # Each fold counts six users, so a user who counts on both folds weighs twice as much as one who counts on one.
    delta = np.nansum(np.stack([first[0] - first[1], second[0] - second[1]])[:, [0, 1, 3, 4, 5, 6, 7]], axis=0)
    assert row["users"] == 7
    assert row["t"] == pytest.approx(delta.mean() / (delta.std(ddof=1) / math.sqrt(7)))


def test_less_is_better_turns_the_sign():
    outcomes = given(metrics=["RMSE"], vary={}, systems={"A": "average_rating", "B": "average_rating(damping=1)"})
    outcomes.values[0, "RMSE"] = [np.array([[1.0] * 20, [2.0] * 19 + [1.5]])]
    [row] = multiverse(outcomes, samples=200).analyses
    assert row["t"] > 0


def test_rankings_of_ratings_do_not_enter_and_metrics_that_only_describe_have_no_row():
    outcomes = given(vary={"targets": ["one_r"]}, metrics=["P@5"])
    first, second = multiverse(outcomes, samples=200).analyses
    assert (first["left_out"], second["left_out"]) == (None, BY_RATING)
    assert math.isnan(second["p_family"])
    assert (second["users"], second["distinct"]) == (0, 0)


def test_without_an_analysis_there_is_no_p():
    outcomes = given(design={"targets": "one_r"}, vary={}, metrics=["P@5"])
    [joint] = multiverse(outcomes).joint
    assert (joint["entered"], joint["distinct"], joint["wins_a"], joint["wins_b"]) == (0, 0, 0, 0)
    assert math.isnan(joint["p_median"])


def test_a_difference_in_every_analysis_stands():
    outcomes = given(seed=5)
    for [values] in outcomes.values.values():
        values[0] += 0.3
    [joint] = multiverse(outcomes, samples=400).joint
    assert (joint["wins_a"], joint["wins_b"], joint["stand_a"], joint["stand_b"]) == (4, 0, 4, 0)
    assert max(joint["p_median"], joint["p_wins"]) < 0.05
