"""Remarks about systems: their presets, and whether test data were used to choose their parameters."""

from collections.abc import Collection, Iterable, Sequence

from recsens.conclusions.verdicts.components import built
from recsens.plugins import Plugin
from recsens.plugins.prose import listed
from recsens.plugins.specs import Spec
from recsens.recommenders import Preset, Recommender
from recsens.recommenders.tuned import Tuned
from recsens.study import Experiment

UNTUNED = "Untuned: the parameters were not chosen on validation data, and have no source; other values might do better."
"""The meaning of the mark of an untuned system."""

UNPROMISED = "Another program computes this system's scores, so another run may give different scores."
"""The remark on a system that is not deterministic."""


def untuned_systems(*experiments: Experiment) -> frozenset[str]:
    """Return the labels of systems that are neither tuned, nor use a preset, nor were chosen by someone whom the study names."""
    return frozenset(
        label
        for experiment in experiments
        for label, spec in experiment.systems.items()
        if label not in experiment.chosen and _is_untuned(built("recommender", spec))
    )


def untuned_sentence(*experiments: Experiment) -> str:
    """Name the untuned systems, say what this means, and say whose choices the study declares; empty if there is nothing to say."""
    labels = untuned_systems(*experiments)
    named = [label for label in dict.fromkeys(label for each in experiments for label in each.systems) if label in labels]
    plain = f"{listed(named)} {_were(named, 'is', 'are')} untuned: no validation data and no source stand behind the parameters."
    declared = {label: words for each in experiments for label, words in each.chosen.items() if label in each.systems}
    chosen = [f"The study declares the parameters of {label} as chosen {words.rstrip('.')}." for label, words in declared.items()]
    return " ".join([*([plain] if named else []), *chosen])


def tried_unequally(part: Experiment, system: str, others: Iterable[str]) -> str:
    """Say which systems in a verdict were tuned, or chosen by somebody, if a system and others differ in this; empty if none do."""
    plain, chosen = untuned_systems(part), part.chosen
    tried = {*chosen, *(label for label, spec in part.systems.items() if isinstance(built("recommender", spec), Tuned))}
    known = [label for label in others if label in (plain if system in tried else tried if system in plain else ())]
    if not known:
        return ""
    harder, less = ([system], known) if system in tried else (known, [system])
    searched = [label for label in harder if label not in chosen]
    ways = [f"{listed(searched)} {_were(searched, 'was', 'were')} tuned"] if searched else []
    ways += [f"the parameters of {label} were chosen {chosen[label].rstrip('.')}" for label in harder if label in chosen]
    tuned = " tuned" if len(searched) < len(harder) else ""
    how = f"{listed(ways)} and {listed(less)} {_were(less, 'was', 'were')} not{tuned}"
    return f" {how if searched else f'T{how[1:]}'}, so this may only show which was tried harder."


def _were(labels: Sequence[str], one: str, several: str) -> str:
    return one if len(labels) == 1 else several


def _is_untuned(component: Plugin | None) -> bool:
    if not isinstance(component, Recommender) or isinstance(component, Tuned) or component.is_trivial or component.score_files:
        return False
    within = [built(kind, spec) for kind, spec in component.nested() if kind == "recommender"]
    if within:
        return any(map(_is_untuned, within))
    return component.chosen_preset is None and bool(type(component).model_fields)


def mark_untuned(label: str, plain: Collection[str]) -> str:
    """Write a system's label, with a mark if it is one of the untuned systems."""
    return f"{label} (untuned)" if label in plain else label


def remarks(system: Spec, words: str = "") -> list[str]:
    """Say how a system's parameters were chosen: by its presets, or by whom the study declares in some words."""
    components = [built("recommender", system)]
    components += [built(kind, spec) for outer in components if outer for kind, spec in outer.nested() if kind == "recommender"]
    presets = [_preset_source(each, preset) for each in components if each and (preset := getattr(each, "chosen_preset", None))]
    system_itself = components[0]
    unsure = [UNPROMISED] if isinstance(system_itself, Recommender) and not system_itself.deterministic else []
    chosen = [f"Parameters chosen {words}."] if words else [UNTUNED] if _is_untuned(system_itself) else []
    return [*chosen, *unsure, *presets]


def unpromised(*experiments: Experiment) -> str:
    """Name the systems with scores from another program, which may differ from run to run; empty if there are no such systems."""
    systems = {label: built("recommender", spec) for experiment in experiments for label, spec in experiment.systems.items()}
    labels = [label for label, system in systems.items() if isinstance(system, Recommender) and not system.deterministic]
    return f"Another program computes the scores of {listed(labels)}, so another run may give different scores." if labels else ""


def _preset_source(component: Plugin, preset: Preset) -> str:
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
