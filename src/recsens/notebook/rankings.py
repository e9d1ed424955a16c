"""Rankings: the positions of every user's judged items."""

import logging
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from recsens.data.interactions import Interactions
from recsens.errors import DesignError, check_word
from recsens.files.scale import Scale, check_on_scale
from recsens.notebook.arguments import one_blas_thread, read_component, refuse_other, whole_number
from recsens.notebook.folds import Side
from recsens.notebook.models import Model
from recsens.notebook.shown_tables import ranking_frame, sample_of, users_frame
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.pipeline.ranking import prepare_ranking
from recsens.ranking import Rankings
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.report.alerts import shortage
from recsens.report.html.templates import cell
from recsens.seeds import Origin
from recsens.study.design import Design
from recsens.vocabulary import LIST_DEPTH, Ties

log = logging.getLogger(__name__)

_ANY = Scale(-np.inf, np.inf, 0.0)


@dataclass(frozen=True)
class UserRankings:
    """The rankings of one model for all users.

    Attributes
    ----------
    model
        The model that made the rankings.
    arrays
        Positions, counts and lists as arrays.
    design
        Every decision made so far.
    list_depth
        Length of the stored lists.
    """

    model: Model
    arrays: Rankings
    design: Design
    list_depth: int

    @property
    def positions(self) -> pd.DataFrame:
        """One row per user and judged item: rating, score, numbers of items above and of tied items, position and state.

        ``state`` is scored, filled (ranked by ``nc``), nc (not computable and left out) or outside_targets; items that are not
        ranked have no position. Under 1R there is one row per relevant test rating.
        """
        return ranking_frame(self.arrays.positions, self.model.fold.ratings.interactions)

    @property
    def lists(self) -> pd.DataFrame:
        """The top of each ranking, best first: user, rank, item, score. Empty under 1R, where a user has many rankings."""
        return ranking_frame(self.arrays.lists, self.model.fold.ratings.interactions)

    @property
    def users(self) -> pd.DataFrame:
        """One row per user: numbers of train, test, target and ranked (``scored``) items, and of items that ``nc`` filled in."""
        return users_frame(self.arrays.users, self.model.fold.ratings.interactions)

    @cached_property
    def judged(self) -> RankedUsers:
        """The judged positions as metrics read them."""
        return RankedUsers.of(self.arrays, self.model.fold.ratings.interactions.scale)

    def __repr__(self) -> str:
        users, positions = self.arrays.users, self.arrays.positions
        has_targets = users["targets"] > 0
        none, n = np.count_nonzero(has_targets & (users["scored"] == 0)), np.count_nonzero(has_targets)
        unranked, judged = np.count_nonzero(np.ma.getmaskarray(positions["position"])), len(positions["user"])
        return (
            f"<{self.model.recommender.spec} on {self.model.fold.name}: of {n:,} users with targets, {none:,} have no ranking; "
            f"of {judged:,} judged items, {unranked:,} are not ranked>"
        )

    def _repr_html_(self) -> str:
        return cell(repr(self).strip("<>"), tables=[sample_of(self.positions, "Positions of judged items")])


def threshold_for(relevance: float, data: Interactions) -> float:
    """Return a relevance threshold after checking that it lies on the rating scale; without ratings, any number is allowed.

    Raises
    ------
    DesignError
        If the threshold lies outside the scale, or is not a number.
    """
    return check_on_scale(relevance, _ANY if data.rating is None else data.scale)


def rank(
    model: Model,
    test: Side,
    *,
    targets: str | Targets = "ar",
    nc: str | NotComputable = "drop",
    ties: Ties = "random",
    relevance: float | None = None,
    list_depth: int = LIST_DEPTH,
) -> UserRankings:
    """Rank every user's targets, and record the positions of judged items, which are the user's test ratings.

    All models rank the same targets and break ties in the same way, because both are drawn from streams of the fold.

    Parameters
    ----------
    model
        The model, fitted on the train set of the fold.
    test
        The test set of the same fold.
    targets, nc, ties
        As in a study: which items are ranked, how items without a score are treated, and the order of equal scores.
    relevance
        Lowest relevant rating; by default, the data set's threshold. Metrics use the same threshold.
    list_depth
        Length of the stored lists.

    Raises
    ------
    SpecError
        If there is no such component (the message suggests the nearest name), or if a parameter is invalid.
    DesignError
        If the data do not allow these targets, or if model and test set belong to different folds.
    """
    refuse_other("the model", model, Model, "recsens.fit(...)")
    refuse_other("the test set", test, Side, "train, test = recsens.split(...)")
    fold = model.fold
    if test.role != "test" or not test.fold.is_same(fold):
        what = f"the {test.role} set" if test.role != "test" else f"a test set of another fold ({test.fold!r})"
        raise DesignError(f"a ranking is judged on the test set of the model's own fold, not on {what}", allowed=repr(fold.test))
    check_word("ties", ties, Ties)
    list_depth = whole_number("list_depth", list_depth)
    data = fold.ratings.interactions
    chosen, policy = read_component("targets", targets, Targets.build), read_component("nc", nc, NotComputable.build)
    if relevance is not None:
        relevance = threshold_for(relevance, data)
    threshold = data.scale.threshold(relevance)
    try:
        chosen.check(fold.known, test.interactions, threshold)
    except DesignError as error:
        raise error.at(f"targets '{chosen.spec}'") from error
    if (samples := chosen.samples(fold.known, test.interactions, threshold)) and (short := shortage(samples)):
        log.warning("targets '%s': %s", chosen.spec, short)
    with one_blas_thread():
        rank_all = prepare_ranking(
            model.recommender,
            fold.train.interactions,
            test.interactions,
            targets=chosen,
            relevance=threshold,
            nc=policy,
            ties=ties,
            known=fold.known,
            origin=Origin(fold.design.seed, fold.ratings.identity, fold.name),
            list_depth=list_depth,
        )
        arrays = rank_all()
    design = fold.design.replaced(targets=chosen.spec, nc=policy.spec, ties=ties, relevance=relevance)
    return UserRankings(model, arrays, design, list_depth)
