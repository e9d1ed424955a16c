"""The study as a setting in Snakemake's configuration."""

from collections.abc import Iterable
from urllib.parse import quote, unquote

from recsens.errors import ConfigError, nearest

SETTING = "study"
"""The workflow's only setting; a workflow that includes it as a module may have its own settings."""


def as_setting(study: str) -> str:
    """Encode a study's name or path as in a URL, because Snakemake parses settings as YAML, and a cluster's shell expands them."""
    return quote(study)


def from_setting(value: object) -> str:
    """Parse a study's name or path that `as_setting` wrote; text without ``%`` stays unchanged."""
    return unquote(str(value))


def check_settings(names: Iterable[str]) -> None:
    """Refuse a setting that looks like a misspelt ``study``, because Snakemake would ignore it and run the default study.

    Raises
    ------
    ConfigError
        The message names the setting.
    """
    for name in names:
        if name != SETTING and nearest(name, [SETTING]):
            raise ConfigError(f"unknown setting '{name}'{nearest(name, [SETTING])}", where="--config", allowed=SETTING)
