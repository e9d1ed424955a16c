"""Recognise other programs' files by their content: tables without a header, scores called ratings, judgements without ratings.

The log says how each file is read. A file that can be read in two ways is refused; the error names both ways.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from recsens.errors import DataError
from recsens.files.column_names import column_of, kinds_in, label_columns, role_called, tell
from recsens.files.kinds import Kind, is_number
from recsens.files.layout import Layout, first_record, first_records

_log = logging.getLogger(__name__)

_LOOKED_AT = 1000
_SEPARATORS = ("\t", ",")
_MOST_STARS = 10.0
"""Multiples of one half up to this number may be ratings; any other number must be a score."""

_IN_ORDER = "if both are given, runs come first and judgements last"

RATED = 1.0
"""The rating of every pair in judgements that have no ratings."""


def recognised_text(path: Path, kind: Kind) -> Layout | None:
    """Return the layout of a text file if only the content shows it; None if a header or TREC's form shows it.

    Raises
    ------
    DataError
        If the file can be read in two ways.
    """
    separator, fields = first_record(path)
    if separator not in _SEPARATORS or len(fields) < len(("user", "item")):
        return None
    # A header never ends with a number, but a row can, even if its item is named like a column.
    if not is_number(fields[-1]) and any(role_called(field) for field in fields if not is_number(field)):
        columns = recognised_names(
            f"{path}:1",
            kind,
            fields,
            lambda at: [row[at] for row in first_records(path, separator, _LOOKED_AT)[1:] if len(row) > at],
        )
        return None if columns is None else Layout(separator, columns, header=True)
    # In a file with commas, a missing header is usually a mistake.
    if separator != "\t" or len(fields) != len(kind.roles) or not is_number(fields[-1]):
        return None
    _check_order(f"{path}:1", kind, [row for row in first_records(path, separator, _LOOKED_AT) if len(row) == len(fields)])
    _log.info("%s: no header: columns 1 to %d read as %s", path, len(fields), ", ".join(kind.roles))
    return Layout(separator, {role: at for at, role in enumerate(kind.roles)}, header=False)


def recognised_names(
    where: str, kind: Kind, names: Sequence[str], values: Callable[[int], Sequence[str]]
) -> dict[str, int | str] | None:
    """Return the roles of columns if a run calls its scores ratings, or if judgements have no ratings.

    Return None if the names are clear, or if a column is missing. ``values`` returns the first fields of the column with a given
    number.

    Raises
    ------
    DataError
        If the rating column of a run could really contain ratings.
    """
    last, own = kind.roles[-1], {role: column_of(where, role, names) for role in kind.roles}
    source = where.removesuffix(":1")
    if own[last] in names or any(own[role] not in names for role in ("user", "item")) or column_of(where, "rank", names) in names:
        return None
    if last == "score" and (rating := column_of(where, "rating", names)) in names:
        if _are_stars(values(names.index(rating))):
            raise _may_be_ratings(where, rating)
        tell(source, {**own, "score": rating})
        return {**own, "score": rating}
    if last == "rating" and column_of(where, "score", names) not in names:
        pairs = {role: own[role] for role in ("user", "item")}
        others = [name for name in names if name not in pairs.values() and name not in label_columns(names).values()]
        refuse_unread_labels(source, {name: values(names.index(name)) for name in others})
        tell(source, pairs)
        _log.info("%s: no rating column: every row counts as rated 1", source)
        return dict(pairs)
    return None


def says_yes_or_no(fields: Sequence[str]) -> bool:
    """Whether a column holds 0 and 1, -1 and 1, true and false, or yes and no, both of each; empty fields do not count."""
    held = {field.strip().lower() for field in fields} - {"", "na", "nan", "null", "none"}
    values = {float(field) for field in held} if all(map(is_number, held)) else set()
    return values in ({0.0, 1.0}, {-1.0, 1.0}) or held in _OPPOSITES


_OPPOSITES = tuple(
    set(both.split("/"))
    for both in ("true/false", "yes/no", "up/down", "like/dislike", "positive/negative", "good/bad", "relevant/not relevant")
)

_NO_LABELS = frozenset(("fact", "group", "user", "user?", "item", "item?", "code", "title", "name"))
"""What names mean whose yes and no describe an occasion or a person, and not whether the item was liked."""

_NO_RATINGS = frozenset(("quantity", "order", "code", "time", "later", "count"))
"""What names mean whose small numbers are no ratings, not even beside an unknown word, since the fit of a gender may be rated."""


def may_label(name: str | int, fields: Sequence[str]) -> bool:
    """Whether an unread column may say which rows are positive: yes and no, and no name of another fact."""
    kinds = kinds_in(name)
    return says_yes_or_no(fields) and not (
        _NO_LABELS.intersection(kinds[-1:]) or "fact" in kinds or (len(kinds) > 1 and {"order", "user?"}.intersection(kinds))
    )


def may_rate(name: str, fields: Sequence[str]) -> bool:
    """Whether an unread column may hold ratings, judging by its name: three or more numbers up to 10, in halves or tenths.

    Where the lowest is 0 or 1 and in more than half of the rows, they count something, such as pieces.
    """
    rows_of = Counter(field.strip() for field in fields if field.strip())
    kinds = kinds_in(name) or ("?",)
    if len(rows_of) < len(("one", "two", "three")) or not all(map(is_number, rows_of)):
        return False
    if not (kinds[-1].startswith("rating") or (kinds[-1] == "?" and not _NO_RATINGS.intersection(kinds))):
        return False
    numbers = {float(value): n for value, n in rows_of.items()}
    lowest, highest = min(numbers), max(numbers)
    are_tenths = all(abs(10 * number - round(10 * number)) < 1e-9 for number in numbers)
    are_counts = lowest in {0, 1} and 2 * numbers[lowest] > sum(numbers.values()) and not kinds[-1].startswith("rating")
    return are_tenths and lowest >= 0 and 1 < highest <= _MOST_STARS and not are_counts


def refuse_unread_labels(source: str, unread: Mapping[str, Sequence[str]]) -> None:
    """Refuse judgements without ratings if an unread column may say which rows are positive: 0 and 1, or numbers like stars.

    Raises DataError that says how to declare either meaning.
    """
    for name, fields in unread.items():
        if may_label(name, fields) or may_rate(name, fields):
            held = sorted(set(fields) - {""})
            raise DataError(
                f"no rating column, and '{name}' holds {' and '.join(held[:2])}{', ...' * bool(held[2:])}: it may say which rows "
                "are positive",
                where=source,
                allowed=f"--columns user=...,item=...,rating={name}, or rating=null if every row is positive",
                remedy="in Python: columns=..., or frame.assign(rating=...)",
            )


def _may_be_ratings(where: str, name: str) -> DataError:
    return DataError(
        f"no column 'score', and '{name}' contains whole or half numbers up to {_MOST_STARS:g}, as ratings do",
        where=where,
        allowed="the columns user, item and score, in any order; further ones are ignored",
        remedy=f"this looks like judgements: {_IN_ORDER}; if these are scores, declare them: --columns "
        f"user=...,item=...,score={name}",
    )


def _check_order(where: str, kind: Kind, rows: Sequence[Sequence[str]]) -> None:
    """Refuse rows without a header if users could be items, scores could be ranks, or scores could be ratings."""
    if _is_grouped([row[1] for row in rows]) and not _is_grouped([row[0] for row in rows]):
        raise DataError(
            "no header, and rows with the same second field are adjacent, as a user's rows would be: the first column could be "
            f"'{kind.roles[0]}' or '{kind.roles[1]}'",
            where=where,
            remedy=f"declare which: --columns {','.join(kind.roles)} or --columns item,user,{kind.roles[-1]}",
        )
    values = [row[2] for row in rows]
    if kind.roles[-1] == "rank" or not all(map(is_number, values)):
        return
    are_stars, lists = _are_stars(values), [[float(row[2]) for row in own] for _, own in groupby(rows, key=lambda row: row[0])]
    several = [own for own in lists if len(own) > 1]
    if kind.roles[-1] == "rating":
        if several and not are_stars and all(own == sorted(own, reverse=True) for own in several):
            raise DataError(
                "no header, and each user's numbers decrease and are not stars: they could be ratings of a test set, or scores "
                "of a run",
                where=where,
                remedy=f"{_IN_ORDER}; if these are ratings, declare them: --columns user,item,rating",
            )
    elif several and all(own == [own[0] + at for at in range(len(own))] for own in several):
        raise DataError(
            "no header, and each user's numbers count upwards: they could be ranks, best first, or scores, best last",
            where=where,
            remedy="declare which: --columns user,item,rank --rank-by rank, or --columns user,item,score",
        )
    elif are_stars:
        raise DataError(
            f"no header, and the last column contains whole or half numbers up to {_MOST_STARS:g}: they could be scores of a run, "
            "or ratings",
            where=where,
            remedy=f"{_IN_ORDER}; if these are scores, declare them: --columns user,item,score",
        )


def _are_stars(values: Sequence[str]) -> bool:
    return all(map(is_number, values)) and all(
        0 <= float(value) <= _MOST_STARS and (2 * float(value)).is_integer() for value in values
    )


def _is_grouped(names: Sequence[str]) -> bool:
    """Whether rows with the same name are adjacent, and some name has several rows."""
    n_blocks = sum(1 for _ in groupby(names))
    return n_blocks == len(set(names)) < len(names)
