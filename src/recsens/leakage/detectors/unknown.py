"""Items and users that train does not know, and lists that know them all the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.leakage._material import Material, SearchedRun, share
from recsens.leakage._reading import CodedPairs
from recsens.leakage._refits import over_fits
from recsens.leakage._sizes import UserValues
from recsens.leakage._tails import above
from recsens.leakage.suspicion import Suspicion
from recsens.seeds import Stream

if TYPE_CHECKING:
    from scipy.sparse import coo_array

ITEMS, USERS = "items unknown to train", "users unknown to train"

Role = Literal["item", "user"]

_EXCHANGES = 10
_PERMUTATIONS = 9999
_LARGE = 25.0
"""Variance of the hits from which on their distribution is taken for normal."""

_SAME = 1e-9
_AT_ONCE = 2_000_000
"""Entries of a block of permutations."""

_SAMPLED = "lists hold sampled candidates, among which each user's own items stand by construction"


def look(material: Material) -> Iterator[Suspicion]:
    """Count what train does not know, and test whether lists know it.

    For items: are an unknown item's places in the lists of those who like it, more than any other unknown item's would be? For
    users: does a list of an unknown user suit its user better than any other unknown user? Both by permutations of the unknown.
    The size is what the lists gain over lists without unknown items, or with the unknown users' lists exchanged. What a system
    would have listed for a user whom it does not know is not in the files: the interval spans what others' lists would have given,
    and what the most popular items of train would have, which most systems list then.
    """
    for run in material.runs:
        yield _of(material, run, ITEMS, "item", material.train_counts > 0)
        yield _of(material, run, USERS, "user", material.knows_user)


def _of(material: Material, run: SearchedRun, name: str, role: Role, known: NDArray[np.bool_]) -> Suspicion:
    """Look for one of the two."""
    lacking = ~known[getattr(material.test, role)]
    evidence = (
        f"{share(int(lacking.sum()), len(lacking))} test ratings have {'an' if role == 'item' else 'a'} {role} that train lacks"
    )
    is_strange = ~known[getattr(run.pairs, role)]
    if not lacking.any() and not is_strange.any():
        return Suspicion(name, run.name, "none", evidence)
    top, relevant = (rows.kept(~known[getattr(rows, role)]) for rows in (material.top(run), material.relevant))
    held = "hold such items" if role == "item" else "are in lists of such users"
    rest = material.measured(run.pairs, material.test.kept(~lacking)).mean
    hits = f"{int(material.hits(top).sum()):,} of the {len(top):,} first places that {held} are relevant"
    said = f"{hits}; without these ratings the mean is {rest:.4f}"
    if material.is_sampled(run):
        return Suspicion(name, run.name, "noted", f"{evidence}; {_SAMPLED}")
    chance = _by_permutation(top, relevant, role, material.stream.child("unknown", role, run.name))
    given = material.given(run)
    if role == "item":
        size = given.less(material.measured(run.pairs.kept(~is_strange), material.test))
    else:
        size = given.less(_exchanged(material, run, is_strange)).spanning(given.less(_popular(material, run, is_strange)))
    return Suspicion(
        *(name, run.name, "noted", f"{evidence}; {said}"),
        inflation=over_fits(size, material, run, n_further=_n_further(material, run, role, lacking)),
        chance=chance,
        innocent="what is new in later ratings; and a model may know items by their content, or users by what it asks them",
        remedy="if lists hit what train lacks, check what the model was fitted on; else say how many there are: --unknown drop",
    )


def _n_further(material: Material, run: SearchedRun, role: Role, lacking: NDArray[np.bool_]) -> float:
    """Estimate how many ratings a fit has seen that train lacks: of what train lacks, only what stands in lists can be known.

    The test ratings of these items (or users) are to those of the others as the ratings seen of both.
    """
    codes = material.test.item if role == "item" else material.test.user
    seen = np.isin(codes[lacking], getattr(run.pairs, role))
    return len(material.train) * float(seen.sum()) / max(int((~lacking).sum()), 1)


def _exchanged(material: Material, run: SearchedRun, is_strange: NDArray[np.bool_]) -> UserValues:
    """Measure a run with the lists of unknown users exchanged, on average over random ways to do so."""
    strange = np.unique(run.pairs.user[is_strange])
    if len(strange) < len(("two", "users")):
        return material.given(run)
    lists, ways = run.pairs.kept(is_strange), []
    for number in range(_EXCHANGES):
        drawn = np.argsort(material.stream.child("exchanged", run.name, number).uniform(strange))
        # A cycle through all of them in random order leaves no list with its user.
        user = strange[np.roll(drawn, 1)[np.argsort(drawn)]][np.searchsorted(strange, lists.user)]
        ways.append(replace(lists, user=user))
    return _with_lists(material, run, ways)


def _popular(material: Material, run: SearchedRun, is_strange: NDArray[np.bool_]) -> UserValues:
    """Measure a run with the most popular items of train as the lists of unknown users."""
    strange = np.unique(run.pairs.user[is_strange])
    best = np.argsort(-material.train_counts, kind="stable")[: material.depth]
    n, place = len(strange), np.arange(float(len(best)))
    return _with_lists(material, run, [CodedPairs(np.repeat(strange, len(best)), np.tile(best, n), np.tile(-place, n))])


def _with_lists(material: Material, run: SearchedRun, ways: Sequence[CodedPairs]) -> UserValues:
    """Measure a run with other lists for some users, on average over several ways."""
    given = material.given(run).values
    measure = material.measure(material.test.kept(np.isin(material.test.user, ways[0].user))) if len(ways[0]) else None
    if measure is None:
        return UserValues(given)
    values = np.mean([measure(lists).values for lists in ways], axis=0)
    return UserValues(np.where(np.isnan(values), given, values))


def _by_permutation(top: CodedPairs, relevant: CodedPairs, role: Role, stream: Stream) -> float:
    """Return the p-value of the hits, if the unknown items (or users) of the lists were exchanged; 1 if there are no hits.

    ``together[a, b]`` counts the hits that lists would have if a stood for b: the hits of a permutation are a sum over it, whose
    variance is known (Hoeffding 1951). The normal distribution serves if it is large, and drawn permutations otherwise.
    """
    if not len(top) or not len(relevant):
        return 1.0
    together = _together(top, relevant, role)
    n, data = together.shape[0], together.data
    hits = float(data[together.row == together.col].sum())
    means = [np.bincount(at, weights=data, minlength=n) / n for at in (together.row, together.col)]
    expected = float(data.sum()) / n
    centred = float((data**2).sum()) - n * float(sum((mean**2).sum() for mean in means)) + expected**2
    variance = centred / max(n - 1, 1)
    if hits <= expected or variance <= _SAME:
        return 1.0
    if variance >= _LARGE:
        return above((hits - expected - 0.5) / math.sqrt(variance))
    rng, reached = stream.generator(), 0
    size = max(1, _AT_ONCE // max(together.nnz, n))
    for done in range(0, _PERMUTATIONS, size):
        block = min(size, _PERMUTATIONS - done)
        permuted = rng.permuted(np.broadcast_to(np.arange(n), (block, n)), axis=1)
        reached += int(((permuted[:, together.row] == together.col) @ data >= hits).sum())
    return (1 + reached) / (1 + _PERMUTATIONS)


def _together(top: CodedPairs, relevant: CodedPairs, role: Role) -> coo_array:
    """Count, for each unknown a in the lists and b among the relevant pairs, the users (or items) that both have."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only needed if lists hold what train lacks

    codes = [(getattr(rows, role), rows.user if role == "item" else rows.item) for rows in (top, relevant)]
    names = np.unique(np.concatenate([code for code, _ in codes]))
    n_others = 1 + max(int(other.max()) for _, other in codes)
    a, b = (
        csr_array((np.ones(len(code)), (np.searchsorted(names, code), other)), shape=(len(names), n_others))
        for code, other in codes
    )
    product: coo_array = (a @ b.T).tocoo()
    return product
