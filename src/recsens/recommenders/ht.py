"""Hitting time: how soon a random walk from an item reaches the user."""

from typing import ClassVar, Self

import numpy as np
from pydantic import Field
from scipy.sparse import block_array, csr_array
from scipy.sparse.csgraph import connected_components

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders import Bools, Floats, Ints, Preset, Presets, Reals, Recommender, preset_field
from recsens.recommenders._compiled import compiled
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, preferences
from recsens.recommenders._products import sums_of_dense_rows
from recsens.recommenders._rows import Rows

_WIDTH = 32
"""Number of users whose walks are followed together; every edge is then read only once for all of them."""

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

    Ranking takes τ |U| operations for every rating: half a minute for a million ratings, and hours for 20 million.
    """

    source = "Yin, Cui, Li, Yao & Chen (2012), hitting time by truncated sweeps over a subgraph"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"tau": 15, "mu": 3475},
            "Valcarce et al. (2018), HT on MovieLens 1M: P@10 .0067, nDCG@10 .0091; parameters are not released. "
            "μ was chosen to match these two; at greater depth, AP is .0085 (theirs: .0082), R@100 .168 (theirs: .166)",
            calibrated_on_test=True,
        )
    }
    also_called = ("hitting_time",)

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
        edges = self._edges(train)
        if edges.nnz and edges.data.min() < 0:
            raise DesignError(
                f"a random walk cannot use an edge of negative weight {edges.data.min():g}",
                where=f"recommender '{self.spec}'",
                allowed="ratings of 0 and above",
                remedy="leave negative ratings out with a filter, or choose preference=binary",
            )
        _, labels = connected_components(block_array([[None, edges], [edges.T, None]], format="csr"), directed=False)
        users, items = np.split(labels.astype(np.int32), [train.n_users])
        users[np.diff(edges.indptr) == 0] = _NOWHERE
        items[np.bincount(edges.indices, minlength=train.n_items) == 0] = _NOWHERE
        self._learned = {"user_component": users, "item_component": items}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sweep over the graph for some users at a time, with one column per user."""
        edges = self._edges(train)
        of_users, of_items = Rows.of(edges), Rows.of_columns(edges)
        user_component, item_component = self._learned["user_component"], self._learned["item_component"]
        scores = np.full((len(users), train.n_items), np.nan)
        for first in range(0, len(users), _WIDTH):
            walked = np.flatnonzero(user_component[users[first : first + _WIDTH]] != _NOWHERE) + first
            users_in, items_in = np.zeros((train.n_users, _WIDTH)), np.zeros((train.n_items, _WIDTH))
            for column, index in enumerate(walked):
                component = user_component[users[index]]
                found_users, found_items = user_component == component, item_component == component
                if 0 < self.mu < np.count_nonzero(found_items):
                    _search(of_users, of_items, users[index], self.mu, found_users, found_items)
                users_in[:, column], items_in[:, column] = found_users, found_items
            times = self._hitting_times(of_users, of_items, users[walked], users_in, items_in)
            scores[walked] = np.where(items_in, -times, np.nan).T[: len(walked)]
        return scores

    def _edges(self, train: Interactions) -> csr_array:
        """Return the graph's weights w; a rating of 0 is not an edge."""
        edges = preferences(train, self.preference).copy()
        edges.eliminate_zeros()
        return edges

    def _hitting_times(self, of_users: Rows, of_items: Rows, met: Ints, users_in: Floats, items_in: Floats) -> Floats:
        """Return H_τ of all items, one column per user in ``met``, on the subgraphs that the other arguments mark with ones."""
        of_all_users, of_all_items = np.arange(len(users_in)), np.arange(len(items_in))
        user_shares = users_in * sums_of_dense_rows(of_all_users, of_users, items_in)
        item_shares = items_in * sums_of_dense_rows(of_all_items, of_items, users_in)
        for shares in (user_shares, item_shares):
            np.divide(1.0, shares, out=shares, where=shares > 0)
        # Step t updates the items if τ - t is even; the last step therefore updates them. The 1 is the step that leaves a node.
        user_times, item_times = users_in.copy(), items_in.copy()
        user_times[met, np.arange(len(met))] = 0.0
        for step in range(2, self.tau + 1):
            if (self.tau - step) % 2 == 0:
                item_times = sums_of_dense_rows(of_all_items, of_items, user_times)
                item_times *= item_shares
                item_times += items_in
            else:
                user_times = sums_of_dense_rows(of_all_users, of_users, item_times)
                user_times *= user_shares
                user_times += users_in
                user_times[met, np.arange(len(met))] = 0.0
        return item_times


@compiled()
def _search(of_users: Rows, of_items: Rows, user: int, mu: int, users_in: Bools, items_in: Bools) -> None:
    """Mark the users and items that a breadth-first search from ``user`` finds until there are more than ``mu`` items."""
    users_in[:] = False
    items_in[:] = False
    users_in[user] = True
    users, items = np.empty(len(users_in), dtype=np.int64), np.empty(len(items_in), dtype=np.int64)
    users[0] = user
    n_users, n_items, next_user, next_item = 1, 0, 0, 0
    # Levels alternate between users and items, so two queues, one for users and one for items, serve as one.
    while next_user < n_users:
        for index in range(next_user, n_users):
            for n in range(of_users.indptr[users[index]], of_users.indptr[users[index] + 1]):
                item = of_users.indices[n]
                if not items_in[item]:
                    items_in[item] = True
                    items[n_items] = item
                    n_items += 1
            if n_items > mu:
                return
        next_user = n_users
        for index in range(next_item, n_items):
            for n in range(of_items.indptr[items[index]], of_items.indptr[items[index] + 1]):
                other = of_items.indices[n]
                if not users_in[other]:
                    users_in[other] = True
                    users[n_users] = other
                    n_users += 1
        next_item = n_items
