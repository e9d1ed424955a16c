"""What the workflow's rules ask of a plan: inputs, parameters and code digests, given the wildcards of a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from inspect import getfile
from pathlib import Path, PurePath
from typing import Any, Protocol
from urllib.parse import quote, unquote

from recsens import plugins
from recsens.aggregation import Aggregate
from recsens.config import Study
from recsens.design import RESULTS, Design, Fold
from recsens.errors import SpecError
from recsens.metrics import Metric
from recsens.plan import Plan, Ranking, folds
from recsens.plugins import Plugin
from recsens.provenance import code_digest
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.specs import Spec
from recsens.vocabulary import LIST_DEPTH


class Wildcards(Protocol):
    """The wildcards of a job; each rule has those that its files name."""

    seed: str
    dataset: str
    filter: str
    split: str
    fold: str
    recommender: str
    targets: str
    nc: str
    metric: str


class Wiring:
    """Answers the rules' questions about one study.

    Methods that take ``wildcards`` alone are evaluated by Snakemake for each job and take part in its change tracking.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def seed(self, wildcards: Wildcards) -> int:
        """Root of all random streams."""
        return int(wildcards.seed)

    # Data sets

    def files(self, wildcards: Wildcards) -> list[str]:
        """Raw files of a data set."""
        return list(map(str, self.plan.source_at(wildcards.dataset).files))

    def digests(self, wildcards: Wildcards) -> list[str]:
        """SHA-256 of each raw file."""
        return list(self.plan.source_at(wildcards.dataset).digests)

    def dataset(self, wildcards: Wildcards) -> str:
        """The data set with every parameter."""
        return str(self.plan.source_at(wildcards.dataset).component.full_spec)

    def address(self, wildcards: Wildcards) -> str:
        """The spec that a data set's folder is named by."""
        return str(self.plan.source_at(wildcards.dataset).address)

    def identity(self, wildcards: Wildcards) -> str:
        """Name of the data set in random streams: neither the place nor the digest of its files."""
        return self.plan.source_at(wildcards.dataset).component.identity

    def dataset_code(self, wildcards: Wildcards) -> str:
        """Code that reads or simulates a data set."""
        return _code("ingest", type(self.plan.source_at(wildcards.dataset).component))

    def truth_code(self, wildcards: Wildcards) -> str:
        """Code that tells the truth of a simulated data set."""
        return _code("truth", type(self.plan.source_at(wildcards.dataset).component))

    # Filters and splits

    def chain(self, wildcards: Wildcards) -> str:
        """The chain of filters with every parameter."""
        built = [plugins.build("filter", link) for link in self.plan.filter_at(wildcards.filter)]
        return "+".join(str(link.full_spec) for link in built)

    def filter_code(self, wildcards: Wildcards) -> str:
        """Code of a chain of filters."""
        return _code("filter", *_classes(*(("filter", link) for link in self.plan.filter_at(wildcards.filter))))

    def split(self, wildcards: Wildcards) -> str:
        """The split with every parameter."""
        return self._full("split", wildcards.split)

    def split_code(self, wildcards: Wildcards) -> str:
        """Code of a split."""
        return _code("split", *self._own_classes("split", wildcards.split))

    def split_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that the split is read from."""
        built: Plugin = plugins.build("split", self.plan.component_at("split", wildcards.split))
        return list(map(str, built.own_files()))

    def repeat(self, wildcards: Wildcards) -> int:
        """Which draw of the split a fold belongs to."""
        return int(wildcards.fold.partition(".")[0].removeprefix("repeat-"))

    def part(self, wildcards: Wildcards) -> int:
        """Which fold of its draw a fold is."""
        return int(wildcards.fold.partition(".fold-")[2] or 0)

    # Systems

    def recommender(self, wildcards: Wildcards) -> str:
        """The recommender with every parameter."""
        return str(self._recommender(wildcards).full_spec)

    def fit_code(self, wildcards: Wildcards) -> str:
        """Code that fits a recommender."""
        return _code("fit", *self._recommender_classes(wildcards))

    def tuning(self, wildcards: Wildcards) -> str | list[str]:
        """Path of what tuning found; nothing for a recommender that is not tuned."""
        if not isinstance(self._recommender(wildcards), Tuned):
            return []
        return f"{self._system_folder(wildcards)}/tuning.json"

    def tune_code(self, wildcards: Wildcards) -> str:
        """Code that tunes a recommender: its own, that of the split, of ranking and of the metric."""
        return _code("tune", *self._own_classes("recommender", wildcards.recommender))

    def own_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that the system's scores are read from."""
        return list(map(str, self._recommender(wildcards).own_files()))

    def ranking_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that a ranking reads: the target items', and the scores' where no model is kept."""
        recommender = self._recommender(wildcards)
        return [*self.target_files(wildcards), *(map(str, recommender.own_files()) if recommender.is_trivial else ())]

    def rank_code(self, wildcards: Wildcards) -> str:
        """Code that ranks with a recommender."""
        named = (
            ("targets", self.plan.targets_at(wildcards.targets)[0]),
            ("nc", self.plan.component_at("nc", wildcards.nc)),
        )
        return _code("rank", *self._recommender_classes(wildcards), *_classes(*named))

    def targets(self, wildcards: Wildcards) -> str:
        """The target selection with every parameter."""
        built: Plugin = plugins.build("targets", self.plan.targets_at(wildcards.targets)[0])
        return str(built.full_spec)

    def target_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that target items are read from."""
        built: Plugin = plugins.build("targets", self.plan.targets_at(wildcards.targets)[0])
        return list(map(str, built.own_files()))

    def relevance(self, wildcards: Wildcards) -> float | None:
        """The threshold of relevance that the choice of target items depends on; None for the default of the scale."""
        return self.plan.targets_at(wildcards.targets)[1]

    def audiences(self, wildcards: Wildcards) -> list[list[float | str | None]]:
        """Threshold of relevance and selection of users (B1) of each design with these target items; without a threshold first."""
        designs = self._designs_of(wildcards)
        found = {(design.relevance, str(design.users)) for design in designs}
        return [list(pair) for pair in sorted(found, key=lambda pair: (pair[0] is not None, pair))]

    def _designs_of(self, wildcards: Wildcards) -> list[Design]:
        """List the designs with these target items; what is asked for by hand, outside the study, is looked at as its base is."""
        designs = [design for found in self.plan.designs.values() for design in found]
        found = [design for design in designs if design.targets_address.slug == wildcards.targets]
        return found or [designs[0].replaced(relevance=self.relevance(wildcards))]

    def weighing_columns(self, wildcards: Wildcards) -> list[str]:
        """Columns of the data set's table of users that some design weighs users by."""
        named: set[str] = set()
        for designs in self.plan.designs.values():
            for design in designs:
                if design.dataset.slug == wildcards.dataset:
                    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
                    named.update(aggregate.user_columns)
        return sorted(named)

    def item_columns(self) -> list[str]:
        """Columns of the data sets' tables of items that some metric reads."""
        metrics = [measured.metric for measured in self.plan.study.metrics]
        return sorted({name for metric in metrics for name in getattr(metric, "item_columns", ())})

    def check_code(self, wildcards: Wildcards) -> str:
        """Code that checks whether the data allow a selection of target items."""
        selections = {("users", design.users) for design in self._designs_of(wildcards)}
        return _code("check", *_classes(("targets", self.plan.targets_at(wildcards.targets)[0]), *selections))

    def nc(self, wildcards: Wildcards) -> str:
        """The policy for not computable items with every parameter."""
        return self._full("nc", wildcards.nc)

    def model(self, wildcards: Wildcards) -> str | list[str]:
        """Path of the fitted model; nothing for a recommender so cheap that it is fitted when it ranks."""
        if self._recommender(wildcards).is_trivial:
            return []
        return f"{self._system_folder(wildcards)}/model.npz"

    def fit_threads(self, wildcards: Wildcards) -> int:
        """Threads that fitting a recommender can use."""
        return self._recommender(wildcards).n_threads

    # Studies

    def positions(self, name: str) -> list[str]:
        """A file of every ranking of the study."""
        return [f"{folder}/{name}" for folder in self.plan.rankings]

    def costs(self) -> list[str]:
        """What the jobs of every system left of their costs, under the base designs; in the order of `costed`."""
        return [path for *_, paths in self._costs() for path in paths]

    def costed(self) -> list[tuple[str, str, str, int]]:
        """Data set or experiment, system and fold of every system under the base designs, with its number of records of costs."""
        return [(label, system, fold, len(paths)) for label, system, fold, paths in self._costs()]

    def _costs(self) -> Iterator[tuple[str, str, str, list[str]]]:
        for part in self.plan.study.parts():
            for label in part.datasets:
                design = self.plan.designs[label][0]
                for system, spec in part.systems.items():
                    recommender: Recommender = plugins.build("recommender", spec)
                    for fold in folds(design):
                        jobs = {"rank": design.ranking_folder(fold, spec)}
                        if not recommender.is_trivial:
                            jobs["fit"] = design.system_folder(fold, spec)
                        if isinstance(recommender, Tuned):
                            jobs["tune"] = design.system_folder(fold, spec)
                        paths = [f"{RESULTS}/benchmarks/{job}/{folder.relative_to(RESULTS)}.json" for job, folder in jobs.items()]
                        yield label, system, fold.name, paths

    def overlapping(self) -> list[tuple[str, str, list[str], list[list[str]], list[int]]]:
        """Data set or experiment, fold, systems, pairs of them and cut-offs: the lists of the base designs that are compared."""
        return [
            (label, fold.name, list(part.systems), list(map(list, part.pairs())), _list_cutoffs(part))
            for label, part, fold in self._with_lists()
        ]

    def overlapping_lists(self) -> list[str]:
        """The top lists of every system under the base designs, in the order of `overlapping`."""
        return [
            f"{self.plan.designs[label][0].ranking_folder(fold, spec)}/lists-{LIST_DEPTH}.parquet"
            for label, part, fold in self._with_lists()
            for spec in part.systems.values()
        ]

    def _with_lists(self) -> Iterator[tuple[str, Study, Fold]]:
        """Visit every fold of the base designs under which users have lists."""
        for part in self.plan.study.parts():
            for label in part.datasets:
                design = self.plan.designs[label][0]
                if plugins.build("targets", design.targets).unit == "user":
                    for fold in folds(design):
                        yield label, part, fold

    def predicted(self, name: str) -> list[str]:
        """A file of every ranking of the base designs whose predicted ratings are measured."""
        return [f"{design.ranking_folder(fold, spec)}/{name}" for *_, design, fold, spec in self._predicted()]

    def predicted_records(self) -> list[str]:
        """The record of the data set of each such ranking."""
        return [str(design.filter_folder / "dataset.json") for *_, design, _, _ in self._predicted()]

    def predicted_labels(self) -> list[tuple[str, str, str]]:
        """Data set or experiment, fold and system of each such ranking."""
        return [(label, fold.name, system) for label, system, _, fold, _ in self._predicted()]

    def predictions_table(self) -> list[str]:
        """The table of predicted ratings, if the study measures any."""
        return [f"{self.plan.folder}/predictions.csv"] if self.predicted_labels() else []

    def _predicted(self) -> Iterator[tuple[str, str, Design, Fold, Spec]]:
        for part in self.plan.study.parts():
            if any(measured.metric.reads == "predictions" for measured in part.metrics):
                for label in part.datasets:
                    design = self.plan.designs[label][0]
                    for system, spec in part.systems.items():
                        for fold in folds(design):
                            yield label, system, design, fold, spec

    def data(self, name: str) -> list[str]:
        """A file of every data set of the study, after the base design's filter."""
        return [f"{folder}/{name}" for folder in self.plan.dataset_folders.values()]

    def tuning_table(self) -> list[str]:
        """The table of what tuning found, if the study has a system that is tuned."""
        return [f"{self.plan.folder}/tuning.csv"] if self.plan.tunings else []

    def dataset_records(self) -> list[str]:
        """The record of the data set of every ranking."""
        return [str(ranking.design.filter_folder / "dataset.json") for ranking in self.plan.rankings.values()]

    def metric(self, wildcards: Wildcards) -> str:
        """A metric with every parameter."""
        return str(self._metric(wildcards).full_spec)

    def metric_code(self, wildcards: Wildcards) -> str:
        """Code of a metric, and of the selections of users that a pooled one is measured over."""
        return _code(
            "measure", type(self._metric(wildcards)), *_classes(*(("users", spec) for spec in self._selections(wildcards)))
        )

    def selections(self, wildcards: Wildcards) -> list[str]:
        """The selections of users (B1) of all designs, for a pooled metric: it has one value of each."""
        return list(map(str, self._selections(wildcards)))

    def lists(self, wildcards: Wildcards) -> list[str]:
        """The top lists of every ranking, for a metric that reads lists."""
        return self.positions(f"lists-{LIST_DEPTH}.parquet") if self._metric(wildcards).reads == "lists" else []

    def interactions(self, wildcards: Wildcards) -> list[str]:
        """The filtered interactions of every ranking, for a metric that reads lists."""
        return self._beside_lists(wildcards, lambda ranking: ranking.design.filter_folder / "interactions.parquet")

    def item_tables(self, wildcards: Wildcards) -> list[str]:
        """The table of items of every ranking, for a metric that reads lists."""
        return self._beside_lists(wildcards, lambda ranking: ranking.design.filter_folder / "item_ids.parquet")

    def roles(self, wildcards: Wildcards) -> list[str]:
        """The roles in the fold of every ranking, for a metric that reads lists."""
        return self._beside_lists(wildcards, lambda ranking: ranking.design.fold_folder(ranking.fold) / "roles.parquet")

    def _beside_lists(self, wildcards: Wildcards, place: Callable[[Ranking], PurePath]) -> list[str]:
        if self._metric(wildcards).reads != "lists":
            return []
        return [str(place(ranking)) for ranking in self.plan.rankings.values()]

    def _selections(self, wildcards: Wildcards) -> list[Spec]:
        if self._metric(wildcards).unit != "pooled":
            return []
        designs = [design for found in self.plan.designs.values() for design in found]
        return list(dict.fromkeys(design.users for design in designs))

    def cutoffs(self, wildcards: Wildcards) -> list[int]:
        """Cut-offs of a metric."""
        return list(self.plan.cutoffs[wildcards.metric])

    def depths(self) -> list[int]:
        """Cut-offs of all metrics that have one, where some design has a ranking for each rating: the depths of its coverage.

        Elsewhere the lengths of users' rankings say it at any depth, and a further cut-off leaves the counts of users alone.
        """
        designs = [design for found in self.plan.designs.values() for design in found]
        if all(plugins.build("targets", design.targets).unit == "user" for design in designs):
            return []
        return sorted({measured.cutoff for measured in self.plan.study.metrics if not measured.is_whole})

    def base_thresholds(self) -> list[float | None]:
        """Threshold of relevance of each data set's and experiment's base design, in the order of `data`."""
        return [designs[0].relevance for designs in self.plan.designs.values()]

    def cells(self) -> list[list[list[str | float | None]]]:
        """Views and thresholds of relevance under which each ranking of the study is measured."""
        return [[list(cell) for cell in self.plan.cells[folder]] for folder in self.plan.rankings]

    def addresses(self) -> dict[str, str]:
        """Spec in the address of each data set, by the label of a data set or experiment."""
        return {label: str(address) for label, address in self.plan.addresses.items()}

    def user_tables(self) -> list[str]:
        """Tables of users of the data sets whose columns some design weighs users by."""
        designs = [design for found in self.plan.designs.values() for design in found]
        wanted = [design for design in designs if plugins.build("aggregate", design.aggregate).user_columns]
        return sorted({str(design.filter_folder / "user_ids.parquet") for design in wanted})

    def outcome_code(self, step: str) -> str:
        """Code of a step that aggregates and compares."""
        designs = [design for found in self.plan.designs.values() for design in found]
        kinds = {(kind, getattr(design, kind)) for design in designs for kind in ("users", "aggregate", "test")}
        return _code(step, *_classes(*kinds))

    def count_code(self) -> str:
        """Code of the step that counts who is averaged."""
        designs = [design for found in self.plan.designs.values() for design in found]
        return _code(
            "count", *_classes(*{(kind, getattr(design, kind)) for design in designs for kind in ("users", "aggregate", "targets")})
        )

    def report_code(self) -> str:
        """Code of the report, which quotes the documentation of every plug-in of the study."""
        designs = [design for found in self.plan.designs.values() for design in found]
        decisions = ("split", "targets", "nc", "users", "aggregate", "test")
        kinds = {(kind, getattr(design, kind)) for design in designs for kind in decisions}
        kinds |= {("filter", link) for design in designs for link in design.filter}
        kinds |= {("recommender", spec) for part in self.plan.study.parts() for spec in part.systems.values()}
        kinds |= {("dataset", source.component.spec) for source in self.plan.sources.values()}
        kinds |= {("metric", measured.metric.spec) for measured in self.plan.study.metrics}
        return _report_code(frozenset(_classes(*kinds)))

    def _metric(self, wildcards: Wildcards) -> Metric:
        if wildcards.metric not in self.plan.metric_texts:
            raise SpecError(f"the study measures no '{wildcards.metric}'", allowed=", ".join(self.plan.metric_texts))
        built: Metric = plugins.build("metric", self.plan.metric_texts[wildcards.metric])
        return built

    def _recommender(self, wildcards: Wildcards) -> Recommender:
        built: Recommender = plugins.build("recommender", self.plan.system_at(self._system_folder(wildcards)))
        return built

    def _full(self, kind: str, slug: str) -> str:
        built: Plugin = plugins.build(kind, self.plan.component_at(kind, slug))
        return str(built.full_spec)

    def _system_folder(self, wildcards: Wildcards) -> str:
        w = wildcards
        return f"{RESULTS}/seed-{w.seed}/{w.dataset}/{w.filter}/{w.split}/{w.fold}/{w.recommender}"

    def _recommender_classes(self, wildcards: Wildcards) -> set[type[Plugin]]:
        """Return the classes of a recommender and of those within it; what tunes one neither fits nor ranks."""
        found = self._own_classes("recommender", wildcards.recommender)
        return {each for each in found if each.kind == "recommender"}

    def _own_classes(self, kind: str, slug: str) -> set[type[Plugin]]:
        return _classes((kind, self.plan.component_at(kind, slug)))


