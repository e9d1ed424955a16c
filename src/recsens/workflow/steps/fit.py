"""Fit a recommender on a train set."""

from collections.abc import Sequence
from pathlib import Path

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.pipeline.fitting import fit_recommender
from recsens.plugins.specs import parse
from recsens.recommenders import write_model
from recsens.seeds import Origin


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
        recommender = fit_recommender(spec, train, origin, choice=choice)
    storage.keep_spec(Path(model).parent, plugins.address("recommender", recommender.spec))
    write_model(model, recommender)
    costs.write(cost)
