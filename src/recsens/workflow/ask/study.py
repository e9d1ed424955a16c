"""What the rules get that read outcomes of all designs, draw figures or write the report; and facts about the whole study."""

from collections.abc import Collection, Iterable
from inspect import getfile
from itertools import chain
from pathlib import Path

from recsens import plugins
from recsens.artefacts.filesets import list_paths
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.groups import Grouping
from recsens.errors import SpecError
from recsens.outcomes.measuring.tied import depends_on_ties
from recsens.outcomes.unrated import has_unrated
from recsens.plugins import Plugin
from recsens.plugins.specs import Spec, parse
from recsens.study.designs import fitted, folds
from recsens.study.experiment import QUESTIONS, tables_of
from recsens.study.taxonomy import Stage
from recsens.workflow.ask._components import Asked, Classes, Wildcards, base_rankings, own_files_of, page_templates
from recsens.workflow.ask.tables import describe_matches, describe_predictions
from recsens.workflow.code_digests import classes_of
from recsens.workflow.plan import Plan


def study(plan: Plan) -> Asked:
    """The files of metrics and figures by their names, the tables that a study may lack, and the complete relevance of its data."""
    sources = plan.sources.items()
    some = {
        "truth": plan.study.reference is not None,
        "claims": bool(plan.study.all_claims),
        "findings": bool(plan.study.meta),
        "tuning": bool(plan.tunings),
        **dict.fromkeys(tables_of(plan.study.all_experiments()), True),
        "predictions": bool(describe_predictions(plan)["labels"]),
        "matched": bool(describe_matches(plan)["labels"]),
    }
    return {
        "metrics": list(plan.cutoffs),
        "figures": list(plan.study.all_figures()),
        # In the order in which the report offers them.
        "further_tables": _table_files(plan, (name for name, is_made in some.items() if is_made)),
        "has_score_files": some["matched"],
        "has_reference": some["truth"],
        "truths": [plan.designs[label][0].dataset_address.truth for label, source in sources if source.component.has_truth],
    }


def summarise(plan: Plan) -> Asked:
    """The tables of users by which designs weight users, the spec in each data set's folder name, and the user's own files."""
    return _outcome_inputs(plan, "aggregate", "test")


def count_users(plan: Plan) -> Asked:
    """As for `summarise`, without what only tests read."""
    return _outcome_inputs(plan, "aggregate")


def compare(plan: Plan) -> Asked:
    """As for `summarise`, with the users of data sets that designs filter differently: each filter numbers users anew."""
    by_label = [{design.filter_address for design in designs} for designs in plan.designs.values()]
    user_ids = sorted({address.data.user_ids for filtered in by_label if len(filtered) > 1 for address in filtered})
    return {**_outcome_inputs(plan, "aggregate", "test"), "user_ids": user_ids}


multiverse = components = compare


def over_datasets(plan: Plan) -> Asked:
    """As for `compare`, with the classes of the data sets, which name their families."""
    asked = compare(plan)
    return {**asked, "classes": asked["classes"] | classes_of(("dataset", spec) for spec in plan.study.datasets.values())}


def describe_ties(plan: Plan) -> Asked:
    """As for `count_users`, with the files of every ranking under the base designs, system by system and fold by fold."""
    outcomes = _outcome_inputs(plan, "aggregate")
    tied = (measured.metric for measured in plan.study.all_metrics() if depends_on_ties(measured.metric))
    return {
        **outcomes,
        "rankings": list_paths(ranked.address.measured for *_, ranked in base_rankings(plan, folds_of=fitted)),
        "own_files": list(dict.fromkeys([*own_files_of(tied), *outcomes["own_files"]])),
    }


