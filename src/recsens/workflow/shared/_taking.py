"""What is taken from the store: entry by entry, while it can be read, with an account of what that saves."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from recsens.artefacts.addresses import RESULTS
from recsens.artefacts.schemas import COSTS
from recsens.artefacts.statements import Making, Statement
from recsens.artefacts.storage import read_json
from recsens.errors import ArtefactError
from recsens.workflow.estimates import duration, size, size_of
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.shared._entries import Entry
from recsens.workflow.shared._store import Store

log = logging.getLogger(__name__)


@dataclass
class Taking:
    """Supplies an audit from the store.

    Attributes
    ----------
    store
        Where entries are looked for.
    take
        Takes an entry, or only looks at it; returns what its results state, by path.
    n_jobs, n_bytes, seconds
        Jobs supplied, the bytes of their results, and how long they had worked, where that is on record.
    refused
        Entries that are not what they should be, each with what is wrong.
    """

    store: Store
    take: Callable[[Store, Entry], dict[str, Statement]]
    n_jobs: int = 0
    n_bytes: int = 0
    seconds: float = 0.0
    refused: list[tuple[Entry, ArtefactError]] = field(default_factory=list)
    _is_readable: bool = field(default=True, init=False)

    def supply(self, job: PlannedJob, made: Making) -> dict[str, Statement] | None:
        """Return what the results of a job in the store state, by path; None if there are none that can be relied on."""
        entry = Entry.of(job, made)
        if entry is None or not self._is_readable or not self.store.holds(entry):
            return None
        place = self.store.place(entry)
        try:
            statements = self.take(self.store, entry)
            self.n_bytes += sum(size_of(place / path) or 0 for path in statements)
            self.seconds += sum(_seconds(place / path) for path, stated in statements.items() if stated.kind == COSTS)
        except ArtefactError as error:
            self.refused.append((entry, error))
            return None
        except OSError as error:
            self._is_readable = False
            log.warning("shared results: nothing more is taken from %s: %s", self.store.root, error)
            return None
        self.n_jobs += 1
        return {str(RESULTS / path): statement for path, statement in statements.items()}

    def told(self) -> str:
        """Say what was taken, and what that saved."""
        worked = f"; fitting, tuning and ranking it took {duration(self.seconds)}" if self.seconds else ""
        return f"the results of {counted(self.n_jobs)} ({size(self.n_bytes)}{worked})"


def _seconds(path: Path) -> float:
    """Return the seconds in the record of a job's costs."""
    return float(sum(read_json(path, COSTS)["seconds"].values()))


def counted(n_jobs: int) -> str:
    """Write a number of jobs."""
    return f"{n_jobs:,} job{'' if n_jobs == 1 else 's'}"
