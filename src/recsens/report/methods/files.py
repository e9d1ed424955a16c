"""The methods paragraph as files: plain text, Markdown and LaTeX."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from recsens.artefacts.storage import write_text
from recsens.tables.latex_text import escape_breakable
from recsens.tables.markdown import escape


def _latex(paragraph: str) -> str:
    """Set a paragraph whose specs break at few places: without looser lines, some would stick out of the column."""
    return f"\\begin{{sloppypar}}\n{escape_breakable(paragraph)}\n\\end{{sloppypar}}"


_WRITERS: Mapping[str, Callable[[str], str]] = {
    "txt": str,
    "md": escape,
    "tex": _latex,
}
"""By the form (`recsens.conclusions.verdicts.forms.METHODS_FORMS`)."""


def write_methods(paragraph: str, files: Sequence[str | Path]) -> None:
    """Write a paragraph into files, each in the form that the end of its name says."""
    for file in map(Path, files):
        write_text(file, f"{_WRITERS[file.suffix[1:]](paragraph)}\n")
