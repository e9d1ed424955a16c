"""Doubts about how an undeclared file is read: what its rows say against the guess."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.data.column_roles import (
    Roles,
    describes_names,
    fits,
    is_clock,
    means_order,
    others_for,
    rivals,
    unread_numbers,
    unread_times,
)
from recsens.data.scales import MOST_STARS, are_stars, counted, looks_like_counts
from recsens.files import FileTable
from recsens.files.column_names import counts_by_name, kinds_in, role_called, weakness
from recsens.files.first_look import (
    CALENDAR_DAYS,
    IN_ANOTHER_FORM,
    MISSING,
    NUMBERS_PARTLY_EMPTY,
    WITH_DECIMAL_COMMAS,
    Seen,
)
from recsens.files.kinds import is_number
from recsens.files.recognised import may_label, may_rate
from recsens.files.timestamps import date_of, mixed_units, readings_of, unit_of

_SEVERAL = 20
"""Fewer rows say nothing about whether users or items repeat."""

_FEWEST, _MOST = 3, 11
"""Number of values of a scale of ratings."""

_NEARLY_ALL, _MANY, _SOME, _FEW = 0.95, 0.5, 0.1, 0.01

_NO_RATING, _NO_STARS = (99.0, 999.0), 1e8

_OF_SHEETS = (32_874, 54_789)
"""The days of a spreadsheet from 1990 to 2049."""

_CROWD, _SOME_USERS = 0.2, 50
"""A user with more than this share of the rows, among so many users, may stand for guests."""

_SCIENTIFIC = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+?[0-9]+")
_NUMBER_LIKE = re.compile(r"[1-9][0-9]*|0")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*")


@dataclass(frozen=True)
class Doubt:
    """What speaks against a guess.

    Attributes
    ----------
    said
        A sentence for the user.
    choices
        If the doubt would change values: the meanings, each as parameters of the data set; such a file must be declared.
    is_fatal
        Whether no declaration helps, so that the file must be corrected.
    settled_by
        The setting that answers the doubt, if one does, such as ``scale``.
    """

    said: str
    choices: tuple[str, ...] = ()
    is_fatal: bool = False
    settled_by: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the file cannot be read without a declaration or a correction."""
        return self.is_fatal or bool(self.choices)


def doubts_about_columns(columns: Sequence[Seen], roles: Roles) -> Iterator[Doubt]:
    """Visit the doubts that the first rows give rise to."""
    for role in ("user", "item", "timestamp"):
        names = [str(column.name) for column in rivals(columns, roles, role, by_name=True)]
        if names and role_called(roles[role] or 0) == role and weakness(roles[role] or 0, role):
            listed = ", ".join([str(roles[role]), *names])
            yield Doubt(f"Several columns could be the {role}, judging by their names: {listed}. To choose another, write {role}=.")
    guessed = [role for role in ("user", "item") if role_called(roles[role] or 0) != role]
    between = columns[len(("user", "item")) : roles["rating"]] if isinstance(roles["rating"], int) else ()
    is_odd = any(not describes_names(column, columns, roles) for column in between if column.name not in roles.values())
    if isinstance(columns[0].name, int) and (is_odd or any(rivals(columns, roles, role, by_name=False) for role in guessed)):
        yield Doubt("The columns have no names, so their roles are guessed from their content.")
    for role in ("user", "item", "timestamp"):
        is_in_doubt = (role in guessed and len(guessed) > 1) or bool(rivals(columns, roles, role, by_name=False))
        if isinstance(name := roles[role], str) and role_called(name) != role and is_in_doubt:
            a_role = f"{'an' if role == 'item' else 'a'} {role}"
            yield Doubt(f"No column has the name of {a_role}, so '{name}' was chosen by content. To choose another, write {role}=.")
    yield from _about_strangers(columns, roles)
    yield from _about_rating(columns, roles)
    yield from _about_unread_times(columns, roles)


