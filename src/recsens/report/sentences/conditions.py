"""Options of a decision as a condition in a sentence; numbers become ranges that hold no further than what was tried."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from recsens.conclusions.verdicts.sweep import Option, Sweep
from recsens.conclusions.verdicts.words import in_full
from recsens.plugins.specs import format_number
from recsens.tables.numbers import SPACE

_TRAIN_SHARES = {"random", "temporal", "per_user"}
"""Splits whose ratio is the share of the data that goes to train."""

_IN_TRAIN = "of the data in train"

_WORDS = {
    ("view", "full"): "full rankings",
    ("view", "condensed"): "condensed rankings",
    ("coverage", "full"): "users without a ranking counted",
    ("coverage", "reduced"): "users without a ranking left out",
    ("correction", "none"): "uncorrected p-values",
}

_NOUNS = {
    "filter": "filter of the data",
    "repeats": "number of repeats",
    "targets": "choice of target items",
    "nc": "treatment of items without a score",
    "ties": "order of equal scores",
    "relevance": "threshold of relevance",
    "metrics": "metric",
    "users": "selection of users",
    "view": "kind of ranking",
    "aggregate": "average over users",
    "coverage": "treatment of users without a ranking",
    "test": "significance test",
    "correction": "correction of p-values",
}


def condition(sweep: Sweep, chosen: Sequence[Option], *, brief: bool = False, last: str = "and") -> str:
    """Say under which options something holds: ``with at most 40 % of the data in train``, ``by P@10 and RBP@10``.

    A range holds for what was tried: "at most" begins at the lowest option, "at least" ends at the highest, and every option
    between the ends of a range is among the chosen. ``brief`` leaves out what a condition on the same decision just said; ``last``
    joins metrics.
    """
    if sweep.varied.key == "metrics":
        return f"by {listing(_by_depth([option.text for option in chosen]), last)}"
    if not sweep.is_numeric:
        words = listing([_in_words(sweep, option) for option in chosen], "or")
        return f"with {words}"
    ranges = listing(list(_ranges(sweep, chosen)), "or")
    if is_train_share(sweep):
        return f"with {ranges}" if brief else f"with {ranges} {_IN_TRAIN}"
    return f"with {ranges}" if brief else f"with {_parameter(sweep)} {ranges}"


def number_of(sweep: Sweep, option: Option) -> str:
    """Write the number of an option, a share of the data in train as a percentage."""
    number = option.number or 0.0
    return f"{100 * number:g}{SPACE}%" if is_train_share(sweep) else format_number(number)


def noun(sweep: Sweep) -> str:
    """Name what a decision chooses: ``split ratio``, ``kind of ranking``, ``metric``."""
    return _parameter(sweep) if sweep.is_numeric else _NOUNS.get(sweep.varied.key, sweep.varied.key)


def listing(words: Sequence[str], last: str = "and") -> str:
    """Join words with commas and, before the last, a conjunction: ``a, b and c``."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def is_train_share(sweep: Sweep) -> bool:
    """Whether the options are shares of the data that go to train."""
    if sweep.varied.key != "split" or sweep.parameter != "ratio" or not sweep.is_numeric:
        return False
    return all(link.name in _TRAIN_SHARES for option in sweep.options for link in in_full("split", option.text))


def _parameter(sweep: Sweep) -> str:
    key = sweep.varied.key
    return _NOUNS.get(key, key) if sweep.parameter in {"", key} else f"{key} {sweep.parameter}"


def _in_words(sweep: Sweep, option: Option) -> str:
    key = sweep.varied.key
    return _WORDS.get((key, option.text), f"{key} {option.text}")


def _ranges(sweep: Sweep, chosen: Sequence[Option]) -> Iterator[str]:
    """Write the runs of neighbours among the options, in the order of their numbers."""
    texts = {option.text for option in chosen}
    last = len(sweep.options) - 1
    for is_chosen, run in groupby(enumerate(sweep.options), key=lambda pair: pair[1].text in texts):
        if is_chosen:
            places, options = zip(*run, strict=True)
            low, high = number_of(sweep, options[0]), number_of(sweep, options[-1])
            if len(options) == 1:
                yield low
            elif places[0] == 0:
                yield f"at most {high}"
            else:
                yield f"at least {low}" if places[-1] == last else f"{low} to {high}"


def _by_depth(metrics: Sequence[str]) -> list[str]:
    """Join neighbours that differ in their cut-off alone: ``nDCG@1, 2, 5``."""
    listed = []
    for name, group in groupby(metrics, key=lambda metric: metric.partition("@")[0]):
        depths = [metric.partition("@")[2] for metric in group]
        listed.append(f"{name}@{', '.join(depths)}" if depths[0] else name)
    return listed
