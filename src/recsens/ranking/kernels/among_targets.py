"""Rank targets, without sorting all scores."""

import numpy as np

from recsens.compiled.machine_code import njit
from recsens.ranking.kernels.cells import NUMBER, cell_of, deal, empty_cells, mark, spacing_for
from recsens.ranking.kernels.groups import empty_groups, gather, place
from recsens.ranking.kernels.heads import empty_head, list_first


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
