"""Measuring: turn the positions of judged items into each user's measures."""
