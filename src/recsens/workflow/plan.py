"""A study's plan: every artefact that it needs, listed before anything runs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from recsens import plugins
from recsens.arrays import grouped
from recsens.artefacts.addresses import RELEVANCE, Address, Fold, study_folder
from recsens.comparison.aggregation import Aggregate
from recsens.data.datasets import DataSet, locate, locate_side, sha256_of
from recsens.data.filtering import Filter
from recsens.data.splitting import Splitter
from recsens.errors import ConfigError, DesignError, RecsensError, SpecError
from recsens.files.paths import check_path
from recsens.metrics import Metric
from recsens.plugins import SOURCE
from recsens.plugins.specs import FOLDER, MAX_SLUG, Chain, Spec, parse_chain_slug, parse_slug
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.study import Study, file_name, find_study, load_study
from recsens.study.carried import ratings_after_filters
from recsens.study.conflicts import left_out, refusals, refuse_conflicts, refuse_missing_groups, remarks_on_metrics
from recsens.study.design import Design
from recsens.study.designs import expand, fitted, folds, refuse_vain_repeats
from recsens.study.model import SHARD
from recsens.study.searched import searches
from recsens.vocabulary import Reading
from recsens.workflow.fallback_programs import versions_under_nc


@dataclass(frozen=True)
class RawDataSet:
    """One of the study's data sets, with its raw files.

    Attributes
    ----------
    component
        The data set as written in the study.
    files, digests
        Raw files and their SHA-256.
    side_files, side_digests
        Files that describe users and items, with their SHA-256.
    address
        The spec in the address: without the path of the files, but with a digest of the raw files' content. The same ratings have
        the same address, wherever they are stored and whatever files describe users and items; only the folder's name may differ.
    """

    component: DataSet
    files: tuple[Path, ...]
    digests: tuple[str, ...]
    side_files: tuple[Path, ...]
    side_digests: tuple[str, ...]
    address: Spec

    @property
    def description(self) -> tuple[object, ...]:
        """A key that identifies the descriptions of users and items."""
        return (*self.side_digests, *(getattr(self.component, name) is not None for name in self.component.describing))

    @property
    def side_columns(self) -> Mapping[str, Sequence[str]] | None:
        """The columns of the tables of users and items; None if reading them would take the data."""
        component = self.component
        if component.side_columns is not None or not (component.reads_any_file or not self.side_files):
            return component.side_columns
        described = component.describe(list(self.side_files), [], [])
        return {"user": list(described.users), "item": list(described.items)}

    def digested(self) -> Iterator[tuple[Path, str]]:
        """Yield every file with its SHA-256."""
        yield from zip((*self.files, *self.side_files), (*self.digests, *self.side_digests), strict=True)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One system's rankings under a design on one fold; they are computed only once, even if many designs read them."""

    address: Address
    dataset: str
    fold: Fold
    system: Spec
    design: Design


class RankedSearch(NamedTuple):
    """A system on one fold of a base design, and the search for its parameters that gives the verdicts of all efforts."""

    label: str
    system: str
    fold: Fold
    search: Spec | None
    """The tuned recommender; None if the system stays as written whatever the effort."""
    address: Address
    """Where the candidates are ranked or, without a search, the system."""


class TargetCheckInputs(NamedTuple):
    """The inputs that determine the result of a check, besides the fold and the target items."""

    audiences: list[list[float | str | None]]
    """Relevance threshold and user selection (B1) of each design with these target items; missing thresholds come first."""
    user_columns: list[str]
    """Columns of the data set's table of users that weight users in any design."""
    metrics: list[str]
    """The metrics that may refuse the data: if they read columns of items, or if only the filtered data show their ratings."""

    @classmethod
    def by(cls, targeting: Sequence[Design], on_data: Iterable[Design], metrics: Sequence[Metric], data: Spec) -> TargetCheckInputs:
        """Collect the inputs from the designs with these targets, all designs on the data set, and the study's metrics."""
        audiences = {(design.relevance, str(design.users)) for design in targeting}
        unknown = ratings_after_filters(data, targeting[0].filter) is None
        return cls(
            [list(pair) for pair in sorted(audiences, key=lambda pair: (pair[0] is not None, pair))],
            sorted({column for design in on_data for column in Aggregate.build(design.aggregate).user_columns}),
            sorted({str(metric.spec) for metric in metrics if unknown or bool(getattr(metric, "item_columns", ()))}),
        )

    @property
    def digest(self) -> str:
        """Ten hexadecimal digits for the name of the check's record; if studies have different inputs, their records differ."""
        return sha256(json.dumps(self).encode()).hexdigest()[:10]


