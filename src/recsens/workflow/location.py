"""Where the workflow is: its Snakefile, rules, profiles and environment."""

from pathlib import Path


def workflow_folder() -> Path:
    """Return the folder of the workflow: in the current checkout, or else in the checkout that the library belongs to."""
    here = Path("workflow")
    return here if (here / "Snakefile").is_file() else Path(__file__).parents[3] / "workflow"


def snakefile() -> Path:
    """Return the workflow's main Snakefile."""
    return workflow_folder() / "Snakefile"


def config_file() -> Path:
    """Return the file of Snakemake's settings that belongs to the workflow."""
    return workflow_folder().parent / "config" / "config.yaml"
