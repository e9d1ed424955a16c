"""Columns of a user's frame: which of them holds users, items, scores or ratings, under the names that the field uses."""

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from recsens.errors import DataError, nearest

log = logging.getLogger(__name__)

CALLED: Mapping[str, tuple[str, ...]] = {
    "user": ("user", "userid", "uid", "queryid", "customer", "customerid"),
    "item": ("item", "itemid", "iid", "movie", "movieid", "product", "productid", "article", "articleid", "docid"),
    "score": ("score", "prediction", "pred", "est", "estimate", "predictedrating", "rating"),
    "rank": ("rank", "position"),
    "rating": ("rating", "ratings", "stars", "label", "relevance", "target"),
    "timestamp": ("timestamp",),
}
"""What a column holds -> its names in other libraries and data sets, in lower case, without signs and a type as in RecBole."""


def renamed(frame: pd.DataFrame, needed: Iterable[str], optional: Iterable[str] = (), *, what: str) -> pd.DataFrame:
    """Rename the columns of a frame to what they hold, and log which were taken for what; other columns stay.

    Raises
    ------
    DataError
        If a needed column is missing, or two columns may be meant.
    """
    given = [str(column) for column in frame.columns]
    taken = {role: _found(role, given, what) for role in (*needed, *optional)}
    missing = [role for role in needed if taken[role] is None]
    if missing:
        others = [name for name in given if name not in taken.values()]
        raise DataError(
            f"no column of {missing[0]}s: the columns are {', '.join(map(repr, given))}{nearest(missing[0], others)}",
            where=what,
            allowed=f"a column called {', '.join(CALLED[missing[0]])}, in any case, with or without signs",
            remedy=f"rename it: frame.rename(columns={{...: '{missing[0]}'}})",
        )
    other = {name: role for role, name in taken.items() if name not in {None, role}}
    if other:
        log.warning("%s: %s", what, "; ".join(f"column '{name}' is taken as {role}" for name, role in other.items()))
    return frame.set_axis([other.get(name, name) for name in given], axis=1)


def is_long(columns: Iterable[Any]) -> bool:
    """Whether a frame has a row for each pair of user and item, since columns are called so."""
    called = {_bare(column) for column in columns}
    return all(called & set(CALLED[role]) for role in ("user", "item"))


def _found(role: str, given: list[str], what: str) -> str | None:
    if role in given:
        return role
    alike = [name for name in given if _bare(name) in CALLED[role]]
    if len(alike) > 1:
        # Of a rating and a score, the score orders a run.
        first = [name for name in alike if _bare(name) != "rating"] if role == "score" else alike
        if len(first) > 1:
            raise DataError(
                f"{' and '.join(map(repr, first))} may both hold {role}s",
                where=what,
                remedy=f"drop one, or rename the right one to '{role}'",
            )
        return first[0]
    return alike[0] if alike else None


def _bare(column: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(column).partition(":")[0].lower())
