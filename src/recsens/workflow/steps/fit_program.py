"""Run another program that learns from a train set, with the fold's validation set."""

from pathlib import Path
from typing import Unpack

from recsens import plugins
from recsens.artefacts import storage
from recsens.artefacts.costs import Costs
from recsens.pipeline.fitting import fit_recommender
from recsens.recommenders import write_model
from recsens.recommenders.program import Program
from recsens.workflow.steps._fold import FoldFrom, read_fold


def fit_program(*, model: str, cost: str, spec: str, **fold: Unpack[FoldFrom]) -> None:
    """Run a program on one fold's train and validation sets and store its scores. Test data are not read."""
    read = read_fold(**fold)
    program = Program.build(spec).with_validation(read.validation)
    costs = Costs()
    with costs.of("fit"):
        recommender = fit_recommender(program, read.train, fold["origin"])
    storage.keep_spec(Path(model).parent, plugins.address("recommender", recommender.spec))
    write_model(model, recommender)
    costs.write(cost)
