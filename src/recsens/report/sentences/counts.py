"""Sentences about the users who are averaged under the base design."""

from collections.abc import Iterator

import pandas as pd

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.best import Standings
from recsens.report.settings.decisions import counts_as_zero_without_relevant
from recsens.study import Experiment
from recsens.tables.numbers import percentage, span

EFFECTIVE_USERS = (
    "Effective users: the number of equally weighted users who would be as informative as the weighted users, (Σ w)² / Σ w² with "
    "weights w."
)


def weigh_apart(rows: pd.DataFrame, n_users: str) -> bool:
    """Whether users have different weights, so the effective number of users is lower; False for pooled values."""
    return bool((rows["effective_users"].notna() & (rows["effective_users"] != rows[n_users])).any())


def base_counts(part: Experiment, counted: pd.DataFrame) -> list[str]:
    """Say in a few sentences which users are averaged under the base design, for each data set or experiment."""
    return [_sentence(label, rows) for label in part.datasets if not (rows := _base_counts(counted, label)).empty]


def counted_as_zero(part: Experiment, standings: Standings, counted: pd.DataFrame) -> str:
    """Return a part of a sentence: over how many users a value is averaged, and how many count as 0 without a relevant rating."""
    rows = _base_counts(counted, standings.dataset)
    if rows.empty or rows["rankings"].notna().all():
        return ""
    over = f" over {span(rows['averaged'])} {'user' if (rows['averaged'] == 1).all() else 'users'}"
    lacking = rows["averaged"] - rows["with_relevant"]
    measured = next(each for each in part.metrics if str(each) == standings.metric)
    design = base_designs(part)[standings.dataset]
    if not lacking.any() or not counts_as_zero_without_relevant(design, measured):
        return over
    return f"{over}; {span(lacking)} of them have no relevant test rating and count as 0"


def _base_counts(counted: pd.DataFrame, label: str) -> pd.DataFrame:
    return counted[(counted["dataset"] == label) & counted["is_base"]]


def _sentence(label: str, rows: pd.DataFrame) -> str:
    weighing = f" (equivalent to {span(rows['effective_users'])} users of equal weight)" if weigh_apart(rows, "averaged") else ""
    ranked = (
        f" Each of their {span(rows['rankings'])} relevant ratings has its own ranking." if rows["rankings"].notna().all() else ""
    )
    lost, test = rows["lost_ratings"].sum(), rows["test_ratings"].sum()
    fate = (
        f"Of {span(rows['test_ratings'])} test ratings, {span(rows['lost_ratings'])} ({percentage(lost / test)}) are lost because "
        "their users are not averaged."
        if lost
        else "All test ratings belong to these users."
    )
    sentence = (
        f"On {label}, the base design averages over {span(rows['averaged'])} users{weighing}, {_who_of_them(rows)}.{ranked} {fate}"
    )
    return " ".join([sentence, *percentiles(rows)])


def _who_of_them(rows: pd.DataFrame) -> str:
    if (rows["with_relevant"] == rows["averaged"]).all():
        return "all of whom have a relevant test rating"
    tested = "all" if (rows["with_test"] == rows["averaged"]).all() else span(rows["with_test"])
    return f"of whom {tested} have test ratings and {span(rows['with_relevant'])} have a relevant test rating"


def percentiles(rows: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence with the number of relevant ratings in each popularity percentile, if there are percentiles."""
    listed = [list(map(int, text.split())) for text in rows["ratings_by_percentile"] if text]
    if listed:
        spans = [span(pd.Series(numbers, dtype=float)) for numbers in zip(*listed, strict=True)]
        yield f"Relevant ratings in each popularity percentile, the most popular percentile first: {'; '.join(spans)}."
