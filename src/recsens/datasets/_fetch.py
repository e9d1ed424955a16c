"""Where raw files are: the user's path, RECSENS_DATA, the working directory's data folder, or the publisher's address."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recsens.datasets._base import DataSet, RawFile
from recsens.errors import DataError
from recsens.files import is_file, is_folder

log = logging.getLogger(__name__)

ENVIRONMENT = "RECSENS_DATA"
"""Environment variable that names the folder of local copies."""

DOWNLOADS = Path("data")
"""Folder below the working directory into which files are downloaded."""

_TIMEOUT_S = 30


def locate(dataset: DataSet) -> tuple[Path, ...] | None:
    """Find local copies of a data set's raw files, without a download.

    The user's ``path`` goes first and rules out every other place; then come ``RECSENS_DATA/<folder>/<name>`` and
    ``data/<folder>/<name>`` below the working directory. All files are taken from the place that holds the first one.

    Returns
    -------
    The files in the order of `DataSet.raw_files`, without the optional ones that are not there; None if they are nowhere.

    Raises
    ------
    DataError
        If the user's path holds no such file.
    """
    files = dataset.raw_files()
    if not files:
        return ()
    first, *others = files
    if first.path is not None:
        found = _own_copy(first)
        return _with_neighbours(found, others, required=True)
    for place in _places(first):
        found_all = _with_neighbours(place / first.name, others, required=False) if is_file(place / first.name) else None
        if found_all is not None:
            return found_all
    return None


def destinations(dataset: DataSet) -> tuple[Path, ...]:
    """List where `fetch` puts the files that it downloads, in the order of `DataSet.raw_files`."""
    return tuple(DOWNLOADS / file.folder / file.name for file in dataset.raw_files())


def fetch(dataset: DataSet) -> tuple[Path, ...]:
    """Find a data set's raw files, or download them from their publisher.

    A download is checked against the known SHA-256 and appears under its final name only when it is complete.

    Raises
    ------
    DataError
        If the files are nowhere and cannot be downloaded, or what was downloaded is not what is known.
    """
    found = locate(dataset)
    if found is not None:
        return found
    files = dataset.raw_files()
    archives: dict[str, list[RawFile]] = {}
    for file in files:
        if file.url is not None:
            archives.setdefault(file.url, []).append(file)
        elif not file.optional:
            raise _nowhere(file)
    for url, members in archives.items():
        _download(url, members)
    return tuple(path for path, file in zip(destinations(dataset), files, strict=True) if file.url is not None)


def digest(path: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits, read in blocks.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=str(path), remedy="check the path") from error


def _places(file: RawFile) -> Iterator[Path]:
    root = os.environ.get(ENVIRONMENT)
    if root:
        yield Path(root).expanduser() / file.folder
    yield DOWNLOADS / file.folder


def _own_copy(file: RawFile) -> Path:
    path = Path(str(file.path)).expanduser()
    if is_folder(path) and file.folder:
        path /= file.name
    if not is_file(path):
        raise DataError(
            f"'{path}' is a folder" if is_folder(path) else f"there is no file '{path}'",
            where="path",
            allowed=f"the file, or the folder that holds {file.name}" if file.folder else "a file",
            remedy=f"check the path; relative paths start at the working directory, {Path.cwd()}",
        )
    return path


def _with_neighbours(first: Path, others: Sequence[RawFile], *, required: bool) -> tuple[Path, ...] | None:
    found = [first]
    for file in others:
        path = first.parent / file.name
        if is_file(path):
            found.append(path)
        elif not file.optional:
            if required:
                raise DataError(f"there is no file '{path}' beside '{first.name}'", where="path", remedy="complete the folder")
            return None
    return tuple(found)


def _nowhere(file: RawFile) -> DataError:
    return DataError(
        f"there is no copy of {file.folder}/{file.name} here, and it cannot be downloaded",
        allowed=", ".join(str(place / file.name) for place in _places(file)),
        remedy=f"put it there, or name it with path=; {ENVIRONMENT} names the folder of local copies",
    )


def _download(url: str, members: Sequence[RawFile]) -> None:
    first = members[0]
    folder = DOWNLOADS / first.folder
    log.warning("downloading %s; its terms of use: %s", url, first.terms or "see the publisher's site")
    DOWNLOADS.mkdir(exist_ok=True)
    # On the same file system as the destination, so that a rename completes the job.
    with tempfile.TemporaryDirectory(dir=DOWNLOADS, prefix=".download-") as scratch:
        archive = Path(scratch) / "archive"
        with _reachable(url, folder / first.name):
            _transfer(url, archive)
        _check(archive, url, first.sha256, folder)
        # The file that `locate` asks for comes last: where it is, the others are.
        for member in reversed(members):
            _unpack(archive, member, Path(scratch) / member.name)
        folder.mkdir(exist_ok=True)
        for member in reversed(members):
            (Path(scratch) / member.name).replace(folder / member.name)


@contextmanager
def _reachable(url: str, expected: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"cannot be downloaded: {error}",
            where=url,
            remedy=f"without access to the network, put the file at {expected}, or at {expected.relative_to(DOWNLOADS)} below the "
            f"folder that {ENVIRONMENT} names, or name your copy with path=",
        ) from error


def _transfer(url: str, target: Path) -> None:
    import pooch  # noqa: PLC0415 - costs 0.15 s, and most runs download nothing

    is_watched = sys.stderr.isatty()
    pooch.HTTPDownloader(progressbar=is_watched, timeout=_TIMEOUT_S, chunk_size=1 << 16)(url, str(target), None)


def _check(archive: Path, url: str, known: str | None, folder: Path) -> None:
    found = digest(archive)
    record = folder / f"{url.rpartition('/')[2]}.sha256"
    recorded = record.read_text(encoding="utf-8").split()[0] if known is None and record.is_file() else None
    expected = known or recorded
    if expected is None:
        log.warning("the publisher's checksum of %s is not known; recorded SHA-256 %s in %s", url, found, record)
        folder.mkdir(exist_ok=True)
        record.write_text(f"{found}  {url.rpartition('/')[2]}\n", encoding="utf-8")
    elif found != expected:
        raise DataError(
            f"what was downloaded is not what is known: its SHA-256 is {found}",
            where=url,
            allowed=expected,
            remedy="try again; if it stays so, the publisher changed the file: compare, then give your own copy with path=",
        )


def _unpack(archive: Path, member: RawFile, target: Path) -> None:
    if member.archive_member is None:
        shutil.copyfile(archive, target)
        return
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(member.archive_member) as source, target.open("wb") as written:
            shutil.copyfileobj(source, written)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise DataError(
            f"the archive is damaged or holds no '{member.archive_member}': {error}", where=str(member.url), remedy="try again"
        ) from error