class Plan:
    """The artefacts of one study.

    Parameters
    ----------
    study
        Name of a study in ``config/studies``, or path of a study file.

    Raises
    ------
    ConfigError
        If the study cannot be run, if a raw file is missing or not yet downloaded, or if Snakemake cannot handle a file's path.
    """

    def __init__(self, study: str) -> None:
        self.path = find_study(study)
        check_path(self.path)
        self.name = self.path.stem
        self.study: Study = load_study(self.path)
        self.folder = study_folder(self.name)
        self.target_check = cache(self._target_check)
        self.digest_of = cache(sha256_of)
        """Return the SHA-256 of one of the user's own files; each file is read once."""

    def refuse_conflicts(self) -> None:
        """Refuse decisions that cannot be combined, without reading any data file.

        Raises
        ------
        DesignError
            The message names both decisions and the allowed combinations.
        """
        with _name_in_errors(self.path):
            refuse_conflicts(self.study, self._designs_as_written())
            for refusal in versions_under_nc(self._nc_policies):
                raise refusal

    def remarks_on_metrics(self) -> list[str]:
        """Say which metrics are left out under some designs, and why."""
        return remarks_on_metrics(self.study, self._designs_as_written())

    def conflicts(self) -> list[str]:
        """List everything that `refuse_conflicts` refuses, each message once."""
        refused = (*refusals(self.study, self._designs_as_written()), *versions_under_nc(self._nc_policies))
        return list(dict.fromkeys(map(str, refused)))

    @property
    def _nc_policies(self) -> list[Spec]:
        return [design.nc for experiment in self.study.all_experiments() for design in experiment.designs()]

    def _designs_as_written(self) -> dict[str, list[Design]]:
        return expand(self.study, {label: experiment.datasets[label] for label, experiment in self.study.by_label().items()})

    @cached_property
    def sources(self) -> dict[str, RawDataSet]:
        """Data sets by label."""
        self.refuse_conflicts()
        sources: dict[str, RawDataSet] = {}
        for label, spec in self.study.datasets.items():
            with _name_in_errors(f"{self.path}: datasets.{label}"):
                sources[label] = _locate_data_set(spec)
        with _name_in_errors(self.path):
            _refuse_two_descriptions(sources)
            if self.study.groups:
                refuse_missing_groups(self.study.groups, [source.side_columns for source in sources.values()])
        return self._with_folders(sources)

    def _with_folders(self, sources: dict[str, RawDataSet]) -> dict[str, RawDataSet]:
        """Name a data set's folder after its first file, if it is read from files; equal data share one folder."""
        folders = {
            source.address: with_folder(source.address, source.files[0], self.study.seed)
            for source in reversed(sources.values())
            if source.component.reads_any_file
        }
        return {label: replace(raw, address=folders.get(raw.address, raw.address)) for label, raw in sources.items()}

    @cached_property
    def addresses(self) -> dict[str, Spec]:
        """The spec that names the data set's folder, by the label of a data set or experiment."""
        return {label: self.sources[self.study.dataset_of(label)].address for label in self.study.by_label()}

    @cached_property
    def designs(self) -> dict[str, list[Design]]:
        """Designs by data set or experiment, the base design first."""
        addresses = self.addresses
        with _name_in_errors(self.path):
            designs = expand(self.study, addresses)
            refuse_vain_repeats(chain.from_iterable(designs.values()))
            return designs

    @cached_property
    def all_designs(self) -> list[Design]:
        """The designs of every data set and experiment."""
        return [design for designs in self.designs.values() for design in designs]

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """Every ranking that the study reads, by folder."""
        rankings: dict[str, Ranking] = {}
        systems = list(self._ranked_systems())
        with _name_in_errors(self.path):
            for label, design, system in systems:
                for fold in fitted(design):
                    bound = design.bound(system)
                    _check_files(label, bound, design, fold)
                    address = design.ranking_address(fold, system)
                    rankings.setdefault(str(address.folder), Ranking(address, label, fold, bound, design))
        return rankings

    def _ranked_systems(self) -> Iterator[tuple[str, Design, Spec]]:
        """Yield the label of a data set or experiment, a design and a system, for every combination in the study."""
        for label, experiment in self.study.by_label().items():
            for design in self.designs[label]:
                for system in experiment.systems.values():
                    yield label, design, system

    def n_shards(self, dataset: str) -> int:
        """Return the number of jobs for a system's ranking on the data set with this folder name; it does not affect results."""
        return self.study.shards or math.ceil((self.source_at(dataset).component.expected_users or 1) / SHARD)

    def system_at(self, address: Address) -> Spec:
        """Return the system at an address: a system of the study, or the system that the folder name spells out.

        Raises
        ------
        SpecError
            As `component_at`.
        """
        if address in self._systems_at:
            return self._systems_at[address]
        return self.component_at("recommender", address.first_fit.step("recommender"))

    def fitted_at(self, address: Address) -> Address:
        """Return the address at which a system that is ranked at ``address`` is fitted: on the simplest split with its train set.

        Systems that are tuned, or that read scores from files, are fitted on the split of their rankings, because validation data
        and paths of files belong to that split.
        """
        recommender = Recommender.build(self.system_at(address))
        if isinstance(recommender, Tuned) or recommender.score_files is not None:
            return address
        split = Splitter.build(self.component_at("split", address.step("split"))).trains_as
        above = address.up_to("filter") / plugins.address("split", split).slug
        return above / address.step("fold") / address.step("recommender")

    @cached_property
    def _systems_at(self) -> dict[Address, Spec]:
        searched = {each.address.up_to("recommender"): each.search for each in self.searches if each.search is not None}
        return searched | {ranking.address.up_to("recommender"): ranking.system for ranking in self.rankings.values()}

    @cached_property
    def cells(self) -> dict[str, list[tuple[Reading, float | None]]]:
        """The views and relevance thresholds under which each ranking is measured, by the ranking's folder."""
        cells: dict[str, dict[tuple[Reading, float | None], None]] = {folder: {} for folder in self.rankings}
        for _, design, system in self._ranked_systems():
            for folder in _ranking_folders(design, system):
                cells[folder][design.view, design.relevance] = None
        return {folder: list(cells) for folder, cells in cells.items()}

    @cached_property
    def measured_by(self) -> dict[str, list[str]]:
        """Folders of the rankings that each metric measures in all experiments, by the metric's folder name."""
        metrics = {
            label: {measured.metric.spec.slug for measured in experiment.metrics}
            for label, experiment in self.study.by_label().items()
        }
        folders: dict[str, set[str]] = {}
        for label, design, system in self._ranked_systems():
            for slug in metrics[label]:
                folders.setdefault(slug, set()).update(_ranking_folders(design, system))
        return {slug: [folder for folder in self.rankings if folder in ranked] for slug, ranked in folders.items()}

    @cached_property
    def left_out(self) -> dict[str, dict[str, set[tuple[Reading, float | None]]]]:
        """The views and thresholds under which each metric is not measured, by the metric's folder name and a ranking's folder."""
        found: dict[str, dict[str, set[tuple[Reading, float | None]]]] = {}
        for (label, number), metrics in self._left_out.items():
            design, systems = self.designs[label][number], self.study.by_label()[label].systems.values()
            for metric, folder in product(metrics, chain(*(_ranking_folders(design, system) for system in systems))):
                found.setdefault(metric.slug, {}).setdefault(folder, set()).add((design.view, design.relevance))
        return found

    def leaves_out(self, label: str, number: int, metric: Metric) -> bool:
        """Whether the study leaves a metric out under one of the designs of a data set or experiment, which cannot carry it."""
        return metric.spec in self._left_out[label, number]

    @cached_property
    def _left_out(self) -> Mapping[tuple[str, int], Mapping[Spec, str]]:
        return left_out(self.study, self.designs)

    @cached_property
    def tunings(self) -> dict[str, tuple[str, str]]:
        """The record of each tuning, with the labels of its data set or experiment and of its system."""
        tunings: dict[str, tuple[str, str]] = {}
        for experiment in self.study.all_experiments():
            for system, spec in experiment.systems.items():
                if isinstance(Recommender.build(spec), Tuned):
                    for label in experiment.datasets:
                        for design in self.designs[label]:
                            for fold in folds(design):
                                tunings.setdefault(design.system_address(fold, spec).tuning, (label, system))
        return tunings

    @cached_property
    def searches(self) -> list[RankedSearch]:
        """The systems of the experiments that vary the effort, fold by fold under the base design, with their searches."""
        listed = []
        for label, experiment in self.study.by_label().items():
            design, searched = self.designs[label][0], searches(experiment)
            for system, spec in experiment.systems.items() if experiment.effort else ():
                tuned = design.bound(searched[system].spec) if system in searched else None
                for fold in folds(design):
                    address = design.ranking_address(fold, spec if tuned is None else tuned)
                    listed.append(RankedSearch(label, system, fold, tuned, address))
        return listed

    @property
    def checks(self) -> dict[str, str]:
        """The record of each check of target items, with the label of its data set or experiment."""
        checks: dict[str, str] = {}
        for ranking in self.rankings.values():
            dataset, chain, targets = (ranking.address.step(step) for step in ("dataset", "filter", "targets"))
            digest = self.target_check(dataset, chain, targets).digest
            checks[ranking.address.up_to("fold").check_record(targets, digest)] = ranking.dataset
        return checks

    def _target_check(self, dataset: str, chain: str, targets: str) -> TargetCheckInputs:
        """Return the inputs of a check of target items on a filtered data set; the arguments are folder names."""
        on_data = [design for (own, *_), designs in self._designs_by_folders.items() if own == dataset for design in designs]
        chosen = {*map(id, self._designs_by_folders.get((dataset, chain, targets), ()))}
        places = [place for place in self._left_out if id(self.designs[place[0]][place[1]]) in chosen]
        asked = [measured.metric for measured in self.study.all_metrics()]
        metrics = [each for each in asked if not places or not all(self.leaves_out(*place, each) for place in places)]
        targeting, spec = self.designs_with(dataset, chain, targets), self.source_at(dataset).component.spec
        return TargetCheckInputs.by(targeting, on_data, metrics, spec)

    def designs_with(self, dataset: str, chain: str, targets: str) -> list[Design]:
        """List the designs with some target items on a filtered data set; the arguments are folder names.

        The relevance threshold belongs to the scale of that data set. For target items that the study does not contain, the list
        has only the base design with their threshold.
        """
        named = self._designs_by_folders.get((dataset, chain, targets))
        return named or [self.all_designs[0].replaced(relevance=self.targets_at(targets)[1])]

    @cached_property
    def _designs_by_folders(self) -> dict[tuple[str, str, str], list[Design]]:
        """All designs, by the folder names of their data set, filter and target items."""
        return grouped(((each.dataset.slug, each.filter.slug, each.targets_address.slug), each) for each in self.all_designs)

    @property
    def splits(self) -> dict[Address, str]:
        """The address of every fold, with the label of the fold's data set."""
        return {ranking.address.up_to("fold"): ranking.dataset for ranking in self.rankings.values()}

    @property
    def filtered(self) -> dict[str, Address]:
        """Each data set's address after the base design's filter, by the label of a data set or experiment."""
        return {label: designs[0].filter_address for label, designs in self.designs.items()}

    @cached_property
    def cutoffs(self) -> dict[str, tuple[int, ...]]:
        """Each metric's cut-offs, by the metric's folder name."""
        cutoffs: dict[str, tuple[int, ...]] = {}
        for measured in self.study.all_metrics():
            slug = measured.metric.spec.slug
            cutoffs[slug] = tuple(sorted({*cutoffs.get(slug, ()), measured.cutoff}))
        return cutoffs

    @cached_property
    def metric_texts(self) -> dict[str, str]:
        """Each metric's spec, by its folder name."""
        return {measured.metric.spec.slug: str(measured.metric.spec) for measured in self.study.all_metrics()}

    def source_at(self, slug: str) -> RawDataSet:
        """Return the data set with a folder name: a data set of the study, or any data set without files.

        Raises
        ------
        SpecError
            If the folder name is not canonical.
        """
        if slug in self._data_sets_by_folder:
            return self._data_sets_by_folder[slug]
        source = _locate_data_set(parse_slug(slug))
        _check_canonical(slug, source.address.slug)
        return source

    @cached_property
    def _data_sets_by_folder(self) -> dict[str, RawDataSet]:
        """The data sets of the study, by their folder names; the first of several data sets in one folder is kept."""
        return {source.address.slug: source for source in reversed(self.sources.values())}

    def component_at(self, kind: str, slug: str) -> Spec:
        """Return the canonical spec for a folder name of components of this kind.

        Raises
        ------
        SpecError
            If the folder name is not canonical, or if it abbreviates a spec that the study does not name.
        """
        if slug in self._specs_by_folder[kind]:
            return self._specs_by_folder[kind][slug]
        component = plugins.build(kind, parse_slug(slug))
        _check_canonical(slug, component.spec.slug)
        return component.spec

    def targets_at(self, slug: str) -> tuple[Spec, float | None]:
        """Return the target items for a folder name, and the relevance threshold if the name contains one.

        Raises
        ------
        SpecError
            As `component_at`.
        """
        if slug in self._targets_by_folder:
            return self._targets_by_folder[slug]
        named = parse_slug(slug)
        relevance = named.get(RELEVANCE)
        component = Targets.build(named.without(RELEVANCE))
        _check_canonical(slug, named.slug)
        return component.spec, float(relevance) if isinstance(relevance, int | float) else None

    def filter_at(self, slug: str) -> Chain:
        """Return the canonical filter chain for a folder name.

        Raises
        ------
        SpecError
            If the folder name is not canonical, or if it abbreviates a chain that the study does not name.
        """
        for design in self.all_designs:
            if design.filter.slug == slug:
                return design.filter
        links = [Filter.build(link) for link in parse_chain_slug(slug)]
        chain = Chain(tuple(link.spec for link in links))
        _check_canonical(slug, chain.slug)
        return chain

    @cached_property
    def _specs_by_folder(self) -> dict[str, dict[str, Spec]]:
        designs = self.all_designs
        named = {
            "split": [spec for design in designs for spec in (design.split, Splitter.build(design.split).trains_as)],
            "recommender": [
                *(each.search for each in self.searches if each.search is not None),
                *(design.bound(system) for _, design, system in self._ranked_systems()),
            ],
            "nc": [design.nc for design in designs],
        }
        return {kind: {plugins.address(kind, spec).slug: spec for spec in specs} for kind, specs in named.items()}

    @cached_property
    def _targets_by_folder(self) -> dict[str, tuple[Spec, float | None]]:
        return {
            design.targets_address.slug: (
                design.targets,
                None if design.targets_address.get(RELEVANCE) is None else design.relevance,
            )
            for design in self.all_designs
        }


