"""The components that a job's wildcards name, and the parameters of rules that depend on these components."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from recsens import plugins
from recsens.artefacts.addresses import Address
from recsens.artefacts.statements import digest_of
from recsens.data.filtering import Filter
from recsens.data.splitting import Splitter
from recsens.errors import SpecError
from recsens.metrics import Metric
from recsens.plugins import Plugin
from recsens.plugins.own import is_own
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.seeds import Origin
from recsens.workflow.ask._wildcards import CONSTRAINTS, Wildcards
from recsens.workflow.code_digests import classes_of, own_sources, step_code
from recsens.workflow.job_inputs import NO_RESULTS
from recsens.workflow.plan import Plan

Classes = Callable[[Wildcards], frozenset[type[Plugin]]]
"""A function from a job's wildcards to the classes of some components that the job names."""

Quoted = Callable[[frozenset[type[Plugin]]], tuple[Path, ...]]
"""A function from the classes on which a job's result depends to the files that the job quotes word for word."""

OfJob = Callable[[Wildcards], Any]
"""A function from a job's wildcards to an answer."""


def own_files_of(components: Iterable[Plugin]) -> list[str]:
    """List the user's own files that components, or components inside them, read."""
    named = [inner for component in components for inner in (component, *_within(component))]
    return list(dict.fromkeys(str(file) for inner in named for file in inner.own_files()))


def _within(component: Plugin) -> Iterator[Plugin]:
    return (plugins.build(kind, spec) for kind, spec in component.nested())


class Components:
    """Answers for rules of several stages.

    Snakemake calls functions of ``wildcards``, and of the ``input`` files, for each job, and notices when their values change.
    """

    constraints: Mapping[str, str] = CONSTRAINTS

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @property
    def name(self) -> str:
        """Name of the study, which is also the name of the folder with its own results."""
        return self.plan.name

    # What results depend on

    def code(
        self, step: str, classes: Classes | None = None, *, built: Classes | None = None, quoted: Quoted | None = None
    ) -> dict[str, OfJob]:
        """Return the parameters about code that every rule has, as functions of wildcards.

        ``code`` is the digest of the step's code, of the classes that its result depends on, and of the files that it quotes.
        ``plugins`` are the study's folders of plug-ins. It is empty unless the job builds a user's own class, because other jobs do
        not depend on where such classes are. ``plugin_files`` are the files of these classes with their digests: a job must not run
        with any other version of the files. The job builds the classes ``classes``, or ``built`` if it builds more than its result
        depends on.
        """

        @cache
        def classes_at(values: tuple[tuple[str, str], ...]) -> tuple[frozenset[type[Plugin]], frozenset[type[Plugin]]]:
            wildcards: Any = SimpleNamespace(**dict(values))
            counted = frozenset() if classes is None else classes(wildcards)
            built_classes = counted if built is None else built(wildcards)
            return counted, frozenset(plugin for plugin in built_classes if is_own(plugin.__module__.partition(".")[0]))

        def code(wildcards: Any) -> str:
            counted, _ = classes_at(tuple(wildcards.items()))
            return step_code(step, counted, quoted=() if quoted is None else quoted(counted))

        def folders(wildcards: Any) -> tuple[str, ...]:
            return self.plan.study.plugins if classes_at(tuple(wildcards.items()))[1] else ()

        def files(wildcards: Any) -> dict[str, str]:
            return own_sources(classes_at(tuple(wildcards.items()))[1])

        return {"plugins": folders, "plugin_files": files, "code": code}

    def own_digests(self, _: Wildcards, input: Any) -> list[str]:  # noqa: A002 - Snakemake calls it so
        """The SHA-256 of each of the user's own files that a job reads."""
        return [self.plan.digest_of(Path(file)) for file in input.own_files]

    def order(self, _: Wildcards, input: Any) -> str:  # noqa: A002 - Snakemake calls it so
        """A digest of the order of a job's input results; the order matters, because labels refer to files by position.

        This order is recorded nowhere else, neither by Snakemake nor in statements.
        """
        return digest_of({name: files for name, files in input.items() if name not in NO_RESULTS})

    def origin(self, wildcards: Wildcards) -> dict[str, Any]:
        """The names of a job's random streams: seed, data set and fold."""
        component = self.plan.source_at(wildcards.dataset).component
        return Origin(int(wildcards.seed), component.identity, getattr(wildcards, "fold", ""))._asdict()

    # The components that a job's wildcards name, by kind

    def spec(self, kind: str) -> Callable[[Wildcards], str]:
        """Return a function that writes a component, or a chain of filters, with every parameter."""
        return lambda wildcards: "+".join(str(component.full_spec) for component in self.components(kind, wildcards))

    def own_files(self, *kinds: str) -> Callable[[Wildcards], list[str]]:
        """Return a function that lists the user's own files that some components read."""
        return lambda wildcards: own_files_of(chain.from_iterable(self.components(kind, wildcards) for kind in kinds))

    def classes(self, kind: str) -> Classes:
        """Return a function that returns the classes of components and of the components inside them."""
        return lambda wildcards: classes_of((kind, component.spec) for component in self.components(kind, wildcards))

    def components(self, kind: str, wildcards: Wildcards) -> list[Plugin]:
        """Build the component of a kind, or the chain of filters."""
        if kind == "filter":
            return [Filter.build(link) for link in self.plan.filter_at(wildcards.filter)]
        return [self.component(kind, wildcards)]

    def component(self, kind: str, wildcards: Wildcards) -> Plugin:
        """Build the component of a kind that the wildcards name."""
        match kind:
            case "dataset":
                return self.plan.source_at(wildcards.dataset).component
            case "recommender":
                return self.recommender(wildcards)
            case "targets":
                return Targets.build(self.plan.targets_at(wildcards.targets)[0])
            case "metric":
                return self.metric(wildcards)
            case _:
                return plugins.build(kind, self.plan.component_at(kind, getattr(wildcards, kind)))

    def recommender(self, wildcards: Wildcards) -> Recommender:
        """Build the recommender that the wildcards name."""
        return Recommender.build(self.plan.system_at(self.system(wildcards)))

    def metric(self, wildcards: Wildcards) -> Metric:
        """Build the metric that the wildcards name."""
        self.refuse_unmeasured(wildcards)
        return Metric.build(self.plan.metric_texts[wildcards.metric])

    def refuse_unmeasured(self, wildcards: Wildcards) -> None:
        """Raise SpecError if the study does not measure the metric named by the wildcards."""
        if wildcards.metric not in self.plan.metric_texts:
            raise SpecError(
                f"the study does not measure '{wildcards.metric}'",
                where=f"{self.plan.folder}/measures/metric/{wildcards.metric}.parquet",
                allowed=f"{', '.join(self.plan.metric_texts)}; a metric's file holds all of its cut-offs",
                remedy="name one of these, add the metric to the study, or write your own files to another folder",
            )

    def system(self, wildcards: Wildcards) -> Address:
        """The address of the fitted system that the wildcards name."""
        w = wildcards
        return Address.of(int(w.seed), w.dataset) / w.filter / w.split / w.fold / w.recommender

    def is_tested_on_truth(self, wildcards: Wildcards) -> bool:
        """Whether the test set of the split is the data set's complete relevance."""
        return Splitter.build(self.plan.component_at("split", wildcards.split)).tests_truth
