"""Sentences about what a win means, and what its p-value means."""

import pandas as pd

from recsens.conclusions.verdicts.components import built
from recsens.plugins.specs import parse
from recsens.report.sentences.hypotheses import hypothesis_of_study
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
