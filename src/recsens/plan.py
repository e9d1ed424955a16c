"""From a study file to the artefacts that it needs, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from recsens import plugins
from recsens.config import Decisions, Study, file_name, find_study, load_study
from recsens.conflicts import refuse_conflicts
from recsens.datasets import DataSet
from recsens.datasets._fetch import digest, locate
from recsens.design import RELEVANCE, RESULTS, Design, Fold
from recsens.errors import ConfigError, DesignError, RecsensError, SpecError
from recsens.files import check_path
from recsens.plugins import SOURCE
from recsens.recommenders.tuned import Tuned
from recsens.specs import Chain, Spec, parse_chain_slug, parse_slug

if TYPE_CHECKING:
    from recsens.nc import NotComputable
    from recsens.recommenders import Recommender
    from recsens.splitting import Splitter
    from recsens.vocabulary import View

MAX_WILDCARDS = 200
"""Longest sum of the steps of an address: cluster executors join them into one folder name."""


@dataclass(frozen=True)
class Source:
    """A data set of the study with the raw files it is read from.

    Attributes
    ----------
    component
        As the study writes it.
    files, digests
        Raw files and their SHA-256.
    address
        The spec in the address: without the place of the files, with the digest of their content. The same data have the same
        address wherever they lie.
    """

    component: DataSet
    files: tuple[Path, ...]
    digests: tuple[str, ...]
    address: Spec


@dataclass(frozen=True, slots=True)
class Ranking:
    """One system's rankings under a design and fold: what is computed once, whoever asks."""

    folder: PurePosixPath
    dataset: str
    fold: Fold
    system: Spec
    design: Design


