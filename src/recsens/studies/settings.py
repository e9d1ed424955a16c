"""The settings statement: every decision of a design, in the order of the taxonomy, in a form that a paper can print.

The sentences come from the plug-ins themselves (first line of the class's docstring, descriptions of its parameters), so a new
plug-in explains itself here without an edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from recsens.aggregation import Aggregate
from recsens.config import Decisions, Study, file_name
from recsens.datasets import DataSet
from recsens.design import Design, Fold
from recsens.metrics import MeasuredAt
from recsens.plugins import SOURCE
from recsens.significance import SignificanceTest
from recsens.specs import Chain, Spec, format_number, format_value
from recsens.studies import cases
from recsens.studies.naming import built, concept, definition, in_full, option_in_full
from recsens.studies.taxonomy import DECISIONS, Decision
from recsens.targets import Targets
from recsens.users import Population, Users

_WORDS = {
    ("ties", "random"): "Items with the same score are ordered by a draw for each user and item, the same for all systems.",
    ("ties", "low_index"): "Among items with the same score, the one that comes first in the data stands first.",
    ("ties", "high_index"): "Among items with the same score, the one that comes last in the data stands first.",
    ("view", "full"): "A ranking holds all target items, rated by the user or not; unrated ones have no gain.",
    ("view", "condensed"): "A ranking holds only those target items that the user has rated in test.",
    ("coverage", "full"): "Users without a ranking count, as what a metric says of an empty list.",
    ("coverage", "reduced"): "Users without a ranking are left out; two systems are compared over the users that both cover.",
    ("correction", "none"): "Every p-value is that of a single comparison, however many are made.",
    ("correction", "holm"): (
        "The p-values of all pairs by one metric are raised by Holm's step-down procedure, which bounds the chance that one of the "
        "wins is false."
    ),
    ("correction", "bh"): (
        "The p-values of all pairs by one metric are raised by Benjamini and Hochberg's procedure, which bounds the expected share "
        "of false wins among the wins."
    ),
}
"""What the options that are words, not plug-ins, mean; any other is explained by the description of its key."""

_WORDS_BY_RATING = {
    ("view", "full"): "A ranking holds the item of one relevant test rating and its non-relevant targets, which have no gain.",
    ("coverage", "full"): "A relevant rating whose item is not ranked counts, as what a metric says of a ranking without it.",
}
"""What they mean where each relevant test rating has a ranking of its own (1R)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of a settings statement.

    Attributes
    ----------
    code, name
        The decision: its place in the taxonomy, such as ``A2``, and its name.
    value
        What the design takes, as a spec with every parameter written out.
    meaning
        What that means, in a plain sentence or two.
    """

    code: str
    name: str
    value: str
    meaning: str


def base_designs(study: Study, addresses: Mapping[str, Spec] | None = None) -> dict[str, Design]:
    """Return the base design on each data set, by its label; ``addresses`` are the data sets as they stand in paths."""
    decisions = {key: getattr(study.design, key) for key in Decisions.model_fields}
    return {
        label: Design(seed=study.seed, dataset=(addresses or {}).get(label, spec), name=file_name(label), **decisions)
        for label, spec in study.datasets.items()
    }


def statement(
    designs: Mapping[str, Design],
    *,
    systems: Mapping[str, Spec] | None = None,
    metrics: Sequence[MeasuredAt] = (),
    thresholds: Mapping[str, float] | None = None,
    comparing: Study | None = None,
) -> list[Setting]:
    """Write out every decision.

    Parameters
    ----------
    designs
        Label of a data set: the design on it. They differ in the data set alone.
    systems, metrics
        What is compared, and by what.
    thresholds
        Label of a data set: lowest relevant rating, where the design leaves it to the data set's scale and that is known.
    comparing
        The experiment whose pairs of systems are compared, and whose α is.
    """
    design = next(iter(designs.values()))
    lines = [Setting("A1", f"Data set {label}", *_data_set(found.dataset)) for label, found in designs.items()]
    for decision in DECISIONS:
        if decision.key == "users" and systems:
            lines.append(_systems(systems))
        if decision.key == "aggregate" and metrics:
            lines.append(_metrics(metrics))
        line = _line(decision, design, thresholds or {})
        lines.append(_without_ratings(line, designs) if decision.key == "relevance" else line)
        lines += _case(decision, design, metrics)
        if decision.key == "aggregate" and is_by_rating(design):
            lines.append(_weights(design))
    if comparing:
        lines += [_pairs(comparing), _alpha(comparing)]
    seed = Setting("–", "Root seed", str(design.seed), "Every random draw is derived from this number and from names.")
    return [*lines, seed]


def differences(part: Study, study: Study) -> list[tuple[Setting, str]]:
    """List the decisions that an experiment's base design takes otherwise than its study's, each with what the study takes."""
    (own, *_), (base, *_) = base_designs(part).values(), base_designs(study).values()
    changed = [found for found in DECISIONS if getattr(own, found.key) != getattr(base, found.key)]
    lines = [(_line(found, own, {}), _line(found, base, {}).value) for found in changed]
    weights = [(_weights(own), _weights(base).value)] if _weights(own) != _weights(base) else []
    return [*lines, *weights]


def address(design: Design, system: Spec | None = None) -> str:
    """Return the folder of a design's rankings on its first fold; the system is ‹system› where none is given."""
    if system is not None:
        return f"{design.ranking_folder(Fold(0), system)}/"
    # Where a folder's name is made is the design's business: any system's will do.
    example = Spec("random")
    tail = design.ranking_folder(Fold(0), example).relative_to(design.system_folder(Fold(0), example))
    return f"{design.fold_folder(Fold(0))}/‹system›/{tail}/"


