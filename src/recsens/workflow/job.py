"""One job of the workflow: call a step with its threads and log, and report failures. All steps are called here."""

import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from select import PIPE_BUF
from typing import Any, Self, Unpack, get_args, get_origin, get_type_hints

from recsens.artefacts.filesets import list_paths
from recsens.errors import ConfigError, RecsensError
from recsens.workflow.supervision import Ended, supervise

logger = logging.getLogger(__name__)

Files = str | list[str]
"""One path, or several."""

ONE_BLAS_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "BLIS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
"""Environment of every job: one thread, because products by two threads can differ in the last bit, which can change ties."""

_FOR_SNAKEMAKE = {"own_files", "own_digests", "order", "code"}
"""Inputs and parameters that make a job stale when they change, but are not passed to the step, which does not need them."""

_FOR_THE_JOB = {"plugins", "plugin_files"}

RESOURCE = "limit"
"""The rule resource that a profile sets: ``set-resources: {fit: {limit: 30 min}}``, or ``default-resources`` for all rules."""

_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|min|h|d)\s*")

_SCRIPT = "recsens_step.py"
"""The script of every rule with a step."""

_BEFORE_REASON, _NEXT_LINE, _INDENT = "ERROR recsens: ", "\n", "  "
_WITHIN_REASON = _NEXT_LINE + _INDENT
"""The form of a failure's reason in a log: one line, followed by indented lines that continue it."""


@dataclass(frozen=True, eq=False)
class Job:
    """A step with its rule's inputs, outputs and parameters.

    Attributes
    ----------
    step
        Name of the rule, of the step's module, and of the function in this module.
    wildcards
        Values of the rule's wildcards in the names of its files.
    inputs, outputs
        Files by the name of the step's argument; files that belong together are one argument (`recsens.artefacts.filesets`).
    params
        The other arguments. ``plugins`` are the user's folders of plug-ins, ``plugin_files`` the files in these folders that affect
        the result, and ``code`` is the digest of the code behind the result.
    record
        Snakemake's record of the job's costs; empty if there is none.
    log
        The file for everything that is logged, warned or raised.
    threads
        Threads that the step may use.
    """

    step: str
    wildcards: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Files] = field(default_factory=dict)
    outputs: Mapping[str, Files] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    record: str = ""
    log: str = ""
    threads: int = 1

    @classmethod
    def of(cls, job: Any, threads: int = 1) -> Self:
        """Describe one of Snakemake's jobs."""
        inputs, outputs = (
            {name: str(paths) if isinstance(paths, str) else list(map(str, paths)) for name, paths in files.items()}
            for files in (job.input, job.output)
        )
        wildcards, params = dict(job.wildcards.items()), dict(job.params.items())
        return cls(step_of(job.rule.name), wildcards, inputs, outputs, params, str(job.benchmark or ""), str(job.log[0]), threads)

    @property
    def files_read(self) -> list[str]:
        """Every path that the job reads."""
        return list_paths(self.inputs.values())

    @property
    def files_written(self) -> list[str]:
        """Every path that the job writes."""
        return list_paths(self.outputs.values())

    def call(self) -> None:
        """Call the step; the files that it writes state their inputs and code.

        Raises
        ------
        ArtefactError
            If an input is missing, damaged or misplaced, or if the inputs from which it was made have changed.
        DataError
            If one of the user's own files, plug-ins included, has changed since the run was planned.
        """
        job_inputs = import_module("recsens.workflow.job_inputs")
        making = import_module("recsens.artefacts.statements").making
        import_module("recsens.plugins").add_paths(self.params.get("plugins", ()))
        arguments = {**self.inputs, **self.outputs, **self.params}
        own = arguments.keys() - _FOR_SNAKEMAKE - _FOR_THE_JOB
        step = function_of(self.step, {name: arguments[name] for name in own})
        read = job_inputs.digests_of(job_inputs.results_read(self.inputs))
        job_inputs.digests_of(job_inputs.parts_read(self.inputs))  # This refuses parts that were made from other results.
        made = job_inputs.making_of_job(self.step, read, self.params)
        with job_inputs.refuse_changed_inputs(self.inputs, self.params), making(made):
            step()


def function_of(step: str, arguments: Mapping[str, Any]) -> Callable[[], None]:
    """Return a step with its arguments; lists and mappings, as Snakemake passes them, become the named tuples that it takes."""
    function = getattr(import_module(f"recsens.workflow.steps.{step}"), step)
    hints = get_type_hints(function)
    # Several steps take the same files, which a mapping of types lists.
    for files in (get_args(hint)[0] for hint in [*hints.values()] if get_origin(hint) is Unpack):
        hints |= get_type_hints(files)
    return partial(function, **{name: _as_named_tuples(hints.get(name), argument) for name, argument in arguments.items()})


def is_step(rule: Any) -> bool:
    """Whether a Snakemake rule runs a step; targets, and rules with another script, do not."""
    return rule.script is not None and Path(rule.script).name == _SCRIPT


def step_of(rule: str) -> str:
    """Return the step of a rule: ``fit`` for ``fit``, and also for ``mine_fit`` after ``use rule * ... as mine_*``.

    Raises
    ------
    LookupError
        If the rule's name does not end with a step's name.
    """
    # A job imports only its own step, so the others are known only by their files.
    steps = [file.stem for file in (Path(__file__).parent / "steps").glob("[a-z]*.py")]
    found = [step for step in steps if rule == step or rule.endswith(f"_{step}")]
    if not found:
        raise LookupError(f"the rule '{rule}' has no step: its name must end with the name of a recsens rule, as 'mine_fit' does")
    # Return the longest match: describe_splits instead of a step 'splits'.
    return max(found, key=len)


