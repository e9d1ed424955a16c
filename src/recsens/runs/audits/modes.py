"""The modes of ``recsens audit``: audit wins, search for leaks, or search for the definitions of printed numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from recsens.errors import ConfigError

_WRITTEN = {"runs": "--run", "metrics": "--metric", "as_json": "--json", "page": "--no-page", "folder": "FOLDER"}
"""Options whose parameters have a different name."""


def audited(options: Mapping[str, Any], given: Collection[str]) -> tuple[str, bool]:
    """Run the mode that the options choose; return the text to print, and whether every requirement is met.

    A mode accepts the options that are parameters of its function. A mode that takes no folder requires the files that it reads.

    Parameters
    ----------
    options
        The value of every option of the command, by parameter.
    given
        The options that the user gave.

    Raises
    ------
    RecsensError
        If an option does not apply to the mode, or if a file cannot be read or used.
    """
    mode = "--leaks" if options["leaks"] else "--printed" if options["printed"] else ""
    function = _function_of(mode)
    takes = list(inspect.signature(function).parameters)
    foreign = next((name for name in options if name in given and name not in {*takes, mode.removeprefix("--")}), None)
    if foreign is not None:
        raise ConfigError(
            f"{_written(foreign)} does not apply to {mode}" if mode else f"{_written(foreign)} applies only to --printed",
            allowed=", ".join(map(_written, takes)),
            remedy="name the files: --train FILE --test FILE --run A=FILE" if foreign == "folder" else None,
        )
    required = {"": (), "--leaks": ("train", "test", "runs"), "--printed": ("test", "runs")}[mode]
    missing = [_written(name) for name in required if not options[name]]
    if missing:
        raise ConfigError(f"missing: {', '.join(missing)}", allowed="--train FILE --test FILE --run A=FILE --run B=FILE")
    done: str | tuple[str, bool] = function(**{name: options[name] for name in takes})
    return (done, True) if isinstance(done, str) else done


def _function_of(mode: str) -> Callable[..., Any]:
    # Import only the package of the chosen mode.
    if mode == "--leaks":
        from recsens.runs.leakage.command import leaks_of  # noqa: PLC0415

        return leaks_of
    if mode == "--printed":
        from recsens.runs.printed_values.command import found_of  # noqa: PLC0415

        return found_of
    from recsens.runs.audits.commands import audit_of  # noqa: PLC0415

    return audit_of


def _written(name: str) -> str:
    return _WRITTEN.get(name, f"--{name.replace('_', '-')}")
