"""Metrics in edge cases: empty and short lists, no ratings, no relevant items, and scales on which a gain has no meaning."""

from dataclasses import replace

import numpy as np
import pytest

from metrics.definitions import OF_POSITIONS
from metrics.rankings import HALF_STARS, NAN, A, User, judged, measure
from recsens import plugins
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.metrics import WHOLE


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize("user", [User(0, {}), User(0, {}, (5, 1)), User(9, {}), User(9, {}, (5,)), User(9, {2: 1}, (1,))])
def test_users_without_hits_ranking_or_judgements_measure_zero(view, user):
    for spec in ("P", "nDCG", "nDCG(ideal=uncut)", "RBP"):
        assert measure(spec, judged([user], view=view), 1, 10).tolist() == [[0, 0]]


def test_without_a_list_everything_is_still_possible_and_nothing_is_shown():
    assert measure("RBPResidual", judged([User(0, {})]), 10)[0, 0] == 1
    assert measure("Unrated", judged([User(0, {}, (5,))]), 10)[0, 0] == 0


def test_a_short_list_is_still_divided_by_the_cutoff_and_unrated_by_its_length():
    seen = judged([User(2, {1: 5})])
    assert measure("P", seen, 10)[0, 0] == 0.1
    assert measure("Unrated", seen, 10)[0, 0] == 0.5
    assert measure("RBPResidual", seen, 10)[0, 0] == pytest.approx(0.2 * 0.8 + 0.8**2)


def test_nobody_judged_at_all():
    for spec in ("P", "nDCG", "nDCG(gain=exp,ideal=uncut)", "RBP", "RBPResidual", "Unrated"):
        for view in ("full", "condensed"):
            assert measure(spec, judged([User(3, {}), User(0, {})], view=view), 5).shape == (2, 1)


@pytest.mark.parametrize(("rating", "gain"), [(1, 0), (2, 1 / 15), (3, 3 / 15), (4, 7 / 15), (5, 1)])
def test_the_exponential_gain_of_stars(rating, gain):
    # g2 of Cañamares, Castells & Moffat: 0, 1/15, 3/15, 7/15, 1. RBP@1 is (1 - phi) times the gain.
    assert measure("RBP(gain=exp)", judged([User(1, {1: rating})]), 1)[0, 0] == pytest.approx(0.2 * gain, abs=1e-15)


def test_half_stars_reach_gain_one_at_the_top_and_zero_at_the_bottom():
    for rating, gain in ((0.5, 0.0), (5.0, 1.0), (2.5, (2**2 - 1) / (2**4.5 - 1))):
        seen = judged([User(1, {1: rating})], scale=HALF_STARS)
        assert measure("RBP(gain=exp)", seen, 1)[0, 0] == pytest.approx(0.2 * gain, abs=1e-15)


def test_the_threshold_itself_is_relevant():
    for relevance, hits in ((4, 1), (4.5, 0), (1, 1)):
        assert measure("P", judged([User(1, {1: 4})], relevance=relevance), 1)[0, 0] == hits


def test_linear_gains_are_refused_on_a_scale_with_negative_ratings():
    seen = judged([User(1, {1: -3.0})], scale=Scale(-10, 10, 0))
    with pytest.raises(DesignError, match="linear"):
        plugins.build("metric", "nDCG(gain=linear)").measure(seen, (5,))
    assert measure("RBP(gain=exp)", seen, 1)[0, 0] == pytest.approx(0.2 * (2**7 - 1) / (2**20 - 1))


def test_a_cutoff_deeper_than_anything_costs_nothing():
    deep = 10**12
    assert measure("nDCG", judged([A]), deep)[0, 0] == measure("nDCG", judged([A]), 10)[0, 0]
    assert measure("Unrated", judged([A]), deep)[0, 0] == 0.5


def test_exponential_gains_are_refused_where_they_would_overflow():
    seen = judged([User(1, {1: 2000.0})], scale=Scale(0, 2000, 1))
    with pytest.raises(DesignError, match="overflow"):
        plugins.build("metric", "nDCG(gain=exp)").measure(seen, (5,))
    wide = judged([User(1, {1: 1000.0})], scale=Scale(0, 1000, 1))
    assert plugins.build("metric", "nDCG(gain=exp)").measure(wide, (5,)).tolist() == [[1.0]]


ALIKE, ALONE, NOBODY = User(3, {1: 3, 2: 3}), User(3, {2: 5}, (1,)), User(0, {}, (5, 1))


@pytest.mark.parametrize(
    ("spec", "alike", "alone", "nobody"),
    [
        ("AUC", 0.5, 0.5, 0.5),
        ("KendallTau", 0, 0, 0),
        ("Spearman", 0, 0, 0),
        ("NDPM", 0.5, 0.5, 0.5),
        ("TauAP", 1, 0, 0),
        ("RBO(form=normalised)", 1, 1, 0),
        ("RBO(form=extrapolated)", 1, 1, 0),
    ],
)
def test_a_user_with_nothing_to_compare_measures_what_says_nothing_or_is_skipped(spec, alike, alone, nobody):
    seen = judged([ALIKE, ALONE, NOBODY])
    assert measure(spec, seen, WHOLE)[:, 0] == pytest.approx([alike, alone, nobody])
    # Skipped values are not defined; all others are the same.
    skipped = measure(f"{spec.rstrip(')')}{',' if '(' in spec else '('}undefined=skip)", seen, WHOLE)[:, 0]
    defined = {"TauAP": 1, "RBO(form=normalised)": 2, "RBO(form=extrapolated)": 2}.get(spec, 0)
    assert np.isnan(skipped).tolist() == [place >= defined for place in range(3)]


def test_a_limited_area_needs_a_relevant_item_and_another_but_no_list():
    for undefined, value in (("neutral", 0.5), ("skip", np.nan)):
        seen = judged([ALIKE, User(1, {1: 5}), NOBODY, User(0, {}, (5,))])
        np.testing.assert_allclose(measure(f"LAUC(undefined={undefined})", seen, 5)[:, 0], [value, value, 0.5, value])


@pytest.mark.parametrize("spec", ["AUC(ties=score)", "KendallTau(ties=score)", "Spearman(ties=score)", "NDPM(ties=score)"])
def test_ties_of_scores_that_are_not_known_are_refused(spec):
    with pytest.raises(DesignError, match="ties=score"):
        plugins.build("metric", spec).measure(replace(judged([A]), score=None), (WHOLE,))


@pytest.mark.parametrize("spec", ["KendallTau", "Spearman", "NDPM", "TauAP", "RBO"])
def test_data_without_ratings_have_no_order_to_compare_with(spec):
    with pytest.raises(DesignError, match="no ratings"):
        plugins.build("metric", spec).measure(judged([User(3, {1: NAN, 2: NAN})]), (WHOLE,))


@pytest.mark.parametrize("name", OF_POSITIONS)
def test_nobody_at_all_measures_nothing(name):
    assert measure(name, judged([]), 5, 10).shape == (0, 2)
    found = measure(name, judged([User(3, {}), User(0, {})]), WHOLE)
    # A list without a judged item has no first judged item.
    assert np.isnan(found).all() if name in {"ARC", "JudgedDepth"} else np.isfinite(found).all()