@contextmanager
def _name_in_errors(path: Path | str) -> Iterator[None]:
    """Within the block, add the name of the study file, or a place in it, to errors."""
    try:
        yield
    except RecsensError as error:
        raise error.at(str(path)) from error


def _ranking_folders(design: Design, system: Spec) -> list[str]:
    """List the folders of a system's rankings under a design, fold by fold."""
    return [str(design.ranking_folder(fold, system)) for fold in fitted(design)]


def _check_canonical(slug: str, canonical: str) -> None:
    if slug != canonical:
        raise SpecError(f"the folder name '{slug}' is not canonical", allowed=canonical)


def _refuse_two_descriptions(sources: Mapping[str, RawDataSet]) -> None:
    """Refuse data sets with equal ratings but different descriptions of users and items; their results would share paths."""
    first: dict[Spec, str] = {}
    for label, source in sources.items():
        other = first.setdefault(source.address, label)
        if source.description != sources[other].description:
            raise DesignError(
                f"datasets: '{other}' and '{label}' have the same ratings but different side files: their results would share "
                "paths",
                allowed="one description of users and items for the same ratings",
                remedy="move one of them to a separate study, and run that study in another folder",
            )


def _check_files(label: str, system: Spec, design: Design, fold: Fold) -> None:
    """Refuse a system or fallback that reads scores from files if the file of this fold is missing."""
    policy = NotComputable.build(design.nc)
    for spec in (system, *([policy.fallback] if policy.fallback is not None else [])):
        recommender = Recommender.build(spec)
        try:
            recommender.on_fold(fold.name)
        except RecsensError as error:
            kept = "" if str(design.filter) == "none" else f", filter '{design.filter.written}'"
            raise error.at(f"'{label}'{kept}, split '{design.split.written}'") from error


