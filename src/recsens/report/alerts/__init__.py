"""Warnings that a reader of a study must not overlook; each kind has a module."""
