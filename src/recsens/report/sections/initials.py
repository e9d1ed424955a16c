"""Short names of systems, for narrow columns."""

import re
from collections.abc import Iterator, Sequence

_SHORT = 4
"""A name with at most this many letters is not shortened."""


def initials(systems: Sequence[str]) -> dict[str, str]:
    """Assign each system a unique name, of at most four letters if possible: its label, the initials, or a part of the label.

    Examples
    --------
    >>> initials(["Popularity", "kNN", "MF as printed", "MF", "Pop art"])
    {'Popularity': 'P', 'kNN': 'kNN', 'MF as printed': 'Map', 'MF': 'MF', 'Pop art': 'Pa'}
    """
    names = {system: system for system in systems if len(system) <= _SHORT}
    for system in systems:
        if system not in names:
            names[system] = next(name for name in _candidates(system) if name not in names.values())
    return {system: names[system] for system in systems}


def _candidates(system: str) -> Iterator[str]:
    words = re.findall(r"\w+", system.replace("_", " ")) or [system]
    if 1 < len(words) <= _SHORT:
        yield "".join(word[0] for word in words)
    letters = "".join(words)
    yield letters[0]
    yield from (letters[0] + letter for letter in letters[1:])
    yield from (f"{letters[0]}{number}" for number in range(2, 10**_SHORT))
