"""Checks of a study file that concern several keys: labels, pairs, options and printed numbers."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from recsens.comparison.aggregation import Aggregate
from recsens.comparison.significance import SignificanceTest
from recsens.errors import nearest
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.study.claims import in_words
from recsens.study.decisions import Decisions
from recsens.study.experiment import Experiment, Vary
from recsens.study.field_types import suggest_splits
from recsens.study.labels import check_label
from recsens.study.published import Published, PublishedComparison
from recsens.study.refusals import explain_error


def check_experiment(experiment: Experiment) -> None:
    """Check the labels and pairs of an experiment.

    Raises
    ------
    ValueError
        The message begins with the key.
    """
    for kind, labels in (("datasets", experiment.datasets), ("systems", experiment.systems)):
        for label in labels:
            check_label(kind, label)
    for spec in experiment.systems.values():
        alike = [label for label, other in experiment.systems.items() if str(other) == str(spec)]
        if len(alike) > 1:
            raise ValueError(f"systems: '{spec}' has two labels, '{alike[0]}' and '{alike[1]}'; keep one of them")
    _check_pairs(experiment)
    _check_margin(experiment)


def check_metrics(by_key: Mapping[str, Sequence[MeasuredAt] | None]) -> None:
    """Check that all experiments spell a metric in the same way, because joint tables show each metric once.

    Raises the same errors as `check_experiment`.
    """
    spelled: dict[object, MeasuredAt] = {}
    for key, metrics in by_key.items():
        for measured in metrics or ():
            first = spelled.setdefault(measured.metric, measured)
            if first.spelling != measured.spelling:
                raise ValueError(f"{key}: '{measured.written}' and '{first.written}' are two spellings of the same metric")


def check_published(
    published: Sequence[Published],
    comparisons: Sequence[PublishedComparison],
    by_label: Mapping[str, Experiment],
) -> None:
    """Check that the study has the data set, systems, metric and design of each printed number.

    Raises the same errors as `check_experiment`.
    """
    entries: list[tuple[str, str, str, tuple[str, ...]]] = [
        *(("published", p.dataset, p.metric, (p.system,)) for p in published),
        *(("published_comparisons", c.dataset, c.metric, (c.system_a, c.system_b)) for c in comparisons),
    ]
    for where, dataset, metric, labels in entries:
        check_known(where, "dataset", dataset, names=by_label)
        check_known(where, "system", *labels, names=by_label[dataset].systems)
        if len(set(labels)) < len(labels):
            raise ValueError(f"{where}: '{labels[0]}' is paired with itself")
        meant = list(map(str, parse_measured_at(metric)))
        if len(meant) > 1:
            raise ValueError(f"{where}: '{metric}' names {len(meant)} metrics, but a printed value belongs to one")
        metrics = by_label[dataset].metrics
        if meant[0] not in set(map(str, metrics)):
            names = {measured.written for measured in metrics} | set(map(str, metrics))
            raise ValueError(f"{where}: '{metric}' is not among the metrics{nearest(metric, names)}")
    for where, printed in (("published", published), ("published_comparisons", comparisons)):
        for entry in printed:
            design_under(where, entry.under, by_label[entry.dataset])


def change_design(where: str, design: Decisions, options: Mapping[str, Any]) -> Decisions:
    """Return a design with some decisions changed; raises the same errors as `check_experiment`, for keys below ``where``."""
    try:
        return design.changed(options)
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"{where}.{key}: {explain_error(error.errors()[0], Decisions)}") from error


def check_known(where: str, what: str, *given: str, names: Iterable[str]) -> None:
    """Check that names are known; raises the same errors as `check_experiment`, which name all that are not."""
    said = [f"unknown {what} '{name}'{nearest(name, names) or '.'}" for name in dict.fromkeys(given) if name not in names]
    if said:
        raise ValueError(f"{where}{': ' * bool(where)}{' '.join(said)} Allowed: {', '.join(names) or 'none'}")


def check_all(checks: Iterable[Callable[[], object]]) -> None:
    """Make all checks, and raise one error with the messages of those that fail, each once."""
    found: dict[str, None] = {}
    for check in checks:
        try:
            check()
        except ValueError as error:
            found |= dict.fromkeys(error.args if type(error) is ValueError else [str(error)])
    if found:
        raise ValueError(*found)


def known_decisions(vary: Vary) -> Vary:
    """Refuse keys of ``vary`` that are no decisions."""
    check_known("", "decision", *vary, names=Decisions.model_fields)
    return vary


def _check_margin(experiment: Experiment) -> None:
    """Check that the test computes what a margin needs: intervals of level 1 - alpha for the difference of means."""
    if experiment.margin.is_zero:
        return
    confidence = 1 - experiment.alpha
    for design in experiment.designs():
        test = SignificanceTest.build(design.test)
        level = getattr(test, "confidence", None)
        if level is None or not math.isclose(level, confidence):
            raise ValueError(
                f"margin: needs a confidence interval of level {confidence:g}, but 'test: {design.test.written}' gives none. "
                f"Allowed: a test with confidence={confidence:g}, or no margin"
            )
        if not Aggregate.build(design.aggregate).averages_values or getattr(test, "log", False):
            raise ValueError(
                f"margin: needs a difference between means, but 'aggregate: {design.aggregate.written}' with 'test: "
                f"{design.test.written}' does not compare means. Allowed: no margin, or an aggregate such as mean with a test "
                "that compares the values themselves"
            )


def _check_pairs(experiment: Experiment) -> None:
    check_known("compare", "system", *(label for pair in experiment.compare or () for label in pair), names=experiment.systems)
    for pair in experiment.compare or ():
        if pair[0] == pair[1]:
            raise ValueError(f"compare: '{pair[0]}' is paired with itself")
    pairs = [frozenset(pair) for pair in experiment.compare or ()]
    twice = next((pair for index, pair in enumerate(pairs) if pair in pairs[:index]), ())
    if twice:
        raise ValueError(f"compare: the pair of {' and '.join(repr(label) for label in sorted(twice))} appears twice")


def options_of(where: str, vary: Vary) -> Iterator[Decisions]:
    """Yield each varied option below ``where`` as a design in which only that decision is not the default.

    Raises the same errors as `check_experiment`.
    """
    for decision, options in vary.items():
        if not options:
            raise ValueError(f"{where}.{decision}: the list of options is empty")
        if decision == "split" and (meant := suggest_splits(list(options))):
            raise ValueError(f"{where}.split: write a split as text, not as a number: [{', '.join(meant)}].")
        for option in options:
            try:
                yield Decisions.model_validate({decision: option})
            except ValidationError as error:
                raise ValueError(f"{where}.{decision}: {explain_error(error.errors()[0], Decisions)}") from error


def design_under(where: str, under: Mapping[str, Any], experiment: Experiment) -> Decisions:
    """Return an experiment's base design changed to the options in ``under``; raises the same errors as `check_experiment`."""
    design = change_design(f"{where}.under", experiment.design, under)
    if design not in experiment.designs():
        options = in_words(under)
        raise ValueError(
            f"{where}: the study has no design with {options} and otherwise the base design's decisions; add it to 'vary'"
        )
    return design
