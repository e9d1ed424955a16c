"""Guess which columns of an undeclared file are users, items, ratings and times: all columns are judged together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np

from recsens.data.scales import is_usual, looks_like_counts
from recsens.files.column_names import counts_by_name, describes, kinds_in, role_called, weakness
from recsens.files.first_look import (
    CALENDAR_DAYS,
    IN_ANOTHER_FORM,
    MISSING,
    NUMBERS_PARTLY_EMPTY,
    PARTLY_EMPTY,
    TIMES,
    WHOLE_WITH_POINT,
    WITH_DECIMAL_COMMAS,
    Seen,
)
from recsens.files.kinds import is_number, is_truth
from recsens.files.recognised import says_yes_or_no
from recsens.files.timestamps import Dates, orders_of, per_second, time_in_microseconds, unit_of

Roles = Mapping[str, str | int | None]
"""Role -> the column's name, or its number, counted from 0; None if no column has the role."""

ROLES = ("user", "item", "rating", "timestamp")

_NUMBERS = frozenset(("numbers", "whole numbers", WHOLE_WITH_POINT, WITH_DECIMAL_COMMAS))

_EARLIEST, _LATEST = 315_532_800, 4_102_444_800
"""Numbers with fractions are times only if they are seconds from 1980 to 2100."""

_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp][Mm])?")
_PLAIN_CLOCK = re.compile(r"(?:[01]?[0-9]|2[0-3])(?:[0-5][0-9]){1,2}")
_PERIOD = re.compile(r"(?:19|20)[0-9]{2}[-/](?:[01][0-9]|[QqWw][0-9]{1,2})|[0-9.,]+ ?%")
"""Times of the day, as 22:15 and 2215; and months, quarters and weeks of a year, as 2024-01, and shares."""

_LOGINS = re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]+|\+[0-9 ()/-]{7,}|[0-9]{3}-[0-9]{3}-[0-9]{4}")
_THINGS = re.compile(
    r"https?://.*|/[^ ]*|[a-z]+(?:\.[a-z0-9_]+){2,}|B0[0-9A-Z]{8}|97[89][0-9-]{10,14}|(?:spotify|isrc|urn|doi):.*|tt[0-9]{7,8}"
)
"""Fields that show whom or what they name: addresses and telephones; pages, apps, books, films and articles of a large shop."""

_TEXTS = frozenset(("dates", "dates and times"))
"""Times that may be of any zone; numbers of seconds are of none."""

_NAMED = frozenset(("code", "user", "user?", "item", "item?", "order"))
_ASIDE = frozenset(("order", "fact", "group", "text", "quantity", "count"))
_MEASURED = frozenset(("fact", "text", "quantity", "count", "rating", "time", "later"))
"""What names of columns mean that are neither users nor items if others can be, and that never are if they hold numbers."""

_SEVERAL, _FEW, _ENOUGH = 20, 100, 200

_MOST_DAYS, _DAY = 31, 86_400
"""Days in a month, and seconds in a day: two times so close are the same one, such as an event's day beside its time."""

_MOSTLY = 0.9
"""Share of names with a single time from which the time seems to belong to the name, and not to the interaction."""


