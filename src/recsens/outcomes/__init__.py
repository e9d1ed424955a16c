"""Outcomes: compute a value for each system, and a comparison for each pair of systems, from users' measures."""
