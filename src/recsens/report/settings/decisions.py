"""The line of each decision in a settings statement."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from recsens.comparison.aggregation import Aggregate
from recsens.comparison.significance import SignificanceTest
from recsens.comparison.users import Users
from recsens.conclusions.verdicts.components import built, is_by_rating, n_folds_of, named_in_full, short_definition
from recsens.metrics import LEFT_OUT, MeasuredAt, by_treatment, short_list, unranked_rating, without_list, without_relevant
from recsens.plugins import SOURCE
from recsens.plugins.prose import definition, listed, percent
from recsens.plugins.specs import FOLDER, Chain, Spec, format_number, format_value
from recsens.ranking.targets import Targets
from recsens.study.design import Design
from recsens.study.taxonomy import Decision
from recsens.vocabulary import RELEVANT, rate_of


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of a settings statement, with the sentences of the methods paragraph about it.

    Attributes
    ----------
    code, name
        The decision: its code in the taxonomy, such as ``A2``, and its name.
    value
        The design's option, with every parameter.
    meaning
        The meaning of the option, in a sentence or two.
    sentences
        The sentences about the decision in the methods paragraph; empty if the paragraph does not mention the decision.
    """

    code: str
    name: str
    value: str
    meaning: str
    sentences: tuple[str, ...] = ()


_ASSUMED = (
    "A ranking contains all target items, whether the user has rated them or not; unrated items down to the cut-off count as "
    "relevant{}, and gain as much as the highest rating. Divisors and ideals are those of the ratings, so R, F1, nDCG and AP may "
    "exceed 1."
)

_WORDS = {
    ("ties", "random"): (
        "Items with the same score are in a random order, which is drawn for each user and is the same for all systems."
    ),
    ("ties", "low_index"): "Of items with the same score, the one that comes first in the data ranks first.",
    ("ties", "high_index"): "Of items with the same score, the one that comes last in the data ranks first.",
    ("view", "full"): (
        "A ranking contains all target items, whether the user has rated them or not; unrated items count as not relevant."
    ),
    ("view", "condensed"): "A ranking contains only the target items that the user has rated in the test set.",
    ("view", RELEVANT): _ASSUMED.format(""),
    ("coverage", "full"): "Users without a ranking get the value that the metric gives to an empty list.",
    ("coverage", "reduced"): "Users without a ranking are left out; two systems are compared over the users that both cover.",
    ("correction", "none"): "No p-value is corrected for the number of comparisons.",
    ("correction", "holm"): (
        "Holm's step-down procedure raises the p-values of all pairs of systems on one metric; it bounds the probability that any "
        "win is false."
    ),
    ("correction", "bh"): (
        "The procedure of Benjamini and Hochberg raises the p-values of all pairs of systems on one metric; it bounds the expected "
        "share of false wins among all wins."
    ),
}
"""The meaning of options that are words instead of plug-ins."""

_WORDS_BY_RATING = {
    ("view", "full"): "Each ranking contains the item of one relevant test rating, and other target items, which are not relevant.",
    ("coverage", "full"): (
        "A relevant rating whose item is not ranked gets the value that the metric gives to a ranking without that item."
    ),
}
"""The meaning of the same options if each relevant test rating has its own ranking (1R)."""


def decision_line(
    decision: Decision, design: Design, thresholds: Mapping[str, float], declared: Mapping[str, float] | None = None
) -> Setting:
    """Write one decision's line; ``thresholds`` has each data set's lowest relevant rating, and ``declared`` those of its own."""
    chosen, code, name = getattr(design, decision.key), decision.code, decision.name
    if decision.key == "relevance":
        value, meaning = _relevance_line(design, thresholds, declared or {})
        return Setting(code, name, value, meaning, (meaning,))
    if decision.key == "repeats":
        return Setting(code, name, str(chosen), _repeats_sentence(design), _fold_means_sentence(design))
    if decision.key == "fits":
        meaning = f"Each system that draws at random is fitted {chosen} times on every train set, and every other system once."
        said = f"Each system that draws at random was fitted {chosen} times on every train set, and every other system once"
        return Setting(code, name, str(chosen), meaning, (f"{said}; values are means over fits.",) if design.fits > 1 else ())
    if decision.kind is None:
        by_rating = _WORDS_BY_RATING.get((decision.key, chosen)) if is_by_rating(design) else None
        meaning = (
            by_rating
            or _WORDS.get((decision.key, chosen))
            or _ASSUMED.format(f" with a probability of {rate_of(chosen):g}, independently, and values are expected values")
        )
        return Setting(code, name, chosen, meaning, (meaning,))
    return Setting(code, name, *_option_and_meaning(decision.key, decision.kind, chosen, design), _said(decision, chosen, design))


