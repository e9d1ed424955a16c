"""Warnings that a study's reader must not overlook; each kind has its own module."""
