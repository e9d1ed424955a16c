"""Metrics of predicted ratings: by hand, compared with scikit-learn, and by slow definitions."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from metrics.rankings import HALF_STARS, STARS, built
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.metrics import WHOLE, Judged
from recsens.outcomes.measuring.own_positions import measure as measure_arrays

X = math.nan


def predicted(rows, *, n_users=None, scale=STARS, view="full", relevance=4):
    """Arrange rows of user, item, rating and prediction; a user's items are ranked by prediction, equal ones in the given order."""
    rows = sorted(rows, key=lambda row: row[0])
    users = n_users or max((row[0] for row in rows), default=-1) + 1
    position = np.zeros(len(rows), dtype=np.int64)
    for user in range(users):
        own = [place for place, row in enumerate(rows) if row[0] == user and not math.isnan(row[3])]
        for rank, place in enumerate(sorted(own, key=lambda place: -rows[place][3]), start=1):
            # Unjudged items are in between.
            position[place] = rank if view == "condensed" else 2 * rank
    columns = np.array(rows, dtype=float).reshape(-1, 4).T
    return Judged(
        columns[0].astype(np.int32),
        position,
        columns[2],
        np.full(users, 100),
        scale,
        relevance,
        score=columns[3],
        item=columns[1].astype(np.int32),
    )


def measure(spec, judged, *cutoffs):
    found = built(spec).measure(judged, cutoffs or (WHOLE,))
    assert found.shape == (1 if built(spec).unit == "pooled" else judged.n_users, len(cutoffs) or 1)
    return found


# Ratings 5, 3, 4 of one user and 1 of another.
FOUR = predicted([(0, 0, 5, 4.5), (0, 1, 3, 3.5), (0, 2, 4, 2), (1, 0, 1, 2)])


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("MAE", 1.0),
        ("RMSE", 1.172604),
        ("MAE(norm=range)", 0.25),
        ("MAE(norm=chance)", 0.625),
        ("RMSE(norm=range)", 1.172604 / 4),
        ("iMAE", ((0.5 + 1) / 2 + 0.5 + 2) / 3),
        ("iRMSE", (math.sqrt(1.25 / 2) + 0.5 + 2) / 3),
    ],
)
def test_four_predictions(spec, value):
    assert measure(spec, FOUR)[0, 0] == pytest.approx(value, abs=5e-7)


def test_the_mean_over_users_counts_each_the_same():
    assert measure("uMAE", FOUR)[:, 0].tolist() == [1, 1]
    assert measure("uRMSE", FOUR)[:, 0] == pytest.approx([math.sqrt(4.5 / 3), 1])


@pytest.mark.parametrize(
    ("known_as", "written"),
    [
        ("iMAE", "MAE(over=items)"),
        ("uMAE(norm=range)", "MAE(norm=range,over=users)"),
        ("iRMSE", "RMSE(over=items)"),
        ("uRMSE(ratings=4..5)", "RMSE(over=users,ratings=4..5)"),
        ("MAE", "MAE(over=ratings)"),
    ],
)
def test_a_mean_over_items_or_users_goes_by_its_usual_name(known_as, written):
    assert built(written) == built(known_as)
    assert str(built(written).spec) == known_as
    assert built(str(built(written).full_spec)) == built(written)


def test_what_is_not_predicted_has_no_error():
    judged = predicted([(0, 0, 5, 4), (0, 1, 1, X), (1, 2, 2, X)], n_users=3)
    for spec in ("MAE", "RMSE", "iMAE", "iRMSE"):
        assert measure(spec, judged)[0, 0] == 1
    for spec in ("uMAE", "uRMSE", "DCSE", "SDCSE"):
        np.testing.assert_array_equal(measure(spec, judged)[:, 0], [1, X, X])
    assert measure("PredictionCoverage", judged)[0, 0] == pytest.approx(1 / 3)


def test_an_item_is_covered_by_one_prediction():
    # Item 0 is predicted for one of its two users, item 1 for none, item 7 for its only one.
    judged = predicted([(0, 0, 5, 4), (0, 1, 1, X), (1, 0, 2, X), (1, 1, 4, X), (1, 7, 3, 3)])
    assert measure("PredictionCoverage", judged)[0, 0] == pytest.approx(2 / 5)
    assert measure("PredictionCoverage(of=items)", judged)[0, 0] == pytest.approx(2 / 3)
    for spec in ("PredictionCoverage", "PredictionCoverage(of=items)"):
        assert np.isnan(measure(spec, predicted([], n_users=2))[0, 0])
    with pytest.raises(DesignError, match="of=items"):
        measure("PredictionCoverage(of=items)", replace(judged, item=None))


