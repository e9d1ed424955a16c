"""A2: splits of interactions into train, validation and test."""

from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups

__all__ = ["Groups", "Splitter"]
