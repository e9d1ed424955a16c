"""What a reader must know about a system: its preset, and whether its parameters were chosen on test data."""

from recsens.conclusions.verdicts.components import built
from recsens.plugins import Plugin
from recsens.plugins.specs import Spec
from recsens.recommenders import Preset
from recsens.study import Experiment


def remarks(system: Spec) -> list[str]:
    """Say which presets a system uses, and how they were chosen."""
    components = [built("recommender", system)]
    components += [built(kind, spec) for outer in components if outer for kind, spec in outer.nested() if kind == "recommender"]
    return [_provenance(each, preset) for each in components if each and (preset := getattr(each, "chosen_preset", None))]


def _provenance(component: Plugin, preset: Preset) -> str:
    changed = [name for name, value in preset.params.items() if getattr(component, name) != value]
    source = f"{'Parameters chosen on test data' if preset.calibrated_on_test else 'Preset'}: {preset.source}"
    return f"{source}. Changed here: {', '.join(changed)}." if changed else source


def calibrated(*experiments: Experiment) -> str:
    """Name the systems and fallbacks whose parameters were chosen on test data; empty where there are none."""
    systems = {label: built("recommender", spec) for experiment in experiments for label, spec in experiment.systems.items()}
    policies = {str(design.nc): built("nc", design.nc) for experiment in experiments for design in experiment.designs()}
    labels = [label for label, system in systems.items() if system and getattr(system, "calibrated_on_test", False)]
    labels += [f"nc {text}" for text, policy in policies.items() if policy and any(map(_is_calibrated, policy.nested()))]
    if not labels:
        return ""
    return f"Parameters chosen on test data, which makes scores look too good: {', '.join(labels)}."


def _is_calibrated(within: tuple[str, Spec]) -> bool:
    kind, spec = within
    return bool(getattr(built(kind, spec), "calibrated_on_test", False))
