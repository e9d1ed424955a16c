"""The decisions of an audit: decisions that the files fix, and decisions that vary after ranking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from recsens.errors import ConfigError, DesignError, nearest
from recsens.metrics import MeasuredAt, Metric, parse_measured_at
from recsens.metrics.variants.conventions import convention_named
from recsens.runs.audits._material import RunFile, Sets
from recsens.runs.audits._study import Ranked
from recsens.runs.evaluation import CONVENTIONS
from recsens.study.decisions import view_of
from recsens.vocabulary import View, rate_of

CONVENTION = "convention"
"""A decision that stands for several at once: the metrics, relevant ratings and averaged users of a tool."""

AFTER_RANKING = ("relevance", "users", "view", "aggregate", "coverage", "test", "correction", "ties", "nc", "targets", CONVENTION)
"""The decisions that an audit can vary: those that read rankings, and the order of equal scores."""

BEFORE_RANKING = ("filter", "split", "repeats")
"""The decisions that were made before the files were written."""

_BASE: Mapping[str, Any] = {"users": "with_ratings(train=0,test=1)"}
"""Differences from a study's defaults: all users with a test rating are averaged, as in 'recsens evaluate'."""

_OURS = "recsens"
_USERS = ("with_ratings(train=0,test=1)", "with_ratings(train=0,relevant=1)", "with_ratings")
_CUTOFFS = (5, 10, 20)
_AT_CUTOFFS = ("nDCG", "nDCG(gain=exp)", "P", "R", "AP", "RR", "Success")
_AT_OTHER_CUTOFFS = ("nDCG", "P", "R")
_WHOLE = ("AP", "RR")
_FIRST = 10
_SAMPLED = ("Sampled(of=nDCG,negatives=100)", "Sampled(of=Success,negatives=100)")
_FEW_ITEMS = 200
"""Up to this number of items, a sample of 100 contains most of them."""

_DEEPER = ("AP", "RR")
_FULL, _CONDENSED = get_args(View)
_MANY_TIES = 0.01
"""The order of equal scores is varied if at least this share of a run's judged items have the same score as another item."""

_ENOUGH = 0.95
"""The depth of a run is the depth that at least this share of its lists reach."""


def list_depth(ranked: Ranked, run: RunFile) -> int | None:
    """Return the depth at which a run's lists end; None if they are not cut.

    This is the depth that 95 % of the lists reach after train items are removed.
    """
    has_list = ranked.listed > 0
    if not run.is_cut or not has_list.any():
        return None
    return int(np.quantile(ranked.listed[has_list], 1 - _ENOUGH, method="lower"))


def metrics_within(depth: int | None, n_items: int) -> list[str]:
    """List the usual metrics that lists of this depth determine; the first one belongs to the base design."""
    cutoffs = [cutoff for cutoff in _CUTOFFS if depth is None or cutoff <= depth] or [depth or 1]
    first = _FIRST if _FIRST in cutoffs else cutoffs[-1]
    at_first = [f"{name}@{first}" for name in _AT_CUTOFFS]
    at_others = [f"{name}@{cutoff}" for cutoff in cutoffs if cutoff != first for name in _AT_OTHER_CUTOFFS]
    whole = [*_WHOLE, *_sampled_metrics(n_items)] if depth is None else []
    return [*at_first, *at_others, *whole]


def _sampled_metrics(n_items: int) -> list[str]:
    return [f"{name}@{_FIRST}" for name in _SAMPLED] if n_items > _FEW_ITEMS else []


def read_metrics(texts: Sequence[str]) -> list[str]:
    """Return metrics as a study writes them, with one cut-off each.

    Raises SpecError if a metric does not exist.
    """
    return [measured.written for text in texts for measured in parse_measured_at(text)]


def bounded_metrics(asked: Sequence[str], metrics: Sequence[str], n_items: int) -> list[tuple[MeasuredAt, View]]:
    """List pairs of a metric and a view to bound: metrics that read below the lists, and the first metric on condensed lists.

    Metrics that can get worse when the order gets better have no bounds, and are left out.
    """
    deeper = [(measured, _FULL) for text in asked or (*_DEEPER, *_sampled_metrics(n_items)) for measured in parse_measured_at(text)]
    condensed = [(parse_measured_at(text)[0], _CONDENSED) for text in metrics[:1]]
    return [(measured, view) for measured, view in (*deeper, *condensed) if has_bounds(measured.metric)]


def has_bounds(metric: Metric) -> bool:
    """Whether the value of cut lists has bounds: each user has one, and it does not get worse when the order gets better."""
    return metric.unit == "user" and metric.reads == "positions" and metric.has_range_by_ties


