"""The figure of a result in a notebook, which is shown in the page's colours and can be saved in the report's file formats."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure

from recsens.errors import DesignError
from recsens.report.figure_style import house_style
from recsens.report.figures import svg_of, write_figure
from recsens.report.html.cell import cell
from recsens.report.html.svg import inline
from recsens.vocabulary import FIGURE_FORMS


class Picture:
    """A drawn figure.

    Attributes
    ----------
    figure
        The matplotlib figure, which you can change.
    title
        A title that says what the figure shows.
    """

    def __init__(self, figure: Figure, title: str) -> None:
        self.figure = figure
        self.title = title

    @classmethod
    def drawn(cls, draw: Callable[[], Figure], title: str) -> "Picture":
        """Draw a figure in the house style."""
        with house_style():
            return cls(draw(), title)

    def save(self, path: str | Path) -> Path:
        """Write the figure to a file, in the format that the file's ending names.

        Raises
        ------
        DesignError
            If the ending is not one of the report's formats.
        """
        path = Path(path)
        form = path.suffix.lower().removeprefix(".")
        if form not in FIGURE_FORMS:
            raise DesignError(
                f"'{path.name}' has the ending '{path.suffix}'", allowed=", ".join(f".{each}" for each in FIGURE_FORMS)
            )
        write_figure(self.figure, **{form: path})
        return path

    def __repr__(self) -> str:
        return f"<figure: {self.title}; .save('figure.svg') writes it, .figure is matplotlib's>"

    def _repr_html_(self) -> str:
        return shown(svg_of(self.figure), self.title)


class Drawn:
    """A figure of a study, as drawn by its run.

    Attributes
    ----------
    path
        The SVG file; PNG and PDF versions are in the same folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"<figure '{self.path.stem}' of '{self.path.parents[1].name}': {self.path}>"

    def _repr_html_(self) -> str:
        return shown(self.path.read_text(encoding="utf-8"), f"{self.path.parents[1].name}: {self.path.stem}")


def shown(svg: str, title: str) -> str:
    """Return an SVG figure as a piece of a page."""
    # Cells of a notebook share a page, so the names inside figures must differ.
    name = f"figure-{hashlib.sha256(svg.encode()).hexdigest()[:12]}"
    return cell(title, figures=[inline(svg, name=name, title=title)])
