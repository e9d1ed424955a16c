"""Where the workflow lies: its Snakefile, rules, profiles and environment."""

from pathlib import Path


def workflow_folder() -> Path:
    """Return the folder of the workflow, from the folder of a checkout."""
    return Path("workflow")


def snakefile() -> Path:
    """Return the Snakefile that a checkout runs."""
    return workflow_folder().parent / "Snakefile"
