"""Scores of systems over users, groups and folds, worked by hand."""

from dataclasses import replace

import numpy as np
import pytest

from recsens.comparison.aggregation import Aggregate, Cover
from recsens.comparison.users import Population
from recsens.errors import ArtefactError
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.outcomes.shared_panels import UserRows, rows_of_users
from recsens.plugins.specs import parse


def population(listed: list[int]) -> Population:
    ones = np.ones(len(listed), dtype=np.int64)
    return Population(train=ones, test=ones, relevant=ones, listed=np.array(listed))


def fold(
    values: list[list[float]], n_measured: list[list[int]], *, admitted: list[bool] | None = None, listed=None
) -> FoldMeasures:
    n_users = len(values[0])
    mask = np.ones(n_users, dtype=bool) if admitted is None else np.array(admitted)
    known = population(listed or [1] * n_users)
    cover = Cover(np.ones(n_users, dtype=np.int64), (known.listed > 0).astype(np.int64), {})
    return FoldMeasures.of(np.array(values, dtype=float), np.array(n_measured), mask, known, cover)


def test_users_of_a_metric_of_users_count_alike():
    found = fold([[0.5, 0.2, 0.0]], [[1, 1, 1]])
    assert found.weights.tolist() == [1, 1, 1]
    assert found.mean("full") == pytest.approx(0.7 / 3)


def test_ratings_count_alike_where_ratings_are_measured():
    # Three ratings of the first user, whose mean is .5, one of the second; the third has none and is not averaged.
    found = fold([[0.5, 0.2, 0.0]], [[3, 1, 0]])
    assert found.mean("full") == pytest.approx((3 * 0.5 + 0.2) / 4)
    assert found.admitted.tolist() == [True, True, False]


def test_percentiles_count_alike_whatever_the_number_of_their_ratings():
    # First percentile: ratings 1 (value 1) and 3 (mean 0); second: none and 2 (mean .5). Means .25 and .5.
    found = fold([[1.0, 0.0], [0.0, 0.5]], [[1, 3], [0, 2]])
    assert found.mean("full") == pytest.approx((0.25 + 0.5) / 2)


def test_a_percentile_without_ratings_is_left_out():
    found = fold([[1.0, 0.0], [0.0, 0.0]], [[1, 3], [0, 0]])
    assert found.mean("full") == pytest.approx(0.25)


def test_users_left_out_do_not_weigh_in_a_percentile():
    # Without the second user, the first percentile has one rating, which is a hit, and the second has none.
    found = fold([[1.0, 0.0], [0.0, 0.5]], [[1, 3], [0, 2]], admitted=[True, False])
    assert found.mean("full") == pytest.approx(1.0)


def joined(panel: Panel) -> Paired:
    mean = Aggregate.build(parse("mean"))
    return Paired.over_folds([Paired.of(scores, mean.tested(scores), mean) for scores in panel.by_fold])


def test_a_user_of_ratings_weighs_over_all_folds_by_the_share_of_each_fold():
    # Shares of the folds' ratings: 1/2 and 1/2, then 1 and 0. The first user has (1/2 * 1 + 1 * 0) / (3/2); the mean is 1/3 * 3/4,
    # which is the mean of the folds' 1/2 and 0.
    folds = (fold([[1.0, 0.0]], [[1, 1]]), fold([[0.0, 0.5]], [[3, 0]]))
    found = joined(Panel({"A": SystemMeasures(folds)}, "rating", "full", {}))
    assert found.values[0] == pytest.approx([1 / 3, 0.0])
    assert found.weights == pytest.approx([1.5, 0.5])


def test_a_user_who_is_averaged_on_one_fold_of_two_weighs_as_the_mean_over_folds_has_it():
    # The folds' means are 1/2 and 0, over two users and one: shares 1/2 and 1/2, then 1.
    folds = (fold([[1.0, 0.0]], [[1, 1]]), fold([[0.0, 0.5]], [[1, 1]], admitted=[True, False]))
    found = joined(Panel({"A": SystemMeasures(folds)}, "user", "full", {}))
    assert found.values[0] == pytest.approx([1 / 3, 0.0])
    assert found.weights == pytest.approx([1.5, 0.5])
    assert np.average(found.values[0], weights=found.weights) == pytest.approx(0.25)


def test_users_of_all_folds_weigh_alike():
    folds = (fold([[1.0, 0.0]], [[1, 1]]), fold([[0.0, 0.5]], [[1, 1]]))
    found = joined(Panel({"A": SystemMeasures(folds)}, "user", "full", {}))
    assert found.values.tolist() == [[0.5, 0.25]]
    assert found.weights is None


