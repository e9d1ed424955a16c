"""Warnings that a reader of a study must not overlook."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import pandas as pd

from recsens.arrays import grouped, in_order
from recsens.conclusions.design_space import DesignSpace, change_in_words
from recsens.conclusions.verdicts.components import built, direction, measured, ranks_systems
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.plugins.specs import parse
from recsens.ranking.targets import Samples
from recsens.report.sentences.unscored import scored_nothing
from recsens.report.tables.coverage import DesignSet
from recsens.study import Experiment, Study
from recsens.study.conflicts import remarks_on_metrics
from recsens.study.designs import expand
from recsens.study.taxonomy import FULL_COLUMNS, decision
from recsens.tables.numbers import count, level, percentage, quantity, score, span

_NOT_IN_DATA = "are not in the data set (a filter may have removed them)"
_MOVE_UP = (
    " Items below such items move up, because a study ranks its own items; an evaluation or audit of the file keeps all places."
)


def unmatched_alerts(part: Experiment, matched: pd.DataFrame) -> list[str]:
    """Say, for each system that reads its scores from files, which users, items and pairs the file or the data lack.

    Users without a score cause a warning. Pairs without a score cause a warning only if the file has items that the data lack,
    because these may be the same items under other names. Pairs without a score alone cause no warning, because files often contain
    short lists. Users and items that are only in the file cause no warning, because a filter may have removed them from the data.
    """
    rows = matched[matched["dataset"].isin(list(part.datasets))]
    told = [_match_in_words(str(a), str(b), own) for (a, b), own in rows.groupby(["dataset", "system"], sort=False)]
    return [sentence for sentence in told if sentence]


def _match_in_words(dataset: str, system: str, rows: pd.DataFrame) -> str:
    moved = _MOVE_UP if rows["unknown_items"].any() else ""
    lacks_items = (rows["unknown_items"] > 0) & (rows["pairs_without"] > 0)
    if ((rows["users_without"] > rows["cold_users"]) | lacks_items).any():
        cold = f", {span(rows['cold_users'])} of them without train ratings" if rows["cold_users"].any() else ""
        return (
            f"On {dataset}, the score file of {system} does not match the data: {_of(rows, 'users_without', 'users', 'users')} "
            f"with test ratings have no score{cold}. {_of(rows, 'unknown_users', 'file_users', 'users')} and "
            f"{_of(rows, 'unknown_items', 'file_items', 'items')} in the file {_NOT_IN_DATA}.{moved} "
            f"{_of(rows, 'items_without', 'items', 'items')} of the data set and {_of(rows, 'pairs_without', 'pairs', 'pairs')} "
            "to rank have no score. Check that the file and the data set spell the names of users and items the same way; "
            "matched.csv has the counts."
        )
    unknown = [_of(rows, f"unknown_{what}", f"file_{what}", what) for what in ("users", "items") if rows[f"unknown_{what}"].any()]
    return f"On {dataset}, {' and '.join(unknown)} in the score file of {system} {_NOT_IN_DATA}.{moved}" if unknown else ""


def _of(rows: pd.DataFrame, part: str, whole: str, what: str) -> str:
    return f"{span(rows[part])} of {span(rows[whole])} {what}"


MANY = 0.1
"""Warn if at least this share of the rows is left out."""


def left_out_rows(datasets: pd.DataFrame) -> list[str]:
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
    linearised = [test for test in in_order(rows["test"]) if getattr(built("test", parse(test)), "linearises", False)]
    rows = rows[rows["test"].isin(linearised)]
    return [_few_in_words(label, rows[rows["dataset"] == label], part.alpha) for label in in_order(rows["dataset"])]


def _few_in_words(label: str, rows: pd.DataFrame, alpha: float) -> str:
    tests, least, n = ", ".join(in_order(rows["test"])), count(rows["effective_users"].min()), len(rows)
    resting = f"1 comparison by {tests} rests" if n == 1 else f"{count(n)} comparisons by {tests} rest"
    return (
        f"On {label}, a few users carry most of the weight: {resting} on fewer than {FEW} effective users (the "
        f"smallest number is {least}). The p-values of such comparisons are too small and their intervals too narrow, so true "
        f"hypotheses are rejected more often than α = {level(alpha)} allows. Use 'test: randomisation', which avoids this."
    )


def alerts(study: Study, results: Results) -> list[str]:
    """List the warnings about a study's numbers.

    The warnings are about systems without any score; metrics that are left out under some designs; data sets with many rows
    left out; score files that do not match the data; designs under which most users cannot score above zero or most test
    ratings are lost, with advice; tests with few effective users; systems that score lower than a random system because they
    rank fewer items; samples of target items that are smaller than requested; and values that could pass another system's value
    if equal scores were in a different order.
    """
    designs = expand(study, {label: part.datasets[label] for label, part in study.by_label().items()})
    fewer = [f"{told}." for told in remarks_on_metrics(study, designs)] + left_out_rows(results.datasets)
    parts = [(part, results.of(part)) for part in study.all_experiments()]
    lacking = [sentence for part, own in parts for sentence in unmatched_alerts(part, own.matched)]
    warned = [sentence for part, own in parts for sentence in warnings(part, own.counted)]
    nothing = [sentence for part, own in parts for sentence in scored_nothing(part, own.summary)]
    below = [sentence for part, own in parts for sentence in below_random(part, own.summary)]
    few = [sentence for part, own in parts for sentence in few_effective(part, own.comparisons)]
    short = [sentence for part, own in parts for sentence in short_samples(part, own.splits)]
    tied = [sentence for part, own in parts for sentence in reordered_by_ties(part, own.summary, results.ties)]
    return [*nothing, *fewer, *lacking, *warned, *([ADVICE] if warned else []), *few, *below, *short, *tied]


_MOST_SHORT = 3
"""Largest number of sentences about one data set or experiment."""

_DECISIONS = tuple(decision(key).full_column for key in ("filter", "split", "targets", "users"))

_AUDIENCE = "audience"


def short_samples(part: Experiment, splits: pd.DataFrame) -> list[str]:
    """Say, for each choice of target items, how many users have too few items to draw from, and how many items they get."""
    return [sentence for label in part.datasets for sentence in _short_samples_on(label, splits[splits["dataset"] == label])]


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


def _short_samples_on(label: str, splits: pd.DataFrame) -> list[str]:
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
    if (n := len(sentences) - _MOST_SHORT) > 0:
        sentences[_MOST_SHORT:] = [f"On {label}, samples are short under {n} further design{'s' * (n > 1)}: see splits.csv."]
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


_MOST_TIED = 4
"""Largest number of systems that are named for one data set or experiment."""


def reordered_by_ties(part: Experiment, summary: pd.DataFrame, ties: pd.DataFrame) -> list[str]:
    """Name, by data set, the systems that could pass another system if equal scores were in another order, with their ranges."""
    return [
        f"On {label}, the order of equal scores may decide which system is ahead: {named}. See ties.csv."
        for label in part.datasets
        if (named := _ranges_of_systems([row for row in _values_moved_by_ties(label, summary, ties) if row["passes"]]))
    ]


def moved_by_ties(label: str, summary: pd.DataFrame, ties: pd.DataFrame) -> str:
    """Name the systems of a data set whose printed values depend on the order of equal scores; empty if there are none."""
    return _ranges_of_systems(_values_moved_by_ties(label, summary, ties))


def _values_moved_by_ties(label: str, summary: pd.DataFrame, ties: pd.DataFrame) -> list[dict[str, Any]]:
    """List the printed values that ties can change; ``passes`` is whether a value's range overlaps another system's range."""
    keys = ["dataset", "system", "metric_full"]
    base = summary[summary["is_base"] & (summary["dataset"] == label)][[*keys, "value"]]
    ends = ties[[*keys, "metric", "pessimistic", "optimistic"]]
    rows = base.merge(ends, on=keys, how="left")
    rows["least"] = rows[["value", "pessimistic", "optimistic"]].min(axis=1)
    rows["most"] = rows[["value", "pessimistic", "optimistic"]].max(axis=1)
    return [
        {**row, "passes": any(_ranges_overlap(row, other) for other in records(rows) if other["system"] != row["system"])}
        for row in records(rows)
        if score(row["pessimistic"]) != score(row["optimistic"])
    ]


def _ranges_overlap(row: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(row["metric_full"] == other["metric_full"] and row["least"] <= other["most"] and other["least"] <= row["most"])


def _ranges_of_systems(moved: list[dict[str, Any]]) -> str:
    """Write each system's range for the metric that depends most on the order of equal scores."""
    widest = [
        max((row for row in moved if row["system"] == system), key=lambda row: float(row["most"] - row["least"]))
        for system in in_order(row["system"] for row in moved)
    ]
    more = f"; and {len(widest) - _MOST_TIED} more systems" if len(widest) > _MOST_TIED else ""
    return "; ".join(map(_range_in_words, widest[:_MOST_TIED])) + more


