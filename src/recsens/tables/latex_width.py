"""Widths of text in Computer Modern, the font of plain LaTeX; they show what fits on a page before LaTeX sets the page."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from recsens.tables.latex_text import is_known


@dataclass(frozen=True, slots=True)
class Size:
    """A type size.

    Attributes
    ----------
    command
        The LaTeX command of the size.
    em
        Width of an em, in points. Small type is slightly wider than its size suggests.
    leading
        Distance between lines, in points.
    """

    command: str
    em: float
    leading: float


NORMAL = Size(r"\normalsize", 10.0, 12.0)
SMALL = Size(r"\small", 9.27, 11.0)
FOOTNOTE = Size(r"\footnotesize", 8.51, 9.5)
SCRIPT = Size(r"\scriptsize", 8.15, 8.0)

_WIDTHS = {
    278: "!',.:;[]_`il|",
    306: "fj",
    333: "- \N{NO-BREAK SPACE}",
    361: "I",
    389: "()t",
    392: "r",
    394: "s",
    444: "cez",
    472: "?",
    500: "$*/0123456789\\^ago{}~–",
    514: "J",
    528: 'kqvxy"',
    556: "Sbdhnpu",
    611: "Z",
    625: "L",
    653: "F",
    681: "EP",
    708: "B",
    722: "CTw",
    736: "R",
    750: "AHNUVXY",
    764: "D",
    778: "&+<=>@KOQ",
    785: "G",
    833: "#%m",
    917: "M",
    1028: "W",
}
"""Widths of characters of Computer Modern Roman (cmr10), in thousandths of an em."""

_OF = {character: width / 1000 for width, characters in _WIDTHS.items() for character in characters}

_OTHER = 0.83
"""Width of a character that is not listed: the width of most mathematical signs."""

_BOLD = 1.16


def _em(character: str) -> float:
    if character in _OF:
        return _OF[character]
    # If LaTeX cannot print a character, the table has its number instead.
    return _OTHER if is_known(character) else 8 * _OF["W"] / 2


def _without_accents(text: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFD", text) if not unicodedata.combining(character))


# A layout asks for the same widths again and again, for other sizes of paper and parts of the table.
@lru_cache(maxsize=65_536)
def width(text: str, size: Size = NORMAL, *, bold: bool = False) -> float:
    """Return a line's width in points. It is slightly more than the width in LaTeX; only kerning can make it less.

    Examples
    --------
    >>> round(width("nDCG@10"), 1)
    42.0
    """
    # ASCII has no accents to leave out.
    letters = text if text.isascii() else _without_accents(text)
    return sum(map(_em, letters)) * size.em * (_BOLD if bold else 1)
