"""Train items in the lists of their users."""

from collections.abc import Iterator

import numpy as np

from recsens.leakage._material import Material, share
from recsens.leakage._reading import keys
from recsens.leakage.suspicion import Suspicion

NAME = "train items in lists"


def look(material: Material) -> Iterator[Suspicion]:
    """Count the places of lists that items of train take, and measure without these."""
    for run in material.runs:
        top = material.top(run)
        taken, is_train = material.in_train(top), material.in_train(run.pairs)
        evidence = f"{share(int(taken.sum()), len(taken))} of the first {material.depth} places hold items of the user's train set"
        if not is_train.any():
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        scored = np.isin(material.train_keys, keys(run.pairs, material.n_items)).mean()
        yield Suspicion(
            *(NAME, run.name, "found" if taken.any() else "noted"),
            f"{evidence}; the run ranks {100 * scored:.0f} % of all train pairs",
            inflation=material.given(run).less(material.measured(run.pairs.kept(~is_train), material.test)),
            innocent="scores for every item, which the evaluation has yet to filter; or items that are consumed again",
            remedy="leave train items out of every list, in all runs alike: --train in 'recsens evaluate'",
        )
