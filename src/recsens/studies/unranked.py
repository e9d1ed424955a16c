"""Systems that come out below a random one and leave items unranked: what is not ranked counts as a miss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.config import Study
from recsens.studies.naming import base_options, change_in_words, change_of, improvement, measured, ranks_systems, short
from recsens.studies.printed import percentage, score
from recsens.studies.results import records
from recsens.studies.taxonomy import COLUMNS

Scored = Mapping[str, Any]
"""A row of the summary."""


def below_random(part: Study, summary: pd.DataFrame) -> list[str]:
    """Name each system whose value is below that of random recommendation only until both are divided by what they cover.

    By metrics of which more is better. What is covered is the share of relevant ratings ranked under 1R, else the lower one of user
    coverage and Coverage@d.
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
    own, others = _covered(row)[0], _covered(other)[0]
    if not 0 < own < others:
        return False
    return bool(0 <= row["value"] < other["value"] <= row["value"] / own * others)


def _covered(row: Scored) -> tuple[float, str]:
    """Return how much a system covers, and of what."""
    depth = measured(str(row["metric"])).cutoff
    shares = [
        (row["rating_coverage"], "of the relevant ratings"),
        (row["user_coverage"], "of the users at all"),
        # Under 1R the lists are those of single ratings: whether its item is ranked says more than how many others are.
        (row["coverage_at_cutoff"] if math.isnan(row["rating_coverage"]) else math.nan, f"of the first {depth} places"),
    ]
    return min((share for share in shares if not math.isnan(share[0])), default=(1.0, ""))


def _sentence(pairs: Sequence[tuple[Scored, Scored]], base: Mapping[str, str]) -> str:
    # The base design's is the first to be told.
    row, other = min(pairs, key=lambda pair: not pair[0]["is_base"])
    design = change_in_words(change_of({column: str(row[column]) for column in COLUMNS}, base))
    (share, what), own = _covered(row), row["value"]
    others = f" So it is in {len(pairs) - 1} more analys{'es' if len(pairs) > 2 else 'is'}." if len(pairs) > 1 else ""
    return (
        f"On {row['dataset']}, {row['system']} is below {other['system']} by {short(str(row['metric']))} under {design} "
        f"({score(own, row['spread'])} against {score(other['value'], other['spread'])}) and leaves items unranked: it ranks "
        f"{percentage(share)} {what}, and what is not ranked counts as a miss. Divided by that share, it would be at "
        f"{score(own / share, row['spread'])}.{others}"
    )
