"""Snakemake profiles, which determine where and how jobs run."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from recsens.errors import RecsensError, nearest
from recsens.study.location import workflow_folder, workflow_root

DEFAULT_PROFILE = "default"

_OPTIONAL = {
    "recsens-slurm": ("snakemake_executor_plugin_slurm", "slurm"),
    "recsens-generic": ("snakemake_executor_plugin_cluster_generic", "generic"),
}
"""The module behind an executor, and the extra that installs it."""

_HERE = (None, "recsens", "local")
"""The executors that run jobs on this machine: our own, and Snakemake's, which is its default."""

_COMMAND = "-cmd"
"""Ending of the names of entries that contain a command."""


def find_profile(profile: str) -> Path:
    """Return a profile's folder, given a name in ``workflow/profiles`` or the path of any folder.

    Raises
    ------
    RecsensError
        If there is no such profile, or if the plug-in of its executor is not installed.
    """
    shipped = workflow_folder() / "profiles"
    for folder in (shipped / profile, Path(profile)):
        if (folder / "config.yaml").is_file():
            module, extra = _OPTIONAL.get(str(entries_of(folder).get("executor")), ("", ""))
            if module and find_spec(module) is None:
                # Snakemake would not know the profile's options, and answer with its whole usage.
                problem = f"the profile '{profile}' needs a plug-in of Snakemake that is not installed"
                raise RecsensError(problem, remedy=f"pip install 'recsens[{extra}]'")
            return folder
    names = sorted(config.parent.name for config in shipped.glob("*/config.yaml"))
    allowed = f"{', '.join(names)}, or the path of a folder that contains a config.yaml"
    raise RecsensError(f"no profile '{profile}'{nearest(profile, names)}", allowed=allowed)


def entries_of(folder: Path) -> Mapping[str, Any]:
    """Return the entries of a profile."""
    return yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8")) or {}


def options_for_commands(folder: Path) -> Iterator[str]:
    """Yield options that locate a profile's commands when the working directory has no folder ``workflow``."""
    if workflow_root() == Path():
        return
    for name, command in entries_of(folder).items():
        program, _, arguments = str(command).partition(" ")
        if name.endswith(_COMMAND) and program.startswith("workflow/"):
            placed = str(workflow_root().absolute() / program)
            yield f"--{name}"
            # A command with arguments is run by a shell, so quote the path.
            yield f"{shlex.quote(placed)} {arguments}" if arguments else placed


def value_of(name: str, options: Sequence[str], entries: Mapping[str, object]) -> object:
    """Return the value of a Snakemake option from the command or, if not set there, from the profile; None if neither sets it."""
    for index, option in enumerate(options):
        flag, equals, value = option.partition("=")
        if flag == f"--{name}":
            return value if equals else next(iter(options[index + 1 :]), "")
    return entries.get(name)


def sends_jobs_away(options: Sequence[str]) -> bool:
    """Whether jobs go to a cluster under Snakemake's ``options``; there they may wait in a queue before they run."""
    profile = value_of("workflow-profile", options, {})
    return value_of("executor", options, entries_of(Path(str(profile))) if profile else {}) not in _HERE
