"""Pairs of user and item in train and test."""

from collections.abc import Iterator

import numpy as np

from recsens.leakage._material import Material, share
from recsens.leakage._reading import keys
from recsens.leakage.suspicion import Suspicion

NAME = "pairs in train and test"


def look(material: Material) -> Iterator[Suspicion]:
    """Count test pairs that train has, and measure without them, in judgements and in lists."""
    is_shared = material.in_train(material.test)
    evidence = f"{share(int(is_shared.sum()), len(is_shared))} test pairs are in train, too"
    shared = keys(material.test.kept(is_shared), material.n_items)
    for run in material.runs:
        if not len(shared):
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        lists = run.pairs.kept(~np.isin(keys(run.pairs, material.n_items), shared))
        yield Suspicion(
            *(NAME, run.name, "found", evidence),
            inflation=material.given(run).less(material.measured(lists, material.test.kept(~is_shared))),
            innocent="users who consume an item again, if that is what the test is about",
            remedy="take these pairs out of the test set, or out of train and fit again",
        )
