"""Count every user's ratings and items in every ranking of a study."""

from collections.abc import Sequence

from recsens.artefacts.filesets import PositionFiles
from recsens.outcomes.measuring.stored_rankings import POPULATION, count_columns, user_counts, walk_stretches, write_cells
from recsens.vocabulary import Reading


def count_ratings(
    *,
    rankings: Sequence[PositionFiles],
    population: str,
    cells: Sequence[Sequence[tuple[Reading, float | None]]],
    depths: Sequence[int] = (),
) -> None:
    """Write each user's numbers of train, test, relevant and listed items for each ranking, view and threshold.

    The weight is the user's number of measured rankings; under 1R there is one row for each user and percentile. Three more kinds
    of counts follow: rankings with a target, covered rankings and, for each depth d, filled positions among the first d. Under 1R,
    the numbers of filled positions cannot be derived from the lengths of users' lists.
    """
    counts = walk_stretches(rankings, cells, lambda cell, ranked, judged: [user_counts(cell.view, ranked, judged, depths)])
    write_cells({population: count_columns(depths)}, POPULATION, counts)
