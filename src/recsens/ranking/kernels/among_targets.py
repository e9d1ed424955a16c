"""Rank targets, without sorting all scores."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit
from recsens.ranking.kernels.cells import NUMBER, cell_of, deal, empty_cells, mark, spacing_for
from recsens.ranking.kernels.groups import empty_groups, gather, place
from recsens.ranking.kernels.heads import empty_head, list_first
from recsens.ranking.kernels.tie_keys import tie_key


class JudgedInLayer(NamedTuple):
    """Judged items of a block of users; row b has the items ``items[indptr[b]:indptr[b + 1]]``."""

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    is_wanted: NDArray[np.bool_]
    """Which of these items are ranked if they have a value."""


class Stands(NamedTuple):
    """Positions of judged items, all of shape (n,); 0 for an unranked item."""

    above: NDArray[np.int32]
    tied: NDArray[np.int32]
    position: NDArray[np.int32]


@njit()
def rank_apart(values, is_target, judged, others, first, last, ties, stands, ranked):
    """Rank each judged item among its own targets, and below the items already ranked.

    Item j is ranked among the items in ``others[first[j]:last[j]]`` that are targets of its user and have a value; -1 ends the list
    early. ``ranked`` gives the number of these other items for each item j. The other parameters are as in `rank_targets`.
    """
    for b in range(len(values)):
        row, user = values[b], ties.users[b]
        for j in range(judged.indptr[b], judged.indptr[b + 1]):
            item = judged.items[j]
            higher, tied, ahead, n_ranked = 0, 0, 0, 0
            for other in others[first[j] : last[j]]:
                if other < 0:
                    break
                if not is_target[b, other] or np.isnan(row[other]) or other == item:
                    continue
                n_ranked += 1
                higher += row[other] > row[item]
                if row[other] == row[item]:
                    tied += 1
                    ahead += tie_key(other, user, ties) < tie_key(item, user, ties)
            if judged.is_wanted[j] and not np.isnan(row[item]):
                stands.above[j] = ranked[j] + higher
                stands.tied[j] = tied
                stands.position[j] = ranked[j] + higher + ahead + 1
            ranked[j] += n_ranked


@njit(error_model="numpy")
def rank_targets(values, is_target, judged, ties, stands, ranked, heads):
    """Rank the targets that have a value, below items already ranked, for a block of users; find the positions of judged items.

    Parameters
    ----------
    values, is_target
        The values by which items are ranked, NaN for an item without a value, and the targets, both of shape (n_users, n_items).
    judged
        The judged items. Judged items need not be targets: under 1R, a judged item is ranked among targets that do not include it.
    ties
        The inputs of the tie keys.
    stands
        Receives the positions of the judged items that are to be ranked and have a value.
    ranked
        The number of items already ranked for each user; this call adds the number of items that it ranks.
    heads
        The first items of each ranking, shape (n_users, depth); this call appends items until the depth is reached.
    """
    cells = empty_cells(values.shape[1])
    n_cells = len(cells.numbers)
    groups, head = empty_groups(values.shape[1], n_cells), empty_head(values.shape[1])
    cell_of_judged = np.empty(len(judged.items), dtype=np.uint16)
    for b in range(len(values)):
        row, user, first, last = values[b], ties.users[b], judged.indptr[b], judged.indptr[b + 1]
        spacing = spacing_for(row, n_cells)
        for j in range(first, last):
            cell_of_judged[j] = cell_of(row[judged.items[j]], judged.is_wanted[j], spacing)
        mark(cell_of_judged[first:last], cells)
        n_found = deal(row, is_target[b], spacing, cells)
        before, n_ranked = ranked[b], np.int64(cells.higher[0] & NUMBER)
        gather(row, user, ties, cell_of_judged[first:last], n_found, cells, groups)
        place(judged, cell_of_judged, first, last, row, user, ties, cells, groups, is_target[b], before, stands)
        n_listed = max(0, min(heads.shape[1] - before, n_ranked))
        list_first(row, user, ties, n_listed, cells, head)
        heads[b, before : before + n_listed] = head.items[:n_listed]
        ranked[b] += n_ranked
