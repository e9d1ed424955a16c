"""Metrics: the worked vector, a slow and obvious second implementation, and what must hold of any ranking."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsens import plugins
from recsens.errors import DesignError, SpecError
from recsens.interactions import Scale
from recsens.metrics import Judged, Metric, parse_measured_at

few = settings(max_examples=25)
"""Each example holds several users, hence several rankings."""

STARS = Scale(1, 5, 1)
HALF_STARS = Scale(0.5, 5, 0.5)
FROM_ZERO = Scale(0, 4, 1)


@dataclass(frozen=True)
class User:
    """One user's ranking of ``listed`` items, the ratings at some of its ranks, and those of judged items that are not ranked."""

    listed: int
    ranked: dict[int, float]
    unranked: tuple[float, ...] = ()


def judged(
    users: Sequence[User], *, view: str = "full", scale: Scale = STARS, relevance: float | None = None, seed: int = 0
) -> Judged:
    """Arrange users' judged positions, each user's rows in any order."""
    rng = np.random.default_rng(seed)
    rows = []
    for code, user in enumerate(users):
        own = [(code, rank, rating) for rank, rating in [*user.ranked.items(), *((0, rating) for rating in user.unranked)]]
        rows += [own[place] for place in rng.permutation(len(own))]
    columns = np.array(rows, dtype=float).reshape(-1, 3).T
    return Judged.of(
        user=columns[0].astype(np.int32),
        position=columns[1].astype(np.int64),
        rating=columns[2],
        targets_ranked=np.array([user.listed for user in users], dtype=np.int64),
        view=view,
        scale=scale,
        relevance=scale.relevance if relevance is None else relevance,
    )


@cache
def built(spec: str) -> Metric:
    """Build a metric once."""
    return plugins.build("metric", spec)


def measure(spec: str, given: Judged, *cutoffs: int) -> np.ndarray:
    """Measure all users."""
    found = built(spec).measure(given, cutoffs)
    assert found.shape == (given.n_users, len(cutoffs))
    assert found.dtype == np.float64
    return found


# A vector worked by hand: ranks 1 to 10 hold 5, -, 2, 4, -, 1, -, 4, -, - and a 5 and a 3 are judged but not ranked.

A = User(10, {1: 5, 3: 2, 4: 4, 6: 1, 8: 4}, (5, 3))


@pytest.mark.parametrize(
    ("spec", "at_5", "at_10"),
    [
        ("P", 0.4, 0.3),
        ("nDCG(gain=linear)", 0.5923, 0.6632),
        ("nDCG(gain=binary)", 0.5585, 0.6817),
        ("nDCG(gain=exp)", 0.5761, 0.6377),
        ("Unrated", 0.4, 0.5),
    ],
)
def test_the_worked_vector(spec, at_5, at_10):
    assert measure(spec, judged([A]), 5, 10)[0] == pytest.approx([at_5, at_10], abs=5e-5)


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("RBP(phi=0.8,gain=binary)", 0.344343),
        ("RBP(phi=0.8,gain=exp)", 0.275893),
        ("RBPResidual(phi=0.8)", 0.462121),
    ],
)
def test_the_worked_vector_with_persistence(spec, value):
    assert measure(spec, judged([A]), 10)[0, 0] == pytest.approx(value, abs=5e-7)


def test_the_worked_vector_against_the_whole_ideal_ranking():
    assert measure("nDCG(gain=linear,ideal=uncut)", judged([A]), 5)[0, 0] == pytest.approx(0.5483, abs=5e-5)


@pytest.mark.parametrize(
    ("spec", "cutoff", "value"),
    [
        # Condensed: 5, 2, 4, 1, 4.
        ("P", 5, 3 / 5),
        ("P", 2, 1 / 2),
        ("P", 10, 3 / 10),
        ("nDCG", 5, (1 + 1 / 2 + 1 / math.log2(6)) / (1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5))),
        ("RBP", 5, 0.2 * (1 + 0.8**2 + 0.8**4)),
        ("RBPResidual", 5, 0.8**5),
        ("RBPResidual", 10, 0.8**5),
        ("Unrated", 5, 0),
        ("Unrated", 10, 0),
    ],
)
def test_the_worked_vector_condensed(spec, cutoff, value):
    assert measure(spec, judged([A], view="condensed"), cutoff)[0, 0] == pytest.approx(value, abs=1e-12)


