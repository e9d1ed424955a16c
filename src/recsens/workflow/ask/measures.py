"""What the rules in ``measures.smk`` get: rankings, and how metrics read them."""

from recsens.artefacts.filesets import list_paths
from recsens.comparison.users import Users
from recsens.ranking.targets import Targets
from recsens.workflow.ask._components import Asked, Wildcards, metric_at, own_files_of
from recsens.workflow.code_digests import classes_of
from recsens.workflow.plan import Plan


def count_ratings(plan: Plan) -> Asked:
    """The files of every ranking, ranking by ranking, with the views and relevance thresholds under which each is measured.

    ``depths`` are the cut-offs of all metrics, as depths for coverage, if a design has a ranking for each rating. Otherwise there
    are none: then coverage follows from the lengths of users' rankings, and a new cut-off leaves the counts unchanged.
    """
    has_lists_only = all(Targets.build(design.targets).unit == "user" for design in plan.all_designs)
    cutoffs = {measured.cutoff for measured in plan.study.all_metrics() if not measured.is_whole}
    return {
        "rankings": list_paths(ranking.address.measured for ranking in plan.rankings.values()),
        "cells": [list(map(list, plan.cells[folder])) for folder in plan.rankings],
        "depths": [] if has_lists_only else sorted(cutoffs),
    }


def measure(plan: Plan, at: Wildcards) -> Asked:
    """The rankings that a metric measures, with the views and thresholds of each, as for `count_ratings`.

    Only list metrics read ``lists``, and only metrics of item columns ``item_tables``. A pooled metric has a value for each
    selection of users (B1) of any design. ``left_out`` are the pairs among ``cells`` under which the study does not measure the
    metric.
    """
    metric, folders = metric_at(plan, at), plan.measured_by[at.metric]
    addresses = [plan.rankings[folder].address for folder in folders]
    selections = list(dict.fromkeys(design.users for design in plan.all_designs)) if metric.unit == "pooled" else []
    reads_columns, unmeasured = bool(getattr(metric, "item_columns", ())), plan.left_out.get(at.metric, {})
    left_out = [[list(cell) for cell in plan.cells[each] if cell in unmeasured.get(each, ())] for each in folders]
    return {
        "rankings": list_paths(address.measured for address in addresses),
        "lists": list_paths(address.listed for address in addresses) if metric.reads == "lists" else [],
        "item_tables": sorted({each.up_to("filter").side.item_columns for each in addresses}) if reads_columns else [],
        "own_files": own_files_of([metric, *map(Users.build, selections)]),
        "metric": str(metric.full_spec),
        "cutoffs": list(plan.cutoffs[at.metric]),
        "cells": [list(map(list, plan.cells[folder])) for folder in folders],
        "left_out": left_out if unmeasured else [],
        "selections": list(map(str, selections)),
        "classes": classes_of([("metric", metric.spec), *(("users", spec) for spec in selections)]),
    }
