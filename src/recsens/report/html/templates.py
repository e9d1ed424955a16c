"""The templates of the pages of a study."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup


def templates() -> Environment:
    """Return the templates of this folder; they escape whatever a study says, and a missing name is an error."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = _breakable
    return environment


def _breakable(text: str) -> Markup:
    """Let a spec or an address break after its brackets, commas and slashes."""
    return Markup("<wbr>").join(re.split(r"(?<=[(,/])", text))