def _option_and_meaning(key: str, kind: str, chosen: Spec | Chain, design: Design) -> tuple[str, str]:
    """Return a design's option, and the option's meaning, as described by its classes and parameters."""
    value = named_in_full(kind, chosen)
    if key == "test" and (formula := weighted_test(design)):
        return f"{value}, weighted: {formula}", explain(kind, design.test, formula)
    if key == "aggregate" and is_by_rating(design):
        return value, "m = Σ_u w_u m_u / Σ_u w_u, with m_u the mean over the rankings of user u and w_u the user's weight."
    meaning = " Then: ".join(explain(kind, link) for link in _links(chosen))
    users = built(kind, design.users) if key == "users" else None
    return value, f"{meaning} {users.prose_admission(int(is_by_rating(design)))}" if isinstance(users, Users) else meaning


def _said(decision: Decision, chosen: Spec | Chain, design: Design) -> tuple[str, ...]:
    """Return the plug-ins' sentences about themselves, and further sentences that are true of them in this design."""
    sentences = []
    for position, link in enumerate(_links(chosen)):
        # A filter receives its place in the chain, and a selection of users the number of relevant ratings that a ranking needs.
        told = {"filter": ("Then" if position else "Before the split",), "users": (int(is_by_rating(design)),)}
        component: Any = built(str(decision.kind), link)
        said = (
            component.prose(*told.get(decision.key, ())) if component else f"{decision.name}: {link}, which is no longer installed."
        )
        # Keep them separate, because a further experiment repeats only the new ones.
        sentences += re.split(r"(?<=\.) (?=[A-Z])", said)
    if decision.key == "targets":
        validates = getattr(built("split", design.split), "validates", False)
        sentences += ["In the choice of target items, validation ratings count as training ratings."] if validates else []
    if decision.key == "test":
        sentences += _test_sentences(design)
    return tuple(sentences)


def _links(chosen: Spec | Chain) -> Sequence[Spec]:
    return chosen.links if isinstance(chosen, Chain) else [chosen]


def _test_sentences(design: Design) -> Iterator[str]:
    """Yield sentences about what a test compares instead of systems' values, the effect of weights, and the level of intervals."""
    test, aggregate = built("test", design.test), built("aggregate", design.aggregate)
    if not isinstance(test, SignificanceTest):
        return
    if isinstance(aggregate, Aggregate) and not aggregate.averages_values:
        indirect = "" if aggregate.is_tested else "; these may favour a different system than the systems' values do"
        yield f"The test compares {aggregate.differences}{indirect}."
    if is_by_rating(design) or (isinstance(aggregate, Aggregate) and aggregate.weighs_users):
        formula = weighted_test(design)
        yield f"Because users have different weights, {formula}." if formula else test.prose_weights
    if isinstance(confidence := getattr(test, "confidence", None), float):
        yield f"Confidence intervals are at the {percent(confidence)} level."


def explain(kind: str, spec: Spec, formula: str = "") -> str:
    """Describe a component: its concept, the first sentence of its class, and its parameters with their values.

    ``formula`` replaces this first sentence if the design changes what is computed.
    """
    component = built(kind, spec)
    if component is None:
        return "This component is no longer installed."
    cls = type(component)
    parameters = [
        f"{name} = {format_value(getattr(component, name))} ({field.description.rstrip('.')})"
        for name, field in cls.model_fields.items()
        if field.description and getattr(component, name) is not None
    ]
    does = f"{formula}." if formula else definition(cls)
    # If the first sentence is a formula, add the concept, which is a plain sentence.
    sentences = [short_definition(cls) if "=" in does else "", does, f"Parameters: {'; '.join(parameters)}." if parameters else ""]
    return " ".join(filter(None, sentences))


def weighted_test(design: Design) -> str:
    """Say what the test computes if users have different weights; empty if the test's definition applies unchanged."""
    test, aggregate, targets = built("test", design.test), built("aggregate", design.aggregate), built("targets", design.targets)
    if not isinstance(test, SignificanceTest):
        return ""
    if isinstance(targets, Targets) and targets.n_groups > 1:
        return test.by_percentile
    weighs = is_by_rating(design) or (isinstance(aggregate, Aggregate) and aggregate.weighs_users)
    return test.weighted if weighs else ""


