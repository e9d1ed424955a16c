"""Audits: read the files of other programs, and compute verdicts under every decision that can be varied after ranking."""

from recsens.audits._audit import Audit, audit
from recsens.audits._input import AuditInput
from recsens.audits._options import Options

__all__ = ["Audit", "AuditInput", "Options", "audit"]
