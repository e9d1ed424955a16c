"""Compiled loops over users' lists. One thread writes each user's result, so the number of threads does not affect it."""

import numpy as np
from numba import prange

from recsens.arrays import Floats, Ids, Ints
from recsens.compiled.machine_code import njit

Codes = Ints
Items = Ids


@njit(parallel=True)
def weighted_means(worth: Floats, weights: Floats, item: Items, starts: Codes, cutoffs: Codes, means: Floats) -> None:
    """Fill ``means[u, c]`` with the mean worth of user u's first ``cutoffs[c]`` items; ``weights[k]`` is the weight of rank k."""
    for user in prange(len(starts) - 1):
        length = starts[user + 1] - starts[user]
        for c in range(len(cutoffs)):
            total = mass = 0.0
            for rank in range(min(cutoffs[c], length)):
                total += worth[item[starts[user] + rank]] * weights[rank]
                mass += weights[rank]
            means[user, c] = total / mass if mass > 0 else 0.0


@njit()
def count_listed(item: Items, starts: Codes, cutoff: int, counts: Codes) -> None:
    """For each list, add one to ``counts[i]`` if item i is among the first ``cutoff`` items."""
    for user in range(len(starts) - 1):
        for index in range(starts[user], min(starts[user] + cutoff, starts[user + 1])):
            counts[item[index]] += 1


@njit(parallel=True)
def count_shared(
    items: Codes, item_starts: Items, members: Items, member_starts: Items, member_items: Items, code: Codes, shared: Items
) -> None:
    """Fill ``shared[r, c]`` with the number of members that item ``items[r]`` and the item with code c have in common.

    The members of item i (its raters or its words) are ``members[item_starts[i]:item_starts[i + 1]]``; the items of member m are
    ``member_items[member_starts[m]:member_starts[m + 1]]``. Items without a code (-1) are skipped.
    """
    for row in prange(len(items)):
        shared[row, :] = 0
        for index in range(item_starts[items[row]], item_starts[items[row] + 1]):
            member = members[index]
            for other in range(member_starts[member], member_starts[member + 1]):
                column = code[member_items[other]]
                if column >= 0:
                    shared[row, column] += 1


@njit(parallel=True)
def add_distances(
    shared: Items, first: int, sizes: Floats, jaccard: bool, item: Items, starts: Codes, code: Codes, cutoffs: Codes, sums: Floats
) -> None:
    """Add to ``sums[u, c]`` the distances of pairs in user u's list; a pair counts if its lower code is a row of ``shared``.

    The rows of ``shared`` start at code ``first``; ``sizes`` contains each code's number of members; ``cutoffs`` ascend. A pair is
    added at the first cut-off that reaches both of its items.
    """
    after = first + len(shared)
    for user in prange(len(starts) - 1):
        length = min(starts[user + 1] - starts[user], cutoffs[-1])
        for a in range(length):
            low = code[item[starts[user] + a]]
            if low < first or low >= after:
                continue
            for b in range(length):
                high = code[item[starts[user] + b]]
                if high <= low:
                    continue
                common = shared[low - first, high]
                if common == 0:
                    similarity = 0.0
                elif jaccard:
                    similarity = common / (sizes[low] + sizes[high] - common)
                else:
                    # Take the root of the product instead of a product of roots: it is exact for equal sizes, so equal items have
                    # similarity 1.
                    similarity = common / np.sqrt(sizes[low] * sizes[high])
                c = 0
                while cutoffs[c] <= max(a, b):
                    c += 1
                sums[user, c] += 1.0 - similarity


@njit()
def count_joint(item: Items, starts: Codes, other_item: Items, other_starts: Codes, ranks: Codes, joint: Items) -> None:
    """Fill ``joint[u, d - 1]`` with the number of items that are among the first d in both of user u's lists.

    ``ranks`` is scratch space, with one 0 per item; all values are 0 again at the end.
    """
    depth = joint.shape[1]
    for user in range(len(starts) - 1):
        joint[user, :] = 0
        first, other_first = starts[user], other_starts[user]
        for rank in range(min(depth, other_starts[user + 1] - other_first)):
            ranks[other_item[other_first + rank]] = rank + 1
        for rank in range(min(depth, starts[user + 1] - first)):
            other_rank = ranks[item[first + rank]] - 1
            if other_rank >= 0:
                joint[user, max(rank, other_rank)] += 1
        for rank in range(1, depth):
            joint[user, rank] += joint[user, rank - 1]
        for rank in range(min(depth, other_starts[user + 1] - other_first)):
            ranks[other_item[other_first + rank]] = 0
