"""Rank the targets of one shard's users by a system; `recsens.workflow.steps.rank` joins the shards of a ranking."""

from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, RankingFiles
from recsens.seeds import Origin
from recsens.workflow.steps.rank import RankingTask, rank_users


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
    """Rank the targets of one shard's users, and write the rows; ``shard`` is the shard's number and the number of shards."""
    costs = Costs()
    rank_users(data, roles, truth, model, ranking, design, origin, costs, (shard[0], shard[1]))
    costs.write(cost)
