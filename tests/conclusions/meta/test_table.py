"""Findings as tables, means over folds, and rankings that a board refuses to join."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from conclusions.meta.boards import metrics, rules
from recsens.artefacts import storage
from recsens.conclusions.meta import FINDINGS, Board, Finding, MetricAnalysis, average_over_folds, columns_of
from recsens.errors import ArtefactError, RecsensError
from recsens.files.scale import Scale
from recsens.outcomes.measuring.stored_rankings import RankedUsers

NAN = math.nan
P, NDCG = metrics("P@10", "nDCG@10")
APART = MetricAnalysis.build("discrimination")
WHOLE = MetricAnalysis.build("sparsity")


def frame(**folds: list[Finding]) -> pd.DataFrame:
    """Write the findings of folds under the folds' names."""
    return pd.concat([pd.DataFrame(columns_of(found)).assign(fold=fold) for fold, found in folds.items()], ignore_index=True)


def test_findings_are_read_back_as_they_were_written(tmp_path):
    found = [
        Finding("tau", 0.5, P, at=20.0, low=0.4, high=0.6, spread=0.1, n=3),
        Finding("agreement", NAN, P, NDCG, n=2),
        Finding("p", 0.01, NDCG, system_a="A, B", system_b='"C"', n=60),
        Finding("auc", 1.0),
    ]
    path = tmp_path / "findings.parquet"
    storage.write_table(path, FINDINGS, columns_of(found))
    read = storage.read_table(path, FINDINGS).to_pandas()
    assert list(read.columns) == FINDINGS.names
    pd.testing.assert_frame_equal(read, pd.DataFrame(columns_of(found))[FINDINGS.names])
    assert read.loc[1, ["metric", "against"]].tolist() == ["P@10", "nDCG@10"]
    assert read.loc[0, "metric_full"] == str(P)
    assert read.loc[3, ["metric", "metric_full", "against", "system_a"]].tolist() == [""] * 4


def test_over_two_folds_the_mean_stands_with_students_interval_over_folds():
    folds = frame(
        a=[Finding("area", 0.4, P, low=0.3, high=0.5, n=50), Finding("tau", 1.0, P, at=100, n=50), Finding("tau", 0.2, P, at=50)],
        b=[Finding("area", 0.8, P, low=0.7, high=0.9, n=50), Finding("tau", 1.0, P, at=100, n=50), Finding("tau", 0.6, P, at=50)],
    )
    found = average_over_folds(WHOLE, folds)
    assert found["fold"].unique().tolist() == ["all"]
    assert list(zip(found["quantity"], found["at"].fillna(-1), strict=True)) == [("area", -1), ("tau", 100), ("tau", 50)]
    assert found["value"].tolist() == pytest.approx([0.6, 1.0, 0.4])
    assert found["n"].tolist() == [2, 2, 2]
    # s = .4 / √2 and t = 12.7062 with one degree of freedom: a reach of 12.7062 · .2.
    assert found["spread"].tolist() == pytest.approx([0.4 / math.sqrt(2), 0.0, 0.4 / math.sqrt(2)])
    reach = stats.t.ppf(0.975, 1) * 0.2
    assert found["low"].tolist() == pytest.approx([0.6 - reach, 1.0, 0.4 - reach])
    assert found["high"].tolist() == pytest.approx([0.6 + reach, 1.0, 0.4 + reach])


def test_one_fold_keeps_its_own_intervals():
    folds = frame(a=[Finding("area", 0.4, P, low=0.3, high=0.5, spread=0.2, n=50)])
    [row] = average_over_folds(WHOLE, folds).to_dict("records")
    assert [row[name] for name in ("value", "low", "high", "spread", "n", "fold")] == [0.4, 0.3, 0.5, 0.2, 50, "all"]


def test_a_fold_without_a_value_leaves_the_mean_to_the_others_and_says_so():
    folds = frame(a=[Finding("area", NAN, P), Finding("area", NAN, NDCG)], b=[Finding("area", 0.8, P), Finding("area", NAN, NDCG)])
    found = average_over_folds(WHOLE, folds).set_index("metric")
    assert found.loc["P@10", ["value", "n"]].tolist() == [0.8, 1]
    assert found.loc["P@10", ["low", "high", "spread"]].isna().all()
    assert found.loc["nDCG@10", "n"] == 0
    assert math.isnan(found.loc["nDCG@10", "value"])


def test_what_is_found_on_some_folds_alone_says_on_how_many():
    folds = frame(a=[Finding("tau", 0.5, P, at=10)], b=[Finding("tau", 0.7, P, at=20)])
    assert average_over_folds(WHOLE, folds)["n"].tolist() == [1, 1]


@pytest.mark.parametrize("names", ["a", "ab"])
def test_p_values_stay_apart_by_fold(names):
    found = [Finding("p", 0.01, P, system_a="A", system_b="B", n=9), Finding("DP", 0.01, P, n=1), Finding("copies", 1.0)]
    told = average_over_folds(APART, frame(**dict.fromkeys(names, found)))
    assert told["quantity"].tolist() == ["DP"]


# Joining rankings


def ranked(**changes: object) -> RankedUsers:
    """Return the ranking of three test ratings of two users."""
    counts = {name: np.array([5, 5]) for name in ("train", "scored", "targets")}
    plain = RankedUsers(
        user=np.array([0, 0, 1], dtype=np.int32),
        position=np.array([1, 2, 1], dtype=np.int32),
        rating=np.array([5.0, 1.0, 4.0]),
        score=np.array([0.9, 0.1, 0.5]),
        item=np.array([3, 4, 3], dtype=np.int32),
        counts=counts,
        scale=Scale(1, 5),
    )
    return replace(plain, **changes)


def joined(**systems: RankedUsers) -> Board:
    return Board.of(systems, np.zeros(6, dtype=np.int64), rules(), {})


def test_rankings_of_one_test_set_are_joined():
    board = joined(A=ranked(), B=ranked(position=np.array([0, 1, 7], dtype=np.int32)))
    assert board.systems == ("A", "B")
    assert board.position.tolist() == [[1, 2, 1], [0, 1, 7]]
    assert (board.n_users, board.n_items) == (2, 6)


@pytest.mark.parametrize(
    "other",
    [
        {"user": np.array([0, 1, 1], dtype=np.int32)},
        {"item": np.array([3, 5, 3], dtype=np.int32)},
        {"rating": np.array([5.0, 1.0, 3.0])},
    ],
)
def test_rankings_of_different_test_sets_are_refused_by_name(other):
    with pytest.raises(ArtefactError, match="the rankings of 'B' have a different test set than the rankings of the other"):
        joined(A=ranked(), B=ranked(**other))


def test_a_threshold_beyond_the_scale_is_refused():
    with pytest.raises(RecsensError, match="6"):
        Board.of({"A": ranked(), "B": ranked()}, np.zeros(6, dtype=np.int64), rules(relevance=6), {})
