"""The object that the workflow's rules query about a study; its methods are functions of a job's wildcards."""

from recsens.workflow.ask._ask import Ask, looking
from recsens.workflow.ask._wildcards import Wildcards

__all__ = ["Ask", "Wildcards", "looking"]
