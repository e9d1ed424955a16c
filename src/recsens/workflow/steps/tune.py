"""Choose the parameters of a recommender on validation data."""

from collections.abc import Sequence
from pathlib import Path

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.outcomes.measuring.trials import tune as try_candidates
from recsens.plugins.specs import parse
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Origin
from recsens.vocabulary import Role


def tune(
    *,
    data: InteractionFiles,
    roles: str,
    side: Sequence[SideFiles] = (),
    tuning: str,
    cost: str,
    spec: str,
    outer: str,
    origin: Origin,
) -> None:
    """Measure every candidate on validation data, and record the values, best first. Test data are not read.

    ``outer`` is the study's split, which may decide how the train set is split again.
    """
    named = Tuned.build(spec)
    tuned = named.within(parse(outer))
    interactions = read_interactions(data, side)
    given = read_roles(roles, interactions)
    train, _ = sides(interactions, given)
    validation = interactions.take(given == Role.VALIDATION)
    costs = Costs()
    with costs.of("tune"):
        trials = try_candidates(tuned, train, validation, **origin._asdict())
    storage.keep_spec(Path(tuning).parent, plugins.address("recommender", named.spec))
    storage.write_json(tuning, {"spec": str(tuned.full_spec), "split": str(tuned.split), **trials.record()}, schemas.TUNING)
    costs.write(cost)
