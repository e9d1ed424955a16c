"""Audits: verdicts over every decision that can be varied after ranking, from files that other programs wrote."""

from recsens.audits._audit import Audit, AuditInput, Options, audit

__all__ = ["Audit", "AuditInput", "Options", "audit"]
