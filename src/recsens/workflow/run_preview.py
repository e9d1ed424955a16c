"""Describe, in the study's own words, what a run would do, and why."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from shutil import which

from recsens.arrays import grouped
from recsens.artefacts.addresses import RESULTS
from recsens.files.paths import is_file
from recsens.recommenders.program import Program
from recsens.study.baselines import told
from recsens.study.ignored import remarks
from recsens.workflow.ask import Prices
from recsens.workflow.estimates import describe_time
from recsens.workflow.job import Job
from recsens.workflow.job_names import subjects_of
from recsens.workflow.lock import check_results, writer_at_work
from recsens.workflow.plan import Plan
from recsens.workflow.programs import programs_of
from recsens.workflow.run import findings
from recsens.workflow.staleness import NEVER_RUN, UNSOUND, Audited, jobs_to_do, never_run


def remarks_on(plan: Plan) -> Iterator[str]:
    """Say what baselines mean, which metrics are left out or ignore which decisions, and which files could change unnoticed."""
    if plan.study.baselines is not None:
        yield from told(plan.study.baselines, plan.study.systems)
    yield from plan.remarks_on_metrics()
    yield from remarks(plan.study)
    for label, programs in programs_of(plan).items():
        for program in programs:
            yield from (f"{label}: {told}" for told in _unlisted_files(program, plan.path.parent))


def _unlisted_files(program: Program, folder: Path) -> Iterator[str]:
    """Yield a remark for each file next to the study that a command runs although ``files`` does not list it."""
    assert program.run is not None
    counted = {Path(file).resolve() for file in program.files}
    first, *others = shlex.split(program.run)
    if "/" not in first and is_file(folder / first) and which(first) is None:
        yield f"'{first}' is not in PATH; to run the file next to the study, write ./{first} and files=[\"{first}\"]"
    for argument in (first, *others):
        path = Path(argument)
        is_beside = path.is_absolute() and is_file(argument) and path.parent.resolve() == folder.resolve()
        if is_beside and path.resolve() not in counted:
            yield f"the command runs '{argument}', but a change of this file recomputes no result: add files=[\"{path.name}\"]"


_MAX_REASONS = 20
"""Largest number of reasons that are listed; results with the same reason share a line."""

_MAX_SUBJECTS = 8
"""Largest number of systems, metrics or data sets that a line about jobs names."""


@dataclass(frozen=True)
class RunPreview:
    """A preview of a run of the study, made without writing anything.

    Attributes
    ----------
    found
        The state of every result of the study.
    subject
        Function that names a job's subject, in the study's own words.
    folder
        Folder of the study's own results.
    """

    found: Sequence[Audited]
    subject: Callable[[Job], str]
    folder: PurePath

    @classmethod
    def of(cls, plan: Plan) -> RunPreview:
        """Examine a study's results; raises the same errors as `recsens.workflow.planned_jobs.planned_jobs`."""
        return cls(findings(plan), subjects_of(plan), plan.folder)

    @property
    def all_jobs(self) -> list[Job]:
        """Every job of the study."""
        return list({id(finding.job): finding.job for finding in self.found}.values())

    @property
    def to_do(self) -> list[Job]:
        """The jobs that a run would do."""
        return jobs_to_do(self.found)

    def jobs(self) -> Iterator[str]:
        """Yield what a run would do, step by step."""
        if not self.to_do:
            yield "Nothing to do: every result is up to date"
            return
        yield f"A run would do {counted(self.to_do)}:"
        for step, n in Counter(job.step for job in self.to_do).items():
            subjects = Counter(filter(None, (self.subject(job) for job in self.to_do if job.step == step)))
            phrases = [subject if times == 1 else f"{subject} ({times:,})" for subject, times in subjects.items()]
            more = f" and {len(phrases) - _MAX_SUBJECTS:,} more" if len(phrases) > _MAX_SUBJECTS else ""
            yield f"  {n:>5,} {step}{': ' if phrases else ''}{', '.join(phrases[:_MAX_SUBJECTS])}{more}"

    def reasons(self) -> Iterator[str]:
        """Yield the reasons for making results anew, file by file."""
        unsound = [finding for finding in self.found if finding.state in UNSOUND]
        n_waiting = sum(finding.state == "waiting" for finding in self.found)
        if never_run(self.found, self.folder):
            yield f"Why: {NEVER_RUN} {self.folder}"
            unsound = [finding for finding in unsound if finding.state != "missing"]
        elif unsound:
            depending = f", and {n_waiting:,} depend on them" if n_waiting else ""
            yield f"Why: {len(unsound):,} of {len(self.found):,} results are not up to date{depending}"
        alike = grouped(((finding.state, finding.why), finding.path) for finding in unsound)
        for (state, why), paths in list(alike.items())[:_MAX_REASONS]:
            yield f"  {state}: {paths[0]}{f' and {len(paths) - 1:,} more' if len(paths) > 1 else ''}: {why}"
        if len(alike) > _MAX_REASONS:
            yield f"  and {len(alike) - _MAX_REASONS:,} more reasons: 'recsens verify STUDY' gives the reason for every file"
        if n_waiting:
            yield "A run does less if a result that others depend on turns out unchanged"


def preview_lines(plan: Plan, cores: int) -> Iterator[str]:
    """Yield what a run of the study on ``cores`` processors would do, and why; write nothing, and take no lock.

    Raises
    ------
    RecsensError
        If the study cannot be planned, or ``results`` is not a folder.
    """
    check_results(Path(RESULTS))
    preview = RunPreview.of(plan)
    yield from preview.jobs()
    if preview.to_do:
        yield from describe_time(preview.all_jobs, preview.to_do, cores, Prices(plan))
    yield from preview.reasons()
    yield from other_run_lines()


def other_run_lines() -> Iterator[str]:
    """Say if another run is in progress, because its results change while they are read."""
    if (writer := writer_at_work(Path(RESULTS))) is not None:
        yield f"Another run is writing these results ({writer.words}): jobs that it finishes will not be needed"


def counted(jobs: Sequence[Job]) -> str:
    """Count jobs, and the fits among them."""
    steps = Counter(job.step for job in jobs)
    numbers = {"fit": steps["fit"] + steps["fit_program"], "tuning": steps["tune"]}
    special = [counted_as(number, noun) for noun, number in numbers.items() if number]
    return counted_as(len(jobs), "job") + (f", including {' and '.join(special)}" if special else "")


def counted_as(n: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def counts_of(plan: Plan) -> str:
    """Count a study's data sets, systems, designs, folds and rankings."""
    systems = {str(spec) for experiment in plan.study.all_experiments() for spec in experiment.systems.values()}
    counts = [
        (len(plan.sources), "data set"),
        *([(len(plan.study.experiments), "further experiment")] if plan.study.experiments else []),
        (len(systems), "system"),
        (len(plan.all_designs), "design"),
        (len(plan.splits), "fold"),
        *([(len(plan.tunings), "tuning")] if plan.tunings else []),
        (len(plan.rankings), "ranking"),
    ]
    return ", ".join(counted_as(n, noun) for n, noun in counts)
