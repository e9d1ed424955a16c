"""Rank the users of one shard by a system; the shards of a ranking are gathered by `recsens.steps.rank`."""

from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, RankingFiles
from recsens.seeds import Origin
from recsens.steps.rank import RankingTask, rank_users


def rank_shard(
    *,
    data: InteractionFiles,
    roles: str,
    truth: str | None = None,
    model: str | None = None,
    ranking: RankingFiles,
    cost: str,
    design: RankingTask,
    origin: Origin,
    shard: tuple[int, int],
) -> None:
    """Rank the targets of the users of a shard, given by its number and how many there are, and write the rows of the shard."""
    costs = Costs()
    rank_users(data, roles, truth, model, ranking, design, origin, costs, (shard[0], shard[1]))
    costs.write(cost)
