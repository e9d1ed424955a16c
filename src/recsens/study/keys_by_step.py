"""The part of a study that a step depends on. A step receives only this part, and runs again only if this part changes.

Several steps have the study file as an input. A step's result must not become stale when something changes on which it does not
depend, such as a comment, the layout of the file or the title. A key that is not in a step's part cannot affect the step's result.
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
from recsens.study.experiment import QUESTIONS

_PRINTED, _VERDICTS = {"published", "published_comparisons"}, {"alpha", "margin"}
_OF_QUESTIONS = {question.key for question in QUESTIONS.values() if question.key}
_JUDGED = {"claims", "meta", *_OF_QUESTIONS, *_PRINTED, *_VERDICTS}

_DEPENDS: Mapping[str, set[str]] = {
    "summarise": {"published"},
    "count_users": set(),
    "describe_ties": set(),
    "compare": {"published_comparisons"},
    "multiverse": {"alpha"},
    "decide_winners": _VERDICTS,
    **{step: {question.key, *_VERDICTS} if question.key else set() for step, question in QUESTIONS.items()},
    "claims": _JUDGED,
    "score_designs": {"reference", "alpha"},
    "costs": {"title"},
    "figure": {"meta", *_OF_QUESTIONS, *_VERDICTS},
    "report": {"title", "description", "says", "chosen", "figures", "latex_width", *_JUDGED},
}
"""For each step, the keys on which it depends, among the keys that not every step needs. Every step depends on all other keys. No
step depends on shards, strict or plug-in folders; code digests cover the content of those folders. The figure step receives only
its own figure. The scorecard receives the margin through the verdicts."""

_WITHOUT = {"title": ""} | {
    key: Study.model_fields[key].get_default(call_default_factory=True)
    for key in (
        "description",
        "baselines",
        "says",
        "chosen",
        "plugins",
        "shards",
        "strict",
        "figures",
        "latex_width",
        "reference",
        *sorted(_DEPENDS["claims"]),
    )
}
"""For each key, the value that replaces it for a step that does not depend on the key."""


def part_for_step(study: Study, step: str) -> Study:
    """Return a study with only the keys on which a step depends; without the study's description, experiments lose theirs too."""
    part = study.model_copy(update={key: value for key, value in _WITHOUT.items() if key not in _DEPENDS[step]})
    of_experiments = {key: _WITHOUT[key] for key in ("description", "effort") if key not in _DEPENDS[step]}
    silent = {label: each.model_copy(update=of_experiments) for label, each in study.experiments.items()}
    return part.model_copy(update={"experiments": silent})


def digest_for_step(study: Study, step: str) -> str:
    """Return a digest of the part of a study on which a step depends, as 16 hexadecimal digits; the order of keys matters."""
    return _part_digest(part_for_step(study, step), step)


def load_part(path: str | Path, step: str, decisions: str | None) -> Study:
    """Read a study file, and return the part on which a step depends.

    Parameters
    ----------
    path
        The study file.
    step
        The step that reads the file.
    decisions
        The result of `digest_for_step` when the run was planned; None if there is no plan.

    Raises
    ------
    ConfigError
        If the file cannot be read, or if this part of the file has changed since the run was planned.
    """
    part = part_for_step(load_study(path), step)
    if decisions is not None and _part_digest(part, step) != decisions:
        raise ConfigError("has changed since the run was planned", where=str(path), remedy="run again")
    return part


def _part_digest(part: Study, step: str) -> str:
    return sha256(json.dumps(_without_places(part, step), default=_plain_value).encode()).hexdigest()[:16]


def _without_places(part: Study, step: str) -> dict[str, Any]:
    """Return a study's keys without the paths of its data and systems.

    Tables name data and systems by labels, and a step depends on their content through its other inputs. Only the report also names
    the files. Options of a design stay as the study writes them, because tables show this spelling.
    """

    def named(kind: str, components: Mapping[str, Spec]) -> dict[str, Spec]:
        if step == "report":
            return dict(components)
        return {label: plugins.without_paths(kind, spec) for label, spec in components.items()}

    further = {
        label: {
            **_plain_value(each),
            "systems": named("recommender", each.systems),
            "design": _canonical_options(each.design),
            "vary": _varied_options(each),
        }
        for label, each in part.experiments.items()
    }
    datasets, systems = named("dataset", part.datasets), named("recommender", part.systems)
    return {**_plain_value(part), "datasets": datasets, "systems": systems, "vary": _varied_options(part), "experiments": further}


def _varied_options(part: Study | FurtherExperiment) -> dict[str, list[Any]]:
    return {key: [_canonical_options({key: option})[key] for option in options] for key, options in part.vary.items()}


def _canonical_options(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return options in canonical form."""
    taken = Decisions.model_validate(written)
    return {key: getattr(taken, key) for key in written}


def _plain_value(value: object) -> Any:
    """Convert values that JSON cannot represent: models to mappings, and components to specs."""
    match value:
        case Plugin():
            return str(value.spec)
        case BaseModel():
            # A study that does not use these keys keeps the digest that it had before they existed.
            content = {name: getattr(value, name) for name in type(value).model_fields}
            unused = {name for name, own in content.items() if (name in _OF_QUESTIONS and not own) or (name == "fits" and own == 1)}
            return {name: own for name, own in content.items() if name not in unused}
        case MeasuredAt():
            return [value.metric, value.cutoff, value.spelling]
        case Spec() | Chain():
            return [str(value), value.spelling]
        case _:
            raise TypeError(f"a study cannot contain a {type(value).__name__}")
