"""Snakemake's logger ``recsens``: reports job events to the run that started Snakemake."""

import json
import os
from contextlib import suppress
from logging import LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from recsens.workflow.progress import EVENTS

__all__ = ["LogHandler"]


class LogHandler(LogHandlerBase):  # type: ignore[misc]
    """Write one event per line, as JSON, to the descriptor named in the environment; do nothing if the environment names none."""

    writes_to_stream = False
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Find the descriptor. It is private to this process, because child processes do not inherit it."""
        self._out = _open_one(os.environ.pop(EVENTS, ""))

    def emit(self, record: LogRecord) -> None:
        """Write an event, if it is one to report."""
        told = _told(record)
        if told is not None and self._out is not None:
            try:
                os.write(self._out, json.dumps(told).encode() + b"\n")
            except OSError:
                self._out = None  # the reader is gone


def _open_one(number: str) -> int | None:
    with suppress(ValueError, OSError):
        os.fstat(int(number))
        return int(number)
    return None


def _told(record: Any) -> dict[str, Any] | None:
    match getattr(record, "event", None):
        case LogEvent.RUN_INFO:
            return {"event": "progress", "done": 0, "total": record.stats["total"]}
        case LogEvent.PROGRESS:
            return {"event": "progress", "done": record.done, "total": record.total}
        case LogEvent.JOB_INFO:
            return {"event": "started", "job": record.jobid, "rule": record.rule_name, "wildcards": dict(record.wildcards)}
        case LogEvent.JOB_FINISHED:
            return {"event": "finished", "job": record.job_id}
        case LogEvent.JOB_ERROR:
            return {"event": "failed", "job": record.jobid, "logs": list(record.log)}
    return None