class Plan:
    """The artefacts of one study.

    Parameters
    ----------
    study
        Name of a study in ``config/studies`` or path to a study file.

    Raises
    ------
    ConfigError
        If the study says something that cannot be run, or a raw file is neither here nor fetched, or the path of either cannot be
        given to the workflow.
    """

    def __init__(self, study: str) -> None:
        self.path = find_study(study)
        check_path(self.path)
        self.name = self.path.stem
        self.study: Study = load_study(self.path)
        self.folder = RESULTS / "studies" / self.name

    def refuse_conflicts(self) -> None:
        """Refuse decisions that exclude each other; no file of data is needed to tell.

        Raises
        ------
        DesignError
            The message names both decisions and what would go together.
        """
        written = {label: spec for part in self.study.parts() for label, spec in part.datasets.items()}
        with _placed(self.path):
            refuse_conflicts(self.study, expand(self.study, written))

    @cached_property
    def sources(self) -> dict[str, Source]:
        """Data sets by label."""
        self.refuse_conflicts()
        return {label: self._source_of(label, spec) for label, spec in self.study.datasets.items()}

    @cached_property
    def addresses(self) -> dict[str, Spec]:
        """The spec that the data set's folder is named by, by the label of a data set or experiment."""
        labels = [label for part in self.study.parts() for label in part.datasets]
        return {label: self.sources[self.study.dataset_of(label)].address for label in labels}

    def _source_of(self, label: str, spec: Spec) -> Source:
        try:
            return _source(spec)
        except RecsensError as error:
            raise error.at(f"{self.path}: datasets.{label}") from error

    @cached_property
    def designs(self) -> dict[str, list[Design]]:
        """Designs by data set or experiment, the base first."""
        addresses = self.addresses
        with _placed(self.path):
            return expand(self.study, addresses)

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """Every ranking that the study reads, by folder."""
        found: dict[str, Ranking] = {}
        systems = list(self._systems())
        with _placed(self.path):
            for label, design, system in systems:
                for fold in folds(design):
                    bound = design.bound(system)
                    _check_files(label, bound, design, fold)
                    folder = design.ranking_folder(fold, system)
                    _check_length(folder)
                    found.setdefault(str(folder), Ranking(folder, label, fold, bound, design))
        return found

    def _systems(self) -> Iterator[tuple[str, Design, Spec]]:
        """Visit every design with each of its systems, and the label of its data set or experiment."""
        for part in self.study.parts():
            for label in part.datasets:
                for design in self.designs[label]:
                    for system in part.systems.values():
                        yield label, design, system

    def system_at(self, folder: str) -> Spec:
        """Return the system whose folder this is: one of the study's, or any that its folder name tells.

        Raises
        ------
        SpecError
            As `component_at`.
        """
        if folder in self._systems_at:
            return self._systems_at[folder]
        return self.component_at("recommender", PurePosixPath(folder).name)

    @cached_property
    def _systems_at(self) -> dict[str, Spec]:
        return {str(ranking.folder.parents[2]): ranking.system for ranking in self.rankings.values()}

    @cached_property
    def cells(self) -> dict[str, list[tuple[View, float | None]]]:
        """How each ranking is looked at, by its folder: views and thresholds of relevance, each once."""
        found: dict[str, dict[tuple[View, float | None], None]] = {folder: {} for folder in self.rankings}
        for _, design, system in self._systems():
            for fold in folds(design):
                found[str(design.ranking_folder(fold, system))][design.view, design.relevance] = None
        return {folder: list(cells) for folder, cells in found.items()}

    @cached_property
    def tunings(self) -> dict[str, tuple[str, str]]:
        """Record of each tuning, with the labels of its data set or experiment and of its system."""
        found: dict[str, tuple[str, str]] = {}
        for part in self.study.parts():
            for system, spec in part.systems.items():
                if isinstance(plugins.build("recommender", spec), Tuned):
                    for label in part.datasets:
                        for design in self.designs[label]:
                            for fold in folds(design):
                                found.setdefault(f"{design.system_folder(fold, spec)}/tuning.json", (label, system))
        return found

    @property
    def checks(self) -> dict[str, str]:
        """Record of each check of target items, with the label of its data set or experiment."""
        return {
            f"{ranking.design.fold_folder(ranking.fold)}/checks/{ranking.design.targets_address.slug}.json": ranking.dataset
            for ranking in self.rankings.values()
        }

    @property
    def splits(self) -> dict[str, str]:
        """Folder of every fold, each once, with the label of its data set."""
        return {str(ranking.design.fold_folder(ranking.fold)): ranking.dataset for ranking in self.rankings.values()}

    @property
    def dataset_folders(self) -> dict[str, PurePosixPath]:
        """Folder of each data set after the base design's filter, by the label of a data set or experiment."""
        return {label: designs[0].filter_folder for label, designs in self.designs.items()}

    @cached_property
    def cutoffs(self) -> dict[str, tuple[int, ...]]:
        """Cut-offs of each metric, by the slug of the metric."""
        found: dict[str, tuple[int, ...]] = {}
        for measured in self.study.metrics:
            slug = measured.metric.spec.slug
            found[slug] = tuple(sorted({*found.get(slug, ()), measured.cutoff}))
        return found

    @cached_property
    def metric_texts(self) -> dict[str, str]:
        """Spec of each metric, by its slug."""
        return {measured.metric.spec.slug: str(measured.metric.spec) for measured in self.study.metrics}

    @property
    def truths(self) -> list[PurePosixPath]:
        """Complete relevance of the data sets that know it."""
        return [
            self.designs[label][0].dataset_folder / "truth.npz"
            for label, source in self.sources.items()
            if source.component.has_truth
        ]

    def source_at(self, slug: str) -> Source:
        """Return the data set of a folder name: one of the study's, or any that needs no file.

        Raises
        ------
        SpecError
            If the folder name is not canonical.
        """
        for source in self.sources.values():
            if source.address.slug == slug:
                return source
        source = _source(parse_slug(slug))
        _check_canonical(slug, source.address.slug)
        return source

    def component_at(self, kind: str, slug: str) -> Spec:
        """Return the canonical spec of a folder name of a kind.

        Raises
        ------
        SpecError
            If the folder name is not canonical, or abbreviates a spec that the study does not name.
        """
        if slug in self._known[kind]:
            return self._known[kind][slug]
        component: plugins.Plugin = plugins.build(kind, parse_slug(slug))
        _check_canonical(slug, component.spec.slug)
        return component.spec

    def targets_at(self, slug: str) -> tuple[Spec, float | None]:
        """Return the target items of a folder name, and the threshold of relevance where it is part of the name.

        Raises
        ------
        SpecError
            As `component_at`.
        """
        if slug in self._known_targets:
            return self._known_targets[slug]
        named = parse_slug(slug)
        relevance = named.get(RELEVANCE)
        component: plugins.Plugin = plugins.build("targets", named.without(RELEVANCE))
        _check_canonical(slug, named.slug)
        return component.spec, float(relevance) if isinstance(relevance, int | float) else None

    def filter_at(self, slug: str) -> Chain:
        """Return the canonical chain of filters of a folder name.

        Raises
        ------
        SpecError
            If the folder name is not canonical, or abbreviates a chain that the study does not name.
        """
        for designs in self.designs.values():
            for design in designs:
                if design.filter.slug == slug:
                    return design.filter
        links: list[plugins.Plugin] = [plugins.build("filter", link) for link in parse_chain_slug(slug)]
        chain = Chain(tuple(link.spec for link in links))
        _check_canonical(slug, chain.slug)
        return chain

    @cached_property
    def _known(self) -> dict[str, dict[str, Spec]]:
        designs = [design for found in self.designs.values() for design in found]
        named = {
            "split": [design.split for design in designs],
            "recommender": [design.bound(system) for _, design, system in self._systems()],
            "nc": [design.nc for design in designs],
        }
        return {kind: {plugins.address(kind, spec).slug: spec for spec in specs} for kind, specs in named.items()}

    @cached_property
    def _known_targets(self) -> dict[str, tuple[Spec, float | None]]:
        designs = [design for found in self.designs.values() for design in found]
        return {
            design.targets_address.slug: (design.targets, design.relevance if design.targets_address.get(RELEVANCE) else None)
            for design in designs
        }


