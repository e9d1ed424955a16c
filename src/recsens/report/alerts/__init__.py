"""Warnings that a reader of a study must not overlook; each kind of warning has its own module."""