def _about_strangers(columns: Sequence[Seen], roles: Roles) -> Iterator[Doubt]:
    """Visit the doubts about users that may be orders, about names that may mean none, and about a day without its time."""
    by_name = {column.name: column for column in columns}
    for role in ("user", "item"):
        name, others = roles[role], [column.name for column in columns if column.name not in roles.values()]
        column = by_name[name or 0]
        otherwise = f"otherwise {role}= and one of {', '.join(map(str, others))}" if others else "otherwise leave these rows out"
        if role == "user" and means_order(column):
            yield Doubt(f"'{name}' seems to number orders, not users.", (f"user={name} if each counts as a user", otherwise))
        missing = [text for text in column.fields if text in MISSING and text]
        if len(missing) > _SOME * len(column.fields):
            share = f"{len(missing):,} of the first {len(column.fields):,} rows"
            yield Doubt(
                f"'{name}' is {missing[0]} in {share}, which would be one {role}.", (f"{role}={name} if that is a name", otherwise)
            )
    scores = [column.name for column in columns if re.search("predict|^est$|^score$", str(column.name).lower())]
    if scores and (ranks := [column.name for column in columns if str(column.name).lower() == "rank"]):
        yield Doubt(
            f"'{scores[0]}' and '{ranks[0]}' are of a system's lists, not of what users did: 'recsens evaluate' measures them.",
            (f"rating={scores[0]} if these are ratings", "rating=null if users did what the rows say"),
        )
    clocks = [column.name for column in columns if column.name not in roles.values() and is_clock(column)]
    if clocks and roles["timestamp"] is not None and by_name[roles["timestamp"]].holds in {"dates", CALENDAR_DAYS}:
        yield Doubt(
            f"'{roles['timestamp']}' holds the day and '{clocks[0]}' the time, so that the order within a day would be lost.",
            (f"timestamp={roles['timestamp']} if the day is enough", "otherwise write both in one column: 2021-01-03 10:15:00"),
        )


def doubts_about_dates(texts: Sequence[str], roles: Roles) -> Iterator[Doubt]:
    """Visit the doubt that all dates could be day first or month first."""
    if readings := readings_of(texts):
        days = " or ".join(readings.values())
        yield Doubt(
            f"The dates in '{roles['timestamp']}' could be day or month first: one is {days}.",
            (*(f"dates={order} if it is {day}" for order, day in readings.items()), "timestamp=null if no split goes by time"),
        )


def doubts_about_rows(
    table: FileTable, columns: Sequence[Seen], roles: Roles, *, has_header: bool, has_rating: bool
) -> Iterator[Doubt]:
    """Visit the doubts that all rows give rise to."""
    yield from _about_names(table, columns, roles, has_header=has_header)
    if roles["timestamp"] is not None:
        yield from _about_times(table.columns["timestamp"], roles["timestamp"])
    ratings = table.columns.get("rating")
    if has_rating:
        yield from _about_ratings(table.columns["rating"], roles["rating"])
    elif ratings is not None and len(ratings) and ratings.max() <= 0:
        yield Doubt(
            f"All ratings in '{roles['rating']}' are {ratings[0]:g}, so that no row would be positive.",
            ("rating=null if every row is positive",),
        )
    elif ratings is not None:
        yield from _about_ignored_ratings(columns, roles)


def _about_rating(columns: Sequence[Seen], roles: Roles) -> Iterator[Doubt]:
    by_name = {column.name: column for column in columns}
    rating = None if roles["rating"] is None else by_name[roles["rating"]]
    if rating is not None and rating.holds == NUMBERS_PARTLY_EMPTY:
        n = sum(map(_is_empty, rating.fields))
        yield Doubt(
            f"'{rating.name}' is empty in {n:,} of the first {len(rating.fields):,} rows.",
            (f"rating={rating.name},invalid=skip leaves out rows without a number", "rating=null lets every row count as positive"),
            settled_by="invalid",
        )
    twice = [column for column in columns if role_called(column.name) == "rating" and fits(column, "rating")]
    strength = 0 if rating is None else weakness(rating.name, "rating")
    twice = [column for column in twice if weakness(column.name, "rating") == strength]
    twice = [column for column in twice if strength > 1 or "rating" in str(column.name).lower()]
    plain = [
        column for column in columns if kinds_in(column.name) == ("rating",) and may_rate(str(column.name), _decimal_points(column))
    ]
    if rating in plain and not strength and len(plain) > 1:
        twice, strength = plain, 1
    if rating in twice and len(twice) > 1 and strength:
        named = " and ".join(f"'{column.name}'" for column in twice)
        yield Doubt(f"{named} could all be the rating.", tuple(f"rating={column.name}" for column in twice))
    if rating is not None and _belongs_to_names(rating, columns, roles):
        yield Doubt(f"Nearly every user or item has a single value in '{rating.name}', as if it were an age, a price or a place.")
    if rating is not None and (doubt := _about_thousands(rating)):
        yield doubt
    if rating is None:
        yield from _about_ignored_ratings(columns, roles)
        yield from _about_refunds(columns, roles)