def test_nothing_predicted_at_all():
    for judged in (predicted([(0, 0, 5, X)]), predicted([], n_users=2)):
        for spec in ("MAE", "RMSE", "iMAE", "iRMSE", "uMAE", "uRMSE", "SDCSE", "SDCSE(norm=max)", "DCSE"):
            assert np.isnan(measure(spec, judged)).all(), spec
        for spec in ("UpSell", "DownSell", "PerfectSell"):
            assert np.isnan(measure(spec, judged, 5)).all(), spec


def test_uniform_guesses_on_scales_of_any_step():
    # Of 0.5, 1, ... 5: ten values, mean absolute difference of two draws .5 · 99 / 30.
    for scale, expected in ((STARS, 1.6), (HALF_STARS, 1.65), (Scale(0, 3, 0), 1.0)):
        judged = predicted([(0, 0, scale.lowest, scale.lowest + expected)], scale=scale)
        assert measure("MAE(norm=chance)", judged)[0, 0] == pytest.approx(1)


def test_ratings_and_predictions_must_be_known():
    bare = Judged(np.zeros(1, np.int32), np.ones(1, np.int64), np.array([4.0]), np.ones(1, np.int64), STARS, 4)
    with pytest.raises(DesignError, match="not known"):
        measure("MAE", bare)
    with pytest.raises(DesignError, match="no ratings"):
        measure("uRMSE", predicted([(0, 0, X, 1)]))


def of_users(rows):
    return predicted([(user, item, y, p) for user, pairs in enumerate(rows) for item, (y, p) in enumerate(pairs)])


# True and predicted ratings of a published table of examples.
PRINTED = of_users(
    [
        list(zip([3, 3, 4, 3, 5], [5, 5, 4, 4, 4], strict=True)),
        list(zip([4, 3, 2, 2, 1], [5, 5, 5, 4, 4], strict=True)),
        list(zip([5, 5, 4, 4, 4], [5, 3, 2, 1, 1], strict=True)),
        list(zip([1, 1, 1, 1, 1], [1, 1, 1, 0, 0], strict=True)),
    ]
)


def test_the_printed_examples_of_discounted_squared_errors():
    assert measure("SDCSE", PRINTED)[:, 0] == pytest.approx([0.9848, 0.7041, 0.6457, 0.5013], abs=5e-5)
    assert measure("SDCSE(norm=max)", PRINTED)[:, 0] == pytest.approx([0.1556, 0.2804, 0.2519, 0.0173], abs=5e-5)


def test_two_of_four_printed_examples_are_the_accuracy_cut_to_two_decimals():
    # The paper prints .15, .29, .35 and .35.
    sdcse = measure("SDCSE", PRINTED)[:, 0]
    assert [math.floor(100 * value) / 100 for value in 1 - sdcse] == [0.01, 0.29, 0.35, 0.49]
    assert [math.floor(100 * value) / 100 for value in sdcse] == [0.98, 0.7, 0.64, 0.5]


def test_the_order_of_equal_predictions_decides_about_the_first_printed_example():
    pairs = list(zip([3, 3, 4, 3, 5], [5, 5, 4, 4, 4], strict=True))
    orders = [[*pairs[:2], *rest] for rest in permutations(pairs[2:])]
    accuracy = 1 - measure("SDCSE", of_users(orders))[:, 0]
    assert (accuracy.min(), accuracy.max()) == pytest.approx((0, 0.0152), abs=5e-5)


def test_the_size_of_equal_errors_shows_only_beside_the_largest():
    judged = of_users([[(3, 3.1), (4, 4.1)], [(3, 5), (2, 4)], [(3, 3), (2, 2)]])
    assert measure("SDCSE", judged)[:, 0] == pytest.approx([1, 1, 0])
    weight = 1 + 1 / math.log2(3)
    assert measure("DCSE", judged)[:, 0] == pytest.approx([0.01 * weight, 4 * weight, 0])
    assert measure("SDCSE(norm=max)", judged)[:, 0] == pytest.approx([0.01 / 16, 4 / 16, 0])
    # A single small error at the first position, and one of 2 at the third.
    assert measure("SDCSE", of_users([[(5, 5.01), (4, 4), (3, 3)]]))[0, 0] == pytest.approx(1)
    late = of_users([[(5, 5), (4, 4), (5, 3)]])
    assert measure("SDCSE", late)[0, 0] == pytest.approx(0.5)


def test_cutoffs_of_discounted_squared_errors():
    # Errors 0, 0, 2 in order: down to 2 there is no error.
    late = of_users([[(5, 5), (4, 4), (5, 3)]])
    assert measure("SDCSE", late, 2, 3, 9)[0] == pytest.approx([0, 0.5, 0.5])
    assert measure("DCSE", late, 2, 3, 9)[0] == pytest.approx([0, 2, 2])


