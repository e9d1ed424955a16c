"""The methods paragraph as files: plain text, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from recsens.artefacts.storage import write_text
from recsens.report.tables.latex_text import escape_breakable
from recsens.report.tables.markdown import escape

_WRITERS: Mapping[str, Callable[[str], str]] = {
    "txt": str,
    "md": escape,
    "tex": escape_breakable,
}
"""By the form (`recsens.report.forms.METHODS_FORMS`)."""


def write_methods(paragraph: str, files: Sequence[str | Path]) -> None:
    """Write a paragraph into files, each in the form that the end of its name says."""
    for file in map(Path, files):
        write_text(file, f"{_WRITERS[file.suffix[1:]](paragraph)}\n")
