"""Compute what every effort of tuning would have chosen, and the verdict between such choices."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import PositionFiles
from recsens.errors import DesignError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.outcomes.effort import EffortOutcomes, SearchedSystem
from recsens.outcomes.measuring.stored_measures import user_columns
from recsens.outcomes.measuring.stored_rankings import Cell
from recsens.outcomes.measuring.trials import drawn_trials, ranked_candidates
from recsens.outcomes.panels import FoldMeasures
from recsens.outcomes.searches import RandomSearch
from recsens.outcomes.shared_panels import FoldFrame
from recsens.pipeline.in_memory import measure_in_memory
from recsens.pipeline.measuring import MetricTask, ranking_folder
from recsens.pipeline.table_files import write_rows
from recsens.plugins.specs import parse
from recsens.recommenders.tuned import Tuned
from recsens.study.design import Design
from recsens.study.designs import expand
from recsens.study.keys_by_step import load_part
from recsens.study.searched import metric_of_effort


class CandidateRankings(NamedTuple):
    """The rankings of a system on one fold: of every candidate of its search or, without a search, of the system itself."""

    label: str
    system: str
    search: str
    """The tuned recommender; empty if the system stays as written."""
    identity: str
    """The name of the data set in random streams."""


def effort(
    *,
    study: str,
    rankings: Sequence[PositionFiles],
    tunings: Sequence[str],
    ranked: Sequence[tuple[str, str, str, str]],
    user_tables: Sequence[str] = (),
    effort: str,
    searches: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of efforts by pair of systems, and the curves of the systems.

    ``ranked`` describes each of the ``rankings``: those of a system's folds follow each other. ``tunings`` are the records of the
    searches, in the same order.
    """
    asked = load_part(study, "effort", decisions)
    designs = {label: own[0] for label, own in expand(asked, {label: parse(spec) for label, spec in addresses.items()}).items()}
    tables = {str(Path(path).parent): path for path in user_tables}
    records = iter(tunings)
    pairs, systems = [], []
    listed = [(CandidateRankings(*each), files) for each, files in zip(ranked, rankings, strict=True)]
    for label, of_label in groupby(listed, key=lambda each: each[0].label):
        experiment, design = asked.by_label()[label], designs[label]
        measured = metric_of_effort(experiment)
        found, identity = {}, ""
        for system, own in groupby(of_label, key=lambda each: each[0].system):
            folds = [(each, files, next(records) if each.search else None) for each, files in own]
            found[system], identity = _read_search(folds, measured, design), folds[0][0].identity
        outcomes = EffortOutcomes(experiment, label, identity, design, measured, found, user_columns(design, tables))
        pairs += list(outcomes.of_pairs())
        systems += list(outcomes.of_systems())
    write_rows(effort, "effort", pairs)
    write_rows(searches, "searches", systems)


def _read_search(
    folds: Sequence[tuple[CandidateRankings, PositionFiles, str | None]], measured: MeasuredAt, design: Design
) -> SearchedSystem:
    """Read a system's search, and measure its candidates fold by fold; they have the same order on every fold."""
    if folds[0][2] is None:
        return SearchedSystem(
            "", RandomSearch.fixed(len(folds)), [_measure_candidates(files, 1, measured, design) for _, files, _ in folds]
        )
    tuned = Tuned.build(folds[0][0].search)
    drawn = list(map(str, drawn_trials(tuned, identity=folds[0][0].identity, seed=design.seed)))
    names = list(dict.fromkeys([str(tuned.inner.spec), *drawn]))
    sign = 1 if parse_measured_at(tuned.metric)[0].metric.higher_is_better else -1
    validation, values = [], []
    for _, files, record in folds:
        assert record is not None
        content = storage.read_json(record, schemas.TUNING)
        means = {trial["spec"]: trial["mean"] for trial in content["trials"]}
        places = {name: place for place, name in enumerate(ranked_candidates(content))}
        if names[0] not in places:
            problem = f"'{names[0]}' has no value on validation data, so no search can be compared with it"
            raise DesignError(problem, where=record, remedy="leave the effort out, or tune by another metric")
        own = _measure_candidates(files, len(places), measured, design)
        validation.append([np.nan if means.get(name) is None else sign * means[name] for name in names])
        # A candidate without a value is never chosen before the system as written, so its values do not matter.
        values.append([own[places.get(name, places[names[0]])] for name in names])
    return SearchedSystem(
        str(tuned.spec), RandomSearch(np.array(validation), np.array([names.index(name) for name in drawn])), values
    )


def _measure_candidates(files: PositionFiles, n_candidates: int, measured: MeasuredAt, design: Design) -> list[FoldMeasures]:
    """Measure users by every candidate whose rankings follow each other in some files."""
    task, slug = MetricTask(measured.metric, (measured.cutoff,)), measured.metric.spec.slug
    found = measure_in_memory({slug: task}, [files], (), [[(design.view, design.relevance)]], ())
    cell = Cell(ranking_folder(files), design.view, design.relevance)
    return [FoldFrame.read(part, cell, design.users).scores(measured) for part in found.divided(n_candidates)]
