"""Decisions B1, C3, C4 and D: which users are averaged, how their values are aggregated, and which test compares systems."""
