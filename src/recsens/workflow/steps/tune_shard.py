"""Measure some candidates of a search; `recsens.workflow.steps.tune` joins the shards of a search."""

from collections.abc import Sequence

from recsens.artefacts import schemas, storage
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.seeds import Origin
from recsens.workflow.steps.tune import measured, search_for


def tune_shard(
    *,
    data: InteractionFiles,
    roles: str,
    side: Sequence[SideFiles] = (),
    trials: str,
    cost: str,
    spec: str,
    outer: str,
    origin: Origin,
    shard: tuple[int, int],
) -> None:
    """Measure the candidates of one shard, and record their values; ``shard`` is the shard's number and the number of shards."""
    costs = Costs()
    record = measured(search_for(spec, outer, origin), data, roles, side, costs, (shard[0], shard[1]))
    storage.write_json(trials, record, schemas.TUNING_SHARD)
    costs.write(cost)
