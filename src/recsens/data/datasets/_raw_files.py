"""Locate raw files: at the user's path, in RECSENS_DATA, in the working directory's data folder, or at the publisher's URL."""

import hashlib
import logging
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from recsens.data.datasets._base import DataSet, RawFile
from recsens.errors import DataError
from recsens.files.paths import DOWNLOADS, ENVIRONMENT, is_file, is_folder, located, parts_of, places

log = logging.getLogger(__name__)

_TIMEOUT_S = 30


def locate(dataset: DataSet) -> tuple[Path, ...] | None:
    """Locate copies of a data set's raw files without downloading anything.

    If the user gives a ``path``, only the places in `recsens.files.paths.places` are searched for it. Otherwise
    ``RECSENS_DATA/<folder>/<name>`` is tried first, then ``data/<folder>/<name>`` below the working directory. All other files are
    in the folder of the first file, or at their own path.

    Raises DataError if the user's path has no such file.

    Returns
    -------
    The files in the order of `DataSet.raw_files`, without missing optional ones; None if there is no copy.
    """
    files = dataset.raw_files()
    if not files:
        return ()
    first, *others = files
    if first.path is not None and not first.folder:
        # A catalogue comes last.
        names = [_own_copy(others.pop(), "catalogue")] if getattr(dataset, "catalogue", None) is not None else []
        return (*(part for file in (first, *others) for part in _own_copies(file)), *names)
    copies = [folder / first.name for folder in _download_places(first)] if first.path is None else [_own_copy(first)]
    for copy in filter(is_file, copies):
        neighbours = [copy.parent / file.name for file in others]
        missing = [path for path, file in zip(neighbours, others, strict=True) if not (is_file(path) or file.optional)]
        if not missing:
            return (copy, *filter(is_file, neighbours))
        if first.path is not None:
            raise _missing_part_error(missing[0], copy)
    return None


def locate_side(dataset: DataSet, raw_files: Sequence[Path]) -> tuple[Path, ...]:
    """Locate a data set's side files: at the user's paths, or else in the folder of the first raw file.

    Raises DataError if a required file is missing.

    Returns
    -------
    The files in the order of `DataSet.side_files`, without missing optional ones.
    """
    where, folder = " or ".join(dataset.describing), raw_files[0].parent if raw_files else Path()
    placed = [(file, folder / file.name if file.path is None else _own_copy(file, where)) for file in dataset.side_files()]
    for file, path in placed:
        if not file.optional and not is_file(path):
            raise _missing_part_error(path, raw_files[0])
    return tuple(path for _, path in placed if is_file(path))


def destinations(dataset: DataSet) -> tuple[Path, ...]:
    """List the paths of the files that `fetch` downloads: those of `DataSet.raw_files`, then those of `DataSet.side_files`."""
    return tuple(DOWNLOADS / file.folder / file.name for file in (*dataset.raw_files(), *dataset.side_files()))


def fetch(dataset: DataSet) -> tuple[Path, ...]:
    """Locate a data set's raw files, or download them from the publisher together with the side files.

    A download is checked against the known SHA-256, and gets its final name only when it is complete.

    Raises DataError if there is no copy and the files cannot be downloaded, or if a download has the wrong checksum.
    """
    located = locate(dataset)
    if located is not None:
        return located
    files = dataset.raw_files()
    archives: dict[str, list[RawFile]] = {}
    for file in (*files, *dataset.side_files()):
        if file.url is not None:
            archives.setdefault(file.url, []).append(file)
        elif not file.optional:
            get = f"get it as {file.terms} says, then " if file.terms else ""
            raise DataError(
                f"there is no copy of {file.folder}/{file.name} on this machine, and it cannot be downloaded",
                allowed=", ".join(str(folder / file.name) for folder in _download_places(file)),
                remedy=f"{get}put it there, or give its path with path=; {ENVIRONMENT} names the folder of local copies",
            )
    for url, members in archives.items():
        _download(url, members)
    return tuple(path for path, file in zip(destinations(dataset), files, strict=False) if file.url is not None)


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; the file is read in blocks.

    Raises DataError if the file cannot be read.
    """
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=str(path), remedy="check the path") from error


def _download_places(file: RawFile) -> Iterator[Path]:
    return reversed(places(DOWNLOADS / file.folder))


def _own_copies(file: RawFile) -> list[Path]:
    """Return the user's own file, or all of its parts."""
    parts = parts_of(located(str(file.path), "path"))
    return parts if len(parts) > 1 else [_own_copy(replace(file, path=str(parts[0])))]


