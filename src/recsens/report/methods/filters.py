"""What filters kept, in prose."""

from collections.abc import Callable, Mapping

from recsens.plugins.specs import Chain, Spec
from recsens.report.methods.phrases import full, listed, own_words, several, share, value


def filter_sentences(chain: Chain) -> list[str]:
    """Say what each filter of a chain kept, in order."""
    return [_sentence(link, is_first=not number) for number, link in enumerate(chain)]


def _sentence(link: Spec, *, is_first: bool) -> str:
    if link.name not in FILTERS:
        return own_words("filter", "The data were filtered by", link)
    said = FILTERS[link.name](full("filter", link))
    return f"{'Before the split' if is_first else 'Then'}, {said}." if link.name != "none" else f"{said}."


def _binarise(spec: Spec) -> str:
    least = spec.get("at_least")
    which = "in the upper quarter of the scale" if least is None else f"of {value(least)} and above"
    if spec.get("below") == "zero":
        return f"we kept the ratings {which} as 1 and all others as 0"
    return f"we kept the ratings {which} as positives without a value, and dropped all others"


def _drop_popular(spec: Spec) -> str:
    count = spec.get("count")
    if isinstance(count, int):
        return f"we dropped the {several(count, 'item')} with the most ratings"
    if spec.get("of") == "items":
        return f"we dropped the {share(spec.get('share'))} of the items with the most ratings, rounded down"
    return f"we dropped the most popular items: as few of them as together hold at least {share(spec.get('share'))} of the ratings"


def _k_core(spec: Spec) -> str:
    users, items = (several(_whole(spec, name), "rating") for name in ("users", "items"))
    return f"we kept the largest part of the data in which every user has at least {users} and every item at least {items}"


def _rating_range(spec: Spec) -> str:
    lowest, highest = spec.get("lowest"), spec.get("highest")
    bounds = [f"of {value(lowest)} and above"] if lowest is not None else []
    bounds += [f"of {value(highest)} and below"] if highest is not None else []
    return f"we kept the ratings {listed(bounds)}" if bounds else "we kept the ratings of the whole scale"


def _rating_threshold(spec: Spec) -> str:
    least = spec.get("at_least")
    if least == "user_mean":
        return "we kept the ratings at or above the mean of the user's own ratings"
    return f"we kept the ratings of {value(least)} and above, with their values"


def _counted(what: str, whose: str) -> Callable[[Spec], str]:
    def said(spec: Spec) -> str:
        least, most = several(_whole(spec, "at_least"), "rating"), spec.get("at_most")
        at_most = f" and at most {most:,}" if isinstance(most, int) else ""
        return f"we kept the {what} with at least {least}{at_most}, counted once, with all {whose} ratings"

    return said


def _sample(spec: Spec) -> str:
    parts = [f"{share(spec.get(name))} of the {name}" for name in ("users", "items", "ratings") if float(str(spec.get(name))) < 1]
    if not parts:
        return "we kept everything, as a sample of 100 %"
    return f"we kept a random sample of {listed(parts)}, each drawn independently, so that shares hold on average"


def _time_window(spec: Spec) -> str:
    start, end = spec.get("start"), spec.get("end")
    bounds = [f"from {start} on"] if start is not None else []
    bounds += [f"before {end}"] if end is not None else []
    return f"we kept the interactions {' and '.join(bounds)}" if bounds else "we kept the interactions of all times"


def _whole(spec: Spec, name: str) -> int:
    return int(str(spec.get(name)))


FILTERS: Mapping[str, Callable[[Spec], str]] = {
    "none": lambda _: "All ratings took part",
    "binarise": _binarise,
    "drop_popular": _drop_popular,
    "k_core": _k_core,
    "rating_range": _rating_range,
    "rating_threshold": _rating_threshold,
    "ratings_per_item": _counted("items", "their"),
    "ratings_per_user": _counted("users", "their"),
    "sample": _sample,
    "time_window": _time_window,
}
"""What each filter did, without its sentence around it."""
