"""Lists that contain items of their user's train set."""

from collections.abc import Iterator

import numpy as np

from recsens.runs.leakage._material import Material, share
from recsens.runs.leakage._reading import keys
from recsens.runs.leakage.suspicion import Suspicion

NAME = "train items in lists"


def look(material: Material) -> Iterator[Suspicion]:
    """Count the positions of lists that train items occupy, and measure without these items."""
    for run in material.runs:
        top = material.top(run)
        taken, is_train = material.in_train(top), material.in_train(run.pairs)
        evidence = f"{share(int(taken.sum()), len(taken))} of the first {material.depth} places are items of the user's train set"
        if not is_train.any():
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        scored = np.isin(material.train_keys, keys(run.pairs, material.n_items)).mean()
        yield Suspicion(
            *(NAME, run.name, "found" if taken.any() else "noted"),
            f"{evidence}; the run ranks {100 * scored:.0f} % of all train pairs",
            inflation=material.given(run).less(material.measured(run.pairs.kept(~is_train), material.test)),
            innocent="the run scores every item and train items are to be removed later; or users consume items again",
            remedy="remove train items from every list of every run: --train in 'recsens evaluate'",
        )
