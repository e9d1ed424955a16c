"""Time stamps: texts that stand for them, their unit, and their comparison with dates."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from recsens.errors import DataError

_UNITS = {"seconds": (1, 10**11), "milliseconds": (10**3, 10**14), "microseconds": (10**6, 10**17), "nanoseconds": (10**9, 2**63)}
"""Unit -> its number per second, and the bound below which a time stamp seems to be in this unit (about the year 5138)."""

_YEAR_1 = -62_135_596_800
"""The first second of Python's calendar."""

_ZONE = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_ISO = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?{_ZONE}?)?"
"""A date, or a date and time, in the extended form of ISO 8601."""

Dates = Literal["day_first", "month_first", "year_first"]
"""The order of day, month and year in dates that show none, such as 3/1/2021, 24/12/31 or 20211231."""

ORDERS: tuple[Dates, ...] = ("day_first", "month_first", "year_first")

_MOMENT = re.compile(_ISO)
_UTC, _APART = r" ?(?:UTC|GMT)$", r" ([+-][0-9]{2}:?[0-9]{2})$"
"""A zone in words, and a zone apart from the time."""

_OTHER_MOMENT = re.compile(
    r"(?:(?P<year>[0-9]{4})(?P<sign>[/.])(?P<month>[0-9]{1,2})[/.](?P<day>[0-9]{1,2})"
    r"|(?P<d>[0-9]{1,2})(?P<last>[./-])(?P<m>[0-9]{1,2})(?P=last)(?P<y>(?:[0-9]{2}){1,2}))"
    rf"(?:,?[ T](?P<time>[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?)(?: ?(?P<half>[AaPp])[Mm])?(?P<zone>{_ZONE})?)?"
)
"""Further forms: year first; with points, day first; and with slashes, dashes or a year of two digits, in any order."""

_IN_JAPANESE = (r"^([0-9]{4})年 ?([0-9]{1,2})月 ?([0-9]{1,2})日", r"\1/\2/\3")
_POINTS_IN_TIME = (
    r"^([0-9]{1,4}([/-])[0-9]{1,2}\2[0-9]{1,4} [0-9]{1,2})\.([0-9]{2})(?:\.([0-9]{2}))?$",
    lambda found: ":".join(filter(None, found.group(1, 3, 4))),
)
_IN_LOGS = (r"^([0-9]{2})/([A-Z][a-z]{2})/([0-9]{4}):", r"\1 \2 \3 ")
"""Days as in Japanese and Chinese, times with points, as in Italian, and those of web servers; each with what it is replaced by."""

_COMPACT = re.compile(r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})(?:([0-9]{2})([0-9]{2})([0-9]{2}))?")
"""A day, or a day and time, written as a number: 20211231 and 20211231221500."""

_WORDED = re.compile(
    r"(?i)(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(.*?)(?<![a-z])(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|"
    r"july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?(.*)"
)
"""A date with the English name of a month, perhaps after that of a weekday."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = re.compile(r",? ([0-9]{1,2}:[0-9]{2}[0-9:.]*(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?)")
_DAY_AND_YEAR = re.compile(r"[ -]*([0-9]{1,2})[ ,-]+([0-9]{4}|[0-9]{2})")

_NUMBER = re.compile(r"[+-]?[0-9]{1,99}(?:\.[0-9]{0,30})?")

_MICROSECONDS = 10**6

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def unit_of(latest: float) -> str:
    """Guess the unit of a data set's time stamps from the latest: seconds if it is below 10^11, milliseconds if below 10^14, ..."""
    return next((unit for unit, (_, bound) in _UNITS.items() if latest < bound), "nanoseconds")


def per_second(unit: str) -> int:
    """Return the number of units in a second."""
    return _UNITS[unit][0]


def date_of(timestamp: float, unit: str) -> str:
    """Return the date of a time stamp, such as 2001-12-31, or the number of seconds if it lies before the year 1."""
    seconds = int(timestamp) // _UNITS[unit][0]
    return f"{seconds} s" if seconds < _YEAR_1 else datetime.fromtimestamp(seconds, UTC).date().isoformat()


