"""The recommendation lists of all users, data about items, and the contract of metrics that read them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from recsens.arrays import Bools, Floats, Ids, Ints, read_only
from recsens.errors import DesignError
from recsens.metrics._base import Metric, capped, check_values, share
from recsens.metrics._judged import Judged
from recsens.metrics._kernels import count_joint, count_listed
from recsens.plugins.frozen import Frozen, frozen_property
from recsens.plugins.own import returns


@dataclass(frozen=True)
class Moments(Frozen):
    """When items appeared and users were tested, in the unit of the data's time stamps.

    Attributes
    ----------
    first_rated
        Time of each item's first rating by any user, in train, test or neither, shape (n_items,); NaN if no user rated it.
    tested_from
        Time of each user's first test rating, shape (n_users,); NaN for a user without test ratings.
    """

    first_rated: Floats
    tested_from: Floats

    @classmethod
    def of(cls, user: Ids, item: Ids, time: Ints, is_test: Bools, shape: tuple[int, int]) -> Moments:
        """Compute the times from a data set's interactions, given their times and whether they are in test, all of shape (n,).

        ``shape`` contains the numbers of users and items.
        """
        return cls(_earliest_times(item, time, shape[1]), _earliest_times(user[is_test], time[is_test], shape[0]))


def _earliest_times(code: Ids, time: Ints, n: int) -> Floats:
    earliest = np.full(n, np.inf)
    np.minimum.at(earliest, code, time.astype(np.float64))
    return np.where(np.isinf(earliest), np.nan, earliest)


@dataclass(frozen=True)
class Catalogue(Frozen):
    """Data about items that do not depend on a ranking. Only train ratings are used.

    Attributes
    ----------
    user, item
        User and item of each train rating, in any order, shape (n,).
    n_users, n_items
        Numbers of users and items in the data set, with or without train ratings.
    columns
        The columns of the data set's table of items that the metric requests.
    moments
        When items appeared and users were tested; None if the metric does not use these times, or if the data have no time stamps.
    """

    user: Ids
    item: Ids
    n_users: int
    n_items: int
    columns: Mapping[str, Sequence[Any]]
    moments: Moments | None = None

    @frozen_property
    def raters(self) -> Ints:
        """Each item's number of users with a train rating, shape (n_items,)."""
        return np.bincount(self.item, minlength=self.n_items).astype(np.int64)

    @frozen_property
    def profile_sizes(self) -> Ints:
        """Each user's number of train ratings, shape (n_users,)."""
        return np.bincount(self.user, minlength=self.n_users).astype(np.int64)

    @property
    def n_active(self) -> int:
        """Number of users with a train rating."""
        return int(np.count_nonzero(self.profile_sizes))

    def by_item(self) -> csr_array:
        """Train ratings as a matrix of ones, shape (n_items, n_users)."""
        ones = np.ones(len(self.item), dtype=np.int8)
        return csr_array((ones, (self.item, self.user)), shape=(self.n_items, self.n_users))

    def words(self, name: str) -> csr_array:
        """Return items' words in a column as a matrix of ones, shape (n_items, n_words); a single word counts as a list of one.

        Raises DesignError if the column contains neither words nor lists of words.
        """
        column, words = self.columns[name], dict[str, int]()
        rows, columns = [], []
        for item, entry in enumerate(column):
            own = [] if entry is None else [entry] if isinstance(entry, str) else entry
            if not isinstance(own, list | tuple) or not all(isinstance(word, str) for word in own):
                raise DesignError(
                    f"the column '{name}' of the table of items holds {entry!r}", allowed="a column of words, or of lists of words"
                )
            for word in dict.fromkeys(own):
                rows.append(item)
                columns.append(words.setdefault(word, len(words)))
        return csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(column), max(len(words), 1)))


