"""Items and users that train does not know, and lists that know them all the same."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.leakage._material import Material, SearchedRun, share
from recsens.leakage._reading import CodedPairs
from recsens.leakage._sizes import UNKNOWN
from recsens.leakage.suspicion import Suspicion
from recsens.seeds import Stream

ITEMS, USERS = "items unknown to train", "users unknown to train"

_PERMUTATIONS = 9999
_AT_ONCE = 2_000_000
"""Entries of a block of permutations."""

_SAMPLED = "lists hold sampled candidates, among which each user's own items stand by construction"


def look(material: Material) -> Iterator[Suspicion]:
    """Count what train does not know, and test whether lists know it.

    For items: are an unknown item's places in the lists of those who like it, more than any other unknown item's would be? For
    users: does a list of an unknown user suit its user better than any other unknown user? Both by permutations of the unknown.
    """
    knows_item, knows_user = material.train_counts > 0, material.knows_user
    for run in material.runs:
        yield _of(material, run, ITEMS, knows_item, "item")
        yield _of(material, run, USERS, knows_user, "user")


def _of(material: Material, run: SearchedRun, name: str, known: NDArray[np.bool_], role: str) -> Suspicion:
    lacking, relevant = ~known[getattr(material.test, role)], material.relevant
    listed = run.pairs.kept(~known[getattr(run.pairs, role)])
    top = material.top(run)
    top = top.kept(~known[getattr(top, role)])
    hits = int(material.hits(top).sum())
    evidence = (
        f"{share(int(lacking.sum()), len(lacking))} test ratings have {'an' if role == 'item' else 'a'} {role} that train lacks"
    )
    if not lacking.any() and not len(listed):
        return Suspicion(name, run.name, "none", evidence)
    knows = f"{hits:,} of the {len(top):,} first places that hold such {'items' if role == 'item' else 'lists'} are relevant"
    kept = material.test.kept(~lacking)
    clean = material.measured(run.pairs.kept(known[getattr(run.pairs, role)]), kept)
    sampled = material.is_sampled(run)
    asked = relevant.kept(~known[getattr(relevant, role)])
    chance = np.nan if sampled else _by_permutation(top, asked, role, material.stream.child("unknown", role, run.name))
    return Suspicion(
        *(name, run.name, "noted"),
        f"{evidence}; {knows}{f'; {_SAMPLED}' if sampled else ''}",
        inflation=material.given(run).less(clean) if len(kept) else UNKNOWN,
        chance=chance,
        innocent="the future has new items and users; lists may know them by their content, or by what is asked of new users",
        remedy="if lists hit what train lacks, check what the model was fitted on; else say how many there are: --unknown drop",
    )


def _by_permutation(top: CodedPairs, relevant: CodedPairs, role: str, stream: Stream) -> float:
    """Return the p-value of the hits, if the unknown items (or users) of the lists were exchanged; 1 if there are no hits.

    ``together[a, b]`` counts the hits that lists would have if a stood for b: the hits of a permutation are a sum over it.
    """
    other = "user" if role == "item" else "item"
    names = np.unique(np.concatenate([getattr(top, role), getattr(relevant, role)]))
    if not len(top) or not len(relevant):
        return 1.0
    from scipy.sparse import csr_array  # noqa: PLC0415 - only needed if lists hold what train lacks

    n_other = int(max(getattr(top, other).max(), getattr(relevant, other).max())) + 1
    sides = [
        csr_array((np.ones(len(rows)), (np.searchsorted(names, getattr(rows, role)), getattr(rows, other))), (len(names), n_other))
        for rows in (top, relevant)
    ]
    together = (sides[0] @ sides[1].T).tocoo()
    hits = float(together.data[together.row == together.col].sum())
    if not hits:
        return 1.0
    rng, reached = stream.generator(), 0
    done = 0
    size = max(1, min(_PERMUTATIONS, _AT_ONCE // max(together.nnz, len(names))))
    n = _PERMUTATIONS if together.nnz <= _AT_ONCE // 20 else _PERMUTATIONS // 10
    while done < n:
        block = min(size, n - done)
        permuted = rng.permuted(np.broadcast_to(np.arange(len(names)), (block, len(names))), axis=1)
        drawn = (permuted[:, together.row] == together.col) @ together.data
        reached += int((drawn >= hits).sum())
        done += block
    return (1 + reached) / (1 + n)
