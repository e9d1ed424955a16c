"""The output of ``recsens audit --printed``."""

from collections.abc import Sequence
from typing import Any

from recsens.evaluation import runs_by_name
from recsens.files.scale import Scale
from recsens.printed_values._look_up import look_up


def found_of(runs: Sequence[str], *, as_json: bool, scale: tuple[float, float] | None, **given: Any) -> str:
    """Look up printed numbers among runs given as ``FILE`` or ``NAME=FILE``, and return at most twenty lines, or JSON.

    Raises
    ------
    RecsensError
        If a name is used twice, and as `look_up` does.
    """
    named = runs_by_name(runs)
    found = look_up(given.pop("printed"), named, given.pop("test"), scale=Scale(*scale, step=0) if scale else None, **given)
    return found.to_json() if as_json else "\n".join(found.lines)
