"""The report's sentences on samples of target items that are smaller than requested."""

import numpy as np
import pandas as pd

from recsens.ranking.targets import Samples
from recsens.report.alerts import short_samples, shortage


def with_samples(splits: pd.DataFrame, **figures: list[float]) -> pd.DataFrame:
    """Add the record of samples to the target items of Alpha-1M's first split: one number for each fold."""
    known = splits[(splits["dataset"] == "Alpha-1M") & (splits["targets"] != "")]
    known = known[known["split_full"] == known["split_full"].iloc[0]]
    folds = list(known["fold"])[:2]
    rows = [
        known[known["fold"] == fold].assign(metric=name, value=values[place])
        for name, values in figures.items()
        for place, fold in enumerate(folds)
    ]
    return pd.concat([splits, *rows], ignore_index=True)


SHORT = {
    "relevance": [5, 5],
    "sample_size": [99, 99],
    "short_users": [12, 14],
    "short_rankings": [30, 45],
    "smallest_sample": [71, 69],
    "mean_sample": [98.9, 98.8],
    "mean_short_sample": [80.5, 83],
}


def test_users_with_fewer_items_left_than_asked_for_are_told(study, results):
    splits = with_samples(results.splits, **SHORT)
    option = splits[splits["metric"] == "sample_size"].iloc[0]
    # (30 * 80.5 + 45 * 83) / 75 = 82
    (said,) = short_samples(study.own, splits)
    assert said == (
        f"On Alpha-1M, with targets {option['targets']}, split {option['split']} and relevance threshold 5, 12 to 14 users "
        "(in 30 to 45 rankings) have fewer than 99 items to draw from, so these samples contain all available items: at least 69 "
        "items, and 82.0 items on average."
    )


def test_where_a_user_has_one_ranking_only_users_are_counted(study, results):
    (said,) = short_samples(study.own, with_samples(results.splits, **{**SHORT, "short_rankings": [12, 14]}))
    assert "12 to 14 users have fewer than 99 items" in said


def test_samples_of_full_size_are_not_told(study, results):
    full = {**SHORT, "short_users": [0, 0], "short_rankings": [0, 0], "mean_short_sample": [np.nan, np.nan]}
    assert short_samples(study.own, with_samples(results.splits, **full)) == []
    assert short_samples(study.own, results.splits) == []


def test_samples_in_memory_are_told_alike():
    samples = Samples(5, np.array([0, 0, 1]), np.array([3, 4, 9]))
    assert shortage(samples) == (
        "1 user (in 2 rankings) has fewer than 5 items to draw from, so these samples contain all available items: at least 3 "
        "items, and 3.5 items on average"
    )
    assert shortage(Samples(3, np.array([0, 0, 1]), np.array([3, 4, 9]))) == ""
