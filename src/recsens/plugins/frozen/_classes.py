"""Classes whose arrays cannot be changed."""

from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import Any, Self, TypeVar, overload

from recsens.plugins.frozen._values import frozen

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
    """A property that is worked out once and is read-only; twice if two threads ask at once, to the same end."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(lambda each: frozen(function(each)))
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T:
        """Work it out, and keep it; without the lock of Python 3.11, which all objects of a class share."""
        if instance is None:
            return self
        assert self.attrname is not None
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value
