"""Rank: find each judged item's position in its user's ranking."""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import RELEVANCE, Address
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import RankingFiles
from recsens.pipeline.fitting import fit_recommender
from recsens.pipeline.ranking import prepare_ranking
from recsens.ranking import Rankings, user_stretches
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender, read_model
from recsens.seeds import Origin
from recsens.vocabulary import LIST_DEPTH, Ties
from recsens.workflow.steps._fold import FoldData, FoldFrom, read_fold

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
    model: str | None = None,
    shards: Sequence[RankingFiles] = (),
    shard_costs: Sequence[str] = (),
    ranking: RankingFiles,
    cost: str,
    design: RankingTask,
    **fold: Unpack[FoldFrom],
) -> None:
    """Rank all users' targets by one system and write positions, counts and the top lists.

    A recommender without a stored model is fitted here, and so is the fallback for items without a score. If the users were ranked
    in shards, the files of the shards are joined, which gives the same bytes, and then removed. If ``truth`` is the file of the
    data set's complete relevance, the complete relevance is the test set.
    """
    costs = Costs()
    keep_specs(Address.parse(ranking.positions), design)
    if shards:
        _join_shards(shards, ranking, design)
    else:
        rank_users(fold, model, ranking, design, costs)
    costs.write(cost, shard_costs)
    for path in (*chain.from_iterable(shards), *shard_costs):
        Path(path).unlink(missing_ok=True)


def rank_users(
    fold: FoldFrom, model: str | None, ranking: RankingFiles, design: RankingTask, costs: Costs, shard: tuple[int, int] = (0, 1)
) -> None:
    """Rank the targets of one shard's users, writing by stretches; ``shard`` is the shard's number and the number of shards."""
    read, origin = read_fold(**fold), fold["origin"]
    if model is None:
        with costs.of("fit"):
            recommender = fit_recommender(design.recommender, read.train, origin)
    else:
        recommender = read_model(model, Recommender.build(design.recommender))
    rank_some, n_users = ranking_on(read, recommender, design, origin), read.train.n_users
    # Free the memory of all that the train and test sets do not need.
    del read
    keep_freed_memory()
    with _open_ranking(ranking, design) as append:
        for users in user_stretches(n_users, *shard):
            with costs.of("rank"):
                ranked = rank_some(users=users)
            append(ranked)


def ranking_on(
    read: FoldData, recommender: Recommender, design: RankingTask, origin: Origin, *, list_depth: int = LIST_DEPTH
) -> Callable[..., Rankings]:
    """Return a function that ranks the targets of all users of a fold, or of ``users``, as `prepare_ranking` does."""
    return prepare_ranking(
        recommender,
        read.train,
        read.test,
        targets=Targets.build(design.targets),
        relevance=read.interactions.scale.threshold(design.relevance),
        nc=NotComputable.build(design.nc),
        ties=design.ties,
        known=read.known,
        origin=origin,
        list_depth=list_depth,
    )


def _join_shards(shards: Sequence[RankingFiles], ranking: RankingFiles, design: RankingTask) -> None:
    """Join the files of the shards, stretch by stretch."""
    with ExitStack() as files:
        # The files get their final names only after all of them are written.
        for path, parts, schema in zip(ranking, zip(*shards, strict=True), schemas_of(design), strict=True):
            append = files.enter_context(storage.append_rows(path, schema))
            for part in parts:
                for rows in storage.read_groups(part, schema):
                    append({name: rows.column(name).combine_chunks() for name in schema.names})


@contextmanager
def _open_ranking(ranking: RankingFiles, design: RankingTask) -> Iterator[Callable[[Rankings], None]]:
    """Yield a function that appends rows to a ranking's files; they get their final names after all of them are written."""
    with ExitStack() as files:
        appends = [
            files.enter_context(storage.append_rows(path, schema)) for path, schema in zip(ranking, schemas_of(design), strict=True)
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
