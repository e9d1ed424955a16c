"""Find, read and check study files."""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from recsens.errors import ConfigError, nearest
from recsens.files.paths import relative_to_study
from recsens.study.claims import ClaimEntry
from recsens.study.decisions import Decisions
from recsens.study.families import Combining
from recsens.study.figures import FigureEntry
from recsens.study.location import studies
from recsens.study.metric_analyses import MetricAnalysisEntry
from recsens.study.model import FurtherExperiment, ReferenceDesign, Study
from recsens.study.published import Published, PublishedComparison
from recsens.study.refusals import KEY, explain_error

_MERGE = "tag:yaml.org,2002:merge"
"""YAML's tag for the key ``<<``, which merges the keys of another mapping."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that YAML allows only as escapes; UTF-8 cannot encode some of them, and figures cannot show some."""

_TYPES = {"int": "a whole number", "float": "a number", "bool": "true or false", "timestamp": "a date or time"}
"""The name of each YAML type in messages."""


class UnprintableTextError(yaml.MarkedYAMLError):
    """Well-formed YAML with text that cannot be shown or stored."""


class StudyLoader(yaml.SafeLoader):
    """A YAML loader that refuses unprintable text, and repeated keys, of which YAML would drop the first."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct a value; an error about an invalid number or date names its line and column."""
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError, LookupError, AttributeError) as error:
            kind = node.tag.rpartition(":")[2]
            why = f": {error}" if kind == "timestamp" else ""
            text = str(node.value)
            quoted = f"'{text[:30]}...' ({len(text):,} characters)" if len(text) > 40 else f"'{text}'"
            raise yaml.constructor.ConstructorError(
                problem=f"YAML reads {quoted} as {_TYPES.get(kind, kind)}, but it is not a valid one{why}",
                problem_mark=node.start_mark,
            ) from error

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        """Return the text of a scalar."""
        text = super().construct_scalar(node)
        unprintable = _UNPRINTABLE.search(text) if isinstance(text, str) else None
        if unprintable is not None:
            what = "half of a character" if "\ud800" <= unprintable[0] <= "\udfff" else "a control character"
            problem = f"the text contains {what}, {ascii(unprintable[0])[1:-1]}"
            raise UnprintableTextError(problem=problem, problem_mark=node.start_mark)
        return text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a mapping; refuse repeated keys, and keys that are not text."""
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(problem=f"the key {key} is not text", problem_mark=key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(problem=f"the key '{key}' appears twice", problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


STUDY_NAME = r"[a-z0-9][a-z0-9-]*"
"""Pattern of a study's name, which also becomes the name of a folder of results."""

_CURES = {
    "'\\t'": "indent with spaces, never with tabs",
    "mapping values are not allowed": "put a text that contains ': ' in quotes; write a parameter as k=10",
    "appears twice": "give each a different name",
    "expected a single document": "write one study per file",
    "YAML reads": "put it in quotes if you mean text",
    "the text contains": "write only printable characters",
}
"""Advice on the usual cause of a YAML error, by a part of the error's message."""


_MISPLACED: dict[type[BaseModel], dict[str, str]] = {
    Study: dict.fromkeys(Decisions.model_fields, "is a decision: write it under 'design', or under 'vary' as a list of options."),
    Decisions: dict.fromkeys(Study.model_fields, "is not a decision: write it at the left margin, not under 'design'."),
    FurtherExperiment: dict.fromkeys(Study.model_fields, "applies to the whole study: write it at the left margin.")
    | dict.fromkeys(Decisions.model_fields, "is a decision: write it under the experiment's 'design' or 'vary'."),
}
"""For each model, keys that are often written in it by mistake, and the place where they belong."""

_MODELS: dict[int | str, type[BaseModel]] = {
    "design": Decisions,
    "over_datasets": Combining,
    "reference": ReferenceDesign,
    "experiments": FurtherExperiment,
    "figures": FigureEntry,
    "meta": MetricAnalysisEntry,
    "claims": ClaimEntry,
    "published": Published,
    "published_comparisons": PublishedComparison,
}
"""The model for the content below a key of a study, by key."""


