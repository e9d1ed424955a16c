"""Count every user's ratings and items in every ranking of a study."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.filesets import PositionFiles
from recsens.metrics import Judged
from recsens.outcomes.measuring.stored_rankings import POPULATION, Cell, RankedUsers, known_of, walk_stretches, write_cells
from recsens.vocabulary import View


def count_ratings(
    *,
    rankings: Sequence[PositionFiles],
    population: str,
    cells: Sequence[Sequence[tuple[View, float | None]]],
    depths: Sequence[int] = (),
) -> None:
    """Write each user's numbers of train, test, relevant and listed items for each ranking, view and threshold.

    The weight is the user's number of measured rankings; under 1R there is one row for each user and percentile. Three more kinds
    of counts follow: rankings with a target, covered rankings and, for each depth d, filled positions among the first d. Under 1R,
    the numbers of filled positions cannot be derived from the lengths of users' lists.
    """

    def counts(cell: Cell, ranked: RankedUsers, judged: Judged) -> list[NDArray[np.int64]]:
        known = known_of(ranked, judged)
        cover = ranked.cover(cell.view, judged, depths)
        by_user = np.stack([known.train, known.test, known.relevant, known.listed], axis=1)
        by_group = [ranked.weights, cover.rankings, cover.covered, *(cover.filled[depth] for depth in depths)]
        repeated = np.broadcast_to(by_user, (ranked.n_groups, *by_user.shape))
        return [np.concatenate([repeated, np.stack(by_group, axis=-1)], axis=-1)]

    names = ("train", "test", "relevant", "listed", "weight", "rankings", "covered", *(f"@{depth}" for depth in depths))
    write_cells({population: names}, POPULATION, walk_stretches(rankings, cells, counts))
