"""Data for the page's script: every experiment's choices and verdicts, as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from recsens import plugins
from recsens.conclusions.verdicts.base_designs import address
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.pairs_by_gravity import by_gravity
from recsens.report.explorer.columns import column
from recsens.report.explorer.design_space import DesignSpace, VariedDecision, decisions_of, design_space, option_as_written
from recsens.report.explorer.verdicts import verdict_columns
from recsens.report.sentences.evidence import interval_name
from recsens.report.sentences.options import titles_of
from recsens.report.system_remarks import untuned
from recsens.study import Decisions, Experiment, Study
from recsens.study.design import Design
from recsens.study.taxonomy import DESIGN, Decision, of_stage
from recsens.tables.numbers import count, p_below

MOST_ANALYSES = 60_000
"""Largest number of verdicts on a page, with about 80 bytes each; the verdicts of larger studies are only in verdicts.csv."""

_ANY_SYSTEM = "‹system›"
"""Placeholder for the part of a folder's path that depends on the system."""


def explorer(study: Study, verdicts: Sequence[PairVerdicts], designs: Mapping[str, Design]) -> Markup:
    """Return the data of a page's explorer, as JSON for a script element; empty if there are no analyses, or too many.

    Parameters
    ----------
    study
        The study.
    verdicts
        The verdicts of the study's experiments.
    designs
        The base design on each of the study's data sets, by the data set's label.
    """
    n = sum(len(of_part.rows) for of_part in verdicts)
    if not 0 < n <= MOST_ANALYSES:
        return Markup()
    judged = [_experiment(of_part, study, designs) for of_part in verdicts if len(of_part.rows)]
    return embedded({"any_system": _ANY_SYSTEM, "below": p_below(study.alpha), "experiments": judged})


def embedded(content: Mapping[str, Any]) -> Markup:
    """Write content as JSON that is safe in a script element, because no text in the JSON can end the element."""
    return htmlsafe_json_dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def too_many(verdicts: Sequence[PairVerdicts]) -> str:
    """Say that a page has no explorer because there are too many comparisons; empty otherwise."""
    n = sum(len(of_part.rows) for of_part in verdicts)
    if n <= MOST_ANALYSES:
        return ""
    return (
        f"The study makes {count(n)} comparisons. The page has no explorer, because at most {count(MOST_ANALYSES)} comparisons fit "
        "in it; verdicts.csv lists them all."
    )


def _experiment(verdicts: PairVerdicts, study: Study, designs: Mapping[str, Design]) -> dict[str, Any]:
    part, space = verdicts.part, design_space(verdicts)
    bases = {label: _base(verdicts, designs[study.dataset_of(label)]) for label in part.datasets}
    labels = list(part.systems)
    return {
        "title": part.title,
        "is_grid": part.combine == "grid",
        "start": _start(verdicts),
        "untuned": sorted(untuned(part)),
        "interval": interval_name(part),
        "margin": "" if part.margin.is_zero else str(part.margin),
        "decisions": [_decision(choice) for choice in space.varied],
        "designs": [list(codes) for codes in zip(*space.designs, strict=True)],
        "folders": {label: column(_folders(space, base)) for label, base in bases.items()},
        "steps": dict(zip(labels, _steps_of_systems(part, labels, next(iter(bases.values()))), strict=True)),
        "names": {str(metric): metric.written for metric in part.metrics},
        "file": study_files(part, study, space),
        "verdicts": verdict_columns(verdicts, space),
    }


def _decision(varied: VariedDecision) -> dict[str, Any]:
    decision = varied.decision
    head = {"code": decision.code, "key": decision.key, "name": decision.name}
    words = titles_of(decision, varied.options)
    return {**head, "options": list(varied.options), "words": [words[text] for text in varied.options], "base": varied.base}


def _start(verdicts: PairVerdicts) -> dict[str, str]:
    """Choose the pair to show first: the one asked about, or else the one whose verdict depends most on the design."""
    first, _ = by_gravity([verdicts])[0]
    return {"dataset": first.base["dataset"], "first": first.base["system_a"], "second": first.base["system_b"]}


def _base(verdicts: PairVerdicts, own: Design) -> Design:
    """Return an experiment's base design on a data set, derived from the study's own base design on this data set."""
    decisions = verdicts.part.design
    return replace(own, **{key: getattr(decisions, key) for key in type(decisions).model_fields})


def _folders(space: DesignSpace, base: Design) -> list[str]:
    """Return the folder of each design's ranking on its first fold, on the data set of ``base``; ‹system› is a placeholder."""
    read = {decision.column for decision in of_stage("split", "rank")}
    addresses: dict[tuple[str, ...], str] = {}
    listed = []
    for number in range(len(space.designs)):
        options = space.options(number)
        key = tuple(text for column, text in options.items() if column in read)
        if key not in addresses:
            decisions = decisions_of(options)
            taken = {name: getattr(decisions, name) for name in Decisions.model_fields}
            addresses[key] = address(replace(base, **taken))
        listed.append(addresses[key])
    return listed


def _steps_of_systems(part: Experiment, systems: Sequence[str], base: Design) -> list[str]:
    """Return each system's folder name; ‹system› if the name depends on the split, because scores are read from files."""
    specs = [part.systems[label] for label in systems]
    return [plugins.address("recommender", spec).slug if base.bound(spec) == spec else _ANY_SYSTEM for spec in specs]


def study_files(part: Experiment, study: Study, space: DesignSpace) -> dict[str, Any]:
    """Return the parts of a study file from which each analysis can be reproduced, as YAML.

    Every decision is written out, so a change of a default cannot change the meaning of the file. All systems and pairs are
    included, because corrections of p-values depend on their number.

    Returns
    -------
    dict
        ``heads``: for each data set, the text before the decisions. ``design``: for each decision, its key and its line or, if it
        varies, one line per option. ``metrics``: the line of each metric. ``tail``: the text after the metrics.
    """
    varied = {choice.decision: choice.options for choice in space.varied}
    margin = "" if part.margin.is_zero else _dump({"margin": str(part.margin) if part.margin.is_share else part.margin.size})
    compare = None if part.compare is None else [list(pair) for pair in part.compare]
    return {
        "heads": [_head(part, study, label) for label in part.datasets],
        "design": [
            {
                "key": decision.key,
                "lines": [_line(decision, text) for text in varied.get(decision) or [space.fixed[decision.column]]],
            }
            for decision in DESIGN
        ],
        "metrics": {str(metric): _dump({"metrics": [metric.written]}) for metric in part.metrics},
        "tail": ("" if compare is None else _dump({"compare": compare})) + _dump({"alpha": part.alpha}) + margin,
    }


def _head(part: Experiment, study: Study, label: str) -> str:
    head: dict[str, Any] = {"title": f"One analysis of: {study.title}", "seed": part.seed}
    if study.plugins:
        head["plugins"] = list(study.plugins)
    head["datasets"] = {study.dataset_of(label): part.datasets[label].written}
    head["systems"] = {system: spec.written for system, spec in part.systems.items()}
    return _dump(head)


def _line(decision: Decision, text: str) -> str:
    return f"  {_dump({decision.key: option_as_written(decision, text)})}"


def _dump(content: dict[str, Any]) -> str:
    # Write each value on one line, even if the line is long.
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=False, width=2**31)
