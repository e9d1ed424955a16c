"""Values and verdicts by the number of trials of tuning."""

from typing import Any, Literal

import numpy as np
from pydantic import Field

from recsens.conclusions.verdicts.efforts import efforts_of
from recsens.errors import SpecError
from recsens.report.figure_style import Ink, inks, set_scores
from recsens.report.figures._base import COLUMNS, MOST_PANELS, Drawing, FigureData, first_shown, panel_title, refuse_without_pairs
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D, Patch
from recsens.study import Experiment
from recsens.study.searched import metric_of_effort


class Effort(Drawing):
    """Expected value of each system after each number of trials of tuning, or the shares of searches in which each system wins."""

    source = "Dodge et al. (2019), Show Your Work: expected validation performance; the verdicts are ours"
    needs = frozenset({"effort"})

    show: Literal["values", "verdicts"] = Field("values", description="values: a curve for each system; verdicts: shares, by pair")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that does not vary the effort, or that compares no pair of systems."""
        if not experiment.effort:
            raise SpecError("the study does not vary the effort", remedy="write 'vary: {effort: [0, 1, 5, 20]}'")
        if self.show == "verdicts":
            refuse_without_pairs(experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        metric = metric_of_effort(experiment).written
        return f"{metric} by trials of tuning" if self.show == "values" else f"Winner on {metric} by trials of tuning"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        if self.show == "values":
            return (
                "Expected value of each system if it gets so many random trials of tuning besides its parameters as written (0), "
                "with its standard error over searches. It is an average over systems, smoother than any of them: where curves "
                "cross, verdicts need not change."
            )
        return (
            "Share of searches after which each system wins, if both get so many trials of tuning; in the white part, neither "
            f"wins. The dotted lines are at 5 % and 95 %.{first_shown(experiment)}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set or, for verdicts, for each pair on each data set."""
        return self._draw_values(data) if self.show == "values" else self._draw_verdicts(data)

    def _draw_values(self, data: FigureData) -> Figure:
        experiment, styles = data.experiment, inks(data.experiment.systems)
        figure, listed = panels(list(experiment.datasets), self.columns, 2.6)
        for axes, dataset in zip(listed, experiment.datasets, strict=True):
            rows = data.results.searches[data.results.searches["dataset"] == dataset]
            for system, style in styles.items():
                own = rows[rows["system"] == system].sort_values("effort")
                across, value, error = (own[name].to_numpy(dtype=np.float64) for name in ("effort", "value", "error"))
                axes.plot(across, value, **style.stroke, linewidth=1.2)
                axes.fill_between(across, value - error, value + error, color=style.colour, alpha=0.18, linewidth=0)
            set_scores(axes)
            _set_trial_scale(axes, max(experiment.effort))
        label_edges(listed, "trials of tuning", metric_of_effort(experiment).written)
        add_legend(figure, [Line2D([], [], **style.stroke, label=system) for system, style in styles.items()])
        return fit_text(figure)

    def _draw_verdicts(self, data: FigureData) -> Figure:
        experiment, styles = data.experiment, inks(data.experiment.systems)
        pairs = list(efforts_of(experiment, data.results.effort).items())[:MOST_PANELS]
        titles = [panel_title(experiment, dataset, f"{a} and {b}") for (dataset, a, b), _ in pairs]
        figure, listed = panels(titles, self.columns, 1.7)
        for axes, ((_, a, b), of_pair) in zip(listed, pairs, strict=True):
            efforts, a_wins, b_wins = (
                np.array([row[name] for row in of_pair.rows], dtype=np.float64) for name in ("effort_a", "share_a", "share_b")
            )
            axes.fill_between(efforts, 0, a_wins, **_fill_style(styles[a]))
            axes.fill_between(efforts, 1 - b_wins, 1, **_fill_style(styles[b]))
            for at in (0.05, 0.95):
                axes.axhline(at, linestyle=":", linewidth=0.7, color="0.4")
            axes.set_ylim(0, 1)
            axes.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
            _set_trial_scale(axes, max(experiment.effort))
        label_edges(listed, "trials of tuning", "searches")
        shown = [system for system in experiment.systems if any(system in key[1:] for key, _ in pairs)]
        add_legend(figure, [Patch(**_fill_style(styles[system]), label=system) for system in shown])
        return fit_text(figure)


def _fill_style(style: Ink) -> dict[str, Any]:
    return {"color": style.colour, "alpha": 0.6, "linewidth": 0}


def _set_trial_scale(axes: Axes, highest: int) -> None:
    """Give small numbers of trials more room: 0 to 1 is linear, the rest logarithmic."""
    axes.set_xscale("symlog", linthresh=1, linscale=0.5)
    ticks = [tick for tick in (0, 1, 2, 5, 10, 20, 50, 100, 200, 500) if tick <= highest]
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.set_xlim(0, max(highest, 1))