def _relevance_line(design: Design, thresholds: Mapping[str, float], declared: Mapping[str, float]) -> tuple[str, str]:
    rest = f"All other test ratings {'' if rate_of(design.view) else 'and all unrated items '}are not relevant."
    ends = listed([f"{format_number(least)} on {label}" for label, least in declared.items()])
    if design.relevance is not None:
        number = format_number(design.relevance)
        if declared:
            rest = f"{rest} Where tuning, filters or recommenders need a threshold, it is that of the data set: {ends}."
        return f"rating >= {number}", f"Test ratings of {number} or more are relevant. {rest}"
    rule = "the upper quarter of the data set's scale, with the lower end of this quarter rounded up"
    by_rule = "" if declared else f" ({rule})"
    if declared:
        others = listed([label for label in thresholds if label not in declared])
        rest = f"The threshold of {ends} is declared with the data set{f'; that of {others} is {rule}' if others else ''}. {rest}"
    numbers = {label: format_number(least) for label, least in thresholds.items()}
    if not numbers:
        return "scale", f"Test ratings in {rule}, are relevant (4 or more on a scale of 1 to 5). {rest}"
    if len(set(numbers.values())) == 1:
        number = next(iter(numbers.values()))
        return f"rating >= {number}", f"Test ratings of {number} or more{by_rule} are relevant. {rest}"
    value = "; ".join(f"{label}: rating >= {number}" for label, number in numbers.items())
    least = listed([f"{number} on {label}" for label, number in numbers.items()])
    return value, f"Test ratings of at least {least}{by_rule} are relevant. {rest}"


def without_ratings(line: Setting, designs: Mapping[str, Design]) -> Setting:
    """Mention the data sets without ratings, to which no relevance threshold applies."""
    unrated = [label for label, design in designs.items() if _is_unrated(design.dataset)]
    if not unrated:
        return line
    note = "there are no ratings, so every test interaction is relevant"
    if len(unrated) == len(designs):
        is_open = any(rate_of(design.view) for design in designs.values())
        meaning = f"{note[0].upper()}{note[1:]}{'' if is_open else '; unrated items are not'}."
        return replace(line, value="every test interaction", meaning=meaning, sentences=(meaning,))
    meaning = f"{line.meaning} On {', '.join(unrated)}, {note}."
    return replace(line, meaning=meaning, sentences=(meaning,))


def _is_unrated(dataset: Spec) -> bool:
    # A data set from the user's own file declares its rating column, which is null without ratings; other data sets have ratings.
    return getattr(built("dataset", dataset.without(SOURCE, FOLDER)), "rating", "") is None


def _is_drawn(design: Design) -> bool:
    return getattr(built("split", design.split), "is_random", True)


def _repeats_sentence(design: Design) -> str:
    if not _is_drawn(design):
        return "The split draws nothing at random, so it is made once."
    if design.repeats == 1:
        return "The split is drawn once."
    return (
        f"The split is drawn {design.repeats} times. Values are means over draws, and systems are compared by each user's average "
        "over draws."
    )


def _fold_means_sentence(design: Design) -> tuple[str, ...]:
    has_folds = 1 < n_folds_of(str(design.split), "1") < math.inf
    if design.repeats > 1 and not _is_drawn(design):
        once = "This split draws nothing at random and was made once"
        drawn = f"{once}; splits that draw were drawn {design.repeats:,} times, and values are means over each split's own draws."
        return (drawn, *(["Values are means over the folds."] if has_folds else []))
    if design.repeats > 1:
        over = "draws and folds" if has_folds else "draws"
        return (f"The split was drawn {design.repeats:,} times; values are means over all {over}.",)
    return ("Values are means over the folds.",) if has_folds else ()


