"""Rank targets by a fitted recommender, with the random streams of a fold."""

from collections.abc import Callable
from functools import partial

from recsens.data.interactions import Interactions
from recsens.pipeline.fitting import fit_recommender
from recsens.ranking import Rankings, rank
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets, target_stream
from recsens.recommenders import Recommender
from recsens.seeds import Origin
from recsens.vocabulary import LIST_DEPTH, Ties


def prepare_ranking(
    recommender: Recommender,
    train: Interactions,
    test: Interactions,
    *,
    targets: Targets,
    relevance: float,
    nc: NotComputable,
    ties: Ties,
    known: Interactions,
    origin: Origin,
    list_depth: int = LIST_DEPTH,
) -> Callable[..., Rankings]:
    """Fit the fallback for items without a score, and return a function that ranks the targets of all users, or of ``users``.

    All recommenders rank the same targets and break ties in the same way, because both are drawn from streams of the fold. The
    other parameters are those of `recsens.ranking.rank`.
    """
    fallback = None if nc.fallback is None else fit_recommender(str(nc.fallback), train, origin, stage="nc")
    return partial(
        rank,
        recommender,
        train,
        test,
        targets=targets,
        relevance=relevance,
        ties=ties,
        nc=nc,
        fallback=fallback,
        list_depth=list_depth,
        tie_stream=origin.stream("ties", origin.fold),
        target_stream=target_stream(origin),
        known=known,
    )
