"""A design is one assignment of every decision, and an address below ``results/``.

The decisions that change what is computed from the data are steps of a path; the others are columns of a study. Whoever reads the
path reads the experimental setting (Cañamares, Castells & Moffat 2020, section 3.11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from recsens import plugins
from recsens.specs import Chain, Spec, format_number

if TYPE_CHECKING:
    from recsens.recommenders import Recommender
    from recsens.targets import Targets
    from recsens.vocabulary import Correction, Coverage, Ties, View

RESULTS = PurePosixPath("results")

RELEVANCE = "relevance"
"""Parameter of the address of target items, not of their plug-in: the threshold, where the choice depends on it."""


@dataclass(frozen=True, slots=True)
class Design:
    """One assignment of every decision but the system, in canonical form.

    Attributes
    ----------
    seed
        Root of all random streams.
    dataset
        A1: the data set, with the digest of its raw files.
    name
        What the data set is called in paths of the user's own files: its label in small letters, digits and hyphens.
    filter
        A1: what is dropped from it.
    split, repeats
        A2: how train and test are told apart, and how often that is drawn anew.
    targets, nc, ties
        B2 and target items: what is ranked, what becomes of not computable items, the order of equal scores.
    relevance
        Ratings from here on are relevant; None takes the default of the data set's scale.
    users
        B1: who is averaged.
    view
        C1: full or condensed rankings.
    aggregate, coverage
        C3 and C4: how users are averaged, and what an uncovered one counts.
    test, correction
        D: how two systems are compared, and what is done about comparing many.
    """

    seed: int
    dataset: Spec
    name: str
    filter: Chain
    split: Spec
    repeats: int
    targets: Spec
    nc: Spec
    ties: Ties
    relevance: float | None
    users: Spec
    view: View
    aggregate: Spec
    coverage: Coverage
    test: Spec
    correction: Correction

    @property
    def names(self) -> dict[str, str]:
        """What stands in a path of score files for each of `recsens.recommenders.SPLIT_NAMES`."""
        return {"dataset": self.name, "filter": self.filter.slug, "split": plugins.address("split", self.split).slug}

    def bound(self, system: Spec) -> Spec:
        """Return a system as it is on this split: with the names in its path, if it reads its scores from files."""
        recommender: Recommender = plugins.build("recommender", system)
        return system if recommender.score_files is None else recommender.on_split(self.names).spec

    @property
    def dataset_folder(self) -> PurePosixPath:
        """Folder of the ingested data set."""
        return RESULTS / f"seed-{self.seed}" / self.dataset.slug

    @property
    def filter_folder(self) -> PurePosixPath:
        """Folder of the filtered data set."""
        return self.dataset_folder / self.filter.slug

    def fold_folder(self, fold: Fold) -> PurePosixPath:
        """Folder of one fold of the split."""
        return self.filter_folder / plugins.address("split", self.split).slug / fold.name

    def system_folder(self, fold: Fold, system: Spec) -> PurePosixPath:
        """Folder of one system, fitted on one fold."""
        return self.fold_folder(fold) / plugins.address("recommender", self.bound(system)).slug

    @property
    def targets_address(self) -> Spec:
        """The spec that the folder of the target items is named by."""
        found: Targets = plugins.build("targets", self.targets)
        address = plugins.address("targets", self.targets)
        is_part = found.uses_relevance and self.relevance is not None
        return address.with_params(**{RELEVANCE: self.relevance}) if is_part else address

    def ranking_folder(self, fold: Fold, system: Spec) -> PurePosixPath:
        """Folder of one system's rankings."""
        nc = plugins.address("nc", self.nc)
        return self.system_folder(fold, system) / self.targets_address.slug / nc.slug / self.ties

    def replaced(self, **decisions: object) -> Design:
        """Return the design with some decisions taken otherwise."""
        return replace(self, **decisions)  # type: ignore[arg-type]

    def columns(self) -> dict[str, str | int | float]:
        """Every decision as text or number: the columns that a table of results carries."""
        return {
            "filter": str(self.filter),
            "split": str(self.split),
            "repeats": self.repeats,
            "targets": str(self.targets),
            "nc": str(self.nc),
            "ties": self.ties,
            "relevance": "scale" if self.relevance is None else format_number(self.relevance),
            "user_selection": str(self.users),
            "view": self.view,
            "aggregate": str(self.aggregate),
            "coverage": self.coverage,
            "test": str(self.test),
            "correction": self.correction,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True, order=True)
class Fold:
    """One fold of one repeat of a split; a folder name such as ``repeat-0`` or ``repeat-2.fold-1``."""

    repeat: int
    part: int = 0
    n_parts: int = 1

    @property
    def name(self) -> str:
        """Folder name; the part is left out where a repeat has only one."""
        return f"repeat-{self.repeat}" if self.n_parts == 1 else f"repeat-{self.repeat}.fold-{self.part}"
