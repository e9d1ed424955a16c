"""Columns that name the system or the fold of each row, in files with several systems or folds."""

import re
from collections.abc import Iterable
from typing import Literal

from recsens.errors import DataError
from recsens.files import FileTable

Label = Literal["model", "fold"]
"""What a column may name: the system of a row, or its fold."""

_CALLED: dict[Label, tuple[str, ...]] = {"model": ("model", "algorithm", "recommender"), "fold": ("isplit", "fold", "partition")}
"""Column names for each label, without capitals and punctuation; RecTools uses ``model`` and ``i_split``."""

LABELS: tuple[Label, ...] = tuple(_CALLED)


def label_columns(names: Iterable[str]) -> dict[str, str]:
    """Return the column for each label: the first of the label's names that is a column of the table."""
    plain = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in names}
    found: dict[str, str | None] = {
        label: next((plain[each] for each in called if each in plain), None) for label, called in _CALLED.items()
    }
    return {label: name for label, name in found.items() if name is not None}


def repeated_pair(run: FileTable, first: int, second: int) -> DataError:
    """Return the error for a repeated pair; it names unread columns that may explain the repetition."""
    error, labels = run.repeated(first, second), label_columns(run.ignored)
    if not labels:
        return error
    named = " and ".join(f"'{name}'" for name in labels.values())
    remedy = f"if {named} name systems or folds, measure each with the command 'recsens evaluate', or keep the rows of one"
    return DataError(error.problem, where=error.where, remedy=remedy)
