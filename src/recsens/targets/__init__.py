"""Target items: what is to be ranked for each user."""

from recsens.targets._base import Targets

__all__ = ["Targets"]
