"""What the rules that write tables about the base designs get: overlap, data, splits, tuning, predictions, matches and costs."""

from collections.abc import Callable

from recsens import plugins
from recsens.artefacts.filesets import list_paths
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.study.design import Design, in_full
from recsens.study.designs import folds
from recsens.vocabulary import LIST_DEPTH
from recsens.workflow.ask._components import Asked, base_rankings, page_templates
from recsens.workflow.plan import Plan


def overlap(plan: Plan) -> Asked:
    """The top lists under the base designs in which users have lists.

    Each of the ``groups`` is a comparison of lists: label, fold, systems, pairs of systems and cut-offs; its systems have one file
    of ``lists`` each.
    """
    groups, lists = [], []
    for label, experiment in plan.study.by_label().items():
        design = plan.designs[label][0]
        if Targets.build(design.targets).unit == "user":
            for fold in folds(design):
                pairs = list(map(list, experiment.pairs()))
                # The cut-offs are the depth to which lists are stored, and the experiment's own (10 if it has none) up to there.
                shallow = {measured.cutoff for measured in experiment.metrics if measured.cutoff <= LIST_DEPTH}
                groups.append((label, fold.name, list(experiment.systems), pairs, sorted({*(shallow or {10}), LIST_DEPTH})))
                lists += [design.ranking_address(fold, spec).ranking.lists for spec in experiment.systems.values()]
    return {"lists": lists, "groups": groups}


def describe_datasets(plan: Plan) -> Asked:
    """The data sets after the base designs' filters, with label and relevance threshold, and the filters of every chain."""
    chains = {design.filter.slug: design.filter for design in plan.all_designs}
    return {
        "data": list_paths(address.data for address in plan.filtered.values()),
        "filtered": list(dict.fromkeys(ranking.address.measured.dataset for ranking in plan.rankings.values())),
        "labels": list(plan.filtered),
        "relevances": [designs[0].relevance for designs in plan.designs.values()],
        # As the study writes them and in full, by the chain's folder name.
        "chains": {slug: [(link.written, in_full("filter", link)) for link in each] for slug, each in chains.items()},
    }


def describe_splits(plan: Plan) -> Asked:
    """The record of every fold and of every check of target items, each with its label, and the table cells for options."""
    splits, checks = plan.splits, plan.checks
    return {
        "records": [fold.split_record for fold in splits],
        "labels": list(splits.values()),
        "checks": list(checks),
        "check_labels": list(checks.values()),
        "options": _option_cells(plan),
    }


def describe_tuning(plan: Plan) -> Asked:
    """The record of every tuning with the labels of its data set and system, and metrics as written, by their full names."""
    return {
        "records": list(plan.tunings),
        "labels": list(plan.tunings.values()),
        "options": _option_cells(plan),
        "metrics": {str(measured): measured.written for measured in plan.study.all_metrics()},
    }


def _option_cells(plan: Plan) -> dict[str, dict[str, dict[str, str | int]]]:
    """Table cells for options, by decision and by the option's name in records of data and target items."""
    named: dict[str, Callable[[Design], str]] = {
        "filter": lambda design: design.filter.slug,
        "split": lambda design: plugins.address("split", design.split).slug,
        "targets": lambda design: in_full("targets", design.targets),
        "users": lambda design: str(design.users),
    }
    return {key: {name(design): design.cells(key) for design in plan.all_designs} for key, name in named.items()}


def describe_predictions(plan: Plan) -> Asked:
    """The rankings with predicted ratings to measure, each with its data set or experiment, fold and system."""
    metrics = {label: experiment.metrics for label, experiment in plan.study.by_label().items()}
    reading = {label for label, measured in metrics.items() if any(each.metric.reads == "predictions" for each in measured)}
    predicted = [each for each in base_rankings(plan) if each[0] in reading]
    return {
        "rankings": list_paths(ranked.address.measured for *_, ranked in predicted),
        "labels": [(label, ranked.fold.name, system) for label, system, ranked in predicted],
    }


def describe_matches(plan: Plan) -> Asked:
    """The model and the counts of users of every system that reads its scores from files: data set or experiment, fold, system."""
    matched = [each for each in base_rankings(plan) if Recommender.build(each[-1].system).score_files is not None]
    return {
        "models": [plan.fitted_at(ranked.address.up_to("recommender")).model for *_, ranked in matched],
        "users": [ranked.address.ranking.users for *_, ranked in matched],
        "labels": [(label, ranked.fold.name, system) for label, system, ranked in matched],
    }


def costs(plan: Plan) -> Asked:
    """The cost records of every system; each of the ``systems`` has data set or experiment, system, fold and number of records."""
    records, systems = [], []
    for label, system, ranked in base_rankings(plan):
        recommender, at = Recommender.build(ranked.system), ranked.address
        paths = [at.cost("rank")]
        if not recommender.is_trivial:
            paths.append(plan.fitted_at(at.up_to("recommender")).cost("fit"))
        if isinstance(recommender, Tuned):
            paths.append(at.up_to("recommender").cost("tune"))
        records += paths
        systems.append((label, system, ranked.fold.name, len(paths)))
    return {"records": records, "systems": systems, "quoted": page_templates()}
