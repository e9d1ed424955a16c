"""A study run through the workflow's steps in one process, with which the Python interface is compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from recsens.metrics import ListMetric
from recsens.outcomes.counting import user_count_rows
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.summary import Outcomes
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Origin
from recsens.workflow.plan import Plan
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.filter import filter as filter_step
from recsens.workflow.steps.fit import fit
from recsens.workflow.steps.ingest import ingest
from recsens.workflow.steps.measure import measure
from recsens.workflow.steps.rank import RankingTask, rank
from recsens.workflow.steps.split import split
from recsens.workflow.steps.tune import tune

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Found:
    """The tables of a study as rows."""

    summary: Rows
    comparisons: Rows
    counted: Rows


def run_steps(study: Mapping[str, Any]) -> Found:
    """Run a study of one data set in the working directory."""
    Path("s.yaml").write_text(yaml.safe_dump(dict(study)), encoding="utf-8")
    plan = Plan("s.yaml")
    [source] = plan.sources.values()
    for ranking in plan.rankings.values():
        at, design = ranking.address, ranking.design
        origin = Origin(plan.study.seed, source.component.identity, ranking.fold.name)
        raw, kept = at.up_to("dataset").data, at.up_to("filter").data
        drawn, system = at.up_to("fold"), at.up_to("recommender")
        if not Path(raw.dataset).exists():
            spec, address = str(source.component.full_spec), str(source.address)
            ingest(files=list(map(str, source.files)), data=raw, spec=spec, address=address, origin=origin)
        if not Path(kept.dataset).exists():
            filter_step(data=raw, kept=kept, chain=str(design.filter), origin=origin)
        if not Path(drawn.roles).exists():
            split(data=kept, roles=drawn.roles, record=drawn.split_record, spec=str(design.split), origin=origin)
        fold = {"data": kept, "roles": drawn.roles, "origin": origin}
        spec = str(ranking.system)
        if not Path(system.model).exists():
            is_tuned = isinstance(Recommender.build(ranking.system), Tuned)
            if is_tuned:
                tune(**fold, spec=spec, outer=str(design.split), tuning=system.tuning, cost=system.cost("tune"))
            tuning = system.tuning if is_tuned else None
            fit(**fold, spec=spec, tuning=tuning, model=system.model, cost=system.cost("fit"))
        relevance = design.targets_address.get("relevance")
        chosen = RankingTask(spec, str(design.targets), relevance, str(design.nc), design.ties)
        rank(**fold, model=system.model, ranking=at.ranking, cost=at.cost("rank"), design=chosen)
    return _outcomes(plan)


def _outcomes(plan: Plan) -> Found:
    addresses = [ranking.address for ranking in plan.rankings.values()]
    seen = {"rankings": [at.measured for at in addresses], "cells": [plan.cells[folder] for folder in plan.rankings]}
    metrics = {measured.metric.spec.slug: measured.metric for measured in plan.study.metrics}
    depths = sorted({each.cutoff for each in plan.study.metrics if not each.is_whole})
    count_ratings(**seen, population="population.parquet", depths=depths)
    for slug, metric in metrics.items():
        measure(
            **seen,
            lists=[at.listed for at in addresses] if isinstance(metric, ListMetric) else [],
            measures=f"{slug}.parquet",
            metric=str(metric.spec),
            cutoffs=plan.cutoffs[slug],
            selections=[str(design.users) for designs in plan.designs.values() for design in designs[:1]],
        )
    measured = Measured.read({slug: f"{slug}.parquet" for slug in metrics}, "population.parquet")
    outcomes = Outcomes(plan.study, plan.addresses, measured)
    return Found(outcomes.summary(), outcomes.comparisons(), user_count_rows(outcomes))
