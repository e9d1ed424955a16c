"""Samples of target items that are smaller than requested, because a user has too few items to draw from."""

from __future__ import annotations

import pandas as pd

from recsens.ranking.targets import Samples
from recsens.study import Experiment
from recsens.study.taxonomy import decision
from recsens.tables.numbers import count, quantity, span

_NAMED = 3
"""Largest number of sentences about one data set or experiment."""

_DECISIONS = tuple(decision(key).full_column for key in ("filter", "split", "targets", "users"))

_AUDIENCE = "audience"


def short_samples(part: Experiment, splits: pd.DataFrame) -> list[str]:
    """Say, for each choice of target items, how many users have too few items to draw from, and how many items they get."""
    return [sentence for label in part.datasets for sentence in _on(label, splits[splits["dataset"] == label])]


def shortage(samples: Samples) -> str:
    """Say how many users have short samples; empty if no user has a short sample."""
    short = samples.is_short
    if not short.any():
        return ""
    sizes = samples.drawn[short]
    users = len(set(samples.user[short].tolist()))
    return _short_of(
        samples.wanted, pd.Series([float(users)]), pd.Series([float(short.sum())]), int(sizes.min()), float(sizes.mean())
    )


def _on(label: str, splits: pd.DataFrame) -> list[str]:
    rows = splits[splits["targets"] != ""]
    # A record describes the study's combinations of relevance threshold and selection of users, one after another.
    rows = rows.assign(**{_AUDIENCE: rows.groupby([*_DECISIONS, "fold", "metric"]).cumcount()})
    sentences = []
    for _, chosen in rows.groupby([*_DECISIONS, _AUDIENCE], sort=False):
        if not (chosen.loc[chosen["metric"] == "short_users", "value"] > 0).any():
            continue
        told = chosen.pivot_table(index="fold", columns="metric", values="value", sort=False)
        what = _short_of(
            int(told["sample_size"].iloc[0]),
            told["short_users"],
            told["short_rankings"],
            int(told["smallest_sample"].min()),
            float((told["mean_short_sample"] * told["short_rankings"]).sum() / told["short_rankings"].sum()),
        )
        where = (
            f"with targets {chosen['targets'].iloc[0]}, split {chosen['split'].iloc[0]} and relevance threshold "
            f"{quantity(told['relevance'].iloc[0])}"
        )
        sentence = f"On {label}, {where}, {what}."
        if sentence not in sentences:
            sentences.append(sentence)
    if (n := len(sentences) - _NAMED) > 0:
        sentences[_NAMED:] = [f"On {label}, samples are short under {n} further design{'s' * (n > 1)}: see splits.csv."]
    return sentences


def _short_of(wanted: int, users: pd.Series[float], rankings: pd.Series[float], fewest: int, mean: float) -> str:
    """Say, with ranges over folds, how many users and rankings have too few items, and how many items they get."""
    # If every user has one ranking, the numbers of users and rankings are the same.
    more = "" if (users == rankings).all() else f" (in {_several(rankings, 'ranking')})"
    have = "has" if (users == 1).all() else "have"
    return (
        f"{_several(users, 'user')}{more} {have} fewer than {count(wanted)} items to draw from, so these samples contain all "
        f"available items: at least {count(fewest)} items, and {mean:,.1f} items on average"
    )


def _several(numbers: pd.Series[float], noun: str) -> str:
    return f"{span(numbers)} {noun}{'s' * (not (numbers == 1).all())}"
