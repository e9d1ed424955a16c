"""Bounds of 1R precision: the lemma on rankings by hand, and on drawn ones compared with AR rankings of the same targets."""

from pathlib import Path

import numpy as np
import pytest

from outcomes.measuring.test_stored_rankings import SCORES, TEST, TRAIN, files
from recsens.artefacts import storage
from recsens.metrics import Metric
from recsens.outcomes.measuring.stored_rankings import CELL, RankedUsers
from recsens.testing import from_rows
from recsens.workflow.steps.measure import measure

ALL = "with_ratings(train=0)"


def measured(folder: Path, metric: str, *targets_and_data) -> float:
    """Measure all users together."""
    rankings = [files(folder, *targets_and_data)]
    made = str(folder / "m.parquet")
    measure(rankings=rankings, measures=made, metric=metric, cutoffs=(2,), cells=[[["full", None]]], selections=[ALL])
    [value] = storage.read_table(made, CELL).column(f"@2 full {ALL}").to_pylist()
    return float(value)


def bounds(folder: Path, *targets_and_data) -> tuple[float, float]:
    lower, upper = (measured(folder / side, f"Bound1R(side={side})", *targets_and_data) for side in ("lower", "upper"))
    return lower, upper


def test_a_vector_worked_by_hand(tmp_path):
    # Relevant items of scores .9 and .4 among .8, .5 and .3: in the joint ranking at 1 and 4, of which 4 is beyond 2 + 2 - 1.
    test = from_rows([[5, 4, None, None, None]])
    data = ([SCORES[0]], from_rows([[None] * 5]), test)
    assert bounds(tmp_path / "1r", *data, "one_r") == pytest.approx((1 / 4, 1 / 4))
    assert bounds(tmp_path / "ar", *data, "ar") == pytest.approx((1 / 4, 1 / 4))


def test_unranked_items_are_relevant_and_no_hits(tmp_path):
    assert bounds(tmp_path, [[0.9, np.nan, 0.8, 0.5, 0.3], *SCORES[1:]], TRAIN, TEST, "one_r") == pytest.approx((1 / 3, 1 / 3))


def drawn(seed: int):
    """Draw scores with ties, and train and test ratings."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, (12, 14)).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    role = rng.choice(["train", "test", "none"], scores.shape, p=[0.3, 0.4, 0.3])
    rating = rng.integers(1, 6, scores.shape)
    sides = [[[int(r) if x == side else None for r, x in zip(*row, strict=True)] for row in zip(rating, role, strict=True)]
             for side in ("train", "test")]  # fmt: skip
    return scores, from_rows(sides[0]), from_rows(sides[1])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("one_r", "ar"), [("one_r", "ar"), ("one_r(items=test)", "ar(items=test)"), ("one_r(n=4)", "ar(n=4)"), ("p1r(m=2)", None)]
)
def test_the_lemma_holds_and_both_designs_give_the_same_bounds(tmp_path, seed, one_r, ar):
    data = drawn(seed)
    lower, upper = bounds(tmp_path / "1r", *data, one_r)
    ranked = RankedUsers.read(*files(tmp_path / "p", *data, one_r))
    hits = ranked.grouped(Metric.build("P").measure(ranked.judged("full", None), (2,)))[..., 0]
    value = np.mean([np.average(own, weights=n) for own, n in zip(hits, ranked.weights, strict=True)])
    assert lower <= value <= upper
    if ar is not None:
        assert (lower, upper) == pytest.approx(bounds(tmp_path / "ar", *data, ar))
