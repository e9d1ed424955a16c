"""The decisions behind a number besides the formula, and how each way of reading it, plain or a tool's, takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.evaluation import CONVENTIONS, Convention
from recsens.printed_values._formulas import NamedFormulas
from recsens.vocabulary import View

Tried = Literal["item", "given", "pessimistic", "optimistic", "rows", "single"]
"""Orders of a run's items that are tried."""

ORDERS: dict[Tried, dict[str, Any]] = {
    "item": {"rank_by": "score", "ties": "item", "single_precision": False},
    "given": {"rank_by": "score", "ties": "given", "single_precision": False},
    "pessimistic": {"rank_by": "score", "ties": "pessimistic", "single_precision": False},
    "optimistic": {"rank_by": "score", "ties": "optimistic", "single_precision": False},
    "rows": {"rank_by": "rows", "ties": "given", "single_precision": False},
    "single": {"rank_by": "score", "ties": "item", "single_precision": True},
}
"""Order -> what an evaluation is told."""

_ORDER_IN_WORDS: dict[str, str] = {
    "item": "equal scores by item name",
    "given": "equal scores in the order of rows",
    "pessimistic": "equal scores worse items first",
    "optimistic": "equal scores better items first",
    "rows": "lists in the order of rows",
    "single": "scores in single precision",
}
_TRAIN_IN_WORDS = {"none": "train items left out", "low": "only relevant train items left out", "all": "train items in lists"}
_UNKNOWN_IN_WORDS = {"keep": "all of test", "drop": "only users and items of train"}

USERS = ("judged", "relevant", "listed", "both", "run", "all")
"""Who is averaged, the plain choice first."""

USERS_IN_WORDS = {
    "judged": "users with a test rating",
    "relevant": "users with a relevant item",
    "listed": "users with a test rating and a list",
    "both": "users with a relevant item and a list",
    "run": "users of the run, as 0 without a test rating",
    "all": "all users of any file, as 0 without a test rating",
}

FAR = 99
"""Departures of what a way of reading does not have."""


@dataclass(frozen=True, slots=True)
class TriedSetting:
    """One choice of everything that decides positions and relevance; ``relevance`` is a place among the thresholds."""

    order: Tried
    train_items: str
    unknown: str
    view: View
    relevance: int

    def departures(self, other: TriedSetting) -> int:
        """Count the decisions that differ."""
        return sum(getattr(self, each.name) != getattr(other, each.name) for each in fields(self))

    def in_words(self, thresholds: Sequence[float]) -> dict[str, str]:
        """Say each decision in a few words, by its name."""
        return {
            "relevance": f"relevant from {thresholds[self.relevance]:g}",
            "order": _ORDER_IN_WORDS[self.order],
            "train_items": _TRAIN_IN_WORDS[self.train_items],
            "unknown": _UNKNOWN_IN_WORDS[self.unknown],
            "view": "full lists" if self.view == "full" else "lists of test items only",
        }


@dataclass(frozen=True)
class NameReader:
    """A way to read a name: plainly (``tool`` is empty) or as a tool does, which is one departure."""

    tool: str
    setting: TriedSetting
    users: str

    @property
    def departures(self) -> int:
        """What it costs to read the name this way."""
        return 1 if self.tool else 0

    def of_formulas(self, family: NamedFormulas) -> NDArray[np.int64]:
        """Return the departures of each formula of a name, shape (n_formulas,)."""
        if not self.tool:
            return np.array([formula.departures for formula in family.formulas])
        if self.tool not in family.of_tool:
            return np.full(len(family.formulas), FAR)
        own, _ = family.of_tool[self.tool]
        # A tool's formula with another parameter departs from it as far as from the plain one.
        return np.array([0 if place in own else max(formula.departures, 1) for place, formula in enumerate(family.formulas)])

    def of_cutoffs(self, family: NamedFormulas, cutoffs: Sequence[int], printed: int | None, whole: int) -> NDArray[np.int64]:
        """Return the departures of each cut-off, shape (n_cutoffs,): another than the printed one, or than the tool's."""
        reads_whole = bool(self.tool) and self.tool in family.of_tool and family.of_tool[self.tool][1]
        meant = {whole if printed is None else printed, *([whole] if reads_whole else [])}
        return np.array([int(cutoff not in meant) for cutoff in cutoffs])


@dataclass(frozen=True)
class Space:
    """What is tried of each decision.

    ``default`` and ``lowest`` are the places of the plain threshold and of the lowest rating; ``same_as`` maps each order, and each
    treatment of train, to the one that it equals here.
    """

    thresholds: tuple[float, ...]
    default: int
    lowest: int
    same_as: Mapping[str, str]

    def settings(self) -> Iterator[TriedSetting]:
        """Yield every setting; those with the same positions follow one another."""
        tried = [sorted({self.same_as[each] for each in words}, key=list(words).index) for words in (ORDERS, _TRAIN_IN_WORDS)]
        unknown = sorted({self.same_as[each] for each in _UNKNOWN_IN_WORDS}, key=list(_UNKNOWN_IN_WORDS).index)
        views: tuple[View, ...] = ("full", "condensed")
        for order, train, kept, view in product(*tried, unknown, views):
            for place in range(len(self.thresholds)):
                yield TriedSetting(order, train, kept, view, place)  # type: ignore[arg-type]

    def readers(self) -> list[NameReader]:
        """Return the plain way to read a name, and each tool's."""
        return [self._reader(convention) for convention in CONVENTIONS.values()]

    def _reader(self, convention: Convention) -> NameReader:
        relevance = self.lowest if convention.relevance == "all" else self.default
        if isinstance(convention.relevance, int | float):
            relevance = int(np.searchsorted(self.thresholds, convention.relevance))
        order = "single" if convention.single_precision else "rows" if convention.rank_by == "rows" else convention.ties
        setting = TriedSetting(
            self.same_as["given" if order == "refuse" else order],  # type: ignore[arg-type]
            self.same_as[convention.train_items],
            self.same_as[convention.unknown],
            "full",
            relevance,
        )
        users = {("zero", "zero"): "judged", ("skip", "zero"): "relevant", ("zero", "skip"): "listed", ("skip", "skip"): "both"}
        tool = convention.name if convention.metrics else ""
        return NameReader(tool, setting, users[convention.no_relevant, convention.no_list])


def thresholds_of(
    ratings: Iterable[float], default: float, families: Iterable[NamedFormulas], most: int
) -> tuple[tuple[float, ...], int, int]:
    """Return the lowest relevant ratings that are tried, with the places of the default and of the lowest rating.

    They are the ratings, at most so many and evenly spread. A formula whose gains count from the threshold on makes a difference
    between thresholds that the same ratings reach, so that the tools' own are tried for it, too.
    """
    values = np.unique(np.fromiter(ratings, dtype=np.float64))
    lowest = values[0]
    usual = values[min(int(np.searchsorted(values, default)), len(values) - 1)]
    if len(values) > most:
        values = np.union1d(values[np.linspace(0, len(values) - 1, most).astype(np.int64)], usual)
    if any(getattr(each.metric, "gain", "") in {"ranksys", "above"} for family in families for each in family.formulas):
        tools = {convention.relevance for convention in CONVENTIONS.values() if isinstance(convention.relevance, int | float)}
        usual = default if default <= values[-1] else usual
        values = np.union1d(values, [usual, *(own for own in tools if own <= values[-1])])
    return tuple(values.tolist()), int(np.searchsorted(values, usual)), int(np.searchsorted(values, lowest))