def _outcome_inputs(plan: Plan, *stages: Stage) -> Asked:
    weighted = [design for design in plan.all_designs if Aggregate.build(design.aggregate).user_columns]
    read = list(dict.fromkeys(chain.from_iterable(design.components(*stages) for design in plan.all_designs)))
    return {
        "user_tables": sorted({design.filter_address.side.user_columns for design in weighted}),
        # Files of target items need not be read again, because the rankings already depend on them.
        "own_files": own_files_of(plugins.build(kind, spec) for kind, spec in read if kind != "targets"),
        "addresses": {label: str(address) for label, address in plan.addresses.items()},
        "classes": classes_of([*read, *_metric_specs(plan), *_system_specs(plan)]),
    }


def effort(plan: Plan) -> Asked:
    """The rankings of all candidates of searches, system by system and fold by fold; of other systems, their own rankings.

    Each of the ``ranked`` has the labels of data set and system, the search, and the data set's name in random streams.
    """
    searched = plan.searches
    files = [
        each.address.measured if each.search is None else (*each.address.trials, each.address.measured.dataset) for each in searched
    ]
    identities = {each.label: plan.sources[plan.study.dataset_of(each.label)].component.identity for each in searched}
    return {
        **_outcome_inputs(plan, "aggregate", "test"),
        "rankings": list_paths(files),
        "tunings": [each.address.up_to("recommender").tuning for each in searched if each.search is not None],
        "ranked": [(each.label, each.system, str(each.search or ""), identities[each.label]) for each in searched],
    }


def unrated(plan: Plan) -> Asked:
    """As for `compare`, with the positions and lists of every ranking whose lists hold unrated items."""
    systems = {label: experiment.systems.values() for label, experiment in plan.study.by_label().items()}
    labelled = ((label, design) for label, designs in plan.designs.items() for design in designs if has_unrated(design))
    open_ = [design.ranking_address(fold, spec) for label, design in labelled for fold in fitted(design) for spec in systems[label]]
    addresses = list(dict.fromkeys(open_)) if plan.study.tipping else []
    return {
        **compare(plan),
        "rankings": list_paths(address.measured for address in addresses),
        "lists": [address.ranking.lists for address in addresses],
    }


def compare_groups(plan: Plan) -> Asked:
    """As for `compare`, with the data, side tables and folds from which groups are made, and the rankings for groups of items.

    Each of the ``labels``, of a data set or experiment, has its own data and the given number of roles, one for each fold and fit.
    """
    groupings = [Grouping.build(spec) for spec in plan.study.groups]
    bases = {label: designs[0] for label, designs in plan.designs.items()} if groupings else {}
    on_folds = {label: [design.fold_address(fold).roles for fold in fitted(design)] for label, design in bases.items()}
    is_by_item = any(grouping.side == "items" for grouping in groupings)
    ranked = [address.address for *_, address in base_rankings(plan, folds_of=fitted)] if is_by_item else []
    asked = compare(plan)
    return {
        **asked,
        "data": list_paths(design.filter_address.data for design in bases.values()),
        "side": list_paths(design.filter_address.side for design in bases.values()),
        "roles": list(chain.from_iterable(on_folds.values())),
        "labels": [(label, len(paths)) for label, paths in on_folds.items()],
        "rankings": list_paths(dict.fromkeys(address.measured for address in ranked)),
        "own_files": list(dict.fromkeys([*own_files_of(groupings), *asked["own_files"]])),
        "classes": asked["classes"] | classes_of(("group", spec) for spec in plan.study.groups),
    }


def decide_winners(plan: Plan) -> Asked:
    """The classes of the metrics and systems."""
    return {"classes": classes_of([*_metric_specs(plan), *_system_specs(plan)])}


def claims(plan: Plan) -> Asked:
    """The tables that only some studies have, and the classes of the claims, metrics and systems."""
    stated = [("claim", entry.claim) for _, entry in plan.study.all_claims]
    read = (table for _, entry in plan.study.all_claims for table in entry.assertion.further_tables)
    further = [*_findings(plan), *tables_of(plan.study.all_experiments()), *dict.fromkeys(read)]
    return {"further": _table_files(plan, further), "classes": classes_of([*stated, *_metric_specs(plan), *_system_specs(plan)])}


