"""Whether a study's results are up to date, judged only by what each file states about its inputs and code, not by times."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from recsens.artefacts.filesets import list_paths
from recsens.artefacts.statements import DIGESTED, Making, Statement
from recsens.artefacts.storage import MISSING, check_content
from recsens.errors import ArtefactError
from recsens.workflow.job import Job
from recsens.workflow.job_inputs import making_of_job, parts_read, refuse_other_inputs, results_read, statement_of

State = Literal["sound", "missing", "damaged", "misplaced", "stale", "waiting"]
"""State of a result; ``waiting`` means that it depends on another result that will be made anew."""

UNSOUND: tuple[State, ...] = ("missing", "damaged", "misplaced", "stale")

NEVER_RUN = "this study has not been run here: it has no results in"

_IN_WORDS = {"decisions": "what it reads from the study file", "order": "the order of the files that it reads"}
"""Words for parameters that are digests."""


@dataclass(frozen=True)
class Audited:
    """The finding about one result.

    Attributes
    ----------
    path
        The file.
    state
        Its state.
    why
        What is wrong with the file; empty if it is sound.
    job
        The job that makes the result.
    """

    path: str
    state: State
    why: str
    job: Job


def compare_results(jobs: Iterable[Job], *, whole: bool = False) -> list[Audited]:
    """Compare the results of some jobs with the results that the jobs would make now.

    Parameters
    ----------
    jobs
        The jobs in order: a job comes after the jobs that make its inputs.
    whole
        Whether to read every file in full, and compare it with its statement. Otherwise, only the statements of large files are
        read, because the jobs that read these files check their content.
    """
    contents: dict[str, str] = {}
    findings: list[Audited] = []
    for job in jobs:
        read = results_read(job.inputs)
        awaited = [path for path in read if path not in contents]
        made = None if awaited else making_of_job(job.step, {path: contents[path] for path in read}, job.params)
        looked_at = [_look(path, job, made, awaited, whole=whole) for path in job.files_written]
        findings += [finding for finding, _ in looked_at]
        # The costs of a job are measured whenever it runs, even if only another of its results was missing.
        measured = set() if is_sound(finding for finding, _ in looked_at) else set(list_paths([job.outputs.get("cost", [])]))
        contents |= {at.path: statement.content for at, statement in looked_at if statement is not None and at.path not in measured}
    # The parts of sound results were removed after the result was made, and no run makes them again.
    unsound = {id(job) for job in jobs_to_do(findings)}
    needless = {path for finding in findings if id(finding.job) not in unsound for path in parts_read(finding.job.inputs)}
    return [finding for finding in findings if finding.path not in needless]


def jobs_to_do(findings: Iterable[Audited]) -> list[Job]:
    """List the jobs that a run would execute, in order: the jobs with a result that is not sound."""
    return list({id(finding.job): finding.job for finding in findings if finding.state != "sound"}.values())


def never_run(findings: Iterable[Audited], folder: str | PurePath) -> bool:
    """Whether all of a study's own results are missing; results that it shares with other studies may exist."""
    own = [finding for finding in findings if PurePath(finding.path).is_relative_to(folder)]
    return bool(own) and all(finding.state == "missing" for finding in own)


def is_sound(findings: Iterable[Audited]) -> bool:
    """Whether all results are sound, so that nothing is left to do."""
    return all(finding.state == "sound" for finding in findings)


def kept_in_words(findings: Sequence[Audited]) -> str:
    """Say how many results can stay, how many must be made anew, and why; empty if there are no results yet.

    After an update of the library, this shows how many earlier results can still be used.
    """
    states = Counter(finding.state for finding in findings)
    unsound = [finding for finding in findings if finding.state in UNSOUND]
    if not unsound or states["missing"] == len(findings):
        return ""
    # A missing file explains less than a fault in an existing one.
    first = next((finding for finding in unsound if finding.state != "missing"), unsound[0])
    n_reasons = len({finding.why for finding in unsound})
    more = f", and {n_reasons - 1:,} other reason{'s' if n_reasons > 2 else ''}" if n_reasons > 1 else ""
    waiting = f", and what depends on them: up to {states['waiting']:,}" if states["waiting"] else ""
    return (
        f"Kept: {states['sound']:,} of {len(findings):,} results. To be made: {len(unsound):,} "
        f"({first.path}: {first.why.rstrip('.')}{more}){waiting}"
    )


def _look(path: str, job: Job, made: Making | None, awaited: list[str], *, whole: bool) -> tuple[Audited, Statement | None]:
    """Return a result's state and, if it is reliable, its statement."""
    try:
        statement = statement_of(path)
        if whole:
            check_content(path)
    except ArtefactError as error:
        return Audited(path, *unreadable_state(error), job), None
    if made is None:
        return Audited(path, "waiting", f"{awaited[0]} is made anew", job), None
    why = _change_in_words(statement.made, made)
    return (Audited(path, "stale", why, job), None) if why else (Audited(path, "sound", "", job), statement)


def unreadable_state(error: ArtefactError) -> tuple[State, str]:
    """Return the state of an unreadable result, and the reason."""
    if error.problem == MISSING:
        return "missing", error.problem
    word, _, rest = error.problem.partition(": ")
    if word == "damaged":
        return "damaged", rest
    return ("misplaced", rest) if word == "misplaced" else ("stale", error.problem)


def _change_in_words(stated: Making, made: Making) -> str:
    """Say what has changed since a result was made; empty if nothing has."""
    if stated.step != made.step:
        return f"made by '{stated.step}' instead of '{made.step}'"
    if params := _changed_names(stated.params, made.params):
        changes = [_describe_change(name, stated.params.get(name, "none"), made.params.get(name, "none")) for name in params]
        return f"its parameters have changed: {'; '.join(changes)}"
    if stated.code != made.code:
        gone, come = (sorted(set(one.libraries) - set(other.libraries)) for one, other in ((stated, made), (made, stated)))
        libraries = f": {', '.join(gone) or 'nothing'} before, {', '.join(come) or 'nothing'} now" if gone or come else ""
        return f"the code of '{made.step}' has changed{libraries}"
    if inputs := _changed_names(stated.inputs, made.inputs):
        return f"made from a different version of {inputs[0]}{f' and {len(inputs) - 1} more' if len(inputs) > 1 else ''}"
    return ""


def _changed_names(stated: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return [name for name in {**stated, **now} if stated.get(name) != now.get(name)]


def _describe_change(param: str, before: str, now: str) -> str:
    """Name a parameter, with both values if the statement contains them in full; digests are described in words."""
    if param in _IN_WORDS:
        return _IN_WORDS[param]
    is_short = not any(value.startswith(DIGESTED) for value in (before, now))
    return f"'{param}' was {before}, is {now}" if is_short else f"'{param}'"


# While jobs run


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
    made = making_of_job(job.step, read, job.params)
    return bool(written) and all(each.made == made for each in written)


def cannot_be_touched(paths: Iterable[str]) -> str | None:
    """Set the times of files to now; return the first file for which this fails (read-only, or someone else's), or None."""
    for path in paths:
        try:
            os.utime(path)
        except OSError:
            return path
    return None
