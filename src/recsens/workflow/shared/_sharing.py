"""What a run takes from the store before its jobs, and gives to it after them; no trouble with the store is the run's."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recsens.artefacts.addresses import RESULTS
from recsens.artefacts.statements import Making
from recsens.artefacts.storage import read_statement
from recsens.errors import ArtefactError, RecsensError
from recsens.workflow import code_digests
from recsens.workflow.audit import Audited, audit
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.lock import RunError
from recsens.workflow.shared._entries import Entry
from recsens.workflow.shared._store import Store
from recsens.workflow.shared._taking import Taking, counted

log = logging.getLogger(__name__)

SHARED = "RECSENS_SHARED"
"""Environment variable: the folder in which checkouts share results."""

_RESULTS = Path(RESULTS)


@dataclass(frozen=True)
class Sharing:
    """A run's dealings with the store.

    Attributes
    ----------
    jobs
        Lists the jobs of the study, in order.
    store
        None if nothing is shared: then nothing here does anything.
    """

    jobs: Callable[[], Sequence[PlannedJob]]
    store: Store | None

    @classmethod
    def of(cls, jobs: Callable[[], Sequence[PlannedJob]]) -> Sharing:
        """Share by the folder that the environment names; one that is not there is no more than a warning."""
        return cls(jobs, named_store())

    def take(self) -> None:
        """Take from the store what is not sound here; the caller holds the lock of the results."""
        if self.store is None:
            return
        for left in _RESULTS.glob(".shared.*.part"):
            shutil.rmtree(left, ignore_errors=True)
        taking = Taking(self.store, lambda store, entry: store.take(entry, _RESULTS))
        audit(self.jobs(), supply=taking.supply)
        for entry, error in taking.refused:
            _remove(self.store, entry, error)
        if taking.n_jobs:
            log.info("Taken from %s: %s", self.store.root, taking.told())

    def outlook(self) -> Iterator[str]:
        """Yield what a run would take, if anything; nothing is written or read whole."""
        if self.store is None:
            return
        looking = Taking(self.store, Store.look)
        audit(self.jobs(), supply=looking.supply)
        if looking.n_jobs:
            yield f"Of these it would take from {self.store.root}: {looking.told()}"

    @contextmanager
    def giving(self) -> Iterator[None]:
        """Give what is sound after the block, also if some job failed."""
        try:
            yield
        except RunError:
            self.give()
            raise
        self.give()

    def give(self) -> None:
        """Give to the store what is sound here and not there, by the code as it is now: it may have been edited meanwhile."""
        if self.store is None:
            return
        code_digests.forget()
        n_given = 0
        try:
            for job, made in _sound(audit(self.jobs())):
                entry = Entry.of(job, made)
                n_given += entry is not None and _is_given(self.store, entry)
        except OSError as error:
            log.warning("shared results: nothing more is given to %s: %s", self.store.root, error)
        if n_given:
            log.info("Given to %s: the results of %s", self.store.root, counted(n_given))


def named_store() -> Store | None:
    """Return the store that the environment names; None if it names none, or, with a warning, if there is no such folder."""
    named = os.environ.get(SHARED)
    if not named:
        return None
    root = Path(named).expanduser().absolute()
    if os.path.isdir(root):  # noqa: PTH112 - what may not be looked at is not there
        return Store(root)
    log.warning("%s: there is no such folder, so %s shares nothing; create it, or mount its disk", root, SHARED)
    return None


def _remove(store: Store, entry: Entry, error: ArtefactError) -> None:
    """Remove an entry that is not what it should be, so that a sound one can take its place."""
    place = store.place(entry)
    try:
        store.remove(entry.key)
    except FileNotFoundError:
        return  # somebody else has removed it: nothing was wrong with it
    except OSError as refused:
        log.warning("shared results: %s: %s; it is not used, and cannot be removed: %s", place, error.problem, refused.strerror)
    else:
        log.warning("shared results: %s: %s; it is not used, and was removed", place, error.problem)


def needed_store() -> Store:
    """Return the store that the environment names.

    Raises RecsensError if it names none, or there is no such folder.
    """
    named = os.environ.get(SHARED)
    root = Path(named or "").expanduser().absolute()
    if not named or not root.is_dir():
        problem = f"{SHARED} names no folder: there is no '{named}'" if named else f"{SHARED} is not set: nothing is shared"
        raise RecsensError(problem, remedy=f"set it to the folder in which your checkouts share results: export {SHARED}=/path")
    return Store(root)


def _is_given(store: Store, entry: Entry) -> bool:
    try:
        return store.give(entry, _RESULTS)
    except ArtefactError as error:
        log.warning("shared results: not given: %s", error)
        return False


def _sound(found: Sequence[Audited]) -> Iterator[tuple[PlannedJob, Making]]:
    """Yield the jobs whose results are all sound, each with what they were made from."""
    unsound = {id(finding.job) for finding in found if finding.state != "sound"}
    for job in {id(finding.job): finding.job for finding in found if id(finding.job) not in unsound}.values():
        statement = read_statement(job.files_written[0])
        if statement is not None:
            yield job, statement.made