def test_condensing_counts_the_ranked_judged_items():
    seen = judged([A, User(3, {}), User(0, {}, (4,)), User(2, {2: 4})], view="condensed")
    assert seen.listed.tolist() == [5, 0, 0, 1]
    assert seen.position[seen.user == 3].tolist() == [1]
    assert seen.n_judged.tolist() == [7, 0, 1, 1]
    assert seen.n_relevant.tolist() == [4, 0, 1, 1]


# A second implementation, slow and obvious.


def gain_of(rating: float, gain: str, scale: Scale, relevance: float) -> float:
    """What a rating is worth."""
    if math.isnan(rating):
        return 1.0
    if gain == "binary":
        return 1.0 if rating >= relevance else 0.0
    if gain == "linear":
        return rating / scale.highest
    return (2 ** (rating - scale.lowest) - 1) / (2 ** (scale.highest - scale.lowest) - 1)


def reference(name: str, params: dict[str, object], user: User, view: str, n: int, scale: Scale, relevance: float) -> float:
    """Measure one user by the definition, rank by rank."""
    ranking = [user.ranked.get(rank) for rank in range(1, user.listed + 1)]
    if view == "condensed":
        ranking = [rating for rating in ranking if rating is not None]
    top = ranking[:n]
    gain = str(params.get("gain", "binary"))
    gains = [0.0 if rating is None else gain_of(rating, gain, scale, relevance) for rating in top]
    if name == "P":
        return sum(gains) / n
    if name == "nDCG":
        everything = sorted((gain_of(r, gain, scale, relevance) for r in [*user.ranked.values(), *user.unranked]), reverse=True)
        ideal = everything[:n] if params.get("ideal", "cut") == "cut" else everything
        dcg, idcg = (sum(g / math.log2(k + 1) for k, g in enumerate(found, start=1)) for found in (gains, ideal))
        return dcg / idcg if idcg > 0 else 0.0
    phi = float(params.get("phi", 0.8))
    if name == "RBP":
        return (1 - phi) * sum(g * phi ** (k - 1) for k, g in enumerate(gains, start=1))
    if name == "RBPResidual":
        return (1 - phi) * sum(phi ** (k - 1) for k, rating in enumerate(top, start=1) if rating is None) + phi ** len(top)
    assert name == "Unrated"
    return top.count(None) / len(top) if top else 0.0


METRICS = [
    ("P", {}),
    *(("nDCG", {"gain": gain, "ideal": ideal}) for gain in ("binary", "exp", "linear") for ideal in ("cut", "uncut")),
    *(("RBP", {"gain": gain, "phi": phi}) for gain, phi in (("binary", 0.8), ("exp", 0.5), ("linear", 0.95))),
    ("RBPResidual", {"phi": 0.8}),
    ("RBPResidual", {"phi": 0.3}),
    ("Unrated", {}),
]


@st.composite
def users(draw: st.DrawFn, ratings: st.SearchStrategy[float]) -> User:
    """Users with any number of ranked, judged and relevant items, none included."""
    listed = draw(st.integers(0, 12))
    ranks = draw(st.sets(st.integers(1, listed))) if listed else set()
    return User(listed, {rank: draw(ratings) for rank in sorted(ranks)}, tuple(draw(st.lists(ratings, max_size=3))))


def populations(scale: Scale) -> st.SearchStrategy[list[User]]:
    """Some users whose ratings are on a scale."""
    steps = round((scale.highest - scale.lowest) / scale.step)
    return st.lists(users(st.integers(0, steps).map(lambda k: scale.lowest + k * scale.step)), min_size=1, max_size=8)


cutoff_lists = st.lists(st.integers(1, 15), min_size=1, max_size=4)


