"""The wildcards of the workflow's rules."""

from collections.abc import Mapping
from typing import Protocol

from recsens.artefacts.addresses import ASKED, GRAMMAR, SHARD
from recsens.plugins.specs import SLUG

CONSTRAINTS: Mapping[str, str] = {
    **GRAMMAR,
    "check": ASKED,
    "shard": SHARD,
    "metric": SLUG,
    "figure": "[a-z0-9_-]+",
    **dict.fromkeys(("analysis", "label"), "[a-z0-9-]+"),
}
"""Regular expression of each wildcard."""

PROGRAMS = r"program(?:@[^/]+)?"
"""Regular expression of recommenders that are other programs."""


class Wildcards(Protocol):
    """A job's wildcards; a rule has only the wildcards in its file names."""

    seed: str
    dataset: str
    filter: str
    split: str
    fold: str
    recommender: str
    targets: str
    check: str
    nc: str
    ties: str
    shard: str
    metric: str
    figure: str
    analysis: str
    label: str
