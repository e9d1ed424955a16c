"""Differences within groups of users and items, with intervals."""

from recsens.conclusions.verdicts.groups import grouped_pairs
from recsens.errors import SpecError
from recsens.report.figure_style import SOFT, ink
from recsens.report.figures._base import COLUMNS, MOST_PANELS, FigureData, Titled, first_shown, panel_title, refuse_without_pairs
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import fit_text
from recsens.report.figures._intervals import Interval, draw_intervals
from recsens.report.lazy_matplotlib import Figure
from recsens.study import Experiment


class ByGroup(Titled):
    """The difference of each pair over all users and, below, within each group, with intervals.

    Groups with fewer than ten users have no interval. The first twelve pairs are shown.
    """

    title = "Differences within groups"
    needs = frozenset({"compare_groups"})

    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment without groups or pairs."""
        refuse_without_pairs(experiment)
        if not experiment.groups:
            raise SpecError("the study asks about no groups", remedy="write 'groups: [activity]'")

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            "Difference, first system minus second, over all users and, below the dotted line, within groups, with the intervals "
            "of the base design's test, which are not adjusted for the number of groups. At the margin: the number of users."
            f"{first_shown(experiment)}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each pair on each data set."""
        pairs = grouped_pairs(data.experiment, data.results)[:MOST_PANELS]
        if not pairs:
            return fit_text(panels(["No pair is compared within groups"], self.columns, 1.9)[0])
        titles = [
            panel_title(data.experiment, pair.whole["dataset"], f"{pair.whole['system_a']} and {pair.whole['system_b']}")
            for pair in pairs
        ]
        n_rows = 1 + max(sum(map(len, pair.groupings.values())) for pair in pairs)
        figure, listed = panels(titles, self.columns, 0.8 + 0.19 * n_rows, most=2)
        for axes, pair in zip(listed, pairs, strict=False):
            rows = [("all users", pair.whole, 0)]
            rows += [
                (f"{row['of']}: {row['group']}", row, 1 + nth) for nth, own in enumerate(pair.groupings.values()) for row in own
            ]
            draw_intervals(
                axes,
                [
                    Interval(label, row["difference"], row["low"], row["high"], f"{row['users']:,.0f}", ink(style))
                    for label, row, style in rows
                ],
                0.0,
            )
            axes.axhline(0.5, color=SOFT, linewidth=0.6, linestyle=":")
        label_edges(listed, f"difference in {pairs[0].whole['metric']}", "", has_rows=True)
        return fit_text(figure)
