"""A sentence about how many wins remain significant after a correction for all comparisons of a study."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from recsens.comparison.significance import adjusted
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.tables.numbers import count


def over_all(verdicts: Sequence[PairVerdicts]) -> str:
    """Say how many wins remain after Holm's procedure over all comparisons of a study; empty if only one comparison was tested.

    The verdicts in tables follow the correction of each design. This correction covers the uncorrected p-values of all pairs,
    metrics, designs and data sets; comparisons with the same numbers count once.
    """
    parts = [each.rows[each.rows["original"] == each.rows.index].assign(alpha=each.part.alpha) for each in verdicts]
    rows = pd.concat(parts)
    tested = rows[rows["p_value"].notna()]
    wins = tested["winner"] != ""
    if len(tested) < 2 or not wins.any():
        return ""
    kept = int((wins & (adjusted(tested["p_value"].to_numpy(dtype=np.float64), "holm") < tested["alpha"])).sum())
    n = int(wins.sum())
    won = f"Of {count(len(tested))} distinct comparisons tested, {count(n)} {'has' if n == 1 else 'have'} a winner"
    if n == 1:
        remaining = f"this win {'remains' if kept else 'does not remain'}"
    else:
        remaining = (
            "all of these wins remain" if kept == n else f"{count(kept)} of these wins {'remains' if kept == 1 else 'remain'}"
        )
    return f"{won}; {remaining} significant if p is corrected for all {count(len(tested))} (Holm's procedure)."
