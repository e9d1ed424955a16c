"""Text files, plain or packed. Files that are not text are refused, with line and byte."""

import bz2
import codecs
import contextlib
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, cast

from recsens.errors import DataError
from recsens.files.paths import Files, only_ratings_file, parts_of

BLOCK = 1 << 20
"""Number of bytes read at a time: small enough that intermediate results stay in the processor's cache."""

LONGEST_LINE = 1 << 20
"""Largest number of characters in a line, or in a row of several lines. There is a limit because one line of a small gzipped file
can contain gigabytes."""

MOST_UNPACKED, ALWAYS_UNPACKED = 100, 1 << 26
"""Number of times by which the text of a gzipped file may be larger than the file, and number of bytes that it may always have."""

MOST_EMPTY = 1 << 20
"""Largest number of successive lines without a row."""

_NAMES_SEPARATOR = re.compile(r"\Asep=.?(?=\r?\n)")
"""A first line for spreadsheet programs, which is read as an empty line."""

_ZIP = b"PK\x03\x04"
_PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip, b"BZh91AY&SY": bz2, b"\xfd7zXZ": lzma}
"""First bytes of a packed file -> the module that opens it."""

_DAMAGED = "check the file: it may be damaged, or not a table at all"
_WRITE_UTF8 = "download it again, or write it as UTF-8: 'iconv -f ENCODING -t UTF-8 FILE', with ENCODING such as WINDOWS-1252"
_NO_TEXT = {
    _ZIP: ("an archive of several files or a spreadsheet's workbook", "unpack the archive, or save the sheet as CSV"),
    b"\xd0\xcf\x11\xe0": ("a spreadsheet's workbook", "save the sheet as CSV"),
    b"PAR1\x15": ("a parquet file", "read it as parquet: parquet(...) for ratings, format=parquet for scores"),
    b"\x28\xb5\x2f\xfd": ("a zstd archive", "unpack it; text files may be packed by gzip, bzip2, xz or zip"),
    b"ARROW1": ("a feather file", "write it as parquet: frame.to_parquet(...)"),
    b"FEA1": ("a feather file", "write it as parquet: frame.to_parquet(...)"),
    b"\x80\x04\x95": ("a pickle, which can run code and is not read", "write its table as CSV or parquet"),
    b"\x80\x05\x95": ("a pickle, which can run code and is not read", "write its table as CSV or parquet"),
    b"\x89HDF": ("an HDF5 file", "write its table as CSV or parquet"),
    b"MATLAB 5.0": ("a MATLAB file", "in Python: recsens.load(scipy.io.loadmat(...)[...])"),
    b"SQLite format 3": ("a database", "write the table with the ratings as CSV"),
    codecs.BOM_UTF16_LE: ("UTF-16", _WRITE_UTF8),
    codecs.BOM_UTF16_BE: ("UTF-16", _WRITE_UTF8),
}
"""First bytes of a file -> what the file is, and what to do about it."""

