"""The one object that rules ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from recsens.workflow.ask._data import OfData
from recsens.workflow.ask._figures import OfFigures
from recsens.workflow.ask._measures import OfMeasures
from recsens.workflow.ask._metrics import OfMetrics
from recsens.workflow.ask._resources import OfResources
from recsens.workflow.ask._systems import OfSystems
from recsens.workflow.ask._tables import OfTables
from recsens.workflow.plan import Plan
from recsens.workflow.settings import from_setting

_PLANNED: ContextVar[Plan | None] = ContextVar("planned", default=None)


class Ask(OfData, OfSystems, OfMeasures, OfMetrics, OfTables, OfFigures, OfResources):
    """Answers what the rules of the workflow ask about a study.

    Snakemake evaluates functions of ``wildcards`` for each job, and tracks changes of their values.
    """

    @classmethod
    def of(cls, setting: object) -> Ask:
        """Return who answers for a study, given Snakemake's setting of that name."""
        return cls(_PLANNED.get() or Plan(from_setting(setting)))


@contextmanager
def planned(plan: Plan) -> Iterator[None]:
    """Have `Ask.of` answer from a plan that was made before, while the block runs."""
    token = _PLANNED.set(plan)
    try:
        yield
    finally:
        _PLANNED.reset(token)