def moment_in_microseconds(text: str, dates: Dates | None = None) -> int | None:
    """Convert a date or time to microseconds since 1970, in UTC unless the text names a zone; None for other text.

    The forms are ISO 8601, perhaps with `` UTC`` at the end, ``2021/01/03 10:15``, ``03.01.2021 10:15``, ``03.01.21``, English
    names of months, as in ``3 Jan 2021, 10:15``, ``03/Jan/2021:10:15:00 +0000`` and ``Sun Jan 03 10:15:00 +0000 2021``, and, if
    ``dates`` gives the order of day, month and year, ``3/1/2021 10:15``, ``03-01-21``, ``20210103`` and times such as ``10:15 PM``.
    Years of two digits are 1969 to 2068.

    Examples
    --------
    >>> [moment_in_microseconds(text) for text in ("1970-01-01 01:00:59.9+01:00", "03.01.1970", "1/2/1970")]
    [59900000, 172800000000, None]
    >>> moment_in_microseconds("1/2/1970", "month_first"), moment_in_microseconds("19700102", "year_first")
    (86400000000, 86400000000)
    """
    text = re.sub(
        _APART, r"\1", re.sub(_UTC, "Z", _in_numbers(re.sub(*_IN_LOGS, re.sub(*_POINTS_IN_TIME, re.sub(*_IN_JAPANESE, text)))))
    )
    if dates == "year_first" and (compact := _COMPACT.fullmatch(text)):
        text = "{}-{}-{} {}:{}:{}".format(*compact.groups("00"))
    if _MOMENT.fullmatch(text) is None:
        other = _OTHER_MOMENT.fullmatch(text)
        if other is None:
            return None
        year, month, day = other["year"], other["month"], other["day"]
        if year is None:
            is_short, order = len(other["y"]) == len("21"), dates
            if other["last"] == "." and not (is_short and dates == "year_first"):
                order = "day_first"
            if order is None or (order == "year_first" and not is_short):
                return None
            places = {"day_first": "ymd", "month_first": "ydm", "year_first": "dmy"}[order]
            year, month, day = (other[place] for place in places)
            year = f"{'19' if year > '68' else '20'}{year:0>2}" if is_short else year
        hour, _, rest = (other["time"] or "00:00").partition(":")
        if other["half"]:
            if not 1 <= int(hour) <= 12:
                return None
            hour = str(int(hour) % 12 + 12 * (other["half"] in "Pp"))
        text = f"{year}-{month:0>2}-{day:0>2} {hour:0>2}:{rest}{other['zone'] or ''}"
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return ((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


def _in_numbers(text: str) -> str:
    """Write a date with the English name of a month in numbers: 3 Jan 2021 10:15 as 3.1.2021 10:15. Other text does not change."""
    if (worded := _WORDED.fullmatch(text)) is None:
        return text
    before, month, after = worded.groups()
    rest = f"{before} {after}"
    clock = _CLOCK.search(rest)
    named = _DAY_AND_YEAR.fullmatch(_CLOCK.sub("", rest, count=1).strip())
    if named is None:
        return text
    return f"{named[1]}.{_MONTHS.index(month[:3].lower()) + 1}.{named[2]}{f' {clock[1]}' if clock else ''}"


def orders_of(texts: Iterable[str]) -> tuple[Dates, ...]:
    """Return the orders of day, month and year in which most dates of a column can be read; empty if each has one meaning at most.

    An order is possible if most dates can be read in it, and no other order reads more. Of years of two digits, there are fewer
    than of days.
    """
    forms = {text: (_COMPACT.fullmatch(text), _OTHER_MOMENT.match(text)) for text in set(map(str.strip, texts))}
    in_doubt = [text for text, (day, other) in forms.items() if day or (other and other["last"] in {"/", "-"})]
    share = {order: sum(moment_in_microseconds(text, order) is not None for text in in_doubt) for order in ORDERS}
    best = max(share.values())
    found = [order for order in ORDERS if share[order] == best > len(in_doubt) / 2]
    if len(found) > 1 and "year_first" in found:
        days, years = (len({re.split("[/-]", text[:8])[at] for text in in_doubt}) for at in (0, 2))
        found = [order for order in found if days == years or (order == "year_first") == (days < years)]
    return tuple(found)


def readings_of(texts: Sequence[str]) -> dict[Dates, str]:
    """Return the readings of a date, such as 2021-01-03 and 2021-03-01 of 3/1/2021; empty if a column's dates have one each."""
    if len(orders := orders_of(texts)) < len(("one", "other")):
        return {}
    each_read = ({order: moment_in_microseconds(text.strip(), order) for order in orders} for text in texts)
    found = next((each for each in each_read if None not in each.values() and len(set(each.values())) > 1), {})
    return {order: date_of(time, "microseconds") for order, time in found.items() if time is not None}


def order_of(texts: Sequence[str], where: str) -> Dates | None:
    """Return the only order of day and month in which a column's dates can be read; None if every date has one meaning at most.

    Raises DataError if they can be read in both orders.
    """
    if readings := readings_of(texts):
        problem = f"the dates could be day or month first: one is {' or '.join(readings.values())}"
        raise DataError(problem, where=where, allowed=" or ".join(f"dates={order}" for order in readings))
    return next(iter(orders_of(texts)), None)


def time_in_microseconds(text: str, dates: Dates | None = None) -> int | None:
    """Convert a number of seconds, a date or a time to microseconds since 1970; None for other text.

    A number may also have another unit, if it is whole, or be a day (20211231) if ``dates`` says so.
    """
    if _NUMBER.fullmatch(text) is None or (dates == "year_first" and _COMPACT.fullmatch(text)):
        return moment_in_microseconds(text, dates)
    whole, _, fraction = text.partition(".")
    if fraction.strip("0") and unit_of(abs(int(whole))) != "seconds":
        return None
    time = int(whole) * _MICROSECONDS + (-1 if text.startswith("-") else 1) * int(f"{fraction[:6]:0<6}")
    return time if -(2**63) <= int(whole) < 2**63 else None


def time_stamps(microseconds: Sequence[int]) -> NDArray[np.int64]:
    """Return times as time stamps: microseconds if one of them has a fraction of a second, otherwise seconds.

    Raises DataError if a time has no 64 bits.
    """
    per_unit = 1 if any(time % _MICROSECONDS for time in microseconds) else _MICROSECONDS
    try:
        return np.array([time // per_unit for time in microseconds], dtype=np.int64)
    except OverflowError as error:
        problem = "some times have fractions of a second, and others another unit, such as microseconds"
        raise DataError(problem, remedy="write all times in one unit") from error


_PADDED = ((r"^([0-9][/-])", r"0\1"), (r"^([0-9]{2}[/-])([0-9][/-])", r"\10\2"), (r" ([0-9]:)", r" 0\1"))
_YEAR_LAST = r"^([0-9]{2})([/-])([0-9]{2})[/-]([0-9]{4})"
_TO_ISO: dict[Dates, tuple[tuple[str, str], ...]] = {
    "day_first": (*_PADDED, (_YEAR_LAST, r"\4-\3-\1")),
    "month_first": (*_PADDED, (_YEAR_LAST, r"\4-\1-\3")),
    "year_first": ((r"^([0-9]{4})([0-9]{2})([0-9]{2})$", r"\1-\2-\3"),),
}
"""Order of day, month and year -> replacements in turn that write most dates of this order in the form of ISO 8601."""


def in_one_unit(parts: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Convert times, each array in a unit of its own, to the finest of these units."""
    units = [per_second(unit_of(part.max(initial=0))) for part in parts]
    return [part * (max(units) // unit) for part, unit in zip(parts, units, strict=True)]


_HUNDREDFOLD, _AFTER_1973 = 100, 10**8
"""Times in one unit never differ by this factor if all lie after this second."""


def mixed_units(times: NDArray[np.int64]) -> str:
    """Say from where to where times run that seem to have two units, such as seconds and milliseconds; empty if they have one."""
    after = times[times > 0]
    lowest, highest = (int(after.min()), int(after.max())) if len(after) else (1, 1)
    if lowest < _AFTER_1973 or highest // lowest < _HUNDREDFOLD:
        return ""
    return f"they run from {lowest} ({unit_of(lowest)}?) to {highest} ({unit_of(highest)}?)"


def days_as_seconds(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return days that are written as numbers, such as 20211231, as seconds since 1970; other times do not change."""
    numbers = np.unique(times) if len(times) and 19_000_101 <= times.min() <= times.max() <= 20_991_231 else times[:0]
    days = [moment_in_microseconds(str(number), "year_first") for number in numbers]
    if not days or None in days:
        return times
    return np.array([(day or 0) // _MICROSECONDS for day in days])[np.searchsorted(numbers, times)]


def parse_times(texts: pa.ChunkedArray, dates: Dates | None = None) -> pa.ChunkedArray | None:
    """Convert a column of dates and times to time stamps; None if a text has a rare form, or if only some texts name a zone.

    Dates such as 3/1/2021 and 20211231 are read in the order of day, month and year that ``dates`` gives.
    """
    texts = pc.replace_substring_regex(pc.replace_substring_regex(texts, _UTC, "Z"), _APART, r"\1")
    for form, written in _TO_ISO[dates] if dates is not None else ():
        texts = pc.replace_substring_regex(texts, form, written)
    if not pc.all(pc.match_substring_regex(texts, f"^{_ISO}$"), min_count=0).as_py():
        return None
    zoned = pc.match_substring_regex(texts, f":.*{_ZONE}$")
    n_zoned = pc.sum(zoned).as_py() or 0
    if n_zoned not in {0, len(texts)}:
        return None
    try:
        found = texts.cast(pa.timestamp("us", tz="UTC" if n_zoned else None))
    except pa.ArrowInvalid:
        return None
    times = stamps_of(found)
    # Arrow's calendar has a year 0.
    return None if pc.min(found.cast(pa.timestamp("s"), safe=False).cast(pa.int64())).as_py() < _YEAR_1 else times


def stamps_of(times: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of dates, times or numbers of seconds as time stamps.

    They are in microseconds if one of them has a fraction of a second. Missing times stay null.
    """
    if pa.types.is_floating(times.type):
        whole = times.cast(pa.int64(), safe=False)
        if pc.all(pc.equal(whole, times), min_count=0).as_py():
            return whole
        return pc.round(pc.multiply(times.cast(pa.float64()), float(_MICROSECONDS))).cast(pa.int64())
    exact = times.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    seconds = pc.divide(exact, _MICROSECONDS)
    has_fractions = not pc.all(pc.equal(pc.multiply(seconds, _MICROSECONDS), exact), min_count=0).as_py()
    return exact if has_fractions else seconds


def seconds_of(moment: int | str) -> float:
    """Convert an ISO 8601 date or time (in UTC unless it names a zone) to seconds since 1970; numbers do not change."""
    if isinstance(moment, int):
        return moment
    parsed = datetime.fromisoformat(moment)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def check_moment(moment: int | str | None) -> int | str | None:
    """Return a parameter that is a time; raises ValueError for text that is neither a date nor a time."""
    if isinstance(moment, str):
        try:
            datetime.fromisoformat(moment)
        except ValueError as error:
            raise ValueError('is not a date or time such as 2000-12-31 or "2000-12-31T18:00:00"') from error
    return moment


def in_unit_of(moment: int | str, time: NDArray[np.int64]) -> float:
    """Convert a date or time to the unit of the time stamps with which it is compared; a number is in this unit already."""
    unit = unit_of(time.max()) if len(time) else "seconds"
    return moment if isinstance(moment, int) else round(seconds_of(moment) * _UNITS[unit][0], 6)


def period_in_words(time: NDArray[np.int64]) -> str:
    """Describe the times of the first and last interaction."""
    first, last = int(time.min()), int(time.max())
    unit = unit_of(last)
    ends = [end // per_second(unit) for end in (first, last)]
    if ends[0] < _YEAR_1:
        return f"from {first} to {last} {unit} since 1970"
    said = " to ".join(datetime.fromtimestamp(end, UTC).isoformat() for end in ends)
    return f"from {said}{'' if unit == 'seconds' else f', in {unit}'}"
