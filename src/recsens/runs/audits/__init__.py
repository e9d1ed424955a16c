"""Audits: read the files of other programs, and compute verdicts under every decision that can be varied after ranking."""

from recsens.runs.audits._audit import Audit, audit
from recsens.runs.audits._required_wins import Options

__all__ = ["Audit", "Options", "audit"]
