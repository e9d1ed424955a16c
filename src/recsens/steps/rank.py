"""Rank: where the judged items stand in every user's ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recsens import plugins, tables
from recsens.artefacts import read_interactions, read_model, read_roles, sides
from recsens.ranking import rank as rank_targets
from recsens.seeds import Stream
from recsens.steps.fit import fitted
from recsens.targets import Targets
from recsens.vocabulary import LIST_DEPTH, Ties


def rank(
    *,
    interactions: str,
    user_ids: str,
    item_ids: str,
    dataset: str,
    roles: str,
    model: str | Sequence[str] = (),
    positions: str,
    users: str,
    lists: str,
    spec: str,
    targets: str,
    ties: Ties,
    identity: str,
    fold: str,
    seed: int,
) -> None:
    """Rank the targets of all users by one system and note positions, counts and the top lists.

    A recommender whose model is not kept is fitted here.
    """
    data = read_interactions(interactions=interactions, user_ids=user_ids, item_ids=item_ids, dataset=dataset)
    train, test = sides(data, read_roles(roles, data))
    if not isinstance(model, str):
        recommender = fitted(spec, train, identity=identity, fold=fold, seed=seed)
    else:
        recommender = read_model(model, plugins.build("recommender", spec))
    chosen: Targets = plugins.build("targets", targets)
    tables.keep_spec(Path(positions).parents[3], recommender.spec)
    tables.keep_spec(Path(positions).parents[2], chosen.spec)
    found = rank_targets(
        recommender,
        train,
        test,
        targets=chosen,
        ties=ties,
        list_depth=LIST_DEPTH,
        tie_stream=Stream.of(seed, identity, "ties", recommender.plugin_name(), fold),
        target_stream=Stream.of(seed, identity, "targets", chosen.plugin_name(), fold),
    )
    tables.write_table(positions, tables.POSITIONS, found.positions)
    tables.write_table(users, tables.RANKED_USERS, found.users)
    tables.write_table(lists, tables.LISTS, found.lists)
