"""The output of ``recsens audit --printed``."""

from collections.abc import Sequence
from typing import Any

from recsens.errors import DataError
from recsens.files.scale import Scale
from recsens.printed_values._look_up import look_up


def found_of(runs: Sequence[str], *, as_json: bool, scale: tuple[float, float] | None, **given: Any) -> str:
    """Look up printed numbers among runs given as ``NAME=FILE``, and return at most twenty lines, or JSON.

    Raises
    ------
    RecsensError
        If a run has no name or a name is used twice, and as `look_up` does.
    """
    named: dict[str, str] = {}
    for text in runs:
        name, equals, file = text.partition("=")
        if not (equals and name.strip() and file):
            raise DataError(f"the run '{text}' has no name", allowed="--run A=FILE")
        if name.strip() in named:
            raise DataError(f"two runs are called '{name.strip()}'", remedy="give each a name of its own: --run A=... --run B=...")
        named[name.strip()] = file
    found = look_up(given.pop("printed"), named, given.pop("test"), scale=Scale(*scale, step=0) if scale else None, **given)
    return found.to_json() if as_json else "\n".join(found.lines)
