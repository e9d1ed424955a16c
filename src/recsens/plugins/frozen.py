"""Read-only data: the arguments of plug-ins, and properties that are computed once."""

import copy
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from scipy.sparse import issparse

Value = TypeVar("Value")

_PARTS = ("data", "indices", "indptr", "row", "col", "offsets")
"""Arrays of a sparse matrix, whatever its format."""


_UNCHANGED = {str, int, float, bool, type(None)}
"""Types of list entries that need no view."""

T = TypeVar("T")


def frozen(value: Value) -> Value:
    """Return a read-only view of a value that shares its arrays; a list becomes a tuple.

    Writing into an array, or into an array of a sparse matrix, raises numpy's error. A sparse matrix becomes a new object with the
    same arrays; inserting an entry does not change the original. A dictionary becomes a read-only view of a new dictionary. Any
    other value is returned unchanged.
    """
    given: Any = value
    if isinstance(given, np.ndarray):
        given = _read_only_view(given)
    elif issparse(given):
        given = copy.copy(given)
        for part in _PARTS:
            if isinstance(array := vars(given).get(part), np.ndarray):
                setattr(given, part, _read_only_view(array))
    elif type(given) is dict:
        given = MappingProxyType({key: frozen(each) for key, each in given.items()})
    elif type(given) in {list, tuple}:
        given = tuple(given) if _UNCHANGED.issuperset(map(type, given)) else tuple(map(frozen, given))
    return cast("Value", given)


def _read_only_view(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if not array.flags.writeable:
        return array
    view = array.view()
    view.setflags(write=False)
    return view


class Frozen:
    """Base of data classes whose fields become read-only when an object is created.

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
        """Replace each field by a read-only view."""
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, frozen(getattr(self, field.name)))


class frozen_property(cached_property[T]):  # noqa: N801 - named like the decorator that it extends
    """A read-only property that is computed once. Two threads may both compute it, with the same result."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(lambda each: frozen(function(each)))
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    if not TYPE_CHECKING:

        def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
            """Compute and store the value, without the lock of Python 3.11, which all objects of a class would share."""
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
