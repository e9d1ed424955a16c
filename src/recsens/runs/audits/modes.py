"""The modes of ``recsens audit``: audit wins, search for leaks or for definitions of printed numbers, or compare by effort."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from recsens.errors import ConfigError
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import runs_by_name

_WRITTEN = {"runs": "--run", "metrics": "--metric", "as_json": "--json", "page": "--no-page", "folder": "FOLDER"}
"""Options whose parameters have a different name."""

_FILES = {"train": "--train", "validation": "--validation", "test": "--test", "runs": "--run"}
"""The options that name files, by parameter."""


def run_mode(options: Mapping[str, Any], given: Collection[str]) -> tuple[str, bool]:
    """Run the mode that the options choose; return the text to print, and whether every requirement is met.

    A mode accepts files by name or a folder, and the options that are parameters of its function.

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
    mode = next((mode for mode in ("--leaks", "--printed", "--trials") if options[mode.removeprefix("--")]), "")
    function = _function_of(mode)
    _, *takes = inspect.signature(function).parameters
    # No mode but the audit of wins writes a page.
    files = () if mode == "--trials" else (*_FILES, "folder")
    known = {*takes, *files, mode.removeprefix("--"), *(() if options["page"] else ("page",))}
    foreign = next((name for name in options if name in given and name not in known), None)
    if foreign is not None:
        raise ConfigError(
            f"{_option_name(foreign)} does not apply to {mode}" if mode else f"{_option_name(foreign)} applies only to --printed",
            allowed=", ".join(map(_option_name, [*files, *takes])),
        )
    if mode == "--trials":
        return function(options["trials"], **{name: options[name] for name in takes}), True
    datasets = _datasets(options, optional="train" if mode == "--printed" else "validation")
    done: str | tuple[str, bool] = function(datasets, **{name: options[name] for name in takes})
    return (done, True) if isinstance(done, str) else done


def _datasets(options: Mapping[str, Any], optional: str) -> dict[str, ForeignResults]:
    """Return the data sets of the folder, or the one of the files, that the options name."""
    named = {option: options[name] for name, option in _FILES.items()}
    if options["folder"] is not None:
        extra = next((option for option, value in named.items() if value), None)
        if extra is not None:
            raise ConfigError(f"both a folder and {extra} are given", allowed="a folder, or files: --train, --test, --run A=...")
        return ForeignResults.of_folder(options["folder"])
    missing = [option for option, value in named.items() if not value and option not in {"--validation", f"--{optional}"}]
    if missing:
        raise ConfigError(
            f"missing: {', '.join(missing)}", allowed="a folder, or files: --train FILE --test FILE --run A=FILE --run B=FILE"
        )
    sets = {name: options[name] for name in ("train", "validation", "test")}
    return {"": ForeignResults.of(sets, runs_by_name(options["runs"]))}


def _function_of(mode: str) -> Callable[..., Any]:
    # Import only the package of the chosen mode.
    if mode == "--leaks":
        from recsens.runs.leakage.hunting import leaks_of  # noqa: PLC0415

        return leaks_of
    if mode == "--printed":
        from recsens.runs.printed_values import found_of  # noqa: PLC0415

        return found_of
    if mode == "--trials":
        from recsens.runs.trials import verdicts_of_trials  # noqa: PLC0415

        return verdicts_of_trials
    from recsens.runs.audits.commands import audit_of  # noqa: PLC0415

    return audit_of


def _option_name(name: str) -> str:
    return _WRITTEN.get(name, f"--{name.replace('_', '-')}")