def is_by_rating(design: Design) -> bool:
    """Whether each relevant test rating has a ranking of its own (1R)."""
    return getattr(built("targets", design.targets), "unit", "user") == "rating"


def paragraph(settings: Iterable[Setting]) -> str:
    """Write a settings statement as one paragraph for a paper."""
    parts = [f"{line.name} ({line.code}): {line.value}" if line.code != "–" else f"{line.name}: {line.value}" for line in settings]
    return "Experimental settings, by decision of Cañamares, Castells & Moffat (2020). " + "; ".join(parts) + "."


def explain(kind: str, spec: Spec, formula: str = "") -> str:
    """Say what a component does: its concept, the first sentence of its class, its parameters with their values.

    ``formula`` replaces the first sentence where the design makes it another.
    """
    component = built(kind, spec)
    if component is None:
        return "A component that is no longer installed."
    cls = type(component)
    given = [
        f"{name} = {format_value(getattr(component, name))} ({field.description.rstrip('.')})"
        for name, field in cls.model_fields.items()
        if field.description and getattr(component, name) is not None
    ]
    does = f"{formula}." if formula else definition(cls)
    # A formula alone is not a plain sentence.
    sentences = [concept(cls) if "=" in does else "", does, f"With {'; '.join(given)}." if given else ""]
    return " ".join(filter(None, sentences))


def admission(spec: Spec, *, by_rating: bool = False) -> str:
    """Say what becomes of users without train, test or relevant test ratings, by asking the user selection itself.

    Where relevant test ratings have rankings of their own (``by_rating``), users without any have none, whatever it says.
    """
    users = built("users", spec)
    if not isinstance(users, Users):
        return ""
    without = (("train ratings", 0, _MANY, _MANY), ("test ratings", _MANY, 0, 0), ("relevant test ratings", _MANY, _MANY, 0))
    unranked = ("test ratings", "relevant test ratings") if by_rating else ()
    fates = [
        f"users without {what} {'have no ranking and are left out' if what in unranked else _fate(what, _admits(users, *numbers))}"
        for what, *numbers in without
    ]
    text = "; ".join(fates)
    return f"{text[0].upper()}{text[1:]}."


_MANY = 10**6
"""More ratings than any selection asks for."""


