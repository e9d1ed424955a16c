"""Candidates that a run ranks twice for one user."""

from collections.abc import Iterator

import numpy as np

from recsens.leakage._material import Material, SearchedRun, share
from recsens.leakage._reading import CodedPairs, keys
from recsens.leakage.suspicion import Suspicion

NAME = "candidates drawn with repetition"


def look(material: Material) -> Iterator[Suspicion]:
    """Count rows that repeat a pair, and measure with each repetition taking a place, as a program without a check would."""
    for run in material.runs:
        n_repeats = len(run.as_written) - len(run.pairs)
        evidence = f"{share(n_repeats, len(run.as_written))} rows of the run repeat a pair of user and item"
        if not n_repeats:
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        rows, items = _told_apart(material, run)
        yield Suspicion(
            *(NAME, run.name, "found", f"{evidence}; everything else is measured with each pair once, by its best value"),
            inflation=material.measured(rows, material.test, items=items).less(material.given(run)),
            innocent="a file written twice, or one that joins several folds",
            remedy="draw candidates without replacement, and write each pair once",
        )


def _told_apart(material: Material, run: SearchedRun) -> tuple[CodedPairs, list[str]]:
    """Give every repetition of an item a name of its own, which nobody has judged."""
    rows = run.as_written
    pair = keys(rows, material.n_items)
    order = np.lexsort((np.arange(len(rows)), -rows.value, pair))
    is_again = np.zeros(len(rows), dtype=np.bool_)
    is_again[order] = np.diff(pair[order], prepend=-1) == 0
    item = rows.item.copy()
    n = int(is_again.sum())
    item[is_again] = material.n_items + np.arange(n)
    return CodedPairs(rows.user, item, rows.value), [*material.items, *(f"repetition {number}" for number in range(n))]
