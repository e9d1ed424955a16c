"""Upkeep of the store: how much it holds, whether that is sound, and how to keep it within bounds."""

import logging
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recsens.artefacts.statements import AGAIN
from recsens.errors import ArtefactError
from recsens.workflow.estimates import size
from recsens.workflow.shared._entries import NOTE, Entry
from recsens.workflow.shared._store import Store, paths_below
from recsens.workflow.shared._taking import counted
from recsens.workflow.sources import statement_of

log = logging.getLogger(__name__)

_ABANDONED_AFTER = 24 * 3600
"""Seconds after which nobody is taken to be still writing or deleting a folder."""


@dataclass(frozen=True)
class Held:
    """An entry as it lies in the store.

    Attributes
    ----------
    key
        Its name.
    n_bytes
        Size of its files.
    used
        When it was given or last taken, in seconds since 1970 by the clock of its disk.
    """

    key: str
    n_bytes: int
    used: float


def kept_in(store: Store) -> list[Held]:
    """List the entries of a store, the one used longest ago first."""
    found = (_kept(store.root / key) for key in store.listed())
    return sorted((kept for kept in found if kept is not None), key=lambda kept: (kept.used, kept.key))


def verified(store: Store) -> Iterator[tuple[str, str]]:
    """Read every entry whole, and yield the key of each that is not what its key says, with what is wrong."""
    for key in store.listed():
        try:
            _verify(store.root / key)
        except FileNotFoundError:
            continue  # somebody has just removed it
        except (ArtefactError, OSError) as error:
            yield key, str(error).partition("\n")[0]


def trim(store: Store, n_bytes: int) -> list[Held]:
    """Remove entries until those left take no more than so many bytes, the one used longest ago first; return them."""
    entries, removed = kept_in(store), []
    total = sum(kept.n_bytes for kept in entries)
    for kept in entries:
        if total <= n_bytes:
            break
        if _removed(store, kept.key):
            removed.append(kept)
            total -= kept.n_bytes
    return removed


def sweep(store: Store, keys: Iterable[str]) -> int:
    """Remove entries, and what was broken off a day ago or earlier while it was written or deleted; return how many."""
    now = time.time()
    left = [path for path in store.half_done() if now - _changed(path, now) > _ABANDONED_AFTER]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left) + sum([_removed(store, key) for key in keys])


def told(entries: Sequence[Held]) -> str:
    """Say how much some entries are."""
    return f"the results of {counted(len(entries))} ({size(sum(kept.n_bytes for kept in entries))})"


def _removed(store: Store, key: str) -> bool:
    """Remove an entry; whether that was possible. What belongs to others and may not be removed is named."""
    try:
        store.remove(key)
    except FileNotFoundError:
        return True
    except OSError as error:
        log.warning("%s: cannot be removed: %s", store.root / key, error.strerror)
        return False
    return True


def _verify(place: Path) -> None:
    """Compare an entry with its key.

    Raises ArtefactError if it is damaged, or another entry.
    """
    files = [path.as_posix() for path in paths_below(place) if path.name != NOTE]
    if not files:
        raise ArtefactError("damaged: holds no result", where=str(place))
    entry = Entry(tuple(files), statement_of(place / files[0]).made)
    if entry.key != place.name:
        raise ArtefactError("misplaced: its files are those of another entry", where=str(place), remedy=AGAIN)
    entry.check(place)


def _kept(place: Path) -> Held | None:
    try:
        return Held(place.name, sum((place / path).stat().st_size for path in paths_below(place)), place.stat().st_mtime)
    except FileNotFoundError:
        return None


def _changed(path: Path, now: float) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return now
