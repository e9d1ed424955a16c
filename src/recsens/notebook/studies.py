"""Run studies from Python, and read their tables as data frames."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import yaml

from recsens.artefacts.addresses import RESULTS
from recsens.artefacts.storage import write_file, write_text
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.errors import ArtefactError, ConfigError, nearest
from recsens.files.parquet import write_table
from recsens.files.paths import is_folder
from recsens.notebook.arguments import refuse_other
from recsens.notebook.ratings import Ratings, load
from recsens.notebook.shown_tables import base_values, wins_by_pair
from recsens.plugins import Plugin
from recsens.report.html.plots import drawn_by_run
from recsens.report.html.templates import cell
from recsens.study import load_study
from recsens.study.columns import TABLES
from recsens.workflow.job_inputs import statement_of
from recsens.workflow.prepare_run import bring_up_to_date, ready_plan
from recsens.workflow.profiles import DEFAULT_PROFILE

if TYPE_CHECKING:
    from recsens.report.html.picture import Drawn


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


def _table_property(name: str) -> cached_property[pd.DataFrame]:
    """Make a property for a table that is read on first use; the property's docstring describes a row."""
    table = cached_property[pd.DataFrame](lambda study: read_table(study.path(name), name))
    table.__doc__ = TABLES[name].rows
    return table


@dataclass(frozen=True)
class StudyTables:
    """The results of a study; each table is read on first use.

    If a table is damaged, or does not state its inputs, an `ArtefactError` is raised.

    Attributes
    ----------
    folder
        Folder of the study's results.
    """

    folder: Path

    @property
    def name(self) -> str:
        """The study's name."""
        return self.folder.name

    @property
    def report(self) -> Path:
        """The report page."""
        return self.folder / "report.html"

    summary = _table_property("summary")
    comparisons = _table_property("comparisons")
    counted = _table_property("counted")
    verdicts = _table_property("verdicts")
    flips = _table_property("flips")
    multiverse = _table_property("multiverse")
    joint = _table_property("joint")
    influence = _table_property("influence")
    shortest = _table_property("shortest")
    datasets = _table_property("datasets")
    splits = _table_property("splits")
    overlap = _table_property("overlap")
    over_datasets = _table_property("over_datasets")
    effects = _table_property("effects")
    unrated = _table_property("unrated")
    unrated_rates = _table_property("unrated_rates")
    groups = _table_property("groups")
    group_values = _table_property("group_values")
    claims = _table_property("claims")
    tuning = _table_property("tuning")
    predictions = _table_property("predictions")
    matched = _table_property("matched")
    ties = _table_property("ties")

    def __repr__(self) -> str:
        return f"<results of '{self.name}' in {self.folder}: {', '.join(sorted(path.stem for path in self.folder.glob('*.csv')))}>"

    def _repr_html_(self) -> str:
        return cell(f"Results of '{self.name}'", tables=[base_values(self.summary), wins_by_pair(self.verdicts)])

    @property
    def figures(self) -> list[str]:
        """Names of the report's figures that `plot` can show."""
        return sorted(path.stem for path in self.folder.glob("figures/*.svg"))

    def plot(self, figure: str = "") -> Drawn:
        """Show one of the report's figures: by default, the curve of all analyses or, if there is only one analysis, the systems.

        Raises
        ------
        ArtefactError
            If the report has no such figure; the message suggests the nearest name.
        """
        figures = self.figures
        name = figure or next((name for name in ("designs", "systems", *figures) if name in figures), "")
        if name not in figures:
            raise ArtefactError(
                f"the study '{self.name}' has no figure '{figure}'{nearest(figure, figures)}",
                where=str(self.folder),
                allowed=", ".join(figures) or "none: its last run did not finish",
            )
        path = self.folder / "figures" / f"{name}.svg"
        statement_of(path)
        return drawn_by_run(path)

    def path(self, table: str) -> Path:
        """Return the file of a table, after checking the statement of its inputs."""
        path = self.folder / f"{table}.csv"
        if not path.is_file():
            there = ", ".join(sorted(path.stem for path in self.folder.glob("*.csv")))
            raise ArtefactError(
                f"the study '{self.name}' has no table '{table}'",
                where=str(self.folder),
                allowed=there or "none: its last run did not finish",
                remedy=f"if it should have one, finish its run: recsens.run('{self.name}')",
            )
        statement_of(path)
        return path


def run(
    study: str | Path | Mapping[str, Any] = "quickstart",
    *,
    cores: int | None = None,
    profile: str = DEFAULT_PROFILE,
    checkout: str | Path = ".",
) -> StudyTables:
    """Run a study, recomputing only what has changed, as ``recsens run`` does, and return its tables.

    Snakemake prints its progress.

    Parameters
    ----------
    study
        Path of a study file, or the name of one in ``config/studies`` or among the studies that come with recsens. It can also be
        the content of a study file, as a mapping, which is first written to a file in the folder ``sweeps``.
    cores
        Number of processors to use; by default, all.
    profile
        Snakemake profile: where and how jobs run.
    checkout
        Folder that contains ``results`` and ``data``, such as a checkout; the working directory by default. Relative paths in the
        study start there, unless they exist next to the study file.

    Raises
    ------
    RecsensError
        If the study cannot be run, or a job failed.
    """
    content = study if isinstance(study, Mapping) and study else None
    study, checkout = _check_place("from Python" if content is not None else study, checkout)
    with chdir(checkout):
        study = study if content is None else str(write_draft(content))
        plan = ready_plan(study, profile)
        bring_up_to_date(plan, profile=profile, cores=cores)
        return StudyTables(Path.cwd() / plan.folder)


def results(study: str = "quickstart", *, checkout: str | Path = ".") -> StudyTables:
    """Return a study's tables from its last run. Nothing is run, and the study file is not read.

    Parameters
    ----------
    study
        Name of the study, or the path of its file.
    checkout
        As in `run`.

    Raises
    ------
    ConfigError
        If there is no such checkout, or if the study has no results; the message suggests the nearest study with results.
    """
    study, checkout = _check_place(study, checkout)
    name, studies = Path(study).stem, checkout.resolve() / RESULTS / "studies"
    folder = studies / name
    if not folder.is_dir():
        names = sorted(path.name for path in studies.glob("*") if path.is_dir())
        raise ConfigError(
            f"the study '{name}' has no results{nearest(name, names)}",
            where=str(studies),
            allowed=", ".join(names) or "none: no study has been run here",
            remedy=f"run it: recsens.run('{study}')",
        )
    return StudyTables(folder)


def _check_place(study: object, checkout: object) -> tuple[str, Path]:
    """Return a study's name or path as text, and the checkout's folder, after checking both."""
    if not isinstance(study, str | Path) or study == "":
        raise ConfigError(f"study = {study!r}", allowed="the name of a study, or the path of its file, as text")
    if not isinstance(checkout, str | Path):
        raise ConfigError(f"checkout = {checkout!r}", allowed="the path of a folder, as text")
    if not is_folder(checkout):
        raise ConfigError("no such folder", where=f"checkout = {str(checkout)!r}", remedy="give the folder that contains results")
    return str(study), Path(checkout)
