"""Figures in a page or a notebook: SVG text with the page's colours, which can be saved in the report's file formats."""

import hashlib
import re
from collections.abc import Callable
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from recsens.errors import DesignError
from recsens.report.figure_style import BAND, GRID, PAPER, SOFT, TEXT, house_style, ink
from recsens.report.figures import svg_of, write_figure
from recsens.report.html.templates import cell
from recsens.vocabulary import FIGURE_FORMS

N_COLOURS = 7
"""Number of system colours; the style sheet has a variable for each."""

_VARIABLES = {
    TEXT: "--ink",
    SOFT: "--ink-soft",
    GRID: "--rule",
    BAND: "--band",
    PAPER: "--paper",
    **{ink(number).colour: f"--series-{number + 1}" for number in range(N_COLOURS)},
}


def inline_svg(text: str, *, name: str, title: str) -> str:
    """Convert an SVG file to an element of a page.

    Names get a prefix, because several figures can share a page. Colours become variables of the page's style sheet. Screen readers
    read the title aloud.
    """
    body = text[text.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", body)
    for colour, variable in _VARIABLES.items():
        body = body.replace(f": {colour}", f": var({variable})")
    head, _, rest = body.partition(">")
    head = re.sub(r'\s(width|height|version|xmlns:xlink)="[^"]*"', "", head).replace("\n", " ")
    rest = rest.replace("xlink:href", "href")
    return f'{head} role="img" aria-labelledby="{name}-title"><title id="{name}-title">{escape(title)}</title>{rest}'.strip()


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
    return cell(title, figures=[inline_svg(svg, name=name, title=title)])
