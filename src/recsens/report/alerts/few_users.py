"""Tests of weighted means that reject too often, because there are few effective users."""

import pandas as pd

from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.study_tables import in_order
from recsens.plugins.specs import parse
from recsens.study import Experiment
from recsens.tables.numbers import count, level

FEW = 50
"""With fewer effective users, the linearised t-test rejects true hypotheses too often: in simulations, 6 % with 45, 9 % with 14."""


def few_effective(part: Experiment, comparisons: pd.DataFrame) -> list[str]:
    """Name the tests of an experiment with few effective users, if this is because users have different weights."""
    rows = comparisons[(comparisons["fold"] == "all") & (comparisons["effective_users"] < comparisons["users"])]
    rows = rows[(rows["effective_users"] < FEW) & rows["p_value"].notna()]
    rows = rows[rows["test"].isin([test for test in in_order(rows["test"]) if _linearises(test)])]
    return [_sentence(label, rows[rows["dataset"] == label], part.alpha) for label in in_order(rows["dataset"])]


def _linearises(test: str) -> bool:
    component = built("test", parse(test))
    return isinstance(component, SignificanceTest) and component.linearises


def _resting(n: int, tests: str) -> str:
    return f"1 comparison by {tests} rests" if n == 1 else f"{count(n)} comparisons by {tests} rest"


def _sentence(label: str, rows: pd.DataFrame, alpha: float) -> str:
    tests, least = ", ".join(in_order(rows["test"])), count(rows["effective_users"].min())
    return (
        f"On {label}, a few users carry most of the weight: {_resting(len(rows), tests)} on fewer than {FEW} effective users (the "
        f"smallest number is {least}). The p-values of such comparisons are too small and their intervals too narrow, so true "
        f"hypotheses are rejected more often than α = {level(alpha)} allows. Use 'test: randomisation', which avoids this."
    )
