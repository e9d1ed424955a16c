"""Studies written from Python: the study file that a run needs, and the files for ratings in memory."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from recsens.artefacts.storage import write_file, write_text
from recsens.errors import ConfigError
from recsens.files.parquet import write_table
from recsens.notebook.arguments import refuse_other
from recsens.notebook.ratings import Ratings, load
from recsens.plugins import Plugin
from recsens.study import load_study

FOLDER = Path("sweeps")
"""Folder below the working directory for the study files and ratings of studies written from Python."""


def write_draft(content: Mapping[str, Any], name: str | None = None) -> Path:
    """Write the study file of a study given in Python into the working directory, and return its path.

    Without a name, the study is named after its content; it then never replaces the results of a different study.

    Raises
    ------
    ConfigError
        If the content is not a study; then no file is written.
    """
    text = yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True, width=128)
    name = name or f"sweep-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
    path = FOLDER / f"{name}.yaml"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
        try:
            load_study(path)
        except ConfigError as error:
            path.unlink()
            raise error.at("written from Python") from error
    return path


def dataset_of(ratings_or_spec: Any) -> str:
    """Return a data set as a study names it: a spec is unchanged; ratings in memory are written to a parquet file.

    Raises
    ------
    ConfigError
        If the ratings were filtered (in a study, the filter is a decision), or if they are counts of repeated pairs.
    """
    if isinstance(ratings_or_spec, str):
        return ratings_or_spec
    ratings = ratings_or_spec if isinstance(ratings_or_spec, Ratings) else load(ratings_or_spec)
    refuse_other("the ratings", ratings, Ratings, "recsens.load(...)")
    if ratings.chain:
        raise ConfigError(
            "the ratings have already been filtered",
            allowed="ratings as they were loaded, because the filter is a decision of the study",
            remedy=f"pass the ratings before the filter, and design={{'filter': '{'+'.join(map(str, ratings.chain))}'}}",
        )
    spec = ratings.component.spec
    if ratings.component.spec.name != "parquet" or "path" in dict(spec.params):
        return str(ratings.component.full_spec)
    if spec.get("duplicates") == "count":
        raise ConfigError(
            "the ratings are counts of repeated pairs, but a study counts the events itself",
            remedy="write the events to a file, and pass its spec: 'parquet(path=\"events.parquet\",rating=null,duplicates=count)'",
        )
    return str(spec.with_params(path=str(_write_ratings(ratings))))


def _write_ratings(ratings: Ratings) -> Path:
    """Write in-memory ratings to a file named after their content."""
    table = pa.Table.from_pandas(ratings.frame, preserve_index=False)
    digest = hashlib.sha256()
    for column in table.columns:
        for value in column.cast(pa.string()).to_pylist():
            digest.update(f"{value}\n".encode())
    path = FOLDER / f"ratings-{digest.hexdigest()[:10]}.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, lambda temporary: write_table(table, temporary))
    return path


def system_of(system: Any) -> str:
    """Return a system as a study names it.

    Raises
    ------
    ConfigError
        If the system is an object that a study cannot name.
    """
    if isinstance(system, str):
        return system
    if isinstance(system, Plugin) and system.kind == "recommender":
        return str(system.full_spec)
    raise ConfigError(
        f"a system is of type {type(system).__name__}",
        allowed='text as in a study file, such as "user_knn(k=50)"',
        remedy="write your own class to a file, and name it: systems={'Mine': 'mylab.models.Mine'}, keys={'plugins': ['.']}",
    )
