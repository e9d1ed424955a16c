"""Column order or names that a user gives for a file without usable names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsens.errors import SpecError, nearest
from recsens.files.kinds import Kind, is_number
from recsens.files.layout import Layout
from recsens.files.separated import first_record

_ROLES = ("user", "item", "score", "rank", "rating", "timestamp", "model", "fold")
_IGNORED = "-"
_ALLOWED = (
    f"the columns in order, such as user,item,score ({_IGNORED} for one that is not read), or names for roles, such as "
    f"user=who,item=what,score=est; roles are {', '.join(_ROLES)}"
)


@dataclass(frozen=True)
class ToldColumns:
    """Role -> column number, counted from 0, or column name in the header."""

    at: Mapping[str, int | str]

    @classmethod
    def parse(cls, text: str) -> ToldColumns:
        """Read ``user,item,score`` or ``user=who,item=what,score=est``.

        Raises
        ------
        SpecError
            If a role is unknown, occurs twice, or both ways of writing are mixed.

        Examples
        --------
        >>> ToldColumns.parse("user,-,item,score").at
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
        return cls(at)

    def of_kind(self, kind: Kind, where: str) -> dict[str, int | str]:
        """Return the column locations for a kind of file.

        Raises
        ------
        SpecError
            If one is not told.
        """
        missing = [role for role in kind.roles if role not in self.at]
        if missing:
            raise SpecError(f"columns: no '{missing[0]}' is told of {where}", allowed=_ALLOWED)
        return {role: self.at[role] for role in kind.roles}

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
                raise SpecError(f"columns: '{role}' is told as column {at + 1}, but {where} has {len(names)}", allowed=_ALLOWED)
        return {role: names[at] if isinstance(at, int) else at for role, at in found.items()}

    def layout(self, path: Path, kind: Kind) -> Layout:
        """Return a text file's layout. It has a header if columns are given by name, or if a numeric column starts with a word."""
        found = self.of_kind(kind, str(path))
        separator, fields = first_record(path)
        numbers = [at for column in kind.columns if column.holds != "name" and isinstance(at := found[column.role], int)]
        is_named = any(isinstance(at, str) for at in found.values())
        header = is_named or any(at < len(fields) and not is_number(fields[at]) for at in numbers)
        return Layout(separator, found, header)
