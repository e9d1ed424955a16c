"""The list of tables that a paper may need from a study, which is known before anything is computed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from recsens.conclusions.design_space import base_designs, planned_options
from recsens.conclusions.verdicts.components import built, is_by_rating, ranks_systems
from recsens.recommenders.tuned import Tuned
from recsens.study import Experiment, Study, file_name
from recsens.study.taxonomy import decision

OfDataSet = Literal["scores", "descriptive", "averaged", "comparisons", "coverage", "overlap", "tuning"]
"""The kinds of content of a table of one data set."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of a whole study.

    Attributes
    ----------
    name
        The name of the table's files, in lower-case letters, digits and hyphens. Names depend only on the study, not on its
        results. Of a table of a whole study, it says what the table shows.
    """

    name: str


@dataclass(frozen=True, slots=True)
class DataSetTable:
    """A table about one data set.

    Attributes
    ----------
    name
        As in `PaperTable`.
    shows
        The kind of content.
    part, label
        The experiment, and the data set's label.
    designs
        Key of the set of designs that the table compares; empty for the base design.
    system
        The tuned system that the table is about; empty for all systems.
    """

    name: str
    shows: OfDataSet
    part: Experiment
    label: str
    designs: str = ""
    system: str = ""


def paper_tables(study: Study) -> list[PaperTable | DataSetTable]:
    """List every table that a paper may need, in the order of the report."""
    names = unique_names(label for part in study.all_experiments() for label in part.datasets)
    of_data_sets = [
        table for part in study.all_experiments() for label in part.datasets for table in _label_tables(part, label, names[label])
    ]
    return [*map(PaperTable, _before(study)), *of_data_sets, *map(PaperTable, _beside_print(study))]


def unique_names(labels: Iterable[str]) -> dict[str, str]:
    """Return a unique file name for each label."""
    names: dict[str, str] = {}
    for label in labels:
        name, number = file_name(label), 2
        while name in names.values():
            name, number = f"{file_name(label)}-{number}", number + 1
        names[label] = name
    return names


def ranking_metrics(part: Experiment) -> list[str]:
    """List an experiment's metrics that rank systems."""
    return [str(metric) for metric in part.metrics if ranks_systems(str(metric))]


def _before(study: Study) -> Iterator[str]:
    if study.all_claims:
        yield "claims"
    if study.meta:
        yield "metric-ranking"
    parts = study.all_experiments()
    if any(part.pairs() and len(part.designs()) * len(ranking_metrics(part)) > 1 for part in parts):
        yield from ("flips", "robustness", "same-numbers")
    if study.own.families:
        yield from ("over-datasets", "over-datasets-order")
        if study.own.effort:
            yield "over-datasets-effort"
    yield "datasets"
    if any(str(link) != "none" for part in parts for design in part.designs() for link in design.filter):
        yield "filters"


def _beside_print(study: Study) -> Iterator[str]:
    if study.published:
        yield from ("published-scores", "published-order")
    if study.published_comparisons:
        yield "published-p"


def _label_tables(part: Experiment, label: str, name: str) -> Iterator[DataSetTable]:
    sets = ["", *_set_keys(part)]
    for shows in _score_tables(part):
        yield from (DataSetTable(_table_name(shows, key, name), shows, part, label, key) for key in sets)
    yield from (DataSetTable(_table_name("averaged", key, name), "averaged", part, label, key) for key in sets)
    if part.pairs():
        yield DataSetTable(f"comparisons-{name}", "comparisons", part, label)
    yield DataSetTable(f"coverage-{name}", "coverage", part, label)
    if part.pairs() and not is_by_rating(next(iter(base_designs(part).values()))):
        yield DataSetTable(f"overlap-{name}", "overlap", part, label)
    tuned = [system for system, spec in part.systems.items() if isinstance(built("recommender", spec), Tuned)]
    for system, system_name in unique_names(tuned).items():
        yield DataSetTable(f"tuning-{system_name}-{name}", "tuning", part, label, system=system)


def _score_tables(part: Experiment) -> Iterator[OfDataSet]:
    """Yield separate tables for metrics that rank systems, and for metrics without a better direction."""
    n_ranking = len(ranking_metrics(part))
    if n_ranking:
        yield "scores"
    if n_ranking < len(part.metrics):
        yield "descriptive"


def _table_name(shows: OfDataSet, key: str, name: str) -> str:
    return f"{shows}-by-{key}-{name}" if key else f"{shows}-{name}"


def _set_keys(part: Experiment) -> list[str]:
    """List the keys of `design_sets`; this needs no results."""
    if part.combine == "grid" and len(part.vary) > 1:
        return ["grid"]
    return [key for key in part.vary if len(planned_options(part, decision(key))) > 1]
