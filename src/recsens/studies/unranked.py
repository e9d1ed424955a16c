"""Systems that come out below a random one because they rank less than it does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.config import Study
from recsens.studies.naming import base_options, change_in_words, change_of, improvement, measured, n_folds_of, ranks_systems, short
from recsens.studies.printed import percentage, score
from recsens.studies.results import records
from recsens.studies.taxonomy import COLUMNS

Scored = Mapping[str, Any]
"""A row of the summary."""


def below_random(part: Study, summary: pd.DataFrame) -> list[str]:
    """Name each system whose value is below that of random recommendation only until both are divided by what they cover.

    By metrics of which more is better. What is covered is the share of relevant ratings ranked under 1R, else the lower one of user
    coverage and Coverage@d. A reduced average has left out the users without a list: there, Coverage@d is that of the other users,
    and nothing is said under 1R.
    """
    randoms = [label for label, spec in part.systems.items() if spec.name == "random"]
    if not randoms:
        return []
    base = base_options(summary)
    found: dict[tuple[str, str], list[tuple[Scored, Scored]]] = {}
    for (label, *_), rows in summary.groupby(["dataset", "metric", *COLUMNS], sort=False):
        for low, high in _pairs(records(rows), randoms):
            found.setdefault((str(label), low["system"]), []).append((low, high))
    return [_sentence(pairs, base) for pairs in found.values()]


def _pairs(rows: Sequence[Scored], randoms: Sequence[str]) -> Iterator[tuple[Scored, Scored]]:
    """Visit the systems that are below a random one because of what they leave out, each with the random one, first of them."""
    metric = str(rows[0]["metric"])
    if not ranks_systems(metric) or improvement(metric) < 0:
        return
    references = [row for row in rows if row["system"] in randoms]
    for row in rows:
        if row["system"] not in randoms:
            yield from [(row, other) for other in references if _falls_below(row, other)][:1]


def _falls_below(row: Scored, other: Scored) -> bool:
    _, own, others = _shares(row, other)
    if not 0 < own < others:
        return False
    return bool(0 <= row["value"] < other["value"] <= row["value"] / own * others)


def _shares(row: Scored, other: Scored) -> tuple[str, float, float]:
    """Return of what a system covers least, how much of it, and how much of the same another system covers."""
    covered, others = _covered(row), _covered(other)
    what = min(covered, key=covered.__getitem__, default="")
    return what, covered.get(what, 1.0), others.get(what, 1.0)


def _covered(row: Scored) -> dict[str, float]:
    """Return the shares that a system covers and its value suffers from, by what they are of."""
    places = f"of the first {measured(str(row['metric'])).cutoff} places"
    users, ratings, filled = (float(row[name]) for name in ("user_coverage", "rating_coverage", "coverage_at_cutoff"))
    if not math.isnan(ratings):
        # Under 1R the lists are those of single ratings: whether its item is ranked says more than how many others are. How many of
        # the ratings left by a reduced average are ranked is not known.
        return {} if _is_reduced(row) else {"of the relevant ratings": ratings}
    if _is_reduced(row):
        shares = {f"{places} of users with a list": filled / users if users > 0 else math.nan}
    else:
        shares = {"of the users at all": users, places: filled}
    return {what: share for what, share in shares.items() if not math.isnan(share)}


def _is_reduced(row: Scored) -> bool:
    return bool(row["coverage"] == "reduced")


def _sentence(pairs: Sequence[tuple[Scored, Scored]], base: Mapping[str, str]) -> str:
    # The base design's is the first to be told.
    row, other = min(pairs, key=lambda pair: not pair[0]["is_base"])
    design = change_in_words(change_of({column: str(row[column]) for column in COLUMNS}, base))
    what, share, others_share = _shares(row, other)
    folds = n_folds_of(row["split"], row["repeats"])
    own, others = (score(one["value"], one["spread"], folds) for one in (row, other))
    miss = "" if _is_reduced(row) else "; what is not ranked counts as a miss"
    more = f" So it is in {len(pairs) - 1} more analys{'es' if len(pairs) > 2 else 'is'}." if len(pairs) > 1 else ""
    return (
        f"On {row['dataset']}, {row['system']} is below {other['system']} by {short(str(row['metric']))} under {design} "
        f"({own} against {others}) and leaves more items unranked: "
        f"it ranks {percentage(share)} {what}, {other['system']} {percentage(others_share)}{miss}. With {other['system']}'s share, "
        f"it would be at {score(row['value'] / share * others_share, row['spread'], folds)}.{more}"
    )
