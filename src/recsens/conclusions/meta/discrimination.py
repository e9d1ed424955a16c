"""Discriminative power: how well metrics distinguish systems, by users' values or by exchanging whole lists."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field
from scipy.sparse import csr_array

from recsens.arrays import Bools, Floats, Ints
from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board, board_rows, check_gives_p, check_pairs, swaps_of, values_to_compare
from recsens.errors import SpecError
from recsens.metrics import ItemCountMetric, MeasuredAt, Metric
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
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

    A metric that only counts how many lists contain each item, such as coverage or Gini's index, has one value for all users
    together, so ``test`` cannot compare users' values. Instead, the two systems' lists are exchanged: a coin decides for each user
    whether they are swapped, and the metric is computed anew. p is the share of such exchanges after which the two values are at
    least as far apart as observed. For a mean over users, this is the randomisation test. Other metrics with one value for all
    users are refused, because they need more than these counts.
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
    judges_pooled: ClassVar[tuple[type[Metric], ...]] = (ItemCountMetric,)
    drawn_by: ClassVar[str] = "curve"
    best_says: ClassVar[str] = "tells systems apart best"
    headline: ClassVar[str] = "DP"
    less_is_better: ClassVar[frozenset[str]] = frozenset({"p", "DP", "DP_ordered", "median_p"})
    not_averaged: ClassVar[frozenset[str]] = frozenset({"p", "copies"})

    test: Annotated[Spec, *component("test"), AfterValidator(check_gives_p)] = Field(
        Spec("randomisation"), description="the test of each pair of systems; it must give a p-value"
    )
    exchanges: int = Field(
        2000,
        ge=1,
        le=100_000,
        description="number of random exchanges of lists, for metrics with one value for all users; all, if there are no more",
    )
    identical: Literal["once", "each"] = Field(
        "once",
        description="whether systems that rank identically count as one system, or count separately, with p = 1 between them",
    )

    def check(self, task: MetricAnalysisTask) -> None:
        """Refuse pooled metrics that do not follow from item counts, and a study without pairs."""
        for measured in task.metrics:
            if measured.metric.unit != "user" and not isinstance(measured.metric, self.judges_pooled):
                raise SpecError(
                    f"metric '{measured.written}' has one value for all users together, which does not follow from how many lists "
                    "contain each item, so two systems' lists cannot be exchanged user by user",
                    allowed="metrics with one value per user, or that count items, such as CatalogCoverage, Gini or Entropy",
                )
        super().check(task)
        check_pairs(task)

    def analyse(self, board: Board, task: MetricAnalysisTask) -> list[Finding]:
        """Test all pairs on each metric."""
        test = SignificanceTest.build(self.test)
        asked_pairs = board_rows(board, task.pairs)
        by_score = any(measured.metric.reads == "predictions" for measured in task.metrics)
        originals = _originals(board, asked_pairs, by_score=by_score)
        pairs = _distinct_pairs(asked_pairs, originals) if self.identical == "once" else asked_pairs
        findings = list(_copy_findings(board, originals, asked_pairs, pairs))
        by_user = [measured for measured in task.metrics if measured.metric.unit == "user"]
        tested: dict[MeasuredAt, list[tuple[float, int]]] = {}
        for measured, _, paired in values_to_compare(board, by_user, "Discrimination"):
            comparisons = test.compare_pairs(paired.values, paired.counts, pairs, task.stream, paired.weights, paired.offsets)
            tested[measured] = [(one.p_value, one.n_users) for one in comparisons]
        for measured in task.metrics:
            if isinstance(metric := measured.metric, ItemCountMetric):
                tested[measured] = [
                    *exchange_p_values(board, metric, measured.cutoff, pairs, task.stream.child("exchange"), self.exchanges)
                ]
            for (p_value, n), (a, b) in zip(tested[measured], pairs, strict=True):
                findings.append(Finding("p", p_value, measured, system_a=board.systems[a], system_b=board.systems[b], n=n))
            findings += _sum_findings(measured, np.array([p for p, _ in tested[measured]], dtype=np.float64), task.alpha)
        return findings


def _copy_findings(board: Board, first: dict[int, int], pairs: Sequence[Pair], kept: Sequence[Pair]) -> Iterator[Finding]:
    left_out = set(pairs) - set(kept)
    for copy, original in first.items():
        if copy != original:
            n_pairs, (a, b) = sum(copy in pair for pair in left_out), (board.systems[original], board.systems[copy])
            yield Finding("copies", float(n_pairs), system_a=a, system_b=b, n=len(board.user))


def _sum_findings(measured: MeasuredAt, p_values: Floats, alpha: float) -> Iterator[Finding]:
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
    return {label: first.setdefault(_ranking_key(board, label, by_score=by_score), label) for label in systems}


def _ranking_key(board: Board, system: int, *, by_score: bool) -> tuple[bytes, ...]:
    score = b"" if board.score is None or not by_score else board.score[system].tobytes()
    return board.position[system].tobytes(), board.ranked[system].tobytes(), score


def _distinct_pairs(pairs: Sequence[Pair], originals: dict[int, int]) -> list[Pair]:
    """Select one pair for every two distinct systems; a copy counts as its original."""
    seen: dict[frozenset[int], Pair] = {}
    for a, b in pairs:
        named = frozenset((originals[a], originals[b]))
        if len(named) == 2:
            seen.setdefault(named, (a, b))
    return list(seen.values())


_CELLS = 1 << 22
"""Number of item counts in memory at a time; they take 32 MiB."""

_NOISE = 1e-9
"""Distances that differ by less than this share of the observed one are equal, because rounding moves the values."""


def exchange_p_values(
    board: Board, metric: ItemCountMetric, cutoff: int, pairs: Sequence[tuple[int, int]], stream: Stream, samples: int
) -> Iterator[tuple[float, int]]:
    """Yield each pair's p-value, and the number of users who count for both systems.

    If at most ``samples`` exchanges give different lists, all are enumerated; otherwise p = (1 + c) / (1 + B), where c of B =
    ``samples`` random exchanges bring the two values at least as far apart as observed. The coins are the same for all pairs. p is
    NaN with fewer than two users, or if a value is undefined.
    """
    listed = {system: _listed(board, system, cutoff) for system in {system for pair in pairs for system in pair}}
    for a, b in pairs:
        both = np.flatnonzero(listed[a][0] & listed[b][0])
        first, second = (listed[system][1][both] for system in (a, b))
        moved = second - first
        moved.eliminate_zeros()
        differ = np.flatnonzero(np.diff(moved.indptr))
        sums: Ints = np.stack([first.sum(axis=0), second.sum(axis=0)]).astype(np.int64)
        distances = partial(_distances, partial(metric.of_counts, cutoff=cutoff, catalogue=board.lists[a].catalogue), sums)
        [observed] = distances(np.zeros((1, moved.shape[1]), dtype=np.int64))
        if len(both) < 2 or np.isnan(observed):
            yield np.nan, len(both)
            continue
        is_few = len(differ) < samples.bit_length()  # 2^m <= samples
        far, n = 0, 1 << len(differ) if is_few else samples
        step = max(1, _CELLS // moved.shape[1])
        for start in range(0, n, step):
            nth = range(start, min(start + step, n))
            flips = _bits(nth, len(differ)) if is_few else (swaps_of(board.n_users, stream, nth) < 0)[:, both[differ]]
            far += int(np.count_nonzero(distances(flips.astype(np.int64) @ moved[differ]) >= observed * (1 - _NOISE)))
        yield far / n if is_few else (1 + far) / (1 + n), len(both)


def _distances(of_counts: Callable[..., Floats], sums: Ints, gained: Ints) -> Floats:
    """Return the distance between both systems' values in each exchange, shape (n_exchanges,).

    ``sums``, shape (2, n_items + 1), holds both systems' counts, and ``gained``, shape (n_exchanges, n_items + 1), what the first
    system gains and the second loses.
    """
    one, other = (of_counts(counts[:, :-1], counts[:, -1]) for counts in (sums[0] + gained, sums[1] - gained))
    return np.abs(one - other)


def _listed(board: Board, system: int, cutoff: int) -> tuple[Bools, csr_array]:
    """Return whether each user counts, and each user's items down to the cut-off as ones; the last column is one for any list."""
    judged = board.judged(system)
    lists = board.lists_of(system, judged)
    assert lists is not None
    near, has_list = lists.ranks <= cutoff, np.flatnonzero(lists.lengths)
    rows = np.concatenate([np.repeat(np.arange(lists.n_users), lists.lengths)[near], has_list])
    n_items = lists.catalogue.n_items
    columns = np.concatenate([lists.item[near], np.full(len(has_list), n_items)])
    ones = np.ones(len(rows), dtype=np.int64)
    return board.counts(system, judged), csr_array((ones, (rows, columns)), shape=(lists.n_users, n_items + 1))


def _bits(patterns: range, n_users: int) -> Bools:
    """Return the bits of some patterns, shape (n_patterns, n_users)."""
    return np.asarray((np.array(patterns)[:, np.newaxis] >> np.arange(n_users)) & 1 > 0)
