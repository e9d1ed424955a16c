"""The order or the names of columns, declared by a user for a file with unknown column names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsens.errors import DataError, SpecError, nearest
from recsens.files.column_names import role_called
from recsens.files.kinds import Kind, is_number
from recsens.files.layout import Layout, first_record

_ROLES = ("user", "item", "score", "rank", "rating", "timestamp", "model", "fold")
_IGNORED, _NONE = "-", "null"
_OF_RUNS = ("rank", "est", "prediction", "predictedrating")
"""Further names of columns in runs, in lower case and without punctuation."""

_ALLOWED = (
    f"the columns in order, such as user,item,score ({_IGNORED} for a column that is not read), or names for roles, such as "
    f"user=who,item=what,score=est (rating={_NONE} if there are no ratings); the roles are {', '.join(_ROLES)}"
)


@dataclass(frozen=True)
class DeclaredColumns:
    """The column of each role: its number, counted from 0, or its name in the header.

    If ``is_unrated``, the file has no ratings, so every row counts as rated 1.
    """

    at: Mapping[str, int | str]
    is_unrated: bool = False

    @classmethod
    def parse(cls, text: str) -> DeclaredColumns:
        """Read ``user,item,score`` or ``user=who,item=what,score=est``.

        Raises
        ------
        SpecError
            If a role is unknown or occurs twice, or if the two ways of writing are mixed.

        Examples
        --------
        >>> DeclaredColumns.parse("user,-,item,score").at
        {'user': 0, 'item': 2, 'score': 3}
        """
        parts = [part.strip() for part in text.split(",")]
        is_named = ["=" in part for part in parts]
        if any(is_named) and not all(is_named):
            raise SpecError(f"columns: '{text}' mixes an order of columns with names", allowed=_ALLOWED)
        at: dict[str, int | str] = {}
        for number, part in enumerate(parts):
            role, _, name = part.partition("=")
            if role == _IGNORED and not name:
                continue
            if role not in _ROLES:
                raise SpecError(f"columns: '{role}' is not a role{nearest(role, _ROLES)}", allowed=_ALLOWED)
            if role in at:
                raise SpecError(f"columns: '{role}' is given twice", allowed=_ALLOWED)
            at[role] = name or number
        is_unrated = at.get("rating") == _NONE
        return cls({role: name for role, name in at.items() if role != "rating" or not is_unrated}, is_unrated)

    def of_kind(self, kind: Kind, where: str) -> dict[str, int | str]:
        """Return the columns that a kind of file needs, by role.

        Raises
        ------
        SpecError
            If a column of this kind is missing.
        """
        missing = [role for role in kind.roles if role not in self.at and not (role == "rating" and self.is_unrated)]
        if missing:
            raise SpecError(f"columns: '{missing[0]}' is missing for {where}", allowed=_ALLOWED)
        return {role: self.at[role] for role in kind.roles if role in self.at}

    def names(self, kind: Kind, names: Sequence[str], where: str) -> dict[str, str]:
        """Return a table's column names by role.

        Raises
        ------
        SpecError
            If the table has fewer columns.
        """
        found = self.of_kind(kind, where)
        for role, at in found.items():
            if isinstance(at, int) and at >= len(names):
                raise SpecError(f"columns: '{role}' should be column {at + 1}, but {where} has only {len(names)}", allowed=_ALLOWED)
        return {role: names[at] if isinstance(at, int) else at for role, at in found.items()}

    def layout(self, path: Path, kind: Kind) -> Layout:
        """Return a text file's layout, with a header if columns are declared by name or a number column begins with a usual name.

        Raises
        ------
        DataError
            If a column of numbers begins with any other text, because this could be a header or a fault.
        """
        found = self.of_kind(kind, str(path))
        separator, fields = first_record(path)
        if any(isinstance(at, str) for at in found.values()):
            return Layout(separator, found, header=True)
        numbers = [at for column in kind.columns if column.holds != "name" and isinstance(at := found.get(column.role), int)]
        words = [fields[at] for at in numbers if at < len(fields) and not is_number(fields[at])]
        unknown = (word for word in words if role_called(word) is None)
        strange = next((word for word in unknown if re.sub(r"[^a-z]", "", word.lower()) not in _OF_RUNS), None)
        if strange is not None:
            raise DataError(
                f"'{strange}' is neither a number nor a common name of a number column",
                where=f"{path}:1",
                allowed="a finite number, or a header with score, rank, rating, timestamp or another common name",
                remedy=f"correct the line; if it is a header, give the columns by name: {_declaration_by_name(found, fields)}",
            )
        return Layout(separator, found, header=bool(words))


def _declaration_by_name(at: Mapping[str, int | str], fields: Sequence[str]) -> str:
    return ",".join(f"{role}={fields[n] or '...'}" for role, n in at.items() if isinstance(n, int) and n < len(fields))
