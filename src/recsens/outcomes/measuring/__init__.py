"""Measuring: positions of judged items turned into each user's measures."""
