"""Novelty and diversity over time: what a user's list shows that earlier lists, of systems trained on less, did not.

TemporalDiversity: Share of a list that the user's previous list did not show.
TemporalNovelty: Share of a list that none of the user's earlier lists showed.
Future: Share of recommendations from the future.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from recsens.errors import DesignError
from recsens.metrics import Floats, Ints, Judged, ListMetric, Lists


class _OverTime(ListMetric):
    """The share of the first n items that are not among the first n items of earlier lists."""

    source = "Lathia et al. (2010), Temporal diversity in recommender systems; Bellogín (2012), section 3.2.3"
    reads_earlier = True
    ignores: ClassVar = frozenset({"relevance"})

    @abstractmethod
    def _lists_to_compare(self, earlier: Sequence[Lists]) -> Iterable[Lists]:
        """Choose among the lists of earlier folds, the oldest first."""

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the items that the chosen earlier lists lack, at each cut-off.

        Raises
        ------
        DesignError
            If the rankings are not of a fold of a split whose folds follow each other in time.
        """
        if lists.earlier is None:
            raise DesignError(
                f"metric '{self.spec}' compares a user's lists at successive times, but here is one list per user",
                allowed="a study with the split 'rolling'",
            )
        compared = [each for each in self._lists_to_compare(lists.earlier) if len(each.item)]
        is_compared = np.isin(lists.users, np.concatenate([lists.users[:0], *(each.users[each.lengths > 0] for each in compared)]))
        values = np.empty((lists.n_users, len(cutoffs)))
        for column, n in enumerate(cutoffs):
            shown = np.concatenate([np.empty(0, dtype=np.int64), *(_shown_pairs(each, n) for each in compared)])
            is_new = (lists.ranks <= n) & ~np.isin(_shown_pairs(lists, lists.catalogue.n_items), shown)
            values[:, column] = np.bincount(np.repeat(np.arange(lists.n_users), lists.lengths)[is_new], minlength=lists.n_users)
        return np.where(is_compared[:, np.newaxis], values / np.maximum(lists.shown(cutoffs), 1), np.nan)


def _shown_pairs(lists: Lists, n: int) -> Ints:
    """Return a number for each pair of a user and one of the first n items of the user's list."""
    user = np.repeat(lists.users, lists.lengths).astype(np.int64)
    return np.asarray((user * lists.catalogue.n_items + lists.item)[lists.ranks <= n])


class TemporalDiversity(_OverTime):
    """TD@n = |{i in L_t^n : i not in L_s^n}| / min(n, |L_t|), where L_s is the user's previous list: how much a list has changed.

    L_t is the list on a fold of a split whose folds follow each other in time (`rolling`), and L_s that of the latest earlier fold
    on which the user has train ratings and a list, tested there or not. What a user rated between two folds is no longer
    recommended, so it counts as change. Users without an earlier list are left out, and so is the first fold. The source divides by
    n, which is the same unless lists are shorter. Range [0, 1]; 0 if nothing changed, and for an empty list.
    """

    label = "TemporalDiversity"

    def _lists_to_compare(self, earlier: Sequence[Lists]) -> Iterable[Lists]:
        seen = np.zeros(0, dtype=np.int64)
        for lists in reversed(earlier):
            is_latest = (lists.lengths > 0) & ~np.isin(lists.users, seen)
            seen = np.concatenate([seen, lists.users[is_latest]])
            yield lists.of_users(is_latest)


class TemporalNovelty(_OverTime):
    """TN@n = |{i in L_t^n : i in none of L_1^n, ..., L_{t-1}^n}| / min(n, |L_t|): how much of a list was never shown before.

    The lists are those of `TemporalDiversity`, whose remarks apply; here, an item is known if any earlier list of the user showed
    it among its first n. Range [0, 1]; 0 if everything was shown before, and for an empty list.
    """

    label = "TemporalNovelty"

    def _lists_to_compare(self, earlier: Sequence[Lists]) -> Iterable[Lists]:
        return earlier


class Future(ListMetric):
    """Future@n = |{i in L^n : b_i > t_u}| / min(n, |L|): the share of shown items that did not exist when the user's test began.

    The test begins at t_u, the time of the user's first test rating. An item exists from b_i on, the time of its first rating by
    any user, in train, test or neither. A value above 0 means that the split leaks the future to recommenders, because no system
    could have made such a list at that time. Range [0, 1]; 0 for an empty list. Users without test ratings have no t_u and are left
    out of the average.
    """

    label = "Future"
    source = "Ji et al. (2023), A critical study on data leakage in recommender system offline evaluation"
    higher_is_better = False
    is_descriptive = True
    needs_timestamps = True
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Compute the share of shown items that appeared after the user's test began.

        Raises
        ------
        DesignError
            If the data have no time stamps.
        """
        moments = lists.catalogue.moments
        if moments is None:
            raise DesignError(
                f"metric '{self.spec}' compares times, but these data have no time stamps", allowed="data with time stamps"
            )
        tested = moments.tested_from[lists.users]
        is_future = moments.first_rated[lists.item] > np.repeat(tested, lists.lengths)
        so_far = np.concatenate([[0], np.cumsum(is_future)])
        shown = lists.shown(cutoffs)
        found = so_far[lists.starts[:-1, np.newaxis] + shown] - so_far[lists.starts[:-1], np.newaxis]
        return np.where(np.isnan(tested)[:, np.newaxis], np.nan, found / np.maximum(shown, 1))
