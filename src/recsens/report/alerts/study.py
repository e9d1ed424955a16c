"""All alerts of a study."""

import pandas as pd

from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.study_tables import Results, in_order, rows_of
from recsens.plugins.specs import parse
from recsens.report.alerts.short_samples import short_samples
from recsens.report.alerts.tied import reordered_by_ties
from recsens.report.alerts.unranked import below_random
from recsens.report.alerts.unscorable import ADVICE, warnings
from recsens.study import Experiment, Study
from recsens.study.conflicts import remarks_on_metrics
from recsens.study.designs import expand
from recsens.tables.numbers import count, level, span

_NOT_IN_DATA = "are not in the data set (a filter may have removed them)"


def unmatched(part: Experiment, matched: pd.DataFrame) -> list[str]:
    """Say, for each system that reads its scores from files, which users, items and pairs the file or the data lack.

    Users without a score cause a warning. Pairs without a score cause a warning only if the file has items that the data lack,
    because these may be the same items under other names. Pairs without a score alone cause no warning, because files often contain
    short lists. Users and items that are only in the file cause no warning, because a filter may have removed them from the data.
    """
    rows = matched[matched["dataset"].isin(list(part.datasets))]
    told = (
        _match_in_words(dataset, system, rows[(rows["dataset"] == dataset) & (rows["system"] == system)])
        for dataset in in_order(rows["dataset"])
        for system in in_order(rows.loc[rows["dataset"] == dataset, "system"])
    )
    return [sentence for sentence in told if sentence]


def _match_in_words(dataset: str, system: str, rows: pd.DataFrame) -> str:
    if _lacks_scores(rows):
        return _mismatch_in_words(dataset, system, rows)
    unknown = [_of(rows, f"unknown_{what}", f"file_{what}", what) for what in ("users", "items") if rows[f"unknown_{what}"].any()]
    return f"On {dataset}, {' and '.join(unknown)} in the score file of {system} {_NOT_IN_DATA}." if unknown else ""


def _lacks_scores(rows: pd.DataFrame) -> bool:
    lacks_users = rows["users_without"] > rows["cold_users"]
    lacks_items = (rows["unknown_items"] > 0) & (rows["pairs_without"] > 0)
    return bool((lacks_users | lacks_items).any())


def _mismatch_in_words(dataset: str, system: str, rows: pd.DataFrame) -> str:
    cold = f", {span(rows['cold_users'])} of them without train ratings" if rows["cold_users"].any() else ""
    return (
        f"On {dataset}, the score file of {system} does not match the data: {_of(rows, 'users_without', 'users', 'users')} with "
        f"test ratings have no score{cold}. {_of(rows, 'unknown_users', 'file_users', 'users')} and "
        f"{_of(rows, 'unknown_items', 'file_items', 'items')} in the file {_NOT_IN_DATA}. "
        f"{_of(rows, 'items_without', 'items', 'items')} of the data set and {_of(rows, 'pairs_without', 'pairs', 'pairs')} to "
        "rank have no score. Check that the file and the data set spell the names of users and items the same way; matched.csv has "
        "the counts."
    )


def _of(rows: pd.DataFrame, part: str, whole: str, what: str) -> str:
    return f"{span(rows[part])} of {span(rows[whole])} {what}"


MANY = 0.1
"""Warn if at least this share of the rows is left out."""


def left_out(datasets: pd.DataFrame) -> list[str]:
    """Name the data sets in which ``invalid=skip`` leaves out at least a tenth of the rows."""
    told = []
    for label in in_order(datasets["dataset"]):
        # Later rows are about the data after each filter.
        rows = datasets[datasets["dataset"] == label].drop_duplicates("metric").set_index("metric")["value"]
        invalid, kept = (float(rows.get(name, 0)) for name in ("invalid_rows", "ratings"))
        if invalid and invalid / (invalid + kept) >= MANY:
            told.append(
                f"In {label}, {invalid:,.0f} invalid rows are left out, and {kept:,.0f} ratings remain. Check the columns that the "
                "study declares for this file; the option invalid=error reports the first invalid row."
            )
    return told


FEW = 50
"""With fewer effective users, the linearised t-test rejects true hypotheses too often: in simulations, 6 % with 45, 9 % with 14."""


def few_effective(part: Experiment, comparisons: pd.DataFrame) -> list[str]:
    """Name the tests of an experiment with few effective users, if this is because users have different weights."""
    rows = comparisons[(comparisons["fold"] == "all") & (comparisons["effective_users"] < comparisons["users"])]
    rows = rows[(rows["effective_users"] < FEW) & rows["p_value"].notna()]
    rows = rows[rows["test"].isin([test for test in in_order(rows["test"]) if _linearises(test)])]
    return [_few_in_words(label, rows[rows["dataset"] == label], part.alpha) for label in in_order(rows["dataset"])]


def _linearises(test: str) -> bool:
    component = built("test", parse(test))
    return isinstance(component, SignificanceTest) and component.linearises


def _resting(n: int, tests: str) -> str:
    return f"1 comparison by {tests} rests" if n == 1 else f"{count(n)} comparisons by {tests} rest"


def _few_in_words(label: str, rows: pd.DataFrame, alpha: float) -> str:
    tests, least = ", ".join(in_order(rows["test"])), count(rows["effective_users"].min())
    return (
        f"On {label}, a few users carry most of the weight: {_resting(len(rows), tests)} on fewer than {FEW} effective users (the "
        f"smallest number is {least}). The p-values of such comparisons are too small and their intervals too narrow, so true "
        f"hypotheses are rejected more often than α = {level(alpha)} allows. Use 'test: randomisation', which avoids this."
    )


def alerts(study: Study, results: Results) -> list[str]:
    """List the warnings about a study's numbers.

    The warnings are about metrics that are left out under some designs; data sets with many rows left out; score files that do not
    match the data; designs under which most users cannot score above zero or most test ratings are lost, with advice; tests with
    few effective users; systems that score lower than a random system because they rank fewer items; samples of target items that
    are smaller than requested; and values that could pass another system's value if equal scores were in a different order.
    """
    designs = expand(study, {label: part.datasets[label] for label, part in study.by_label().items()})
    fewer = [f"{told}." for told in remarks_on_metrics(study, designs)] + left_out(results.datasets)
    lacking = [sentence for part in study.all_experiments() for sentence in unmatched(part, results.matched)]
    warned = [sentence for part in study.all_experiments() for sentence in warnings(part, results.counted)]
    below = [sentence for part in study.all_experiments() for sentence in below_random(part, rows_of(part, results.summary))]
    few = [sentence for part in study.all_experiments() for sentence in few_effective(part, rows_of(part, results.comparisons))]
    short = [sentence for part in study.all_experiments() for sentence in short_samples(part, results.splits)]
    tied = [
        sentence
        for part in study.all_experiments()
        for sentence in reordered_by_ties(part, rows_of(part, results.summary), results.ties)
    ]
    return [*fewer, *lacking, *warned, *([ADVICE] if warned else []), *few, *below, *short, *tied]
