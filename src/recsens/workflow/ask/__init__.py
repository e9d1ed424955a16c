"""What the workflow's rules get from a study: modules with one function a rule, and `Ask`, the object that rules query."""

from recsens.workflow.ask._ask import Ask, reading_rules

__all__ = ["Ask", "reading_rules"]