def score_designs(plan: Plan) -> Asked:
    """The classes of the metrics and data sets."""
    return {"classes": classes_of([*_metric_specs(plan), *(("dataset", spec) for spec in plan.study.datasets.values())])}


def report(plan: Plan) -> Asked:
    """As for `count_users` and tests, with the files that the page quotes: templates, and plug-ins, because of their docstrings."""
    components = [component for design in plan.all_designs for component in design.components()]
    components += [("dataset", source.component.spec) for source in plan.sources.values()]
    classes = classes_of([*components, *_system_specs(plan), *_metric_specs(plan)])
    outcomes = _outcome_inputs(plan, "aggregate", "test")
    return {
        "own_files": outcomes["own_files"],
        "addresses": outcomes["addresses"],
        "classes": classes,
        "quoted": (*_source_files(classes), *page_templates()),
    }


def _source_files(classes: Classes) -> list[Path]:
    # Base classes have docstrings too.
    return sorted({Path(getfile(base)) for each in classes for base in each.__mro__ if issubclass(base, Plugin)})


def figure(plan: Plan, at: Wildcards) -> Asked:
    """The plug-in that draws a figure, and what it needs, under the base design. A usual figure only needs ``further`` tables.

    ``ranked`` has the labels of data set and system for each of the ``positions``; ``splits`` the label of the data set and the
    split as written for each of the ``roles``, which are those of the first fold.

    Raises
    ------
    SpecError
        If the study has no such figure.
    """
    figures, entry = plan.study.all_figures(), plan.study.drawn.get(at.figure)
    if at.figure not in figures:
        raise SpecError(f"the study has no figure '{at.figure}'", allowed=", ".join(figures))
    shown, key = figures[at.figure]
    needs: Collection[str] = [step for step, question in QUESTIONS.items() if key in question.figures]
    if entry is not None:
        from recsens.report.figures import Drawing  # noqa: PLC0415 - a plan without such figures need not wait for matplotlib

        needs = Drawing.build(entry.draw).needs
    datasets = list(shown.datasets) if "interactions" in needs else []
    rankings = list(base_rankings(plan, shown)) if "positions" in needs else []
    roles: dict[tuple[str, str], str] = {}
    for label in shown.datasets if "roles" in needs else ():
        designs = plan.designs[label]
        # Roles belong to the ratings after one filter; figures receive the roles after the base design's filter.
        for design in (each for each in designs if each.filter_address == designs[0].filter_address):
            roles.setdefault((label, design.split.written), design.fold_address(next(iter(folds(design)))).roles)
    drawing = [] if entry is None else [("figure", parse(str(entry.draw)))]
    tables = {"multiverse": ("multiverse", "joint"), **{step: question.tables for step, question in QUESTIONS.items()}}
    return {
        "drawing": "" if entry is None else str(entry.draw),
        "experiment": "" if entry is None else entry.experiment,
        "data": list_paths(plan.filtered[label].data for label in datasets),
        "datasets": datasets,
        "positions": [ranked.address.ranking.positions for *_, ranked in rankings],
        "ranked": [(label, system) for label, system, _ in rankings],
        "roles": list(roles.values()),
        "splits": list(roles),
        "further": _table_files(plan, [*_findings(plan), *chain.from_iterable(tables[need] for need in tables if need in needs)]),
        "classes": classes_of([*drawing, *_metric_specs(plan), *_system_specs(plan)]),
    }


def _findings(plan: Plan) -> list[str]:
    return ["findings"] if plan.study.meta else []


def _table_files(plan: Plan, tables: Iterable[str]) -> list[str]:
    return [f"{plan.folder}/{name}.csv" for name in tables]


def _system_specs(plan: Plan) -> list[tuple[str, Spec]]:
    return [("recommender", spec) for each in plan.study.all_experiments() for spec in each.systems.values()]


def _metric_specs(plan: Plan) -> list[tuple[str, Spec]]:
    return [("metric", measured.metric.spec) for measured in plan.study.all_metrics()]
