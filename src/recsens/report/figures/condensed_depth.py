"""The positions of the first items of condensed rankings in the full rankings."""

import math
from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.arrays import Floats, Ints
from recsens.conclusions.dimensions import Place
from recsens.report.figure_style import inks
from recsens.report.figures._base import COLUMNS, FigureData, Need, OfRankings, RankedItems
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._series import Series, draw_series, label_or_legend, set_places
from recsens.report.lazy_matplotlib import Figure
from recsens.study import Experiment


class CondensedDepth(OfRankings):
    """Mean position in the full ranking of the k-th judged item of each user, for k from 1 to ``depth``.

    On each fold, the mean is over the users with at least ``depth`` ranked judged items under every system; so all points are means
    over the same users. The title of a panel gives the number of these users, and the number of folds.
    """

    title = "Depth of condensed rankings"
    needs: ClassVar[frozenset[Need]] = frozenset({"positions"})
    source = "Cañamares, Castells & Moffat (2020), figure 5"

    depth: int = Field(10, ge=2, le=1000, description="number of judged items")
    columns: Columns = COLUMNS

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            f"For each of the first {self.depth} judged items: its mean position in the full ranking under the base design. The "
            f"means are over users and folds with at least {self.depth} judged items under every system; the number of these users "
            "is above each panel."
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set, with a line for each system."""
        experiment = data.experiment
        depths = {label: self._mean_positions(data, label) for label in experiment.datasets}
        folds = {label: len(data.positions[label, next(iter(experiment.systems))]) for label in experiment.datasets}
        # A user counts once in each fold.
        over = {label: f" over {n} folds" if n > 1 else "" for label, n in folds.items()}
        titles = [f"{label} (n = {n:,}{over[label]})" for label, (n, _) in depths.items()]
        figure, listed = panels(titles, self.columns, 2.3)
        places = [Place(str(k), float(k)) for k in range(1, self.depth + 1)]
        styles, nothing, named = inks(experiment.systems), [math.nan] * self.depth, []
        for axes, (_, means) in zip(listed, depths.values(), strict=True):
            set_places(axes, places)
            for system, values in means.items():
                series = Series(system, styles[system], places, list(values), nothing, nothing, ())
                draw_series(axes, places, series, 0.0)
                named.append((axes, series))
        label_edges(listed, "judged items", "mean position")
        return label_or_legend(figure, named)

    def _mean_positions(self, data: FigureData, label: str) -> tuple[int, dict[str, Floats]]:
        """Return the number of users, and the mean position of each judged item by system."""
        systems = list(data.experiment.systems)
        sums = {system: np.zeros(self.depth) for system in systems}
        n_users = 0
        for fold in zip(*(data.positions[label, system] for system in systems), strict=True):
            firsts = [_first_positions(ranked, self.depth) for ranked in fold]
            common = set.intersection(*(set(users.tolist()) for users, _ in firsts))
            n_users += len(common)
            for system, (users, positions) in zip(systems, firsts, strict=True):
                sums[system] += positions[np.isin(users, sorted(common))].sum(axis=0)
        return n_users, {system: total / n_users if n_users else np.full(self.depth, math.nan) for system, total in sums.items()}


def _first_positions(ranked: RankedItems, depth: int) -> tuple[Ints, Ints]:
    """Return the users with enough ranked items, and the positions of their first ranked items, shape (n_users, depth)."""
    user, position, _ = ranked
    order = np.lexsort((position, user))
    users, starts, counts = np.unique(user[order], return_index=True, return_counts=True)
    enough = counts >= depth
    at = starts[enough][:, None] + np.arange(depth)
    return users[enough].astype(np.int64), position[order][at].astype(np.int64)
