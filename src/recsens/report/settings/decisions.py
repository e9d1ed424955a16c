"""The line of each decision in a settings statement."""

from collections.abc import Mapping
from dataclasses import replace

from recsens.comparison.aggregation import Aggregate
from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.verdicts.base_designs import is_by_rating
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.words import named_in_full
from recsens.plugins import SOURCE
from recsens.plugins.specs import Chain, Spec, format_number
from recsens.ranking.targets import Targets
from recsens.report.settings.admission import admission
from recsens.report.settings.explained import explain
from recsens.report.settings.setting import Setting
from recsens.study import Decisions
from recsens.study.design import Design
from recsens.study.taxonomy import Decision

_WORDS = {
    ("ties", "random"): "Items with the same score stand in random order, drawn for each user and the same for all systems.",
    ("ties", "low_index"): "Of items with the same score, the one that comes first in the data ranks first.",
    ("ties", "high_index"): "Of items with the same score, the one that comes last in the data ranks first.",
    ("view", "full"): "A ranking holds all target items, whether the user has rated them or not; unrated items gain nothing.",
    ("view", "condensed"): "A ranking holds only the target items that the user has rated in the test set.",
    ("coverage", "full"): "Users without a ranking count with the value that a metric gives an empty list.",
    ("coverage", "reduced"): "Users without a ranking are left out; two systems are compared over the users whom both cover.",
    ("correction", "none"): "No p-value is corrected, however many comparisons are made.",
    ("correction", "holm"): (
        "Holm's step-down procedure raises the p-values of all pairs by one metric; it bounds the chance that any win is false."
    ),
    ("correction", "bh"): (
        "The procedure of Benjamini and Hochberg raises the p-values of all pairs by one metric; it bounds the expected share of "
        "false wins among all wins."
    ),
}
"""What the options mean that are words, not plug-ins; the description of its key explains any other."""

_WORDS_BY_RATING = {
    ("view", "full"): "A ranking holds the item of one relevant test rating and its non-relevant targets, which gain nothing.",
    (
        "coverage",
        "full",
    ): "A relevant rating whose item is not ranked counts with the value that a metric gives a ranking without it.",
}
"""What the same options mean where each relevant test rating has a ranking of its own (1R)."""


def line_of(decision: Decision, design: Design, thresholds: Mapping[str, float]) -> Setting:
    """Write the line of one decision; ``thresholds`` holds the lowest relevant rating of data sets, by label."""
    chosen = getattr(design, decision.key)
    if decision.key == "relevance":
        return Setting(decision.code, decision.name, *_relevance(design.relevance, thresholds))
    if decision.key == "repeats":
        return Setting(decision.code, decision.name, str(chosen), _repeats(design.repeats))
    if decision.kind is None:
        return Setting(decision.code, decision.name, chosen, _word(decision.key, chosen, by_rating=is_by_rating(design)))
    meaning = " Then: ".join(explain(decision.kind, link) for link in (chosen if isinstance(chosen, Chain) else [chosen]))
    if decision.key == "test" and (formula := weighted_test(design)):
        value = f"{named_in_full(decision.kind, chosen)}, weighted: {formula}"
        return Setting(decision.code, decision.name, value, explain(decision.kind, design.test, formula))
    if decision.key == "users":
        meaning = f"{meaning} {admission(design.users, by_rating=is_by_rating(design))}".rstrip()
    if decision.key == "aggregate" and is_by_rating(design):
        meaning = "m = Σ_u w_u m_u / Σ_u w_u, with m_u the mean over the rankings of user u and w_u the user's weight."
    return Setting(decision.code, decision.name, named_in_full(decision.kind, chosen), meaning)


def weighted_test(design: Design) -> str:
    """Say what the test computes where users weigh differently; empty where its definition holds as it is."""
    test, aggregate, targets = built("test", design.test), built("aggregate", design.aggregate), built("targets", design.targets)
    if not isinstance(test, SignificanceTest):
        return ""
    if isinstance(targets, Targets) and targets.n_groups > 1:
        return test.by_percentile
    weighs = is_by_rating(design) or (isinstance(aggregate, Aggregate) and aggregate.weighs_users)
    return test.weighted if weighs else ""


def _relevance(relevance: float | None, thresholds: Mapping[str, float]) -> tuple[str, str]:
    rest = "all others, and unrated items, are not"
    if relevance is not None:
        number = format_number(relevance)
        return f"rating >= {number}", f"Test ratings of {number} or more are relevant; {rest}."
    rule = "the upper quarter of the data set's scale, rounded up"
    numbers = {label: format_number(least) for label, least in thresholds.items()}
    if not numbers:
        return "scale", f"Test ratings in {rule} (4 or more on a scale of 1 to 5), are relevant; {rest}."
    if len(set(numbers.values())) == 1:
        number = next(iter(numbers.values()))
        return f"rating >= {number}", f"Test ratings of {number} or more ({rule}) are relevant; {rest}."
    value = "; ".join(f"{label}: rating >= {number}" for label, number in numbers.items())
    return value, f"Test ratings of these numbers or more ({rule}) are relevant; {rest}."


def without_ratings(line: Setting, designs: Mapping[str, Design]) -> Setting:
    """Note the data sets without ratings, for which no threshold of relevance holds."""
    unrated = [label for label, design in designs.items() if _is_unrated(design.dataset)]
    if not unrated:
        return line
    note = "there are no ratings, so every test interaction is relevant"
    if len(unrated) == len(designs):
        return replace(line, value="every test interaction", meaning=f"{note[0].upper()}{note[1:]}; unrated items are not.")
    return replace(line, meaning=f"{line.meaning} On {', '.join(unrated)}, {note}.")


def _is_unrated(dataset: Spec) -> bool:
    # A user's file declares its column of ratings, null where it has none; other data sets have ratings.
    return getattr(built("dataset", dataset.without(SOURCE)), "rating", "") is None


def _repeats(repeats: int) -> str:
    if repeats == 1:
        return "The split is drawn once."
    return f"The split is drawn {repeats} times; values are means over draws; systems are compared by users' averages."


def weights_line(design: Design) -> Setting:
    """Write the line that says what weight each user has."""
    name, targets = "Weights of users", built("targets", design.targets)
    if not isinstance(targets, Targets) or targets.unit == "user":
        return Setting("C3", name, "as the aggregate says", "The weight of each user in an average.")
    if targets.n_groups == 1:
        value = "the number of the user's relevant test ratings, so that every rating counts the same"
        return Setting("C3", name, value, "A user with ten relevant test ratings counts ten times as much as a user with one.")
    value = (
        f"all relevant test ratings of a popularity percentile count the same, and so does each of the "
        f"{targets.n_groups} percentiles that holds any"
    )
    meaning = "A user counts more with more relevant test ratings, and with fewer ratings of others in the same percentiles."
    return Setting("C3", name, value, meaning)


def _word(key: str, option: str, *, by_rating: bool) -> str:
    description = Decisions.model_fields[key].description or ""
    special = _WORDS_BY_RATING.get((key, option)) if by_rating else None
    return special or _WORDS.get((key, option)) or description.partition(": ")[2].capitalize()
