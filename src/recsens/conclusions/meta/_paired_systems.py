"""Code shared by analyses that compare systems: allowed tests, pairs, and the data that a test compares for each metric."""

from collections.abc import Iterator, Sequence

from recsens.comparison.aggregation import UserMeasures
from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.meta._judged_rankings import Board
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt, by_metric
from recsens.outcomes.paired import Paired
from recsens.plugins.specs import Spec
from recsens.recommenders import progress
from recsens.study import MetricAnalysisTask


def with_p(spec: Spec) -> Spec:
    """Check a test that is a parameter of an analysis: refuse a test without a p-value."""
    test = SignificanceTest.build(spec)
    if test.answer != "p":
        raise ValueError(f"'{spec}' gives a share of subsets instead of a p-value; name the test that it repeats")
    return spec


def check_pairs(asked: MetricAnalysisTask) -> None:
    """Raise SpecError if there are fewer than two systems to compare."""
    if not asked.pairs:
        raise SpecError("there is no pair of systems to compare", allowed="two systems or more")


def compared(board: Board, metrics: Sequence[MeasuredAt], what: str) -> Iterator[tuple[MeasuredAt, UserMeasures, Paired]]:
    """Yield each metric, all systems' values, and the data that the test compares; ``what`` names this work in the log."""
    aggregate = board.rules.aggregate
    groups = [rows for _, rows in by_metric(metrics)]
    # Measure one metric at a time, with all its cut-offs: the cut-offs share a pass, and only one metric is in memory.
    panels = (scores for rows in groups for scores in board.panel([metrics[row] for row in rows]))
    for row, scores in zip(progress([row for rows in groups for row in rows], what), panels, strict=True):
        yield metrics[row], scores, Paired.of(scores, aggregate.tested(scores), aggregate)


def rows_of(board: Board, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return the indices of each pair's systems on the board."""
    number = {label: nth for nth, label in enumerate(board.systems)}
    return [(number[a], number[b]) for a, b in pairs]