def _about_unread_times(columns: Sequence[Seen], roles: Roles) -> Iterator[Doubt]:
    for column in unread_times(columns, roles):
        if roles["timestamp"] is not None:
            continue
        shown = f"'{column.name}' holds {column.holds}, such as {column.examples[0]}, and is not read"
        if column.holds == IN_ANOTHER_FORM:
            yield Doubt(f"{shown}. For a split by time, write them as 2021-01-03 or 2021-01-03 10:15:00.")
        elif column.holds != "whole numbers that look like times" or isinstance(column.name, int):
            yield Doubt(
                f"{shown}, because each user or item has a single one, or because it may be a name: write timestamp= if it is."
            )
    for column in unread_numbers(columns, roles) if roles["timestamp"] is None else ():
        days = [float(text) for text in column.fields if is_number(text)]
        if len(days) > _SEVERAL and days == sorted(days) and _OF_SHEETS[0] < days[0] and days[-1] < _OF_SHEETS[1]:
            yield Doubt(
                f"'{column.name}' may hold days as spreadsheets number them, such as {column.examples[0]}, and is not read."
            )
    for column in columns if roles["timestamp"] is None else ():
        if role_called(column.name) == "timestamp" and column.examples and column not in unread_times(columns, roles):
            yield Doubt(f"'{column.name}' holds {column.holds}, such as {column.examples[0]}, so it is not read as the timestamp.")


def _about_refunds(columns: Sequence[Seen], roles: Roles) -> Iterator[Doubt]:
    for column in unread_numbers(columns, roles):
        n = sum(text.startswith("-") for text in column.fields)
        if 0 < 2 * n < len(column.fields) and "quantity" in kinds_in(column.name):
            share = f"{n:,} of the first {len(column.fields):,} rows"
            yield Doubt(
                f"'{column.name}' is negative in {share}, as for refunds, but every row counts as positive. "
                f"To leave them out, declare rating={column.name},lowest=1,highest=1000000,invalid=skip,duplicates=sum, "
                "and relevance: 1 in the design."
            )


def _is_empty(text: str) -> bool:
    return not re.search(r"[0-9]", text)


def _about_thousands(column: Seen) -> Doubt | None:
    """Doubt commas or points that may separate thousands: there are always three digits after them, but not in every row."""
    signs = {match[1] for text in column.fields if (match := _THOUSANDS.fullmatch(text))}
    with_sign = [text for text in column.fields if "." in text or "," in text]
    if len(signs) != 1 or not all(map(_THOUSANDS.fullmatch, with_sign)) or ("." in signs and len(with_sign) == len(column.fields)):
        return None
    if column.holds != WITH_DECIMAL_COMMAS and "," in signs:
        return None
    example, sign = with_sign[0], next(iter(signs))
    read, other = (f'decimal="{sign}"' if sign == "," else f"rating={column.name}"), example.replace(sign, "")
    return Doubt(
        f"'{column.name}' holds numbers such as {example}, which could be {other} or {example.replace(',', '.')}.",
        (f"{read} if {example} is {example.replace(',', '.')}", f"otherwise write {other} in the file"),
    )


def _about_ignored_ratings(columns: Sequence[Seen], roles: Roles) -> Iterator[Doubt]:
    called = [column for column in columns if role_called(column.name) == "rating" and column.examples]
    rest = [column for column in columns if column.name not in roles.values()]
    numbers = [column for column in unread_numbers(columns, roles) if not describes_names(column, columns, roles)]
    labels = [column for column in rest if may_label(column.name, column.fields)]
    labels += [column for column in rest if "text" in kinds_in(column.name) and 1 < len(set(column.fields)) <= _FEWEST]
    labels = [column for column in labels if not describes_names(column, columns, roles)]
    called = [column for column in called if column.name != roles["timestamp"] or weakness(column.name, "rating") <= 1]
    called = [column for column in called if 2 * sum(text in MISSING for text in column.fields) < len(column.fields)]
    if labels:
        held = " and ".join(sorted(set(labels[0].fields) - {""}))
        yield _unread_doubt(labels[0], f"'{labels[0].name}' holds {held}", "it says which rows are positive")
    elif called and not fits(called[0], "rating"):
        yield Doubt(
            f"'{called[0].name}' holds {called[0].holds}, such as {called[0].examples[0]}, so it is not read as the rating.",
            (f"rating={called[0].name}{_number_hint(called[0])} if it is one", "rating=null if every row is positive"),
        )
    elif rated := [column for column in numbers if isinstance(column.name, str) and may_rate(column.name, _decimal_points(column))]:
        yield _unread_doubt(rated[0], f"'{rated[0].name}' holds numbers as ratings do, such as {rated[0].examples[0]},")
    elif isinstance(columns[0].name, int) and (scales := [each for each in numbers if _has_scale(each)]):
        yield _unread_doubt(scales[0], f"Column {scales[0].name} holds numbers such as {', '.join(scales[0].examples)}")
    elif isinstance(columns[0].name, int) and numbers:
        named = " or ".join(str(column.name) for column in numbers)
        yield Doubt(f"No column name suggests a rating. If {named} says how much users like items, write rating=.")


