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

_ZONE = "(?:Z|[+-][0-9]{2}:?[0-9]{2})"
_ISO = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?{_ZONE}?)?"
"""A date, or a date and time, in the extended form of ISO 8601."""

Dates = Literal["day_first", "month_first"]
"""The order of day and month in dates with slashes or dashes and the year last, such as 3/1/2021."""

ORDERS: tuple[Dates, ...] = ("day_first", "month_first")

_MOMENT = re.compile(_ISO)
_UTC, _APART = r" ?(?:UTC|GMT)$", r" ([+-][0-9]{2}:?[0-9]{2})$"
"""A zone in words, and a zone apart from the time."""

_OTHER_MOMENT = re.compile(
    r"(?:(?P<year>[0-9]{4})(?P<sign>[/.])(?P<month>[0-9]{1,2})[/.](?P<day>[0-9]{1,2})"
    r"|(?P<d>[0-9]{1,2})(?P<last>[./-])(?P<m>[0-9]{1,2})(?P=last)(?P<y>[0-9]{4}))"
    r"(?:,?[ T](?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)(?: ?(?P<half>[AaPp])[Mm])?)?"
)
"""Further forms: year first; with points, day first; and with slashes or dashes and the year last, in either order."""

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

    The forms are ISO 8601, perhaps with `` UTC`` at the end, ``2021/01/03 10:15``, ``03.01.2021 10:15`` and, if ``dates`` gives the
    order of day and month, ``3/1/2021 10:15``, ``03-01-2021`` and times such as ``10:15 PM``.

    Examples
    --------
    >>> [moment_in_microseconds(text) for text in ("1970-01-01 01:00:59.9+01:00", "03.01.1970", "1/2/1970")]
    [59900000, 172800000000, None]
    >>> moment_in_microseconds("1/2/1970", "month_first")
    86400000000
    """
    text = re.sub(_APART, r"\1", re.sub(_UTC, "Z", text))
    if _MOMENT.fullmatch(text) is None:
        other = _OTHER_MOMENT.fullmatch(text.removesuffix("Z"))
        has_two_meanings = other is not None and other["last"] in {"/", "-"}
        if other is None or (has_two_meanings and dates is None):
            return None
        year, month, day = other["year"] or other["y"], other["month"] or other["m"], other["day"] or other["d"]
        month, day = (day, month) if has_two_meanings and dates == "month_first" else (month, day)
        hour, _, rest = (other["time"] or "00:00").partition(":")
        if other["half"]:
            if not 1 <= int(hour) <= 12:
                return None
            hour = str(int(hour) % 12 + 12 * (other["half"] in "Pp"))
        text = f"{year}-{month:0>2}-{day:0>2} {hour:0>2}:{rest}"
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return ((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


def orders_of(texts: Iterable[str]) -> tuple[Dates, ...]:
    """Return the orders of day and month in which most dates of a column can be read; empty if every date has one meaning at most.

    An order is possible if most dates can be read in it, and the other order does not read more.
    """
    in_doubt = [text for text in map(str.strip, texts) if (found := _OTHER_MOMENT.match(text)) and found["last"] in {"/", "-"}]
    share = {order: sum(moment_in_microseconds(text, order) is not None for text in in_doubt) for order in ORDERS}
    best = max(share.values())
    return tuple(order for order in ORDERS if share[order] == best > len(in_doubt) / 2)


def readings_of(texts: Sequence[str]) -> dict[Dates, str]:
    """Return the two readings of a date, such as 2021-01-03 and 2021-03-01 of 3/1/2021; empty if a column's dates have one each."""
    if len(orders_of(texts)) < len(ORDERS):
        return {}
    both = ({order: moment_in_microseconds(text.strip(), order) for order in ORDERS} for text in texts)
    found = next((each for each in both if None not in each.values() and len(set(each.values())) > 1), {})
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

    A number may also have another unit, if it is whole.
    """
    if _NUMBER.fullmatch(text) is None:
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


_TO_ISO: dict[Dates, str] = {"day_first": r"\4-\3-\1", "month_first": r"\4-\1-\3"}


def in_one_unit(parts: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Convert times, each array in a unit of its own, to the finest of these units."""
    units = [per_second(unit_of(part.max(initial=0))) for part in parts]
    return [part * (max(units) // unit) for part, unit in zip(parts, units, strict=True)]


def moments(texts: pa.ChunkedArray, dates: Dates | None = None) -> pa.ChunkedArray | None:
    """Convert a column of dates and times to time stamps; None if a text has a rare form, or if only some texts name a zone.

    Dates such as 3/1/2021 are read in the order of day and month that ``dates`` gives.
    """
    texts = pc.replace_substring_regex(pc.replace_substring_regex(texts, _UTC, "Z"), _APART, r"\1")
    if dates is not None:
        for form, padded in ((r"^([0-9][/-])", r"0\1"), (r"^([0-9]{2}[/-])([0-9][/-])", r"\10\2"), (r" ([0-9]:)", r" 0\1")):
            texts = pc.replace_substring_regex(texts, form, padded)
        texts = pc.replace_substring_regex(texts, r"^([0-9]{2})([/-])([0-9]{2})[/-]([0-9]{4})", _TO_ISO[dates])
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


def comparable(moment: int | str, time: NDArray[np.int64]) -> float:
    """Convert a date or time to the unit of the time stamps with which it is compared; a number is in this unit already."""
    unit = unit_of(time.max()) if len(time) else "seconds"
    return moment if isinstance(moment, int) else round(seconds_of(moment) * _UNITS[unit][0], 6)


def period(time: NDArray[np.int64]) -> str:
    """Describe the times of the first and last interaction."""
    first, last = int(time.min()), int(time.max())
    unit = unit_of(last)
    ends = [end // per_second(unit) for end in (first, last)]
    if ends[0] < _YEAR_1:
        return f"from {first} to {last} {unit} since 1970"
    said = " to ".join(datetime.fromtimestamp(end, UTC).isoformat() for end in ends)
    return f"from {said}{'' if unit == 'seconds' else f', in {unit}'}"
