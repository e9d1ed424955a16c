"""Files that come with recsens for copying: studies, with the data and time that each needs, and an exporter of trained models."""

from collections.abc import Iterator
from pathlib import Path

from recsens.arrays import grouped
from recsens.data.datasets import DataSet, locate
from recsens.errors import ConfigError, DataError, nearest
from recsens.plugins.specs import Spec
from recsens.study import load_study
from recsens.study.location import shipped_studies

_TAKES = "# Takes "
"""Start of the line in a study file that says how long a run took on two processors, without the download of data."""

_FIRST = "quickstart"


def study_lines() -> Iterator[str]:
    """Yield, line by line, the name and title of each shipped study, its data, and how long it takes."""
    for name, path in sorted(shipped_studies().items(), key=lambda item: item[0] != _FIRST):
        study = load_study(path)
        yield f"{name}: {study.title}"
        for need, labels in grouped((_data_needed(spec), label) for label, spec in study.datasets.items()).items():
            shortened = ", ".join(labels) if len(labels) <= 4 else f"{', '.join(labels[:2])} and {len(labels) - 2} more"
            yield f"  data: {shortened}: {need}"
        yield from (
            f"  takes: {line.removeprefix(_TAKES)} on two processors"
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith(_TAKES)
        )


def _data_needed(spec: Spec) -> str:
    """Say how a data set's files are obtained."""
    component = DataSet.build(spec)
    files = component.raw_files()
    if not files:
        return "simulated"
    try:
        if locate(component) is not None:
            return "here"
    except DataError:
        return f"your own file: {files[0].path}"
    if all(file.url is not None or file.optional for file in files):
        return "downloaded from the publisher in the first run"
    return f"provide it as data/{files[0].folder}/{files[0].name} or below the folder that RECSENS_DATA names"


def copy_shipped(name: str, to: Path) -> None:
    """Copy the file of a shipped study.

    Raises
    ------
    ConfigError
        If no study of this name is shipped, or if the file already exists.
    """
    studies = shipped_studies()
    if name not in studies:
        raise ConfigError(f"no study '{name}' comes with recsens{nearest(name, studies)}", allowed=", ".join(studies))
    try:
        with to.open("x", encoding="utf-8") as file:
            file.write(studies[name].read_text(encoding="utf-8"))
    except FileExistsError as error:
        raise ConfigError(
            "this file already exists", where=str(to), remedy="choose another name with --to, or remove the file"
        ) from error


def exporter_file() -> Path:
    """Return the file that exports other frameworks' trained models."""
    return Path(__file__).parents[1] / "exporter" / "recsens_export.py"


def copy_exporter(to: Path) -> None:
    """Copy the file that exports other frameworks' trained models; missing folders are created.

    Raises
    ------
    ConfigError
        If a different file already exists; an identical file stays.
    """
    text = exporter_file().read_bytes()
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        with to.open("xb") as file:
            file.write(text)
    except FileExistsError as error:
        if to.is_file() and to.read_bytes() == text:
            return
        remedy = "rename it, remove it if it is from an older recsens, or choose another folder"
        raise ConfigError("a different file already exists", where=str(to), remedy=remedy) from error
