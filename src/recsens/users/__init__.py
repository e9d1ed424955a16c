"""B1: which users are averaged."""

from recsens.users._base import Users

__all__ = ["Users"]
