"""The folders of the rankings behind each analysis."""

from collections.abc import Sequence
from dataclasses import replace

from recsens import plugins
from recsens.conclusions.verdicts.base_designs import address
from recsens.report.explorer.design_space import DesignSpace, decisions_of
from recsens.study import Decisions, Experiment
from recsens.study.design import Design
from recsens.study.taxonomy import of_stage

ANY_SYSTEM = "‹system›"
"""Stands in a folder for the step of a system."""


def folders(space: DesignSpace, base: Design) -> list[str]:
    """Return the folder of each design's rankings on its first fold, on the data set of ``base``, with ‹system› for the system."""
    read = {each.column for each in of_stage("split", "rank")}
    known: dict[tuple[str, ...], str] = {}
    listed = []
    for number in range(len(space.designs)):
        options = space.options(number)
        key = tuple(text for column, text in options.items() if column in read)
        if key not in known:
            decisions = decisions_of(options)
            taken = {name: getattr(decisions, name) for name in Decisions.model_fields}
            known[key] = address(replace(base, **taken))
        listed.append(known[key])
    return listed


def steps_of_systems(part: Experiment, systems: Sequence[str], base: Design) -> list[str]:
    """Return the step of each system in a folder; ‹system› where it depends on the split, as for scores read from files."""
    specs = [part.systems[label] for label in systems]
    return [plugins.address("recommender", spec).slug if base.bound(spec) == spec else ANY_SYSTEM for spec in specs]
