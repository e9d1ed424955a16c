"""Studies: run from Python, and their tables as data frames."""

from contextlib import chdir
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from recsens.artefacts.addresses import RESULTS
from recsens.conclusions.verdicts.results import (
    read_claims,
    read_comparisons,
    read_counted,
    read_datasets,
    read_predictions,
    read_splits,
    read_summary,
    read_table,
    read_verdicts,
)
from recsens.errors import ArtefactError, ConfigError, nearest
from recsens.files.paths import is_folder
from recsens.report.tables.overlap import read_overlap
from recsens.report.tables.tuning import read_tuning
from recsens.workflow.sources import statement_of
from recsens.workflow.start import DEFAULT_PROFILE, bring_up_to_date, ready_plan


@dataclass(frozen=True)
class StudyTables:
    """The results of a study; each table is read when first used.

    A table that is damaged, or that states nothing about itself, is refused with an `ArtefactError`.

    Attributes
    ----------
    folder
        Folder of the study's results.
    """

    folder: Path

    @property
    def name(self) -> str:
        """Name of the study."""
        return self.folder.name

    @property
    def report(self) -> Path:
        """The report page."""
        return self.folder / "report.html"

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The value of each system: one row per data set, design, system and metric."""
        return read_summary(self._path("summary"))

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """Every comparison: one row per data set, design, pair of systems, metric and fold, with ``all`` for all folds together."""
        return read_comparisons(self._path("comparisons"))

    @cached_property
    def counted(self) -> pd.DataFrame:
        """Users averaged, those of them who can score, and what is lost: one row per data set, design and fold."""
        return read_counted(self._path("counted"))

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """Who wins: one row per data set, pair of systems, metric and design."""
        return read_verdicts(self._path("verdicts"))

    @cached_property
    def flips(self) -> pd.DataFrame:
        """Single changes of a decision that reverse a verdict, contradictions first."""
        return read_table(self._path("flips"), "flips")

    @cached_property
    def multiverse(self) -> pd.DataFrame:
        """Every analysis of a pair of systems by metrics that rank systems, with p adjusted for all of them."""
        return read_table(self._path("multiverse"), "multiverse")

    @cached_property
    def joint(self) -> pd.DataFrame:
        """What all analyses of a pair say together: one row per data set and pair of systems."""
        return read_table(self._path("joint"), "joint")

    @cached_property
    def influence(self) -> pd.DataFrame:
        """What each varied decision does: one row per data set, pair of systems, and decision or two of them."""
        return read_table(self._path("influence"), "influence")

    @cached_property
    def shortest(self) -> pd.DataFrame:
        """The fewest changes until the other system wins: one row per data set, pair of systems and way."""
        return read_table(self._path("shortest"), "shortest")

    @cached_property
    def datasets(self) -> pd.DataFrame:
        """Sizes of the data sets, and what each filter left of them."""
        return read_datasets(self._path("datasets"))

    @cached_property
    def splits(self) -> pd.DataFrame:
        """Sizes of the folds."""
        return read_splits(self._path("splits"))

    @cached_property
    def overlap(self) -> pd.DataFrame:
        """The overlap of each two systems' lists under the base design, fold by fold."""
        return read_overlap(self._path("overlap"))

    @cached_property
    def claims(self) -> pd.DataFrame:
        """What became of each claim; only for a study with claims, or with printed values that make any."""
        return read_claims(self._path("claims"))

    @cached_property
    def tuning(self) -> pd.DataFrame:
        """The validation score of each candidate; only for a study with tuned systems."""
        return read_tuning(self._path("tuning"))

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """The number of predicted ratings outside the scale; only for a study with a metric of predicted ratings."""
        return read_predictions(self._path("predictions"))

    @cached_property
    def matched(self) -> pd.DataFrame:
        """Users and items found only in a score file or only in the data; only for a study with scores from files."""
        return read_table(self._path("matched"), "matched")

    @cached_property
    def ties(self) -> pd.DataFrame:
        """How far the order of equal scores moves values under the base design: one row per data set, system and metric."""
        return read_table(self._path("ties"), "ties")

    def __repr__(self) -> str:
        return f"<results of '{self.name}' in {self.folder}: {', '.join(sorted(path.stem for path in self.folder.glob('*.csv')))}>"

    def _path(self, table: str) -> Path:
        path = self.folder / f"{table}.csv"
        if not path.is_file():
            there = ", ".join(sorted(path.stem for path in self.folder.glob("*.csv")))
            raise ArtefactError(
                f"the study '{self.name}' has no table '{table}'",
                where=str(self.folder),
                allowed=there or "none: it was not run to its end",
                remedy=f"run it to its end, if it should have one: recsens.run('{self.name}')",
            )
        statement_of(path)
        return path


def run(
    study: str = "quickstart", *, cores: int | None = None, profile: str = DEFAULT_PROFILE, checkout: str | Path = "."
) -> StudyTables:
    """Bring the results of a study up to date, as ``recsens run`` does, and return its tables; Snakemake prints its progress.

    Parameters
    ----------
    study
        Name of a file in ``config/studies``, or a path to one.
    cores
        Processors to use; all of them by default.
    profile
        Snakemake profile: where and how jobs run.
    checkout
        Folder that holds ``Snakefile``, ``workflow`` and ``config``; the working directory by default. Relative paths of the study
        start there.

    Raises
    ------
    RecsensError
        If there is no checkout, the study cannot be run, or a job failed.
    """
    study, checkout = _place(study, checkout)
    with chdir(checkout):
        plan = ready_plan(study, profile)
        bring_up_to_date(plan, profile=profile, cores=cores)
        return StudyTables(Path.cwd() / plan.folder)


def results(study: str = "quickstart", *, checkout: str | Path = ".") -> StudyTables:
    """Return the tables of a study as its last run left them; nothing is run, and the study file is not read.

    Parameters
    ----------
    study
        Name of the study, or the path of its file.
    checkout
        As in `run`.

    Raises
    ------
    ConfigError
        If there is no such folder, or the study has no results; the message suggests the nearest study with results.
    """
    study, checkout = _place(study, checkout)
    name, studies = Path(study).stem, checkout.resolve() / RESULTS / "studies"
    folder = studies / name
    if not folder.is_dir():
        known = sorted(path.name for path in studies.glob("*") if path.is_dir())
        raise ConfigError(
            f"the study '{name}' has no results{nearest(name, known)}",
            where=str(studies),
            allowed=", ".join(known) or "none: no study was run here",
            remedy=f"run it: recsens.run('{study}')",
        )
    return StudyTables(folder)


def _place(study: object, checkout: object) -> tuple[str, Path]:
    """Return the name or path of a study as text, and the folder of a checkout, after checking that they can be such."""
    if not isinstance(study, str | Path) or study == "":
        raise ConfigError(f"study = {study!r}", allowed="the name of a study, or the path of its file, as text")
    if not isinstance(checkout, str | Path):
        raise ConfigError(f"checkout = {checkout!r}", allowed="the path of a folder, as text")
    if not is_folder(checkout):
        raise ConfigError("no such folder", where=f"checkout = {str(checkout)!r}", remedy="give the folder that holds Snakefile")
    return str(study), Path(checkout)