def load_study(path: str | Path) -> Study:
    """Read and check a study file.

    Raises
    ------
    ConfigError
        If the file is missing, is not YAML, or describes something that cannot be run; the message lists all mistakes, by key.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        beside_it = sorted(map(str, [*Path(path).parent.glob("*.yaml"), *Path(path).parent.glob("*.yml")]))
        raise ConfigError(
            f"cannot be read: {error.strerror}{nearest(str(path), beside_it)}",
            where=str(path),
            remedy="give the path of a study file, or the name of one that 'recsens studies' lists",
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
        with relative_to_study(path):
            return Study.model_validate(content)
    except ValidationError as error:
        raise _as_config_error(error, str(path)) from error


def find_study(name: str) -> Path:
    """Return a study's file, given its name or the path of a YAML file.

    The name is searched for in ``config/studies`` of the working directory, then in the working directory, then among the studies
    that come with recsens.

    Raises
    ------
    ConfigError
        If there is no such study, or if its file name cannot become the name of a folder of results.
    """
    known = studies()
    path = known.get(name) or Path(name)
    if path.suffix not in {".yaml", ".yml"} and path.is_file():
        raise ConfigError(
            "is not a study file",
            where=name,
            allowed="a .yaml file",
            remedy=f"if it holds ratings or purchases, 'recsens init \"{name}\"' writes a study of it",
        )
    if path.suffix not in {".yaml", ".yml"}:
        raise ConfigError(
            f"no study '{name}'{nearest(name, known)}",
            where="study",
            allowed=", ".join([*sorted(known), "the path of a .yaml file"]),
        )
    if not re.fullmatch(STUDY_NAME, path.stem):
        raise ConfigError(
            f"'{path.stem}' cannot be the name of a study",
            where=str(path),
            allowed="lower-case letters, digits and hyphens",
            remedy="rename the file",
        )
    return path


def _not_yaml(error: yaml.YAMLError, path: str) -> ConfigError:
    """Return the error for a file that YAML cannot read: the problem, its line and column, and how to fix the usual cause."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return ConfigError(f"is not YAML: {' '.join(str(error).split())}", where=path)
    problem, mark = str(error.problem), error.problem_mark
    start = f", {error.context} that starts on line {error.context_mark.line + 1}" if error.context and error.context_mark else ""
    remedy = next((cure for sign, cure in _CURES.items() if sign in f"{error.context} {problem}"), None)
    head = "cannot be read" if isinstance(error, UnprintableTextError) else "is not YAML"
    return ConfigError(f"{head}: {problem} (line {mark.line + 1}, column {mark.column + 1}{start})", where=path, remedy=remedy)


def _as_config_error(error: ValidationError, path: str) -> ConfigError:
    lines = []
    for detail in error.errors():
        model = _MODELS.get(detail["loc"][0], Study) if detail["loc"] else Study
        # If a key is not text, pydantic appends the key, a number and a marker; the path before these is enough.
        loc = detail["loc"][:-2] if detail["loc"][-1:] == (KEY,) else detail["loc"]
        key = ".".join(str(part) for part in loc)
        cause = detail.get("ctx", {}).get("error")
        # Checks of the whole study find several mistakes.
        several = cause.args if type(cause) is ValueError else ()
        whys = several if len(several) > 1 else [explain_error(detail, model, _MISPLACED.get(model, {}))]
        lines += [f"{key}: {why}" if key else why for why in whys]
    # Indent the lines that belong to a mistake below it.
    listed = "\n".join("  - " + line.replace("\n", "\n  ") for line in lines)
    head = lines[0] if len(lines) == 1 else f"{len(lines)} mistakes\n{listed}"
    # If the reason already contains advice, none is added.
    return ConfigError(head, where=path, remedy=None if "what to do: " in head else "'recsens keys' lists every key")