def assert_as_by_definition(given: list[User], scale: Scale, view: str, cutoffs: list[int], relevance: float) -> None:
    seen = judged(given, view=view, scale=scale, relevance=relevance)
    for name, params in METRICS:
        found = measure(f"{name}({','.join(f'{key}={value}' for key, value in params.items())})", seen, *cutoffs)
        expected = [[reference(name, params, user, view, n, scale, relevance) for n in cutoffs] for user in given]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=f"{name} {params}")


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize("scale", [STARS, HALF_STARS, FROM_ZERO], ids=["stars", "half stars", "from zero"])
def test_every_metric_is_what_its_definition_says(view, scale):
    @few
    @given(populations(scale), cutoff_lists, st.sampled_from([scale.relevance, scale.lowest, scale.highest]))
    def check(given, cutoffs, relevance):
        assert_as_by_definition(given, scale, view, cutoffs, relevance)

    check()


@pytest.mark.parametrize("view", ["full", "condensed"])
def test_without_ratings_every_judged_item_is_relevant_and_gains_one(view):
    @few
    @given(st.lists(users(st.just(math.nan)), min_size=1, max_size=4), cutoff_lists)
    def check(given, cutoffs):
        assert_as_by_definition(given, STARS, view, cutoffs, 4.0)

    check()


# What must hold of any ranking.


@few
@given(populations(STARS), cutoff_lists)
def test_values_stay_in_their_range(given, cutoffs):
    for view in ("full", "condensed"):
        for spec in (
            "P",
            "nDCG",
            "nDCG(gain=exp)",
            "nDCG(gain=linear,ideal=uncut)",
            "RBP",
            "RBP(gain=exp)",
            "RBPResidual",
            "Unrated",
        ):
            found = measure(spec, judged(given, view=view), *cutoffs)
            assert found.min() >= 0
            assert found.max() <= 1 + 1e-12


@pytest.mark.parametrize("phi", [0.05, 0.3, 0.45, 0.62, 0.8, 0.9, 0.95])
def test_a_residual_is_never_negative_however_much_is_judged(phi):
    everything = judged([User(600, dict.fromkeys(range(1, 601), 5.0))])
    assert (measure(f"RBPResidual(phi={phi})", everything, *range(1, 601)) >= 0).all()


@few
@given(populations(STARS), st.integers(1, 15), st.sampled_from([0.3, 0.8, 0.95]), st.sampled_from(["binary", "exp", "linear"]))
def test_rbp_and_its_residual_bracket_the_truth(given, n, phi, gain):
    # The true value: every unjudged item, and everything below, turns out to be as good or as bad as may be.
    low = measure(f"RBP(phi={phi},gain={gain})", judged(given), n)
    high = low + measure(f"RBPResidual(phi={phi})", judged(given), n)
    assert (high <= 1 + 1e-12).all()
    best = [User(40, {**dict.fromkeys(range(1, 41), 5.0), **{k: r for k, r in u.ranked.items() if k <= n}}) for u in given]
    assert (measure(f"RBP(phi={phi},gain={gain})", judged(best), 40) <= high + 1e-12).all()


@few
@given(populations(STARS))
def test_deeper_cutoffs_never_lose_hits_or_weight(given):
    for view in ("full", "condensed"):
        seen, depths = judged(given, view=view), tuple(range(1, 15))
        assert (np.diff(measure("P", seen, *depths) * depths) >= -1e-12).all()
        assert (np.diff(measure("RBP(gain=linear)", seen, *depths)) >= -1e-12).all()
        assert (np.diff(measure("RBPResidual", seen, *depths)) <= 1e-12).all()
        assert (np.diff(measure("nDCG(gain=exp,ideal=uncut)", seen, *depths)) >= -1e-12).all()


@few
@given(users(st.integers(1, 5).map(float)), st.data())
def test_a_better_item_moved_up_never_costs_anything(user, data):
    if len(user.ranked) < 2:
        return
    first, second = sorted(data.draw(st.permutations(sorted(user.ranked)))[:2])
    swapped = {**user.ranked, first: user.ranked[second], second: user.ranked[first]}
    better, worse = (swapped, user.ranked) if user.ranked[first] < user.ranked[second] else (user.ranked, swapped)
    for spec in ("P", "nDCG", "nDCG(gain=exp)", "nDCG(gain=linear,ideal=uncut)", "RBP", "RBP(gain=exp)"):
        for view in ("full", "condensed"):
            high, low = (
                measure(spec, judged([User(user.listed, ranked, user.unranked)], view=view), 3, 12) for ranked in (better, worse)
            )
            assert (high >= low - 1e-12).all()


