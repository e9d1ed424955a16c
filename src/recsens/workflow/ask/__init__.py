"""What the workflow's rules get from a study: modules with one function a rule, and `Ask`, the object that rules query."""

from recsens.workflow.ask._ask import Ask, reading_rules
from recsens.workflow.ask._resources import Prices

__all__ = ["Ask", "Prices", "reading_rules"]
