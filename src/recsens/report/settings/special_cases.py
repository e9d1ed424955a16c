"""How metrics treat the cases on which tools differ, measured on tiny rankings.

The cases are users without relevant items, users without a list, ratings of items that are not ranked, lists shorter than the
cut-off, and items with equal scores. The treatment is measured instead of being looked up, so it is also right for a new metric,
and for a parameter such as ``undefined=skip``.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from recsens.comparison.users import Users
from recsens.conclusions.verdicts.base_designs import is_by_rating
from recsens.conclusions.verdicts.components import built
from recsens.errors import RecsensError
from recsens.files.scale import Scale
from recsens.metrics import Judged, MeasuredAt
from recsens.plugins.prose import listed
from recsens.plugins.specs import format_number
from recsens.report.settings.setting import Setting
from recsens.study.design import Design
from recsens.study.taxonomy import Decision

_RELEVANT, _NOT = 5.0, 1.0

_LONG = 1000
"""Length of a list longer than any cut-off."""

_LEFT_OUT = "left out of the mean"
_MEASURED = "treated like all others"

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
    return is_in and not is_by_rating(design) and "counted as 0" in _without_relevant([metric])


def _users_without_relevant(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    name = "Users without a relevant item"
    if is_by_rating(design):
        meaning = "Each relevant test rating has its own ranking; a user without such ratings has no ranking and is not averaged."
        return Setting("B1", name, _LEFT_OUT, meaning)
    users = built("users", design.users)
    is_in = not isinstance(users, Users) or users.admits(relevant=0)
    groups = _without_relevant(metrics) if is_in else {}
    meaning = "How a metric treats a user whose test ratings are all below the threshold of relevance."
    said = _sentences("Users without a relevant test rating", groups)
    return Setting("B1", name, _by_metric(groups) if is_in else _LEFT_OUT, meaning, said)


def _tied_scores(_: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    tied = [one.written for one in metrics if getattr(one.metric, "ties", "broken") == "score"]
    value = f"tied: {', '.join(tied)}" if tied else "as the ranking orders them"
    meaning = "Whether a metric treats items with the same score as tied, or uses the order that breaks the tie."
    return Setting("B2", "Equal scores, by metric", value, meaning)


def _ended_early(_: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    meaning = "How a metric treats a list that ends before the cut-off."
    return Setting("C2", "Short lists", _by_metric(_short_lists(metrics)), meaning)


def _not_covered(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    is_full = design.coverage == "full"
    if is_by_rating(design):
        groups = _unranked_rating(metrics)
        said = _sentences("Relevant test ratings whose item is not ranked", groups) if is_full else ()
        meaning = "How a metric treats a relevant rating whose item a system does not rank."
        return Setting("C4", "Ratings not ranked", _by_metric(groups), meaning, said)
    groups = _without_list(metrics) if is_full else {}
    meaning = "How a metric treats a user for whom a system ranks nothing."
    said = _sentences("Users without a ranking", groups)
    return Setting("C4", "Users without a list", _by_metric(groups) if is_full else _LEFT_OUT, meaning, said)


def _by_metric(groups: Groups) -> str:
    """Write each outcome with its metrics; if there is only one outcome, leave out the metrics."""
    if len(groups) < 2:
        return "".join(groups) or "as the metrics' definitions say"
    return "; ".join(f"{fate}: {', '.join(names)}" for fate, names in groups.items())


def _sentences(what: str, groups: Groups) -> tuple[str, ...]:
    """Write a sentence about the outcomes; return nothing if there is no outcome."""
    by = [f"{fate} by {listed(names)}" for fate, names in groups.items()] if len(groups) > 1 else list(groups)
    return (f"{what} were {listed(by)}.",) if by else ()


def _without_relevant(metrics: Sequence[MeasuredAt]) -> Groups:
    """Group metrics by their value for a user with a list but no relevant items.

    Metrics that read the lists themselves, rather than the positions of judged items, are left out. For a metric that ignores
    relevance, such a user is not a special case.
    """
    # If the value is constant, it follows a rule; if it changes with the ratings, it is an ordinary measurement.
    boards = ([1.0, 2.0], [2.0, 1.0], [1.0, 3.0, 2.0])

    def fate(one: MeasuredAt) -> str:
        if "relevance" in one.metric.ignored:
            return _MEASURED
        return _fate([_value(one, ratings, listed=_LONG) for ratings in boards])

    return _grouped(metrics, fate)


def _without_list(metrics: Sequence[MeasuredAt]) -> Groups:
    """Group metrics by their value for a user without a list."""
    boards = ([_RELEVANT, _NOT], [_NOT, _RELEVANT, _RELEVANT])
    return _grouped(metrics, lambda one: _fate([_value(one, ratings, listed=0) for ratings in boards]))


def _unranked_rating(metrics: Sequence[MeasuredAt]) -> Groups:
    """Group metrics by their value for a ranking that lacks its only relevant item."""
    return _grouped(metrics, lambda one: _fate([_value(one, [_RELEVANT], listed=length, ranked=False) for length in (0, _LONG)]))


def _short_lists(metrics: Sequence[MeasuredAt]) -> Groups:
    """Group metrics with a cut-off above 1 by how they treat a list that ends before the cut-off."""

    def fate(one: MeasuredAt) -> str:
        if one.is_whole or one.cutoff == 1:
            return ""
        if one.metric.reads == "predictions":
            return "only rated items that have a prediction are counted"
        short, full = (_value(one, [_RELEVANT], listed=length) for length in (1, one.cutoff))
        return "missing items add nothing to the value" if short == full else "only the listed items are counted"

    return _grouped(metrics, fate)


def _grouped(metrics: Sequence[MeasuredAt], fate: Callable[[MeasuredAt], str]) -> Groups:
    groups: dict[str, list[str]] = {}
    for one in metrics:
        if one.metric.unit == "user" and one.metric.reads != "lists":
            try:
                outcome = fate(one)
            except RecsensError:
                # The user's own metric may read data that the invented ranking of this measurement lacks.
                continue
            if outcome:
                groups.setdefault(outcome, []).append(one.written)
    return groups


def _fate(values: Sequence[float]) -> str:
    if np.isnan(values).all():
        return _LEFT_OUT
    return f"counted as {format_number(values[0])}" if len(set(values)) == 1 else _MEASURED


def _value(one: MeasuredAt, ratings: Sequence[float], *, listed: int, ranked: bool = True) -> float:
    """Measure a user with judged items at the top of the list or, if ``listed`` is 0 or ``ranked`` is false, not in the list."""
    n = len(ratings)
    positions = np.arange(1, n + 1) if listed and ranked else np.zeros(n, dtype=np.int64)
    judged = Judged(
        user=np.zeros(n, dtype=np.int32),
        position=positions.astype(np.int64),
        rating=np.asarray(ratings, dtype=np.float64),
        listed=np.array([listed], dtype=np.int64),
        scale=Scale(),
        relevance=4,
        score=np.where(positions > 0, 4.0 - positions, np.nan),
        item=np.arange(n, dtype=np.int32),
    )
    return float(one.metric.measure(judged, (one.cutoff,))[0, 0])
