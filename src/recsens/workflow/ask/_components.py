"""The wildcards of the workflow's rules, and the components of a study that a job's wildcards name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from recsens import plugins
from recsens.artefacts.addresses import ASKED, GRAMMAR, SHARD, Address, Fold
from recsens.data.splitting import Splitter
from recsens.errors import SpecError
from recsens.metrics import Metric
from recsens.plugins import Plugin
from recsens.plugins.specs import SLUG
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.report import html
from recsens.seeds import Origin
from recsens.study import Experiment
from recsens.study.design import Design
from recsens.study.designs import folds
from recsens.workflow.plan import Plan, Ranking

CONSTRAINTS: Mapping[str, str] = {
    **GRAMMAR,
    "check": ASKED,
    "shard": SHARD,
    "metric": SLUG,
    "figure": "[a-z0-9_-]+",
    **dict.fromkeys(("analysis", "label"), "[a-z0-9-]+"),
}
"""Regular expression of each wildcard."""

PROGRAMS = r"program(?:[@+][^/]+)?"
"""Regular expression of recommenders that are other programs."""

Asked = dict[str, Any]
"""What a rule gets for a job, by the name of the input or parameter; ``classes``, ``built`` and ``quoted`` concern its code."""

Classes = frozenset[type[Plugin]]


class Wildcards(Protocol):
    """A job's wildcards by name; a rule has only the wildcards in its file names."""

    def __getattr__(self, name: str) -> str: ...


def own_files_of(components: Iterable[Plugin]) -> list[str]:
    """List the user's own files that components, or components inside them, read."""
    named = [inner for component in components for inner in (component, *(plugins.build(*each) for each in component.nested()))]
    return list(dict.fromkeys(str(file) for inner in named for file in inner.own_files()))


def origin_of(plan: Plan, at: Wildcards) -> dict[str, Any]:
    """Return the names of a job's random streams: seed, data set and fold."""
    component = plan.source_at(at.dataset).component
    fit = system_at(at).fit if hasattr(at, "recommender") else 0
    return Origin(int(at.seed), component.identity, getattr(at, "fold", ""), fit).named


def splitter_at(plan: Plan, at: Wildcards) -> Splitter:
    """Build the split that the wildcards name."""
    return Splitter.build(plan.component_at("split", at.split))


def system_at(at: Wildcards) -> Address:
    """Return the address of the fitted system that the wildcards name."""
    address: Address = Address.of(int(at.seed), at.dataset) / at.filter / at.split / at.fold / at.recommender
    return address


def recommender_at(plan: Plan, at: Wildcards) -> Recommender:
    """Build the recommender that the wildcards name."""
    return Recommender.build(plan.system_at(system_at(at)))


def targets_at(plan: Plan, at: Wildcards) -> Targets:
    """Build the target items that the wildcards name."""
    return Targets.build(plan.targets_at(at.targets)[0])


def metric_at(plan: Plan, at: Wildcards) -> Metric:
    """Build the metric that the wildcards name.

    Raises
    ------
    SpecError
        If the study does not measure the metric.
    """
    if at.metric not in plan.metric_texts:
        raise SpecError(
            f"the study does not measure '{at.metric}'",
            where=f"{plan.folder}/measures/metric/{at.metric}.parquet",
            allowed=f"{', '.join(plan.metric_texts)}; a metric's file holds all of its cut-offs",
            remedy="name one of these, add the metric to the study, or write your own files to another folder",
        )
    return Metric.build(plan.metric_texts[at.metric])


def base_rankings(
    plan: Plan, shown: Experiment | None = None, folds_of: Callable[[Design], Iterable[Fold]] = folds
) -> Iterator[tuple[str, str, Ranking]]:
    """Yield label, system and ranking under the base designs of the whole study or of one experiment, data set by data set."""
    labelled = plan.study.by_label() if shown is None else dict.fromkeys(shown.datasets, shown)
    for label, experiment in labelled.items():
        design = plan.designs[label][0]
        for system, spec in experiment.systems.items():
            for fold in folds_of(design):
                yield label, system, Ranking(design.ranking_address(fold, spec), label, fold, spec, design)


def page_templates() -> tuple[Path, ...]:
    """List the templates, styles and scripts of HTML pages."""
    return tuple(sorted(path for path in Path(html.__file__).parent.rglob("*") if path.suffix in {".jinja", ".css", ".js"}))
