"""The jobs of a study: every one, with its files and parameters, listed before anything runs and without starting Snakemake."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any, cast

from recsens.workflow.plan import Plan
from recsens.workflow.wiring import WILDCARDS, DataWiring, MetaWiring, Rule, StudyWiring, SystemWiring, TruthWiring, Wildcards


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job that a study needs.

    Attributes
    ----------
    step
        Name of its rule and step.
    wildcards
        What the names of its files tell, by wildcard of the rule.
    inputs, outputs
        Paths by name, in the order that the step expects.
    params
        Parameters by name, the digest of its code among them.
    record
        Snakemake's record of its costs; empty if it keeps none.
    """

    step: str
    wildcards: Mapping[str, str]
    inputs: Mapping[str, list[str]]
    outputs: Mapping[str, list[str]]
    params: Mapping[str, Any]
    record: str = ""

    @property
    def files_read(self) -> list[str]:
        """Every path that it reads."""
        return [path for paths in self.inputs.values() for path in paths]

    @property
    def files_written(self) -> list[str]:
        """Every path that it writes."""
        return [path for paths in self.outputs.values() for path in paths]


def planned_jobs(plan: Plan, target: str = "all") -> list[PlannedJob]:
    """List every job that makes a file of a target of the workflow, each once, and after all jobs whose files it reads.

    Paths that no rule makes, such as raw files, are inputs that must be there.

    Raises
    ------
    RecsensError
        If the plan has no meaning, as `Plan.rankings`.
    """
    studies = StudyWiring(plan)
    others = (DataWiring(plan), SystemWiring(plan), MetaWiring(plan), TruthWiring(plan))
    found = _Jobs([*studies.rules(), *(rule for wiring in others for rule in wiring.rules())])
    for paths in studies.wanted[target].values():
        found.add_makers_of(paths)
    return found.listed


@dataclass
class _Jobs:
    """The jobs found so far, producers first."""

    rules: Iterable[Rule]
    listed: list[PlannedJob] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # A rule is looked up by the name of the file, or by the names of several that differ by a wildcard.
        self.makers: dict[str, list[tuple[re.Pattern[str], Rule]]] = defaultdict(list)
        for rule in self.rules:
            for patterns in rule.outputs.values():
                for pattern in _several(patterns):
                    self.makers[_key(pattern)].append((_compiled(pattern), rule))

    def add_makers_of(self, paths: Iterable[str]) -> None:
        """Add the job that makes each path, after the jobs that make what it reads."""
        for path in paths:
            if path not in self.seen:
                self.seen.add(path)
                self._add_maker_of(path)

    def _add_maker_of(self, path: str) -> None:
        for pattern, rule in [*self.makers.get(_key(path), ()), *self.makers[_ANY]]:
            matched = pattern.fullmatch(path)
            if matched is not None:
                job = _job(rule, matched.groupdict())
                self.seen.update(job.files_written)
                self.add_makers_of(job.files_read)
                self.listed.append(job)
                return


_ANY = ""
"""Key of file names that hold a wildcard."""


def _key(path: str) -> str:
    name = PurePosixPath(path).name
    return _ANY if "{" in name else name


def _compiled(pattern: str) -> re.Pattern[str]:
    """Turn a pattern of paths into a regular expression with a group for each wildcard."""
    parts = re.split(r"\{(\w+)\}", pattern)
    texts = [f"(?P<{part}>{WILDCARDS[part]})" if index % 2 else re.escape(part) for index, part in enumerate(parts)]
    return re.compile("".join(texts))


def _job(rule: Rule, wildcards: Mapping[str, str]) -> PlannedJob:
    names = cast("Wildcards", SimpleNamespace(**wildcards))

    def answered(asked: Any) -> Any:
        return asked(names) if callable(asked) else asked

    def filled(files: Any) -> list[str]:
        return [re.sub(r"\{(\w+)\}", lambda found: wildcards[found[1]], path) for path in _several(files)]

    return PlannedJob(
        step=rule.step,
        wildcards=wildcards,
        inputs={name: list(_several(files(names))) if callable(files) else filled(files) for name, files in rule.inputs.items()},
        outputs={name: filled(files) for name, files in rule.outputs.items()},
        params={name: answered(value) for name, value in rule.params.items()},
        record=filled(rule.benchmark)[0],
    )


def _several(files: str | Iterable[str]) -> Iterable[str]:
    return (files,) if isinstance(files, str) else files
