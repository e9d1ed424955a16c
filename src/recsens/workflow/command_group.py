"""The group of recsens's commands, which shows errors as messages, and types of options."""

from __future__ import annotations

import errno
import math
import sys

import click

from recsens.errors import RecsensError, explain_missing_library

_ENDED_BY_SIGNAL = 128
"""If a signal ends a command, a shell's exit code is this number plus the signal's number."""

_FULL = (errno.ENOSPC, errno.EDQUOT)
"""Error numbers of a full disk; such an error does not name the file that could not be written."""


class CommandGroup(click.Group):
    """A group of commands that shows errors as messages instead of tracebacks, and suggests a name for a misspelt command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order of their definitions below, which is the order of usual use."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; a signal ends it with a message, and with the exit code that a shell uses for the signal."""
        from recsens.workflow.stopping import RunStopped, signal_of, stopped_by_signals  # noqa: PLC0415

        try:
            with stopped_by_signals():
                return self._invoke(ctx)
        except RunStopped as stop:
            said, number = str(stop), stop.number
        except KeyboardInterrupt as stop:
            said, number = "stopped", signal_of(stop)
        click.echo(said, err=True)
        sys.exit(_ENDED_BY_SIGNAL + number)

    def _invoke(self, ctx: click.Context) -> object:
        from recsens.workflow.stopping import RunStopped  # noqa: PLC0415

        try:
            with explain_missing_library():
                return super().invoke(ctx)
        except RunStopped:
            raise
        except RecsensError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.filename is None and error.errno not in _FULL:
                raise
            where = f"{error.filename}: " if error.filename else ""
            remedy = "check that the folder exists, is writable and has space left"
            raise click.ClickException(f"{where}{error.strerror}\n  what to do: {remedy}") from error


class Cores(click.ParamType[int | None]):
    """A processor count; ``all`` becomes None."""

    name = "cores"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Read a whole number from 1, or ``all``."""
        if value in {"all", None}:
            return None
        try:
            number = int(str(value))
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"'{value}' is neither a whole number from 1 nor 'all'", param, ctx)
        return number


class Level(click.FloatRange):
    """A significance level between 0 and 1. Click's own range check accepts nan, because every comparison with nan is false."""

    name = "level"

    def __init__(self) -> None:
        super().__init__(0, 1, min_open=True, max_open=True)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number between 0 and 1."""
        level: float = super().convert(value, param, ctx)  # type: ignore[arg-type]
        if math.isnan(level):
            self.fail(f"{level} is not in the range {self._describe_range()}.", param, ctx)
        return level
