"""From users' values to systems' values, in prose: who is averaged, how, and what becomes of users without a ranking."""

from collections.abc import Callable, Mapping, Sequence

from recsens.comparison.users import Users
from recsens.conclusions.verdicts.base_designs import is_by_rating
from recsens.conclusions.verdicts.components import built
from recsens.metrics import MeasuredAt
from recsens.plugins.specs import Spec
from recsens.report import cases
from recsens.report.methods.phrases import by_outcome, full, listed, own_words, several, value
from recsens.report.settings.admission import MANY_RATINGS, admission, admits
from recsens.report.settings.decisions import line_of, weights_line
from recsens.study.design import Design
from recsens.study.taxonomy import decision


def average_sentences(design: Design, metrics: Sequence[MeasuredAt]) -> list[str]:
    """Say who is averaged, what cases without a value count as, and how users' values make that of a system."""
    return [
        _users(design),
        *_without_relevant(design, metrics),
        _aggregate(design),
        *_without_list(design, metrics),
    ]


def _users(design: Design) -> str:
    by_rating = is_by_rating(design)
    if design.users.name != "with_ratings":
        return (
            f"{own_words('users', 'The users averaged are those of', design.users)} {admission(design.users, by_rating=by_rating)}"
        )
    spec = full("users", design.users)
    least = [
        f"at least {several(number, f'{what} rating')}"
        for what, number in (
            ("training", int(str(spec.get("train")))),
            ("test", int(str(spec.get("test")))),
            ("relevant test", max(int(str(spec.get("relevant"))), int(by_rating))),
        )
        if number
    ]
    most = spec.get("most_train")
    least += [f"at most {most:,} training ratings"] if isinstance(most, int) else []
    return f"We averaged over the users with {listed(least)}." if least else "We averaged over all users."


def _without_relevant(design: Design, metrics: Sequence[MeasuredAt]) -> list[str]:
    users = built("users", design.users)
    is_in = not isinstance(users, Users) or admits(users, MANY_RATINGS, MANY_RATINGS, 0)
    fate = by_outcome(cases.without_relevant(metrics))
    return [f"A user without a relevant test rating is {fate}."] if is_in and fate and not is_by_rating(design) else []


def _without_list(design: Design, metrics: Sequence[MeasuredAt]) -> list[str]:
    policy = line_of(decision("coverage"), design, {}).meaning
    if design.coverage != "full":
        return [policy]
    by_rating = is_by_rating(design)
    fate = by_outcome(cases.unranked_rating(metrics) if by_rating else cases.without_list(metrics))
    what = "A relevant test rating whose item is not ranked" if by_rating else "A user without a ranking"
    return [f"{what} is {fate}." if fate else policy]


def _aggregate(design: Design) -> str:
    if design.aggregate.name not in AGGREGATES:
        return own_words("aggregate", "The value of a system is made of the users' values by", design.aggregate)
    said = AGGREGATES[design.aggregate.name](full("aggregate", design.aggregate))
    if not is_by_rating(design):
        return said
    weight = weights_line(design).value
    return f"{said} The value of a user is the mean over the user's relevant test ratings, and the user's weight is {weight}."


def _weighted(spec: Spec) -> str:
    by = str(spec.get("by"))
    counts = {
        "test": "number of test ratings",
        "relevant": "number of relevant test ratings",
        "train": "number of training ratings",
    }
    weight = counts.get(by, f"number in the column ‘{by}’ of the table of users")
    return f"The value of a system is the weighted mean of the users' values; a user's weight is the user's {weight}."


def _risk(what: str) -> Callable[[Spec], str]:
    def said(spec: Spec) -> str:
        baseline = spec.get("baseline")
        against = str(baseline) if baseline is not None else "the first system of the study"
        loss = value(1 + float(str(spec.get("alpha"))))
        return (
            f"The value of a system is {what} of the users' gains over the baseline, {against}, where a loss counts {loss} times."
        )

    return said


def _standardised(spec: Spec) -> str:
    pool = spec.get("pool")
    reference = f"the systems {pool}" if pool is not None else "all systems of the study"
    return (
        "The value of a system is the mean of the users' values after standardisation: each is the normal distribution function of "
        f"its distance from the user's mean over {reference}, in standard deviations."
    )


AGGREGATES: Mapping[str, Callable[[Spec], str]] = {
    "mean": lambda _: "The value of a system is the arithmetic mean of the users' values.",
    "median": lambda _: "The value of a system is the median of the users' values.",
    "geometric": lambda spec: (
        "The value of a system is the geometric mean of the users' values, each increased by "
        f"{value(spec.get('epsilon'))} before and the mean decreased by it after."
    ),
    "weighted": _weighted,
    "standardised": _standardised,
    "urisk": _risk("the mean (URisk)"),
    "trisk": _risk("the mean divided by its standard error (TRisk)"),
    "georisk": lambda spec: (
        "The value of a system is GeoRisk: the geometric mean of its mean value and of a measure of risk against all systems of "
        f"the study, in which a shortfall counts {value(1 + float(str(spec.get('alpha'))))} times."
    ),
}
"""How each aggregate makes a system's value of the users'."""
