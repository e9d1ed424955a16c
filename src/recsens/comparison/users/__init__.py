"""User selections (decision B1), which choose the users to average."""

from recsens.comparison.users._base import Population, Users

__all__ = ["Population", "Users"]
