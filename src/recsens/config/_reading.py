"""Study files on disk: found, read, checked."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from pydantic import BaseModel, ValidationError

from recsens.config._loader import BeyondLimitsError, StudyLoader
from recsens.config._model import Decisions, Experiment, Published, PublishedComparison, Study
from recsens.config._reasons import KEY, reason
from recsens.errors import ConfigError, nearest

STUDY_NAME = r"[a-z0-9][a-z0-9-]*"
"""What may name a study, hence a folder of results."""

_CURES = {
    "'\\t'": "indent with spaces, never with tabs",
    "mapping values are not allowed": "put a text that holds ': ' in quotes; a parameter is written k=10",
    "stands twice": "give each its own name",
    "expected a single document": "keep one study in a file",
    "YAML takes": "put it in quotes if text is meant",
    "the text holds": "write text that can be printed, without such characters",
    "an alias (*name)": "write out what is meant",
}
"""Part of what YAML says -> what to do about its usual cause."""


_MISPLACED: dict[type[BaseModel], dict[str, str]] = {
    Study: dict.fromkeys(Decisions.model_fields, "is a decision: write it under 'design', or under 'vary' as a list of options."),
    Decisions: dict.fromkeys(Study.model_fields, "is no decision: write it at the left margin, not under 'design'."),
    Experiment: dict.fromkeys(Study.model_fields, "holds for the whole study: write it at the left margin.")
    | dict.fromkeys(Decisions.model_fields, "is a decision: write it under the experiment's 'design' or 'vary'."),
}
"""Model -> keys of the others that one would write there, with the place where they belong."""


def load_study(path: str | Path) -> Study:
    """Read and check a study file.

    Raises
    ------
    ConfigError
        If the file is missing, is not YAML, or says something that cannot be run; every mistake is named with its key, at once.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            remedy="give the path of a study file, or the name of one in config/studies",
        ) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"is not UTF-8 text: byte {error.object[error.start]:#04x} on line {line}", where=str(path), remedy="save it as UTF-8"
        ) from error
    try:
        content = yaml.load(text, Loader=StudyLoader)  # noqa: S506 - derives from SafeLoader
    except yaml.YAMLError as error:
        raise _not_yaml(error, str(path)) from error
    if not isinstance(content, dict):
        raise ConfigError("is not a mapping of keys", where=str(path), allowed=", ".join(Study.model_fields))
    try:
        return Study.model_validate(content)
    except ValidationError as error:
        raise _as_config_error(error, str(path)) from error


def find_study(name: str, folder: str | Path = "config/studies") -> Path:
    """Return the file of a study, given its name in ``folder`` or a path to a YAML file.

    Raises
    ------
    ConfigError
        If there is none, or its file name cannot name a folder of results.
    """
    known = {path.stem: path for path in sorted(Path(folder).glob("*.yaml"))}
    path = known.get(name) or Path(name)
    if path.suffix not in {".yaml", ".yml"}:
        raise ConfigError(
            f"no study '{name}'{nearest(name, known)}",
            where=str(folder),
            allowed=", ".join([*known, "a path to a .yaml file"]),
            remedy=None if Path(folder).is_dir() else f"change into a checkout of recsens: there is no such folder in {Path.cwd()}",
        )
    if not re.fullmatch(STUDY_NAME, path.stem):
        raise ConfigError(
            f"'{path.stem}' cannot name a study",
            where=str(path),
            allowed="small letters, digits and hyphens",
            remedy="rename the file",
        )
    return path


def _not_yaml(error: yaml.YAMLError, path: str) -> ConfigError:
    """Say what YAML stumbled over, where, and the usual cause."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return ConfigError(f"is not YAML: {' '.join(str(error).split())}", where=path)
    problem, mark = str(error.problem), error.problem_mark
    start = f", {error.context} that starts on line {error.context_mark.line + 1}" if error.context and error.context_mark else ""
    remedy = next((cure for sign, cure in _CURES.items() if sign in f"{error.context} {problem}"), None)
    head = "cannot be read" if isinstance(error, BeyondLimitsError) else "is not YAML"
    return ConfigError(f"{head}: {problem} (line {mark.line + 1}, column {mark.column + 1}{start})", where=path, remedy=remedy)


def _as_config_error(error: ValidationError, path: str) -> ConfigError:
    lines = []
    for detail in error.errors():
        model = _model_at(detail["loc"])
        # Of a key that is no text, the place holds a number: where it is to be found is said by the labels beside it.
        loc = detail["loc"][:-2] if detail["loc"][-1:] == (KEY,) else detail["loc"]
        key = ".".join(str(part) for part in loc)
        why = reason(detail, model, _MISPLACED.get(model, {}))
        lines.append(f"{key}: {why}" if key else why)
    # What is allowed in place of one of several mistakes stands below that mistake.
    listed = "\n".join("  - " + line.replace("\n", "\n  ") for line in lines)
    head = lines[0] if len(lines) == 1 else f"{len(lines)} mistakes\n{listed}"
    # A reason that says itself what to do needs no second advice.
    return ConfigError(head, where=path, remedy=None if "what to do: " in head else "see config/README.md for every key")


def _model_at(loc: tuple[int | str, ...]) -> type[BaseModel]:
    match loc:
        case ("design", *_):
            return Decisions
        case ("experiments", *_):
            return Experiment
        case ("published", *_):
            return Published
        case ("published_comparisons", *_):
            return PublishedComparison
        case _:
            return Study