def is_bounded_by(measured: MeasuredAt, depth: int | None) -> bool:
    """Whether a metric reads below lists of this depth, so that the lists only bound its value."""
    return depth is not None and (measured.is_whole or measured.cutoff > depth or measured.metric.reads_below)


def varied(
    sets: Sets,
    ranked: Mapping[str, Ranked],
    depth: int | None,
    base: Mapping[str, Any],
    fixed: Collection[str],
    *,
    have_scores: bool,
) -> dict[str, list[Any]]:
    """List the options to try for each decision in addition to the base design's option, if the files leave a choice.

    Fixed decisions keep the option of the base design.
    """
    options: dict[str, list[Any]] = {
        "relevance": _neighbouring_thresholds(sets),
        "users": [users for users in _USERS if users != base["users"]],
        # If every judged item is relevant, condensed lists contain only relevant items and are the same for all rankings.
        "view": ["condensed"] if depth is None and sets.test_ratings[0] < sets.threshold else [],
        "coverage": ["reduced"] if any((each.listed == 0).any() for each in ranked.values()) else [],
        "ties": ["high_index", "low_index"]
        if have_scores and any(each.share_tied >= _MANY_TIES for each in ranked.values())
        else [],
        "test": ["wilcoxon"],
        "correction": ["holm"] if len(ranked) > 2 else [],
    }
    return {decision: tried for decision, tried in options.items() if tried and decision not in fixed}


def refuse_beyond_lists(depth: int | None, base: Mapping[str, Any], vary: Mapping[str, Sequence[Any]]) -> None:
    """Refuse decisions that depend on items below the end of cut lists.

    Raises DesignError for the first such decision.
    """
    if depth is None:
        return
    for decision in ("view", "targets", "nc"):
        options = (option for option in (base.get(decision), *vary.get(decision, ())) if not rate_of(str(option)))
        tried = [option for option in options if option not in {None, "full", "ar", "drop"}]
        if tried:
            raise DesignError(
                f"{decision}={tried[0]} depends on items after the first {depth}, where the lists end",
                allowed="decisions that the lists determine",
                remedy="give scores of all items, or longer lists",
            )


def base_options(sets: Sets, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the base design that differ from a study's defaults."""
    return without_convention({**_BASE, "relevance": sets.threshold, **given})


def read_options(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Parse options written as ``decision=option``; a decision may occur several times.

    Raises ConfigError if a text is not such a pair, or if the decision cannot be varied after ranking.
    """
    options: dict[str, list[Any]] = {}
    for text in texts:
        decision, mark, option = text.partition("=")
        if decision == "unrated":
            decision, option = "view", view_of(option)
        if not mark or not option:
            raise ConfigError(f"'{text}' is not a decision with an option", allowed="decision=option, such as users=with_ratings")
        if decision in BEFORE_RANKING:
            raise ConfigError(
                f"'{decision}' was decided before the files were written, so no audit can vary it",
                allowed=", ".join(AFTER_RANKING),
                remedy="vary it in a study that fits the systems itself: recsens init",
            )
        if decision not in AFTER_RANKING:
            problem = f"there is no decision '{decision}'{nearest(decision, AFTER_RANKING)}"
            raise ConfigError(problem, allowed=", ".join(AFTER_RANKING))
        options.setdefault(decision, []).append(_parse_number(option) if decision == "relevance" else option)
    return options


def tools_tried(base: Mapping[str, Any], vary: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the tools to try: the tools that ``vary`` names, none if the base design fixes the convention, and all otherwise.

    Raises ConfigError if the base design has the convention of another tool than recsens, and SpecError if a tool does not exist.
    """
    own = base.get(CONVENTION, _OURS)
    if own != _OURS:
        remedy = f"compare with it: --vary {CONVENTION}={own}; or choose its decisions and metrics: --base, --metric"
        raise ConfigError(f"the base design has the convention '{own}'", allowed=_OURS, remedy=remedy)
    if CONVENTION in vary:
        return [convention_named(str(tool)).name for tool in vary[CONVENTION]]
    return [] if CONVENTION in base else list(CONVENTIONS)


def without_convention(options: Mapping[str, Any]) -> dict[str, Any]:
    """Remove the convention, which is not a decision of a study."""
    return {decision: option for decision, option in options.items() if decision != CONVENTION}


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"relevance={text}", allowed="a number: the lowest relevant rating") from None


def _neighbouring_thresholds(sets: Sets) -> list[float]:
    """Return the test ratings next below and next above the threshold, if they exist."""
    below = [rating for rating in sets.test_ratings if rating < sets.threshold]
    above = [rating for rating in sets.test_ratings if rating > sets.threshold]
    return [*below[-1:], *above[:1]]
