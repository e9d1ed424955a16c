"""Fit: what a recommender learns from the train set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recsens import plugins, tables
from recsens.artefacts import read_interactions, read_roles, sides, write_model
from recsens.costs import Costs
from recsens.interactions import Interactions
from recsens.recommenders import Recommender, learn
from recsens.seeds import Stream
from recsens.specs import Spec, parse


def fit(
    *,
    interactions: str,
    user_ids: str,
    item_ids: str,
    dataset: str,
    roles: str,
    tuning: str | Sequence[str] = (),
    model: str,
    cost: str,
    spec: str,
    identity: str,
    fold: str,
    seed: int,
) -> None:
    """Fit a recommender on the train set of one fold and keep what it learnt. Test data are not opened.

    One that is tuned is given the record of its tuning.
    """
    data = read_interactions(interactions=interactions, user_ids=user_ids, item_ids=item_ids, dataset=dataset)
    train, _ = sides(data, read_roles(roles, data))
    choice = parse(tables.read_json(tuning)["chosen"]) if isinstance(tuning, str) else None
    costs = Costs()
    with costs.of("fit"):
        recommender = fitted(spec, train, identity=identity, fold=fold, seed=seed, choice=choice)
    tables.keep_spec(Path(model).parent, plugins.address("recommender", recommender.spec))
    write_model(model, recommender)
    costs.write(cost)


def fitted(
    spec: str, train: Interactions, *, identity: str, fold: str, seed: int, stage: str = "fit", choice: Spec | None = None
) -> Recommender:
    """Fit a recommender with the stream of its name, data set and fold; a fallback is fitted at a stage of its own, ``nc``.

    ``choice`` is what tuning chose, for a recommender that is tuned. Raises as `recsens.recommenders.learn`.
    """
    named: Recommender = plugins.build("recommender", spec)
    recommender = (named if choice is None else named.choosing(choice)).on_fold(fold)
    return learn(recommender, train, Stream.of(seed, identity, stage, recommender.stream_name, fold).generator())
