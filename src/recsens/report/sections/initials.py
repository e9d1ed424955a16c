"""Short names of systems, for narrow columns."""

import re
from collections.abc import Iterator, Sequence

_LONGEST = 7
"""A name with at most this many characters is not shortened."""


def initials(systems: Sequence[str]) -> dict[str, str]:
    """Give each system a unique name of about seven letters, in which each word of a longer label has equally many letters.

    Examples
    --------
    >>> initials(["Popularity", "Item kNN", "User kNN", "MF", "Populariser"])
    {'Popularity': 'Popular', 'Item kNN': 'ItekNN', 'User kNN': 'UsekNN', 'MF': 'MF', 'Populariser': 'Popular2'}
    """
    names = {system: system for system in systems if len(system) <= _LONGEST}
    for system in systems:
        if system not in names:
            names[system] = next(name for name in _candidates(system) if name not in names.values())
    return {system: names[system] for system in systems}


def _candidates(system: str) -> Iterator[str]:
    words = re.findall(r"[^\W_]+", system)[:_LONGEST] or [system]
    short = "".join(word[: _LONGEST // len(words)] for word in words)
    yield short
    yield from (f"{short}{number}" for number in range(2, 10**6))
