"""The study file of a single analysis, cut where a choice decides what it says."""

from typing import Any

import yaml

from recsens.report.explorer.design_space import DesignSpace, option_as_written
from recsens.study import Experiment, Study
from recsens.study.taxonomy import DESIGN, Decision


def study_files(part: Experiment, study: Study, space: DesignSpace) -> dict[str, Any]:
    """Return the pieces of the study files that reproduce one analysis each, as YAML.

    Every decision is written out, so that no default can change what the file asks for. All systems and pairs stay: a correction of
    p-values counts them.

    Returns
    -------
    dict
        ``heads``: for each data set what stands before the decisions. ``design``: for each decision its key, and its line or, where
        it varies, the line of each option. ``metrics``: the line of each metric. ``tail``: what follows.
    """
    varied = {each.decision: each.options for each in space.varied}
    margin = "" if part.margin.is_zero else _dump({"margin": str(part.margin) if part.margin.is_share else part.margin.size})
    compare = None if part.compare is None else [list(pair) for pair in part.compare]
    return {
        "heads": [_head(part, study, label) for label in part.datasets],
        "design": [
            {"key": each.key, "lines": [_line(each, text) for text in varied.get(each) or [space.fixed[each.column]]]}
            for each in DESIGN
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
    # However long a value is, it stays on its line.
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=False, width=2**31)
