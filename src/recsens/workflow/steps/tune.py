"""Choose the parameters of a recommender on validation data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.costs import Costs
from recsens.outcomes.measuring.trials import ParameterSearch
from recsens.plugins.specs import parse
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Origin
from recsens.workflow.steps._fold import FoldFrom, read_fold


def tune(
    *,
    shards: Sequence[str] = (),
    shard_costs: Sequence[str] = (),
    tuning: str,
    cost: str,
    spec: str,
    outer: str,
    **fold: Unpack[FoldFrom],
) -> None:
    """Measure every candidate on validation data, and record the values, best first. Test data are not read.

    ``outer`` is the study's split, which may decide how the train set is split again. If the candidates were measured in shards,
    the records of the shards are joined, which gives the same bytes, and then removed.
    """
    costs = Costs()
    search = search_for(spec, outer, fold["origin"])
    records = [storage.read_json(shard, schemas.TUNING_SHARD) for shard in shards]
    trials = search.joined(records or [measured(search, fold, costs)])
    storage.keep_spec(Path(tuning).parent, plugins.address("recommender", Tuned.build(spec).spec))
    record = {"spec": str(search.tuned.full_spec), "split": str(search.tuned.split), **trials.record()}
    storage.write_json(tuning, record, schemas.TUNING)
    costs.write(cost, shard_costs)
    for path in (*shards, *shard_costs):
        Path(path).unlink(missing_ok=True)


def search_for(spec: str, outer: str, origin: Origin) -> ParameterSearch:
    """Return the search of a tuned recommender on a fold of a study whose split is ``outer``."""
    return ParameterSearch.of(Tuned.build(spec).within(parse(outer)), seed=origin.seed, identity=origin.identity, fold=origin.fold)


def measured(search: ParameterSearch, fold: FoldFrom, costs: Costs, shard: tuple[int, int] = (0, 1)) -> dict[str, object]:
    """Measure the candidates of a shard; ``shard`` is the shard's number and the number of shards."""
    read = read_fold(**fold)
    validation = read.validation
    with costs.of("tune"):
        return search.measure(read.train, validation, shard)
