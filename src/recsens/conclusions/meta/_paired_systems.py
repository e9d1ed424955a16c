"""Code shared by analyses that compare systems: allowed tests, the pairs, and the data that a test compares for each metric."""

from collections.abc import Iterator, Sequence

from recsens.comparison.aggregation import Scores
from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.meta._judged_rankings import Board, by_metric
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.outcomes.paired import Paired
from recsens.plugins.specs import Spec
from recsens.recommenders import progress
from recsens.study import Asked


def with_p(spec: Spec) -> Spec:
    """Refuse, for a parameter that holds a test, one that does not give a p-value."""
    test = SignificanceTest.build(spec)
    if test.answer != "p":
        raise ValueError(f"'{spec}' gives a share of subsets, not a p-value; name the test that it repeats")
    return spec


def check_pairs(asked: Asked) -> None:
    """Refuse to compare systems without any pair.

    Raises SpecError if there are no pairs.
    """
    if not asked.pairs:
        raise SpecError("there is no pair of systems to compare", allowed="two systems or more")


def compared(board: Board, metrics: Sequence[MeasuredAt], what: str) -> Iterator[tuple[MeasuredAt, Scores, Paired]]:
    """Yield each metric with all systems' values and the data that a test compares; ``what`` is the heading of the progress."""
    aggregate = board.rules.aggregate
    groups = [rows for _, rows in by_metric(metrics)]
    # All cut-offs of one metric at a time: they share a pass over the rankings, and other metrics use no memory meanwhile.
    panels = (scores for rows in groups for scores in board.panel([metrics[row] for row in rows]))
    for row, scores in zip(progress([row for rows in groups for row in rows], what), panels, strict=True):
        yield metrics[row], scores, Paired.of(scores, aggregate.tested(scores), aggregate)


def rows_of(board: Board, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return the numbers of each pair's systems on the board."""
    number = {label: nth for nth, label in enumerate(board.systems)}
    return [(number[a], number[b]) for a, b in pairs]