@dataclass(frozen=True)
class Lists(Frozen):
    """The top of every user's ranking, best first.

    Attributes
    ----------
    item
        Items of the lists, user by user, shape (n,).
    starts
        Index of each user's first item in `item`, then the length of `item`, shape (n_users + 1,).
    catalogue
        Data about the items.
    users
        Code of each list's user in the catalogue, shape (n_users,).
    earlier
        The same recommender's lists on earlier folds of the same split, the oldest first, for users with train ratings there; None
        unless a metric reads them, and where folds do not follow each other in time.
    """

    item: Ids
    starts: Ints
    catalogue: Catalogue
    users: Ints
    earlier: tuple[Lists, ...] | None = None

    @property
    def n_users(self) -> int:
        """Number of users, with or without a list."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """Length of each list, shape (n_users,)."""
        return np.diff(self.starts)

    def shown(self, cutoffs: tuple[int, ...]) -> Ints:
        """Count the items in each list down to each cut-off, shape (n_users, n_cutoffs)."""
        return np.asarray(np.minimum(self.lengths[:, np.newaxis], np.asarray(cutoffs)))

    def of_users(self, kept: Bools) -> Lists:
        """Keep the lists of users in a mask of shape (n_users,), as if other users did not exist; the catalogue stays the same."""
        if kept.all():
            return self
        starts = np.concatenate([[0], np.cumsum(self.lengths[kept])]).astype(np.int64)
        return replace(self, item=self.item[np.repeat(kept, self.lengths)], starts=starts, users=self.users[kept])

    @property
    def ranks(self) -> Ints:
        """Rank of each item in its list, counted from 1, shape (n,)."""
        return np.asarray(np.arange(len(self.item)) - np.repeat(self.starts[:-1], self.lengths) + 1)

    def means(self, worth: Floats, cutoffs: tuple[int, ...]) -> Floats:
        """Average the worth of the first items in each list, shape (n_users, n_cutoffs); 0 for an empty list.

        ``worth`` has shape (n_items,). A list shorter than a cut-off is averaged over its own length.
        """
        return self.weighted_means(worth[self.item], np.ones(len(self.item)), cutoffs)

    def weighted_means(self, worth: Floats, weights: Floats, cutoffs: tuple[int, ...]) -> Floats:
        """Average like `means`, given the worth and the weight of each item in its list, both of shape (n,)."""
        user, ranks, means = np.repeat(np.arange(self.n_users), self.lengths), self.ranks, np.empty((self.n_users, len(cutoffs)))
        for column, cutoff in enumerate(cutoffs):
            near = ranks <= cutoff
            total, mass = (np.bincount(user[near], each[near], self.n_users) for each in (weights * worth, weights))
            means[:, column] = share(total, mass)
        return means

    def counts(self, cutoff: int) -> Ints:
        """For each item, count the lists in which it is among the first ``cutoff`` items, shape (n_items,)."""
        counts = np.zeros(self.catalogue.n_items, dtype=np.int64)
        count_listed(read_only(self.item), self.starts, cutoff, counts)
        return counts


class ListMetric(Metric):
    """A measure of the recommended items: the first items of every user's ranking, judged or not.

    Lists contain at most `recsens.vocabulary.LIST_DEPTH` items. A condensed list contains only the judged items.
    """

    reads = "lists"
    takes_cutoff = "always"
    needs_timestamps: ClassVar[bool] = False
    """Whether the metric reads `Catalogue.moments`."""

    @property
    def item_columns(self) -> tuple[str, ...]:
        """Columns of the table of items that `Catalogue.columns` must contain."""
        return ()

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Raise an error, because the positions of judged items do not show which other items were recommended.

        Raises
        ------
        DesignError
            Always.
        """
        raise DesignError(
            f"metric '{self.spec}' reads recommendation lists and the train set, which are not known here",
            allowed="metrics of judged positions, such as P, nDCG or RBP",
        )

    @abstractmethod
    @returns(check_values)
    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return the values of all users at all cut-offs, shape (n_users, n_cutoffs), or (1, n_cutoffs) if pooled.

        ``judged`` contains the judged items of the same users; position k is rank k in the list.
        """


class ItemCountMetric(ListMetric):
    """A pooled measure of how many lists contain each item, and of nothing else.

    Lists can therefore be exchanged between two systems, user by user, without reading any list again: item counts add up over
    users.
    """

    unit = "pooled"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the lists that contain each item down to each cut-off."""
        n_lists = np.array([np.count_nonzero(lists.lengths)])
        values = [self.of_counts(lists.counts(n)[np.newaxis], n_lists, n, lists.catalogue) for n in cutoffs]
        return np.stack(values, axis=1, dtype=np.float64)

    @abstractmethod
    def of_counts(self, counts: Ints, n_lists: Ints, cutoff: int, catalogue: Catalogue) -> Floats:
        """Return the values of several sets of lists, shape (n_sets,).

        Parameters
        ----------
        counts
            In each set, the number of lists with each item among the first ``cutoff``, shape (n_sets, n_items).
        n_lists
            Number of lists with any item in each set, shape (n_sets,).
        cutoff, catalogue
            The cut-off, and data about the items.
        """


