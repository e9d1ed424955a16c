"""Entries: the results of one job as a store keeps them, named by what they were made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath

from recsens.artefacts.addresses import RESULTS, Address
from recsens.artefacts.statements import AGAIN, Making, Statement, below_results, digest_of
from recsens.artefacts.storage import check_content
from recsens.errors import ArtefactError, SpecError
from recsens.plugins.specs import parse, parse_chain
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.sources import statement_of

_FORM = 1
"""Raised when entries are laid out otherwise: earlier ones are not found any more."""

NOTE = "spec.json"
"""Name of the note with the full text of a component whose folder's name abbreviates it."""

_COSTS = "benchmarks"


@dataclass(frozen=True)
class Entry:
    """The results of one job, which belong together: they are kept and taken as one.

    Attributes
    ----------
    files
        Their paths below the folder of results, in order.
    made
        What they were made from.
    """

    files: tuple[str, ...]
    made: Making

    @classmethod
    def of(cls, job: PlannedJob, made: Making) -> Entry | None:
        """Return what a job's results are an entry of; None for those of a study's own folder, which no other study reads."""
        files = tuple(sorted(below_results(path) for path in job.files_written))
        return cls(files, made) if all(map(_is_for_all, files)) else None

    @property
    def key(self) -> str:
        """Digest of the paths and of all that the results were made from; the name of the entry's folder."""
        return digest_of({"form": _FORM, "files": list(self.files), "made": asdict(self.made)})

    def check(self, folder: Path, *, whole: bool = True) -> dict[str, Statement]:
        """Compare copies of the results with what they should be, and return what they state, by path.

        Raises ArtefactError if one is missing, damaged or misplaced, or states that it was made from something else.

        Parameters
        ----------
        folder
            Where they lie at their paths, as below the folder of results.
        whole
            Read them whole; otherwise large ones are only asked what they state.
        """
        statements = {path: statement_of(folder / path) for path in self.files}
        for path, statement in statements.items():
            if statement.made != self.made:
                raise ArtefactError("was made from something else than its entry says", where=str(folder / path), remedy=AGAIN)
            if whole:
                check_content(folder / path)
        return statements

    @property
    def notes(self) -> list[str]:
        """Paths where notes of components may stand, below the folder of results."""
        folders = dict.fromkeys(parent for path in self.files for parent in PurePath(path).parents)
        return [str(folder / NOTE) for folder in folders if "@sha=" in folder.name and _COSTS not in folder.parts]


def is_note_of_its_folder(path: Path) -> bool:
    """Whether a note holds the text of the component that its folder's name abbreviates."""
    try:
        text = json.loads(path.read_text(encoding="utf-8"))["spec"]
        return path.parent.name in set(_slugs(text))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _slugs(text: str) -> Iterator[str]:
    try:
        yield parse(text).slug
    except SpecError:
        yield parse_chain(text).slug


def _is_for_all(path: str) -> bool:
    """Whether a result belongs to an address, or is the record of its costs."""
    if path.startswith(f"{_COSTS}/"):
        return True
    try:
        return Address.parse(RESULTS / path).results == RESULTS
    except ArtefactError:
        return False
