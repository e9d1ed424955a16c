"""How systems were compared, in prose: test, correction, threshold."""

from collections.abc import Callable, Mapping

from recsens.comparison.aggregation import Aggregate
from recsens.conclusions.verdicts.base_designs import is_by_rating
from recsens.conclusions.verdicts.components import built
from recsens.plugins.specs import Spec, parse
from recsens.report.methods.phrases import full, listed, own_words, share, value
from recsens.report.settings.decisions import line_of, weighted_test
from recsens.study import Experiment
from recsens.study.design import Design
from recsens.study.taxonomy import decision
from recsens.tables.numbers import level


def comparison_sentences(part: Experiment, design: Design) -> list[str]:
    """Say which pairs of systems were compared, by which test, and when a system wins; nothing where no pair was."""
    pairs = part.pairs()
    if not pairs:
        return ["No two systems were tested against each other."]
    every = part.compare is None and len(pairs) > 1
    compared = f"All {len(pairs)} pairs of systems were compared." if every else f"We compared {_named(pairs)}."
    return [
        compared,
        *_test(design),
        line_of(decision("correction"), design, {}).meaning,
        f"A system wins if its value is better, the users' differences favour it too, and p < {level(part.alpha)}.",
    ]


def _named(pairs: list[tuple[str, str]]) -> str:
    return listed([f"{a} with {b}" for a, b in pairs])


def _test(design: Design) -> list[str]:
    if design.test.name not in TESTS:
        return [own_words("test", "Differences between systems were tested by", design.test)]
    spec = full("test", design.test)
    confidence = spec.get("confidence")
    interval = [f"Confidence intervals are at the level of {share(confidence)}."] if confidence is not None else []
    return [TESTS[design.test.name](spec), *_compared(design), *_weights(design), *interval]


def _compared(design: Design) -> list[str]:
    """Say what a test compares where that is not the systems' values."""
    aggregate = built("aggregate", design.aggregate)
    if not isinstance(aggregate, Aggregate) or aggregate.averages_values:
        return []
    indirect = "" if aggregate.is_tested else ", which may point the other way than the systems' values"
    return [f"The test compares {aggregate.differences}{indirect}."]


def _weights(design: Design) -> list[str]:
    """Say how a test treats users who weigh differently; nothing where they all weigh the same."""
    aggregate, test = built("aggregate", design.aggregate), innermost(design.test)
    if not (is_by_rating(design) or (isinstance(aggregate, Aggregate) and aggregate.weighs_users)):
        return []
    if test in _COUNT_ALIKE:
        return ["In this test every user counts the same, whatever the weight."]
    formula = weighted_test(design)
    return [f"As users weigh differently, {formula}."] if formula else ["Each user has the same weight there as in the mean."]


_COUNT_ALIKE = {"sign", "wilcoxon"}


def innermost(test: Spec) -> str:
    """Return the name of the test that is repeated, or of a test that repeats no other."""
    return innermost(parse(str(full("test", test).get("of")))) if test.name == "subsamples" else test.name


def _t(spec: Spec) -> str:
    of = f" of ln(x + {value(spec.get('epsilon'))})" if spec.get("log") else ""
    return f"Differences{of} between systems were tested by a two-tailed paired t-test over users."


def _bootstrap(spec: Spec) -> str:
    what = "studentised means" if spec.get("method") == "studentised" else "means"
    return (
        f"Differences between systems were tested by a bootstrap test over users: {int(str(spec.get('samples'))):,} resamples "
        f"of the users' differences, shifted to mean zero, whose {what} were compared with the observed one."
    )


def _randomisation(spec: Spec) -> str:
    return (
        "Differences between systems were tested by Fisher's two-tailed randomisation test over users, with "
        f"{int(str(spec.get('samples'))):,} random swaps of the systems' values, or all swaps where there are no more."
    )


def _subsamples(spec: Spec) -> str:
    inner = parse(str(spec.get("of")))
    said = TESTS[inner.name](full("test", inner)) if inner.name in TESTS else own_words("test", "Systems were tested by", inner)
    return (
        f"{said} This was repeated on {int(str(spec.get('n'))):,} random subsets of {share(spec.get('share'))} of the users, to "
        f"tell on how many of them p < {level(float(str(spec.get('alpha'))))}."
    )


TESTS: Mapping[str, Callable[[Spec], str]] = {
    "t": _t,
    "bootstrap": _bootstrap,
    "randomisation": _randomisation,
    "sign": lambda _: (
        "Differences between systems were tested by the two-tailed sign test over users: an exact binomial test, ties dropped."
    ),
    "wilcoxon": lambda _: (
        "Differences between systems were tested by Wilcoxon's two-tailed signed-rank test over users, differences of zero dropped."
    ),
    "subsamples": _subsamples,
}
"""How each test tells systems apart."""
