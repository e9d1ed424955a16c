"""The evidence for a difference (interval, p-value, users), where its uncertainty comes from, and which wins are in doubt."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from recsens.comparison.significance import adjusted, fixed_by_test
from recsens.conclusions.verdicts.best import Duel
from recsens.conclusions.verdicts.components import (
    built,
    confidence_of,
    difference_scale,
    n_splits_of,
    numbers_in_words,
    splits_in_words,
)
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import records
from recsens.conclusions.verdicts.uncertainty import Uncertainty
from recsens.outcomes.winner import significant
from recsens.plugins.prose import listed
from recsens.plugins.specs import parse
from recsens.study import Experiment
from recsens.tables.numbers import (
    SPACE,
    count,
    deviation_of,
    estimate,
    p_below,
    p_claim,
    p_not_below,
    score,
    users,
    whole_percentage,
)


def interval_name(study: Experiment) -> str:
    """Name the intervals of the base design's test, such as ``95 % CI``."""
    return f"{100 * confidence_of(str(study.design.test)):g}{SPACE}%{SPACE}CI"


def evidence(study: Experiment, duel: Duel, aggregate: str, n_folds: float) -> tuple[str, str]:
    """Print a difference and the evidence for it.

    Parameters
    ----------
    study
        The experiment; its base design gives the level of the intervals.
    duel
        The comparison, from the point of view of the system that is ahead; if it has no interval, none is printed.
    aggregate
        The design's aggregate, which determines what is subtracted.
    n_folds
        The design's number of folds, which p treats as fixed.
    """
    size, low, high = estimate(duel.difference, duel.low, duel.high)
    limits = "" if math.isnan(duel.low) else f"{interval_name(study)} {low}{SPACE}to{SPACE}{high}, "
    p = p_and_fixed(duel.p_value, duel.resampled_p, study.alpha, n_folds, duel.correction, duel.n_splits)
    of_values = beside_values(duel.difference, duel.value_difference, duel.low, duel.high)
    grounds = f"{limits}{p}, {users(duel.n_users, duel.n_effective)}{of_values}"
    return f"{size}{difference_scale(aggregate)}", grounds


def value_difference(tested: float, of_values: float, low: float, high: float) -> str:
    """Print the difference between two values; empty if it prints like the tested difference, or if either one is missing."""
    if math.isnan(tested) or math.isnan(of_values):
        return ""
    text = deviation_of(tested, of_values, (high - low) / 2)
    return "" if text == estimate(tested, low, high)[0] else text


def beside_values(tested: float, of_values: float, low: float, high: float) -> str:
    """Say by how much the values differ, for the end of a bracket in a sentence; empty if `value_difference` is empty."""
    text = value_difference(tested, of_values, low, high)
    return f"; this is the tested difference, and the two scores differ by {text}" if text else ""


def p_and_fixed(p_value: float, resampled_p: float, alpha: float, n_folds: float, correction: str, n_splits: float) -> str:
    """Print a p-value over users, what it treats as fixed, and the p-value over splits if the two p-values disagree."""
    p, over = p_claim(p_value), contrary_p_over_splits(p_value, resampled_p, alpha, correction, n_splits)
    return p if math.isnan(p_value) else f"{p} for {fixed_by_test(n_folds)}{over}"


def contrary_p_over_splits(p_value: float, resampled_p: float, alpha: float, correction: str, n_splits: float) -> str:
    """Print the p-value over splits, after the p-value over users; empty unless exactly one of the two is below alpha."""
    if not p_values_disagree(p_value, resampled_p, alpha):
        return ""
    return f", but {resampled({correction})} {p_claim(resampled_p)} over other splits, {splits_in_words(n_splits)}"


def resampled(corrections: Collection[str]) -> str:
    """Name the p-value over splits. It is never corrected, so it is called ``uncorrected`` next to corrected p-values."""
    return "resampled" if set(corrections) <= {"none"} else "uncorrected resampled"


def p_values_disagree(p_value: float, resampled_p: float, alpha: float) -> bool:
    """Whether exactly one of p over users and p over splits is below alpha; False if one of them is missing."""
    known = not math.isnan(p_value) and not math.isnan(resampled_p)
    return known and bool(significant(p_value, alpha) != significant(resampled_p, alpha))


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
    if max(n_splits_of(row["split"], row["repeats"]) for row in tested) == 1:
        return f"{_LEAD}: no split was drawn twice, so nothing is known about other draws."
    wins = _won_rows(tested)
    verdict = doubted_wins_clause(wins, alpha) or _confirmed_sentence(wins, alpha)
    text = ". ".join(filter(None, [_LEAD, verdict, _least_t(_testable_rows(wins), alpha)])) + "."
    if all(getattr(built("split", parse(split)), "is_successive", False) for split in {row["split"] for row in tested}):
        # Folds that follow each other in time are no draws of one split.
        return text.replace("other splits", "other periods").replace(" splits", " successive folds")
    return text


def doubted_wins(rows: Iterable[Mapping[str, Any]], alpha: float) -> list[Mapping[str, Any]]:
    """Return the wins whose p over splits is at least alpha."""
    return [row for row in _won_rows(rows) if p_values_disagree(row["p_adjusted"], row["resampled_p"], alpha)]


