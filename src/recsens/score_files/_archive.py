"""The named arrays of an npz file, read without pickle; every error names the file and the array."""

import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import psutil
from numpy.lib import format as npy
from numpy.typing import NDArray

from recsens.errors import DataError, nearest
from recsens.files.text import lines

REWRITE = "write it with numpy.savez, without pickle; docs/scores-format.md lists the arrays of each form"
"""The advice about an archive with unexpected content."""

_END = ".npy"
_GIB = 2**30

_MOST_UNPACKED, _ALWAYS_UNPACKED = 100, 2**28
"""Number of times by which an array may be larger than its part of the file, and number of bytes that it may always need."""

_ALWAYS_NAMED = 2**20
"""Number of names that a file may always have. More names need a byte each in the file, because they differ."""

_TYPES = {"f": "floats of 16, 32 or 64 bits", "iu": "whole numbers", "U": "text", "Uiu": "text or whole numbers"}
_MOST_BYTES_OF_FLOAT = 8


class NamedArrays:
    """The arrays of an open archive, by name; an array is read only when it is requested.

    Raises DataError if the archive contains anything other than arrays.
    """

    def __init__(self, source: str, archive: zipfile.ZipFile) -> None:
        self.source = source
        self._archive = archive
        names = archive.namelist()
        strange = next((name for name in names if not name.endswith(_END)), None)
        if strange is not None:
            raise DataError(f"contains '{strange}', which is not a numpy array", where=self.source, remedy=REWRITE)
        repeated = next((name for name, n in Counter(names).items() if n > 1), None)
        if repeated is not None:
            raise DataError(f"contains '{repeated}' twice", where=self.source, remedy=REWRITE)
        self._members = {name.removesuffix(_END): name for name in names}

    @property
    def names(self) -> list[str]:
        """The arrays' names."""
        return list(self._members)

    def refuse_others(self, known: Sequence[str], kind: str) -> None:
        """Refuse arrays that this form does not have, because a misspelt name would otherwise be ignored silently.

        Raises DataError for the first such array.
        """
        other = next((name for name in self._members if name not in known), None)
        if other is not None:
            raise DataError(
                f"a file of {kind} has no array '{other}'{nearest(other, known)}",
                where=self.source,
                allowed=", ".join(known),
                remedy="rename the array, or leave it out",
            )

    def array(self, name: str, kinds: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """Return an array after checking the kind of its type (``f``, ``iu``, ``U``) and its shape, in which None is any length.

        Raises DataError if the array is missing or damaged, or if its type or shape is wrong.
        """
        if name not in self._members:
            held = ", ".join(self._members) or "no arrays"
            raise DataError(f"the array '{name}' is missing", where=self.source, allowed=f"holds {held}", remedy=REWRITE)
        info = self._archive.getinfo(self._members[name])
        with self._name_in_errors(name), self._archive.open(info) as stream:
            found, is_fortran, dtype = read_header(stream)
            start, n_bytes = stream.tell(), math.prod(found) * dtype.itemsize
            if n_bytes != info.file_size - start:
                raise ValueError(f"its header says {n_bytes:,} bytes, but it contains {info.file_size - start:,}")
        if dtype.kind not in kinds or (dtype.kind == "f" and dtype.itemsize > _MOST_BYTES_OF_FLOAT):
            raise self.fault(name, f"contains {dtype}", _TYPES[kinds])
        if len(found) != len(shape) or any(n is not None and n != own for n, own in zip(shape, found, strict=True)):
            raise self.fault(name, f"has the shape {_shape_text(found)}", _shape_text(shape))
        self._refuse_unpacking(name, info, math.prod(found) if "U" in kinds else 0)
        with self._name_in_errors(name):
            content = self._archive.read(info)
            flat: NDArray[Any] = np.frombuffer(content, dtype=dtype, offset=start) if n_bytes else np.empty(0, dtype)
            return in_native_order(flat.reshape(found, order="F" if is_fortran and n_bytes else "C"))

    def optional(self, name: str, kinds: str, shape: tuple[int | None, ...]) -> NDArray[Any] | None:
        """Return an array as `array` does; None if the file lacks it."""
        return self.array(name, kinds, shape) if name in self._members else None

    def finite(self, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """Return an array of floats after checking that all are finite.

        Raises the same errors as `array`, and DataError if a value is infinite or NaN.
        """
        array = self.array(name, "f", shape)
        if not np.isfinite(array).all():
            place = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
            raise self.fault(name, f"contains {float(array[place])} at {_shape_text(place)}", "finite numbers")
        return array

    def word(self, name: str, words: Sequence[str], default: str | None = None) -> str:
        """Return the word in a scalar text array, or the default if the file has no such array.

        Raises DataError if the array does not contain one of ``words``.
        """
        if default is not None and name not in self._members:
            return default
        word = str(self.array(name, "U", ()))
        if word not in words:
            raise self.fault(name, f"says '{word}'{nearest(word, words)}", ", ".join(words))
        return word

    def refuse_overflow(self, most: float, names: Mapping[str, NDArray[Any]]) -> None:
        """Raise a DataError if the largest size ``most`` that a score can have, computed from the named arrays, is not finite."""
        if not np.isfinite(most):
            largest = ", ".join(f"'{name}' up to {np.abs(array).max():.2g}" for name, array in names.items())
            raise DataError(
                f"scores could be infinite: the numbers are too large to be multiplied and added ({largest} in size)",
                where=self.source,
                allowed=f"scores up to {np.finfo(np.float64).max:.1e} in size",
                remedy="check whether the training diverged",
            )

    def fault(self, name: str, problem: str, allowed: str) -> DataError:
        """Return the error about an array with invalid content."""
        return DataError(f"the array '{name}' {problem}", where=self.source, allowed=allowed, remedy=REWRITE)

    def _refuse_unpacking(self, name: str, info: zipfile.ZipInfo, n_names: int) -> None:
        """Refuse an array, before reading it, that needs more memory than there is, or than its part of the file accounts for."""
        size, packed, available = info.file_size, info.compress_size, psutil.virtual_memory().available
        why, remedy = (
            f"only {available / _GIB:.1f} GiB are available",
            "write dense scores as npy, which is mapped, or write factors",
        )
        if size > max(_ALWAYS_UNPACKED, _MOST_UNPACKED * packed) or n_names > max(_ALWAYS_NAMED, packed):
            why, remedy = f"only {packed:,} bytes are in the file", "check the file; if it is right, write it without compression"
        elif size <= available:
            return
        raise DataError(f"the array '{name}' needs {size / _GIB:.1f} GiB, but {why}", where=self.source, remedy=remedy)

    @contextmanager
    def _name_in_errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, TypeError, RuntimeError, MemoryError) as error:
            raise DataError(f"the array '{name}' cannot be read: {_told(error)}", where=self.source, remedy=REWRITE) from error


@contextmanager
def named_arrays(path: Path) -> Iterator[NamedArrays]:
    """Open an archive, and close it once its arrays have been read.

    Raises DataError if the file is not an archive of arrays.
    """
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise DataError("no such file", where=str(path)) from error
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:  # NotImplementedError: a later version of zip.
        raise DataError(f"not a readable npz archive: {error}", where=str(path), remedy=REWRITE) from error
    with archive:
        yield NamedArrays(str(path), archive)


def read_header(stream: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return an npy file's shape, whether its order is Fortran's, and its type; leave the stream at the start of the data.

    Raises ValueError if the file is not npy, or contains objects.
    """
    version = npy.read_magic(stream)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"is version {version[0]}.{version[1]} of npy; only 1.0 and 2.0 can be read")
    try:
        shape, is_fortran, dtype = readers[version](stream)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, TokenError) as error:
        raise ValueError("its header is not one that numpy.save writes") from error
    if dtype.hasobject:
        raise ValueError("it contains Python objects, which only pickle could read")
    return shape, is_fortran, dtype


def in_native_order(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in this machine's byte order."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


def _shape_text(shape: Sequence[int | None]) -> str:
    listed = ", ".join("any" if n is None else str(n) for n in shape)
    return f"({listed}{',' if len(shape) == 1 else ''})"


def names_in(arrays: NamedArrays, what: str) -> list[str]:
    """Return the user or item names of an archive; whole numbers become decimal text.

    Raises DataError if there are no names, or if a name is empty or occurs twice.
    """
    ids = arrays.array(what, "Uiu", (None,))
    names = [str(name) for name in ids.tolist()]
    _check_names(names, f"{arrays.source}: the array '{what}'", what, lambda place: f"index {place}")
    return names


def names_beside(path: Path, what: str) -> list[str]:
    """Return the names in a text file, one per line.

    Raises DataError if the file is missing or not UTF-8, and the same errors as `names_in`.
    """
    names = [line.rstrip("\r\n") for line in lines(path, "utf-8")]
    # The end of the last line does not begin another name.
    names = names[:-1] if names and not names[-1] else names
    _check_names(names, str(path), what, lambda place: f"line {place + 1}")
    return names


def _check_names(names: Sequence[str], where: str, what: str, place: Callable[[int], str]) -> None:
    if not names:
        raise DataError(f"no {what} are named", where=where, allowed="at least one name")
    places = dict(zip(names, range(len(names)), strict=True))
    if "" in places:
        raise DataError(f"the name at {place(names.index(''))} is empty", where=where, allowed="any non-empty text")
    if len(places) < len(names):
        again = next(index for index, name in enumerate(names) if places[name] != index)
        name = names[again]
        raise DataError(
            f"'{name}' at {place(places[name])} appears before, at {place(again)}",
            where=where,
            remedy=f"name each of the {what} once",
        )
    try:
        "".join(names).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a name is not valid text: {error.reason}", where=where, allowed="Unicode text") from error
