"""The difference between the two best systems under the base design, against the options of one decision."""

from matplotlib.figure import Figure

from recsens.conclusions.verdicts.best import Standings
from recsens.report.figure_style import ink
from recsens.report.figures._base import FigureData
from recsens.report.figures._by_option import OfDecision
from recsens.report.figures._canvas import grid, label_edges, left_out, max_metrics
from recsens.report.figures._fitting import in_lines, settle
from recsens.report.figures._intervals import Interval, draw_intervals
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.tables.numbers import p_claim


class DifferenceByOption(OfDecision):
    """Difference between the two best systems under the base design, with its interval, under each option of a decision.

    This is the usual figure for a decision that does not change the scores: the test, or the correction for several tests.
    """

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            f"Difference, by {self.decision.name.lower()}, between the two systems that are best under the base design. Bars show "
            f"the {interval_name(experiment)}; if a bar reaches zero, the order of the two systems is undecided."
            f"{left_out(experiment, max_metrics(experiment))}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set and metric."""
        swept = self.options(data)
        by_panel = self.standings(data, swept)
        figure, panels = grid(data.experiment, 0.75 + 0.34 * len(swept.options), 0.1, only_ranking=True, varied=self.varied)
        label_edges(list(panels.values()), "", "", has_rows=True)
        for panel, axes in panels.items():
            listed = {option.text: standings for option, standings in zip(swept.options, by_panel[panel], strict=True)}
            base = next(listed[option.text] for option in swept.options if option.is_base)
            intervals = [_interval(text, standings, base) for text, standings in listed.items()]
            draw_intervals(axes, [each for each in intervals if each], 0.0)
            if base:
                axes.set_xlabel(in_lines(f"{base.top.first} over {base.top.second}", 40))
        settle(figure)
        return figure


def _interval(option: str, standings: Standings | None, base: Standings | None) -> Interval | None:
    duel = standings.duels.get((base.top.first, base.top.second)) if standings and base else None
    return Interval(option, duel.difference, duel.low, duel.high, p_claim(duel.p_value), ink(0)) if duel else None
