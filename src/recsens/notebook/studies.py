"""Run studies from Python, and read their tables as data frames."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from recsens.artefacts.addresses import RESULTS
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.errors import ArtefactError, ConfigError, nearest
from recsens.files.paths import is_folder
from recsens.notebook.drafts import write_draft
from recsens.notebook.shown_tables import base_values, wins_by_pair
from recsens.report.html.plots import drawn_by_run
from recsens.report.html.templates import cell
from recsens.study.columns import TABLES
from recsens.workflow.job_inputs import statement_of
from recsens.workflow.profiles import DEFAULT_PROFILE
from recsens.workflow.start import bring_up_to_date, ready_plan

if TYPE_CHECKING:
    from recsens.report.html.picture import Drawn


def _table(name: str) -> cached_property[pd.DataFrame]:
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

    summary = _table("summary")
    comparisons = _table("comparisons")
    counted = _table("counted")
    verdicts = _table("verdicts")
    flips = _table("flips")
    multiverse = _table("multiverse")
    joint = _table("joint")
    influence = _table("influence")
    shortest = _table("shortest")
    datasets = _table("datasets")
    splits = _table("splits")
    overlap = _table("overlap")
    over_datasets = _table("over_datasets")
    effects = _table("effects")
    unrated = _table("unrated")
    unrated_rates = _table("unrated_rates")
    groups = _table("groups")
    group_values = _table("group_values")
    claims = _table("claims")
    tuning = _table("tuning")
    predictions = _table("predictions")
    matched = _table("matched")
    ties = _table("ties")

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
    study, checkout = _place("from Python" if content is not None else study, checkout)
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
    study, checkout = _place(study, checkout)
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


def _place(study: object, checkout: object) -> tuple[str, Path]:
    """Return a study's name or path as text, and the checkout's folder, after checking both."""
    if not isinstance(study, str | Path) or study == "":
        raise ConfigError(f"study = {study!r}", allowed="the name of a study, or the path of its file, as text")
    if not isinstance(checkout, str | Path):
        raise ConfigError(f"checkout = {checkout!r}", allowed="the path of a folder, as text")
    if not is_folder(checkout):
        raise ConfigError("no such folder", where=f"checkout = {str(checkout)!r}", remedy="give the folder that contains results")
    return str(study), Path(checkout)