def _admits(users: Users, train: int, test: int, relevant: int) -> bool:
    one = [np.array([number], dtype=np.int64) for number in (train, test, relevant, _MANY)]
    return bool(users.admit(Population(*one))[0])


def _fate(what: str, is_in: bool) -> str:
    if not is_in:
        return "are left out"
    return "are averaged" if what == "train ratings" else "are averaged and count as zero"


def _case(decision: Decision, design: Design, metrics: Sequence[MeasuredAt]) -> list[Setting]:
    """Say what the metrics make of the case that a decision leaves to them; nothing where no metric is named."""
    if not metrics:
        return []
    if decision.key == "users":
        return [_users_without_relevant(design, metrics)]
    if decision.key == "ties":
        tied = cases.tied_scores(metrics)
        value = f"tied: {', '.join(tied)}" if tied else "as the ranking orders them"
        meaning = "Whether a metric reads items of one score as tied, or in the order that breaks the tie."
        return [Setting(decision.code, "Equal scores, by metric", value, meaning)]
    if decision.key == "coverage":
        return [_not_covered(design, metrics)]
    if decision.key == "relevance":
        value = _by_metric(cases.short_lists(metrics))
        meaning = "What becomes of a list that ends before the cut-off."
        return [Setting(decision.code, "Short lists", value, meaning)]
    return []


