"""Selection of the k best rows."""

import numpy as np

from recsens.compiled.selection import kth_highest
from recsens.recommenders import Floats, Ids
from recsens.recommenders._compiled import compiled


@compiled()
def keep_best(candidates: Ids, rivals: Floats, neighbours: Ids, values: Floats) -> int:
    """Copy the candidates with the highest values, as many as fit, in ascending order of numbers; return how many were copied.

    Parameters
    ----------
    candidates, rivals
        Numbers of rows, ascending, and their values, which are not NaN.
    neighbours, values
        Receive the best of them. Among equal values, the higher number wins.
    """
    n_kept = min(len(neighbours), len(candidates))
    if n_kept == 0:
        return 0
    threshold = kth_highest(rivals, n_kept)
    ties_left = n_kept - np.count_nonzero(rivals > threshold)
    index = n_kept
    # Go from the highest index down; among equals, the higher index is then kept.
    for entry in range(len(candidates) - 1, -1, -1):
        is_tie = rivals[entry] == threshold
        if rivals[entry] > threshold or (is_tie and ties_left > 0):
            ties_left -= is_tie
            index -= 1
            neighbours[index] = candidates[entry]
            values[index] = rivals[entry]
    return n_kept