@few
@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.integers(1, 15))
def test_the_ideal_ranking_measures_one(ratings, n):
    ideal = User(len(ratings), {rank: float(r) for rank, r in enumerate(sorted(ratings, reverse=True), start=1)})
    for gain in ("binary", "exp", "linear"):
        found = measure(f"nDCG(gain={gain})", judged([ideal], relevance=1), n)[0, 0]
        assert found == pytest.approx(0 if gain == "exp" and max(ratings) == 1 else 1, abs=1e-12)


@few
@given(populations(STARS), cutoff_lists)
def test_unjudged_items_below_the_last_judged_one_change_nothing_that_is_condensed(given, cutoffs):
    longer = [User(user.listed + 7, user.ranked, user.unranked) for user in given]
    for name, params in METRICS:
        spec = f"{name}({','.join(f'{key}={value}' for key, value in params.items())})"
        a, b = (measure(spec, judged(found, view="condensed"), *cutoffs) for found in (given, longer))
        np.testing.assert_array_equal(a, b)


@few
@given(populations(STARS), st.permutations([1, 3, 5, 10, 12]))
def test_cutoffs_may_be_given_in_any_order_and_alone(given, cutoffs):
    seen = judged(given)
    for spec in ("P", "nDCG", "nDCG(ideal=uncut)", "RBP", "RBPResidual", "Unrated"):
        together = measure(spec, seen, *cutoffs)
        for place, cutoff in enumerate(cutoffs):
            np.testing.assert_allclose(together[:, place], measure(spec, seen, cutoff)[:, 0], rtol=0, atol=1e-15)


@few
@given(populations(STARS), cutoff_lists, st.integers(1, 9))
def test_the_order_of_a_users_rows_does_not_matter(given, cutoffs, seed):
    for view in ("full", "condensed"):
        for spec in ("P", "nDCG(gain=exp)", "RBP", "Unrated"):
            a, b = (measure(spec, judged(given, view=view, seed=order), *cutoffs) for order in (0, seed))
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-14)


# Edges.


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


# A metric with its cut-off.


@pytest.mark.parametrize(
    ("text", "printed", "short"),
    [
        ("P@10", "P@10", "P@10"),
        ("p@10", "P@10", "P@10"),
        ("ndcg(gain=exp)@5", "nDCG(discount=log2,gain=exp,ideal=cut)@5", "nDCG(gain=exp)@5"),
        ("RBP(phi=0.80)@10", "RBP(gain=binary,phi=0.8)@10", "RBP@10"),
    ],
)
def test_a_metric_is_printed_with_every_parameter(text, printed, short):
    [found] = parse_measured_at(text)
    assert (str(found), found.short) == (printed, short)


def test_several_cutoffs_are_several_metrics():
    assert [found.short for found in parse_measured_at("P@5, 10,1")] == ["P@5", "P@10", "P@1"]


@pytest.mark.parametrize("text", ["P", "P@", "P@0", "P@-1", "P@x", "P@1.5", "P@5,", "@5", "P@5@"])
def test_a_metric_without_a_whole_positive_cutoff_is_refused(text):
    with pytest.raises(SpecError):
        parse_measured_at(text)


def test_the_missing_cutoff_is_explained():
    with pytest.raises(SpecError, match="metric 'P' has no cut-off") as refused:
        parse_measured_at("P")
    assert "P@10" in str(refused.value)


def test_exponential_gains_are_refused_where_they_would_overflow():
    seen = judged([User(1, {1: 2000.0})], scale=Scale(0, 2000, 1))
    with pytest.raises(DesignError, match="overflow"):
        plugins.build("metric", "nDCG(gain=exp)").measure(seen, (5,))
    wide = judged([User(1, {1: 1000.0})], scale=Scale(0, 1000, 1))
    assert plugins.build("metric", "nDCG(gain=exp)").measure(wide, (5,)).tolist() == [[1.0]]
