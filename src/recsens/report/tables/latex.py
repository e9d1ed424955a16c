"""Tables as LaTeX; needs the package booktabs and nothing else."""

from __future__ import annotations

from collections.abc import Iterable

from recsens.report.tables.table import Row, Table, TableCell

_ESCAPES = {
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
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    "\N{MINUS SIGN}": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≥": r"$\geq$",
    "–": "--",
    "α": r"$\alpha$",
    "Σ": r"$\Sigma$",
    "\N{NO-BREAK SPACE}": "~",
}


def escape(text: str) -> str:
    r"""Escape a text, so that LaTeX prints it as it is.

    Examples
    --------
    >>> escape("Pop_1 & 50%")
    'Pop\\_1 \\& 50\\%'
    """
    return "".join(_ESCAPES.get(character, character) for character in text)


def to_latex(tables: Iterable[Table]) -> str:
    r"""Write each table as a float, ready to paste or ``\input``."""
    return "% Needs \\usepackage{booktabs}\n\n" + "\n".join(_table(table) for table in tables if not table.is_empty)


def _table(table: Table) -> str:
    width = len(table.columns) + 1
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.caption)}}}",
        rf"\label{{tab:{table.key}}}",
        rf"\begin{{tabular}}{{@{{}}l{''.join(_alignment(table))}@{{}}}}",
        r"\toprule",
        _line(escape(text) for text in (table.corner, *table.columns)),
        r"\midrule",
    ]
    for number, group in enumerate(table.groups):
        if group.title:
            lines += [r"\addlinespace"] * (number > 0)
            lines.append(rf"\multicolumn{{{width}}}{{@{{}}l@{{}}}}{{\emph{{{escape(group.title)}}}}} \\")
        lines += [_row(row) for row in group.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip{{\footnotesize {' '.join(map(escape, table.notes))}}}"] * bool(table.notes)
    return "\n".join([*lines, r"\end{table}", ""])


def _alignment(table: Table) -> list[str]:
    columns = zip(*(row.cells for group in table.groups for row in group.rows), strict=True)
    return ["l" if all(cell.is_text for cell in column) else "r" for column in columns]


def _row(row: Row) -> str:
    return _line([escape(row.label), *map(_cell, row.cells)])


def _cell(cell: TableCell) -> str:
    text = rf"\textbf{{{escape(cell.text)}}}" if cell.is_best else escape(cell.text)
    return rf"{text} {{\scriptsize {escape(cell.extra)}}}" if cell.extra else text


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
