"""The keys of a study file as typed models. The JSON schema and config/README.md are generated from these models."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from recsens import plugins
from recsens.errors import RecsensError, SpecError, nearest
from recsens.files.paths import from_study, is_folder
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.plugins.specs import parse
from recsens.seeds import Stream
from recsens.study.baselines import with_baselines
from recsens.study.checks import (
    change_design,
    check_all,
    check_experiment,
    check_known,
    check_metrics,
    check_published,
    design_under,
    known_decisions,
    options_of,
)
from recsens.study.claims import OVER_DATASETS, ClaimEntry, Ground, Origin
from recsens.study.decisions import Decisions, with_views
from recsens.study.experiment import Combine, Efforts, Experiment, Groupings, Pairs, UnratedRates, Vary
from recsens.study.families import Combining, Families, families, is_worth_combining
from recsens.study.field_types import DataSetSpec, Keys, MetricList, RecommenderSpec, Words
from recsens.study.figures import FigureEntry, Figures
from recsens.study.labels import Spellings, Written, check_label, file_name, labels_of_one_file
from recsens.study.margin import Margin, WrittenMargin
from recsens.study.metric_analyses import Analyses, MetricAnalysisEntry, MetricAnalysisTask, all_pairs
from recsens.study.published import Published, PublishedComparison, printed_claims
from recsens.study.searched import metric_of_effort, searches

_log = logging.getLogger(__name__)


@contextmanager
def _place_in_errors(where: str) -> Iterator[None]:
    try:
        yield
    except RecsensError as error:
        raise ValueError(str(error.at(where))) from error


SHARD = 65_536
"""If there are more users than this, several jobs share the ranking of a system; each ranks about this many users."""


_OTHER_NAMES = {
    "systems": ("models", "recommenders", "algorithms"),
    "datasets": ("data",),
    "metrics": ("measures",),
    "compare": ("comparisons", "pairs"),
}
"""Other names for each key of a study."""


def _with_our_names(content: Mapping[Any, Any], known: Iterable[str]) -> dict[Any, Any]:
    """Rename keys of a mapping if they are other names for ``known`` keys, and log each change.

    Raises
    ------
    SpecError
        If the mapping has two names of the same key.
    """
    taken = {other: key for key, others in _OTHER_NAMES.items() if key in set(known) for other in others}
    written: dict[str, str] = {}
    for name in content:
        key = taken.get(name, name)
        if key in written:
            raise SpecError(f"'{written[key]}' and '{name}' are names of the same key", remedy=f"write everything under '{key}'")
        written[key] = name
    for key, name in written.items():
        if key != name:
            _log.info("key '%s' is read as %s", name, key)
    return {taken.get(name, name): value for name, value in content.items()}


VARIED = "For each decision to vary, the options to try besides the base design's; 'effort' counts as a decision."

EFFORT = Field(
    (),
    description=(
        "Numbers of random trials with which systems are tuned, usually written as a decision, 'vary: {effort: [0, 5, 20]}'. With "
        "0, a system has the parameters written; with k, the best of these and of k trials on validation data. Each system with a "
        "search space is searched once, with twice the largest number of trials, from which all efforts follow."
    ),
)


def _with_effort(content: dict[Any, Any]) -> dict[Any, Any]:
    """Move the effort from the decisions that vary to its own key, because it is not a decision of one design.

    Raises
    ------
    SpecError
        If the study has both.
    """
    vary = content.get("vary")
    if not isinstance(vary, dict) or "effort" not in vary:
        return content
    if "effort" in content:
        raise SpecError("'effort' is written twice, also below 'vary'", remedy="keep the one below 'vary'")
    if not vary["effort"]:
        raise SpecError("vary.effort: the list of options is empty", allowed="numbers of trials, such as [0, 1, 5, 20]")
    others = {key: options for key, options in vary.items() if key != "effort"}
    return {**content, "vary": others, "effort": vary["effort"]}


class ReferenceDesign(Keys):
    """The reference design, and the metric whose values under this design count as the truth."""

    under: dict[str, Any] = Field(
        default_factory=dict,
        description="Decisions in which the reference design differs from the base design; the study must include this design.",
    )
    metric: str = Field(
        "",
        description="The metric, with its cut-off, whose values count as the truth; by default, the values of each metric under "
        "the reference design are the truth for that metric.",
    )


class FurtherExperiment(Keys):
    """A further experiment in a study, with its own base design, variations and systems."""

    dataset: str = Field(description="Label of the data set.")
    description: str = Field("", description="The experiment's question, in a sentence or two.")
    design: dict[str, Any] = Field(default_factory=dict, description="Decisions in which the base design differs from the study's.")
    systems: dict[str, RecommenderSpec] = Field(
        default_factory=dict, description="Label: recommender. By default, the study's systems and baselines."
    )
    vary: Annotated[Vary, AfterValidator(known_decisions)] = Field(default_factory=dict, description=VARIED)
    effort: Efforts = EFFORT
    combine: Combine = Field("one_at_a_time", description="As in the study.")
    metrics: MetricList | None = Field(None, description="Metrics with cut-offs; by default, the study's metrics.")
    compare: Pairs | None = Field(None, description="Pairs of systems to compare, as in the study.")

    @model_validator(mode="before")
    @classmethod
    def _take_other_names(cls, content: Any) -> Any:
        return _with_effort(with_views(_with_our_names(content, cls.model_fields))) if isinstance(content, dict) else content


class Study(Keys):
    """A study: data sets, systems, a base design, what varies, and what to show."""

    title: str = Field(min_length=1)
    """Heading of the report."""
    description: str = ""
    """The study's question, in a sentence or two; it is the first paragraph of the report."""
    seed: int = Field(0, ge=0, le=2**63 - 1, strict=True)
    """Seed of all random streams."""
    plugins: tuple[str, ...] = ()
    """Folders in which recsens looks for dotted names, such as mylab.models.Foo. Paths are relative to the study or the working
    directory. Whenever the study is read, the named modules are imported, which runs their code, even with 'recsens check'."""
    datasets: dict[str, DataSetSpec] = Field(min_length=1)
    """Label: data set."""
    systems: dict[str, RecommenderSpec] = Field(min_length=1)
    """Label: recommender. The labels appear in tables and figures, but never in a path."""
    baselines: str | None = None
    """Further systems, all tuned alike: standard, or with the number of random draws of every search, standard(trials=50).
    [Baselines](../docs/baselines.md) lists them; 'recsens check' says what they stand for, and which of them the study's own
    systems replace because they are tuned versions of the same recommender."""
    says: dict[str, Words] = Field(default_factory=dict)
    """Label of a system: what the system is, in one line. The methods paragraph shows these words instead of the recommender as
    written; they affect nothing else."""
    chosen: dict[str, Words] = Field(default_factory=dict)
    """Label of a system: by whom its parameters were chosen, in a few words, such as 'by the authors of Steck (2019)'. The
    system then does not count as untuned; the words stand beside its verdicts."""
    design: Decisions = Field(default_factory=Decisions)
    """The base design: an option for every decision."""
    vary: Annotated[Vary, AfterValidator(known_decisions)] = Field(default_factory=dict, description=VARIED)
    effort: Efforts = EFFORT
    over_datasets: Combining | None = None
    """How comparisons are combined over data sets (see below). By default they are if there are three families of data sets."""
    combine: Combine = "one_at_a_time"
    """Whether to vary one decision at a time, or to try every combination of the options, including the base design's."""
    metrics: MetricList
    """Metrics with cut-offs: P@10, nDCG(gain=exp)@5,10."""
    compare: Pairs | None = None
    """Pairs of systems to compare, the most important first. By default every pair; an empty list compares none."""
    experiments: dict[str, FurtherExperiment] = Field(default_factory=dict)
    """Label: a further experiment with its own base design. In tables, its label is in the column of data sets."""
    shards: int | None = Field(
        None,
        ge=1,
        le=10_000,
        strict=True,
        description=(
            f"Number of jobs that share the ranking of a system; each ranks some of the users. By default, one job per {SHARD:,} "
            "users, if the number of users is known before the data are read. It does not affect the results."
        ),
    )
    strict: bool = Field(False, strict=True)
    """Whether to refuse a metric that the data or the target items of some design cannot carry. By default, the metric is left
    out there, and the report names it; a metric that no design can carry is always refused."""
    alpha: float = Field(0.05, gt=0, lt=1)
    """Significance level: a difference with a p-value below this counts as a win."""
    margin: WrittenMargin = 0.0
    """The smallest difference that matters, in units of each metric, or as a share of the better value: 1%. A system wins only
    if the whole confidence interval lies beyond the margin; two systems are equivalent if it lies entirely within the
    margin."""
    tipping: UnratedRates = ()
    """Rates at which unrated items in lists might be relevant, such as [0.05, 0.2]. For each comparison over full rankings, the
    report then says how many times as often the items that only the other system lists must be relevant before the verdict
    changes, and between which bounds the difference lies whatever the unrated items are."""
    groups: Groupings = ()
    """Groupings of users or items, such as [activity, column(name=age), popularity], which see only the train set and side
    tables. Under the base design, pairs are compared within each group too, with p adjusted over the groups of a pair. By
    default, no groups are looked at; state them before you see results."""
    figures: Figures = Field(default_factory=dict)
    """Figures to draw instead of the usual ones: a list, or a mapping of file names to figures. An entry is a figure plug-in,
    or a mapping (see below)."""
    latex_width: float = Field(343.0, ge=300, allow_inf_nan=False)
    """Width of the paper's text, both columns together, in points: 343 for class article; for class acmart, 395 with acmsmall
    and 506 with sigconf. Wider tables are divided in LaTeX. The key affects nothing else."""
    meta: Analyses = Field(default_factory=dict)
    """Analyses of the metrics themselves, from the rankings of the base design: a list, or a mapping of names to analyses. An
    entry is an analysis plug-in, or a mapping (see below)."""
    claims: tuple[ClaimEntry, ...] = ()
    """A paper's conclusions, to be judged by the results. An entry has a claim plug-in (see below)."""
    reference: ReferenceDesign | None = None
    """The design that counts as the truth (see below). Every other analysis of the study's own experiment is compared with
    it."""
    published: tuple[Published, ...] = ()
    """Printed values to show next to those computed."""
    published_comparisons: tuple[PublishedComparison, ...] = ()
    """Printed p-values to show next to those computed."""

    @model_validator(mode="before")
    @classmethod
    def _find_plugins(cls, content: Any) -> Any:
        content = _with_effort(with_views(_with_our_names(content, cls.model_fields))) if isinstance(content, dict) else content
        # Dotted names of plug-ins are resolved while the keys are validated, so the folders to search must be added first.
        if isinstance(content, dict) and isinstance(content.get("plugins"), list):
            folders = [from_study(folder) if isinstance(folder, str) else folder for folder in content["plugins"]]
            for folder in folders:
                if not isinstance(folder, str) or not is_folder(folder):
                    raise ValueError(f"plugins: '{folder}' is not a folder (searched for next to the study and in {Path.cwd()})")
            plugins.add_paths(folders)
        # Systems may be plug-ins in those folders.
        if isinstance(content, dict) and content.get("baselines") is not None and isinstance(content.get("systems", {}), dict):
            with _place_in_errors("baselines"):
                content = {**content, "systems": with_baselines(content["baselines"], content.get("systems", {}))}
        return content

    @model_validator(mode="after")
    def _check(self) -> Study:
        self._check_further()
        check_all(partial(list, options_of(where, {key: each})) for where, vary in self._varied() for key, each in vary.items())
        check_all(self._checks())
        return self

    def _varied(self) -> Iterator[tuple[str, Vary]]:
        yield "vary", self.vary
        yield from ((f"experiments.{label}.vary", entry.vary) for label, entry in self.experiments.items())

    def _checks(self) -> Iterator[Callable[[], object]]:
        """Yield checks that do not depend on each other."""
        yield self._check_metrics
        by_label = self.by_label()
        yield from (partial(check_published, (entry,), (), by_label) for entry in self.published)
        yield from (partial(check_published, (), (entry,), by_label) for entry in self.published_comparisons)
        yield partial(check_experiment, self.own)
        yield from (partial(self._check_experiment, label) for label in self.experiments)
        systems = dict.fromkeys(label for each in self.all_experiments() for label in each.systems)
        yield from (partial(check_known, key, "system", *getattr(self, key), names=systems) for key in ("says", "chosen"))
        yield self._check_combined
        yield from (partial(self._check_analysis, name, entry) for name, entry in self.meta.items())
        of_analyses = {f"meta-{name}" for name in self.meta}
        figures = {name: entry for name, entry in self.drawn.items() if name not in of_analyses}
        yield from (partial(self._check_figure, name, entry) for name, entry in figures.items())
        yield self._check_names_of_figures
        yield from (partial(self._check_claim, number, entry) for number, entry in enumerate(self.claims))
        yield self._check_reference

    def _check_metrics(self) -> None:
        check_metrics(
            {
                "metrics": self.metrics,
                **{f"experiments.{label}.metrics": entry.metrics for label, entry in self.experiments.items()},
                **{f"meta.{name}.metrics": entry.metrics for name, entry in self.meta.items()},
            }
        )

    def _check_experiment(self, label: str) -> None:
        try:
            check_experiment(self._further(label))
        except ValueError as error:
            raise ValueError(f"experiments.{label}.{error}") from error

    def _check_combined(self) -> None:
        if self.over_datasets is not None and not self.own.families:
            raise ValueError(
                "over_datasets: there is nothing to combine. Allowed: data sets that are not simulated, and pairs to compare"
            )
        for each in self.all_experiments():
            if each.effort:
                with _place_in_errors("vary.effort"):
                    metric_of_effort(each)
                    searches(each)

    @cached_property
    def spellings(self) -> Spellings:
        """The study's spelling of its options."""
        return Spellings(self._decisions_written())

    def _decisions_written(self) -> Iterator[Written]:
        """Yield the decisions that the study writes, except those of printed numbers, which only repeat options."""
        yield "design", self.design
        yield from (("vary", option) for option in options_of("vary", self.vary))
        for label, entry in self.experiments.items():
            yield f"experiments.{label}.design", Decisions.model_validate(entry.design)
            varied = f"experiments.{label}.vary"
            yield from ((varied, option) for option in options_of(varied, entry.vary))

    def _check_further(self) -> None:
        for label, entry in self.experiments.items():
            check_label("experiments", label)
            check_known(f"experiments.{label}.dataset", "dataset", entry.dataset, names=self.datasets)
            if label in self.datasets:
                raise ValueError(f"experiments: '{label}' is the label of a data set")
            alike = labels_of_one_file(self.experiments)
            if alike:
                raise ValueError(f"experiments: the files of {' and '.join(alike)} would have the same name; rename one of them")
            change_design(f"experiments.{label}.design", self.design, entry.design)

    def _check_analysis(self, name: str, entry: MetricAnalysisEntry) -> None:
        where = f"meta.{name}"
        experiment = self._experiment_named(where, entry.experiment)
        alike = labels_of_one_file(experiment.datasets)
        if alike:
            raise ValueError(
                f"{where}: its files on the data sets {' and '.join(alike)} would have the same name; rename one of them"
            )
        if len(experiment.systems) < 2:
            raise ValueError(f"{where}: metrics are judged by how they order systems, which needs at least two systems")
        with _place_in_errors(f"{where}: {entry.analysis.written}"):
            entry.analysed.check(self.asked(entry))
            entry.analysed.check_design(experiment.design)
        if figure := self.drawn.get(f"meta-{name}"):
            self._check_figure(f"meta-{name}", figure)

    def asked(self, entry: MetricAnalysisEntry) -> MetricAnalysisTask:
        """Return the task of an analysis; its random stream depends only on the seed.

        The analysis compares the study's pairs of systems. If the study compares none, because it is about metrics only, the
        analysis compares all pairs.
        """
        experiment = self.shown(entry.experiment)
        pairs = experiment.pairs() or all_pairs(list(experiment.systems))
        return MetricAnalysisTask(entry.metrics_of(experiment), pairs, self.alpha, Stream.of(self.seed))

    def _check_figure(self, name: str, entry: FigureEntry) -> None:
        experiment = self._experiment_named(f"figures.{name}", entry.experiment)
        with _place_in_errors(f"figures.{name}"):
            entry.drawing.check(experiment)

    def _check_names_of_figures(self) -> None:
        twice = [] if self.figures else sorted(self._usual_figures().keys() & self.drawn)
        if twice:
            raise ValueError(f"meta: two figures would have the file name '{twice[0]}'; rename the analysis")

    def _check_claim(self, number: int, entry: ClaimEntry) -> None:
        where = f"claims.{number}"
        self._experiment_named(where, entry.experiment)
        with _place_in_errors(f"{where}: {entry.claim.written}"):
            entry.assertion.check(self.claim_scope(entry, where))

    def _check_reference(self) -> None:
        if self.reference is None:
            return
        own, reference = self.own, self.reference
        if "truth" in self.drawn:
            raise ValueError("figures: in a study with a reference, 'truth' is the scorecard; rename the figure")
        design_under("reference", reference.under, own)
        metrics = [measured.written for measured in own.metrics if not measured.metric.is_descriptive]
        if reference.metric:
            meant = parse_measured_at(reference.metric)
            if len(meant) > 1 or meant[0] not in own.metrics or meant[0].metric.is_descriptive:
                raise ValueError(
                    f"reference.metric: '{reference.metric}' is not one of the study's metrics that rank "
                    f"systems{nearest(reference.metric, metrics)}. Allowed: {', '.join(metrics)}"
                )
        compared = {frozenset(pair) for pair in own.pairs()}
        missing = [pair for pair in all_pairs(list(own.systems)) if frozenset(pair) not in compared]
        if missing or len(own.systems) < 2:
            raise ValueError(
                "reference: comparing orders of systems needs at least two systems and all their pairs; remove 'compare'"
            )

    def claim_scope(self, entry: ClaimEntry, where: str = "claims") -> Ground:
        """Return the experiment, data set and design that a claim is about.

        Raises
        ------
        ValueError
            If the experiment lacks the data set or the design; the message begins with the key, ``where``.
        """
        # As in tables, the label of a further experiment may stand for its data set.
        further = entry.experiment or (entry.dataset if entry.dataset in self.experiments else "")
        experiment = self.shown(further)
        if entry.assertion.is_over_datasets and not entry.dataset:
            return Ground(experiment, OVER_DATASETS, design_under(where, entry.under, experiment))
        labels = list(experiment.datasets)
        behind = self.dataset_of(labels[0]) if further else ""
        label = labels[0] if len(labels) == 1 and entry.dataset in {"", behind} else entry.dataset
        if not label:
            raise ValueError(f"{where}: the study has several data sets; name one under 'dataset'. Allowed: {', '.join(labels)}")
        check_known(f"{where}.dataset", "dataset", label, names=labels)
        return Ground(experiment, label, design_under(where, entry.under, experiment))

    def shown(self, label: str) -> Experiment:
        """Return the experiment that a figure or claim names by its label; without a label, the study's own experiment."""
        return self._further(label) if label else self.own

    def _experiment_named(self, where: str, label: str) -> Experiment:
        """Return the experiment that an entry at ``where`` names; raises ValueError if there is no such experiment."""
        if label:
            check_known(f"{where}.experiment", "experiment", label, names=self.experiments)
        return self.shown(label)

    @cached_property
    def all_claims(self) -> list[tuple[Origin, ClaimEntry]]:
        """Every claim: first the claims that the study states, then the claims that printed values and p-values imply."""
        written = {self._claim_subject(claim) for claim in self.claims}
        printed = printed_claims(self.published, self.published_comparisons, self.by_label())
        others = [claim for claim in printed if self._claim_subject(claim) not in written]
        return [*(("written", claim) for claim in self.claims), *(("printed", claim) for claim in others)]

    def _claim_subject(self, entry: ClaimEntry) -> tuple[str, Decisions, str]:
        """Return an entry's data set, design and claim, which do not depend on how the entry is written."""
        ground = self.claim_scope(entry)
        return ground.dataset, ground.design, str(entry.claim)

    @property
    def own(self) -> Experiment:
        """The study's own experiment: its design and systems on each of its data sets."""
        combining, margin = self.over_datasets or Combining(), Margin.parse(self.margin)
        shared = {key: value for key, value in self if key in Experiment.__dataclass_fields__}
        return Experiment(
            **{**shared, "design": self.spellings.of(self.design), "margin": margin},
            analyses=self._analyses_of(""),
            families=self._families,
            scale=combining.scale_with(margin),
            friedman=combining.friedman,
        )

    @cached_property
    def _families(self) -> Families:
        """The families of data sets that are combined; none if the study compares no pair, or has few and does not ask."""
        ranks = any(not each.metric.is_descriptive and each.metric.unit != "pooled" for each in self.metrics)
        asked = self.over_datasets or Combining()
        found = families(self.datasets, asked.families)
        is_asked = self.over_datasets is not None or is_worth_combining(found)
        return found if is_asked and ranks and self.compare != () and len(self.systems) > 1 else {}

    def _further(self, label: str) -> Experiment:
        entry = self.experiments[label]
        return replace(
            self.own,
            title=label,
            description=entry.description,
            datasets={label: self.datasets[entry.dataset]},
            systems=entry.systems or self.systems,
            design=self.spellings.of(self.design.changed(entry.design)),
            vary=entry.vary,
            combine=entry.combine,
            compare=entry.compare,
            metrics=entry.metrics or self.metrics,
            analyses=self._analyses_of(label),
            effort=entry.effort,
            families={},
        )

    def _analyses_of(self, label: str) -> dict[str, MetricAnalysisEntry]:
        return {name: entry for name, entry in self.meta.items() if entry.experiment == label}

    def all_experiments(self) -> list[Experiment]:
        """List the experiments, the study's own first."""
        return [self.own, *map(self._further, self.experiments)]

    def all_metrics(self) -> list[MeasuredAt]:
        """List the distinct metrics of all experiments."""
        return list(dict.fromkeys(measured for experiment in self.all_experiments() for measured in experiment.metrics))

    def by_label(self) -> dict[str, Experiment]:
        """Return the experiment for each label in tables; the labels belong to data sets and further experiments."""
        return {label: experiment for experiment in self.all_experiments() for label in experiment.datasets}

    def dataset_of(self, label: str) -> str:
        """Return the label of the data set of an experiment; the label of a data set is returned unchanged."""
        return self.experiments[label].dataset if label in self.experiments else label

    @property
    def drawn(self) -> dict[str, FigureEntry]:
        """The figures that plug-ins draw, by file name: the declared figures or, without any, one per analysis of metrics."""
        usual = {f"meta-{name}": (entry, entry.analysed.drawn_by) for name, entry in self.meta.items()}
        return self.figures or {
            name: FigureEntry.model_validate(
                {"draw": str(parse(by).with_params(analysis=name.removeprefix("meta-"))), "experiment": entry.experiment}
            )
            for name, (entry, by) in usual.items()
            if by
        }

    def all_figures(self) -> dict[str, tuple[Experiment, str]]:
        """Return every figure's experiment and key, by file name.

        If a plug-in draws the figure (`drawn`), its key is its file name. Any other key is one of `Experiment.figures`. If a figure
        belongs to a further experiment, its file name begins with the experiment's label.
        """
        drawn = {name: (self.shown(entry.experiment), name) for name, entry in self.drawn.items()}
        return drawn if self.figures else self._usual_figures() | drawn

    def _usual_figures(self) -> dict[str, tuple[Experiment, str]]:
        own, *others = self.all_experiments()
        figures = {name: (own, name) for name in own.figures()}
        return figures | {
            f"{file_name(experiment.title)}-{name}": (experiment, name) for experiment in others for name in experiment.figures()
        }