def _list_cutoffs(part: Study) -> list[int]:
    """Cut-offs of the metrics of an experiment as deep as lists are kept, ten where there are none, and all that is kept."""
    shallow = {measured.cutoff for measured in part.metrics if measured.cutoff <= LIST_DEPTH}
    return sorted({*(shallow or {10}), LIST_DEPTH})


def as_setting(study: str) -> str:
    """Write the name or path of a study as in a URL: Snakemake takes settings for YAML, and a cluster's shell for its own words."""
    return quote(study)


def from_setting(value: object) -> str:
    """Read the name or path of a study as `as_setting` writes it; one without ``%`` is what it is."""
    return unquote(str(value))


def step_code(step: str) -> str:
    """Digest the code of a step without plug-ins."""
    return _code(step)


def memory_mb(base: int, per_mb: float) -> Callable[..., int]:
    """Return the memory request of a rule: a base and a share of the size of its input, doubled at each new attempt."""

    def request(wildcards: Any, input: Any, attempt: int) -> int:  # noqa: A002, ARG001 - Snakemake binds by name
        return int((base + per_mb * input.size_mb) * 2 ** (attempt - 1))

    return request


def minutes(base: int, per_mb: float) -> Callable[..., int]:
    """Return the run-time request of a rule in minutes, grown like its memory request."""
    return memory_mb(base, per_mb)


def _classes(*named: tuple[str, Spec]) -> set[type[Plugin]]:
    """Return the classes of components, and of the components within them."""
    found = set()
    for kind, spec in named:
        built: Plugin = plugins.build(kind, spec)
        found |= {type(built), *(plugins.load(inner, each.name) for inner, each in built.nested())}
    return found


def _code(step: str, *classes: type[Plugin]) -> str:
    return _step_code(step, frozenset(classes))


@cache
def _step_code(step: str, classes: frozenset[type[Plugin]]) -> str:
    return code_digest([f"recsens.steps.{step}"], sorted(classes, key=lambda each: each.__module__))


@cache
def _report_code(classes: frozenset[type[Plugin]]) -> str:
    # The page is made of plug-ins' docstrings, a template and a style sheet, none of which is a syntax tree.
    quoted = [Path(getfile(each)) for each in classes]
    return code_digest(["recsens.steps.report"], classes, [*quoted, *_templates()])


def cost_code() -> str:
    """Digest the code of the page of costs, its template among it."""
    return code_digest(["recsens.steps.costs"], [], _templates())


def _templates() -> list[Path]:
    return [path for path in Path(getfile(Plugin)).with_name("studies").iterdir() if path.suffix in {".jinja", ".css"}]
