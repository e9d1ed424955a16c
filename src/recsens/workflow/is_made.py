"""Whether a job has nothing to do, because its results exist and state that they were made from exactly the current inputs."""

import os
from collections.abc import Iterable

from recsens.artefacts.statements import Statement
from recsens.errors import ArtefactError
from recsens.workflow.job import Job
from recsens.workflow.job_inputs import made_from, refuse_other_inputs, results_read, statement_of


class Stated:
    """Statements of results; each statement is read once, and cached until it is forgotten."""

    def __init__(self) -> None:
        self._statements: dict[str, Statement] = {}
        self._contents: dict[str, str] = {}

    def of(self, path: str) -> Statement:
        """Return a result's statement.

        Raises
        ------
        ArtefactError
            If the statement is missing, damaged, misplaced or empty.
        """
        # Even if another thread forgets the statement meanwhile, this thread returns what it has read.
        statement = self._statements.get(path)
        if statement is None:
            statement = self._statements[path] = statement_of(path)
        return statement

    def content_of(self, path: str) -> str:
        """Return the content digest of a result that a job reads.

        Raises
        ------
        ArtefactError
            In the same cases as `of`, or if the inputs of the result have changed since it was made.
        """
        statement = self.of(path)
        refuse_other_inputs(path, statement, self._contents)
        return statement.content

    def forget(self, paths: Iterable[str]) -> None:
        """Forget results that a job has written, so that they are read again."""
        for path in paths:
            self._statements.pop(path, None)
            self._contents.pop(path, None)


def is_made(job: Job, stated: Stated | None = None) -> bool:
    """Whether all results of a job exist and have exactly the statement that the job would write; times do not count.

    Of large files, only the statements are read; the jobs that read these files check their content. Parts of a result may be
    missing, because they are removed once the result exists. ``stated`` contains statements read earlier; by default, every file is
    read.
    """
    cached = Stated() if stated is None else stated
    try:
        written = [cached.of(path) for path in job.files_written]
        read = {path: cached.content_of(path) for path in results_read(job.inputs)}
    except ArtefactError:
        return False
    made = made_from(job.step, read, job.params)
    return bool(written) and all(each.made == made for each in written)


def cannot_be_touched(paths: Iterable[str]) -> str | None:
    """Set the times of files to now; return the first file for which this fails (read-only, or someone else's), or None."""
    for path in paths:
        try:
            os.utime(path)
        except OSError:
            return path
    return None
