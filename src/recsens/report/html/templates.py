"""The templates for a study's pages."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup


def templates() -> Environment:
    """Return this folder's templates. They escape all text of a study, and a missing name is an error."""
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
    """Return one of this folder's files unchanged, because braces in a script are not template braces."""
    # The file is ours, and contains no text of a study.
    return Markup((Path(__file__).parent / name).read_text(encoding="utf-8"))  # noqa: S704


def _breakable(text: str) -> Markup:
    """Allow a line break in a spec or path after brackets, commas and slashes; in prose, keep ``(80 %`` together."""
    return Markup("<wbr>").join(re.split(r"(?<=[,/])|(?<=[^ ]\()", re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)))
