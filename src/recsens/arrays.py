"""Types of arrays that most of the library handles (docstrings give the shapes), digests, read-only arrays, groups of values."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Reals = NDArray[np.floating[Any]]
"""Floats of any width."""
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]
"""Numbers of users or items, as in `Interactions`."""
Bools = NDArray[np.bool_]

Code = TypeVar("Code", bound=np.generic)
Key = TypeVar("Key")
Value = TypeVar("Value")


def digest_of(*arrays: NDArray[np.generic]) -> str:
    """Return a digest of arrays and their lengths, as 16 hexadecimal digits."""
    digest = sha256()
    for array in arrays:
        digest.update(len(array).to_bytes(8, "little") + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def read_only(codes: NDArray[Code]) -> NDArray[Code]:
    """Return codes or keys in the form that compiled functions need: contiguous and read-only, as if read from a file.

    The compiler would treat a writable array as a different type.
    """
    frozen = np.ascontiguousarray(codes).view()
    frozen.setflags(write=False)
    return frozen


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Collect values by key; the keys are in order of first occurrence."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def in_order(values: Iterable[str]) -> list[str]:
    """List the distinct values in order of first occurrence."""
    return list(dict.fromkeys(values))


def equal_scores(user: Ids, above: Ints) -> Ints:
    """Return the group of equal scores of each row: rows of one user that have the same number of items above them."""
    # Convert first: NumPy before 2 keeps 32 bits if only one factor is an array, and groups of different users could share a
    # number.
    _, group = np.unique(user.astype(np.int64) * (above.max(initial=0) + 1) + above, return_inverse=True)
    return group.astype(np.int64)


def places_in_groups(group: Ints, *keys: NDArray[np.generic]) -> Ints:
    """Return each row's place in its group, counted from 0. The last key is the primary sort key."""
    order = np.lexsort((*keys, group))
    starts = np.searchsorted(group[order], group[order])
    places = np.empty(len(group), dtype=np.int64)
    places[order] = np.arange(len(group)) - starts
    return places
