"""A design: one option for every decision, and its path below ``results/``.

The decisions on which rankings depend are steps of the path; all other decisions are columns of the study's tables. The path states
the experimental setting (Cañamares, Castells & Moffat 2020, section 3.11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from recsens import plugins
from recsens.artefacts.addresses import RELEVANCE, Address, Fold
from recsens.data.splitting import Splitter
from recsens.plugins.specs import Chain, Spec, format_number
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.study import taxonomy

if TYPE_CHECKING:
    from recsens.study.decisions import Decisions
    from recsens.study.taxonomy import Stage
    from recsens.vocabulary import Correction, Coverage, Reading, Ties


@dataclass(frozen=True, slots=True)
class Design:
    """An option for every decision except the system, in canonical form.

    Attributes
    ----------
    seed
        Seed of all random streams.
    dataset
        The data set, with the digest of its raw files (decision A1).
    name
        The data set's name in the paths of the user's files: its label in lower-case letters, digits and hyphens.
    filter
        Which interactions are used (decision A1).
    split, repeats
        How train and test are separated, and how often the split is drawn (decision A2).
    fits
        How often each system that draws at random is fitted on a fold (decision B).
    targets, nc, ties
        Which items are ranked, what happens to items without a score, and the order of equal scores (decision B2).
    relevance
        Lowest relevant rating; None for the default of the data set's scale.
    users
        Which users are averaged (decision B1).
    view
        Full or condensed rankings, and what unrated items in full rankings count (decision C1).
    aggregate, coverage
        How users are averaged, and whether users without a ranking count as zero (decisions C3 and C4).
    test, correction
        How two systems are compared, and how p-values are corrected for the number of comparisons (decision D).
    """

    seed: int
    dataset: Spec
    name: str
    filter: Chain
    split: Spec
    repeats: int
    fits: int
    targets: Spec
    nc: Spec
    ties: Ties
    relevance: float | None
    users: Spec
    view: Reading
    aggregate: Spec
    coverage: Coverage
    test: Spec
    correction: Correction

    @property
    def names(self) -> dict[str, str]:
        """The values that replace `recsens.recommenders.SPLIT_NAMES` in the path of a score file."""
        return {"dataset": self.name, "filter": self.filter.slug, "split": plugins.address("split", self.split).slug}

    def bound(self, system: Spec) -> Spec:
        """Return a system for this split; if it reads score files, fill the names of this split into their path."""
        recommender = Recommender.build(system)
        return system if recommender.score_files is None else recommender.on_split(self.names).spec

    @property
    def dataset_address(self) -> Address:
        """Address of the ingested data set, below ``results/``."""
        return Address.of(self.seed, self.dataset.slug)

    @property
    def filter_address(self) -> Address:
        """Address of the filtered data set, below ``results/``."""
        return self.dataset_address / self.filter.slug

    def fold_address(self, fold: Fold) -> Address:
        """Address of one of the split's folds."""
        return self.filter_address / plugins.address("split", self.split).slug / fold.name

    def system_address(self, fold: Fold, system: Spec) -> Address:
        """Address of a system that was fitted on a fold; all fits of a system that draws nothing have one address."""
        first = self.fold_address(fold) / plugins.address("recommender", self.bound(system)).slug
        return first.refitted(fold.fit) if fold.fit and Recommender.build(system).draws else first

    def ranking_address(self, fold: Fold, system: Spec) -> Address:
        """Address of a system's rankings on a fold."""
        nc = plugins.address("nc", self.nc)
        return self.system_address(fold, system) / self.targets_address.slug / nc.slug / self.ties

    @property
    def filter_folder(self) -> PurePosixPath:
        """Folder of the filtered data set."""
        return self.filter_address.folder

    def fold_folder(self, fold: Fold) -> PurePosixPath:
        """Folder of one of the split's folds."""
        return self.fold_address(fold).folder

    def system_folder(self, fold: Fold, system: Spec) -> PurePosixPath:
        """Folder of a system that was fitted on a fold."""
        return self.system_address(fold, system).folder

    def ranking_folder(self, fold: Fold, system: Spec) -> PurePosixPath:
        """Folder of a system's rankings on a fold."""
        return self.ranking_address(fold, system).folder

    @property
    def targets_address(self) -> Spec:
        """The spec that names the target items' folder."""
        targets = Targets.build(self.targets)
        address = plugins.address("targets", self.targets)
        is_part = targets.uses_relevance and self.relevance is not None
        return address.with_params(**{RELEVANCE: self.relevance}) if is_part else address

    def replaced(self, **decisions: object) -> Design:
        """Return the design with some decisions changed."""
        return replace(self, **decisions)  # type: ignore[arg-type]

    def columns(self) -> dict[str, str | int]:
        """Return every decision and the seed, as columns for a table of results."""
        return {**self.cells(*(each.key for each in taxonomy.DESIGN)), "seed": self.seed}

    def cells(self, *keys: str) -> dict[str, str | int]:
        """Return some decisions by column: as the study writes them and, for components, also with every parameter."""
        cells: dict[str, str | int] = {}
        for each in map(taxonomy.decision, keys):
            option = getattr(self, each.key)
            if each.kind is not None:
                cells |= {each.column: option.written, each.full_column: in_full(each.kind, option)}
            elif each.key == RELEVANCE:
                cells[each.column] = "scale" if option is None else format_number(option)
            else:
                cells[each.column] = option
        return cells

    def components(self, *stages: Stage) -> list[tuple[str, Spec]]:
        """List the kinds and specs of the plug-ins that some stages read; by default, all stages.

        Each link of a chain is one entry. The order is that of the table of decisions (`recsens.study.taxonomy`). The data set and
        the systems are left out.
        """
        listed: list[tuple[str, Spec]] = []
        for each in taxonomy.decisions_of_stage(*stages) if stages else taxonomy.DESIGN:
            if each.kind is not None:
                option = getattr(self, each.key)
                listed += [(each.kind, spec) for spec in (option if isinstance(option, Chain) else (option,))]
        return listed


def in_full(kind: str, option: Spec | Chain) -> str:
    """Write an option with all parameters of its components."""
    links = option if isinstance(option, Chain) else (option,)
    return str(Chain(tuple(plugins.build(kind, link).full_spec for link in links)))


FEWEST_SPLITS = 3
"""Fewer draws of a split say nothing about how much draws differ: two have one degree of freedom."""


def draws_of(design: Decisions | Design) -> tuple[int, int]:
    """Return how often a design's split is drawn at random, and how often systems are fitted on each train set."""
    return design.repeats if is_drawn(design) else 1, design.fits * Splitter.build(design.split).folds_per_split


def is_drawn(design: Decisions | Design) -> bool:
    """Whether a design's split is drawn at random, so that it can be drawn again."""
    return Splitter.build(design.split).is_random


def has_components(design: Decisions | Design) -> bool:
    """Whether a design has enough draws of its split, or fits, to tell how much they differ."""
    draws, fits = draws_of(design)
    return draws >= FEWEST_SPLITS or fits > 1
