"""Time limits for jobs that hang: durations as profiles write them."""

import re

from recsens.errors import ConfigError

RESOURCE = "limit"
"""The rule resource that a profile sets: ``set-resources: {fit: {limit: 30 min}}``, or ``default-resources`` for all rules."""

_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|min|h|d)\s*")


def seconds(written: object) -> float | None:
    """Parse a duration such as ``30 min``; None stays None.

    Raises
    ------
    ConfigError
        If the text is not a number above zero with a unit.

    Examples
    --------
    >>> seconds("30 min"), seconds("1.5h"), seconds(None)
    (1800.0, 5400.0, None)
    """
    if written is None:
        return None
    found = _DURATION.fullmatch(str(written))
    if found is None or float(found[1]) == 0:
        raise ConfigError(
            f"{RESOURCE}: '{written}' is not a duration",
            where="set-resources or default-resources of the profile",
            allowed="a number above zero and a unit: 45 s, 30 min, 2 h or 1 d",
        )
    return float(found[1]) * _SECONDS[found[2]]
