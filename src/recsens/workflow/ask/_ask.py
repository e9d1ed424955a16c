"""The one object that the workflow's rules query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from recsens.workflow.ask._data import OfData
from recsens.workflow.ask._figures import OfFigures
from recsens.workflow.ask._measures import OfMeasures
from recsens.workflow.ask._metric_analyses import OfMetricAnalyses
from recsens.workflow.ask._resources import OfResources
from recsens.workflow.ask._systems import OfSystems
from recsens.workflow.ask._tables import OfTables
from recsens.workflow.ask._wildcards import Wildcards
from recsens.workflow.plan import Plan
from recsens.workflow.study_setting import from_setting


@dataclass
class Look:
    """One pass over a study's job graph.

    Attributes
    ----------
    plan
        The plan of the study.
    workflow
        Snakemake's workflow, once it has read the rules.
    """

    plan: Plan
    workflow: Any = None


_LOOK: ContextVar[Look | None] = ContextVar("look", default=None)


class Ask(OfData, OfSystems, OfMeasures, OfMetricAnalyses, OfTables, OfFigures, OfResources):
    """All functions that the workflow's rules call for a study.

    Snakemake calls functions of ``wildcards`` for each job, and notices when their values change.
    """

    def further_tables(self, wildcards: Wildcards) -> list[str]:
        """The tables that only some studies have, in the order in which the report offers them."""
        some = {
            "truth": self.has_reference(wildcards),
            "claims": self.has_claims(wildcards),
            "findings": self.has_findings(wildcards),
            "tuning": self.has_tuning(wildcards),
            "predictions": self.has_predictions(wildcards),
            "matched": self.has_score_files(wildcards),
        }
        return [f"{self.plan.folder}/{name}.csv" for name, is_made in some.items() if is_made]

    @classmethod
    def of(cls, setting: object, workflow: Any) -> Ask:
        """Return the object for a study; ``setting`` is Snakemake's ``study`` setting, and ``workflow`` reads the rules."""
        look = _LOOK.get()
        if look is None:
            plan = Plan(from_setting(setting))
            _ = plan.designs  # Refuse missing data here: Snakemake shows an error of an input function with its stack.
            return cls(plan)
        look.workflow = workflow
        return cls(look.plan)


@contextmanager
def looking(plan: Plan) -> Iterator[Look]:
    """Within the block, let `Ask.of` use an existing plan, and record the workflow that calls `Ask.of`."""
    look = Look(plan)
    token = _LOOK.set(look)
    try:
        yield look
    finally:
        _LOOK.reset(token)