def guess_roles(columns: Sequence[Seen]) -> dict[str, str | int | None]:
    """Find the column for each role by its name or, failing that, by its content beside that of the other columns.

    A column is never a time by its content if its name ends in ``id``, ``no`` or ``code``, if it is the first of a file without a
    header, or if each user or item has a single time. A column without a name is a rating only if its numbers lie on a usual scale
    or are counts in the last column. A first column without a name that differs in every row is not the user if others can be.
    """
    roles: dict[str, str | int | None] = dict.fromkeys(ROLES)
    for role in ROLES:
        roles[role] = _called(columns, role)
    left = [column for column in columns if column.name not in roles.values()]
    has_header = any(isinstance(column.name, str) for column in columns)
    if not has_header and _are_row_numbers(left):
        left = left[1:]

    def take(role: str, could_be: Callable[[Seen], bool], order: Callable[[Seen], Any] = lambda _: 0) -> None:
        others = {other for other in ROLES if other != role}
        free = [column for column in left if role_called(column.name) not in others or _is_time_called_rating(column)]
        # Where people rate people, both columns may be called users.
        free += [column for column in left if role == "item" and role_called(column.name) == "user" and _is_code(column.name)]
        fitting = list(filter(could_be, free)) if roles[role] is None else []
        if fitting:
            roles[role] = (taken := min(fitting, key=order)).name
            left.remove(taken)

    times = [column for column in left if roles["timestamp"] is None and _could_be_time(column, columns)]
    times = [
        column
        for column in times
        if role_called(column.name) in {None, "timestamp"} or column.holds in _TEXTS or _is_time_called_rating(column)
    ]
    moments = [column for column in columns if column in times or column.name == roles["timestamp"]]
    # A column with one value is neither users nor items.
    left = [column for column in left if column not in times and (len(column.fields) < _SEVERAL or _n_names(column) > 1)]
    items = [column for column in columns if column.name == roles["item"]]
    take(
        "user",
        _could_be_named,
        lambda column: (
            _is_a(column, _THINGS) or (has_header and (_is_of_a_row(column) or _has_few_names(column))),
            has_header and any(_has_one(column, each) for each in moments),
            has_header and "whole" in column.holds and not _NAMED.intersection(kinds_in(column.name)),
            _is_aside(column),
            not _is_a(column, _LOGINS),
            any(_has_one(each, column) for each in items),
        ),
    )
    users = [column for column in columns if column.name == roles["user"]]
    finest = [column for column in left if _could_be_named(column) and not _is_of_a_row(column)]
    take(
        "item",
        lambda column: _could_be_named(column) and not (_is_of_one(column, users) or _is_a(column, _LOGINS)),
        lambda column: (
            has_header and (_is_of_a_row(column) or _has_few_names(column) or any(_has_one(column, each) for each in users)),
            has_header and "whole" in column.holds and not _NAMED.intersection(kinds_in(column.name)),
            any(_has_one(each, column) for each in users),
            _is_aside(column),
            any(_is_finer(each, column) for each in finest),
            has_header and not describes(column.name),
            has_header and -_n_names(column),
        ),
    )
    if not has_header:
        take("rating", lambda column: _could_be_rating(column, is_last=column is columns[-1]))
    named = [column for column in columns if column.name in {roles["user"], roles["item"]}]
    times = [column for column in times if not any(_has_one(each, column) for each in named)]
    times = [column for column in times if not any(_is_never_before(column, each) for each in times if each is not column)] or times
    times.sort(key=lambda column: "later" in kinds_in(column.name))
    if times:
        roles["timestamp"] = times[0].name
    return roles


def _is_a(column: Seen, form: re.Pattern[str]) -> bool:
    """Whether nearly all fields have a form."""
    return sum(form.fullmatch(field) is not None for field in column.fields) > _MOSTLY * len(column.fields)


def _is_aside(column: Seen) -> bool:
    """Whether a column's name means an order or a fact, which is neither a user nor an item where another column could be."""
    return isinstance(column.name, str) and bool(_ASIDE.intersection(kinds_in(column.name)))


def _is_finer(first: Seen, other: Seen) -> bool:
    """Whether a column divides what another names, as tracks divide albums."""
    return _n_names(first) > _n_names(other) > 1 and _has_one(first, other) and not _has_one(other, first)


def _is_of_one(column: Seen, users: Sequence[Seen]) -> bool:
    """Whether a column named like an order has a single user in each."""
    return means_order(column) and any(_has_one(column, each) for each in users)


def fits(column: Seen, role: str) -> bool:
    """Whether a column with a name that suggests a role could have that role."""
    match role:
        case "rating":
            return column.holds in {*_NUMBERS, NUMBERS_PARTLY_EMPTY, "bool"} or all(map(is_truth, column.fields))
        case "timestamp":
            if says_yes_or_no(column.fields) or (is_clock(column) and column.holds != CALENDAR_DAYS):
                return False
            is_late = all(_EARLIEST <= float(text) <= _LATEST for text in column.fields if is_number(text))
            if weakness(column.name, role) > 1:
                return column.holds in TIMES or (column.holds == "whole numbers" and _are_days(column))
            return column.holds in {*TIMES, "whole numbers", WHOLE_WITH_POINT} or (column.holds == "numbers" and is_late)
        case _:
            return column.holds not in {"numbers", WITH_DECIMAL_COMMAS} or "pseudo" in str(column.name).lower()


