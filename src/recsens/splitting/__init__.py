"""A2: splits of interactions into train, validation and test."""

from recsens.splitting._base import Splitter
from recsens.splitting._groups import Groups

__all__ = ["Groups", "Splitter"]
