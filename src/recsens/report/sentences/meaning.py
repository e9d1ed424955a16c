"""What a win means, and which null hypothesis its p-value tests."""

from collections.abc import Mapping, Sequence

import pandas as pd

from recsens.arrays import grouped, in_order
from recsens.conclusions.verdicts.components import built
from recsens.plugins.prose import listed
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.tables.numbers import count, p_below

_WEIGHED = "a user's value is the mean over the user's relevant test ratings, and the user's weight is the number of these ratings"

_RULES = {"holm": "Holm's step-down procedure", "bh": "the procedure of Benjamini and Hochberg"}


def base_design_is(study: Study) -> str:
    """Say what the base design is, and how the study varies it."""
    said = "A study starts from its base design: one choice for every decision, from the data to the significance test"
    parts = study.all_experiments()
    varied = [part for part in parts if part.vary]
    if not varied:
        changed = "This study varies none of these choices"
    elif all(part.combine == "grid" for part in varied):
        changed = "Then the study tries other choices, in every combination"
    elif any(part.combine == "grid" for part in varied):
        changed = "Then the study tries other choices, one at a time or in every combination"
    else:
        changed = "Then the study changes one decision at a time, and keeps all others"
    several = " Each experiment has its own base design." if len(parts) > 1 else ""
    return f"{said}. {changed}.{several}"


def meaning(study: Study, comparisons: pd.DataFrame) -> str:
    """Say what a win is, which hypothesis its p-value tests, for what p is adjusted, and to what p generalises."""
    pooled = comparisons[comparisons["fold"] == "all"]
    units = {getattr(built("targets", parse(spec)), "unit", "user") for spec in pooled["targets"].unique()}
    weighed = ""
    if units == {"rating"}:
        weighed = f" In this comparison, {_WEIGHED}."
    elif "rating" in units:
        weighed = f" Under targets with a ranking for each rating, {_WEIGHED}."
    draws = (
        " The p-values of single folds, in comparisons.csv, show how much the splits matter." if study.design.repeats > 1 else ""
    )
    return (
        "“A beats B” means that A has the better value, that the users' paired differences favour A too, and that "
        f"{p_below(study.alpha)}. The two systems are compared over the same users.{weighed} {hypothesis_of_study(pooled)} "
        f"{_adjustment(pooled)} A p-value generalises to other users under the same splits and fitted models, but not to other "
        f"splits.{draws} A difference that is "
        "significant under one design and not under another does not show that the designs differ."
    )


def _adjustment(pooled: pd.DataFrame) -> str:
    rules = sorted(set(pooled["correction"]) - {"none"})
    if not rules:
        return (
            f"The study makes {count(len(pooled))} comparisons of two systems on one metric, and does not adjust p-values for "
            "this number. So some comparisons may have a winner by chance."
        )
    how = " or ".join(_RULES[rule] for rule in rules)
    some = ", as each design says," if len(rules) > 1 or "none" in set(pooled["correction"]) else ""
    return (
        f"p-values are adjusted by {how}{some} for the number of pairs of systems on one metric and one data set. They are not "
        f"adjusted for the numbers of metrics, designs and data sets, although the study makes {count(len(pooled))} comparisons in "
        "all."
    )


_MOST_DESIGNS = 4
"""Number of designs that a sentence names."""


def hypothesis_of_study(pooled: pd.DataFrame) -> str:
    """Say which null hypothesis a study's p-values test; the hypothesis is stated only if it is the same for all p-values."""
    stated = in_order(pooled[pooled["p_value"].notna()]["hypothesis"])
    if len(stated) == 1:
        return _hypothesis_sentence(stated[0])
    return "The p-value tests a hypothesis that depends on the design; comparisons.csv names the hypothesis of each comparison."


def hypotheses(tests: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say which null hypothesis p-values test; if designs differ, name the designs of each by label."""
    stated = {label: in_order(rows[rows["p_value"].notna()]["hypothesis"]) for label, rows in tests.items()}
    labels_of = grouped((hypothesis, label) for label, of_design in stated.items() for hypothesis in of_design)
    leads = [f"Under {_first_labels(labels)}, " if len(labels_of) > 1 else "" for labels in labels_of.values()]
    return [_hypothesis_sentence(hypothesis, lead) for hypothesis, lead in zip(labels_of, leads, strict=True)]


def _first_labels(labels: Sequence[str]) -> str:
    """Name at most four designs, and count the others."""
    n_more = len(labels) - _MOST_DESIGNS
    return listed([*labels[:_MOST_DESIGNS], *([f"{n_more:,} more design{'s' * (n_more > 1)}"] if n_more > 0 else [])])


def _hypothesis_sentence(hypothesis: str, lead: str = "") -> str:
    """Write a sentence about a text such as ``for these splits and fits, the mean of the users' differences is 0``."""
    fixed, _, null = hypothesis.partition(", ")
    # If a test does not state its hypothesis, the text begins with "that of" and names the test.
    that = "" if null.startswith("that of ") else "that "
    opening = f"{lead}{fixed}"
    return f"{opening[0].upper()}{opening[1:]}, the null hypothesis is {that}{null}."
