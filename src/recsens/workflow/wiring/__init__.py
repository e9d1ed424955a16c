"""The rules of the workflow as data: what each reads and writes, and what its jobs are told, given the plan of a study."""

from recsens.workflow.wiring._rule import WILDCARDS, Rule, Wildcards
from recsens.workflow.wiring.data import DataWiring
from recsens.workflow.wiring.meta import MetaWiring
from recsens.workflow.wiring.studies import StudyWiring
from recsens.workflow.wiring.systems import SystemWiring
from recsens.workflow.wiring.truth import TruthWiring

__all__ = ["WILDCARDS", "DataWiring", "MetaWiring", "Rule", "StudyWiring", "SystemWiring", "TruthWiring", "Wildcards"]
