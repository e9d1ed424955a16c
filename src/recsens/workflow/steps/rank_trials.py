"""Rank by every candidate of a search, each fitted on the whole train set."""

from contextlib import ExitStack
from typing import Unpack

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import TrialFiles
from recsens.outcomes.measuring.trials import ranked_candidates
from recsens.pipeline.fitting import fit_recommenders
from recsens.ranking import user_stretches
from recsens.recommenders import progress
from recsens.workflow.steps._fold import FoldFrom, read_fold
from recsens.workflow.steps.rank import RankingTask, keep_freed_memory, keep_specs, ranking_on, schemas_of


def rank_trials(*, tuning: str, trials: TrialFiles, cost: str, design: RankingTask, **fold: Unpack[FoldFrom]) -> None:
    """Fit each candidate in the record ``tuning``, and write the positions that it gives to judged items.

    The order is that of `ranked_candidates`. A candidate has the positions that it would have if the study named it as a system.
    Candidates without a value on validation data are left out, because a search chooses all others before them.
    """
    keep_specs(Address.parse(trials.positions), design)
    read, origin = read_fold(**fold), fold["origin"]
    candidates = ranked_candidates(storage.read_json(tuning, schemas.TUNING))
    fitted = fit_recommenders(candidates, read.train, origin)
    keep_freed_memory()
    costs = Costs()
    with ExitStack() as files:
        write_positions, write_users = (
            files.enter_context(storage.append_rows(path, schema)) for path, schema in zip(trials, schemas_of(design), strict=False)
        )
        for number, _ in enumerate(progress(candidates, "candidates ranked")):
            with costs.of("fit"):
                recommender = next(fitted)
            rank_some = ranking_on(read, recommender, design, origin, list_depth=0)
            for users in user_stretches(read.train.n_users):
                with costs.of("rank"):
                    ranked = rank_some(users=users)
                write_positions({**ranked.positions, "user": ranked.positions["user"] + np.int32(number * read.train.n_users)})
                write_users(ranked.users)
    costs.write(cost)
