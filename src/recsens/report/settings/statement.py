"""The settings statement: every decision of a design, in the order of the taxonomy."""

from collections.abc import Mapping, Sequence

from recsens.conclusions.verdicts.base_designs import base_designs, is_by_rating
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.words import in_full, with_full
from recsens.data.datasets import DataSet
from recsens.metrics import MeasuredAt
from recsens.plugins import SOURCE
from recsens.plugins.specs import Spec, format_number
from recsens.report.settings.decisions import line_of, weights_line, without_ratings
from recsens.report.settings.explained import explain
from recsens.report.settings.setting import Setting
from recsens.report.settings.special_cases import special_cases
from recsens.study import Experiment, Study
from recsens.study.design import Design
from recsens.study.taxonomy import DECISIONS


def statement(
    designs: Mapping[str, Design],
    *,
    systems: Mapping[str, Spec] | None = None,
    metrics: Sequence[MeasuredAt] = (),
    thresholds: Mapping[str, float] | None = None,
    comparing: Experiment | None = None,
) -> list[Setting]:
    """Write out every decision.

    Parameters
    ----------
    designs
        Label of a data set: the design on it. They differ in the data set alone.
    systems, metrics
        What is compared, and by what.
    thresholds
        Label of a data set: lowest relevant rating, where the scale of the data set decides it and is known.
    comparing
        The experiment, which says which pairs of systems are compared, and by which α.
    """
    design = next(iter(designs.values()))
    lines = [Setting("A1", f"Data set {label}", *_data_set(on_it.dataset)) for label, on_it in designs.items()]
    for decision in DECISIONS:
        if decision.key == "users" and systems:
            lines.append(_systems(systems))
        if decision.key == "aggregate" and metrics:
            lines.append(_metrics(metrics))
        line = line_of(decision, design, thresholds or {})
        lines.append(without_ratings(line, designs) if decision.key == "relevance" else line)
        lines += special_cases(decision, design, metrics)
        if decision.key == "aggregate" and is_by_rating(design):
            lines.append(weights_line(design))
    if comparing:
        lines += [_pairs(comparing), _alpha(comparing)]
    seed = Setting(
        "–", "Root seed", str(design.seed), "Every random draw is derived from this number and the name of what is drawn."
    )
    return [*lines, seed]


def differences(part: Experiment, study: Study) -> list[tuple[Setting, str]]:
    """List the decisions in which an experiment's base design differs from its study's, each with the study's own option."""
    (own, *_), (base, *_) = base_designs(part).values(), base_designs(study.own).values()
    changed = [each for each in DECISIONS if getattr(own, each.key) != getattr(base, each.key)]
    lines = [(line_of(each, own, {}), line_of(each, base, {}).value) for each in changed]
    weights = [(weights_line(own), weights_line(base).value)] if weights_line(own) != weights_line(base) else []
    return [*lines, *weights]


def _systems(systems: Mapping[str, Spec]) -> Setting:
    written = "; ".join(f"{label} = {_written('recommender', spec)}" for label, spec in systems.items())
    return Setting("B", "Systems", written, "The recommenders compared.")


def _metrics(metrics: Sequence[MeasuredAt]) -> Setting:
    return Setting(
        "C2",
        "Metrics",
        "; ".join(with_full(metric.written, str(metric)) for metric in metrics),
        "The metrics that compare the systems, with every parameter.",
    )


def _pairs(study: Experiment) -> Setting:
    pairs = study.pairs()
    if study.compare is None and len(pairs) > 1:
        return Setting("D", "Pairs compared", f"all {len(pairs)}", "Every pair of systems is compared.")
    written = "; ".join(f"{a} and {b}" for a, b in pairs)
    return Setting("D", "Pairs compared", written or "none", "The pairs of systems that are compared.")


def _alpha(study: Experiment) -> Setting:
    meaning = "A system wins if its value is better, the users' differences favour it too, and p is below this number."
    return Setting("D", "Threshold of significance", f"alpha = {format_number(study.alpha)}", meaning)


def _data_set(spec: Spec) -> tuple[str, str]:
    """Write a data set as it stands in an address, with the digest of its raw files if there is one."""
    digest = spec.get(SOURCE)
    component = built("dataset", spec.without(SOURCE))
    if not isinstance(component, DataSet):
        return str(spec), explain("dataset", spec)
    written = component.full_spec.without(*component.identity_excludes)
    if digest is None:
        return str(written), explain("dataset", component.spec)
    return str(written.with_params(**{SOURCE: digest})), f"{explain('dataset', component.spec)} Raw files: digest {digest}."


def _written(kind: str, spec: Spec) -> str:
    return str(in_full(kind, str(spec)))