def _unread_doubt(column: Seen, said: str, when: str = "it says how much users like items") -> Doubt:
    return Doubt(
        f"{said} and is not read, so every row would count as positive.",
        (f"rating={column.name}{_number_hint(column)} if {when}", "rating=null if every row is positive"),
    )


def _belongs_to_names(rating: Seen, columns: Sequence[Seen], roles: Roles) -> bool:
    """Whether a rating seems to be a fact about users or items, although no value is in half of the rows."""
    [(_, n_most)] = Counter(rating.fields).most_common(1)
    is_varied = len(rating.fields) >= _SEVERAL and n_most < _MANY * len(rating.fields)
    return is_varied and describes_names(rating, columns, roles)


def _has_scale(column: Seen) -> bool:
    """Whether a column has three to eleven values, at equal distances."""
    values = sorted({float(text) for text in _decimal_points(column) if is_number(text)})
    steps = np.diff(values)
    return _FEWEST <= len(values) <= _MOST and bool(np.allclose(steps, steps.min()))


def _decimal_points(column: Seen) -> list[str]:
    """Return fields with decimal points."""
    return [text.replace(",", ".") if column.holds == WITH_DECIMAL_COMMAS else text for text in column.fields]


def _number_hint(column: Seen) -> str:
    return "" if fits(column, "rating") or "number" in column.holds else ", written as numbers,"


def _about_names(table: FileTable, columns: Sequence[Seen], roles: Roles, *, has_header: bool) -> Iterator[Doubt]:
    n, others = len(table), others_for(columns, roles)
    rows_of = np.bincount(table.user.code)
    if len(rows_of) > _SOME_USERS and (share := rows_of.max() / n) > _CROWD:
        crowd = table.user.names[rows_of.argmax()]
        yield Doubt(f"{100 * share:.0f} % of the rows have the same user, '{crowd}': if these are guests, leave their rows out.")
    user, item = (next(column for column in columns if column.name == roles[role]) for role in ("user", "item"))
    if n >= _SEVERAL and sum(map(str.__eq__, user.fields, item.fields)) > _MANY * len(user.fields):
        yield Doubt("Most rows have the same user and item, as if one column had been written twice.", is_fatal=True)
    both = set(table.names("user").names) & set(table.names("item").names)
    both = {name for name in both if not _NUMBER_LIKE.fullmatch(name)}
    if len(both) > _SOME * len(table.names("user").names) and n >= _SEVERAL:
        yield Doubt(
            f"{len(both):,} names are users in some rows and items in others, such as '{min(both)}': do columns change places?"
        )
    for role in ("user", "item"):
        names = table.names(role).names
        if has_header and roles[role] in names:
            row = int(np.argmax(table.names(role).code == names.index(str(roles[role]))))
            yield Doubt(f"{table.place(row)} repeats the header: delete that line.", is_fatal=True)
        if sum(_SCIENTIFIC.fullmatch(name) is not None for name in names) > _MANY * len(names):
            yield Doubt(
                f"The {role}s are written as {names[0]}: a spreadsheet has rounded them, so different {role}s may have one name.",
                is_fatal=True,
            )
        if n >= _SEVERAL and len(names) > _NEARLY_ALL * n:
            is_guessed = any(role_called(roles[each] or 0) != each for each in ("user", "item"))
            listed = " or ".join(f"{role}={column.name}" for column in others[:3])
            choices = (f"{role}={roles[role]} if that is right", f"otherwise {listed}") if is_guessed and others else ()
            every = "Every" if len(names) == n else "Nearly every"
            yield Doubt(f"{every} row has another {role}, '{roles[role]}'.", choices)
        if n >= _SEVERAL and len(names) <= len(("one", "two")):
            yield Doubt(f"All {n:,} rows have the same {len(names)} {role}{'s' * (len(names) - 1)}: {', '.join(names)}.")
        if pair := _two_spellings(names):
            yield Doubt(f"Some {role}s may be written in two ways, and count as two: '{pair[0]}' and '{pair[1]}'.")


