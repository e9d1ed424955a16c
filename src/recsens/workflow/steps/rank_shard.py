"""Rank the targets of one shard's users by a system; `recsens.workflow.steps.rank` joins the shards of a ranking."""

from typing import Unpack

from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import RankingFiles
from recsens.workflow.steps._fold import FoldFrom
from recsens.workflow.steps.rank import RankingTask, rank_users


def rank_shard(
    *,
    model: str | None = None,
    ranking: RankingFiles,
    cost: str,
    design: RankingTask,
    shard: tuple[int, int],
    **fold: Unpack[FoldFrom],
) -> None:
    """Rank the targets of one shard's users, and write the rows; ``shard`` is the shard's number and the number of shards."""
    costs = Costs()
    rank_users(fold, model, ranking, design, costs, (shard[0], shard[1]))
    costs.write(cost)
