"""A rule of the workflow as data: what its jobs read and write, and what they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from recsens.artefacts.addresses import ASKED, GRAMMAR, SHARD, Address
from recsens.plugins.specs import SLUG

WILDCARDS: Mapping[str, str] = {
    **GRAMMAR,
    "asked": ASKED,
    "shard": SHARD,
    "metric": SLUG,
    "figure": "[a-z0-9_-]+",
    **dict.fromkeys(("analysis", "label"), "[a-z0-9-]+"),
}
"""Regular expression of each wildcard."""

Files = str | tuple[str, ...] | list[str]
"""A path or several, in an order that the step knows; the paths of outputs are patterns, with wildcards in braces."""


class Wildcards(Protocol):
    """The wildcards of a job; each rule has those in the names of its files."""

    seed: str
    dataset: str
    filter: str
    split: str
    fold: str
    recommender: str
    targets: str
    asked: str
    nc: str
    ties: str
    shard: str
    metric: str
    figure: str
    analysis: str
    label: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the workflow.

    The rule file quotes it, and adds what only matters while jobs run: memory, time, threads, messages, captions.

    Attributes
    ----------
    step
        Name of the rule and of its step.
    outputs
        Patterns of the files written, by name.
    inputs
        Files read, by name: patterns, or a function of a job's wildcards that gives paths.
    params
        Parameters by name: values, or functions of a job's wildcards.
    log, benchmark
        Patterns of a job's log and of Snakemake's record of its costs; no record if the latter is empty.
    """

    step: str
    outputs: Mapping[str, Files]
    inputs: Mapping[str, Files | Callable[[Wildcards], Files]]
    params: Mapping[str, Any]
    log: str
    benchmark: str = ""

    @classmethod
    def at(
        cls,
        address: Address,
        step: str,
        *names: str,
        outputs: Mapping[str, Files],
        inputs: Mapping[str, Files | Callable[[Wildcards], Files]],
        params: Mapping[str, Any],
    ) -> Rule:
        """Return a rule whose jobs are named by an address, and by ``names`` where several are at one address."""
        return cls(step, outputs, inputs, params, address.log(step, *names), address.benchmark(step, *names))
