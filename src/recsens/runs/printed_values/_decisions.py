"""Decisions behind a printed number, except the formula: all choices, and the choices by a plain reading and by each tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import WHOLE
from recsens.runs.evaluation import CONVENTIONS, Convention
from recsens.runs.printed_values._formulas import NamedFormulas
from recsens.vocabulary import View

Tried = Literal["item", "number", "given", "pessimistic", "optimistic", "rows", "single"]
"""Orders of a run's items to try."""

ORDERS: dict[Tried, dict[str, Any]] = {
    "item": {"rank_by": "score", "ties": "item", "single_precision": False},
    "number": {"rank_by": "score", "ties": "number", "single_precision": False},
    "given": {"rank_by": "score", "ties": "given", "single_precision": False},
    "pessimistic": {"rank_by": "score", "ties": "pessimistic", "single_precision": False},
    "optimistic": {"rank_by": "score", "ties": "optimistic", "single_precision": False},
    "rows": {"rank_by": "rows", "ties": "given", "single_precision": False},
    "single": {"rank_by": "score", "ties": "item", "single_precision": True},
}
"""The settings of an evaluation for each order."""

_ORDER_IN_WORDS: dict[str, str] = {
    "item": "equal scores by item name",
    "number": "equal scores by item, numbers by value",
    "given": "equal scores in the order of rows",
    "pessimistic": "equal scores with worse items first",
    "optimistic": "equal scores with better items first",
    "rows": "lists in the order of rows",
    "single": "scores in single precision",
}
_TRAIN_IN_WORDS = {"none": "train items left out", "low": "only relevant train items left out", "all": "train items in lists"}
_UNKNOWN_IN_WORDS = {"keep": "all test ratings", "drop": "only test ratings of users and items in train"}

USERS_IN_WORDS = {
    "judged": "users with a test rating",
    "relevant": "users with a relevant item",
    "listed": "users with a test rating and a list",
    "both": "users with a relevant item and a list",
    "run": "users of the run, counted as 0 without a test rating",
    "all": "users of any file, counted as 0 without a test rating",
    "either": "users with a test rating or a list, counted as 0 without a test rating",
}
USERS = tuple(USERS_IN_WORDS)
"""The choices of users to average; the plain choice is first."""

FAR = 99
"""The number of departures if a tool has no formula of this name: too many to be tried."""


@dataclass(frozen=True, slots=True)
class TriedSetting:
    """One choice for each decision that affects positions and relevance; ``relevance`` is an index into the thresholds."""

    order: Tried
    train_items: str
    unknown: str
    view: View
    relevance: int

    def departures(self, other: TriedSetting) -> int:
        """Count the decisions in which the two settings differ."""
        return sum(getattr(self, each.name) != getattr(other, each.name) for each in fields(self))

    def in_words(self, thresholds: Sequence[float]) -> dict[str, str]:
        """Return a few words for each decision, by its name."""
        return {
            "relevance": f"relevant from {thresholds[self.relevance]:g}",
            "order": _ORDER_IN_WORDS[self.order],
            "train_items": _TRAIN_IN_WORDS[self.train_items],
            "unknown": _UNKNOWN_IN_WORDS[self.unknown],
            "view": "full lists" if self.view == "full" else "lists of test items only",
        }


@dataclass(frozen=True)
class NameReader:
    """A way to read a metric's name: plainly (``tool`` is empty), or as a tool does, which counts as one departure."""

    tool: str
    setting: TriedSetting
    users: str

    @property
    def departures(self) -> int:
        """Departures of this way to read the name: 0 for the plain way, 1 for a tool's way."""
        return 1 if self.tool else 0

    def of_formulas(self, family: NamedFormulas) -> NDArray[np.int64]:
        """Return the departures of each formula of a name, shape (n_formulas,)."""
        if not self.tool:
            return np.array([formula.departures for formula in family.formulas])
        if self.tool not in family.of_tool:
            return np.full(len(family.formulas), FAR)
        own, _ = family.of_tool[self.tool]
        # Another formula departs from the tool's formula as much as from the plain formula, but by at least 1.
        return np.array([0 if place in own else max(formula.departures, 1) for place, formula in enumerate(family.formulas)])

    def of_cutoffs(self, family: NamedFormulas, cutoffs: Sequence[int], printed: int | None) -> NDArray[np.int64]:
        """Return the departures of each cut-off, shape (n_cutoffs,): 0 for the printed one and for the tool's, otherwise 1."""
        reads_whole = bool(self.tool) and self.tool in family.of_tool and family.of_tool[self.tool][1]
        meant = {WHOLE if printed is None else printed, *([WHOLE] if reads_whole else [])}
        return np.array([int(cutoff not in meant) for cutoff in cutoffs])


@dataclass(frozen=True)
class Space:
    """The choices to try for each decision.

    ``default`` and ``lowest`` are the indices of the plain threshold and of the lowest rating. ``same_as`` maps each order and each
    treatment of train items to a choice that leads to the same positions on these files, which may be itself.
    """

    thresholds: tuple[float, ...]
    default: int
    lowest: int
    same_as: Mapping[str, str]

    def settings(self) -> Iterator[TriedSetting]:
        """Yield every setting; settings with the same positions are adjacent."""
        tried = [sorted({self.same_as[each] for each in words}, key=list(words).index) for words in (ORDERS, _TRAIN_IN_WORDS)]
        unknown = sorted({self.same_as[each] for each in _UNKNOWN_IN_WORDS}, key=list(_UNKNOWN_IN_WORDS).index)
        views: tuple[View, ...] = ("full", "condensed")
        for order, train, kept, view in product(*tried, unknown, views):
            for place in range(len(self.thresholds)):
                yield TriedSetting(order, train, kept, view, place)  # type: ignore[arg-type]

    def readers(self) -> list[NameReader]:
        """Return the ways to interpret a printed metric name: the plain way, and the way of each tool."""
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
        counted = "either" if convention.no_test == "zero" else users[convention.no_relevant, convention.no_list]
        return NameReader(tool, setting, counted)


def thresholds_of(
    ratings: Iterable[float], default: float, families: Iterable[NamedFormulas], most: int
) -> tuple[tuple[float, ...], int, int]:
    """Return the thresholds to try (lowest relevant ratings), and the indices of the default and of the lowest rating.

    The thresholds are the distinct ratings, or ``most`` of them, evenly spread. If a formula's gain depends on the distance from
    the threshold, its values can differ even between thresholds that the same ratings reach. In that case, the tools' thresholds
    are tried too.
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
