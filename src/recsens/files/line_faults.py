"""Errors about a line of a user's file: what is wrong, what is allowed, and what to do."""

from collections.abc import Sequence
from pathlib import Path

from recsens.errors import DataError, nearest
from recsens.files.kinds import BY_RANK, OR_SKIP, Kind

_SEPARATORS = ("::", ";", "\t", ",", "|", " ")
_MISTAKEN: dict[str, tuple[str, set[int | str]]] = {"tag": ("judgements", {4, "rating"}), "rating": ("a run", {6, "score", "rank"})}
"""Last field of a run or of judgements -> what the file may be instead, and the columns or the number of fields that reveal it."""


def wrong_width(where: str, kind: Kind, fields: Sequence[str], names: Sequence[str]) -> DataError:
    """Return the error about a line with the wrong number of fields."""
    remedy = kind.columns[0].remedy.format(row="line")
    if names == kind.fields:
        table = f"write a table whose first line names the columns {', '.join(kind.roles)}, separated by commas or tabs"
        remedy = f"{_other_kind_hint(kind, len(fields))}write names without blanks, or {table}"
    allowed = f"{_fields_in_words(len(names))}: {', '.join(names)}"
    return DataError(f"the line has {_fields_in_words(len(fields))}", where=where, allowed=allowed, remedy=remedy)


def without_skipping(fault: DataError, n: int) -> DataError:
    """Return a row's error without the offer to skip such rows, because all ``n`` rows after this row are invalid too."""
    remedy = fault.remedy or ""
    offer = next((offer for row in ("line", "row") if remedy.endswith(offer := OR_SKIP.format(row=row))), None)
    if offer is None:
        return fault
    like_it = (
        f"none of the {n + 1:,} rows from this one on is as declared"
        if n
        else "it is the last row, and none before it is as declared"
    )
    return DataError(fault.problem, where=fault.where, allowed=fault.allowed, remedy=f"{remedy.removesuffix(offer)}: {like_it}")


def no_column(where: str, kind: Kind, names: Sequence[str], role: str, wanted: int | str, separator: str | None) -> DataError:
    """Return the error about a table in which the column for a role is missing or occurs several times."""
    if isinstance(wanted, int):
        problem = f"there is no column {wanted} for {role}: the line has {_fields_in_words(len(names))}"
        allowed, remedy = f"0 to {len(names) - 1}", f"write {separator!r} between fields"
    else:
        count, allowed = names.count(wanted), f"the columns {', '.join(kind.roles)}, among others, in any order"
        problem = f"{count} columns are called '{wanted}'" if count else f"no column '{wanted}'{nearest(wanted, names)}"
        remedy = f"{_other_kind_hint(kind, *names)}name the columns in the first line; here it is {','.join(names)[:60] or 'empty'}"
        remedy += f"; or declare them: --columns {','.join(kind.roles)}" if kind.fields and len(names) >= len(kind.roles) else ""
        remedy = BY_RANK if wanted == "score" and "rank" in names else remedy
    if kind.is_declared:
        allowed = ", ".join(f"'{name}'" for name in names) if isinstance(wanted, str) else allowed
        remedy = "declare user=, item=, rating= and timestamp=: a column's name, or its number, counted from 0"
        remedy = f"declare {role}=null if there is none; else {remedy}" if role in {"rating", "timestamp"} else remedy
        remedy += f"; check separator= (declared: {separator!r})" if separator is not None else ""
        looks = next((mark for mark in _SEPARATORS if len(names) == 1 and mark in names[0]), separator)
        remedy = f"declare separator={looks!r}, which seems to separate the fields; {remedy}" if looks != separator else remedy
    return DataError(problem, where=where, allowed=allowed, remedy=remedy)


def empty_file(path: Path) -> DataError:
    """Return the error about a file without lines."""
    return DataError("the file is empty", where=str(path), remedy="check that it was downloaded or written completely")


def _fields_in_words(n: int) -> str:
    return f"{n} field{'s' * (n != 1)}"


def _other_kind_hint(kind: Kind, *signs: int | str) -> str:
    """Say that a run looks like judgements, or the reverse, because the two are easily confused."""
    looks, shown = _MISTAKEN[kind.fields[-1]] if kind.fields else ("", set())
    return (
        f"this looks like {looks}: if both are given, runs come first and judgements last; otherwise " if shown & {*signs} else ""
    )
