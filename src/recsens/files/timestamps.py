"""Time stamps: their unit, and their comparison with dates."""

import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from recsens.errors import DesignError

_UNITS = {"seconds": (1, 10**11), "milliseconds": (10**3, 10**14), "microseconds": (10**6, 10**17), "nanoseconds": (10**9, 2**63)}
"""Unit -> its number per second, and the bound below which a time stamp seems to be in this unit (about the year 5138)."""

_YEAR_1 = -62_135_596_800
"""The first second of Python's calendar."""

_ZONE = "(?:Z|[+-][0-9]{2}:?[0-9]{2})"
_MOMENT = re.compile(rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?{_ZONE}?)?")
"""A date, or a date and time, in the extended form of ISO 8601."""

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


def moment_in_seconds(text: str) -> int | None:
    """Convert an ISO 8601 date or time to whole seconds since 1970, in UTC unless the text names a zone; None for other text.

    Examples
    --------
    >>> moment_in_seconds("1970-01-02"), moment_in_seconds("1970-01-01 01:00:59.9+01:00"), moment_in_seconds("2021-02-30")
    (86400, 59, None)
    """
    if _MOMENT.fullmatch(text) is None:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return ((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)) - _EPOCH) // timedelta(seconds=1)


def moments_in_seconds(texts: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Apply `moment_in_seconds` to a column; None if some text is neither a date nor a time, or if only some texts name a zone."""
    if not pc.all(pc.match_substring_regex(texts, f"^{_MOMENT.pattern}$"), min_count=0).as_py():
        return None
    zoned = pc.match_substring_regex(texts, f":.*{_ZONE}$")
    n_zoned = pc.sum(zoned).as_py() or 0
    if n_zoned not in {0, len(texts)}:
        return None
    try:
        moments = texts.cast(pa.timestamp("us", tz="UTC" if n_zoned else None)).cast(pa.timestamp("us")).cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    seconds = np.asarray(moments) // 10**6
    # Arrow's calendar has a year 0.
    return None if seconds.min(initial=_YEAR_1) < _YEAR_1 else pa.chunked_array([pa.array(seconds, pa.int64())])


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


def comparable(moment: int | str, time: NDArray[np.int64], name: str, where: str) -> float:
    """Convert a time to the unit of the time stamps with which it is compared.

    Parameters
    ----------
    moment
        A date or time, or a number in the unit of the time stamps.
    time
        The time stamps.
    name, where
        The names of the parameter that gives the moment, and of its component.

    Raises
    ------
    DesignError
        If the moment is a date, which is compared in seconds, but the time stamps appear to have another unit.
    """
    unit = unit_of(time.max()) if len(time) else "seconds"
    if isinstance(moment, str) and unit != "seconds":
        raise DesignError(
            f"{where} compares time stamps with a date, in seconds since 1970, but the time stamps in these data look like "
            f"{unit}: the latest is {time.max()}",
            allowed="a number in the unit of the time stamps",
            remedy=f"write {name}={round(seconds_of(moment) * _UNITS[unit][0])}",
        )
    return seconds_of(moment)


def period(time: NDArray[np.int64]) -> str:
    """Describe the times of the first and last interaction."""
    first, last = int(time.min()), int(time.max())
    unit = unit_of(last)
    if unit != "seconds":
        return f"from {first} to {last}, which look like {unit}"
    if first < _YEAR_1:
        return f"from {first} to {last} seconds since 1970"
    return " to ".join(["from " + datetime.fromtimestamp(first, UTC).isoformat(), datetime.fromtimestamp(last, UTC).isoformat()])
