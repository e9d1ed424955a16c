"""What becomes of users without a relevant item, users without a list, short lists and equal scores."""

from collections.abc import Mapping, Sequence

from recsens.comparison.users import Users
from recsens.conclusions.verdicts.base_designs import is_by_rating
from recsens.conclusions.verdicts.components import built
from recsens.metrics import MeasuredAt
from recsens.report import cases
from recsens.report.settings.admission import MANY_RATINGS, admits
from recsens.report.settings.setting import Setting
from recsens.study.design import Design
from recsens.study.taxonomy import Decision


def special_cases(decision: Decision, design: Design, metrics: Sequence[MeasuredAt]) -> list[Setting]:
    """Say what the metrics make of the case that a decision leaves to them; empty without metrics."""
    if not metrics:
        return []
    if decision.key == "users":
        return [_users_without_relevant(design, metrics)]
    if decision.key == "ties":
        tied = cases.tied_scores(metrics)
        value = f"tied: {', '.join(tied)}" if tied else "as the ranking orders them"
        meaning = "Whether a metric treats items with the same score as tied, or takes them in the order that breaks the tie."
        return [Setting(decision.code, "Equal scores, by metric", value, meaning)]
    if decision.key == "coverage":
        return [_not_covered(design, metrics)]
    if decision.key == "relevance":
        value = _by_metric(cases.short_lists(metrics))
        meaning = "What a metric makes of a list that ends before the cut-off."
        return [Setting(decision.code, "Short lists", value, meaning)]
    return []


def _users_without_relevant(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    users = built("users", design.users)
    is_in = not isinstance(users, Users) or admits(users, MANY_RATINGS, MANY_RATINGS, 0)
    if is_by_rating(design):
        return Setting(
            "B1",
            "Users without a relevant item",
            "left out of the mean",
            "Each relevant test rating has a ranking of its own; a user without such ratings has no ranking and is not averaged.",
        )
    value = _by_metric(cases.without_relevant(metrics)) if is_in else "left out of the mean"
    return Setting(
        "B1",
        "Users without a relevant item",
        value,
        "What becomes of a user whose test ratings are all below the threshold of relevance.",
    )


def _not_covered(design: Design, metrics: Sequence[MeasuredAt]) -> Setting:
    if is_by_rating(design):
        value = _by_metric(cases.unranked_rating(metrics))
        return Setting(
            "C4", "Ratings not ranked", value, "What a metric makes of a relevant rating whose item a system does not rank."
        )
    value = _by_metric(cases.without_list(metrics)) if design.coverage == "full" else "left out of the mean"
    return Setting("C4", "Users without a list", value, "What a metric makes of a user for whom a system ranks nothing.")


def _by_metric(groups: Mapping[str, Sequence[str]]) -> str:
    """Write outcomes with their metrics; a single outcome stands alone."""
    if len(groups) < 2:
        return "".join(groups) or "as the metrics' definitions say"
    return "; ".join(f"{fate}: {', '.join(names)}" for fate, names in groups.items())
