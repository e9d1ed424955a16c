"""Discriminative power: how well metrics distinguish systems."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from recsens.arrays import Floats
from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board
from recsens.conclusions.meta._paired_systems import check_pairs, compared, rows_of, with_p
from recsens.metrics import MeasuredAt
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.study import MetricAnalysisTask

Pair = tuple[int, int]


class Discrimination(MetricAnalysis):
    """DP = Σ p over the pairs of systems, each pair once: the lower DP is, the better the metric distinguishes systems.

    DP is the area under the p-value curve, which shows the p-values in decreasing order. DP can be compared only between metrics on
    the same systems and the same test set. Two systems that rank identically have p = 1 on every metric. By default they count as
    one system (``identical=once``): pairs that contain a copy of another system are left out of all sums, and ``copies`` counts
    them. Rankings are identical if all test ratings have the same positions, whatever the scores. All metrics are tested with the
    same random draws. A pair without a p-value (too few users count for both systems) is left out of the sums; a sum is NaN
    if no pair has a p-value.
    """

    source = (
        "Valcarce, Bellogín, Parapar & Castells (2018), section 4; Lu, Moffat & Culpepper (2016) for the median of p; Sakai (2006) "
        "for the share of significant pairs"
    )
    also_called = ("discriminative_power", "discriminativity")
    quantities: ClassVar[dict[str, str]] = {
        "p": "p-value of the test of two systems; n is the number of users over whom they are compared",
        "DP": "sum of p over pairs of systems, each pair once; n is the number of pairs with a p-value",
        "DP_ordered": "sum of p over ordered pairs, which is twice DP, and is what Valcarce et al. (2018) print in Table 3",
        "median_p": "median of p over pairs of systems",
        "significant": "share of pairs of systems with p below alpha",
        "copies": "number of pairs with system B that are left out, because B ranks all n test ratings as system A does",
    }
    several: ClassVar[frozenset[str]] = frozenset({"p", "copies"})
    judges_ratings: ClassVar[bool] = True
    drawn_by: ClassVar[str] = "curve"
    best_says: ClassVar[str] = "tells systems apart best"
    headline: ClassVar[str] = "DP"
    less_is_better: ClassVar[frozenset[str]] = frozenset({"p", "DP", "DP_ordered", "median_p"})
    not_averaged: ClassVar[frozenset[str]] = frozenset({"p", "copies"})

    test: Annotated[Spec, *component("test"), AfterValidator(with_p)] = Field(
        Spec("randomisation"), description="the test of each pair of systems; it must give a p-value"
    )
    identical: Literal["once", "each"] = Field(
        "once",
        description="whether systems that rank identically count as one system, or count separately, with p = 1 between them",
    )

    def check(self, task: MetricAnalysisTask) -> None:
        """Refuse metrics without a value per user, and a study without pairs."""
        super().check(task)
        check_pairs(task)

    def analyse(self, board: Board, task: MetricAnalysisTask) -> list[Finding]:
        """Test all pairs on each metric."""
        test = SignificanceTest.build(self.test)
        asked_pairs = rows_of(board, task.pairs)
        by_score = any(measured.metric.reads == "predictions" for measured in task.metrics)
        originals = _originals(board, asked_pairs, by_score=by_score)
        pairs = _distinct(asked_pairs, originals) if self.identical == "once" else asked_pairs
        findings = list(_copies(board, originals, asked_pairs, pairs))
        for measured, _, paired in compared(board, task.metrics, "Discrimination"):
            comparisons = test.compare_pairs(paired.values, paired.counts, pairs, task.stream, paired.weights, paired.offsets)
            for one, (a, b) in zip(comparisons, pairs, strict=True):
                first, second = board.systems[a], board.systems[b]
                findings.append(Finding("p", one.p_value, measured, system_a=first, system_b=second, n=one.n_users))
            findings += _summed(measured, np.array([one.p_value for one in comparisons], dtype=np.float64), task.alpha)
        return findings


def _copies(board: Board, first: dict[int, int], pairs: Sequence[Pair], kept: Sequence[Pair]) -> Iterator[Finding]:
    left_out = set(pairs) - set(kept)
    for copy, original in first.items():
        if copy != original:
            n_pairs, (a, b) = sum(copy in pair for pair in left_out), (board.systems[original], board.systems[copy])
            yield Finding("copies", float(n_pairs), system_a=a, system_b=b, n=len(board.user))


def _summed(measured: MeasuredAt, p_values: Floats, alpha: float) -> Iterator[Finding]:
    valid = p_values[~np.isnan(p_values)]
    summed = {
        "DP": valid.sum(),
        "DP_ordered": 2 * valid.sum(),
        "median_p": np.median(valid) if len(valid) else np.nan,
        "significant": (valid < alpha).sum() / max(len(valid), 1),
    }
    for quantity, value in summed.items():
        # Without p-values, a sum of 0 would look like the best possible value.
        yield Finding(quantity, float(value) if len(valid) else math.nan, measured, n=len(valid))


def _originals(board: Board, pairs: Sequence[Pair], *, by_score: bool) -> dict[int, int]:
    """Return, for each system in a pair, the first system that ranks identically, which may be the system itself.

    Two systems rank identically if every test item has the same position in both or is ranked by neither, and if the two rankings
    of every user have the same length. With ``by_score``, which metrics that read predictions need, the scores must be equal too.
    """
    first: dict[tuple[bytes, ...], int] = {}
    systems = sorted({system for pair in pairs for system in pair})
    return {label: first.setdefault(_ranking(board, label, by_score=by_score), label) for label in systems}


def _ranking(board: Board, system: int, *, by_score: bool) -> tuple[bytes, ...]:
    score = b"" if board.score is None or not by_score else board.score[system].tobytes()
    return board.position[system].tobytes(), board.ranked[system].tobytes(), score


def _distinct(pairs: Sequence[Pair], originals: dict[int, int]) -> list[Pair]:
    """Select one pair for every two distinct systems; a copy counts as its original."""
    seen: dict[frozenset[int], Pair] = {}
    for a, b in pairs:
        named = frozenset((originals[a], originals[b]))
        if len(named) == 2:
            seen.setdefault(named, (a, b))
    return list(seen.values())
