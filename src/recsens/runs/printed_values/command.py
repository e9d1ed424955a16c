"""The output of ``recsens audit --printed``."""

from collections.abc import Sequence

from recsens.files.scale import Scale
from recsens.runs.evaluation import runs_by_name
from recsens.runs.printed_values._look_up import look_up


def found_of(
    *,
    printed: Sequence[str],
    train: str | None,
    validation: str | None,
    test: str,
    runs: Sequence[str],
    scale: tuple[float, float] | None,
    columns: Sequence[str],
    departures: int,
    as_json: bool,
) -> str:
    """Look up printed numbers for runs given as ``FILE`` or ``NAME=FILE``; return at most twenty lines, or JSON.

    Raises
    ------
    RecsensError
        If a name is used twice, or for the reasons of `look_up`.
    """
    found = look_up(
        printed,
        runs_by_name(runs),
        test,
        train=train,
        validation=validation,
        scale=Scale(*scale, step=0) if scale else None,
        columns=columns,
        departures=departures,
    )
    return found.to_json() if as_json else "\n".join(found.lines)
