"""Offline recommender experiments whose every decision is explicit and varied."""

__version__ = "0.1.0"
