"""Outcomes: turn users' measures into a value for each system, and a comparison for each pair of systems."""
