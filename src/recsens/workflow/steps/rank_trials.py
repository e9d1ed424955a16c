"""Rank by every candidate of a search, each fitted on the whole train set."""

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, SideFiles, TrialFiles
from recsens.artefacts.folds import complete_test, known, read_interactions, read_roles, sides
from recsens.outcomes.measuring.trials import ranked_candidates
from recsens.pipeline.fitting import fit_recommenders
from recsens.pipeline.ranking import prepare_ranking
from recsens.ranking import stretches
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders import progress
from recsens.seeds import Origin
from recsens.workflow.steps.rank import RankingTask, keep_freed_memory, keep_specs, schemas_of


def rank_trials(
    *,
    data: InteractionFiles,
    roles: str,
    side: Sequence[SideFiles] = (),
    truth: str | None = None,
    tuning: str,
    trials: TrialFiles,
    cost: str,
    design: RankingTask,
    origin: Origin,
) -> None:
    """Fit each candidate in the record ``tuning``, and write the positions that it gives to judged items.

    The order is that of `ranked_candidates`. A candidate has the positions that it would have if the study named it as a system.
    Candidates without a value on validation data are left out, because a search chooses all others before them.
    """
    keep_specs(Address.parse(trials.positions), design)
    interactions = read_interactions(data, side)
    given = read_roles(roles, interactions)
    train, test = sides(interactions, given)
    if truth is not None:
        test = complete_test(interactions, given, truth)
    seen, threshold = known(interactions, given, train), interactions.scale.threshold(design.relevance)
    candidates = ranked_candidates(storage.read_json(tuning, schemas.TUNING))
    fitted = fit_recommenders(candidates, train, origin)
    keep_freed_memory()
    costs = Costs()
    with ExitStack() as files:
        write_positions, write_users = (
            files.enter_context(storage.appending(path, schema)) for path, schema in zip(trials, schemas_of(design), strict=False)
        )
        for number, _ in enumerate(progress(candidates, "candidates ranked")):
            with costs.of("fit"):
                recommender = next(fitted)
            rank_some = prepare_ranking(
                recommender,
                train,
                test,
                targets=Targets.build(design.targets),
                relevance=threshold,
                nc=NotComputable.build(design.nc),
                ties=design.ties,
                known=seen,
                origin=origin,
                list_depth=0,
            )
            for users in stretches(train.n_users):
                with costs.of("rank"):
                    ranked = rank_some(users=users)
                write_positions({**ranked.positions, "user": ranked.positions["user"] + np.int32(number * train.n_users)})
                write_users(ranked.users)
    costs.write(cost)
