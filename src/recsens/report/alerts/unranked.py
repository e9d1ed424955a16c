"""Systems that score lower than a random system because they rank fewer items."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.conclusions.design_space import DesignSpace, change_in_words
from recsens.conclusions.verdicts.components import direction, measured, n_folds_of, ranks_systems
from recsens.conclusions.verdicts.study_tables import records
from recsens.study import Experiment
from recsens.study.taxonomy import FULL_COLUMNS
from recsens.tables.numbers import percentage, score

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
    fallen: dict[tuple[str, str], list[tuple[SummaryRow, SummaryRow]]] = {}
    for (label, *_), rows in _grouped(records(summary), ("dataset", "metric_full", *FULL_COLUMNS)).items():
        for low, high in _pairs(rows, randoms):
            fallen.setdefault((label, low["system"]), []).append((low, high))
    return [_sentence(pairs, space) for pairs in fallen.values()]


def _grouped(rows: Iterable[SummaryRow], columns: Sequence[str]) -> dict[tuple[str, ...], list[SummaryRow]]:
    """Group rows by their values in some columns, in order of first occurrence."""
    groups: dict[tuple[str, ...], list[SummaryRow]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def _pairs(rows: Sequence[SummaryRow], randoms: Sequence[str]) -> Iterator[tuple[SummaryRow, SummaryRow]]:
    """Yield each system that scores below a random system because it leaves items unranked, with the first such system."""
    metric = str(rows[0]["metric"])
    if not ranks_systems(metric) or direction(metric) < 0:
        return
    references = [row for row in rows if row["system"] in randoms]
    for row in rows:
        if row["system"] not in randoms:
            yield from [(row, other) for other in references if _falls_below(row, other)][:1]


def _falls_below(row: SummaryRow, other: SummaryRow) -> bool:
    _, own, others = _shares(row, other)
    if not 0 < own < others:
        return False
    return bool(0 <= row["value"] < other["value"] <= row["value"] / own * others)


def _shares(row: SummaryRow, other: SummaryRow) -> tuple[str, float, float]:
    """Return the kind of coverage in which a system is lowest, with the shares that this system and the other system cover."""
    covered, others = _covered(row), _covered(other)
    what = min(covered, key=covered.__getitem__, default="")
    return what, covered.get(what, 1.0), others.get(what, 1.0)


def _covered(row: SummaryRow) -> dict[str, float]:
    """Return the shares of users, ratings or list positions that a system covers, if its value depends on them."""
    heads = f"of the first {measured(str(row['metric'])).cutoff} places"
    users, ratings, filled = (float(row[name]) for name in ("user_coverage", "rating_coverage", "coverage_at_cutoff"))
    if not math.isnan(ratings):
        # Under 1R, each list belongs to one rating, so it matters only whether the item of this rating is ranked. If a reduced
        # average has only some of the ratings, the share of ranked ratings among them is unknown.
        return {} if _is_reduced(row) else {"of the relevant ratings": ratings}
    if _is_reduced(row):
        shares = {f"{heads} of users with a list": filled / users if users > 0 else math.nan}
    else:
        shares = {"of the users": users, heads: filled}
    return {what: share for what, share in shares.items() if not math.isnan(share)}


def _is_reduced(row: SummaryRow) -> bool:
    return bool(row["coverage"] == "reduced")


def _sentence(pairs: Sequence[tuple[SummaryRow, SummaryRow]], space: DesignSpace) -> str:
    # Describe a pair under the base design, if there is one; count the other pairs.
    row, other = min(pairs, key=lambda pair: not pair[0]["is_base"])
    design = change_in_words(space.change(row))
    what, share, others_share = _shares(row, other)
    folds = n_folds_of(row["split"], row["repeats"])
    own, others = (score(one["value"], one["spread"], folds) for one in (row, other))
    miss = "" if _is_reduced(row) else ", and unranked items count as misses"
    more = f" The same is true of {len(pairs) - 1} more analys{'es' if len(pairs) > 2 else 'is'}." if len(pairs) > 1 else ""
    return (
        f"On {row['dataset']}, {row['system']} scores lower than {other['system']} on {row['metric']} under {design} "
        f"({own} against {others}) and leaves more items unranked: "
        f"it covers {percentage(share)} {what}, while {other['system']} covers {percentage(others_share)}{miss}. "
        f"At {other['system']}'s coverage, {row['system']} would score "
        f"{score(row['value'] / share * others_share, row['spread'], folds)}.{more}"
    )
