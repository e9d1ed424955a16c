"""Text that LaTeX prints without any package: special characters, accents, Greek letters and signs."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\char34}",
    "`": r"\`{}",
    # At the start of a row, LaTeX would parse these as an argument of the previous ``\\``.
    "[": "{[}",
    "*": "{*}",
}

_PUNCTUATION = {
    "\N{NO-BREAK SPACE}": "~",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "\N{LEFT SINGLE QUOTATION MARK}": "`",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "§": r"\S{}",
    "©": r"\copyright{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}

_SIGNS = {
    "<": "<",
    ">": ">",
    "\N{MINUS SIGN}": "-",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "∝": r"\propto",
    "∞": r"\infty",
    "√": r"\surd",
    "✓": r"\surd",
    "✗": r"\times",
    "‖": r"\|",
    "∩": r"\cap",
    "∪": r"\cup",
    "∈": r"\in",
    "∅": r"\emptyset",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "→": r"\rightarrow",
    "‹": r"\langle",
    "›": r"\rangle",
    "°": r"^{\circ}",
    "½": r"\frac{1}{2}",
    "¹": "^{1}",
    "²": "^{2}",
    "³": "^{3}",
    "⁻": "^{-}",
    "ᵀ": "^{T}",
    "†": r"^{\dagger}",
}
"""Signs that LaTeX prints in mathematics mode."""

_ACCENTS = {
    "\N{COMBINING GRAVE ACCENT}": ("`", "grave"),
    "\N{COMBINING ACUTE ACCENT}": ("'", "acute"),
    "\N{COMBINING CIRCUMFLEX ACCENT}": ("^", "hat"),
    "\N{COMBINING TILDE}": ("~", "tilde"),
    "\N{COMBINING MACRON}": ("=", "bar"),
    "\N{COMBINING BREVE}": ("u", "breve"),
    "\N{COMBINING DOT ABOVE}": (".", "dot"),
    "\N{COMBINING DIAERESIS}": ('"', "ddot"),
    "\N{COMBINING RING ABOVE}": ("r", ""),
    "\N{COMBINING DOUBLE ACUTE ACCENT}": ("H", ""),
    "\N{COMBINING CARON}": ("v", "check"),
    "\N{COMBINING CEDILLA}": ("c", ""),
}
"""Commands for accents over letters, in text and in mathematics."""

_GREEK_AS_LATIN = {
    f"GREEK CAPITAL LETTER {name}": latin
    for name, latin in zip(
        ("ALPHA", "BETA", "EPSILON", "ZETA", "ETA", "IOTA", "KAPPA", "MU", "NU", "OMICRON", "RHO", "TAU", "CHI"),
        "ABEZHIKMNOPTX",
        strict=True,
    )
} | {"GREEK SMALL LETTER OMICRON": "o"}
"""Greek letters that look like Latin ones, and have no command."""

_LONG = 20
"""A word that contains a longer run of letters and digits than this may be broken without a hyphen."""


@lru_cache(maxsize=65_536)
def escape(text: str) -> str:
    r"""Escape a text, so that LaTeX prints it unchanged; characters that standard LaTeX cannot print appear as ``[U+4E00]``.

    Examples
    --------
    >>> escape("Pop_1 & 50%")
    'Pop\\_1 \\& 50\\%'
    >>> escape("φ = .9, Cañamares")
    "$\\phi$ = .9, Ca\\~{n}amares"
    """
    decomposed = unicodedata.normalize("NFD", text)
    clusters = re.findall(r"--+|.[\u0300-\u036f]?", decomposed, flags=re.DOTALL)
    return "".join(_escape_cluster(cluster) for cluster in clusters)


@lru_cache(maxsize=65_536)
def breakable_pieces(text: str) -> tuple[str, ...]:
    """Cut a text at points where a line may end within a word: after a comma, bracket or other sign, and in a very long word."""
    joints = re.sub(r"(?<=[;=+/_:-])(?=[^\s)])|(?<=,)(?=[^\s\d])|(?<=\w\()(?=\S)", "\0", text)
    return tuple(re.sub(rf"(\w{{{_LONG}}})(?=\w)", "\\1\0", joints).split("\0"))


def escape_breakable(text: str) -> str:
    """Escape a text so that lines may end at each of its `breakable_pieces`."""
    return r"\allowbreak{}".join(map(escape, breakable_pieces(text)))


def _escape_cluster(cluster: str) -> str:
    base, marks = cluster[0], cluster[1:]
    if base == "-" and marks:
        # LaTeX would turn two hyphens in a row into a dash.
        return "{}".join(cluster)
    if not marks:
        return _escape_character(base)
    accent, in_mathematics = _ACCENTS.get(marks, ("", ""))
    letter = _greek_command(base)
    if letter.startswith("\\") and in_mathematics:
        return rf"$\{in_mathematics}{{{letter}}}$"
    if not accent or not base.isascii() or not base.isalpha():
        return _escape_character(base) + "".join(map(_unknown_character, marks))
    dotless = {"i": r"\i", "j": r"\j"}.get(base, base)
    return rf"\{accent}{{{dotless}}}"


def _escape_character(character: str) -> str:
    tables: tuple[Mapping[str, str], ...] = (_SPECIAL, _PUNCTUATION)
    for table in tables:
        if character in table:
            return table[character]
    if character in _SIGNS:
        return f"${_SIGNS[character]}$"
    if character.isascii():
        return character if character.isprintable() else " "
    letter = _greek_command(character)
    if letter:
        return f"${letter}$"
    return _unknown_character(character)


def _greek_command(character: str) -> str:
    """Return a Greek letter's command; empty for any other character."""
    if character == "µ":
        return r"\mu"
    name = unicodedata.name(character, "")
    found = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name)
    if not found:
        return ""
    letter = found[2].replace("LAMDA", "LAMBDA")  # codespell:ignore lamda
    return _GREEK_AS_LATIN.get(name) or rf"\{letter.lower() if found[1] == 'SMALL' else letter.capitalize()}"


def _unknown_character(character: str) -> str:
    return f"{{[}}U+{ord(character):04X}]"