def _range_in_words(row: dict[str, Any]) -> str:
    return (
        f"{row['metric']} of {row['system']} ranges from {score(row['least'])} to {score(row['most'])} ({score(row['value'])} as "
        "computed)"
    )


SummaryRow = Mapping[str, Any]
"""One system's value and coverage."""


def below_random(part: Experiment, summary: pd.DataFrame) -> list[str]:
    """Name each system that scores lower than a random system, but not if both values are divided by the systems' coverages.

    Only metrics for which higher values are better are considered. Coverage is the share of relevant ratings ranked under 1R, and
    otherwise the lower of user coverage and Coverage@d. A reduced average leaves out users without a list; then Coverage@d is that
    of the remaining users, and under 1R nothing is reported.
    """
    randoms = [label for label, spec in part.systems.items() if spec.name == "random"]
    if not randoms:
        return []
    space = DesignSpace(summary)
    analysis = itemgetter("dataset", "metric_full", *FULL_COLUMNS)
    of_analyses = grouped((analysis(row), row) for row in records(summary)).values()
    below = [pair for rows in of_analyses for pair in _pairs_below(rows, randoms)]
    fallen = grouped(((low["dataset"], low["system"]), (low, high)) for low, high in below)
    return [_below_random_sentence(pairs, space) for pairs in fallen.values()]


