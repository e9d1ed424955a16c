"""Rank each judged item among its own targets."""

import numpy as np

from recsens.compiled.machine_code import njit
from recsens.ranking.kernels.tie_keys import tie_key


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