def expand(study: Study, addresses: Mapping[str, Spec]) -> dict[str, list[Design]]:
    """List the designs of each data set and experiment of a study, the base first, given the data sets' addresses."""
    return {
        label: [_design(part, addresses[label], file_name(study.dataset_of(label)), decisions) for decisions in part.designs()]
        for part in study.parts()
        for label in part.datasets
    }


def folds(design: Design) -> list[Fold]:
    """List the folds of a design, repeat by repeat.

    Raises
    ------
    DesignError
        If a split without chance in it is to be repeated.
    """
    splitter: Splitter = plugins.build("split", design.split)
    if design.repeats > 1 and not splitter.is_random:
        raise DesignError(
            f"split '{design.split}' draws nothing, so 'repeats: {design.repeats}' would repeat it unchanged",
            allowed="repeats: 1",
            remedy="beside splits that are repeated, give it an experiment of its own: design: {split: ..., repeats: 1}",
        )
    n = splitter.n_folds
    return [Fold(repeat, part, n) for repeat in range(design.repeats) for part in range(n)]


@contextmanager
def _placed(path: Path) -> Iterator[None]:
    """Name the study file in what is refused of it."""
    try:
        yield
    except RecsensError as error:
        raise error.at(str(path)) from error


def _check_canonical(slug: str, canonical: str) -> None:
    if slug != canonical:
        raise SpecError(f"the folder name '{slug}' is not canonical", allowed=canonical)


def _check_length(folder: PurePosixPath) -> None:
    steps = folder.parts[2:]
    if sum(map(len, steps)) > MAX_WILDCARDS:
        raise DesignError(
            f"the address {'/'.join(steps)} is too long for a cluster's log folder",
            allowed=f"{MAX_WILDCARDS} characters",
            remedy="write fewer parameters, or keep long chains of filters in a data set of their own",
        )


def _check_files(label: str, system: Spec, design: Design, fold: Fold) -> None:
    """Refuse a system, or what ranks the items without a score, that is read from files of which the fold has none."""
    policy: NotComputable = plugins.build("nc", design.nc)
    for spec in (system, *([policy.fallback] if policy.fallback is not None else [])):
        recommender: Recommender = plugins.build("recommender", spec)
        try:
            recommender.on_fold(fold.name)
        except RecsensError as error:
            kept = "" if str(design.filter) == "none" else f", filter '{design.filter}'"
            raise error.at(f"'{label}'{kept}, split '{design.split}'") from error


def _design(study: Study, dataset: Spec, name: str, decisions: Decisions) -> Design:
    taken = {key: getattr(decisions, key) for key in Decisions.model_fields}
    return Design(seed=study.seed, dataset=dataset, name=name, **taken)


def _source(spec: Spec) -> Source:
    component: DataSet = plugins.build("dataset", spec)
    files = locate(component)
    if files is None:
        raise ConfigError(
            f"the files of '{component.spec}' are neither here nor fetched",
            allowed=", ".join(f"{raw.folder}/{raw.name} below RECSENS_DATA or data/" for raw in component.raw_files()),
            remedy="run 'recsens fetch' with the study's name, or give the place of your copy as 'path='",
        )
    for file in files:
        check_path(file)
    digests = tuple(digest(file) for file in files)
    address = component.spec.without(*component.identity_excludes)
    if digests:
        address = address.with_params(**{SOURCE: sha256("".join(digests).encode()).hexdigest()[:10]})
    return Source(component, files, digests, address)
