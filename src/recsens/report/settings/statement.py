"""The settings statement: every decision in a design, in the taxonomy's order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.components import built, in_full, is_by_rating, option_with_full
from recsens.data.datasets import DataSet
from recsens.metrics import MeasuredAt
from recsens.plugins import SOURCE
from recsens.plugins.prose import listed
from recsens.plugins.specs import FOLDER, Spec, format_number
from recsens.report.settings.decisions import Setting, decision_line, explain, special_cases, weights_line, without_ratings
from recsens.study import Experiment, Study
from recsens.study.design import Design
from recsens.study.taxonomy import DECISIONS, Decision
from recsens.tables.numbers import level


def statement(
    designs: Mapping[str, Design],
    *,
    systems: Mapping[str, Spec] | None = None,
    metrics: Sequence[MeasuredAt] = (),
    thresholds: Mapping[str, float] | None = None,
    comparing: Experiment | None = None,
) -> list[Setting]:
    """Return a line for every decision of a design.

    Parameters
    ----------
    designs
        The design on each data set, by the data set's label. The designs differ only in the data set.
    systems, metrics
        The systems that are compared, and the metrics that compare them.
    thresholds
        The lowest relevant rating of each data set, by label, if it follows from a known scale.
    comparing
        The experiment, which determines α and which pairs of systems are compared.
    """
    design = next(iter(designs.values()))
    lines = [Setting("A1", f"Data set {label}", *_data_set_meaning(on_it.dataset)) for label, on_it in designs.items()]
    for decision in DECISIONS:
        if decision.key == "users" and systems:
            written = "; ".join(f"{label} = {in_full('recommender', str(spec))}" for label, spec in systems.items())
            lines.append(Setting("B", "Systems", written, "The recommenders that are compared."))
        if decision.key == "aggregate" and metrics:
            written = "; ".join(option_with_full(metric.written, str(metric)) for metric in metrics)
            lines.append(Setting("C2", "Metrics", written, "The metrics that compare the systems, with every parameter."))
        lines += (
            []
            if str(getattr(design, decision.key)) == decision.unwritten
            else lines_of(decision, designs, metrics, thresholds or {})
        )
    if comparing:
        lines += [pairs_line(comparing), alpha_line(comparing)]
    seed = Setting("–", "Root seed", str(design.seed), "Every random draw is derived from this number and the name of the draw.")
    return [*lines, seed]


def lines_of(
    decision: Decision, designs: Mapping[str, Design], metrics: Sequence[MeasuredAt], thresholds: Mapping[str, float]
) -> list[Setting]:
    """Return one decision's lines: its option, the cases left to metrics, and users' weights; arguments as in `statement`."""
    design = next(iter(designs.values()))
    line = decision_line(decision, design, thresholds, own_thresholds(designs))
    cases = special_cases(decision, design, metrics)
    if decision.key == "relevance":
        line = without_ratings(line, designs)
    if decision.key == "coverage" and any(case.sentences for case in cases):
        # Leave out the sentence that metrics treat users without a ranking; the lines about cases say how.
        line = replace(line, sentences=())
    weights = [weights_line(design)] if decision.key == "aggregate" and is_by_rating(design) else []
    return [line, *cases, *weights]


def own_thresholds(designs: Mapping[str, Design]) -> dict[str, float]:
    """Return the threshold of relevance of each data set that declares one, by label."""
    built_sets = {label: built("dataset", on.dataset.without(SOURCE, FOLDER)) for label, on in designs.items()}
    return {label: least for label, each in built_sets.items() if (least := getattr(each, "relevance", None)) is not None}


def differing_settings(part: Experiment, study: Study) -> list[tuple[Setting, str]]:
    """List the decisions in which an experiment's base design differs from the study's, each with the study's option."""
    (own, *_), (base, *_) = base_designs(part).values(), base_designs(study.own).values()
    changed = [each for each in DECISIONS if getattr(own, each.key) != getattr(base, each.key)]
    lines = [(decision_line(each, own, {}), decision_line(each, base, {}).value) for each in changed]
    weights = [(weights_line(own), weights_line(base).value)] if weights_line(own) != weights_line(base) else []
    return [*lines, *weights]


def pairs_line(part: Experiment) -> Setting:
    """Say which pairs of systems are compared."""
    pairs = part.pairs()
    if part.compare is None and len(pairs) > 1:
        said = f"All {len(pairs)} pairs of systems were compared."
        return Setting("D", "Pairs compared", f"all {len(pairs)}", "Every pair of systems is compared.", (said,))
    written = "; ".join(f"{a} and {b}" for a, b in pairs)
    compared = f"We compared {listed([f'{a} with {b}' for a, b in pairs])}."
    said = compared if pairs else "No two systems were tested against each other."
    return Setting("D", "Pairs compared", written or "none", "The pairs of systems that are compared.", (said,))


def alpha_line(part: Experiment) -> Setting:
    """Say when a system wins."""
    wins = "A system wins if its value is better, the users' differences favour it too, and p"
    value, said = f"alpha = {format_number(part.alpha)}", f"{wins} < {level(part.alpha)}."
    return Setting("D", "Threshold of significance", value, f"{wins} is below this number.", (said,))


def _data_set_meaning(spec: Spec) -> tuple[str, str]:
    """Write a data set as in a path of results, and its meaning with the digest of its raw files, if there is a digest."""
    spec, digest = spec.without(FOLDER), spec.get(SOURCE)
    component = built("dataset", spec.without(SOURCE))
    if not isinstance(component, DataSet):
        return str(spec), explain("dataset", spec)
    written = component.full_spec.without(*component.identity_excludes)
    if digest is None:
        return str(written), explain("dataset", component.spec)
    return str(written.with_params(**{SOURCE: digest})), f"{explain('dataset', component.spec)} Raw files: digest {digest}."
