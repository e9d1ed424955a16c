"""Fit: what a recommender learns from the train set."""

from __future__ import annotations

from pathlib import Path

from recsens import plugins, tables
from recsens.artefacts import read_interactions, read_roles, sides, write_model
from recsens.costs import Costs
from recsens.errors import DesignError
from recsens.interactions import Interactions
from recsens.recommenders import Recommender
from recsens.seeds import Stream


def fit(
    *,
    interactions: str,
    user_ids: str,
    item_ids: str,
    dataset: str,
    roles: str,
    model: str,
    cost: str,
    spec: str,
    identity: str,
    fold: str,
    seed: int,
) -> None:
    """Fit a recommender on the train set of one fold and keep what it learnt. Test data are not opened."""
    data = read_interactions(interactions=interactions, user_ids=user_ids, item_ids=item_ids, dataset=dataset)
    train, _ = sides(data, read_roles(roles, data))
    costs = Costs()
    with costs.of("fit"):
        recommender = fitted(spec, train, identity=identity, fold=fold, seed=seed)
    tables.keep_spec(Path(model).parent, plugins.address("recommender", recommender.spec))
    write_model(model, recommender)
    costs.write(cost)


def fitted(spec: str, train: Interactions, *, identity: str, fold: str, seed: int, stage: str = "fit") -> Recommender:
    """Fit a recommender with the stream of its name, data set and fold; a fallback is fitted at a stage of its own, ``nc``.

    Raises
    ------
    DesignError
        If what ``fit`` returns is no recommender.
    """
    named: Recommender = plugins.build("recommender", spec)
    recommender = named.on_fold(fold)
    stream = Stream.of(seed, identity, stage, recommender.plugin_name(), fold)
    found = recommender.fit(train, stream.generator())
    if not isinstance(found, Recommender):
        raise DesignError(
            f"fit of '{recommender.spec}' returned {type(found).__name__}, not a recommender", remedy="end it with 'return self'"
        )
    return found
