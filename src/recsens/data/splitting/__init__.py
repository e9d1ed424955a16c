"""Splits of interactions into train, validation and test (decision A2)."""

from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups

__all__ = ["Groups", "Splitter"]
