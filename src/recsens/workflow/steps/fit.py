"""Fit a recommender on a train set."""

import logging
from collections.abc import Sequence
from pathlib import Path

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.data.interactions import Interactions, refuse_missing
from recsens.plugins.specs import Spec, parse
from recsens.recommenders import Recommender, learn, write_model
from recsens.seeds import Origin

log = logging.getLogger(__name__)

NO_SIDE_INFORMATION = "'%s' can use side information, but this data set has none: it is fitted on interactions only"
"""Warning if the data set has no side information for a recommender that can use it."""


def fit(
    *,
    data: InteractionFiles,
    roles: str,
    side: Sequence[SideFiles] = (),
    tuning: str | None = None,
    model: str,
    cost: str,
    spec: str,
    origin: Origin,
) -> None:
    """Fit a recommender on one fold's train set, and store the model. Test data are not read.

    A tuned recommender needs the record of its tuning. A recommender that uses side information needs the side files.
    """
    interactions = read_interactions(data, side)
    train, _ = sides(interactions, read_roles(roles, interactions))
    choice = None if tuning is None else parse(storage.read_json(tuning, schemas.TUNING)["chosen"])
    costs = Costs()
    with costs.of("fit"):
        recommender = fitted(spec, train, origin, choice=choice)
    storage.keep_spec(Path(model).parent, plugins.address("recommender", recommender.spec))
    write_model(model, recommender)
    costs.write(cost)


def fitted(
    spec: str | Recommender, train: Interactions, origin: Origin, *, stage: str = "fit", choice: Spec | None = None
) -> Recommender:
    """Fit a recommender with the random stream for its name, data set and fold; a fallback's stream has the stage ``nc``.

    ``choice`` is the spec that tuning chose, for a tuned recommender. Raises the same errors as `recsens.recommenders.learn`.
    """
    named = Recommender.build(spec) if isinstance(spec, str) else spec
    _look_at_side_information(named, train, origin)
    recommender = (named if choice is None else named.choosing(choice)).on_fold(origin.fold)
    return learn(recommender, train, origin.stream(stage, recommender.stream_name, origin.fold).generator())


def _look_at_side_information(recommender: Recommender, train: Interactions, origin: Origin) -> None:
    """Refuse a data set without the columns that a recommender needs; warn if it has none of the columns that could be used."""
    needs = recommender.side_information
    if needs is None:
        return
    tables = {"user": train.user_table, "item": train.item_table, "context": train.context_table}
    columns = {of: () if table is None else tuple(table.columns) for of, table in tables.items()}
    refuse_missing(needs, columns, dataset=origin.identity, system=str(recommender.spec))
    if not any(columns.values()):
        log.warning(NO_SIDE_INFORMATION, recommender.spec)