def _pairs_below(rows: Sequence[SummaryRow], randoms: Sequence[str]) -> Iterator[tuple[SummaryRow, SummaryRow]]:
    """Yield each system that scores below a random system because it leaves items unranked, with the first such system."""
    metric = str(rows[0]["metric"])
    if not ranks_systems(metric) or direction(metric) < 0:
        return
    references = [row for row in rows if row["system"] in randoms]
    for row in rows:
        if row["system"] not in randoms:
            yield from [(row, other) for other in references if _falls_below(row, other)][:1]


def _falls_below(row: SummaryRow, other: SummaryRow) -> bool:
    _, own, others = _lowest_coverage(row, other)
    if not 0 < own < others:
        return False
    return bool(0 <= row["value"] < other["value"] <= row["value"] / own * others)


def _lowest_coverage(row: SummaryRow, other: SummaryRow) -> tuple[str, float, float]:
    """Return the kind of coverage in which a system is lowest, with the shares that this system and the other system cover."""
    covered, others = _coverages(row), _coverages(other)
    what = min(covered, key=covered.__getitem__, default="")
    return what, covered.get(what, 1.0), others.get(what, 1.0)


def _coverages(row: SummaryRow) -> dict[str, float]:
    """Return the shares of users, ratings or list positions that a system covers, if its value depends on them."""
    heads = f"of the first {measured(str(row['metric'])).cutoff} places"
    users, ratings, filled = (float(row[name]) for name in ("user_coverage", "rating_coverage", "coverage_at_cutoff"))
    if not math.isnan(ratings):
        # Under 1R, each list belongs to one rating, so it matters only whether the item of this rating is ranked. If a reduced
        # average has only some of the ratings, the share of ranked ratings among them is unknown.
        return {} if row["coverage"] == "reduced" else {"of the relevant ratings": ratings}
    if row["coverage"] == "reduced":
        shares = {f"{heads} of users with a list": filled / users if users > 0 else math.nan}
    else:
        shares = {"of the users": users, heads: filled}
    return {what: share for what, share in shares.items() if not math.isnan(share)}


def _below_random_sentence(pairs: Sequence[tuple[SummaryRow, SummaryRow]], space: DesignSpace) -> str:
    # Describe a pair under the base design, if there is one; count the other pairs.
    row, other = min(pairs, key=lambda pair: not pair[0]["is_base"])
    design = change_in_words(space.change(row))
    what, share, others_share = _lowest_coverage(row, other)
    own, others = (score(one["value"], one["spread"], one["n_folds"]) for one in (row, other))
    miss = "" if row["coverage"] == "reduced" else ", and unranked items count as misses"
    more = f" The same is true of {len(pairs) - 1} more analys{'es' if len(pairs) > 2 else 'is'}." if len(pairs) > 1 else ""
    return (
        f"On {row['dataset']}, {row['system']} scores lower than {other['system']} on {row['metric']} under {design} "
        f"({own} against {others}) and leaves more items unranked: "
        f"it covers {percentage(share)} {what}, while {other['system']} covers {percentage(others_share)}{miss}. "
        f"At {other['system']}'s coverage, {row['system']} would score "
        f"{score(row['value'] / share * others_share, row['spread'], row['n_folds'])}.{more}"
    )


_MOST_PROBLEMS = 3
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
        if problem := design_warning(chosen):
            change = change_in_words(space.change(records(chosen.head(1))[0]))
            alike.setdefault(problem, []).append(change)
    sentences = []
    for problem, designs in list(alike.items())[:_MOST_PROBLEMS]:
        n = len(designs) - 1
        others = f" and {n} other design{'s' * (n > 1)}" if n else ""
        sentences.append(f"On {label}, under {designs[0]}{others}, {problem}.")
    if len(alike) > _MOST_PROBLEMS:
        n = sum(map(len, list(alike.values())[_MOST_PROBLEMS:]))
        sentences.append(
            f"On {label}, the same problems occur under {n} more design{'s' * (n > 1)}, with different numbers: see counted.csv."
        )
    return sentences


def design_warning(rows: pd.DataFrame) -> str:
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