def _own_copy(file: RawFile, where: str = "path") -> Path:
    allowed = f"the file, or the folder that contains {file.name}" if file.folder else "a file"
    path = located(str(file.path), where, allowed)
    if is_folder(path) and file.folder:
        path /= file.name
    if not is_file(path):
        raise DataError(
            f"'{path}' is a folder" if is_folder(path) else f"there is no file '{path}'",
            where=where,
            allowed=allowed,
            remedy=f"check the path; relative paths start at the study or the working directory, {Path.cwd()}",
        )
    return path


def _missing_part_error(path: Path, first: Path) -> DataError:
    return DataError(f"there is no file '{path}' next to '{first.name}'", where="path", remedy="add the file to the folder")


def _download(url: str, members: Sequence[RawFile]) -> None:
    first = members[0]
    folder = DOWNLOADS / first.folder
    log.warning("downloading %s; its terms of use: %s", url, first.terms or "see the publisher's site")
    DOWNLOADS.mkdir(exist_ok=True)
    # This folder is on the file system of the destination, so moving a file is only a rename.
    with tempfile.TemporaryDirectory(dir=DOWNLOADS, prefix=".download-") as scratch:
        archive = Path(scratch) / "archive"
        try:
            _transfer_file(url, archive)
        except OSError as error:
            remedy = (
                f"without network access, put the file at {folder / first.name}, or at {Path(first.folder) / first.name} below the "
                f"folder that {ENVIRONMENT} names, or give the path of your copy with path="
            )
            raise DataError(f"cannot be downloaded: {error}", where=url, remedy=remedy) from error
        _check_sha256(archive, url, first.sha256, folder)
        # The file that `locate` searches for is written last; if it exists, all other files exist too.
        for member in reversed(members):
            _unpack_member(archive, member, Path(scratch) / member.name)
        folder.mkdir(exist_ok=True)
        for member in reversed(members):
            (Path(scratch) / member.name).replace(folder / member.name)


def _transfer_file(url: str, target: Path) -> None:
    from urllib.request import Request, urlopen  # noqa: PLC0415 - most runs download nothing

    from tqdm import tqdm  # noqa: PLC0415

    request = Request(url, headers={"User-Agent": "recsens"})  # noqa: S310 - an address of a plug-in, never of a user's file
    with urlopen(request, timeout=_TIMEOUT_S) as answer, target.open("wb") as file:  # noqa: S310
        n_bytes = int(answer.headers.get("Content-Length", 0)) or None
        with tqdm(total=n_bytes, unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as progress:
            while chunk := answer.read(1 << 16):
                progress.update(file.write(chunk))
    if n_bytes and target.stat().st_size < n_bytes:
        raise OSError(f"the connection ended after {target.stat().st_size:,} of {n_bytes:,} bytes")


def _check_sha256(archive: Path, url: str, known: str | None, folder: Path) -> None:
    actual = sha256_of(archive)
    record = folder / f"{url.rpartition('/')[2]}.sha256"
    recorded = record.read_text(encoding="utf-8").split()[0] if known is None and record.is_file() else None
    expected = known or recorded
    if expected is None:
        log.warning("the publisher's checksum of %s is unknown; recorded SHA-256 %s in %s", url, actual, record)
        folder.mkdir(exist_ok=True)
        record.write_text(f"{actual}  {url.rpartition('/')[2]}\n", encoding="utf-8")
    elif actual != expected:
        raise DataError(
            f"the downloaded file is not the expected one: its SHA-256 is {actual}",
            where=url,
            allowed=expected,
            remedy=(
                "try again; if that fails too, the publisher has changed the file: compare the two, then give the path of "
                "your own copy with path="
            ),
        )


def _unpack_member(archive: Path, member: RawFile, target: Path) -> None:
    if member.archive_member is None:
        shutil.copyfile(archive, target)
        return
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(member.archive_member) as source, target.open("wb") as written:
            shutil.copyfileobj(source, written)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise DataError(
            f"the archive is damaged or does not contain '{member.archive_member}': {error}",
            where=str(member.url),
            remedy="try again",
        ) from error
