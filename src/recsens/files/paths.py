"""Paths that a user wrote: whether they lead anywhere, and whether a workflow can take them."""

from __future__ import annotations

import re
from pathlib import Path

from recsens.errors import ConfigError

_PATTERN = re.compile(r"\{\s*[.\w]+\s*(?:,.*)?\}", re.DOTALL)
"""What Snakemake takes for a wildcard; in the path of an input file there is no way to write it otherwise."""


def is_file(path: str | Path) -> bool:
    """Say whether a path leads to a file; not where the system cannot look it up, such as a name of more than 255 bytes."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def is_folder(path: str | Path) -> bool:
    """Say whether a path leads to a folder; not where the system cannot look it up."""
    try:
        return Path(path).is_dir()
    except OSError:
        return False


def check_path(path: str | Path) -> None:
    """Refuse the path of a file that the workflow reads, where Snakemake would take part of it for a wildcard.

    Raises
    ------
    ConfigError
        If a name in it holds a word in braces, or is not text.
    """
    found = _PATTERN.search(str(path))
    if found is not None:
        raise ConfigError(
            f"the path '{path}' holds '{found[0]}', which Snakemake takes for a wildcard",
            allowed="names without a word in braces",
            remedy="rename the folder or file, or reach it through a link of another name",
        )
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"the path {str(path)!a} is not UTF-8", remedy="rename the folder or file") from error
