"""What follows from test ratings alone, whatever the ranking."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Memo:
    """What is worked out once for all rankings of the same ratings, such as the ideal ranking of each user.

    It must not depend on the order of a user's ratings, which differs from ranking to ranking.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def once(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return what was found under a key, or find it."""
        if key not in self._known:
            self._known[key] = work()
        found: T = self._known[key]
        return found
