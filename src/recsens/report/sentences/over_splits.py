"""Sentences about what p-values generalise to, and about wins that are not significant over other splits."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from scipy import special

from recsens.conclusions.verdicts.components import n_folds_of, n_splits_of
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import records
from recsens.report.sentences.evidence import disagree, resampled
from recsens.tables.numbers import count, p_below, p_not_below

_LEAD = "p-values generalise to other users, not to other splits"

_FEW_SPLITS = 4
"""With fewer splits, t must exceed more than 3.2 to be significant at .05."""

Rows = Sequence[Mapping[str, Any]]


def over_splits(verdicts: Sequence[PairVerdicts]) -> str:
    """Say to what p generalises, how many wins could be tested over splits, and how many are significant; empty without tests.

    Analyses with the same numbers are counted once.
    """
    parts = [each.rows[each.rows["original"] == each.rows.index] for each in verdicts]
    rows = records(pd.concat(parts))
    tested = [row for row in rows if not math.isnan(row["p_adjusted"])]
    if not tested:
        return ""
    alpha = verdicts[0].part.alpha
    if max(n_folds_of(row["split"], row["repeats"]) for row in tested) == 1:
        return f"{_LEAD}: no split was drawn twice, so nothing is known about other draws."
    wins = _wins(tested)
    verdict = in_doubt(wins, alpha) or _confirmed(wins, alpha)
    return ". ".join(filter(None, [_LEAD, verdict, _least_t(_testable(wins), alpha)])) + "."


def doubted(rows: Iterable[Mapping[str, Any]], alpha: float) -> list[Mapping[str, Any]]:
    """Return the wins whose p over splits is at least alpha."""
    return [row for row in _wins(rows) if disagree(row["p_adjusted"], row["resampled_p"], alpha)]


def in_doubt(rows: Rows, alpha: float, only: str = "") -> str:
    """Say, without a full stop, how many tested wins are not significant over splits; empty if all wins are significant.

    ``only`` names the win if there is exactly one win, such as ``the base design's win``.
    """
    testable, n_doubted = _testable(rows), len(doubted(rows, alpha))
    lead, there = _could_be_tested(rows)
    if len(testable) == 1:
        subject = "it is" if lead else "the only win is"
    else:
        of = "them" if lead else f"{count(len(testable))} wins"
        subject = f"{count(n_doubted)} of {of} {'is' if n_doubted == 1 else 'are'}"
    subject = f"{only} is" if only else subject
    if not n_doubted:
        return ""
    grounds = f"{resampled(_corrections(testable))} {p_not_below(alpha)}; {_splits(testable)}"
    text = f"{lead}{subject} not significant {there} ({grounds})"
    return f"{text[0].upper()}{text[1:]}"


def _confirmed(wins: Rows, alpha: float) -> str:
    """Say that every win that could be tested over splits is significant; empty if there are no wins."""
    testable = _testable(wins)
    lead, there = _could_be_tested(wins)
    if not wins or not testable:
        return lead.removesuffix("; ")
    subject = ("it" if len(testable) == 1 else "each") if lead else "Every win"
    return (
        f"{lead}{subject} is also significant {there} ({resampled(_corrections(testable))} {p_below(alpha)}; {_splits(testable)})"
    )


def _splits(rows: Rows) -> str:
    """Say from how many splits p over splits is computed, as in ``5 splits`` or ``2 to 5 splits``."""
    numbers = _numbers_of_splits(rows)
    return f"{'' if numbers[0] == numbers[-1] else f'{numbers[0]:g} to '}{numbers[-1]:g} splits"


def _least_t(rows: Rows, alpha: float) -> str:
    """Say how large |t| must be with the fewest splits, if these are so few that hardly any win can be significant."""
    n = min(_numbers_of_splits(rows), default=math.inf)
    if n >= _FEW_SPLITS:
        return ""
    least = special.stdtrit(n - 1, 1 - alpha / 2)
    return f"With {n:g} splits, t has {n - 1:g} degree{'s' * (n > 2)} of freedom, so |t| must exceed {least:.1f}"


def _numbers_of_splits(rows: Rows) -> list[float]:
    return sorted({n_splits_of(row["split"], row["repeats"]) for row in rows})


def _could_be_tested(rows: Rows) -> tuple[str, str]:
    """Return the start of a sentence about how many wins could be tested over splits (empty if all), and the splits' name."""
    n_testable, n_wins = len(_testable(rows)), len(_wins(rows))
    if n_testable == n_wins:
        return "", "over other splits"
    wins = "win" if n_wins == 1 else "wins"
    return f"{count(n_testable)} of {count(n_wins)} {wins} could be tested over other splits; ", "in this test"


def _testable(rows: Rows) -> Rows:
    return [row for row in _wins(rows) if not math.isnan(row["resampled_p"])]


def _wins(rows: Iterable[Mapping[str, Any]]) -> Rows:
    return [row for row in rows if row["winner"]]


def _corrections(rows: Rows) -> set[str]:
    return {row["correction"] for row in rows}
