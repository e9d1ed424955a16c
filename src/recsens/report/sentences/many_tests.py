"""How many wins stand up to a correction over every comparison of a study."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from recsens.comparison.significance import adjusted
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.tables.numbers import count


def over_all(verdicts: Sequence[PairVerdicts]) -> str:
    """Say how many wins Holm's procedure leaves over all comparisons of a study; empty where one comparison was tested.

    The designs' own correction decides the verdicts. This one is over the uncorrected p-values of all pairs, metrics, designs and
    data sets, each of equal numbers once.
    """
    parts = [each.rows[each.rows["original"] == each.rows.index].assign(alpha=each.part.alpha) for each in verdicts]
    rows = pd.concat(parts)
    tested = rows[rows["p_value"].notna()]
    wins = tested["winner"] != ""
    if len(tested) < 2 or not wins.any():
        return ""
    kept = int((wins & (adjusted(tested["p_value"].to_numpy(dtype=np.float64), "holm") < tested["alpha"])).sum())
    n = int(wins.sum())
    stand = "all of them stand" if kept == n else f"{count(kept)} of them stand"
    tests = f"{count(len(tested))} distinct comparisons were tested and {count(n)} have a winner"
    return f"{tests}; {stand} if p is corrected for them all (Holm's procedure)."