def test_errors_below_the_cutoff_are_no_part_of_the_worst_order():
    # Errors 1, 0, 2 in order: the first two are already in their worst order.
    listed = {"user": [0, 0, 0], "position": [1, 2, 3], "rating": [4, 4, 5], "score": [5, 4, 3]}
    found = measure_arrays(listed, ["SDCSE@1,2,3", "SDCSE(norm=max)@2,3"], ranked=3)
    assert found["SDCSE@1"] == found["SDCSE@2"] == 1
    # Errors of 1 at the first position and 4 at the third: the worst order has the 4 first.
    assert found["SDCSE@3"] == pytest.approx(3 / (4 + 1 / math.log2(3)))
    assert found["SDCSE(norm=max)@2"] == pytest.approx(1 / (16 + 16 / math.log2(3)))
    assert found["SDCSE(norm=max)@3"] == pytest.approx(3 / (16 + 16 / math.log2(3) + 8))


@pytest.mark.parametrize("cutoffs", [(1,), (2,), (3,), (1, 2, 3)])
def test_a_cutoff_means_the_same_alone_and_beside_others(cutoffs):
    judged = of_users([[(4, 5), (4, 4), (5, 3)], [(1, 2), (3, 1)], [(2, 2)]])
    every = measure("SDCSE", judged, 1, 2, 3)
    np.testing.assert_array_equal(measure("SDCSE", judged, *cutoffs), every[:, [n - 1 for n in cutoffs]])


def test_a_user_without_predictions_is_no_best_and_no_worst_of_sales():
    judged = predicted([(0, 0, 5, 3), (0, 1, 2, X), (1, 0, 1, X)], n_users=3)
    for spec, value in (("UpSell", 0), ("DownSell", 1), ("PerfectSell", 0)):
        np.testing.assert_array_equal(measure(spec, judged, 2)[:, 0], [value, X, X])


def test_ratings_sold_too_high_and_too_low():
    for view in ("full", "condensed"):
        judged = predicted([(0, i, y, p) for i, (y, p) in enumerate(zip([3, 3, 4, 3, 5], [5, 5, 4, 4, 4], strict=True))], view=view)
        for spec, value in (("UpSell", 0.6), ("DownSell", 0.2), ("PerfectSell", 0.2)):
            assert measure(spec, judged, 5)[0, 0] == pytest.approx(value)
            # Only five of ten places are taken, so the sum is divided by five.
            assert measure(spec, judged, 10)[0, 0] == pytest.approx(value)
        assert measure("UpSell", judged, 2)[0, 0] == 1
        assert measure("PerfectSell(tolerance=1.0)", judged, 5)[0, 0] == pytest.approx(0.6)


def test_an_error_that_meets_the_tolerance_is_within_it():
    # In floating point, 3.1 - 3 is a little more than .1, and 4.3 - 4.4 a little less than -.1.
    judged = predicted([(0, 0, 3, 3.1), (0, 1, 3, 2.9), (0, 2, 4.4, 4.3), (0, 3, 3, 3.11)])
    for kind, value in (("UpSell", 0.25), ("DownSell", 0), ("PerfectSell", 0.75)):
        assert measure(f"{kind}(tolerance=0.1)", judged, 4)[0, 0] == value


# Against scikit-learn and slow definitions

pairs = st.tuples(
    st.integers(0, 4),
    st.integers(0, 5),
    st.integers(1, 5).map(float),
    st.one_of(st.just(X), st.integers(0, 24).map(lambda k: k / 4)),
)
tables = st.lists(pairs, max_size=25, unique_by=lambda row: row[:2]).map(sorted)


def predicted_of(rows, place, code):
    return [row for row in rows if row[place] == code and not math.isnan(row[3])]


def by_group(error, place, codes):
    """Apply an error of scikit-learn to the predictions of each user, or item; NaN without any."""

    def values(rows, n):
        groups = [predicted_of(rows, place, code) for code in codes]
        return [error([row[2] for row in own], [row[3] for row in own]) if own else X for own in groups]

    return values


def pooled_error(error):
    def value(rows, n):
        own = [row for row in rows if not math.isnan(row[3])]
        return [error([row[2] for row in own], [row[3] for row in own]) if own else X]

    return value


def over_items(error):
    def value(rows, n):
        found = [each for each in by_group(error, 1, range(6))(rows, n) if not math.isnan(each)]
        return [sum(found) / len(found) if found else X]

    return value


