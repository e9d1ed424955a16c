"""Remarks about systems: their presets, and whether test data were used to choose their parameters."""

from collections.abc import Collection

from recsens.conclusions.verdicts.components import built
from recsens.plugins import Plugin
from recsens.plugins.prose import listed
from recsens.plugins.specs import Spec
from recsens.recommenders import Preset, Recommender
from recsens.recommenders.tuned import Tuned
from recsens.study import Experiment

UNTUNED = "Untuned: the system learns with every parameter at its default; other parameter values might do better."
"""The meaning of the mark of an untuned system."""

UNPROMISED = "Another program computes this system's scores, so another run may give different scores."
"""The remark on a system that is not deterministic."""


def untuned(*experiments: Experiment) -> frozenset[str]:
    """Return the labels of systems that learn with default parameters only: none was set, tuned or taken from a preset."""
    return frozenset(
        label for experiment in experiments for label, spec in experiment.systems.items() if _is_untuned(built("recommender", spec))
    )


def which_untuned(*experiments: Experiment) -> str:
    """Name the untuned systems, and say what this means; empty if all systems are tuned."""
    labels = untuned(*experiments)
    named = [label for label in dict.fromkeys(label for each in experiments for label in each.systems) if label in labels]
    return f"{listed(named)} {'is' if len(named) == 1 else 'are'} untuned: every parameter has its default." if named else ""


def _is_untuned(component: Plugin | None) -> bool:
    if not isinstance(component, Recommender) or isinstance(component, Tuned) or component.is_trivial:
        return False
    within = [built(kind, spec) for kind, spec in component.nested() if kind == "recommender"]
    if within:
        return any(map(_is_untuned, within))
    return not component.spec.params and bool(type(component).model_fields)


def mark_untuned(label: str, plain: Collection[str]) -> str:
    """Write a system's label, with a mark if it is one of the untuned systems."""
    return f"{label} (untuned)" if label in plain else label


def remarks(system: Spec) -> list[str]:
    """Say which presets a system uses, and how they were chosen."""
    components = [built("recommender", system)]
    components += [built(kind, spec) for outer in components if outer for kind, spec in outer.nested() if kind == "recommender"]
    presets = [_provenance(each, preset) for each in components if each and (preset := getattr(each, "chosen_preset", None))]
    system_itself = components[0]
    unsure = [UNPROMISED] if isinstance(system_itself, Recommender) and not system_itself.deterministic else []
    return [*([UNTUNED] if _is_untuned(system_itself) else []), *unsure, *presets]


def unpromised(*experiments: Experiment) -> str:
    """Name the systems with scores from another program, which may differ from run to run; empty if there are no such systems."""
    systems = {label: built("recommender", spec) for experiment in experiments for label, spec in experiment.systems.items()}
    labels = [label for label, system in systems.items() if isinstance(system, Recommender) and not system.deterministic]
    return f"Another program computes the scores of {listed(labels)}, so another run may give different scores." if labels else ""


def _provenance(component: Plugin, preset: Preset) -> str:
    changed = [name for name, value in preset.params.items() if getattr(component, name) != value]
    source = f"{'Parameters chosen on test data' if preset.calibrated_on_test else 'Preset'}: {preset.source}"
    return f"{source}. Parameters changed here: {', '.join(changed)}." if changed else source


def calibrated(*experiments: Experiment) -> str:
    """Name the systems and fallbacks whose parameters were chosen on test data; empty if there are no such systems."""
    systems = {label: built("recommender", spec) for experiment in experiments for label, spec in experiment.systems.items()}
    policies = {str(design.nc): built("nc", design.nc) for experiment in experiments for design in experiment.designs()}
    labels = [label for label, system in systems.items() if system and getattr(system, "calibrated_on_test", False)]
    within = {text: [built(kind, spec) for kind, spec in policy.nested()] for text, policy in policies.items() if policy}
    labels += [f"nc {text}" for text, inner in within.items() if any(getattr(each, "calibrated_on_test", False) for each in inner)]
    if not labels:
        return ""
    return f"The parameters of these systems were chosen on test data, which makes their scores look too good: {', '.join(labels)}."
