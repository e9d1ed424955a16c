"""Figures inside a page: SVG files embedded in HTML, with the page's colours for light and dark mode."""

import re
from html import escape

from recsens.report.figure_style import BAND, GRID, PAPER, SOFT, TEXT, ink

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


def inline(text: str, *, name: str, title: str) -> str:
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