def weights_line(design: Design) -> Setting:
    """Write the line that says how users are weighted."""
    name, targets = "Weights of users", built("targets", design.targets)
    if not isinstance(targets, Targets) or targets.unit == "user":
        return Setting("C3", name, "defined by the aggregate", "The weight of each user in an average.")
    if targets.n_groups == 1:
        value = "the number of the user's relevant test ratings, so that every rating counts the same"
        meaning = "A user with ten relevant test ratings counts ten times as much as a user with one."
    else:
        value = (
            "chosen so that all relevant test ratings of a popularity percentile have the same weight, and each of the "
            f"{targets.n_groups} percentiles with a relevant test rating has the same weight in total"
        )
        meaning = (
            "A user's weight is larger if the user has more relevant test ratings, and if other users have fewer of them in the "
            "same percentiles."
        )
    said = f"The value of a user is the mean over the user's relevant test ratings, and the user's weight is {value}."
    return Setting("C3", name, value, meaning, (said,))


Groups = Mapping[str, Sequence[str]]
"""Metrics by how they treat a case."""


def special_cases(decision: Decision, design: Design, metrics: Sequence[MeasuredAt]) -> list[Setting]:
    """Return a line about how metrics treat a case that a decision leaves to them; empty if there are no metrics."""
    lines = {"users": _users_without_relevant, "ties": _tied_scores, "coverage": _not_covered, "relevance": _ended_early}
    return [lines[decision.key](design, metrics)] if metrics and decision.key in lines else []


def counts_as_zero_without_relevant(design: Design, metric: MeasuredAt) -> bool:
    """Whether a user enters the average as 0 if all of the user's test ratings are below the relevance threshold."""
    users = built("users", design.users)
    is_in = not isinstance(users, Users) or users.admits(relevant=0)
    return is_in and not is_by_rating(design) and "counted as 0" in _without_relevant(design, [metric])


def _users_without_relevant(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    name = "Users without a relevant item"
    if is_by_rating(design):
        meaning = "Each relevant test rating has its own ranking; a user without such ratings has no ranking and is not averaged."
        return Setting("B1", name, LEFT_OUT, meaning)
    users = built("users", design.users)
    is_in = not isinstance(users, Users) or users.admits(relevant=0)
    groups = _without_relevant(design, metrics) if is_in else {}
    meaning = "How a metric treats a user whose test ratings are all below the threshold of relevance."
    said = _sentences("Users without a relevant test rating", groups)
    return Setting("B1", name, _by_metric(groups) if is_in else LEFT_OUT, meaning, said)


def _tied_scores(_: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    tied = [one.written for one in metrics if getattr(one.metric, "ties", "broken") == "score"]
    value = f"tied: {', '.join(tied)}" if tied else "as the ranking orders them"
    meaning = "Whether a metric treats items with the same score as tied, or uses the order that breaks the tie."
    return Setting("B2", "Equal scores, by metric", value, meaning)


def _ended_early(_: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    meaning = "How a metric treats a list that ends before the cut-off."
    return Setting("C2", "Short lists", _by_metric(_treated(short_list, metrics)), meaning)


def _not_covered(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    is_full = design.coverage == "full"
    if is_by_rating(design):
        groups = _treated(unranked_rating, metrics)
        said = _sentences("Relevant test ratings whose item is not ranked", groups) if is_full else ()
        meaning = "How a metric treats a relevant rating whose item a system does not rank."
        return Setting("C4", "Ratings not ranked", _by_metric(groups), meaning, said)
    groups = _treated(without_list, metrics) if is_full else {}
    meaning = "How a metric treats a user for whom a system ranks nothing."
    said = _sentences("Users without a ranking", groups)
    return Setting("C4", "Users without a list", _by_metric(groups) if is_full else LEFT_OUT, meaning, said)


def _without_relevant(design: Design, metrics: Sequence[MeasuredAt]) -> Groups:
    return _treated(partial(without_relevant, is_open=rate_of(design.view) > 0), metrics)


def _by_metric(groups: Groups) -> str:
    """Write each outcome with its metrics; if there is only one outcome, leave out the metrics."""
    if len(groups) < 2:
        return "".join(groups) or "as the metrics' definitions say"
    return "; ".join(f"{fate}: {', '.join(names)}" for fate, names in groups.items())


def _sentences(what: str, groups: Groups) -> tuple[str, ...]:
    """Write a sentence about the outcomes; return nothing if there is no outcome."""
    by = [f"{fate} by {listed(names)}" for fate, names in groups.items()] if len(groups) > 1 else list(groups)
    return (f"{what} were {listed(by)}.",) if by else ()


def _treated(treatment: Callable[[MeasuredAt], str], metrics: Sequence[MeasuredAt]) -> Groups:
    return by_treatment(treatment, {one.written: one for one in metrics})
