"""B1: user selections, which say who is averaged."""

from recsens.comparison.users._base import Population, Users

__all__ = ["Population", "Users"]
