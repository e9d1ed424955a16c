"""The components behind the specs and metrics in a table of results, their properties, and words for them."""

import math
from collections.abc import Iterable, Iterator
from functools import cache
from sys import modules

import pandas as pd

from recsens import plugins
from recsens.data.splitting import Splitter
from recsens.errors import RecsensError, SpecError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.plugins import Plugin
from recsens.plugins.prose import listed, summary_of
from recsens.plugins.specs import Chain, Spec, parse, parse_chain
from recsens.study.design import Design


def built(kind: str, spec: Spec) -> plugins.Plugin | None:
    """Build the component that a spec names; None if the plug-in no longer exists."""
    try:
        component = plugins.build(kind, spec)
    except SpecError:
        return None
    return component


@cache
def n_folds_of(split: str, repeats: str, fits: str = "1") -> float:
    """Return a design's number of folds, times that of fits; infinity if the plug-in, or a file that it reads, no longer exists."""
    splitter = built("split", parse(split))
    try:
        draws = int(fits) * (int(repeats) if getattr(splitter, "is_random", False) else 1)
        return draws * splitter.n_folds if isinstance(splitter, Splitter) else math.inf
    except RecsensError:
        return math.inf


def n_splits_of(split: str, repeats: str) -> float:
    """Return over how many splits a design's p over splits is computed; several fits on one split count once."""
    splitter = built("split", parse(split))
    return n_folds_of(split, repeats) / getattr(splitter, "folds_per_split", 1)


def splits_in_words(n_splits: float) -> str:
    """Say from how many splits a p over splits is computed, and with how many degrees of freedom.

    Examples
    --------
    >>> from_splits(2), from_splits(5)
    ('from 2 splits with one degree of freedom', 'from 5 splits with 4 degrees of freedom')
    """
    return f"from {n_splits:g} splits with {'one degree' if n_splits == 2 else f'{n_splits - 1:g} degrees'} of freedom"


def numbers_in_words(numbers: Iterable[float]) -> str:
    """Write the range of some whole numbers, such as ``5`` or ``2 to 5``."""
    ends = sorted({min(known := set(numbers)), max(known)})
    return " to ".join(f"{number:g}" for number in ends)


def designs_of(rows: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Yield the arguments of `n_folds_of` for each of the designs in a table."""
    yield from rows[["split", "repeats", "fits"]].drop_duplicates().itertuples(index=False, name=None)


def folds_in_words(designs: Iterable[tuple[str, str, str]]) -> str:
    """Say over how many folds and fits the values under designs are means, as in ``1 to 3 folds`` or ``3 folds and 5 fits``.

    The text is empty if no design has several of either, or if the number of folds is not known.
    """
    numbers = [(n_folds_of(split, repeats), float(fits)) for split, repeats, fits in designs]
    both = zip(zip(*numbers, strict=True), ("folds", "fits"), strict=True) if numbers else ()
    return listed([f"{numbers_in_words(each)} {what}" for each, what in both if 1 < max(each) < math.inf])


def confidence_of(test: str) -> float:
    """Return the confidence level of a test's intervals; .95 for a test without that parameter, which has no intervals."""
    level = getattr(built("test", parse(test)), "confidence", None)
    return level if isinstance(level, float) else 0.95


@cache
def compares_means(aggregate: str, test: str) -> bool:
    """Whether a win depends only on the mean difference: the test is about this difference, and the systems' values are means."""
    averaged, tested = built("aggregate", parse(aggregate)), built("test", parse(test))
    return bool(getattr(averaged, "is_tested", False) and getattr(tested, "tests_mean", False))


def difference_scale(aggregate: str) -> str:
    """Name the scale of a difference; empty if it is the scale of the systems' values, as for means."""
    component = built("aggregate", parse(aggregate))
    is_of_values = component is None or getattr(component, "averages_values", False)
    return "" if is_of_values else f" in {getattr(component, 'mean', '')} of {getattr(component, 'differences', '')}"


def is_by_rating(design: Design) -> bool:
    """Whether each relevant test rating has its own ranking (1R)."""
    return getattr(built("targets", design.targets), "unit", "user") == "rating"


@cache
def measured(metric: str) -> MeasuredAt:
    """Return the metric and cut-off behind a name."""
    return parse_measured_at(metric)[0]


def ranks_systems(metric: str) -> bool:
    """Whether the metric has a better direction, which may be higher or lower values."""
    return not measured(metric).metric.is_descriptive


def direction(metric: str) -> int:
    """Return 1 if higher values are better, else -1."""
    return 1 if measured(metric).metric.higher_is_better else -1


def in_full(kind: str, text: str) -> Chain:
    """Write every parameter of a chain of specs; a spec whose plug-in is not installed stays unchanged."""
    return Chain(tuple(component.full_spec if (component := built(kind, link)) else link for link in parse_chain(text)))


def named_in_full(kind: str, option: Spec | Chain) -> str:
    """Write every parameter in a chain of specs; a spec whose plug-in is not installed stays unchanged."""
    return option_with_full(option.written, str(in_full(kind, str(option))))


def option_with_full(written: str, full: str) -> str:
    """Write an option as the study does and, if this hides a default, also with every parameter: ``t, in full t(...)``."""
    return written if written == full else f"{written}, in full {full}"


def short_definition(cls: type[Plugin]) -> str:
    """Return a short definition of a class: the first line of its module, or its line there; empty for a user's own class."""
    return summary_of(modules[cls.__module__].__doc__, cls.plugin_name()) if cls.__module__.startswith("recsens.") else ""
