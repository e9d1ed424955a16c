"""The templates for a study's pages, and the form in which a notebook shows a result."""

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from recsens.tables.table import Table


def templates() -> Environment:
    """Return the templates in this folder. They escape all text of a study, and raise an error if a name is missing."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = _with_break_points
    environment.globals["verbatim"] = _raw_file
    return environment


def _raw_file(name: str) -> Markup:
    """Return a file in this folder unchanged, because braces in a script are not those of a template."""
    # The file is ours, and contains no text of a study.
    return Markup((Path(__file__).parent / name).read_text(encoding="utf-8"))  # noqa: S704


def _with_break_points(text: str) -> Markup:
    """Allow line breaks in a spec or path after brackets, commas and slashes; in prose, keep text such as ``(80 %`` together."""
    return Markup("<wbr>").join(re.split(r"(?<=[,/])|(?<=[^ ]\()", re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)))


_BEGIN = re.compile(r"^:root \{(.*?)^\}", re.DOTALL | re.MULTILINE)
_DARK = re.compile(r"^@media screen and \(prefers-color-scheme: dark\) \{\n  :root \{(.*?)^  \}\n\}", re.DOTALL | re.MULTILINE)
_OF_PAPER = re.compile(r"^@page [^\n]*\n|^@media print \{\n.*?^\}\n", re.DOTALL | re.MULTILINE)

_IS_LIGHT, _IS_DARK = (
    (f'[data-jp-theme-light="{light}"] &', f".vscode-{name} &") for light, name in (("true", "light"), ("false", "dark"))
)
"""Selectors for the theme that the user chose in JupyterLab or VS Code."""

_OWN = """
& { font-size: 1rem; padding: .25rem .75rem; }
p { margin: .35rem 0; font: .875rem/1.5 var(--sans); max-width: 52rem; }
table { color: inherit; margin-right: auto; }
tbody tr, tbody tr:nth-child(odd), tbody tr:hover { background: none; }
"""
"""Differences from the page: text is as small as a notebook's, and tables lose the stripes and centring that notebooks add."""


def cell(title: str, *, said: Iterable[str] = (), tables: Iterable[Table] = (), figures: Iterable[str] = ()) -> str:
    """Return a piece of HTML with its own style.

    Parameters
    ----------
    title
        A line that says what is shown.
    said
        Sentences below the title.
    tables
        Tables; tables without rows are left out.
    figures
        Figures as elements of a page (`recsens.report.html.picture.inline_svg`).
    """
    grid = templates().get_template("table.html.jinja").module.grid  # type: ignore[attr-defined]
    parts = [
        *(f"<p>{escape(sentence)}</p>" for sentence in said),
        *(str(grid(table)) for table in tables if not table.is_empty),
        *(f'<figure><div class="scroll">{figure}</div></figure>' for figure in figures),
    ]
    head = f'<p class="eyebrow">{escape(title)}</p>'
    return f'<div class="recsens"><style>{_cell_style()}</style>{head}{"".join(parts)}</div>'


@cache
def _cell_style() -> str:
    """Return the report's style sheet nested within a cell, with the colours of the notebook's theme.

    The selector repeats the class, because otherwise a notebook's own rules for tables would take precedence.
    """
    sheet = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    light, dark = (pattern.search(sheet) for pattern in (_BEGIN, _DARK))
    assert light is not None
    assert dark is not None
    rest = _OF_PAPER.sub("", sheet.replace(light[0], "").replace(dark[0], ""))
    rest = re.sub(r"^body \{", "& {", rest, flags=re.MULTILINE)
    themes = [
        light[1],
        f"@media screen and (prefers-color-scheme: dark) {{ & {{{dark[1]}}} }}",
        *(f"{selector} {{{light[1]} color-scheme: light;}}" for selector in _IS_LIGHT),
        *(f"{selector} {{{dark[1]} color-scheme: dark;}}" for selector in _IS_DARK),
    ]
    return re.sub(r"\s*\n\s*", "\n", f".recsens.recsens {{{' '.join(themes)}{rest} {_OWN} }}")
