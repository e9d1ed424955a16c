"""The study as a setting of Snakemake's configuration."""

from urllib.parse import quote, unquote


def as_setting(study: str) -> str:
    """Write the name or path of a study as in a URL: Snakemake parses settings as YAML, and a cluster's shell expands them."""
    return quote(study)


def from_setting(value: object) -> str:
    """Read the name or path of a study as `as_setting` writes it; text without ``%`` stays unchanged."""
    return unquote(str(value))