_PATH = "check the path; relative paths start at the working directory or, in a study, at its folder"
DAMAGES = (zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_FAILURES: list[tuple[type[Exception] | tuple[type[Exception], ...], str, str]] = [
    (FileNotFoundError, "no such file", _PATH),
    (IsADirectoryError, "a folder, not a file", _PATH),
    ((gzip.BadGzipFile, EOFError, *DAMAGES), "the packed file is damaged or cut off ({})", "download or write it again"),
    (OSError, "cannot be read: {}", "check the path and its permissions"),
    (UnicodeError, "not text as declared: {}", _WRITE_UTF8),
]
"""Exception during reading -> what the exception means, and what to do about it."""


class EncodingError(DataError):
    """A file is not text in the declared encoding."""


def blocks(path: Path, encoding: str) -> Iterator[str]:
    """Yield the text in blocks of whole lines, without UTF-8's byte order mark.

    Raises
    ------
    DataError
        If the file is missing, unreadable, not text, or a damaged gzip file; if a line is not in the encoding (`EncodingError`) or
        is longer than `LONGEST_LINE`; if more than `MOST_EMPTY` successive lines are empty; or if a gzipped file unpacks to far
        more than its size. Because of these limits, memory contains little of a file at a time.
    """
    is_utf8, allowed = codecs.lookup(encoding).name == "utf-8", f"text encoded as {encoding}, plain or gzipped"
    for mark, (looks, remedy) in _NO_TEXT.items():
        if starts_with(path, mark) and (looks != "UTF-16" or is_utf8) and not (mark == _ZIP and only_member(path)):
            kind = EncodingError if looks == "UTF-16" else DataError
            raise kind(f"this looks like {looks}", where=str(path), allowed=allowed, remedy=remedy)
    try:
        with open_unpacked(path) as stream:
            most = max(ALWAYS_UNPACKED, MOST_UNPACKED * path.stat().st_size)
            try:
                for number, block in enumerate(_whole_lines(stream, str(path), "utf-8-sig" if is_utf8 else encoding)):
                    if stream.tell() > most:
                        problem = f"unpacks to more than {MOST_UNPACKED} times its size, as only equal lines do"
                        raise DataError(problem, where=str(path), remedy=_DAMAGED)
                    yield block if number else _NAMES_SEPARATOR.sub("", block)
            except UnicodeDecodeError as error:
                offset = stream.tell() - len(error.object) + error.start
                line = _line_at(stream, offset, encoding)
                problem = f"byte 0x{error.object[error.start]:02X} (offset {offset}) is not {encoding}: {error.reason}"
                raise EncodingError(problem, where=f"{path}:{line}", allowed=allowed, remedy=_WRITE_UTF8) from error
    except (OSError, EOFError, *DAMAGES, UnicodeError) as error:
        problem, remedy = next((problem, remedy) for kinds, problem, remedy in _FAILURES if isinstance(error, kinds))
        kind = EncodingError if isinstance(error, UnicodeError) else DataError
        raise kind(problem.format(getattr(error, "strerror", None) or error), where=str(path), remedy=remedy) from error


def _whole_lines(stream: io.BufferedIOBase, source: str, encoding: str) -> Iterator[str]:
    """Decode block by block, and yield whole lines. Memory contains at most a line and two blocks."""
    decode, rest, n_empty = codecs.getincrementaldecoder(encoding)().decode, "", 0
    while data := stream.read(BLOCK):
        text = rest + decode(data)
        # A final carriage return may be half of a line ending.
        end = (text.rfind("\n") + 1) or (text.rfind("\r", 0, -1) + 1)
        # A block is as long as the longest allowed line or shorter, so a line that is too long began in an earlier block.
        if (text.find("\n") if end else len(text)) > LONGEST_LINE:
            raise too_long_error(source, _line_at(stream, stream.tell(), encoding) - text.count("\n"))
        n_empty = n_empty + text.count("\n") if text.isspace() else 0
        if n_empty > MOST_EMPTY:
            raise too_empty_error(source, _line_at(stream, stream.tell(), encoding))
        if end:
            yield text[:end]
        rest = text[end:]
    yield rest + decode(b"", final=True)


def _line_at(stream: io.BufferedIOBase, offset: int, encoding: str) -> int:
    """Return the number of the line that contains a byte; reads block by block."""
    stream.seek(0)
    decode, line = codecs.getincrementaldecoder(encoding)().decode, 1
    while data := stream.read(min(BLOCK, offset)):
        offset -= len(data)
        line += decode(data).count("\n")
    return line


def lines(path: Path, encoding: str) -> Iterator[str]:
    """Yield decoded lines with their line endings; of a folder of parts, the first line only once if all parts begin with it.

    A NUL character is an error: the file is damaged, or uses two bytes per character.
    """
    header = None
    for part in parts_of(path):
        texts = (io.StringIO(block, newline="") for block in blocks(part, encoding))
        for number, line in enumerate(chain.from_iterable(texts), start=1):
            if "\0" in line:
                problem = "the line contains a NUL character, but text has none"
                raise EncodingError(problem, where=f"{part}:{number}", remedy=_WRITE_UTF8)
            if number > 1 or line != header:
                yield line
            header = line if header is None else header


def within_limit(rows: Iterable[str], source: str, begun: Callable[[], int]) -> Iterator[str]:
    """Yield lines. Refuse a row of several lines (joined by quotes) that is too long; ``begun`` returns its first line."""
    start, size = 0, 0
    for line in rows:
        if (now := begun()) != start:
            start, size = now, 0
        size += len(line)
        if size > LONGEST_LINE:
            raise too_long_error(source, start)
        yield line


def too_long_error(source: str, line: int) -> DataError:
    """Return the error about a line, or a row of several lines, that is too long."""
    problem, allowed = f"the line has more than {LONGEST_LINE:,} characters", f"lines of at most {LONGEST_LINE:,} characters"
    return DataError(problem, where=f"{source}:{line}", allowed=allowed, remedy=_DAMAGED)


def too_empty_error(source: str, line: int) -> DataError:
    """Return the error about too many successive lines that contain no row."""
    problem, allowed = f"no row in {MOST_EMPTY:,} lines up to this one", "some empty lines and comments between rows"
    return DataError(problem, where=f"{source}:{line}", allowed=allowed, remedy=_DAMAGED)


def open_unpacked(path: Files) -> io.BufferedIOBase:
    """Open a file, or the first part in a folder, to read its bytes; those of a packed file are unpacked."""
    path = parts_of(path)[0]
    if member := only_member(path):
        # A member stays open after its archive is closed.
        with zipfile.ZipFile(path) as archive:
            return cast("io.BufferedIOBase", archive.open(member))
    packed = next((packed for mark, packed in _PACKED.items() if starts_with(path, mark)), None)
    return path.open("rb") if packed is None else cast("io.BufferedIOBase", packed.open(path))


def only_member(path: Path) -> str:
    """Return the name of the only file, or of the file of ratings, in a zip archive; empty for other files and archives."""
    if not starts_with(path, _ZIP):
        return ""
    with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")]
        return names[0] if len(names) == 1 else only_ratings_file(names)
    return ""


def starts_with(path: Files, mark: bytes) -> bool:
    """Whether a file, or the first part in a folder, starts with given bytes; False if it cannot be opened."""
    with contextlib.suppress(OSError, DataError), parts_of(path)[0].open("rb") as stream:
        return stream.read(len(mark)) == mark
    return False
