"""Items and users without a train rating about which the lists have information."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun, over_fits, share
from recsens.runs.leakage._reading import CodedPairs
from recsens.runs.leakage._sizes import UserValues, by_exchange, share_as_extreme
from recsens.runs.leakage.suspicion import Suspicion
from recsens.seeds import Stream

if TYPE_CHECKING:
    from scipy.sparse import coo_array

ITEMS, USERS = "items unknown to train", "users unknown to train"

Role = Literal["item", "user"]

_EXCHANGES = 10
_MOST_PERMUTED = 250
"""Largest number of unknown items (or users) that are permuted as a whole."""

_BLOCK = 50
"""Smallest size of a block of unknown items (or users)."""

_SAMPLED = "lists rank sampled candidates, which include each user's test items by construction"


def look(material: Material) -> Iterator[Suspicion]:
    """Count unknown items and users, those without a train rating, and test whether lists have information about them.

    For items, the test asks whether unknown items are listed more often for users who like them than other unknown items are. For
    users, it asks whether an unknown user's list suits this user better than the lists of other unknown users do. Both tests
    permute the unknown items or users. The size is at least the value minus the value without unknown items in lists, or with the
    lists of unknown users exchanged. The model may have learned about unknown items and users from the test set itself, which has
    raised all other values, too; so only a lower end is given. The files do not show which items a system would have listed for an
    unknown user. So the end for users allows for two guesses: lists of other unknown users, and the most popular items of train.
    """
    for run in material.runs:
        yield _search_unknown(material, run, ITEMS, "item", material.train_counts > 0)
        yield _search_unknown(material, run, USERS, "user", material.knows_user)


def _search_unknown(material: Material, run: SearchedRun, name: str, role: Role, known: NDArray[np.bool_]) -> Suspicion:
    """Search for unknown items, or for unknown users."""
    lacking = ~known[getattr(material.test, role)]
    evidence = (
        f"{share(int(lacking.sum()), len(lacking))} test ratings have {'an' if role == 'item' else 'a'} {role} that train lacks"
    )
    is_strange = ~known[getattr(run.pairs, role)]
    if not lacking.any() and not is_strange.any():
        return Suspicion(name, run.name, "none", evidence)
    top, relevant = (rows.kept(~known[getattr(rows, role)]) for rows in (material.top(run), material.relevant))
    held = "have such items" if role == "item" else "are in lists of such users"
    rest = material.measured(run.pairs, material.test.kept(~lacking)).mean
    n_hits = int(material.hits(top).sum())
    hits = f"{len(top):,} of the first places {held}, and {n_hits:,} of these places have relevant items"
    said = f"{hits if len(top) else f'none of the first places {held}'}; without these test ratings, the mean is {rest:.4f}"
    if material.is_sampled(run):
        return Suspicion(name, run.name, "noted", f"{evidence}; {_SAMPLED}")
    chance = _permutation_p(top, relevant, role, material.stream.child("unknown", role, run.name))
    given = material.given(run)
    if role == "item":
        size = given.less(material.measured(run.pairs.kept(~is_strange), material.test))
    else:
        size = given.less(_measure_exchanged(material, run, is_strange)).spanning(given.less(_popular(material, run, is_strange)))
    return Suspicion(
        *(name, run.name, "noted", f"{evidence}; {said}; a fit on test pairs may be the cause, so only the lower end is known"),
        inflation=over_fits(size, material, run).at_least(),
        chance=chance,
        innocent="later ratings have new items and users; a model may know items by their content, or users by what it asks them",
        remedy="if lists hit what train lacks, check what the model was fitted on; otherwise leave these ratings out (--unknown "
        "drop), and report their number",
    )


def _measure_exchanged(material: Material, run: SearchedRun, is_strange: NDArray[np.bool_]) -> UserValues:
    """Measure a run with the lists of unknown users exchanged, averaged over random exchanges."""
    strange = np.unique(run.pairs.user[is_strange])
    if len(strange) < len(("two", "users")):
        return material.given(run)
    lists, ways = run.pairs.kept(is_strange), []
    for number in range(_EXCHANGES):
        drawn = np.argsort(material.stream.child("exchanged", run.name, number).uniform(strange))
        # In a cycle through all unknown users in random order, no user keeps their list.
        user = strange[np.roll(drawn, 1)[np.argsort(drawn)]][np.searchsorted(strange, lists.user)]
        ways.append(replace(lists, user=user))
    return _measure_replaced(material, run, ways)


def _popular(material: Material, run: SearchedRun, is_strange: NDArray[np.bool_]) -> UserValues:
    """Measure a run in which unknown users' lists are the most popular items of train."""
    strange = np.unique(run.pairs.user[is_strange])
    best = np.argsort(-material.train_counts, kind="stable")[: material.depth]
    n, place = len(strange), np.arange(float(len(best)))
    return _measure_replaced(material, run, [CodedPairs(np.repeat(strange, len(best)), np.tile(best, n), np.tile(-place, n))])


