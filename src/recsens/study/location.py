"""Find the workflow with its settings, profiles, environment and studies: in a checkout or in the installed library."""

from pathlib import Path

_SHIPPED = Path(__file__).parents[1] / "shipped"
"""Folder in the wheel with the parts of a checkout that are outside the library, in the same layout."""

_STUDIES = Path("config") / "studies"


def is_checkout() -> bool:
    """Whether the working directory contains this workflow; a Snakefile alone could belong to any project."""
    return all(map(Path.is_file, (Path("workflow/Snakefile"), Path("workflow/scripts/recsens_step.py"))))


def workflow_root() -> Path:
    """Return the folder that contains ``workflow`` and ``config``: the current checkout, or else the copy inside the library."""
    if is_checkout():
        return Path()
    return _SHIPPED if _SHIPPED.is_dir() else Path(__file__).parents[3]


def workflow_folder() -> Path:
    """Return the folder of the workflow."""
    return workflow_root() / "workflow"


def snakefile() -> Path:
    """Return the workflow's main Snakefile."""
    return workflow_folder() / "Snakefile"


def config_file() -> Path:
    """Return the workflow's file of Snakemake settings."""
    return workflow_root() / "config" / "config.yaml"


def studies() -> dict[str, Path]:
    """Return, by name, the study files that a user can select by name instead of by path.

    They are in ``config/studies`` of the working directory, in the working directory, and among the shipped studies. If several
    studies have the same name, the first of these folders takes precedence.
    """
    folders = (workflow_root() / _STUDIES, Path(), _STUDIES)
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml")) if folder != Path() or _is_study(path)}


def shipped_studies() -> dict[str, Path]:
    """Return the studies, by name, that came with the library or are in the current checkout."""
    return {path.stem: path for path in sorted((workflow_root() / _STUDIES).glob("*.yaml"))}


def _is_study(path: Path) -> bool:
    """Whether a YAML file looks like a study, because working directories also contain YAML files of other programs."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith("systems:") for line in lines)
