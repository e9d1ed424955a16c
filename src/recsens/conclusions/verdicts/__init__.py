"""Verdicts: which system wins, and under which designs."""
