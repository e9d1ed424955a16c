"""Which systems leave target items without a score, in words."""

from collections.abc import Iterator, Sequence

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed
from recsens.ranking.nc import NotComputable
from recsens.study import Experiment
from recsens.tables.numbers import whole_percentage

_MOST = 4
"""Largest number of shares that are named."""

_ALIKE = 0.01
"""Shares of items that differ by less are not worth a sentence."""

_NEARLY_ALL = 0.97
"""Where every system scores this share, it misses at most about 3 % of the relevant items, if these are scored like the others."""


def unscored_sentences(parts: Sequence[Experiment], summary: pd.DataFrame) -> Iterator[tuple[bool, str]]:
    """Say which share of the target items systems score under the base design, if shares differ, and what follows.

    Data sets and experiments with the same shares have one sentence. Each comes with whether so few items lack a score that it can
    stand after the winner.
    """
    alike = grouped((said, label) for part in parts for label, said in _unscored(part, summary))
    for (is_nearly_all, told), labels in alike.items():
        yield is_nearly_all, f"On {listed(labels)}, {told}"


def _unscored(part: Experiment, summary: pd.DataFrame) -> Iterator[tuple[str, tuple[bool, str]]]:
    for label, own in _scored(part, summary).items():
        if not own or own[-1][0] - own[0][0] < _ALIKE:
            continue
        (*low, (most, _)) = grouped((whole_percentage(share), system) for share, system in own).items()
        named = listed([f"{listed(who)} scored {share}" for share, who in low[:_MOST]])
        rest = "all of them" if own[-1][0] == 1 else f"up to {most}"
        yield label, (own[0][0] >= _NEARLY_ALL, f"{named} of the target items, the others {rest}. {_consequence(part)}")


def scored_nothing(part: Experiment, summary: pd.DataFrame) -> list[str]:
    """Warn of systems that score no target item at all under the base design."""
    nothing = {label: [system for share, system in own if share == 0] for label, own in _scored(part, summary).items()}
    return [
        f"On {label}, {listed(systems)} scored no target item, so {'its' if len(systems) == 1 else 'their'} values and places say "
        "nothing: check the scores."
        for label, systems in nothing.items()
        if systems
    ]


def _scored(part: Experiment, summary: pd.DataFrame) -> dict[str, list[tuple[float, str]]]:
    """Collect the share of target items that each system scores under the base design, in ascending order, by data set."""
    rows = summary[summary["is_base"] & summary["dataset"].isin(list(part.datasets)) & summary["scored"].notna()]
    ordered = rows.drop_duplicates(["dataset", "system"]).sort_values("scored", kind="stable")
    return grouped((row["dataset"], (row["scored"], row["system"])) for row in records(ordered))


def _consequence(part: Experiment) -> str:
    policy = built("nc", part.design.nc)
    if not isinstance(policy, NotComputable):
        return ""
    is_dropped = policy.fallback is None
    lost = ", so relevant ones count as misses, and irrelevant ones take no place" if is_dropped else ""
    treated = f"{policy.prose().rstrip('.')} (nc: {part.design.nc.written}){lost}"
    if "nc" in part.vary:
        return f"{treated}; 'nc' is varied, so the study shows what other treatments change."
    return (
        f"{treated}. 'vary: {{nc: [{'append(by=popularity)' if is_dropped else 'drop'}]}}' shows whether a verdict rests on this."
    )
