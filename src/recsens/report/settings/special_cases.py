"""How metrics treat the cases on which tools differ, in words.

The cases are users without relevant items, users without a list, ratings of items that are not ranked, lists shorter than the
cut-off, and items with equal scores.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from recsens.comparison.users import Users
from recsens.conclusions.verdicts.components import built, is_by_rating
from recsens.metrics import LEFT_OUT, MeasuredAt, by_treatment, short_list, unranked_rating, without_list, without_relevant
from recsens.plugins.prose import listed
from recsens.report.settings.decisions import Setting
from recsens.study.design import Design
from recsens.study.taxonomy import Decision
from recsens.vocabulary import rate_of

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
