"""Measure some candidates of a search; `recsens.workflow.steps.tune` joins the shards of a search."""

from typing import Unpack

from recsens.artefacts import schemas, storage
from recsens.artefacts.costs import Costs
from recsens.workflow.steps._fold import FoldFrom
from recsens.workflow.steps.tune import measured, search_for


def tune_shard(*, trials: str, cost: str, spec: str, outer: str, shard: tuple[int, int], **fold: Unpack[FoldFrom]) -> None:
    """Measure the candidates of one shard, and record their values; ``shard`` is the shard's number and the number of shards."""
    costs = Costs()
    record = measured(search_for(spec, outer, fold["origin"]), fold, costs, (shard[0], shard[1]))
    storage.write_json(trials, record, schemas.TUNING_SHARD)
    costs.write(cost)
