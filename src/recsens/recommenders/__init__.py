"""B: recommenders, the systems that an experiment compares."""

from recsens.recommenders._base import Recommender

__all__ = ["Recommender"]
