"""The one object that the workflow's rules query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from inspect import isfunction, signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from recsens.artefacts.statements import digest_of
from recsens.plugins import Plugin
from recsens.plugins.own import is_own
from recsens.report.tables.paper import paper_tables
from recsens.study.keys_by_step import digest_for_step
from recsens.vocabulary import TABLE_FORMS
from recsens.workflow.ask import data, measures, metric_analyses, study, systems, tables
from recsens.workflow.ask._components import CONSTRAINTS, PROGRAMS, Asked, Classes
from recsens.workflow.ask._resources import Resources
from recsens.workflow.code_digests import own_sources, step_code
from recsens.workflow.job_inputs import NO_RESULTS
from recsens.workflow.plan import Plan
from recsens.workflow.study_setting import from_setting

OfJob = Callable[..., Any]
"""A function of a job's wildcards, which Snakemake calls; some also take the job's input files."""

_MODULES = (data, systems, measures, metric_analyses, study, tables)

_FUNCTIONS: Mapping[str, Callable[..., Asked]] = {
    name: found
    for module in _MODULES
    for name, found in vars(module).items()
    if isfunction(found) and found.__module__ == module.__name__ and not name.startswith("_")
}
"""What each rule gets, by the rule's name."""

_ABOUT_CODE = ("classes", "built", "quoted")
"""Answers on which the digest of code depends; every other answer is an input or a parameter of the step, or decides on one."""


@dataclass
class RulesReading:
    """One reading of the rules for an existing plan.

    Attributes
    ----------
    plan
        The plan of the study.
    workflow
        Snakemake's workflow, once it has read the rules.
    """

    plan: Plan
    workflow: Any = None


_READING: ContextVar[RulesReading | None] = ContextVar("reading", default=None)


class Answers:
    """The answers for one rule: each attribute is a function of a job's wildcards, which Snakemake calls."""

    def __init__(self, answer: Callable[..., Asked], plan: Plan) -> None:
        self._is_about_job = len(signature(answer).parameters) > 1
        self._answer = cache(lambda *job: answer(plan, SimpleNamespace(**dict(job))) if job else answer(plan))

    def at(self, wildcards: Any) -> Asked:
        """Return all answers for a job."""
        return self._answer(*(wildcards.items() if self._is_about_job else ()))

    def __getattr__(self, name: str) -> OfJob:
        return lambda wildcards: self.at(wildcards)[name]


class Ask(Resources):
    """Everything that the workflow's rules get from a study.

    ``ask.fit.origin`` is what the function `recsens.workflow.ask.systems.fit` answers as ``origin``, as a function of the wildcards
    of a job. Snakemake calls such functions for each job, and notices when their values change.
    """

    constraints: Mapping[str, str] = CONSTRAINTS
    programs = PROGRAMS

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._answers = {rule: Answers(answer, plan) for rule, answer in _FUNCTIONS.items()}

    @classmethod
    def of(cls, setting: object, workflow: Any) -> Ask:
        """Return the object for a study; ``setting`` is Snakemake's ``study`` setting, and ``workflow`` reads the rules."""
        reading = _READING.get()
        if reading is None:
            plan = Plan(from_setting(setting))
            _ = plan.designs  # Refuse missing data here: Snakemake shows an error of an input function with its stack.
            return cls(plan)
        reading.workflow = workflow
        return cls(reading.plan)

    def __getattr__(self, rule: str) -> Answers:
        try:
            return self._answers[rule]
        except KeyError:
            raise AttributeError(f"no function in recsens.workflow.ask is called '{rule}'") from None

    def arguments(self, rule: str, **wildcards: str) -> Asked:
        """Return what a rule gets for one job, by the names of its step's arguments, without what only concerns code."""
        return {name: answer for name, answer in self._answers[rule].at(wildcards).items() if name not in _ABOUT_CODE}

    @property
    def name(self) -> str:
        """Name of the study, which is also the name of the folder with its own results."""
        return self.plan.name

    @property
    def study_file(self) -> str:
        """The study file."""
        return str(self.plan.path)

    @property
    def paper_files(self) -> list[str]:
        """Every table for papers; each form has its own file."""
        tables = [table.name for table in paper_tables(self.plan.study)]
        return [f"{self.plan.folder}/tables/{table}.{form}" for table in tables for form in TABLE_FORMS]

    def code(self, rule: str) -> dict[str, OfJob]:
        """Return the parameters about code that every rule has, as functions of wildcards.

        ``code`` is the digest of the step's code, of the answered ``classes``, on which the result depends, and of the files in
        ``quoted``, which it quotes word for word. ``plugins`` are the study's folders of plug-ins. It is empty unless the job
        builds a user's own class, because other jobs do not depend on where such classes are. ``plugin_files`` are the files of
        these classes with their digests: a job must not run with any other version of the files. The job builds ``classes``, or
        ``built`` if it builds more than its result depends on.
        """
        answers = self._answers[rule]

        def own_classes(wildcards: Any) -> frozenset[type[Plugin]]:
            asked = answers.at(wildcards)
            built: Classes = asked.get("built") or asked.get("classes", frozenset())
            return frozenset(plugin for plugin in built if is_own(plugin.__module__))

        def code(wildcards: Any) -> str:
            asked = answers.at(wildcards)
            return step_code(rule, asked.get("classes", frozenset()), quoted=asked.get("quoted", ()))

        return {
            "plugins": lambda wildcards: self.plan.study.plugins if own_classes(wildcards) else (),
            "plugin_files": lambda wildcards: own_sources(own_classes(wildcards)),
            "code": code,
        }

    def study_digest(self, rule: str) -> OfJob:
        """Return a function for the digest of the part of the study on which a step depends."""
        return lambda _: digest_for_step(self.plan.study, rule)

    def own_digests(self, _: Any, input: Any) -> list[str]:  # noqa: A002 - Snakemake calls it so
        """The SHA-256 of each of the user's own files that a job reads."""
        return [self.plan.digest_of(Path(file)) for file in input.own_files]

    def order(self, _: Any, input: Any) -> str:  # noqa: A002 - Snakemake calls it so
        """A digest of the order of a job's input results; the order matters, because labels refer to files by position.

        This order is recorded nowhere else, neither by Snakemake nor in statements.
        """
        return digest_of({name: files for name, files in input.items() if name not in NO_RESULTS})


@contextmanager
def reading_rules(plan: Plan) -> Iterator[RulesReading]:
    """Within the block, let `Ask.of` use an existing plan, and record the workflow that calls `Ask.of`."""
    reading = RulesReading(plan)
    token = _READING.set(reading)
    try:
        yield reading
    finally:
        _READING.reset(token)
