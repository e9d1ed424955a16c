"""Names in print: metrics without their defaults, and what a design changes against the base."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from inspect import getdoc
from sys import modules

import pandas as pd

from recsens import plugins
from recsens.config import Study
from recsens.errors import RecsensError, SpecError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.plugins import Plugin
from recsens.recommenders import Preset
from recsens.specs import Chain, Spec, parse, parse_chain, parse_chain_slug
from recsens.splitting import Splitter
from recsens.studies.taxonomy import DECISIONS, Decision, decision

_LONGEST = 52
"""Longest option that is written in full in a sentence or a figure: two lines of a label."""

Change = tuple[tuple[str, str], ...]
"""The decisions that a design takes otherwise than the base: key and option, in the order of the taxonomy."""


@cache
def measured(metric: str) -> MeasuredAt:
    """Return the metric and cut-off behind a printed name."""
    return parse_measured_at(metric)[0]


def short(metric: str) -> str:
    """Return a metric's name without the parameters that have their default value, such as ``nDCG@10``."""
    return measured(metric).short


def ranks_systems(metric: str) -> bool:
    """Whether more, or less, of this metric is better; false for one that only describes."""
    return not measured(metric).metric.is_descriptive


def improvement(metric: str) -> int:
    """Return 1 where higher values are better, else -1."""
    return 1 if measured(metric).metric.higher_is_better else -1


def base_options(rows: pd.DataFrame) -> dict[str, str]:
    """Return the base design's option of every decision, by column."""
    base = rows[rows["is_base"]]
    return {} if base.empty else {found.column: str(base.iloc[0][found.column]) for found in DECISIONS}


def change_of(options: Mapping[str, str], base: Mapping[str, str]) -> Change:
    """List the decisions in which a design (by column) leaves the base."""
    return tuple((found.key, str(options[found.column])) for found in DECISIONS if options[found.column] != base.get(found.column))


def change_in_words(change: Change) -> str:
    """Say what a design changes: ``split random(ratio=0.2) and view condensed``; the base is ``the base design``."""
    return (
        " and ".join(f"{key} {option_in_words(decision(key), option)}" for key, option in change) if change else "the base design"
    )


def in_full(kind: str, text: str) -> Chain:
    """Return a chain of specs with every parameter written out; what is not installed stays as it is written."""
    return Chain(tuple(component.full_spec if (component := built(kind, link)) else link for link in parse_chain(text)))


def option_in_full(varied: Decision, text: str) -> str:
    """Write an option of a decision with every parameter, so that no default hides."""
    return text if varied.kind is None else str(in_full(varied.kind, text))


def option_in_words(varied: Decision, text: str) -> str:
    """Write an option as a sentence or a figure has room for it: in full, or without defaults where that is long."""
    full = option_in_full(varied, text)
    if varied.kind is None or len(full) <= _LONGEST:
        return full
    components = [(built(varied.kind, link), link) for link in parse_chain(text)]
    return str(Chain(tuple(component.spec if component else link for component, link in components)))


def from_folder(varied: Decision, folder: str) -> str:
    """Return the option behind a step of an address, written in full; an abbreviated name stays as it is."""
    try:
        return option_in_full(varied, str(parse_chain_slug(folder)))
    except SpecError:
        return folder


def built(kind: str, spec: Spec) -> plugins.Plugin | None:
    """Return the component of a spec, or None: results may outlive the plug-in that made them."""
    try:
        component: plugins.Plugin = plugins.build(kind, spec)
    except SpecError:
        return None
    return component


@cache
def n_folds_of(split: str, repeats: str) -> float:
    """Return how many folds a design of a table of results has; infinity where the plug-in or the files that made them are gone."""
    found = built("split", parse(split))
    try:
        return int(repeats) * found.n_folds if isinstance(found, Splitter) else math.inf
    except RecsensError:
        return math.inf


def confidence_of(test: str) -> float:
    """Return the level of a test's intervals: its parameter of that name, .95 where it has none and so prints no interval."""
    level = getattr(built("test", parse(test)), "confidence", None)
    return level if isinstance(level, float) else 0.95


def scale_of(aggregate: str) -> str:
    """Say what a difference is a difference of, where it is not that of the systems' values; empty where it is, as of means."""
    found = built("aggregate", parse(aggregate))
    is_of_values = found is None or getattr(found, "averages_values", False)
    return "" if is_of_values else f" in {getattr(found, 'mean', '')} of {getattr(found, 'differences', '')}"


def concept(cls: type) -> str:
    """Return what a class is in a few words: the first line of its module, which holds one concept; none for a user's own."""
    return _first_line(modules[cls.__module__].__doc__) if cls.__module__.startswith("recsens.") else ""


def definition(cls: type) -> str:
    """Return what a class does: the first line of its docstring, which is its formula where it has one."""
    return _first_line(getdoc(cls))


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().partition("\n")[0].replace("``", "")


def in_order(values: Iterable[str]) -> list[str]:
    """List the values in the order of their first occurrence."""
    return list(dict.fromkeys(values))


def sweep_rows(rows: pd.DataFrame, varied: Decision) -> pd.DataFrame:
    """Keep the designs that differ from the base in one decision at most."""
    base = base_options(rows)
    keep = pd.Series(data=True, index=rows.index)
    for found in DECISIONS:
        if found != varied:
            keep &= rows[found.column] == base.get(found.column)
    return rows[keep]


def remarks(system: Spec) -> list[str]:
    """Say of a system what its comparison must be read with: presets, and what they were chosen by."""
    named = [built("recommender", system)]
    named += [built(kind, spec) for found in named if found for kind, spec in found.nested() if kind == "recommender"]
    return [_provenance(found, preset) for found in named if found and (preset := getattr(found, "chosen_preset", None))]


def _provenance(component: Plugin, preset: Preset) -> str:
    changed = [name for name, value in preset.params.items() if getattr(component, name) != value]
    told = f"{'Calibrated on test data' if preset.calibrated_on_test else 'Preset'}: {preset.source}"
    return f"{told}. Changed here: {', '.join(changed)}." if changed else told


def calibrated(study: Study) -> str:
    """Name what takes part with parameters that were chosen by test data, systems and fallbacks; empty where there is none."""
    systems = {label: built("recommender", spec) for part in study.parts() for label, spec in part.systems.items()}
    policies = {str(design.nc): built("nc", design.nc) for part in study.parts() for design in part.designs()}
    labels = [label for label, found in systems.items() if found and getattr(found, "calibrated_on_test", False)]
    labels += [f"nc {text}" for text, found in policies.items() if found and any(map(_is_calibrated, found.nested()))]
    return f"Calibrated on test data, which flatters: {', '.join(labels)}." if labels else ""


def _is_calibrated(within: tuple[str, Spec]) -> bool:
    kind, spec = within
    return bool(getattr(built(kind, spec), "calibrated_on_test", False))
