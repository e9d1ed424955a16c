"""Sources of uncertainty: how much of it users, splits and fits contribute to each difference."""

from recsens.conclusions.verdicts.uncertainty import PARTS, uncertainties_of
from recsens.errors import SpecError
from recsens.report.figure_style import ink
from recsens.report.figures._base import COLUMNS, FigureData, Titled
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.lazy_matplotlib import Figure, Patch
from recsens.study import Experiment
from recsens.study.design import has_components

_MOST = 15
"""Largest number of pairs in a panel."""


class Components(Titled):
    """Shares of users, splits and fits in the variance of each difference, for other users, splits and fits than those seen."""

    title = "Sources of uncertainty"
    source = "Henderson (1953), Estimation of variance and covariance components, method 1"
    needs = frozenset({"components"})

    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment without draws that can be compared, or without pairs."""
        if not (experiment.pairs() and has_components(experiment.design)):
            raise SpecError("no draws can be compared", remedy="write 'repeats: 3' or more, or 'fits: 2' or more")

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        most = f" The first {_MOST} pairs are shown." if len(experiment.pairs()) > _MOST else ""
        return (
            "Shares of users, splits and fits in the variance of each difference, as far as they are known, for others than those "
            "seen, from the same data; by the first metric with a value for each user. The largest share is the one "
            f"to draw more of.{most}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set, with a bar for each pair."""
        found = uncertainties_of(data.experiment, data.results.components)
        styles = {part: ink(number) for number, part in enumerate(PARTS)}
        datasets = list(data.experiment.datasets)
        n_pairs = min(len(data.experiment.pairs()), _MOST)
        figure, listed = panels(datasets, self.columns, 0.8 + 0.25 * n_pairs, most=1)
        for axes, dataset in zip(listed, datasets, strict=True):
            pairs = [each for each in found if each.dataset == dataset][:_MOST]
            for row, each in enumerate(pairs):
                start = 0.0
                for part, share in each.shares.items():
                    axes.barh(row, share, left=start, color=styles[part].colour, height=0.7)
                    start += share
            if not pairs:
                axes.text(0.5, 0.5, "too few users", ha="center", va="center")
            axes.set_yticks(range(len(pairs)), [f"{each.systems[0]} and {each.systems[1]}" for each in pairs])
            axes.invert_yaxis()
            axes.set_xlim(0, 1)
            axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
        label_edges(listed, "share of the variance", "", has_rows=True)
        add_legend(figure, [Patch(color=style.colour, label=part) for part, style in styles.items()])
        return fit_text(figure)
