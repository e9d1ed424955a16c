"""Rank: find the position of each judged item in every user's ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import InteractionFiles, RankingFiles
from recsens.artefacts.folds import complete_test, known, read_interactions, read_roles, sides
from recsens.nc import NotComputable
from recsens.ranking import rank as rank_targets
from recsens.recommenders import Recommender, read_model
from recsens.seeds import Stream
from recsens.study.design import RELEVANCE
from recsens.targets import Targets
from recsens.vocabulary import LIST_DEPTH, Ties
from recsens.workflow.costs import Costs
from recsens.workflow.origin import Origin
from recsens.workflow.steps.fit import fitted


class RankingDesign(NamedTuple):
    """What is ranked, and how; each component with every parameter."""

    recommender: str
    targets: str
    relevance: float | None
    """The relevance threshold that the choice of targets depends on; None for the default of the scale."""
    nc: str
    ties: Ties


def rank(
    *,
    data: InteractionFiles,
    roles: str,
    truth: Sequence[str] = (),
    model: str | Sequence[str] = (),
    ranking: RankingFiles,
    cost: str,
    design: RankingDesign,
    origin: Origin,
) -> None:
    """Rank the targets of all users by one system and write positions, counts and the top lists.

    A recommender without a stored model is fitted here, and so is the fallback for items without a score. Where ``truth`` names
    the complete relevance of the data set, that is the test set.
    """
    interactions = read_interactions(data)
    given = read_roles(roles, interactions)
    train, test = sides(interactions, given)
    if truth:
        test = complete_test(interactions, given, truth[0])
    costs = Costs()
    if not isinstance(model, str):
        with costs.of("fit"):
            recommender = fitted(design.recommender, train, origin)
    else:
        recommender = read_model(model, Recommender.build(design.recommender))
    chosen = Targets.build(design.targets)
    policy = NotComputable.build(design.nc)
    fallback = policy.fallback
    _keep_specs(Address.parse(ranking.positions), recommender, chosen, policy, design.relevance)
    filler = None if fallback is None else fitted(str(fallback), train, origin, stage="nc")
    with costs.of("rank"):
        ranked = rank_targets(
            recommender,
            train,
            test,
            targets=chosen,
            relevance=interactions.scale.relevance if design.relevance is None else design.relevance,
            ties=design.ties,
            nc=policy,
            fallback=filler,
            list_depth=LIST_DEPTH,
            tie_stream=origin.stream("ties", origin.fold),
            target_stream=target_stream(origin),
            known=known(interactions, given, train),
        )
    by_rating = chosen.unit == "rating"
    storage.write_table(ranking.positions, schemas.RATING_POSITIONS if by_rating else schemas.POSITIONS, ranked.positions)
    storage.write_table(ranking.users, schemas.RANKED_USERS, ranked.users)
    storage.write_table(ranking.lists, schemas.LISTS, ranked.lists)
    costs.write(cost)


def target_stream(origin: Origin) -> Stream:
    """Return the stream that target items are sampled from.

    Its name does not hold the choice of targets, so AR and 1R sample the same items for a user, and one bounds the other (Bellogín
    2012, lemma of section 4.3.4).
    """
    return origin.stream("targets", origin.fold)


def _keep_specs(
    ranking: Address, recommender: plugins.Plugin, targets: plugins.Plugin, policy: plugins.Plugin, relevance: float | None
) -> None:
    """Store the full text of each folder name that abbreviates a spec."""
    address = plugins.address("targets", targets.spec)
    if relevance is not None:
        address = address.with_params(**{RELEVANCE: relevance})
    storage.keep_spec(ranking.up_to("recommender").folder, plugins.address("recommender", recommender.spec))
    storage.keep_spec(ranking.up_to("targets").folder, address)
    storage.keep_spec(ranking.up_to("nc").folder, plugins.address("nc", policy.spec))
