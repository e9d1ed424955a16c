"""Classes whose arrays cannot be changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import Any, TypeVar

from recsens.frozen._values import frozen

T = TypeVar("T")


class Frozen:
    """Base of data classes whose fields become read-only when an object is made.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> @dataclass(frozen=True)
    ... class Sizes(Frozen):
    ...     users: np.ndarray
    >>> Sizes(np.zeros(3)).users[0] = 1
    Traceback (most recent call last):
    ...
    ValueError: assignment destination is read-only
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        """Replace each field by a read-only view of it."""
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, frozen(getattr(self, field.name)))


class frozen_property(cached_property[T]):  # noqa: N801 - named like the decorator that it extends
    """A property that is worked out once and is read-only."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(lambda each: frozen(function(each)))
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
