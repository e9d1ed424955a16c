"""The output of ``recsens audit --printed``."""

from collections.abc import Sequence
from typing import Any

from recsens.errors import DataError
from recsens.evaluation import names_of_runs
from recsens.files.scale import Scale
from recsens.printed_values._look_up import look_up


def found_of(runs: Sequence[str], *, as_json: bool, scale: tuple[float, float] | None, **given: Any) -> str:
    """Look up printed numbers among runs given as ``FILE`` or ``NAME=FILE``, and return at most twenty lines, or JSON.

    Raises
    ------
    RecsensError
        If a name is used twice, and as `look_up` does.
    """
    unnamed = [text for text in runs if "=" not in text]
    pairs = [*zip(names_of_runs(unnamed), unnamed, strict=True)] if unnamed else []
    pairs += [(name.strip(), file) for name, _, file in (text.partition("=") for text in runs if "=" in text)]
    named = dict(pairs)
    if len(named) < len(pairs) or not all(named):
        raise DataError("two runs have the same name, or one has none", allowed="--run A=FILE --run B=FILE")
    found = look_up(given.pop("printed"), named, given.pop("test"), scale=Scale(*scale, step=0) if scale else None, **given)
    return found.to_json() if as_json else "\n".join(found.lines)
