"""B1: which users are averaged."""

from recsens.users._base import Population, Users

__all__ = ["Population", "Users"]
