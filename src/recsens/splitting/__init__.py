"""A2: which interactions teach, and which test."""

from recsens.splitting._base import Splitter

__all__ = ["Splitter"]
