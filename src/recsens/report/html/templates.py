"""The templates for a study's pages."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup


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
    environment.filters["breakable"] = _breakable
    environment.globals["verbatim"] = _verbatim
    return environment


def _verbatim(name: str) -> Markup:
    """Return a file in this folder unchanged, because braces in a script are not those of a template."""
    # The file is ours, and contains no text of a study.
    return Markup((Path(__file__).parent / name).read_text(encoding="utf-8"))  # noqa: S704


def _breakable(text: str) -> Markup:
    """Allow line breaks in a spec or path after brackets, commas and slashes; in prose, keep text such as ``(80 %`` together."""
    return Markup("<wbr>").join(re.split(r"(?<=[,/])|(?<=[^ ]\()", re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)))