PERSISTENCE = 0.9
"""φ of RBO, which gives the first ten items .86 of the weight."""


class Heads(NamedTuple):
    """The top of every user's ranking, best first.

    Attributes
    ----------
    item
        The items, user by user, shape (n,).
    starts
        Index of each user's first item in ``item``, then the length of ``item``, shape (n_users + 1,).
    """

    item: Ids
    starts: Ints


class Overlap(NamedTuple):
    """Similarities between each user's two lists at a cut-off, all of shape (n_users,); NaN for a user who lacks a list.

    Attributes
    ----------
    overlap
        |A ∩ B| / min(n, max(|A|, |B|)): the number of items in both lists, divided by n or, if both lists are shorter than n, by
        the length of the longer list.
    jaccard
        |A ∩ B| / |A ∪ B|.
    rbo
        Rank-biased overlap, extrapolated from the first n items: 1 if both lists have the same order, 0 if they share no item.
    """

    overlap: Floats
    jaccard: Floats
    rbo: Floats


def overlaps(a: Heads, b: Heads, cutoffs: tuple[int, ...], *, phi: float = PERSISTENCE) -> list[Overlap]:
    """Compare two recommenders' lists for the same users, at each cut-off.

    RBO is RBO_ext of Webber, Moffat & Zobel (2010); if one list is shorter, it is computed by their equation 32.
    """
    depth = max(cutoffs)
    joint = np.empty((len(a.starts) - 1, depth), dtype=np.int32)
    n_items = int(max(a.item.max(initial=-1), b.item.max(initial=-1))) + 1
    count_joint(read_only(a.item), a.starts, read_only(b.item), b.starts, np.zeros(n_items, dtype=np.int64), joint)
    return [_at(joint, np.diff(a.starts), np.diff(b.starts), n, phi) for n in cutoffs]


def _at(joint: Ids, length_a: Ints, length_b: Ints, n: int, phi: float) -> Overlap:
    is_both = (length_a > 0) & (length_b > 0)
    a, b = (np.minimum(length[is_both], n) for length in (length_a, length_b))
    shorter, longer = np.minimum(a, b), np.maximum(a, b)
    shared = joint[is_both, :n].astype(np.float64)
    rows, d = np.arange(len(a)), np.arange(1, n + 1)
    all_shared, early = shared[rows, longer - 1], shared[rows, shorter - 1]
    # Beyond the end of the shorter list, the share of common items is assumed to stay the same.
    missing = early[:, np.newaxis] * np.maximum(d - shorter[:, np.newaxis], 0) / shorter[:, np.newaxis]
    agreement = np.where(d <= longer[:, np.newaxis], (shared + missing) / d, 0.0)
    rbo = (1 - phi) / phi * (agreement @ phi**d) + ((all_shared - early) / longer + early / shorter) * phi**longer
    measures = np.full((3, len(is_both)), np.nan)
    measures[:, is_both] = all_shared / longer, all_shared / (a + b - all_shared), capped(rbo, 1.0)
    return Overlap(*measures)
