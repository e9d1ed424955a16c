"""What ``recsens audit`` does with its options: an audit of wins, a search for leaks, or one for the definitions of numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from recsens.errors import ConfigError

_FILES = ("train", "validation", "test", "runs", "columns", "scale", "as_json")

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "": (
        *("folder", *_FILES, "to", "metrics", "base", "vary", "relevance", "rank_by", "least_matched", "alpha", "margin", "seed"),
        *("page", "require"),
    ),
    "--leaks": ("leaks", *_FILES, "metrics", "relevance", "rank_by", "alpha", "seed"),
    "--printed": ("printed", *_FILES, "departures"),
}
"""The options that each mode takes, by the option that chooses it; an audit of wins needs none."""

_WRITTEN = {"runs": "--run", "metrics": "--metric", "as_json": "--json", "page": "--no-page", "folder": "FOLDER"}
"""Options whose parameter has another name."""


def audited(options: Mapping[str, Any], given: Collection[str]) -> tuple[str, bool]:
    """Do what the options ask for; return the text to print, and whether every requirement is met.

    Parameters
    ----------
    options
        The value of every option of the command, by parameter.
    given
        The options that the user gave.

    Raises
    ------
    RecsensError
        If an option does not go with the mode, or a file cannot be read or used.
    """
    mode = "--leaks" if options["leaks"] else "--printed" if options["printed"] else ""
    foreign = [name for name in options if name in given and name not in OPTIONS[mode]]
    if foreign:
        raise ConfigError(
            f"{_written(foreign[0])} does not go with {mode}" if mode else f"{_written(foreign[0])} goes only with --printed",
            allowed=", ".join(map(_written, OPTIONS[mode])),
        )
    own = {name: options[name] for name in OPTIONS[mode]}
    match mode:
        case "--leaks":
            return _leaks(own), True
        case "--printed":
            return _printed(own), True
        case _:
            from recsens.audits.commands import audit_of  # noqa: PLC0415 - the other modes need none of its packages

            return audit_of(own.pop("folder"), **{**own, "alpha": 0.05 if own["alpha"] is None else own["alpha"]})


def _leaks(options: Mapping[str, Any]) -> str:
    from recsens.leakage.command import leaks_of  # noqa: PLC0415 - as above

    _require(options, "train", "test", "runs")
    return leaks_of(**{name: value for name, value in options.items() if name != "leaks"})


def _printed(options: Mapping[str, Any]) -> str:
    from recsens.printed_values.command import found_of  # noqa: PLC0415 - as above

    _require(options, "test", "runs")
    return found_of(**options)


def _require(options: Mapping[str, Any], *names: str) -> None:
    missing = [_written(name) for name in names if not options[name]]
    if missing:
        raise ConfigError(f"nothing is given as {', '.join(missing)}", allowed="--train FILE --test FILE --run A=FILE --run B=FILE")


def _written(name: str) -> str:
    return _WRITTEN.get(name, f"--{name.replace('_', '-')}")
