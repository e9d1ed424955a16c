"""Measuring: judged items' positions turned into each user's measures."""