def duration_in_seconds(written: object) -> float | None:
    """Parse a duration such as ``30 min``; None stays None.

    Raises
    ------
    ConfigError
        If the text is not a number above zero with a unit.

    Examples
    --------
    >>> parse_duration("30 min"), parse_duration("1.5h"), parse_duration(None)
    (1800.0, 5400.0, None)
    """
    if written is None:
        return None
    found = _DURATION.fullmatch(str(written))
    if found is None or float(found[1]) == 0:
        raise ConfigError(
            f"{RESOURCE}: '{written}' is not a duration",
            where="set-resources or default-resources of the profile",
            allowed="a number above zero and a unit: 45 s, 30 min, 2 h or 1 d",
        )
    return float(found[1]) * _SECONDS[found[2]]


def run(job: Job, limit: str | None = None, *, private: Sequence[int] = (), kernels: int | None = None) -> None:
    """Run a job in a separate process, and say why it fails.

    Everything that is logged, warned, raised or written to the terminal goes to the log file. The reason for a failure also goes to
    the terminal and to the end of the log; a run reads it there and repeats it at its end (`reason_in`). An error about the input
    is shown without its traceback. Whatever the job does to its process, no other job is affected.

    ``limit`` is the duration after which the job is ended, such as ``30 min``; by default, there is no limit. ``private`` are
    descriptors of this process that the job must close. ``kernels`` is a descriptor to which a finished job writes the names of the
    kernels that it has loaded.
    """
    # numpy and numba read these only once, when they are imported.
    os.environ.update(ONE_BLAS_THREAD)
    os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(job.threads)
    log = Path(job.log).absolute()
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    try:
        ended = supervise(partial(_call_logged, job, log, kernels), log, duration_in_seconds(limit), private=private)
    except ConfigError as error:
        ended = Ended("failed", str(error))
    if ended is None:
        return
    reason = _failure_reason(ended, job, limit)
    note_reason(log, reason)
    sys.exit(f"recsens: {ended.shown or reason}")


def note_reason(log: Path, reason: str) -> None:
    """Write the reason for a job's failure to the end of its log, if the disk has space."""
    with suppress(OSError), log.open("a", encoding="utf-8") as lines:
        lines.write(f"{_BEFORE_REASON}{reason.replace(_NEXT_LINE, _WITHIN_REASON)}\n")


def reason_in(log: Path) -> str | None:
    """Return the reason for a job's failure from its log; None if the log has no reason."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split(_NEXT_LINE)
    except OSError:
        return None
    starts = [n for n, line in enumerate(lines) if line.startswith(_BEFORE_REASON)]
    if not starts:
        return None
    first, *rest = lines[starts[-1] :]
    within = takewhile(lambda line: line.startswith(_INDENT), rest)
    return _NEXT_LINE.join([first.removeprefix(_BEFORE_REASON), *(line.removeprefix(_INDENT) for line in within)])


def _failure_reason(ended: Ended, job: Job, limit: str | None) -> str:
    """Say in one line what ended a job, and at which line of the user's own files."""
    if ended.how == "failed":
        return ended.reason
    folders = [Path(folder).absolute() for folder in job.params.get("plugins", ())]
    frames = [(Path(file), line) for file, line in ended.frames if any(folder in Path(file).parents for folder in folders)]
    own = ended.where or (f"{frames[0][0]}:{frames[0][1]}".removeprefix(f"{Path.cwd()}/") if frames else "")
    said = (
        ended.reason if ended.how == "crashed" else (f"it exceeded the profile's time limit ('{RESOURCE}: {limit}'), and was ended")
    )
    return f"{f'{own}: ' if own else ''}step '{job.step}' failed: {said}; see {job.log}"


def _call_logged(job: Job, log: Path, kernels: int | None) -> Ended | None:
    """Call the step. Logging and warnings go to the log file."""
    logging.basicConfig(filename=log, filemode="a", level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", force=True)
    logging.captureWarnings(capture=True)
    try:
        job.call()
        if kernels is not None:
            _report_kernels(kernels)
    except RecsensError as error:
        logger.error("refused: %s", error)  # noqa: TRY400 - the input is at fault; a traceback would hide the message
        return Ended("failed", str(error))
    except BaseException as error:
        logger.exception("failed")
        # Keep only one line, because numba's messages about types fill pages. The log has them in full.
        said = f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")
        own = import_module("recsens.plugins.own").line_of(error)
        reason = f"{f'{own}: ' if own else ''}step '{job.step}' failed: {said}; see {job.log}"
        return Ended("failed", reason, own, f"step '{job.step}' failed\n{traceback.format_exc()}")
    return None


def _report_kernels(descriptor: int) -> None:
    """Write the names of the kernels that this process has loaded, unless the pipe is full or nobody reads it."""
    names = "".join(f"{name}\n" for name in import_module("recsens.compiled.machine_code").LOADED)
    if len(names) <= PIPE_BUF:  # More bytes would not be written in one piece.
        with suppress(OSError):
            os.write(descriptor, names.encode())


def _as_named_tuples(hint: Any, value: Any) -> Any:
    if hint == (str | None) and not value:
        return None  # A rule passes an empty list for a file that a study may lack.
    if _is_named_tuple(hint):
        return hint(**value) if isinstance(value, Mapping) else hint(*value)
    if get_origin(hint) is Sequence and isinstance(value, str):
        return [value]  # A rule may name one file without brackets.
    if get_origin(hint) is Sequence and _is_named_tuple(get_args(hint)[0]):
        [each], files = get_args(hint), list(value)
        return [each(*files[start : start + len(each._fields)]) for start in range(0, len(files), len(each._fields))]
    return value


def _is_named_tuple(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")
