"""Text files, plain or gzipped: decoded, and refused with line and byte where they are no text."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from recsens.errors import DataError

BLOCK = 1 << 20
"""Bytes read at a time: few enough that what is computed of them stays in the cache."""

_GZIP = b"\x1f\x8b"
_UNPACK = "unpack it; text itself may be gzipped"
_WRITE_UTF8 = "fetch it again, or write it as UTF-8; delimited(...) may declare encoding=utf-16-le, utf-16-be, utf-16, latin-1 ..."
_NO_TEXT = {
    b"PK\x03\x04": ("a zip archive or a spreadsheet's workbook", "unpack the archive, or save the sheet as CSV"),
    b"PAR1\x15": ("a parquet file", "read it as parquet: parquet(...) for ratings, format=parquet for scores"),
    b"BZh91AY&SY": ("a bzip2 archive", _UNPACK),
    b"\xfd7zXZ": ("an xz archive", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("a zstd archive", _UNPACK),
    codecs.BOM_UTF16_LE: ("UTF-16", _WRITE_UTF8),
    codecs.BOM_UTF16_BE: ("UTF-16", _WRITE_UTF8),
}
"""What a file is by its first bytes, and what to do about it."""

_PATH = "check the path; relative paths start at the working directory"
_FAILURES: list[tuple[type[Exception] | tuple[type[Exception], ...], str, str]] = [
    (FileNotFoundError, "no such file", _PATH),
    (IsADirectoryError, "a folder, not a file", _PATH),
    ((gzip.BadGzipFile, EOFError, zlib.error), "the gzip file is damaged or cut off ({})", "fetch or write it again"),
    (OSError, "cannot be read: {}", "check the path and its permissions"),
    (UnicodeError, "not text as declared: {}", _WRITE_UTF8),
]
"""What ends the reading of a file, what that means, and what to do about it."""


def blocks(path: Path, encoding: str) -> Iterator[str]:
    """Yield the text in blocks of whole lines, without UTF-8's byte order mark.

    Raises
    ------
    DataError
        If the file is missing, unreadable, no text, a damaged gzip file, or not in the encoding (then with line and byte).
    """
    is_utf8, allowed = codecs.lookup(encoding).name == "utf-8", f"text encoded as {encoding}, plain or gzipped"
    for mark, (looks, remedy) in _NO_TEXT.items():
        if starts_with(path, mark) and (looks != "UTF-16" or is_utf8):
            raise DataError(f"this looks like {looks}", where=str(path), allowed=allowed, remedy=remedy)
    try:
        with gzip.open(path) if starts_with(path, _GZIP) else path.open("rb") as stream:
            decode, rest = codecs.getincrementaldecoder("utf-8-sig" if is_utf8 else encoding)().decode, ""
            try:
                while data := stream.read(BLOCK) + stream.readline():
                    rest += decode(data)
                    # Where a character has several bytes, these may end within one: the block goes on.
                    if rest.endswith("\n"):
                        yield rest
                        rest = ""
                yield rest + decode(b"", final=True)
            except UnicodeDecodeError as error:
                offset = stream.tell() - len(error.object) + error.start
                stream.seek(0)
                line = 1 + stream.read(offset).decode(encoding).count("\n")
                problem = f"byte 0x{error.object[error.start]:02X} (offset {offset}) is not {encoding}: {error.reason}"
                raise DataError(problem, where=f"{path}:{line}", allowed=allowed, remedy=_WRITE_UTF8) from error
    except (OSError, EOFError, zlib.error, UnicodeError) as error:
        problem, remedy = next((problem, remedy) for kinds, problem, remedy in _FAILURES if isinstance(error, kinds))
        raise DataError(problem.format(getattr(error, "strerror", None) or error), where=str(path), remedy=remedy) from error


def lines(path: Path, encoding: str) -> Iterator[str]:
    """Yield decoded lines with their ends, up to one with a NUL character: the file is damaged, or holds two bytes a character."""
    texts = (io.StringIO(block, newline="") for block in blocks(path, encoding))
    for number, line in enumerate(chain.from_iterable(texts), start=1):
        if "\0" in line:
            raise DataError("the line holds a NUL character, which no text has", where=f"{path}:{number}", remedy=_WRITE_UTF8)
        yield line


def starts_with(path: Path, mark: bytes) -> bool:
    """Say whether a file starts with some bytes; not where it cannot be opened."""
    with contextlib.suppress(OSError), path.open("rb") as stream:
        return stream.read(len(mark)) == mark
    return False
