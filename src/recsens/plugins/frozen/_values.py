"""Read-only views of values: arrays, sparse matrices, and sequences and mappings of them."""

import copy
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
from scipy.sparse import issparse

Value = TypeVar("Value")

_PARTS = ("data", "indices", "indptr", "row", "col", "offsets")
"""Arrays of a sparse matrix, whatever its format."""


def frozen(value: Value) -> Value:
    """Return a read-only view of a value; nothing is copied but lists, which become tuples.

    A write into an array, or into an array of a sparse matrix, raises numpy's error. A sparse matrix is a new object around the
    same arrays, so that inserting an entry does not change the original. A dictionary becomes a read-only view of a new one. Any
    other value is returned as it is.
    """
    return cast("Value", _frozen(value))


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _view(value)
    if issparse(value):
        return _matrix(value)
    if type(value) is dict:
        return MappingProxyType({key: _frozen(each) for key, each in value.items()})
    if type(value) in {list, tuple}:
        return tuple(map(_frozen, value))
    return value


def _view(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if not array.flags.writeable:
        return array
    view = array.view()
    view.setflags(write=False)
    return view


def _matrix(matrix: Any) -> Any:
    shell = copy.copy(matrix)
    for part in _PARTS:
        if isinstance(array := vars(shell).get(part), np.ndarray):
            setattr(shell, part, _view(array))
    return shell
