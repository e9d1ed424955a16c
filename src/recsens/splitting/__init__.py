"""A2: which interactions teach, and which test."""

from recsens.splitting._base import Splitter
from recsens.splitting._groups import Groups

__all__ = ["Groups", "Splitter"]
