"""Other common names for the keys of a study."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from recsens.errors import SpecError

_log = logging.getLogger(__name__)

OTHER_NAMES = {
    "systems": ("models", "recommenders", "algorithms"),
    "datasets": ("data",),
    "metrics": ("measures",),
    "compare": ("comparisons", "pairs"),
}
"""Other names for each key of a study."""


def with_our_names(content: Mapping[Any, Any], known: Iterable[str]) -> dict[Any, Any]:
    """Rename keys of a mapping if they are other names for ``known`` keys, and log each change.

    Raises
    ------
    SpecError
        If the mapping has two names of the same key.
    """
    taken = {other: key for key, others in OTHER_NAMES.items() if key in set(known) for other in others}
    written: dict[str, str] = {}
    for name in content:
        key = taken.get(name, name)
        if key in written:
            raise SpecError(f"'{written[key]}' and '{name}' are names of the same key", remedy=f"write everything under '{key}'")
        written[key] = name
    for key, name in written.items():
        if key != name:
            _log.info("key '%s' is read as %s", name, key)
    return {taken.get(name, name): value for name, value in content.items()}
