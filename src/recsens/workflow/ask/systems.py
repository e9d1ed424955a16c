"""What the rules in ``systems.smk`` get: recommenders, their tuning and fitting, and their rankings."""

from math import ceil

from recsens import plugins
from recsens.recommenders.tuned import Tuned
from recsens.workflow.ask._components import (
    Asked,
    Classes,
    Wildcards,
    origin_of,
    own_files_of,
    recommender_at,
    splitter_at,
    system_at,
    targets_at,
)
from recsens.workflow.ask._resources import guessed_extent
from recsens.workflow.code_digests import classes_of
from recsens.workflow.plan import Plan

_SHARE = 5_000_000
"""A shard of a search has about as many candidates as have this many ratings in all, at the usual pace; it takes a minute or so."""


def tune(plan: Plan, at: Wildcards) -> Asked:
    """What a shard gets, and the files of shards, which are empty if a single job measures all candidates."""
    names, system = _tuning_shards(plan, at), system_at(at)
    return {
        **_tuning_inputs(plan, at),
        "shards": [system.tuning_shard(name) for name in names],
        "shard_costs": [system.cost("tune_shard", name) for name in names],
    }


def tune_shard(plan: Plan, at: Wildcards) -> Asked:
    """As for `tune`, and a shard's number with the number of shards."""
    return {**_tuning_inputs(plan, at), "shard": list(map(int, at.shard.split("-of-")))}


def fit(plan: Plan, at: Wildcards) -> Asked:
    """The same, and the tuning record if parameters are tuned; the result does not depend on classes that only tuning needs."""
    asked = _tuning_inputs(plan, at)
    tuning = system_at(at).first_fit.tuning if isinstance(recommender_at(plan, at), Tuned) else []
    return {**asked, "tuning": tuning, "classes": _fitting_classes(asked["classes"]), "built": asked["classes"]}


fit_program = fit


def rank_shard(plan: Plan, at: Wildcards) -> Asked:
    """As for `rank`, and a shard's number with the number of shards."""
    return {**_ranking_inputs(plan, at), "shard": list(map(int, at.shard.split("-of-")))}


def rank(plan: Plan, at: Wildcards) -> Asked:
    """The options that determine what is ranked, and the files of shards, which are empty if a single job ranks all users."""
    n_shards = plan.n_shards(at.dataset)
    names = [f"{number}-of-{n_shards}" for number in range(n_shards)] if n_shards > 1 else []
    ranking = system_at(at) / at.targets / at.nc / at.ties
    return {
        **_ranking_inputs(plan, at),
        "shards": [path for name in names for path in ranking.shard(name)],
        "shard_costs": [ranking.cost("rank_shard", name) for name in names],
    }


def rank_trials(plan: Plan, at: Wildcards) -> Asked:
    """As for `rank`, for every candidate of a search; nothing is fitted before."""
    recommender, ranking = recommender_at(plan, at), _ranking_inputs(plan, at)
    targets, nc = (plugins.build(kind, ranking["design"][kind]) for kind in ("targets", "nc"))
    return {
        **ranking,
        "reads_side_tables": recommender.side_information is not None,
        "own_files": own_files_of([recommender, targets, nc]),
    }


def _ranking_inputs(plan: Plan, at: Wildcards) -> Asked:
    recommender, targets = recommender_at(plan, at), targets_at(plan, at)
    nc = plugins.build("nc", plan.component_at("nc", at.nc))
    learned, ranked = (classes_of([("recommender", recommender.spec)]), classes_of([("targets", targets.spec), ("nc", nc.spec)]))
    return {
        "is_tested_on_truth": splitter_at(plan, at).tests_truth,
        # A recommender that is cheap enough is fitted when it ranks; then this job reads the files with its scores.
        "model": [] if recommender.is_trivial else plan.fitted_at(system_at(at)).model,
        "own_files": own_files_of([targets, nc, *([recommender] if recommender.is_trivial else [])]),
        "design": {
            "recommender": str(recommender.full_spec),
            "targets": str(targets.full_spec),
            "relevance": plan.targets_at(at.targets)[1],
            "nc": str(nc.full_spec),
            "ties": str(at.ties),
        },
        "origin": origin_of(plan, at),
        "classes": _fitting_classes(learned) | ranked,
        "built": learned | ranked,
    }


def _fitting_classes(learned: Classes) -> Classes:
    """Return the classes of a recommender and of the recommenders inside it, without classes that only tuning needs."""
    return frozenset(each for each in learned if each.kind == "recommender")


def _tuning_inputs(plan: Plan, at: Wildcards) -> Asked:
    """The recommender, whether it learns from side information, and the study's split, which may decide that of a tuned one."""
    recommender, outer = recommender_at(plan, at), splitter_at(plan, at).spec
    return {
        "reads_side_tables": recommender.side_information is not None,
        "own_files": own_files_of([recommender]),
        "spec": str(recommender.full_spec),
        "outer": str(outer),
        "origin": origin_of(plan, at),
        "classes": classes_of([("recommender", recommender.within(outer).spec)]),
    }


def _tuning_shards(plan: Plan, at: Wildcards) -> list[str]:
    """Name the shards of a search; their number depends on the files and on the study, never on what earlier runs recorded."""
    tuned = recommender_at(plan, at)
    n_candidates = tuned.n_candidates if isinstance(tuned, Tuned) else 1
    n_ratings = guessed_extent(plan.source_at(at.dataset)).ratings * tuned.pace
    n_shards = min(n_candidates, ceil(n_candidates * n_ratings / _SHARE))
    return [f"{number}-of-{n_shards}" for number in range(n_shards)] if n_shards > 1 else []
