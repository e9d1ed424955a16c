"""Judging metrics: how robust they are to missing judgements, how well they tell systems apart, how far they agree."""

from recsens.meta._base import Analysis, Asked, Finding
from recsens.meta._board import Board

__all__ = ["Analysis", "Asked", "Board", "Finding"]
