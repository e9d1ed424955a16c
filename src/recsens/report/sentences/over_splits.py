"""What every p-value takes as fixed, and which wins other splits might not show."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.components import n_folds_of
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.results import records
from recsens.outcomes.fixed import fixed
from recsens.report.sentences.evidence import disagree
from recsens.tables.numbers import count, p_below, p_not_below


def over_splits(verdicts: Sequence[PairVerdicts]) -> str:
    """Say for what p holds, and how many wins have a p over splits that is not below alpha; empty where nothing was tested.

    Analyses with the same numbers count once.
    """
    parts = [each.rows[each.rows["original"] == each.rows.index] for each in verdicts]
    rows = records(pd.concat(parts))
    tested = [row for row in rows if not math.isnan(row["p_adjusted"])]
    if not tested:
        return ""
    alpha = verdicts[0].part.alpha
    n_folds = max(n_folds_of(row["split"], row["repeats"]) for row in tested)
    lead = f"Each p-value is over other users, for {fixed(n_folds)}"
    if n_folds == 1:
        return f"{lead}: with one split, nothing says what others would show."
    wins = [row for row in tested if row["winner"] and not math.isnan(row["resampled_p"])]
    if not wins:
        return f"{lead}."
    told = in_doubt(len(doubted(wins, alpha)), len(wins), alpha)
    return f"{lead}. {told or f'Every win is significant over other splits, too (resampled {p_below(alpha)})'}."


def doubted(rows: Iterable[Mapping[str, Any]], alpha: float) -> list[Mapping[str, Any]]:
    """Return the wins whose p over splits is not below alpha."""
    return [row for row in rows if row["winner"] and disagree(row["p_adjusted"], row["resampled_p"], alpha)]


def in_doubt(n_doubted: int, n_wins: int, alpha: float) -> str:
    """Say how many of some wins other splits might not show, without a full stop; empty if that is none."""
    are = "is" if n_doubted == 1 else "are"
    of = "The only win is" if n_wins == 1 else f"{count(n_doubted)} of {count(n_wins)} wins {are}"
    return f"{of} not significant over other splits (resampled {p_not_below(alpha)})" if n_doubted else ""
