"""Run another program that learns from a train set, with the fold's validation set."""

from collections.abc import Sequence
from pathlib import Path

from recsens import plugins
from recsens.artefacts import storage
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.pipeline.fitting import fit_recommender
from recsens.recommenders import write_model
from recsens.recommenders.program import Program
from recsens.seeds import Origin
from recsens.vocabulary import Role


def fit_program(
    *,
    data: InteractionFiles,
    roles: str,
    side: Sequence[SideFiles] = (),
    model: str,
    cost: str,
    spec: str,
    origin: Origin,
) -> None:
    """Run a program on one fold's train and validation sets and store its scores. Test data are not read."""
    interactions = read_interactions(data, side)
    given = read_roles(roles, interactions)
    train, _ = sides(interactions, given)
    program = Program.build(spec).with_validation(interactions.take(given == Role.VALIDATION))
    costs = Costs()
    with costs.of("fit"):
        recommender = fit_recommender(program, train, origin)
    storage.keep_spec(Path(model).parent, plugins.address("recommender", recommender.spec))
    write_model(model, recommender)
    costs.write(cost)
