"""What the rules in ``data.smk`` get, and the rule ``data``."""

from recsens.comparison.users import Users
from recsens.data.filtering import Filter
from recsens.errors import SpecError
from recsens.metrics import Metric
from recsens.plugins.specs import parse
from recsens.recommenders import Recommender
from recsens.workflow.ask._components import Asked, Wildcards, origin_of, own_files_of, splitter_at, targets_at
from recsens.workflow.code_digests import classes_of
from recsens.workflow.plan import Plan


def ingest(plan: Plan, at: Wildcards) -> Asked:
    """Raw files with their SHA-256, and the data set with every parameter except those that describe users and items."""
    source = plan.source_at(at.dataset)
    return {
        "files": list(map(str, source.files)),
        "digests": list(source.digests),
        "spec": str(source.component.full_spec.without(*source.component.describing)),
        "address": str(source.address),
        "origin": origin_of(plan, at),
        "classes": classes_of([("dataset", source.component.spec)]),
    }


def complete_relevance(plan: Plan, at: Wildcards) -> Asked:
    """The simulated data set."""
    component = plan.source_at(at.dataset).component
    classes = classes_of([("dataset", component.spec)])
    return {"spec": str(component.full_spec), "origin": origin_of(plan, at), "classes": classes}


def filter(plan: Plan, at: Wildcards) -> Asked:  # noqa: A001 - named after the rule
    """The chain of filters, with every parameter."""
    links = [Filter.build(link) for link in plan.filter_at(at.filter)]
    return {
        "own_files": own_files_of(links),
        "chain": "+".join(str(link.full_spec) for link in links),
        "origin": origin_of(plan, at),
        "classes": classes_of(("filter", link.spec) for link in links),
    }


def side_tables(plan: Plan, at: Wildcards) -> Asked:
    """The files that describe a data set's users and items, with their SHA-256."""
    source = plan.source_at(at.dataset)
    return {
        "files": list(map(str, source.side_files)),
        "digests": list(source.side_digests),
        "spec": str(source.component.full_spec),
        "classes": classes_of([("dataset", source.component.spec)]),
    }


def split(plan: Plan, at: Wildcards) -> Asked:
    """The split."""
    splitter = splitter_at(plan, at)
    return {
        "own_files": own_files_of([splitter]),
        "spec": str(splitter.full_spec),
        "origin": origin_of(plan, at),
        "classes": classes_of([("split", splitter.spec)]),
    }


def check_targets(plan: Plan, at: Wildcards) -> Asked:
    """The target items, and what designs and metrics need of them (`recsens.workflow.plan.TargetCheckInputs`).

    Raises
    ------
    SpecError
        If the study does not contain the check that the wildcards name.
    """
    check = plan.target_check(at.dataset, at.filter, at.targets)
    if at.check != check.digest:
        raise SpecError(f"the study asks for a different check of the target items '{at.targets}'", allowed=check.digest)
    targets = targets_at(plan, at)
    selections = list(dict.fromkeys(design.users for design in plan.designs_with(at.dataset, at.filter, at.targets)))
    metrics = list(map(Metric.build, check.metrics))
    return {
        "is_tested_on_truth": splitter_at(plan, at).tests_truth,
        "reads_side_tables": bool(check.user_columns) or any(getattr(metric, "item_columns", ()) for metric in metrics),
        "own_files": own_files_of([targets, *map(Users.build, selections)]),
        "targets": str(targets.full_spec),
        **check._asdict(),
        "origin": origin_of(plan, at),
        "classes": classes_of(
            [
                ("targets", targets.spec),
                *(("users", each) for each in selections),
                *(("metric", parse(each)) for each in check.metrics),
            ]
        ),
    }


def data(plan: Plan) -> Asked:
    """The roles of every fold, the record of every check, and the side tables that any system needs for its fit."""
    read = (ranking for ranking in plan.rankings.values() if Recommender.build(ranking.system).side_information is not None)
    return {
        "roles": [fold.roles for fold in plan.splits],
        "checks": list(plan.checks),
        # They are made, or refused, before the first fit.
        "side": sorted({path for ranking in read for path in ranking.address.up_to("filter").side}),
    }
