"""Rank: find each judged item's position in its user's ranking."""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import RELEVANCE, Address
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, RankingFiles
from recsens.artefacts.folds import complete_test, known, read_interactions, read_roles, sides
from recsens.pipeline.fitting import fit_recommender
from recsens.pipeline.ranking import prepare_ranking
from recsens.ranking import Rankings, stretches
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender, read_model
from recsens.seeds import Origin
from recsens.vocabulary import Ties

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""The numbers of two options of glibc's ``mallopt``."""

_LARGEST = 1 << 30
"""Arrays up to this size, in bytes, are allocated from freed memory, and up to this much freed memory is kept."""


class RankingTask(NamedTuple):
    """The options that determine what is ranked, and how; components have every parameter."""

    recommender: str
    targets: str
    relevance: float | None
    """The relevance threshold for the choice of targets; None for the scale's default."""
    nc: str
    ties: Ties


def rank(
    *,
    data: InteractionFiles,
    roles: str,
    truth: str | None = None,
    model: str | None = None,
    shards: Sequence[RankingFiles] = (),
    shard_costs: Sequence[str] = (),
    ranking: RankingFiles,
    cost: str,
    design: RankingTask,
    origin: Origin,
) -> None:
    """Rank all users' targets by one system and write positions, counts and the top lists.

    A recommender without a stored model is fitted here, and so is the fallback for items without a score. If the users were ranked
    in shards, the files of the shards are joined, which gives the same bytes, and then removed. If ``truth`` is the file of the
    data set's complete relevance, the complete relevance is the test set.
    """
    costs = Costs()
    keep_specs(Address.parse(ranking.positions), design)
    if shards:
        _gather(shards, ranking, design)
    else:
        rank_users(data, roles, truth, model, ranking, design, origin, costs)
    costs.write(cost, shard_costs)
    for path in (*chain.from_iterable(shards), *shard_costs):
        Path(path).unlink(missing_ok=True)


def rank_users(
    data: InteractionFiles,
    roles: str,
    truth: str | None,
    model: str | None,
    ranking: RankingFiles,
    design: RankingTask,
    origin: Origin,
    costs: Costs,
    shard: tuple[int, int] = (0, 1),
) -> None:
    """Rank the targets of one shard's users, writing by stretches; ``shard`` is the shard's number and the number of shards."""
    interactions = read_interactions(data)
    given = read_roles(roles, interactions)
    train, test = sides(interactions, given)
    if truth is not None:
        test = complete_test(interactions, given, truth)
    if model is None:
        with costs.of("fit"):
            recommender = fit_recommender(design.recommender, train, origin)
    else:
        recommender = read_model(model, Recommender.build(design.recommender))
    rank_some = prepare_ranking(
        recommender,
        train,
        test,
        targets=Targets.build(design.targets),
        relevance=interactions.scale.threshold(design.relevance),
        nc=NotComputable.build(design.nc),
        ties=design.ties,
        known=known(interactions, given, train),
        origin=origin,
    )
    # Free the memory for the train and test sets.
    del interactions, given
    keep_freed_memory()
    with _written(ranking, design) as append:
        for users in stretches(train.n_users, *shard):
            with costs.of("rank"):
                ranked = rank_some(users=users)
            append(ranked)


def _gather(shards: Sequence[RankingFiles], ranking: RankingFiles, design: RankingTask) -> None:
    """Join the files of the shards, stretch by stretch."""
    with ExitStack() as files:
        # The files get their final names only after all of them are written.
        for path, parts, schema in zip(ranking, zip(*shards, strict=True), schemas_of(design), strict=True):
            append = files.enter_context(storage.appending(path, schema))
            for part in parts:
                for rows in storage.read_groups(part, schema):
                    append({name: rows.column(name).combine_chunks() for name in schema.names})


@contextmanager
def _written(ranking: RankingFiles, design: RankingTask) -> Iterator[Callable[[Rankings], None]]:
    """Yield a function that appends rows to a ranking's files; they get their final names after all of them are written."""
    with ExitStack() as files:
        appends = [
            files.enter_context(storage.appending(path, schema)) for path, schema in zip(ranking, schemas_of(design), strict=True)
        ]

        def append(ranked: Rankings) -> None:
            for each, columns in zip(appends, (ranked.positions, ranked.users, ranked.lists), strict=True):
                each(columns)

        yield append


def schemas_of(design: RankingTask) -> tuple[Any, Any, Any]:
    """Return the schemas of the positions, users and lists of a ranking."""
    is_by_rating = Targets.build(design.targets).unit == "rating"
    return schemas.RATING_POSITIONS if is_by_rating else schemas.POSITIONS, schemas.RANKED_USERS, schemas.LISTS


def keep_specs(ranking: Address, design: RankingTask) -> None:
    """For each folder whose name only abbreviates a spec, store the full spec."""
    address = plugins.address("targets", Targets.build(design.targets).spec)
    if design.relevance is not None:
        address = address.with_params(**{RELEVANCE: design.relevance})
    recommender, policy = Recommender.build(design.recommender), NotComputable.build(design.nc)
    storage.keep_spec(ranking.up_to("recommender").folder, plugins.address("recommender", recommender.spec))
    storage.keep_spec(ranking.up_to("targets").folder, address)
    storage.keep_spec(ranking.up_to("nc").folder, plugins.address("nc", policy.spec))


def keep_freed_memory() -> None:
    """Let this process keep the memory of large arrays that it frees, on Linux with glibc; elsewhere, do nothing.

    By default, the memory of arrays above 32 MiB is returned to the system at once, and the system clears such memory before it is
    used again. For a block of users, the clearing takes as long as the ranking.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, _LARGEST)
        library.mallopt(_M_TRIM_THRESHOLD, _LARGEST)
