"""Hitting time: how soon a random walk from an item reaches the user."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import block_array, csr_array
from scipy.sparse.csgraph import connected_components

from recsens.data.interactions import Interactions
from recsens.plugins.frozen import frozen
from recsens.recommenders import (
    Floats,
    Ids,
    Ints,
    Reals,
    Recommender,
    SearchSpace,
    preset_field,
    valcarce2018_ml1m,
)
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, refuse_negative, zero_filled
from recsens.recommenders._products import WIDTH, empty_panel, set_sums_of_rows, sums_of_dense_rows

Words = NDArray[np.uint64]


class Neighbours(NamedTuple):
    """The neighbours of every node, as words of 64 bits, of which only those with neighbours are stored.

    A search mostly meets neighbours that it has found before, and a word tells this of 64 neighbours at once.

    Attributes
    ----------
    indptr
        The words of node r are at ``indptr[r]:indptr[r + 1]``, shape (n_nodes + 1,).
    places
        Numbers of the words, ascending within a node; word w has the bits of the neighbours 64 w to 64 w + 63.
    words
        The bits of the neighbours, the lowest bit first.
    """

    indptr: Ints
    places: Ids
    words: Words

    @classmethod
    def of(cls, rows: Rows) -> Neighbours:
        """Return the neighbours that have an entry in a node's row."""
        node, place = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr)), rows.indices >> 6
        first = np.flatnonzero((np.diff(node, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0))
        words = np.bitwise_or.reduceat(np.uint64(1) << (rows.indices & 63).astype(np.uint64), first)
        return cls(frozen(np.searchsorted(first, rows.indptr)), frozen(place[first]), frozen(words))


@compiled()
def search_around(of_users: Neighbours, of_items: Neighbours, user: np.int64, most: int) -> tuple[Ints, Ints]:
    """Return the users and items that a breadth-first search from ``user`` finds until there are more than ``most`` items."""
    n_users, n_items = len(of_users.indptr) - 1, len(of_items.indptr) - 1
    users, seen_users = np.empty(n_users, dtype=np.int64), np.zeros(n_users // 64 + 1, dtype=np.uint64)
    items, seen_items = np.empty(n_items, dtype=np.int64), np.zeros(n_items // 64 + 1, dtype=np.uint64)
    users[0] = user
    seen_users[user >> 6] = np.uint64(1) << np.uint64(user & 63)
    n_users, n_items = _search_breadth_first(of_users, of_items, most, users, items, seen_users, seen_items)
    return users[:n_users], items[:n_items]


@compiled(allocates=False)
def _search_breadth_first(
    of_users: Neighbours, of_items: Neighbours, most: int, users: Ints, items: Ints, seen_users: Words, seen_items: Words
) -> tuple[int, int]:
    """Append what is found to ``users`` and ``items``, and return the numbers of both."""
    n_users, n_items, next_user, next_item = 1, 0, 0, 0
    # Levels alternate between users and items, so two queues, one for users and one for items, serve as one.
    while next_user < n_users:
        for index in range(next_user, n_users):
            n_items = _append_unseen(of_users, users[index], seen_items, items, n_items)
            if n_items > most:
                return n_users, n_items
        next_user = n_users
        for index in range(next_item, n_items):
            n_users = _append_unseen(of_items, items[index], seen_users, users, n_users)
        next_item = n_items
    return n_users, n_items


@compiled(allocates=False)
def _append_unseen(neighbours: Neighbours, node: np.int64, seen: Words, queue: Ints, n: int) -> int:
    """Append a node's neighbours that were not seen before to a queue of n, in ascending order; return its new length."""
    for nth in range(neighbours.indptr[node], neighbours.indptr[node + 1]):
        place = neighbours.places[nth]
        unseen = neighbours.words[nth] & ~seen[place]
        seen[place] |= unseen
        while unseen != 0:
            lowest = unseen & (~unseen + np.uint64(1))
            # The binary exponent of 2ⁿ is n + 1.
            queue[n] = 64 * place + math.frexp(np.float64(lowest))[1] - 1
            n += 1
            unseen ^= lowest
    return n


_NOWHERE = -1


class HT(Recommender):
    """s(u, i) = -H_τ(u|i), minus the expected number of steps, at most τ, of a random walk from item i until it reaches user u.

    The walk is on the undirected graph of users and items. Its edges have the ratings as weights w: from a node, the walk goes to a
    neighbour with probability w / Σ w. H_0 = 0, H_t(u|u) = 0 and H_t(u|x) = 1 + Σ_y p(y|x) H_{t-1}(u|y); as τ grows, H approaches
    the hitting time. Users and items alternate along a walk, so only every second H is needed for items.

    With μ > 0 the walk stays in a subgraph around the user. A breadth-first search, through neighbours in ascending order, adds all
    neighbours of one node after another and stops when there are more than μ items. Edges that leave the subgraph are cut.

    Items with few ratings rank high; this is intended, because the recommender is meant for the long tail. Items outside the
    subgraph, items that are not connected with the user, and users and items without train ratings above 0 are not computable.

    Ranking takes τ |U| operations for every rating: some ten seconds for a million ratings, and hours for 20 million.
    """

    source = "Yin, Cui, Li, Yao & Chen (2012), hitting time by truncated sweeps over a subgraph"
    draws = False
    presets = valcarce2018_ml1m(
        {"tau": 15, "mu": 3475},
        "Valcarce et al. (2018), HT on MovieLens 1M: P@10 .0067, nDCG@10 .0091; parameters are not released. "
        "μ was chosen to match these two; at greater depth, AP is .0085 (theirs: .0082), R@100 .168 (theirs: .166)",
    )
    also_called = ("hitting_time",)
    search_space = SearchSpace("preference=[rating,binary],tau=log_uniform(low=2,high=100)", "around the τ of Yin et al. (2012)")

    tau: int = Field(15, ge=1, le=10_000, description="number τ of sweeps, the maximum length of walks")
    mu: int = Field(0, ge=0, description="number μ of items beyond which a user's subgraph does not grow; 0: whole graph")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the connected components of users and items.

        Raises
        ------
        DesignError
            If a rating is negative.
        """
        edges = zero_filled(train, self.preference)
        problem = "a random walk cannot use an edge of negative weight {:g}"
        refuse_negative(edges.data, self, problem, "leave negative ratings out with a filter, or choose preference=binary")
        _, labels = connected_components(block_array([[None, edges], [edges.T, None]], format="csr"), directed=False)
        users, items = np.split(labels.astype(np.int32), [train.n_users])
        users[np.diff(edges.indptr) == 0] = _NOWHERE
        items[np.bincount(edges.indices, minlength=train.n_items) == 0] = _NOWHERE
        self._learned = {"user_component": users, "item_component": items}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sweep over the graph for some users at a time, with one column per user."""
        graph = train.once(("graph", self.preference), lambda: _Graph.of(zero_filled(train, self.preference)))
        scores = np.full((len(users), train.n_items), np.nan)
        of_component = self._learned["user_component"][users]
        for first in range(0, len(users), WIDTH):
            # Every edge is read only once for all users whose walks are followed together.
            walked = np.flatnonzero(of_component[first : first + WIDTH] != _NOWHERE) + first
            users_in, items_in = empty_panel(train.n_users, WIDTH), empty_panel(train.n_items, WIDTH)
            for column, index in enumerate(walked):
                found_users, found_items = self._subgraph(graph, users[index], of_component[index])
                users_in[found_users, column] = items_in[found_items, column] = 1.0
            times = self._hitting_times(graph, users[walked], users_in, items_in)
            scores[walked] = np.where(items_in, -times, np.nan).T[: len(walked)]
        return scores

    def _subgraph(self, graph: _Graph, user: np.int64, component: np.int32) -> tuple[Ints, Ints]:
        """Return the users and items of a user's subgraph."""
        items = np.flatnonzero(self._learned["item_component"] == component)
        if 0 < self.mu < len(items):
            return search_around(graph.around_users, graph.around_items, user, self.mu)
        return np.flatnonzero(self._learned["user_component"] == component), items

    def _hitting_times(self, graph: _Graph, met: Ints, users_in: Floats, items_in: Floats) -> Floats:
        """Return H_τ of all items, one column per user in ``met``, on the subgraphs that the other arguments mark with ones."""
        of_all_users, of_all_items = np.arange(len(users_in)), np.arange(len(items_in))
        user_shares = users_in * sums_of_dense_rows(of_all_users, graph.of_users, items_in)
        item_shares = items_in * sums_of_dense_rows(of_all_items, graph.of_items, users_in)
        for shares in (user_shares, item_shares):
            np.divide(1.0, shares, out=shares, where=shares > 0)
        user_times, item_times = empty_panel(*users_in.shape), empty_panel(*items_in.shape)
        user_times[:], item_times[:] = users_in, items_in
        user_times[met, np.arange(len(met))] = 0.0
        # Step t updates the items if τ - t is even; the last step therefore updates them.
        for step in range(2, self.tau + 1):
            if (self.tau - step) % 2 == 0:
                _update_times(graph.of_items, user_times, item_shares, items_in, item_times)
            else:
                _update_times(graph.of_users, item_times, user_shares, users_in, user_times)
                user_times[met, np.arange(len(met))] = 0.0
        return item_times


class _Graph(NamedTuple):
    """The weights w by users and by items, and the neighbours of users and of items."""

    of_users: Rows
    of_items: Rows
    around_users: Neighbours
    around_items: Neighbours

    @classmethod
    def of(cls, edges: csr_array) -> _Graph:
        of_users, of_items = Rows.of(edges), Rows.of_columns(edges)
        return cls(of_users, of_items, Neighbours.of(of_users), Neighbours.of(of_items))


@compiled(allocates=False)
def _update_times(rows: Rows, times: Floats, shares: Floats, inside: Floats, out: Floats) -> None:
    """Set ``out`` to 1 + Σ_y p(y|x) H(y) in the subgraphs, for all x; the 1 is the step that leaves x."""
    for row in range(len(out)):
        start, end = rows.indptr[row], rows.indptr[row + 1]
        sums = out[row]
        set_sums_of_rows(rows.indices[start:end], rows.values[start:end], times, sums)
        for column in range(len(sums)):
            sums[column] = sums[column] * shares[row, column] + inside[row, column]
