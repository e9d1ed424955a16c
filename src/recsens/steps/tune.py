"""Tune: which parameters of a recommender do best on validation data."""

from __future__ import annotations

from pathlib import Path

from recsens import plugins, tables
from recsens.artefacts import read_interactions, read_roles, sides
from recsens.costs import Costs
from recsens.recommenders.tuned import Tuned
from recsens.tuning import tune as try_candidates
from recsens.vocabulary import Role


def tune(
    *,
    interactions: str,
    user_ids: str,
    item_ids: str,
    dataset: str,
    roles: str,
    tuning: str,
    cost: str,
    spec: str,
    identity: str,
    fold: str,
    seed: int,
) -> None:
    """Try every candidate on validation data and record what each came to, best first. Test data are not opened."""
    data = read_interactions(interactions=interactions, user_ids=user_ids, item_ids=item_ids, dataset=dataset)
    given = read_roles(roles, data)
    train, _ = sides(data, given)
    tuned: Tuned = plugins.build("recommender", spec)
    costs = Costs()
    with costs.of("tune"):
        trials = try_candidates(tuned, train, data.take(given == Role.VALIDATION), identity=identity, fold=fold, seed=seed)
    tables.keep_spec(Path(tuning).parent, plugins.address("recommender", tuned.spec))
    tables.write_json(tuning, {"spec": str(tuned.full_spec), "split": str(tuned.split), **trials.record()})
    costs.write(cost)
