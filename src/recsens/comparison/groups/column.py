"""Users or items by a column of their side table."""

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from recsens.arrays import Floats
from recsens.comparison.groups._base import OF, Grouping, Groups, Side, equal_parts, side_table_of
from recsens.data.interactions import Interactions
from recsens.errors import DesignError, nearest
from recsens.plugins.specs import format_number

_MOST = 50
"""Largest number of groups."""

_NO_VALUE = "no value"


class ByColumn(Grouping):
    """Divide users or items by a column of the data set's table of users or items.

    Each word is a group; a member with several words, such as a film with several genres, is in the group of each. Numbers are
    divided into ``n`` groups of about equal size; equal numbers are together, and if there are at most ``n`` different numbers,
    each is a group. Members without a value form a further group. A column with more than 50 words is refused.
    """

    name: str = Field("", description="a column of the table of users or items")
    of: Side = OF
    n: int = Field(3, ge=2, le=_MOST, description="number of groups, if the column holds numbers")

    @property
    def side(self) -> Side:
        """Whose groups they are."""
        return self.of

    @property
    def title(self) -> str:
        """The grouping in a few words."""
        return f"by {self.name}"

    def lacks(self, train: Interactions) -> str:
        """Say that the column is missing."""
        table = side_table_of(train, self.of)
        return self.missing({} if table is None else {self.of.removesuffix("s"): list(table.columns)})

    def missing(self, columns: Mapping[str, Sequence[str]]) -> str:
        """Say that the column is missing."""
        own = columns.get(self.of.removesuffix("s"), ())
        known = f" has only {', '.join(own)}{nearest(self.name, own)}" if own else " is empty"
        return "" if self.name in own else f"the table of {self.of}{known}"

    def divide(self, train: Interactions) -> Groups:
        """Divide by words or numbers.

        Raises
        ------
        DesignError
            If the column holds too many words.
        """
        table = side_table_of(train, self.of)
        assert table is not None
        column = table.columns[self.name]
        if column.kind == "number":
            values = column.features.toarray()[:, 0]
            groups = _divide_by_number(values, ~column.missing, self.n)
        else:
            if len(column.levels) > _MOST:
                raise DesignError(
                    f"the column '{self.name}' of the table of {self.of} holds {len(column.levels):,} different words",
                    where=f"group '{self.spec}'",
                    allowed=f"at most {_MOST}",
                    remedy="join words in a column of your own",
                )
            has = column.features.toarray() > 0
            groups = dict(zip(column.levels, has.T.copy(), strict=True))
        label = _NO_VALUE
        while label in groups:
            label = f"({label})"
        groups[label] = ~np.any(list(groups.values()), axis=0) if groups else np.ones(len(column.missing), dtype=np.bool_)
        return {label: group for label, group in groups.items() if group.any()}


def _divide_by_number(values: Floats, known: np.ndarray, n: int) -> Groups:
    distinct, parts = np.unique(values[known], return_inverse=True)
    if len(distinct) > n:
        parts = equal_parts(values[known], np.ones(known.sum()), n)
    groups = {}
    for part in np.unique(parts):
        own = values[known][parts == part]
        label = " to ".join(dict.fromkeys(format_number(float(end)) for end in (own.min(), own.max())))
        groups[label] = known.copy()
        groups[label][known] = parts == part
    return groups
