"""Report whether each result is sound, and what a run would do."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recsens.artefacts.addresses import RESULTS, study_folder
from recsens.artefacts.statements import SIDECARS
from recsens.artefacts.storage import check_content
from recsens.errors import ArtefactError, RecsensError
from recsens.workflow.job import Job
from recsens.workflow.job_inputs import refuse_other_inputs, statement_of
from recsens.workflow.leftovers import clear_up, leftovers
from recsens.workflow.lock import check_results, only_writer
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.staleness import NEVER_RUN, UNSOUND, compare_results, jobs_to_do, never_run, unreadable_state

_STATED = {".parquet", ".npz", ".json", ".csv", ".svg", ".png", ".pdf", ".tex", ".md", ".txt", ".html"}
"""Endings of the file names of results."""

_RECORDS = {"logs", "benchmarks"}
"""Folders of a study with records of its jobs, which are not results."""

_UNSTATED = {"spec.json"}
"""Notes for readers, which no job reads."""


@dataclass(frozen=True)
class Verification:
    """The outcome of checking the results.

    Attributes
    ----------
    counts
        Number of results in each state.
    faults
        State, file and reason of each result that is not sound.
    anew
        Number of jobs of each step that a run would start.
    left
        Files left behind by killed jobs.
    unasked
        Files in the study's folder that the study does not make.
    missing_from
        Folder of the study, if it has no results yet; its files are then not listed one by one.
    """

    counts: Mapping[str, int]
    faults: Sequence[tuple[str, str, str]] = ()
    anew: Mapping[str, int] = field(default_factory=dict)
    left: Sequence[Path] = ()
    unasked: Sequence[Path] = ()
    missing_from: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether every result is sound."""
        return set(self.counts) <= {"sound"}

    def told(self) -> Iterator[str]:
        """Yield the findings, line by line."""
        yield f"{sum(self.counts.values()):,} results: " + (
            ", ".join(f"{n:,} {state}" for state, n in self.counts.items()) or "none"
        )
        if self.missing_from:
            yield f"  {NEVER_RUN} {self.missing_from}"
        yield from (f"  {state}: {path}: {why}" for state, path, why in self.faults)
        yield from (f"  left over: {path}" for path in self.left)
        yield from (f"  not asked for: {path}" for path in self.unasked)


def remove_debris() -> list[Path]:
    """Remove files left behind by killed jobs, and return their paths; also remove the locks of a killed Snakemake.

    Raises
    ------
    RunError
        If a run is in progress.
    """
    results = Path(RESULTS)
    check_results(results)
    if not results.is_dir():
        return []
    with only_writer(results):
        left = leftovers(results)
        clear_up(results)
    return left


def verify_study(plan: Plan) -> Verification:
    """Read all results of a study in full, and compare each with its statement and with the result that the study would make.

    Raises
    ------
    RecsensError
        If the study cannot be planned, or if ``results`` is a file or a dangling link.
    """
    check_results(Path(RESULTS))
    return verify_results(planned_jobs(plan), plan.name)


def verify_results(jobs: Sequence[Job], study: str) -> Verification:
    """Read all results of a study's jobs in full; compare each with its statement and with the result that its job would make."""
    folder = study_folder(study)
    findings = compare_results(jobs, whole=True)
    is_new = never_run(findings, folder)
    shown = [finding for finding in findings if finding.state in UNSOUND and not (is_new and finding.state == "missing")]
    return Verification(
        Counter(finding.state for finding in findings),
        [(finding.state, finding.path, finding.why) for finding in shown],
        Counter(job.step for job in jobs_to_do(findings)),
        leftovers(Path(RESULTS)),
        not_asked_for(Path(folder), (path for job in jobs for path in job.files_written)),
        str(folder) if is_new else "",
    )


def verify_all() -> Verification:
    """Read every result below ``results/`` in full, and compare it with its statement, whatever the study.

    Raises
    ------
    RecsensError
        If there are no results here, or if ``results`` is a file or a dangling link.
    """
    results = Path(RESULTS)
    check_results(results)
    if not results.is_dir():
        remedy = "run a study with 'recsens run STUDY', or change into the folder where one has been run"
        raise RecsensError("no results here", where=str(results.absolute()), remedy=remedy)
    paths = (path for path in sorted(results.rglob("*")) if path.suffix in _STATED and path.name not in _UNSTATED)
    contents: dict[str, str] = {}
    states = [(path, *_result_state(path, contents)) for path in paths if not {SIDECARS, "logs"} & {*path.parts}]
    faults = [(state, str(path), why) for path, state, why in states if state != "sound"]
    return Verification(Counter(state for _, state, _ in states), faults, left=leftovers(results))


def not_asked_for(study: Path, wanted: Iterable[str]) -> list[Path]:
    """Find files in a study's folder that the study does not make, such as a figure of a decision that no longer varies."""
    wanted_paths = {Path(path) for path in wanted}
    paths = (path for path in study.rglob("*") if path.is_file() and path.relative_to(study).parts[0] not in _RECORDS)
    others = wanted_paths.union(leftovers(study))
    return sorted(path for path in paths if path not in others and path.parent.name != SIDECARS)


def _result_state(path: Path, contents: dict[str, str]) -> tuple[str, str]:
    try:
        statement = statement_of(path)
        check_content(path)
    except ArtefactError as error:
        return unreadable_state(error)
    try:
        refuse_other_inputs(str(path), statement, contents)
    except ArtefactError as error:
        state, why = unreadable_state(error)
        return (state, why) if error.where == str(path) else ("waiting", f"made from {error.where}, which is {state}: {why}")
    return "sound", ""
