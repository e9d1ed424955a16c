"""Sentences about the null hypothesis that a p-value tests, and what the hypothesis treats as fixed."""

from collections.abc import Mapping, Sequence

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order
from recsens.plugins.prose import listed

_MOST_DESIGNS = 4
"""Number of designs that a sentence names."""


def hypothesis_of_study(pooled: pd.DataFrame) -> str:
    """Say which null hypothesis a study's p-values test; the hypothesis is stated only if it is the same for all p-values."""
    stated = in_order(pooled[pooled["p_value"].notna()]["hypothesis"])
    if len(stated) == 1:
        return _sentence(stated[0])
    return "The p-value tests a hypothesis that depends on the design; comparisons.csv names the hypothesis of each comparison."


def hypotheses(tests: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say which null hypothesis p-values test; if designs differ, name the designs of each by label."""
    labels_of: dict[str, list[str]] = {}
    for label, rows in tests.items():
        for hypothesis in in_order(rows[rows["p_value"].notna()]["hypothesis"]):
            labels_of.setdefault(hypothesis, []).append(label)
    leads = [f"Under {_first_of(labels)}, " if len(labels_of) > 1 else "" for labels in labels_of.values()]
    return [_sentence(hypothesis, lead) for hypothesis, lead in zip(labels_of, leads, strict=True)]


def _first_of(labels: Sequence[str]) -> str:
    """Name at most four designs, and count the others."""
    n_more = len(labels) - _MOST_DESIGNS
    return listed([*labels[:_MOST_DESIGNS], *([f"{n_more:,} more design{'s' * (n_more > 1)}"] if n_more > 0 else [])])


def _sentence(hypothesis: str, lead: str = "") -> str:
    """Write a sentence about a text such as ``for these splits and fits, the mean of the users' differences is 0``."""
    fixed, _, null = hypothesis.partition(", ")
    # If a test does not state its hypothesis, the text begins with "that of" and names the test.
    that = "" if null.startswith("that of ") else "that "
    opening = f"{lead}{fixed}"
    return f"{opening[0].upper()}{opening[1:]}, the null hypothesis is {that}{null}."