def _measure_replaced(material: Material, run: SearchedRun, ways: Sequence[CodedPairs]) -> UserValues:
    """Measure a run with some users' lists replaced, averaged over several replacements."""
    given = material.given(run).values
    measure = material.measure(material.test.kept(np.isin(material.test.user, ways[0].user))) if len(ways[0]) else None
    if measure is None:
        return UserValues(given)
    values = np.mean([measure(lists).values for lists in ways], axis=0)
    return UserValues(np.where(np.isnan(values), given, values))


def _permutation_p(top: CodedPairs, relevant: CodedPairs, role: Role, stream: Stream) -> float:
    """Return the p-value of the number of hits under permutations of the unknown items (or users) in lists; 1 without hits.

    ``together[a, b]`` counts the hits of lists in which a replaces b. The hits of a permutation are a sum over entries of this
    matrix. If there are many unknown items, they are divided into random blocks, and only the cyclic permutations of each block are
    drawn, because their hits can be counted beforehand. These permutations form a group, so this p-value is exact as well.
    """
    if not len(top) or not len(relevant):
        return 1.0
    together, rng = _joint_counts(top, relevant, role), stream.generator()
    n = together.shape[0]
    if n > _MOST_PERMUTED:
        return by_exchange(_hits_by_shift(together, rng), rng, is_two_sided=False)
    dense, every = together.toarray(), np.arange(n)
    hits = float(np.trace(dense))
    if hits <= dense.sum() / n:
        return 1.0

    def draw(size: int) -> NDArray[np.bool_]:
        permuted = rng.permuted(np.broadcast_to(every, (size, n)), axis=1)
        return np.asarray(dense[every, permuted].sum(axis=1) >= hits)

    return share_as_extreme(draw, n)


def _hits_by_shift(together: coo_array, rng: np.random.Generator) -> NDArray[np.float64]:
    """Count the hits of each random block under each cyclic permutation, the identity first, shape (n_blocks, size of a block).

    Blocks have equal sizes, so a few unknown items are left out.
    """
    n = together.shape[0]
    n_blocks = n // _BLOCK
    size = n // n_blocks
    place = rng.permutation(n)
    (row, i), (column, j) = (np.divmod(place[at], size) for at in (together.row, together.col))
    is_within = (row == column) & (row < n_blocks)
    at = row[is_within] * size + (j - i)[is_within] % size
    hits = np.bincount(at, weights=together.data[is_within], minlength=n_blocks * size)
    return hits.astype(np.float64).reshape(n_blocks, size)


def _joint_counts(top: CodedPairs, relevant: CodedPairs, role: Role) -> coo_array:
    """Count, for each unknown item (or user) in lists and each in relevant pairs, how many users (or items) the two share."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only needed if lists have what train lacks

    codes = [(getattr(rows, role), rows.user if role == "item" else rows.item) for rows in (top, relevant)]
    names = np.unique(np.concatenate([code for code, _ in codes]))
    n_others = 1 + max(int(other.max()) for _, other in codes)
    a, b = (
        csr_array((np.ones(len(code)), (np.searchsorted(names, code), other)), shape=(len(names), n_others))
        for code, other in codes
    )
    product: coo_array = (a @ b.T).tocoo()
    return product
