"""Rank: where the judged items stand in every user's ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recsens import plugins, tables
from recsens.artefacts import known, read_interactions, read_model, read_roles, sides
from recsens.costs import Costs
from recsens.design import RELEVANCE
from recsens.nc import NotComputable
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
    cost: str,
    spec: str,
    targets: str,
    relevance: float | None,
    nc: str,
    ties: Ties,
    identity: str,
    fold: str,
    seed: int,
) -> None:
    """Rank the targets of all users by one system and note positions, counts and the top lists.

    A recommender whose model is not kept is fitted here, and so is the one that ranks items without a score.
    """
    data = read_interactions(interactions=interactions, user_ids=user_ids, item_ids=item_ids, dataset=dataset)
    given = read_roles(roles, data)
    train, test = sides(data, given)
    costs = Costs()
    if not isinstance(model, str):
        with costs.of("fit"):
            recommender = fitted(spec, train, identity=identity, fold=fold, seed=seed)
    else:
        recommender = read_model(model, plugins.build("recommender", spec))
    chosen: Targets = plugins.build("targets", targets)
    policy: NotComputable = plugins.build("nc", nc)
    fallback = policy.fallback
    _keep_specs(Path(positions), recommender, chosen, policy, relevance)
    filler = None if fallback is None else fitted(str(fallback), train, identity=identity, fold=fold, seed=seed, stage="nc")
    with costs.of("rank"):
        found = rank_targets(
            recommender,
            train,
            test,
            targets=chosen,
            relevance=data.scale.relevance if relevance is None else relevance,
            ties=ties,
            nc=policy,
            fallback=filler,
            list_depth=LIST_DEPTH,
            tie_stream=Stream.of(seed, identity, "ties", fold),
            target_stream=target_stream(seed, identity, fold),
            known=known(data, given, train),
        )
    by_rating = chosen.unit == "rating"
    tables.write_table(positions, tables.RATING_POSITIONS if by_rating else tables.POSITIONS, found.positions)
    tables.write_table(users, tables.RANKED_USERS, found.users)
    tables.write_table(lists, tables.LISTS, found.lists)
    costs.write(cost)


def target_stream(seed: int, identity: str, fold: str) -> Stream:
    """Return the stream that target items are sampled from.

    It does not name the selection: AR and 1R then sample the same items for a user, which bounds one by the other (Bellogín 2012,
    lemma of section 4.3.4).
    """
    return Stream.of(seed, identity, "targets", fold)


def _keep_specs(
    positions: Path, recommender: plugins.Plugin, targets: plugins.Plugin, policy: plugins.Plugin, relevance: float | None
) -> None:
    """Keep each text that a folder's name abbreviates."""
    address = plugins.address("targets", targets.spec)
    if relevance is not None:
        address = address.with_params(**{RELEVANCE: relevance})
    tables.keep_spec(positions.parents[3], plugins.address("recommender", recommender.spec))
    tables.keep_spec(positions.parents[2], address)
    tables.keep_spec(positions.parents[1], plugins.address("nc", policy.spec))