def rivals(columns: Sequence[Seen], roles: Roles, role: str, *, by_name: bool) -> list[Seen]:
    """Return the unread columns that could have a role too, by their names or by their content, and would make a difference.

    A column makes none if each user or item has a single value there, such as the title of an item; if it cannot be read; or, if it
    would be users or items, if it has far fewer values than these, such as the kind of an event.
    """
    unread = [column for column in columns if column.name not in roles.values()]
    named = [column for column in unread if role_called(column.name) == role]
    if role == "timestamp":
        times = [column for column in (named if by_name else unread) if _could_be_time(column, columns) and _n_names(column) > 1]
        times = [column for column in times if not describes_names(column, columns, roles)]
        taken = next((column for column in columns if column.name == roles[role]), None)
        return [column for column in times if taken is None or not _is_never_before(column, taken, by=_DAY)]
    named = [column for column in named if weakness(column.name, role) <= weakness(roles[role] or 0, role)]
    others = [column for column in named if fits(column, role)] if by_name else others_for(columns, roles)
    if by_name and _is_code(roles[role]):
        others = [column for column in others if _is_code(column.name)]
    fewest = min(len(set(column.fields)) for column in columns if column.name in {roles["user"], roles["item"]})
    users = [column for column in columns if role == "item" and column.name == roles["user"]]
    others = [each for each in others if len(set(each.fields)) >= fewest / 3 and not any(_has_one(each, user) for user in users)]
    if by_name:
        others = [column for column in others if not (_is_aside(column) or _is_of_a_row(column))]
    return [column for column in others if not describes_names(column, columns, roles)]


def _are_days(column: Seen) -> bool:
    """Whether whole numbers never fall from row to row, and are too many for days of a month."""
    days = [int(text) for text in column.fields if text.isdecimal()]
    return len(days) == len(column.fields) and days == sorted(days) and days[-1] > _MOST_DAYS


def _is_never_before(later: Seen, first: Seen, by: int = 0) -> bool:
    """Whether a column's times are never before another's in the same row (by so many seconds), as returns are after loans."""
    rows = slice(_ENOUGH)
    both = (
        [time_in_microseconds(text, order) for text in each.fields[rows]] for each in (first, later) for order in [_order_in(each)]
    )
    known = [(start, end) for start, end in zip(*both, strict=True) if start is not None and end is not None]
    return 2 * len(known) > len(first.fields[rows]) and all(_in_seconds(start) <= _in_seconds(end) + by for start, end in known)