def doubted_wins_clause(rows: Rows, alpha: float, only: str = "") -> str:
    """Say, without a full stop, how many tested wins are not significant over splits; empty if all wins are significant.

    ``only`` names the win if there is exactly one win, such as ``the base design's win``.
    """
    testable, n_doubted = _testable_rows(rows), len(doubted_wins(rows, alpha))
    lead, there = _testable_clause(rows)
    if len(testable) == 1:
        subject = "it is" if lead else "the only win is"
    else:
        of = "them" if lead else f"{count(len(testable))} wins"
        subject = f"{count(n_doubted)} of {of} {'is' if n_doubted == 1 else 'are'}"
    subject = f"{only} is" if only else subject
    if not n_doubted:
        return ""
    text = f"{lead}{subject} not significant {there} ({_resampled_p_clause(testable, p_not_below(alpha))})"
    return f"{text[0].upper()}{text[1:]}"


def _confirmed_sentence(wins: Rows, alpha: float) -> str:
    """Say that every win that could be tested over splits is significant; empty if there are no wins."""
    testable = _testable_rows(wins)
    lead, there = _testable_clause(wins)
    if not wins or not testable:
        return lead.removesuffix("; ")
    subject = ("it" if len(testable) == 1 else "each") if lead else "Every win"
    return f"{lead}{subject} is also significant {there} ({_resampled_p_clause(testable, p_below(alpha))})"


def _resampled_p_clause(rows: Rows, p: str) -> str:
    """Name p over splits, and say from how many splits it is computed, as in ``resampled p < .05, from 2 to 5 splits``."""
    numbers = _numbers_of_splits(rows)
    some = f"from {numbers_in_words(numbers)} splits, {numbers_in_words(number - 1 for number in numbers)} degrees of freedom"
    return f"{resampled({row['correction'] for row in rows})} {p}, {splits_in_words(numbers[0]) if len(numbers) == 1 else some}"


def _least_t(rows: Rows, alpha: float) -> str:
    """Say how large |t| must be with the fewest splits, if these are so few that hardly any win can be significant."""
    n = min(_numbers_of_splits(rows), default=math.inf)
    if n >= _FEW_SPLITS:
        return ""
    least = special.stdtrit(n - 1, 1 - alpha / 2)
    return f"With {n:g} splits, |t| must exceed {least:.1f}"


def _numbers_of_splits(rows: Rows) -> list[float]:
    return sorted({n_splits_of(row["split"], row["repeats"]) for row in rows})


def _testable_clause(rows: Rows) -> tuple[str, str]:
    """Return the start of a sentence about how many wins could be tested over splits (empty if all), and the splits' name."""
    n_testable, n_wins = len(_testable_rows(rows)), len(_won_rows(rows))
    if n_testable == n_wins:
        return "", "over other splits"
    wins = "win" if n_wins == 1 else "wins"
    return f"{count(n_testable)} of {count(n_wins)} {wins} could be tested over other splits; ", "in this test"


def _testable_rows(rows: Rows) -> Rows:
    return [row for row in _won_rows(rows) if not math.isnan(row["resampled_p"])]


def _won_rows(rows: Iterable[Mapping[str, Any]]) -> Rows:
    return [row for row in rows if row["winner"]]


def holm_sentence(verdicts: Sequence[PairVerdicts]) -> str:
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


HOW = (
    "The variance of each difference is divided among users, draws of the split and fits, for others than those seen, but from the "
    "same data. The resampled p is another answer: it allows for other data too, and decides what is said of other splits."
)

_MOST = 12
"""Largest number of pairs that are described; components.csv lists them all."""


def component_sentences(found: Sequence[Uncertainty]) -> list[str]:
    """Say for each pair whose the uncertainty is, from how many draws this is known, and what the errors are for others."""
    more = len(found) - _MOST
    further = [f"{count(more)} more pair{'s' * (more > 1)}: see components.csv."] if more > 0 else []
    return [*map(_sentence, found[:_MOST]), *further]


def _sentence(found: Uncertainty) -> str:
    (a, b), shares = found.systems, sorted(found.shares.items(), key=lambda each: -each[1])
    known = "" if "splits" in found.shares else " (that of splits is not known)"
    parts = [
        f"{whole_percentage(share)} of the uncertainty{known} is that of {part}{_draws(found, part)}" for part, share in shares[:1]
    ]
    parts += [f"{whole_percentage(share)} that of {part}{_draws(found, part)}" for part, share in shares[1:]]
    errors = [f"{score(row['error'], row['error'])} for {name}" for name, row in found.rows.items() if name.startswith("other")]
    said = f"{listed(parts)}; the" if parts and not math.isnan(shares[0][1]) else "the"
    return f"{a} and {b} on {found.dataset}, by {found.metric}: {said} standard error of the difference is {listed(errors)}."


def _draws(found: Uncertainty, part: str) -> str:
    """Say from how many draws a part is known; users are many."""
    if part == "users":
        return ""
    freedom = found.freedom(part)
    degrees = f"{freedom} degree{'s' * (freedom > 1)} of freedom" if freedom > 1 else "one degree of freedom"
    return f" (from {found.levels(part)} {'draws' if part == 'splits' else part}, {degrees})"
