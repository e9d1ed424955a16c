"""Designs under which most averaged users cannot score above zero, or most test ratings are lost."""

import pandas as pd

from recsens.conclusions.design_space import DesignSpace, change_in_words
from recsens.conclusions.verdicts.study_tables import records
from recsens.report.tables.design_sets import DesignSet
from recsens.study import Experiment
from recsens.study.taxonomy import FULL_COLUMNS
from recsens.tables.numbers import percentage, span

_NAMED = 3
"""Largest number of different warnings about one data set or experiment."""

ADVICE = (
    "To average only users who can score, set 'users: with_ratings(relevant=1)'; add 'train=0' in the brackets to admit users "
    "without train ratings too."
)
"""Advice if most averaged users cannot score above zero, or if most test ratings are lost."""


def warnings(part: Experiment, counted: pd.DataFrame) -> list[str]:
    """Warn if most averaged users cannot score above zero, or if most test ratings are lost."""
    return [sentence for label in part.datasets for sentence in warnings_on(counted, label)]


def warnings_on(counted: pd.DataFrame, label: str, shown: DesignSet | None = None, *, base_only: bool = False) -> list[str]:
    """List the warnings about the designs on one data set or experiment: all designs, the designs in ``shown``, or only the base.

    Designs with the same counts share a warning; the base design's warning comes first.
    """
    rows = counted[counted["dataset"] == label]
    if shown is not None:
        own = set(shown.designs.values())
        rows = rows[[options in own for options in rows[list(FULL_COLUMNS)].itertuples(index=False, name=None)]]
    elif base_only:
        rows = rows[rows["is_base"]]
    space = DesignSpace(rows)
    alike: dict[str, list[str]] = {}
    for chosen in map(space.rows_of, space.designs):
        if problem := problem_of(chosen):
            change = change_in_words(space.change(records(chosen.head(1))[0]))
            alike.setdefault(problem, []).append(change)
    sentences = [
        f"On {label}, under {designs[0]}{_and_others(len(designs) - 1)}, {problem}."
        for problem, designs in list(alike.items())[:_NAMED]
    ]
    if len(alike) > _NAMED:
        n = sum(map(len, list(alike.values())[_NAMED:]))
        sentences.append(
            f"On {label}, the same problems occur under {n} more design{'s' * (n > 1)}, with different numbers: see counted.csv."
        )
    return sentences


def problem_of(rows: pd.DataFrame) -> str:
    """Return the warning about one design; empty if there is none."""
    averaged, relevant = rows["averaged"].sum(), rows["with_relevant"].sum()
    lost, test = rows["lost_ratings"].sum(), rows["test_ratings"].sum()
    problems = []
    if 2 * relevant < averaged:
        without = span(rows["averaged"] - rows["with_relevant"])
        problems.append(
            f"most of the users averaged cannot score: {without} of {span(rows['averaged'])} have no relevant test rating and "
            "get the value that each metric defines for such users, which is mostly 0"
        )
    if 2 * lost > test:
        share = percentage(lost / test)
        problems.append(
            f"most test ratings are lost: {span(rows['lost_ratings'])} of {span(rows['test_ratings'])} ({share}) belong to "
            "users who are not averaged"
        )
    return "; ".join(problems)


def _and_others(n: int) -> str:
    return f" and {n} other design{'s' * (n > 1)}" if n else ""
