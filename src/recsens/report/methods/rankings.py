"""Which items were ranked for whom, in prose."""

from collections.abc import Callable, Mapping

from recsens.conclusions.verdicts.components import built
from recsens.data.splitting import Splitter
from recsens.plugins.specs import Spec, parse
from recsens.report.methods.phrases import full, own_words, several
from recsens.study.design import Design


def ranking_sentences(design: Design) -> list[str]:
    """Say which items were ranked for each user or relevant test rating, and what became of items without a score."""
    return [_targets(design.targets), *_validation(design), _not_computable(design.nc)]


def _targets(targets: Spec) -> str:
    if targets.name not in TARGETS:
        return own_words("targets", "The items ranked are those of", targets)
    return TARGETS[targets.name](full("targets", targets))


def _validation(design: Design) -> list[str]:
    splitter = built("split", design.split)
    validates = isinstance(splitter, Splitter) and splitter.validates
    return ["For the choice of items, validation ratings count as training ratings."] if validates else []


def _candidates(items: object) -> str:
    return {"all": "items", "test": "items with a test rating of anybody", "train": "items with a training rating of anybody"}[
        str(items)
    ]


def _all_relevant(spec: Spec, items: object) -> str:
    n, unrated = spec.get("n"), spec.get("negatives") == "unrated"
    what = _candidates(items)
    if isinstance(n, int):
        with_train = " with a training rating of anybody" if items == "train" else ""
        return f"For every user, the relevant test items{with_train} were ranked together with {_sampled(spec, n, what)}."
    but = "; the user's test items that are not relevant were left out" if unrated else ""
    if items == "all":
        return f"For every user, all items without a training rating of that user were ranked{but}."
    return f"For every user, all {what} were ranked, but those with a training rating of that user{but}."


def _one_relevant(spec: Spec, items: object, within: str = "") -> str:
    n, what = spec.get("n"), _candidates(items)
    miss = " A rating whose item has no training rating is a miss." if items == "train" else ""
    if isinstance(n, int):
        others = _sampled(spec, n, what, within)
        fresh = "afresh for each rating" if spec.get("draw") == "per_rating" else "once for all rankings of a user"
        return f"For every relevant test rating, its item was ranked together with {others}; they were drawn {fresh}.{miss}"
    return f"For every relevant test rating, its item was ranked together with all {what}{within} {_negative(spec)}.{miss}"


def _sampled(spec: Spec, n: int, what: str, within: str = "") -> str:
    how = "in proportion to their training ratings" if spec.get("sampling") == "popularity" else "with equal probability"
    number = several(n, "other", "others")
    return f"{number}, drawn {how} from the {what}{within} {_negative(spec)}{_if_short(spec)}"


def _if_short(spec: Spec) -> str:
    return ", or with all of these where there were fewer" if spec.get("short") == "take_all" else ""


def _negative(spec: Spec) -> str:
    if spec.get("negatives") == "unrated":
        return "that the user has rated neither in training nor in test"
    return "that are neither training items nor relevant test items of the user"


def _p1r(spec: Spec) -> str:
    m = int(str(spec.get("m")))
    within = f" in the same one of {m} percentiles of popularity" if m > 1 else ""
    weight = f" Every percentile that holds a relevant test rating counts the same in the mean; all {m} have as many items." * (
        m > 1
    )
    return _one_relevant(spec, spec.get("items"), within) + weight


def _rel_plus_n(spec: Spec) -> str:
    n = several(int(str(spec.get("n"))), "item")
    return (
        f"For every relevant test rating, its item was ranked together with {n} that the user has rated neither in training nor in "
        f"test, drawn with equal probability and afresh for each rating{_if_short(spec)}."
    )


def _listed(spec: Spec) -> str:
    return f"For every user, the items that a file names ({spec.get('path')}) were ranked, but those of the user's training set."


TARGETS: Mapping[str, Callable[[Spec], str]] = {
    "ar": lambda spec: _all_relevant(spec, spec.get("items")),
    "uar": lambda spec: _all_relevant(spec, "test"),
    "one_r": lambda spec: _one_relevant(spec, spec.get("items")),
    "u1r": lambda spec: _one_relevant(spec, "test"),
    "p1r": _p1r,
    "rel_plus_n": _rel_plus_n,
    "listed": _listed,
}
"""What each choice of target items ranks."""


def _not_computable(nc: Spec) -> str:
    if nc.name not in POLICIES:
        return own_words("nc", "Items that a system cannot score were treated by", nc)
    return POLICIES[nc.name](full("nc", nc))


def _append(spec: Spec) -> str:
    by = parse(str(spec.get("by")))
    order = "in random order" if by.name == "random" else f"in the order of the recommender {by}"
    whom = " for users without training ratings, and left out for all others" if spec.get("users") == "without_train" else ""
    return f"Items that a system cannot score were appended to its ranking {order}{whom}."


POLICIES: Mapping[str, Callable[[Spec], str]] = {
    "drop": lambda _: "Items that a system cannot score were left out of its ranking.",
    "append": _append,
}
"""What becomes of items without a score."""
