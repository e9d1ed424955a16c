"""What the workflow's rules ask about a study: one object, whose answers are functions of a job's wildcards."""

from recsens.workflow.ask._ask import Ask, looking
from recsens.workflow.ask._wildcards import Wildcards

__all__ = ["Ask", "Wildcards", "looking"]
