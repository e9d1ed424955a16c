"""Every value is in the range that its metric declares, even after rounding; a value farther outside is an error."""

import numpy as np
import pytest

from metrics import lists
from metrics.definitions import METRICS, OF_TWO_RANKINGS, written
from metrics.rankings import FROM_ZERO, HALF_STARS, STARS, User, built, judged
from recsens.errors import DataError, DesignError
from recsens.files.scale import Scale
from recsens.metrics import WHOLE, Heads, Judged, overlaps, variants

CUTOFFS = (*range(1, 41), WHOLE)


def perfect(scale, lengths=range(1, 41), seeds=range(8)):
    """Rank users' judged items by rating, best first, without a gap, and score each by its rating."""
    found = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        for length in lengths:
            steps = rng.integers(0, round((scale.highest - scale.lowest) / scale.step) + 1, length)
            ratings = np.sort(scale.lowest + steps * scale.step)[::-1].tolist()
            ranked = dict(enumerate(ratings, start=1))
            found.append(User(length, ranked, scores=tuple(ranked.items())))
    return found


RANKINGS = {
    "by rating": judged(perfect(STARS)),
    "by rating in halves": judged(perfect(HALF_STARS), scale=HALF_STARS),
    "everything relevant": judged(perfect(STARS), relevance=1),
    "long": judged(perfect(STARS, lengths=[500], seeds=range(20))),
}

MORE = [
    *(("SetF", {"beta": beta}) for beta in (0.1, 0.3, 1.7)),
    *(("nDCG", {"gain": gain, "ideal": "cut", "discount": "jk3"}) for gain in ("binary", "linear", "exp", "power")),
    *(("RBP", {"gain": "binary", "phi": phi}) for phi in (0.05, 0.3, 0.45, 0.62, 0.9, 0.95, 0.999)),
    *(("RBPResidual", {"phi": phi}) for phi in (0.05, 0.45, 0.62, 0.95)),
    *(("RBO", {"phi": phi, "form": form}) for phi in (0.1, 0.37, 0.9) for form in ("truncated", "normalised", "extrapolated")),
]


def highest(name, params):
    """The upper end of a metric's range at each cut-off."""
    if name == "RBP":
        return 1 - float(params["phi"]) ** np.array(CUTOFFS, dtype=float)
    return np.ones(len(CUTOFFS))


@pytest.mark.parametrize("ranking", RANKINGS)
def test_the_best_ranking_is_never_better_than_the_best(ranking):
    for name, params in [*METRICS, *OF_TWO_RANKINGS, *MORE]:
        # The sum of inverse ranks has no bound of its own.
        if name != "ARHR":
            found = built(written(name, params)).measure(RANKINGS[ranking], CUTOFFS)
            assert (found <= highest(name, params)).all(), f"{name} {params}"
            assert (found >= (-1 if name in {"KendallTau", "Spearman", "TauAP"} else 0)).all(), f"{name} {params}"


@pytest.mark.parametrize("ranking", RANKINGS)
def test_values_of_all_users_stay_in_their_range(ranking):
    for spec, most in (("HLU", 100), ("HLU(alpha=1.7)", 100), ("CROC", 1), ("CROC(form=area)", 1), ("GROC", 1)):
        found = built(spec).measure(RANKINGS[ranking], CUTOFFS)
        assert (found >= 0).all()
        assert (found <= most).all(), spec


@pytest.mark.parametrize("ranking", RANKINGS)
def test_metrics_of_one_tool_stay_in_their_range(ranking):
    for name in ("MeanPrecision", "CappedRecall", "ShownAP", "NDCGOfFull", "APByCutoff", "PartialAUC", "PAP"):
        metric = getattr(variants, name)()
        found = metric.measure(RANKINGS[ranking], CUTOFFS[:-1])
        assert (found >= 0).all()
        assert (found <= 1).all(), name


def test_errors_of_the_width_of_the_scale_are_one_and_no_more():
    scale = Scale(0.1, 0.7, 0)
    for n in range(1, 200):
        rows = Judged(
            np.zeros(n, np.int32),
            np.arange(1, n + 1),
            np.full(n, scale.lowest),
            np.array([n]),
            scale,
            0.5,
            score=np.full(n, scale.highest),
            item=np.arange(n, dtype=np.int32),
        )
        for spec in ("MAE", "RMSE", "uMAE", "uRMSE", "iMAE", "iRMSE"):
            assert built(f"{spec}(norm=range)").measure(rows, (WHOLE,))[0, 0] == 1, (spec, n)
        assert built("SDCSE(norm=max)").measure(rows, (n,))[0, 0] == 1, n


def test_no_order_of_errors_is_worse_than_the_worst():
    rng = np.random.default_rng(0)
    # Errors that differ in their last bit: the sums of two orders differ by their rounding alone.
    for n in rng.integers(2, 40, 300):
        score = rng.choice([1 - 2**-52, 1.0, 1 + 2**-52], n)
        rows = Judged(np.zeros(n, np.int32), np.arange(1, n + 1), np.zeros(n), np.array([n]), FROM_ZERO, 4, score=score)
        assert built("SDCSE").measure(rows, (n,))[0, 0] <= 1


def test_items_alike_are_at_distance_zero():
    for raters in range(1, 60):
        known = lists.rated([raters, raters], raters)
        assert lists.measure("ILD", [[0, 1]], known, 2)[0, 0] == 0, raters


@pytest.mark.parametrize("phi", [0.05, 0.3, 0.5, 0.62, 0.9, 0.99])
def test_a_list_overlaps_with_itself_by_one_and_no_more(phi):
    n = 60
    same = Heads(np.arange(n, dtype=np.int32), np.array([0, n]))
    rbo = np.array([found.rbo[0] for found in overlaps(same, same, tuple(range(1, n + 1)), phi=phi)])
    assert (rbo <= 1).all()
    assert rbo == pytest.approx(1)


@pytest.mark.parametrize("gain", ["exp", "linear", "chapelle", "power", "above", "ranksys"])
@pytest.mark.parametrize("scale", [Scale(0, 4), Scale(2, 5)])
def test_no_gain_is_taken_of_a_rating_outside_the_scale(gain, scale):
    outside = judged([User(2, {1: 3, 2: 5, 3: 1})], scale=scale)
    with pytest.raises(DesignError, match=r"row \d, user 0: the rating [15] is outside the scale"):
        built(f"nDCG(gain={gain})").measure(outside, (3,))


def test_a_rating_rounded_to_nine_decimals_is_on_its_scale():
    # Steps of a third: 2/3 is kept as 0.666666667.
    seen = judged([User(1, {1: 0.666666667})], scale=Scale(0, 2 / 3, 1 / 3), relevance=0.5)
    for gain in ("linear", "exp"):
        assert built(f"RBP(gain={gain},phi=0.5)").measure(seen, (1,))[0, 0] == 0.5


def test_a_value_far_above_its_bound_is_refused_and_not_lowered():
    # Two hits at the first position: a ranking could have only one there.
    twice = Judged(np.zeros(2, np.int32), np.array([1, 1]), np.array([5.0, 5.0]), np.array([9]), STARS, 4)
    for spec in ("nDCG", "RBP", "RBPResidual(phi=0.3)"):
        with pytest.raises(DataError, match=r"has the value .* allows at most .*: the positions contradict each other"):
            built(spec).measure(twice, (1,))