def _locate_data_set(spec: Spec) -> RawDataSet:
    component = DataSet.build(spec)
    files = locate(component)
    if files is None:
        raw_files = component.raw_files()
        brought = raw_files[0].url is None
        get = f"get them as {raw_files[0].terms} says" if brought else "run 'recsens fetch' with the study's name"
        raise ConfigError(
            f"the files of '{component.spec}' are missing",
            allowed=", ".join(f"{raw.folder}/{raw.name} below RECSENS_DATA or data/" for raw in raw_files),
            remedy=f"{get}, or give the path of your copy as 'path='",
        )
    side_files = locate_side(component, files)
    for file in (*files, *side_files):
        check_path(file)
    digests, side_digests = (tuple(map(sha256_of, paths)) for paths in (files, side_files))
    address = component.spec.without(*component.identity_excludes)
    if digests:
        address = address.with_params(**{SOURCE: sha256("".join(digests).encode()).hexdigest()[:10]})
    return RawDataSet(component, files, digests, side_files, side_digests, address)


_LONGEST = 24
"""Largest number of characters that the name of a folder takes from the name of a file."""


def with_folder(address: Spec, file: Path, seed: int) -> Spec:
    """Return the address of a data set from the user's own file, with the folder named after the file.

    The name is only for people; the digest after the name identifies the data. An existing folder with the digest is therefore used
    whatever its name is. The name may differ because the file was renamed, or because an earlier release named the folder after the
    plug-in.

    Parameters
    ----------
    address
        The address in which the folder is named after the plug-in.
    file
        The first file.
    seed
        The seed of the study.
    """
    if "." in address.name:  # The name of a user's own class already describes its data.
        return address
    named_after_plugin, _, identity = address.slug.partition("@")
    # The folder must not have another plug-in's name, such as netflix for a file netflix.csv, unless a digest of the whole text
    # distinguishes them.
    taken = set() if address.has_digest else {*plugins.names("dataset")} - {named_after_plugin}
    wanted = file_name(file.name.partition(".")[0])[: min(_LONGEST, MAX_SLUG - len(identity) - 1)].strip("-")
    if not wanted or wanted in taken:
        wanted = named_after_plugin
    there = _existing_names(Path(Address.of(seed, address.slug).folder).parent, identity) - taken
    name = wanted if wanted in there or not there else min(there)
    return address if name == named_after_plugin else address.with_params(**{FOLDER: name})


def _existing_names(folder: Path, identity: str) -> set[str]:
    """Return the names of the existing folders of some data."""
    if not folder.is_dir():
        return set()
    parts = (path.name.partition("@") for path in folder.iterdir() if path.is_dir())
    return {name for name, _, rest in parts if rest == identity and re.fullmatch(r"[a-z0-9-]+", name)}