def _in_seconds(microseconds: int) -> float:
    """Return a time in seconds, which may have been read from a number of another unit."""
    return microseconds / 10**6 / per_second(unit_of(abs(microseconds) // 10**6))


def _order_in(column: Seen) -> Dates | None:
    return "year_first" if column.holds == CALENDAR_DAYS else next(iter(orders_of(column.fields[:_ENOUGH])), None)


def describes_names(column: Seen, columns: Sequence[Seen], roles: Roles) -> bool:
    """Whether nearly every user, or nearly every item, has a single value in a column, such as its title."""
    return any(_has_one(each, column) for each in columns if each.name in {roles["user"], roles["item"]})


def others_for(columns: Sequence[Seen], roles: Roles) -> list[Seen]:
    """Return the unread columns that could name users or items."""
    return [column for column in columns if column.name not in roles.values() and _could_be_named(column)]


def is_clock(column: Seen) -> bool:
    """Whether a column holds times of the day, such as 22:15 or, under such a name, 2215."""
    form = _PLAIN_CLOCK if re.search(r"(?i)time|zeit|hora|heure|hour", str(column.name)) else _CLOCK
    return any(all(map(each.fullmatch, column.fields[:_SEVERAL])) for each in (_CLOCK, form))


def means_order(column: Seen) -> bool:
    """Whether the name of a column means orders, receipts or the like, and neither users nor items."""
    return "order" in kinds_in(column.name) and role_called(column.name) is None


def unread_numbers(columns: Sequence[Seen], roles: Roles) -> list[Seen]:
    """Return the unread columns of numbers with more than one value."""
    numbers = {*_NUMBERS, NUMBERS_PARTLY_EMPTY}
    rest = (column for column in columns if column.name not in roles.values() and column.holds in numbers)
    return [column for column in rest if len(set(column.fields)) > 1]


def unread_times(columns: Sequence[Seen], roles: Roles) -> list[Seen]:
    """Return the unread columns of dates and times."""
    return [column for column in columns if column.name not in roles.values() and column.holds in {IN_ANOTHER_FORM, *TIMES}]


def _called(columns: Sequence[Seen], role: str) -> str | int | None:
    """Return the column for a role by its name: the role's own names first, and whole columns before those with gaps."""
    fitting = [column for column in columns if role_called(column.name) == role and fits(column, role) and column.examples]
    if role in {"user", "item"}:
        # Yes and no are no names; a single name is told if there is no other column.
        several = [column for column in fitting if len(column.fields) < _SEVERAL or _n_names(column) > len(("yes", "no"))]
        fitting = several or [column for column in fitting if _n_names(column) == 1]
    if not fitting:
        return None
    return min(
        fitting,
        key=lambda column: (
            2 * sum(text in MISSING for text in column.fields) > len(column.fields),
            role == "timestamp" and _is_no_moment(column),
            # Other users' likes of a review are counts.
            re.fullmatch("(?i)likes?", str(column.name)) is not None and _n_names(column) >= _SEVERAL,
            role in {"user", "item"} and _is_of_a_row(column),
            role == "rating" and counts_by_name(column.name),
            weakness(column.name, role),
            role == "timestamp" and column.holds in {"dates", CALENDAR_DAYS},
            role == "timestamp" and column.holds in _TEXTS,
            column.holds in {PARTLY_EMPTY, WHOLE_WITH_POINT},
            describes(column.name),
            not _is_code(column.name),
            role == "item" and -_n_names(column),
        ),
    ).name


def _is_time_called_rating(column: Seen) -> bool:
    """Whether a column holds times under a name such as ``completed``."""
    return role_called(column.name) == "rating" and column.holds in TIMES


def _is_no_moment(column: Seen) -> bool:
    """Whether numbers are too small for seconds since 1970, such as durations."""
    with suppress(ValueError):
        return column.holds not in TIMES and max(map(float, filter(None, column.fields)), default=0.0) < _EARLIEST
    return False


def _are_row_numbers(columns: Sequence[Seen]) -> bool:
    """Whether the first column numbers the rows, and at least two other columns could name users and items."""
    if not columns:
        return False
    first, *rest = columns
    if "whole" not in first.holds or not first.is_distinct or len(first.fields) < len(("some", "few", "rows")):
        return False
    numbers = [int(text) for text in first.fields if text.isdecimal()]
    rise = len(numbers) == len(first.fields) and all(after == before + 1 for before, after in pairwise(numbers))
    names = [column for column in rest if _could_be_named(column) and not column.is_distinct and column.holds not in TIMES]
    names = [column for column in names if not _could_be_rating(column, is_last=False)]
    return rise and len(names) >= len(ROLES[:2])


def _is_code(name: str | int | None) -> bool:
    """Whether a column's name ends in ``id`` or ``sku``: beside a title or an address, the code is the name."""
    return re.search(r"(?i)(?:id|sku|asin|isbn|ean)$", str(name).partition(":")[0]) is not None


def _n_names(column: Seen) -> int:
    return len(set(column.fields))


def _is_of_a_row(column: Seen) -> bool:
    """Whether nearly every row has another field, as numbers of rows and free text do, but neither users nor items."""
    return len(column.fields) >= _SEVERAL and _n_names(column) > _MOSTLY * len(column.fields)


def _has_few_names(column: Seen) -> bool:
    """Whether a hundred rows share a field on average, as those of a kind of event do."""
    return _FEW * _n_names(column) < len(column.fields)


def _could_be_named(column: Seen) -> bool:
    if all(map(_PERIOD.fullmatch, column.fields)):
        return False
    kinds = set(kinds_in(column.name))
    may_name = isinstance(column.name, int) or "code" in kinds or not kinds & _MEASURED
    may_name &= (
        isinstance(column.name, int)
        or bool(kinds & {"code", "user", "user?", "item", "item?", "order"})
        or _n_names(column) >= _SEVERAL
    )
    is_whole = column.holds in {"whole numbers", "whole numbers that look like times", CALENDAR_DAYS}
    return (column.holds == "text" and not is_clock(column)) or (is_whole and may_name)


def _could_be_time(column: Seen, columns: Sequence[Seen]) -> bool:
    if column.holds not in TIMES:
        return False
    if column.holds in {"dates", "dates and times"}:
        return True
    if isinstance(column.name, str):
        return "code" not in kinds_in(column.name)
    # Users and items come first in files without a header; a large number there is a name.
    return columns.index(column) >= len(ROLES[:2])


def _could_be_rating(column: Seen, *, is_last: bool) -> bool:
    if column.holds not in _NUMBERS:
        return False
    texts = [text.replace(",", ".") if column.holds == WITH_DECIMAL_COMMAS else text for text in column.fields]
    values = np.array([float(text) for text in texts if is_number(text)])
    if is_last and set(values) == {-1.0, 1.0}:
        return True
    return is_usual(values) or (is_last and looks_like_counts(values))


def _has_one(names: Seen, values: Seen) -> bool:
    """Whether nearly every user or item with several rows has a single value, such as a time or a title."""
    rows, distinct = Counter(names.fields), Counter(name for name, _ in set(zip(names.fields, values.fields, strict=True)))
    several = [name for name, n in rows.items() if n > 1]
    return len(set(values.fields)) > 1 and bool(several) and sum(distinct[name] == 1 for name in several) >= _MOSTLY * len(several)
