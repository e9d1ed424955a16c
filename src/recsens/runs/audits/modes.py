"""The modes of ``recsens audit``: audit wins, search for leaks, or search for the definitions of printed numbers."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from recsens.errors import ConfigError

_WRITTEN = {"runs": "--run", "metrics": "--metric", "as_json": "--json", "page": "--no-page", "folder": "FOLDER"}
"""Options whose parameters have a different name."""


def audited(options: Mapping[str, Any], given: Collection[str]) -> tuple[str, bool]:
    """Run the mode that the options choose; return the text to print, and whether every requirement is met.

    A mode accepts the options that are parameters of its function, and a folder in place of the files that it reads.

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
    # No mode but the audit of wins writes a page.
    known = {*takes, mode.removeprefix("--"), "folder", *(() if options["page"] else ("page",))}
    foreign = next((name for name in options if name in given and name not in known), None)
    if foreign is not None:
        raise ConfigError(
            f"{_written(foreign)} does not apply to {mode}" if mode else f"{_written(foreign)} applies only to --printed",
            allowed=", ".join(map(_written, takes)),
        )
    if options["folder"] and "folder" not in takes:
        return _in_folder(function, takes, options), True
    required = {"": (), "--leaks": ("train", "test", "runs"), "--printed": ("test", "runs")}[mode]
    missing = [_written(name) for name in required if not options[name] and not options["folder"]]
    if missing:
        raise ConfigError(f"missing: {', '.join(missing)}", allowed="--train FILE --test FILE --run A=FILE --run B=FILE")
    done: str | tuple[str, bool] = function(**{name: options[name] for name in takes})
    return (done, True) if isinstance(done, str) else done


def _in_folder(function: Callable[..., str], takes: Collection[str], options: Mapping[str, Any]) -> str:
    """Call a mode's function with the files of each data set and fold of a folder; join the texts, or the JSON objects."""
    from recsens.runs.audits._input import AuditInput  # noqa: PLC0415 - reading a folder needs more than reading files

    named = next((name for name in ("train", "validation", "test", "runs") if options[name]), None)
    if named is not None:
        raise ConfigError(
            f"both a folder and {_written(named)} are given", allowed="a folder, or files: --train, --test, --run A=..."
        )
    done: dict[str, str] = {}
    for dataset, found in AuditInput.of_folder(options["folder"]).items():
        for fold, files in found.folds.items():
            runs = {
                f"{run} {training}".strip(): path
                for run, paths in files.runs.items()
                for training, path in zip(found.trainings, paths, strict=True)
            }
            sets = {name: None if name not in files.sets else str(files.sets[name]) for name in ("train", "validation", "test")}
            own = {**options, **sets, "runs": runs}
            done[f"{dataset} {fold}".strip()] = function(**{name: own[name] for name in takes})
    if len(done) == 1:
        return next(iter(done.values()))
    if options["as_json"]:
        return json.dumps({name: json.loads(text) for name, text in done.items()}, indent=2, ensure_ascii=False)
    return "\n\n".join(f"{name}:\n{text}" for name, text in done.items())


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
