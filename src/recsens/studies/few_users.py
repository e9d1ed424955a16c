"""Tests of weighted means that rest on few effective users: their error is too small."""

from __future__ import annotations

import pandas as pd

from recsens.config import Study
from recsens.significance import SignificanceTest
from recsens.specs import parse
from recsens.studies.naming import built, in_order
from recsens.studies.printed import count, level

FEW = 50
"""Effective users below which the linearised t-test rejects true hypotheses too often: in simulations 6 in 100 at 45, 9 at 14."""


def few_effective(part: Study, comparisons: pd.DataFrame) -> list[str]:
    """Name the tests of an experiment that rest on few effective users while users weigh differently."""
    rows = comparisons[(comparisons["fold"] == "all") & (comparisons["effective_users"] < comparisons["users"])]
    rows = rows[(rows["effective_users"] < FEW) & rows["p_value"].notna()]
    found = rows[rows["test"].isin([test for test in in_order(rows["test"]) if _linearises(test)])]
    return [_sentence(label, found[found["dataset"] == label], part.alpha) for label in in_order(found["dataset"])]


def _linearises(test: str) -> bool:
    component = built("test", parse(test))
    return isinstance(component, SignificanceTest) and component.linearises


def _sentence(label: str, rows: pd.DataFrame, alpha: float) -> str:
    tests, least = ", ".join(in_order(rows["test"])), count(rows["effective_users"].min())
    return (
        f"On {label}, a few users weigh most: {count(len(rows))} comparison{'s' * (len(rows) > 1)} by {tests} rest on fewer than "
        f"{FEW} effective users, the least on {least}. There p and interval claim more than is known: true "
        f"hypotheses are rejected more often than {level(alpha)} says. Use 'test: randomisation', which keeps its level."
    )
