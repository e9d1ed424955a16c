"""Text files, plain or gzipped, whose undecodable or damaged places are named exactly."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Protocol, cast

from recsens.errors import DataError

BLOCK = 1 << 22
"""Bytes read at a time."""

_GZIP = b"\x1f\x8b"

_NOT_OF_FILES = {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
"""Python's codecs of text that no file is written in; what some of them read, halves of characters, cannot be written."""


class _Decoder(Protocol):
    def decode(self, raw: bytes, final: bool = ...) -> str: ...


def is_encoding(name: str) -> bool:
    """Whether Python knows a text encoding of this name in which files are written."""
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return codecs.lookup(name).name.replace("_", "-") not in _NOT_OF_FILES


def codec(name: str) -> str:
    """Return the codec that reads an encoding; a byte order mark at the start of UTF-8 is no part of the first field."""
    return "utf-8-sig" if codecs.lookup(name).name == "utf-8" else name


@contextlib.contextmanager
def explained(path: Path, encoding: str) -> Iterator[None]:
    """Turn what goes wrong while a text file is read into errors that name the place.

    Raises
    ------
    DataError
        If the file is missing, unreadable, a damaged gzip file, or not in the declared encoding (then with line and byte).
    """
    try:
        yield
    except UnicodeDecodeError as error:
        # The place is looked for from the start: a gzip file that is also cut off is told to be that.
        with explained(path, encoding):
            raise _undecodable(path, encoding) from error
    except UnicodeError as error:
        raise DataError(
            f"the file is not {encoding}: {error}",
            where=str(path),
            remedy="declare the file's encoding: utf-16-le, utf-16-be where there is no byte order mark",
        ) from error
    except FileNotFoundError as error:
        raise DataError(
            "no such file", where=str(path), remedy="check the path; relative paths start at the working directory"
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"the gzip file is damaged or cut off ({error})", where=str(path), remedy="fetch it again") from error
    except OSError as error:
        raise DataError(
            f"cannot be read: {error.strerror or error}", where=str(path), remedy="check the path and its permissions"
        ) from error


def open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    """Open a file for decoded reading; line ends stay as they are."""
    return io.TextIOWrapper(_open_bytes(path), encoding=codec(encoding), newline="")


def without_nul(lines: Iterable[str], path: Path, encoding: str) -> Iterator[str]:
    """Pass lines on.

    Raises
    ------
    DataError
        At the first line with a NUL character: the file is damaged, or holds two bytes a character.
    """
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise DataError(
                f"the line holds {line.count(chr(0)):,} NUL character{'s' * (line.count(chr(0)) > 1)}, which no text has",
                where=f"{path}:{number}",
                allowed=f"text encoded as {encoding}",
                remedy="fetch or write the file again; if every other character is one, declare encoding=utf-16-le or utf-16-be",
            )
        yield line


def decoded_blocks(path: Path, encoding: str) -> Iterator[str]:
    """Yield the decoded text block by block."""
    decoder = _decoder(encoding)
    with _open_bytes(path) as stream:
        while raw := stream.read(BLOCK):
            yield decoder.decode(raw)
    yield decoder.decode(b"", final=True)


def _decoder(encoding: str) -> _Decoder:
    return codecs.getincrementaldecoder(codec(encoding))()


def _open_bytes(path: Path) -> IO[bytes]:
    with path.open("rb") as stream:
        zipped = stream.read(len(_GZIP)) == _GZIP
    return cast("IO[bytes]", gzip.open(path, "rb")) if zipped else path.open("rb")


def _undecodable(path: Path, encoding: str) -> DataError:
    """Find the first undecodable byte, one byte at a time within the block that holds it."""
    decoder = _decoder(encoding)
    offset, line = 0, 1
    with _open_bytes(path) as stream:
        while raw := stream.read(BLOCK):
            try:
                line += decoder.decode(raw).count("\n")
            except UnicodeDecodeError as error:
                # The decoder counts from the bytes that it kept of the block before.
                kept = len(error.object) - len(raw)
                place = offset - kept + error.start
                line += error.object[: error.start].decode(codec(encoding)).count("\n")
                return _not_encoded(path, encoding, line, place, error.object[error.start])
            offset += len(raw)
    return _not_encoded(path, encoding, line, offset, None)


def _not_encoded(path: Path, encoding: str, line: int, offset: int, byte: int | None) -> DataError:
    culprit = "the file ends in the middle of a character" if byte is None else f"byte 0x{byte:02X}"
    return DataError(
        f"{culprit} (offset {offset}) is not {encoding}",
        where=f"{path}:{line}",
        allowed=f"text encoded as {encoding}",
        remedy="declare the file's encoding, for example encoding=latin-1, or convert the file",
    )
