"""What a study says: typed models, the one source of the JSON schema and of config/README.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator

from recsens import plugins
from recsens.config._reasons import NO_VALUE, reason
from recsens.errors import SpecError, nearest
from recsens.files import is_folder
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.specs import Chain, Spec, parse_chain
from recsens.vocabulary import Correction, Coverage, Ties, View

LABEL = r"[A-Za-z0-9][A-Za-z0-9 ._+()/-]*"


def _component(kind: str) -> Callable[[object], Spec]:
    """Check a component against its plug-in and make it canonical."""

    def check(value: object) -> Spec:
        component: plugins.Plugin = plugins.build(kind, _text(value, kind))
        return component.spec

    return check


def _chain(kind: str) -> Callable[[object], Chain]:
    def check(value: object) -> Chain:
        links: list[plugins.Plugin] = [plugins.build(kind, link) for link in parse_chain(_text(value, kind))]
        return Chain(tuple(link.spec for link in links))

    return check


def _text(value: object, kind: str) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        raise SpecError(NO_VALUE)
    allowed = "a name, or a name with parameters: user_knn(k=50)"
    raise SpecError(f"a component is written as text, not as {value!r}", allowed=allowed, remedy=_cure(value, kind))


def _cure(value: object, kind: str) -> str | None:
    if isinstance(value, bool):
        return "put it in quotes if a name is meant: YAML reads no, off, yes and on as false and true"
    if kind == "split" and (meant := _splits_of(value)):
        return f"write {meant[0]}" if len(meant) == 1 else f"to try several, write 'vary: {{split: [{', '.join(meant)}]}}'"
    if kind == "filter" and isinstance(value, list):
        return "write filters that follow one another as a chain, k_core+sample(ratings=0.5)"
    return f"one {kind} stands here; options to try beside it are a list under 'vary'" if isinstance(value, list) else None


def _splits_of(value: object) -> list[str]:
    """Write the splits that numbers stand for, shares that teach or numbers of folds; none if any is no number."""
    options = value if isinstance(value, list) else [value]
    numbers = [option for option in options if isinstance(option, int | float)]
    meant = [f"random(ratio={number:g})" if 0 < number < 1 else f"k_fold(k={number:g})" for number in numbers]
    return meant if len(meant) == len(options) else []


def _metrics(value: object) -> list[MeasuredAt]:
    if not isinstance(value, list) or not value:
        raise SpecError("metrics are written as a list of at least one", allowed="[P@10, nDCG@10]")
    number = next((entry for entry in value if isinstance(entry, int | float)), None)
    if number is not None:
        raise SpecError(f"{number} is no metric", remedy="put a metric with several cut-offs in quotes: ['P@5,10']")
    found = [measured for entry in value for measured in parse_measured_at(_text(entry, "metric"))]
    names = list(map(str, found))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise SpecError(f"the metric '{twice}' stands twice")
    return found


DataSetSpec = Annotated[Spec, PlainValidator(_component("dataset"), json_schema_input_type=str)]
FilterChain = Annotated[Chain, PlainValidator(_chain("filter"), json_schema_input_type=str)]
SplitSpec = Annotated[Spec, PlainValidator(_component("split"), json_schema_input_type=str)]
RecommenderSpec = Annotated[Spec, PlainValidator(_component("recommender"), json_schema_input_type=str)]
NcSpec = Annotated[Spec, PlainValidator(_component("nc"), json_schema_input_type=str)]
TargetsSpec = Annotated[Spec, PlainValidator(_component("targets"), json_schema_input_type=str)]
UsersSpec = Annotated[Spec, PlainValidator(_component("users"), json_schema_input_type=str)]
AggregateSpec = Annotated[Spec, PlainValidator(_component("aggregate"), json_schema_input_type=str)]
TestSpec = Annotated[Spec, PlainValidator(_component("test"), json_schema_input_type=str)]
MetricList = Annotated[list[MeasuredAt], PlainValidator(_metrics, json_schema_input_type=list[str])]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False)


class Decisions(_Model):
    """The base assignment of every decision, A1 to D. Each key has a default, printed in every report."""

    filter: FilterChain = Field(Chain((Spec("none"),)), description="A1: which interactions take part.")
    split: SplitSpec = Field(Spec("random"), description="A2: which interactions teach and which test.")
    repeats: int = Field(
        1, ge=1, le=1000, strict=True, description="A2: how often the split is drawn anew; each draw has its own random stream."
    )
    targets: TargetsSpec = Field(Spec("ar"), description="Target items: what is ranked for each user.")
    nc: NcSpec = Field(Spec("drop"), description="B2: what becomes of items without a score.")
    ties: Ties = Field(
        "random",
        description="B2: order of equal scores: drawn for each pair from a named stream (random), or by item index.",
    )
    relevance: float | None = Field(
        None,
        strict=True,
        description="C2: lowest relevant rating; null is the upper quarter of the data set's scale, rounded up (4 on 1-5).",
    )
    users: UsersSpec = Field(Spec("with_ratings"), description="B1: who is averaged.")
    view: View = Field("full", description="C1: rankings of all targets (full), or of the judged ones among them (condensed).")
    aggregate: AggregateSpec = Field(Spec("mean"), description="C3: from users' values to a system's.")
    coverage: Coverage = Field("full", description="C4: users without a ranking count as zero (full), or are left out (reduced).")
    test: TestSpec = Field(Spec("t"), description="D: how two systems are compared.")
    correction: Correction = Field(
        "none",
        description=(
            "D: p-values of all pairs of a study by one metric are adjusted for their number by Holm's step-down procedure (holm), "
            "by that of Benjamini and Hochberg (bh), or not at all (none)."
        ),
    )


Vary = dict[str, tuple[Any, ...]]
Combine = Literal["one_at_a_time", "grid"]
Pairs = tuple[tuple[str, str], ...]


class Experiment(_Model):
    """A further experiment of a study, with a base design, variations and systems of its own."""

    dataset: str = Field(description="Label of the data set.")
    description: str = Field("", description="What the experiment asks, in a sentence or two.")
    design: dict[str, Any] = Field(default_factory=dict, description="What its base design takes otherwise than the study's.")
    systems: dict[str, RecommenderSpec] = Field(
        default_factory=dict, description="Label: recommender. The default, none, takes the systems of the study."
    )
    vary: Vary = Field(default_factory=dict, description="Decision: the options to try beside its base design's.")
    combine: Combine = Field("one_at_a_time", description="As of the study.")
    compare: Pairs | None = Field(None, description="Pairs of systems to compare, as of the study.")


_UNDER = "Decisions that the printed design takes otherwise than the base design; it must be among the designs of the study."


class Published(_Model):
    """A printed value to stand beside ours."""

    dataset: str = Field(description="Label of the data set.")
    system: str = Field(description="Label of the system.")
    metric: str = Field(description="Metric with its cut-off.")
    under: dict[str, Any] = Field(default_factory=dict, description=_UNDER)
    value: float = Field(description="The value as printed.")
    source: str = Field(description="Where it is printed: table, row.")
    note: str = Field("", description="What a reader should know of the difference: what was tried, and why it stays.")


class PublishedComparison(_Model):
    """A printed p-value to stand beside ours."""

    dataset: str = Field(description="Label of the data set.")
    system_a: str = Field(description="Label of a system.")
    system_b: str = Field(description="Label of the other system.")
    metric: str = Field(description="Metric with its cut-off.")
    under: dict[str, Any] = Field(default_factory=dict, description=_UNDER)
    p_value: float = Field(ge=0, le=1, description="The p-value as printed.")
    source: str = Field(description="Where it is printed: table, row.")


class Study(_Model):
    """A study: data sets, systems, one base assignment of every decision, what varies, and what to show."""

    title: str = Field(min_length=1, description="Heading of the report.")
    description: str = Field("", description="What the study asks, in a sentence or two; the first paragraph of the report.")
    seed: int = Field(0, ge=0, le=2**63 - 1, strict=True, description="Root of all random streams.")
    plugins: tuple[str, ...] = Field(
        (),
        description=(
            "Folders in which dotted names, such as mylab.models.Foo, are found; relative to the working directory. "
            "Their modules are imported, and so run, whenever the study is read, by a check too."
        ),
    )
    datasets: dict[str, DataSetSpec] = Field(min_length=1, description="Label: data set.")
    systems: dict[str, RecommenderSpec] = Field(
        min_length=1, description="Label: recommender. The labels appear in tables and figures, never in a path."
    )
    design: Decisions = Field(default_factory=Decisions, description="The base assignment of every decision.")
    vary: Vary = Field(default_factory=dict, description="Decision: the options to try beside the base design's.")
    combine: Combine = Field(
        "one_at_a_time",
        description="Whether varied decisions leave the base design one at a time, or in every combination with base options.",
    )
    metrics: MetricList = Field(description="Metrics with cut-offs: P@10, nDCG(gain=exp)@5,10.")
    compare: Pairs | None = Field(
        None, description="Pairs of systems to compare; the default, null, compares every pair, an empty list none."
    )
    experiments: dict[str, Experiment] = Field(
        default_factory=dict,
        description="Label: a further experiment with its own starting point; in tables its label stands where a data set's does.",
    )
    alpha: float = Field(0.05, gt=0, lt=1, description="Below this p-value a difference is called a win.")
    published: tuple[Published, ...] = Field((), description="Printed values to stand beside ours.")
    published_comparisons: tuple[PublishedComparison, ...] = Field((), description="Printed p-values to stand beside ours.")

    @model_validator(mode="before")
    @classmethod
    def _find_plugins(cls, content: Any) -> Any:
        # Dotted names are resolved while the keys are validated, so their folders must be known first.
        if isinstance(content, dict) and isinstance(content.get("plugins"), list):
            for folder in content["plugins"]:
                if not isinstance(folder, str) or not is_folder(folder):
                    raise ValueError(f"plugins: '{folder}' is not a folder (looked for it in {Path.cwd()})")
            plugins.add_paths(content["plugins"])
        return content

    @model_validator(mode="after")
    def _check(self) -> Study:
        self._check_experiments()
        self._check_published()
        own, *others = self.parts()
        own.check_part()
        for label, part in zip(self.experiments, others, strict=True):
            try:
                part.check_part()
            except ValueError as error:
                raise ValueError(f"experiments.{label}.{error}") from error
        return self

    def _check_experiments(self) -> None:
        for label, experiment in self.experiments.items():
            _check_label("experiments", label)
            _known(f"experiments.{label}.dataset", "dataset", experiment.dataset, self.datasets)
            if label in self.datasets:
                raise ValueError(f"experiments: '{label}' is the label of a data set")
            alike = [other for other in self.experiments if file_name(other) == file_name(label)]
            if len(alike) > 1:
                raise ValueError(f"experiments: the files of '{alike[0]}' and '{alike[1]}' would bear the same name")
            try:
                self.changed(experiment.design)
            except ValidationError as error:
                key = ".".join(map(str, error.errors()[0]["loc"]))
                raise ValueError(f"experiments.{label}.design.{key}: {reason(error.errors()[0], Decisions)}") from error

    def check_part(self) -> None:
        """Check what one experiment says of its labels, pairs and variations."""
        for kind, labels in (("datasets", self.datasets), ("systems", self.systems)):
            for label in labels:
                _check_label(kind, label)
        for spec in self.systems.values():
            alike = [label for label, other in self.systems.items() if str(other) == str(spec)]
            if len(alike) > 1:
                raise ValueError(f"systems: '{spec}' stands under two labels, '{alike[0]}' and '{alike[1]}'; keep one of them")
        self._check_pairs()
        self._check_vary()

    def _check_pairs(self) -> None:
        for pair in self.compare or ():
            for label in pair:
                _known("compare", "system", label, self.systems)
            if pair[0] == pair[1]:
                raise ValueError(f"compare: '{pair[0]}' is paired with itself")
        pairs = [frozenset(pair) for pair in self.compare or ()]
        twice = next((pair for place, pair in enumerate(pairs) if pair in pairs[:place]), ())
        if twice:
            raise ValueError(f"compare: the pair of {' and '.join(repr(label) for label in sorted(twice))} stands twice")

    def _check_published(self) -> None:
        shown = {measured.short for measured in self.metrics} | set(map(str, self.metrics))
        entries: list[tuple[str, str, str, tuple[str, ...]]] = [
            *(("published", p.dataset, p.metric, (p.system,)) for p in self.published),
            *(("published_comparisons", c.dataset, c.metric, (c.system_a, c.system_b)) for c in self.published_comparisons),
        ]
        parts = {label: part for part in self.parts() for label in part.datasets}
        for where, dataset, metric, labels in entries:
            _known(where, "dataset", dataset, parts)
            for label in labels:
                _known(where, "system", label, parts[dataset].systems)
            if len(set(labels)) < len(labels):
                raise ValueError(f"{where}: '{labels[0]}' is paired with itself")
            meant = list(map(str, parse_measured_at(metric)))
            if len(meant) > 1:
                raise ValueError(f"{where}: '{metric}' names {len(meant)} metrics, and a printed value is of one")
            if meant[0] not in set(map(str, self.metrics)):
                raise ValueError(f"{where}: '{metric}' is not among the metrics{nearest(metric, shown)}")
        for where, found in (("published", self.published), ("published_comparisons", self.published_comparisons)):
            for entry in found:
                parts[entry.dataset].check_printed(where, entry.under)

    def check_printed(self, where: str, under: Mapping[str, Any]) -> None:
        """Check that the design of a printed number is one of the designs."""
        try:
            printed = self.changed(under)
        except ValidationError as error:
            key = ".".join(map(str, error.errors()[0]["loc"]))
            raise ValueError(f"{where}.under.{key}: {reason(error.errors()[0], Decisions)}") from error
        if printed not in self.designs():
            written = ", ".join(f"{key}: {option}" for key, option in under.items())
            raise ValueError(f"{where}: no design of the study takes {written} and all else as the base; add it to 'vary'")

    def _check_vary(self) -> None:
        for decision, options in self.vary.items():
            _known("vary", "decision", decision, Decisions.model_fields)
            if not options:
                raise ValueError(f"vary.{decision}: no option given")
            if decision == "split" and (meant := _splits_of(list(options))):
                raise ValueError(f"vary.split: a split is written as text, not as a number: [{', '.join(meant)}].")
            for option in options:
                try:
                    Decisions.model_validate({decision: option})
                except ValidationError as error:
                    raise ValueError(f"vary.{decision}: {reason(error.errors()[0], Decisions)}") from error

    def parts(self) -> list[Study]:
        """List the experiments as studies of their own, that of the study's own design first."""
        alone = self.model_copy(update={"experiments": {}, **self._printed_of(self.datasets)})
        return [alone, *(self._part(label, experiment) for label, experiment in self.experiments.items())]

    def _part(self, label: str, experiment: Experiment) -> Study:
        return self.model_copy(
            update={
                "title": label,
                "description": experiment.description,
                "datasets": {label: self.datasets[experiment.dataset]},
                "systems": experiment.systems or self.systems,
                "design": self.changed(experiment.design),
                "vary": experiment.vary,
                "combine": experiment.combine,
                "compare": experiment.compare,
                "experiments": {},
                **self._printed_of([label]),
            }
        )

    def changed(self, options: Mapping[str, Any]) -> Decisions:
        """Return the base design with some decisions taken otherwise, as written in a study file."""
        # Validated alone: the study's own decisions are components already, not text.
        taken = Decisions.model_validate(options)
        return self.design.model_copy(update={key: getattr(taken, key) for key in options})

    def _printed_of(self, labels: Iterable[str]) -> dict[str, Any]:
        known = set(labels)
        return {
            "published": tuple(entry for entry in self.published if entry.dataset in known),
            "published_comparisons": tuple(entry for entry in self.published_comparisons if entry.dataset in known),
        }

    def dataset_of(self, label: str) -> str:
        """Return the label of the data set that a data set's or an experiment's label stands for."""
        return self.experiments[label].dataset if label in self.experiments else label

    def designs(self) -> list[Decisions]:
        """List the designs of the study's own experiment: the base first, then the variations in the file's order, each once."""
        options = {
            decision: [getattr(Decisions.model_validate({decision: o}), decision) for o in given]
            for decision, given in self.vary.items()
        }
        if self.combine == "grid":
            beside = [[getattr(self.design, decision), *given] for decision, given in options.items()]
            changes = [dict(zip(options, chosen, strict=True)) for chosen in product(*beside)]
        else:
            changes = [{decision: option} for decision, given in options.items() for option in given]
        return list(dict.fromkeys([self.design, *(self.design.model_copy(update=change) for change in changes)]))

    def figures(self) -> list[str]:
        """List the figures of the study's own experiment: one for each decision that really varies, by its key.

        ``systems`` where none does; ``designs``, the specification curve, where two systems meet under two designs or more.
        """
        designs = self.designs()
        varied = [key for key in self.vary if len({str(getattr(design, key)) for design in designs}) > 1]
        return [*(varied or ["systems"]), *(["designs"] if self.pairs() and len(designs) * len(self.metrics) > 1 else [])]

    def all_figures(self) -> dict[str, tuple[Study, str]]:
        """Return the experiment and the key of every figure, by file name; an experiment's begin with its label's letters."""
        own, *others = self.parts()
        found = {name: (own, name) for name in own.figures()}
        return found | {f"{file_name(part.title)}-{name}": (part, name) for part in others for name in part.figures()}

    def pairs(self) -> list[tuple[str, str]]:
        """List the pairs of systems to compare, by label."""
        labels = list(self.systems)
        return list(self.compare) if self.compare is not None else [(a, b) for i, a in enumerate(labels) for b in labels[i + 1 :]]


def file_name(label: str) -> str:
    """Return a label as a file name may hold it: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def _check_label(where: str, label: str) -> None:
    if not re.fullmatch(LABEL, label):
        raise ValueError(f"{where}: the label '{label}' may hold the letters a to z, digits, spaces and ._+()/- only")


def _known(where: str, what: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        raise ValueError(f"{where}: unknown {what} '{name}'{nearest(name, known) or '.'} Allowed: {', '.join(known)}")
