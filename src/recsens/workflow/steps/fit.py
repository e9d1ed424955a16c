"""Fit a recommender on a train set."""

from pathlib import Path
from typing import Unpack

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.costs import Costs
from recsens.pipeline.fitting import fit_recommender
from recsens.plugins.specs import parse
from recsens.recommenders import write_model
from recsens.workflow.steps._fold import FoldFrom, read_fold


def fit(*, tuning: str | None = None, model: str, cost: str, spec: str, **fold: Unpack[FoldFrom]) -> None:
    """Fit a recommender on one fold's train set, and store the model. Test data are not read.

    A tuned recommender needs the record of its tuning. A recommender that uses side information needs the side files.
    """
    train = read_fold(**fold).train
    choice = None if tuning is None else parse(storage.read_json(tuning, schemas.TUNING)["chosen"])
    costs = Costs()
    with costs.of("fit"):
        recommender = fit_recommender(spec, train, fold["origin"], choice=choice)
    storage.keep_spec(Path(model).parent, plugins.address("recommender", recommender.spec))
    write_model(model, recommender)
    costs.write(cost)