def in_order(rows, user):
    """Rating and prediction of a user's items, best prediction first."""
    return [(y, p) for _, _, y, p in sorted(predicted_of(rows, 0, user), key=lambda row: -row[3])]


def discounted(squares):
    """Eq. 11 and 13: the sum of squared errors, each divided by log2(i + 1)."""
    return sum(square / math.log2(i + 1) for i, square in enumerate(squares, start=1))


def dcse(worst):
    """DCSE@N of the N items listed, divided by the largest value for their errors or for errors as large as the scale."""

    def values(rows, n):
        found = []
        for user in range(5):
            listed = [(p - y) ** 2 for y, p in in_order(rows, user)[:n]]
            found.append(discounted(listed) / (worst(listed) or 1) if listed else X)
        return found

    return values


def sold(counts):
    """The share among the N items listed; there may be fewer than N."""

    def values(rows, n):
        listed = [in_order(rows, user)[:n] for user in range(5)]
        return [sum(counts(p - y) for y, p in own) / len(own) if own else X for own in listed]

    return values


def covered(pick):
    def value(rows, n):
        scored = {pick(row) for row in rows if not math.isnan(row[3])}
        return [len(scored) / len(set(map(pick, rows))) if rows else X]

    return value


def practical(tolerance):
    def value(rows, n):
        found = []
        for user in range(5):
            own = [row for row in rows if row[0] == user]
            right = [row for row in own if not math.isnan(row[3]) and abs(row[3] - row[2]) <= tolerance]
            found.append(len(right) / len(own) if own else X)
        return found

    return value


def test_practical_accuracy_is_coverage_times_accuracy():
    # User 0 has five test ratings: three are predicted, two of these within half a point. User 1's only one is not predicted.
    rows = [(0, 0, 5, 4.5), (0, 1, 3, 3.4), (0, 2, 4, 2), (0, 3, 1, X), (0, 4, 2, X), (1, 0, 1, X)]
    found = measure("PracticalAccuracy", predicted(rows, n_users=3))[:, 0]
    assert found[:2] == pytest.approx([3 / 5 * 2 / 3, 0])
    assert np.isnan(found[2])
    # A meaningless prediction raises coverage, but not this metric.
    assert measure("PracticalAccuracy", predicted([*rows[:3], (0, 3, 1, 5), (0, 4, 2, 5), rows[5]], n_users=3))[0, 0] == 2 / 5


DEFINED = {
    "MAE": pooled_error(mean_absolute_error),
    "RMSE": pooled_error(root_mean_squared_error),
    "uMAE": by_group(mean_absolute_error, 0, range(5)),
    "uRMSE": by_group(root_mean_squared_error, 0, range(5)),
    "iMAE": over_items(mean_absolute_error),
    "iRMSE": over_items(root_mean_squared_error),
    "DCSE": dcse(lambda listed: 1),
    "SDCSE": dcse(lambda listed: discounted(sorted(listed, reverse=True))),
    "SDCSE(norm=max)": dcse(lambda listed: discounted([16] * len(listed))),
    "UpSell": sold(lambda error: error > 0.5),
    "DownSell": sold(lambda error: error < -0.5),
    "PracticalAccuracy": practical(0.5),
    "PracticalAccuracy(tolerance=1)": practical(1),
    "PerfectSell": sold(lambda error: abs(error) <= 0.5),
    "PredictionCoverage": covered(lambda row: row[:2]),
    "PredictionCoverage(of=items)": covered(lambda row: row[1]),
}


@given(tables, st.integers(1, 8), st.sampled_from(["full", "condensed"]))
def test_as_defined(rows, n, view):
    # In a full ranking, unjudged items are between the judged ones, and would take places at the top.
    judged = predicted(rows, n_users=5, view=view)
    for spec, values in DEFINED.items():
        np.testing.assert_allclose(measure(spec, judged, n)[:, 0], values(rows, n), rtol=0, atol=1e-12, err_msg=spec)


@given(tables, st.lists(st.integers(1, 30), min_size=1, max_size=3), st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]))
def test_three_sales_make_up_the_whole_of_everybody_with_a_prediction(rows, cutoffs, tolerance):
    judged = predicted(rows, n_users=5)
    sales = [measure(f"{kind}(tolerance={tolerance})", judged, *cutoffs) for kind in ("UpSell", "DownSell", "PerfectSell")]
    has_any = [bool(predicted_of(rows, 0, user)) for user in range(5)]
    np.testing.assert_allclose(sum(sales), np.where(has_any, 1, X)[:, np.newaxis].repeat(len(cutoffs), axis=1), rtol=0, atol=1e-15)
    for shares in sales:
        assert (np.isnan(shares) | ((shares >= 0) & (shares <= 1))).all()
