"""Sampled metrics in closed form, compared with every sample of small pools."""

from itertools import combinations
from math import log2

import numpy as np
import pytest

from recsens.errors import RecsensError
from recsens.files.scale import Scale
from recsens.metrics import Judged, Metric, parse_measured_at

GAINS = {
    "nDCG": lambda place: (place <= 2) / log2(1 + place),
    "Success": lambda place: float(place <= 2),
    "RR": lambda place: (place <= 2) / place,
}
"""The value at 2 of a ranking whose only relevant item is at a place."""


def ranking(**changed) -> Judged:
    """One user with nine targets, of which seven are ranked: relevant ones at 2, 5 and nowhere, and one that is not at 3."""
    given = {"targets_ranked": np.array([7]), "targets": np.array([9]), "is_target": np.ones(4, dtype=np.bool_), "view": "full"}
    return Judged.of(
        user=np.zeros(4, dtype=np.int32),
        position=np.array([2, 5, 0, 3]),
        rating=np.array([5.0, 4.0, 5.0, 1.0]),
        scale=Scale(),
        relevance=4.0,
        **{**given, **changed},
    )


def by_all_samples(name: str, rivals: list[float], relevant: list[float], n: int) -> float:
    """Average over every sample of n rivals, and over the relevant items, one of which may be nowhere."""
    samples = list(combinations(rivals, n))
    values = [np.mean([GAINS[name](1 + sum(rival < place for rival in sample)) for sample in samples]) for place in relevant]
    return float(np.sum(values)) / 3


@pytest.mark.parametrize("name", GAINS)
@pytest.mark.parametrize("n", [1, 3, 5])
def test_the_value_is_the_mean_over_all_samples(name: str, n: int):
    [measured] = parse_measured_at(f"Sampled(of={name},negatives={n})@2")
    # The sixth rival is not ranked: it may be drawn, and stands below.
    expected = by_all_samples(name, [1, 3, 4, 6, 7, np.inf], [2, 5], n)
    assert measured.metric.measure(ranking(), (2,))[0, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("options", "above"), [("negatives=9", 1.0), ("negatives=9,replacement=true", 1 - (5 / 6) ** 9)])
def test_with_replacement_a_small_pool_is_not_sampled_whole(options: str, above: float):
    # Of the six rivals, one is above the relevant item at 2: it is among nine with certainty only if none is drawn twice. The item
    # at 5 has three rivals above and misses the top 1, as does the item that is not ranked, unless none of the three is drawn.
    [measured] = parse_measured_at(f"Sampled(of=Success,{options})@1")
    missed = (3 / 6) ** 9 if "replacement" in options else 0.0
    assert measured.metric.measure(ranking(), (1,))[0, 0] == pytest.approx((1 - above + missed) / 3, rel=1e-12)


def test_of_condensed_rankings_the_judged_items_are_sampled():
    [measured] = parse_measured_at("Sampled(of=Success,negatives=1)@1")
    assert measured.metric.measure(ranking(view="condensed"), (1,))[0, 0] == pytest.approx(1 / 3)


def test_without_targets_the_ranked_items_are_sampled():
    [measured] = parse_measured_at("Sampled(of=RR,negatives=3)@2")
    expected = by_all_samples("RR", [1, 3, 4, 6, 7], [2, 5], 3)
    assert measured.metric.measure(ranking(targets=None, is_target=None), (2,))[0, 0] == pytest.approx(expected, rel=1e-12)


def test_with_more_negatives_than_rivals_all_are_ranked():
    [measured] = parse_measured_at("Sampled(of=RR,negatives=50)@10")
    assert measured.metric.measure(ranking(), (10,))[0, 0] == pytest.approx((1 / 2 + 1 / 4) / 3)


def test_with_replacement_the_number_above_is_binomial():
    [measured] = parse_measured_at("Sampled(of=Success,negatives=2,replacement=true)@1")
    assert measured.metric.measure(ranking(), (1,))[0, 0] == pytest.approx(((5 / 6) ** 2 + (3 / 6) ** 2) / 3)


@pytest.mark.parametrize("of", ["AUC", "HLU", "RMSE", "SetP"])
def test_metrics_of_more_than_one_place_are_refused(of: str):
    with pytest.raises(RecsensError):
        Metric.build(f"Sampled(of={of})")