def _two_spellings(names: Sequence[str]) -> tuple[str, str] | None:
    """Return two names that differ only in capitals, blanks, zeros in front, a final ``.0`` or the form of accents."""
    seen: dict[str, str] = {}
    unusual = [name for name in names if not _NUMBER_LIKE.fullmatch(name)]
    if not unusual:
        return None
    for name in names:
        plain = unicodedata.normalize("NFC", name).strip().strip("\u200b").casefold().removesuffix(".0").lstrip("0")
        if seen.setdefault(plain, name) != name:
            return seen[plain], name
    return None


def _about_times(times: NDArray[np.int64], name: str | int | None) -> Iterator[Doubt]:
    after = times[times > 0]
    n_before = int(np.count_nonzero(times <= 0))
    if n_before > _FEW * len(times):
        yield Doubt(f"{n_before:,} of {len(times):,} times in '{name}' are 0 or negative, and may mean that the time is unknown.")
    if not len(after):
        return
    highest = int(after.max())
    if units := mixed_units(times):
        yield Doubt(
            f"The times in '{name}' seem to have two units: {units}.",
            ("timestamp=null if no split goes by time", "otherwise write all times in one unit in the file"),
        )
    elif date_of(highest, unit_of(highest)) < "1980" and len(np.unique(after)) < _SEVERAL:
        yield Doubt(f"'{name}' holds few numbers, up to {highest}, which may not be times.")


def _about_ratings(ratings: NDArray[np.float64], name: str | int | None) -> Iterator[Doubt]:
    values, n = counted(ratings)
    if counts_by_name(name):
        return
    if looks_like_counts(ratings) and not (values[-1] in _NO_RATING and are_stars(values[:-1])):
        if isinstance(name, str):
            yield Doubt(f"'{name}' seems to count something, such as plays, so that 1 is already positive: relevance 1.")
        return
    if (len(values) == len(ratings) >= _SEVERAL and not (values % 1).any()) or values[0] > _NO_STARS:
        yield Doubt(f"'{name}' holds numbers such as {values[0]:.0f} and {values[-1]:.0f}, which may number rows or be times.")
    small, middle = values <= MOST_STARS, (values > MOST_STARS) & (values < 2 * MOST_STARS)
    is_small, is_middle = n[small].sum() / len(ratings), n[middle].sum() / len(ratings)
    if small.sum() >= _FEWEST and _SOME < is_small < 1 - _SOME and is_middle < _FEW and values[-1] > 3 * MOST_STARS:
        shares = f"{100 * is_small:.0f} % are up to {values[small][-1]:g}, others to {values[-1]:g}"
        yield Doubt(f"'{name}' seems to have two scales: {shares}.")
    if len(values) < len(("odd", "one", "two")):
        return
    is_high = are_stars(values[:-1]) and values[-2] > 1 and values[-1] > 5 * values[-2]
    is_high |= np.abs(values[:-1]).max() <= MOST_STARS and values[-1] in _NO_RATING
    inner, odd, share = (values[:-1], values[-1], n[-1]) if is_high else (values[1:], values[0], n[0])
    share /= len(ratings)
    gap = inner[0] - odd
    is_low = odd <= 0 < inner[0] and are_stars(inner) and len(inner) > 1
    is_far = gap > 1.5 * np.median(np.diff(inner)) if len(inner) > 1 else False
    is_often = share > _SOME and inner[0] == 1 and inner[-1] in {5.0, 10.0}
    if is_high or (is_low and (odd < 0 or is_far or is_often)):
        yield Doubt(
            f"{100 * share:.0f} % of the ratings in '{name}' are {odd:g}, apart from the others ({inner[0]:g} to {inner[-1]:g}): "
            "it may stand for a missing rating.",
            (
                f"lowest={inner[0]:g},highest={inner[-1]:g},invalid=skip leaves out these rows",
                f"lowest={values[0]:g},highest={values[-1]:g} if {odd:g} is a rating",
            ),
            settled_by="scale",
        )
