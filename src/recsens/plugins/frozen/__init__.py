"""Data that cannot be changed: what plug-ins are handed, and what is worked out from it once."""

from recsens.plugins.frozen._classes import Frozen, frozen_property
from recsens.plugins.frozen._values import frozen

__all__ = ["Frozen", "frozen", "frozen_property"]