def _users_without_relevant(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    users = built("users", design.users)
    is_in = not isinstance(users, Users) or _admits(users, _MANY, _MANY, 0)
    if is_by_rating(design):
        return Setting(
            "B1",
            "Users without a relevant item",
            "left out of the mean",
            "Each relevant test rating has a ranking of its own; a user without any has none, and is not averaged.",
        )
    value = _by_metric(cases.without_relevant(metrics)) if is_in else "left out of the mean"
    return Setting(
        "B1", "Users without a relevant item", value, "What becomes of a user whose test ratings are all below the threshold."
    )


def _not_covered(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    if is_by_rating(design):
        value = _by_metric(cases.unranked_rating(metrics))
        return Setting("C4", "Ratings not ranked", value, "What becomes of a relevant rating whose item a system does not rank.")
    value = _by_metric(cases.without_list(metrics)) if design.coverage == "full" else "left out of the mean"
    return Setting("C4", "Users without a list", value, "What becomes of a user for whom a system ranks nothing.")


def _by_metric(groups: Mapping[str, Sequence[str]]) -> str:
    """Write fates of metrics; metrics are named where there is more than one fate."""
    if len(groups) < 2:
        return "".join(groups) or "as the metrics' definitions say"
    return "; ".join(f"{fate}: {', '.join(names)}" for fate, names in groups.items())


def _line(decision: Decision, design: Design, thresholds: Mapping[str, float]) -> Setting:
    chosen = getattr(design, decision.key)
    if decision.key == "relevance":
        return Setting(decision.code, decision.name, *_relevance(design.relevance, thresholds))
    if decision.key == "repeats":
        return Setting(decision.code, decision.name, str(chosen), _repeats(design.repeats))
    if decision.kind is None:
        return Setting(decision.code, decision.name, chosen, _word(decision.key, chosen, by_rating=is_by_rating(design)))
    meaning = " Then: ".join(explain(decision.kind, link) for link in (chosen if isinstance(chosen, Chain) else [chosen]))
    if decision.key == "test" and (formula := _weighted_test(design)):
        value = f"{option_in_full(decision, str(chosen))}, weighted: {formula}"
        return Setting(decision.code, decision.name, value, explain(decision.kind, design.test, formula))
    if decision.key == "users":
        meaning = f"{meaning} {admission(design.users, by_rating=is_by_rating(design))}".rstrip()
    if decision.key == "aggregate" and is_by_rating(design):
        meaning = "m = Σ_u w_u m_u / Σ_u w_u, with m_u the mean over the rankings of user u and w_u the user's weight."
    return Setting(decision.code, decision.name, option_in_full(decision, str(chosen)), meaning)


def _weighted_test(design: Design) -> str:
    """Say what the test computes where users weigh differently; nothing where they do not, or where its definition holds."""
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
        return "scale", f"Test ratings in {rule} (from 4 on a scale of 1 to 5), are relevant; {rest}."
    if len(set(numbers.values())) == 1:
        number = next(iter(numbers.values()))
        return f"rating >= {number}", f"Test ratings of {number} or more ({rule}) are relevant; {rest}."
    value = "; ".join(f"{label}: rating >= {number}" for label, number in numbers.items())
    return value, f"Test ratings from there on ({rule}) are relevant; {rest}."


def _without_ratings(line: Setting, designs: Mapping[str, Design]) -> Setting:
    """Say of data sets without ratings that no threshold of relevance holds for them."""
    unrated = [label for label, design in designs.items() if _is_unrated(design.dataset)]
    if not unrated:
        return line
    note = "every test interaction is relevant, since there are no ratings"
    if len(unrated) == len(designs):
        return replace(line, value="every test interaction", meaning=f"{note[0].upper()}{note[1:]}; unrated items are not.")
    return replace(line, meaning=f"{line.meaning} On {', '.join(unrated)}, {note}.")


def _is_unrated(dataset: Spec) -> bool:
    # A user's file declares its column of ratings, null where it has none; other data sets have ratings.
    return getattr(built("dataset", dataset.without(SOURCE)), "rating", "") is None


def _repeats(repeats: int) -> str:
    if repeats == 1:
        return "The split is drawn once."
    return f"The split is drawn {repeats} times; values are means over draws; systems are compared over users' averages."


def _weights(design: Design) -> Setting:
    """Say what each user counts."""
    name, targets = "Weights of users", built("targets", design.targets)
    if not isinstance(targets, Targets) or targets.unit == "user":
        return Setting("C3", name, "as the aggregate says", "What each user counts in an average.")
    if targets.n_groups == 1:
        value = "the number of the user's relevant test ratings, so that every rating counts the same"
        return Setting(
            "C3", name, value, "A user with ten relevant test ratings counts ten times as much as one with a single one."
        )
    value = (
        f"relevant test ratings count the same within a popularity percentile, and all of the {targets.n_groups} percentiles that "
        "hold any count the same"
    )
    meaning = (
        "A user counts the more, the more relevant test ratings are theirs, and the fewer others fall to the same percentiles."
    )
    return Setting("C3", name, value, meaning)


def _word(key: str, option: str, *, by_rating: bool) -> str:
    description = Decisions.model_fields[key].description or ""
    special = _WORDS_BY_RATING.get((key, option)) if by_rating else None
    return special or _WORDS.get((key, option)) or description.partition(": ")[2].capitalize()


def _systems(systems: Mapping[str, Spec]) -> Setting:
    written = "; ".join(f"{label} = {_written('recommender', spec)}" for label, spec in systems.items())
    return Setting("B", "Systems", written, "The recommenders that are compared.")


def _metrics(metrics: Sequence[MeasuredAt]) -> Setting:
    return Setting("C2", "Metrics", "; ".join(map(str, metrics)), "What the systems are compared by, every parameter written out.")


def _pairs(study: Study) -> Setting:
    pairs = study.pairs()
    if study.compare is None and len(pairs) > 1:
        return Setting("D", "Pairs compared", f"all {len(pairs)}", "Every two systems are compared.")
    written = "; ".join(f"{a} and {b}" for a, b in pairs)
    return Setting("D", "Pairs compared", written or "none", "The systems that are compared, two by two.")


def _alpha(study: Study) -> Setting:
    meaning = "A system wins where its value is better, the users' differences point the same way, and p is below this number."
    return Setting("D", "Threshold of significance", f"alpha = {format_number(study.alpha)}", meaning)


def _data_set(spec: Spec) -> tuple[str, str]:
    """Write out a data set as it stands in an address, where it may carry the digest of its raw files."""
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
