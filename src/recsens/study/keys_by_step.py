"""The part of a study that a step depends on: the only part it is given, and what its result is new by.

The study file is an input of several steps. What they do not depend on, such as comments, the layout of the file or the title, must
not make their results stale; a key that is left out of a step's part cannot reach its result.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from recsens import plugins
from recsens.errors import ConfigError
from recsens.metrics import MeasuredAt
from recsens.plugins import Plugin
from recsens.plugins.specs import Chain, Spec
from recsens.study import Decisions, FurtherExperiment, Study, load_study

_PRINTED, _VERDICTS = {"published", "published_comparisons"}, {"alpha", "margin"}

_DEPENDS: Mapping[str, set[str]] = {
    "summarise": {"published"},
    "count_users": set(),
    "describe_ties": set(),
    "compare": {"published_comparisons"},
    "multiverse": {"alpha"},
    "decide_winners": _VERDICTS,
    "claims": {"claims", "meta", *_PRINTED, *_VERDICTS},
    "score_designs": {"reference", "alpha"},
    "costs": {"title"},
    "figure": {"meta", *_VERDICTS},
    "report": {"title", "description", "figures", "claims", "meta", *_PRINTED, *_VERDICTS},
}
"""Step -> which keys of a study it depends on, of those that some step does not; every step depends on all others. Folders of
plug-ins and shards matter to no result: a code digest tells of what lies in folders. The step that draws is told of the one figure
that it draws. Verdicts tell the scorecard of the margin."""

_WITHOUT = {"title": ""} | {
    key: Study.model_fields[key].get_default(call_default_factory=True)
    for key in ("description", "plugins", "shards", "figures", "reference", *sorted(_DEPENDS["claims"]))
}
"""What stands in place of such a key where a step does not depend on it."""


def part_of(study: Study, step: str) -> Study:
    """Return a study with the keys left out that a step does not depend on; the descriptions of experiments go with the study's."""
    part = study.model_copy(update={key: value for key, value in _WITHOUT.items() if key not in _DEPENDS[step]})
    if "description" not in _DEPENDS[step]:
        silent = {label: each.model_copy(update={"description": ""}) for label, each in study.experiments.items()}
        part = part.model_copy(update={"experiments": silent})
    return part


def decisions_of(study: Study, step: str) -> str:
    """Return the digest of the part of a study that a step depends on, as 16 hexadecimal digits; the order of keys counts."""
    return _digest(part_of(study, step), step)


def load_part(path: str | Path, step: str, decisions: str | None) -> Study:
    """Read a study file, and return the part that a step depends on.

    Parameters
    ----------
    path
        The study file.
    step
        One of the steps that read it.
    decisions
        `decisions_of` the study when the run was planned; None if nothing was planned.

    Raises
    ------
    ConfigError
        If the file cannot be read, or its part is another one than planned.
    """
    part = part_of(load_study(path), step)
    if decisions is not None and _digest(part, step) != decisions:
        raise ConfigError("changed since the run was planned", where=str(path), remedy="run again")
    return part


def _digest(part: Study, step: str) -> str:
    return sha256(json.dumps(_without_places(part, step), default=_plain).encode()).hexdigest()[:16]


def _without_places(part: Study, step: str) -> dict[str, Any]:
    """Return the keys of a study without the paths of its data and systems.

    Tables name these by labels, and their content counts in what a step reads. The report names their files too. The options of a
    design stand in tables as the study writes them.
    """

    def named(kind: str, components: Mapping[str, Spec]) -> dict[str, Spec]:
        return dict(components) if step == "report" else _nowhere(kind, components)

    further = {
        label: {
            **_plain(each),
            "systems": named("recommender", each.systems),
            "design": _options(each.design),
            "vary": _varied(each),
        }
        for label, each in part.experiments.items()
    }
    datasets, systems = named("dataset", part.datasets), named("recommender", part.systems)
    return {**_plain(part), "datasets": datasets, "systems": systems, "vary": _varied(part), "experiments": further}


def _nowhere(kind: str, components: Mapping[str, Spec]) -> dict[str, Spec]:
    return {label: plugins.without_paths(kind, spec) for label, spec in components.items()}


def _varied(part: Study | FurtherExperiment) -> dict[str, list[Any]]:
    return {key: [_options({key: option})[key] for option in options] for key, options in part.vary.items()}


def _options(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as they are canonically written."""
    taken = Decisions.model_validate(written)
    return {key: getattr(taken, key) for key in written}


def _plain(value: object) -> Any:
    """Write what JSON has no form for: models by their keys, components as specs."""
    match value:
        case Plugin():
            return str(value.spec)
        case BaseModel():
            return {name: getattr(value, name) for name in type(value).model_fields}
        case MeasuredAt():
            return [value.metric, value.cutoff, value.spelling]
        case Spec() | Chain():
            return [str(value), value.spelling]
        case _:
            raise TypeError(f"a study holds no {type(value).__name__}")
