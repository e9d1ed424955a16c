"""The components that a job's wildcards name."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from recsens import plugins
from recsens.artefacts.addresses import Address
from recsens.data.filtering import Filter
from recsens.data.splitting import Splitter
from recsens.errors import SpecError
from recsens.metrics import Metric
from recsens.plugins import Plugin
from recsens.plugins.own import is_own
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.seeds import Origin
from recsens.study.design import Design
from recsens.workflow.code_digests import step_code
from recsens.workflow.plan import Plan
from recsens.workflow.wiring._rule import Rule, Wildcards

Classes = Callable[[Wildcards], frozenset[type[Plugin]]]
"""The classes of some components that a job names, by wildcards."""


def own_files_of(components: Iterable[Plugin]) -> list[str]:
    """List the user's own files that components, or those within them, read."""
    named = [each for component in components for each in (component, *_within(component))]
    return list(dict.fromkeys(str(file) for each in named for file in each.own_files()))


def _within(component: Plugin) -> Iterator[Plugin]:
    return (plugins.build(kind, spec) for kind, spec in component.nested())


class Wiring(ABC):
    """The rules of one stage of a study.

    Snakemake evaluates functions that take only ``wildcards`` for each job, and tracks changes of their values.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """Every rule of this stage."""

    def coded(
        self, step: str, classes: Classes, *, built: Classes | None = None
    ) -> dict[str, Callable[[Wildcards], str | tuple[str, ...]]]:
        """Return the parameters of every rule that names components, as functions of wildcards.

        ``code`` is the digest of the code of the step and of the classes that its result depends on. ``plugins`` are the study's
        folders of plug-ins, empty unless a class that the job builds is the user's own: where own classes lie matters to no other
        job. The classes built are those of ``classes``, or of ``built`` where the job builds more than its result depends on.
        """

        def code(wildcards: Wildcards) -> str:
            return step_code(step, classes(wildcards))

        def folders(wildcards: Wildcards) -> tuple[str, ...]:
            given = (built or classes)(wildcards)
            return self.plan.study.plugins if any(is_own(each.__module__.partition(".")[0]) for each in given) else ()

        return {"plugins": folders, "code": code}

    def origin(self, wildcards: Wildcards) -> dict[str, Any]:
        """What names the job's random streams."""
        component = self.plan.source_at(wildcards.dataset).component
        return Origin(int(wildcards.seed), component.identity, getattr(wildcards, "fold", ""))._asdict()

    def spec(self, kind: str) -> Callable[[Wildcards], str]:
        """Return a function that gives the component of a kind, with every parameter, by wildcards."""

        def spec(wildcards: Wildcards) -> str:
            return str(self.component(kind, wildcards).full_spec)

        return spec

    def own_files(self, kind: str) -> Callable[[Wildcards], list[str]]:
        """Return a function that gives the user's own files that the component of a kind, or one within it, reads."""

        def files(wildcards: Wildcards) -> list[str]:
            return own_files_of([self.component(kind, wildcards)])

        return files

    def truth_read(self, wildcards: Wildcards) -> list[str]:
        """The complete relevance of the data set, if the split is judged by it."""
        split = Splitter.build(self.plan.component_at("split", wildcards.split))
        return [(Address.of(int(wildcards.seed), wildcards.dataset)).truth] if split.tests_truth else []

    @staticmethod
    def side_of(wildcards: Wildcards) -> list[str]:
        """What is known of the users and items of the filtered data set that the wildcards name."""
        return list((Address.of(int(wildcards.seed), wildcards.dataset) / wildcards.filter).side)

    def digests_of(self, files: Callable[[Wildcards], list[str]]) -> Callable[[Wildcards], list[str]]:
        """Return a function that gives the SHA-256 of each of the files that ``files`` gives, by wildcards."""

        def digests(wildcards: Wildcards) -> list[str]:
            return [self.plan.digest_of(Path(file)) for file in files(wildcards)]

        return digests

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

    def filters(self, wildcards: Wildcards) -> list[Filter]:
        """Build the chain of filters that the wildcards name."""
        return [Filter.build(link) for link in self.plan.filter_at(wildcards.filter)]

    def recommender(self, wildcards: Wildcards) -> Recommender:
        """Build the recommender that the wildcards name."""
        return Recommender.build(self.plan.system_at(self.system(wildcards)))

    def metric(self, wildcards: Wildcards) -> Metric:
        """Build the metric that the wildcards name.

        Raises SpecError if the study does not measure it.
        """
        if wildcards.metric not in self.plan.metric_texts:
            raise SpecError(f"the study does not measure '{wildcards.metric}'", allowed=", ".join(self.plan.metric_texts))
        return Metric.build(self.plan.metric_texts[wildcards.metric])

    def system(self, wildcards: Wildcards) -> Address:
        """Address of the fitted system that the wildcards name."""
        w = wildcards
        return Address.of(int(w.seed), w.dataset) / w.filter / w.split / w.fold / w.recommender

    @property
    def designs(self) -> list[Design]:
        """Every design of the study."""
        return [design for designs in self.plan.designs.values() for design in designs]
