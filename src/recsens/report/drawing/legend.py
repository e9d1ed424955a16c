"""The legend above the panels, in as many columns as fit."""

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure

_MOST_COLUMNS = 5


def add_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Add a legend that reads row by row, and make the figure higher by as much."""
    for n_columns in (len(handles), *range(min(len(handles) - 1, _MOST_COLUMNS), 0, -1)):
        # A legend is filled column by column; this order reads row by row.
        by_row = [handle for column in range(n_columns) for handle in handles[column::n_columns]]
        legend = figure.legend(handles=by_row, loc="outside upper left", ncols=n_columns, handlelength=2.6, columnspacing=1.4)
        size = legend.get_window_extent()
        if size.width <= 0.98 * figure.bbox.width or n_columns == 1:
            break
        legend.remove()
    # The panels keep their height, however many rows there are to read.
    figure.set_figheight(figure.get_figheight() + size.height / figure.dpi)