def test_a_fold_that_counts_nobody_is_left_out():
    folds = (fold([[1.0, 0.0]], [[1, 1]]), fold([[0.0, 0.5]], [[1, 1]], admitted=[False, False]))
    assert joined(Panel({"A": SystemMeasures(folds)}, "user", "full", {})).values.tolist() == [[1.0, 0.0]]


def test_full_is_coverage_times_reduced():
    # Five users, one without a ranking: full .24, reduced .30, coverage .8.
    scores = SystemMeasures((fold([[0.5, 0.2, 0.0, 0.1, 0.4]], [[1] * 5], listed=[9, 9, 0, 9, 9]),))
    share = scores.folds[0].cover.share(scores.folds[0].admitted)
    assert (scores.mean("full"), scores.mean("reduced"), share) == pytest.approx((0.24, 0.30, 0.8))
    scores.check_identity("A")


def test_measures_that_contradict_the_population_are_refused(monkeypatch):
    scores = SystemMeasures((fold([[0.5, 0.2, 0.0, 0.1, 0.4]], [[1] * 5], listed=[9, 9, 0, 9, 9]),))
    monkeypatch.setattr("recsens.outcomes.panels.FoldMeasures.mean", lambda fold, coverage: 0.5 if coverage == "full" else 0.3)
    with pytest.raises(ArtefactError, match="full average"):
        scores.check_identity("A")


def test_the_identity_leaves_out_users_for_whom_the_metric_is_not_defined():
    scores = SystemMeasures((fold([[0.5, np.nan, 0.0]], [[1, 1, 1]], listed=[5, 5, 0]),))
    assert (scores.mean("full"), scores.mean("reduced")) == (0.25, 0.5)
    scores.check_identity("AUC")


def test_a_measure_that_is_not_zero_without_a_ranking_has_no_such_identity():
    SystemMeasures((fold([[0.5, 1.0]], [[1, 1]], listed=[9, 0]),)).check_identity("RBPResidual")


def test_a_pair_is_compared_over_the_folds_in_which_a_user_counts_for_both():
    # The first system covers the user in fold 0 only, where both have .2; the second has 1 in fold 1.
    first = SystemMeasures((fold([[0.2]], [[1]], listed=[5]), fold([[0.0]], [[1]], listed=[0])))
    second = SystemMeasures((fold([[0.2]], [[1]], listed=[5]), fold([[1.0]], [[1]], listed=[5])))
    panel = Panel({"A": first, "B": second}, "user", "reduced", {})
    assert joined(panel.of_pair("A", "B")).values[:, 0] == pytest.approx([0.2, 0.2])


SETTLED = np.array([True, True, False])


def two(first: list[float], second: list[float], settled: np.ndarray | None, admitted: list[bool]) -> Panel:
    """Two systems on one fold, each with a value for three users."""
    of = [replace(fold([values], [[1, 1, 1]], admitted=admitted), settled=settled) for values in (first, second)]
    return Panel(dict(zip("AB", (SystemMeasures((one,)) for one in of), strict=True)), "user", "full", {})


def test_an_analysis_is_uninformative_if_no_order_changes_any_value_of_the_users_compared():
    same, everybody, known = [0.5, 0.2, 0.1], [True] * 3, [True, True, False]
    assert two(same, same, SETTLED, known).why_uninformative("A", "B") == "every ranking has the same value"
    # The third user could have another value.
    assert two(same, same, SETTLED, everybody).why_uninformative("A", "B") == ""
    # One system leaves out targets of the second user.
    assert two(same, [0.5, 0.0, 0.1], SETTLED, known).why_uninformative("A", "B") == ""
    # Equal systems are a result, unless nothing else is possible.
    assert two(same, same, None, known).why_uninformative("A", "B") == ""
    assert two(same, same, None, [False] * 3).why_uninformative("A", "B") == "no user is compared"


def test_a_user_has_one_row_however_a_data_set_is_filtered():
    keys = {"d/none": np.array([0, 3, 5]), "d/core": np.array([3, 7]), "e/none": np.array([7])}
    rows = rows_of_users(keys)
    assert {folder: own.rows.tolist() for folder, own in rows.items()} == {"d/none": [0, 1, 2], "d/core": [1, 3], "e/none": [0]}
    assert rows["d/core"].spread(np.array([[0.5, 0.25]])).tolist() == [[0, 0.5, 0, 0.25]]
    assert rows["e/none"].n_users == 1
    assert UserRows().spread(keys["d/none"]) is keys["d/none"]
