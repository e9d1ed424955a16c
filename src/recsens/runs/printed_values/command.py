"""The output of ``recsens audit --printed``."""

from collections.abc import Mapping, Sequence

from recsens.errors import DataError
from recsens.files.scale import Scale
from recsens.inputs.foreign_results import ForeignResults
from recsens.runs.printed_values._look_up import look_up_in


def found_of(
    datasets: Mapping[str, ForeignResults],
    *,
    printed: Sequence[str],
    scale: tuple[float, float] | None,
    columns: Sequence[str],
    departures: int,
    as_json: bool,
) -> str:
    """Look up printed numbers for the runs of a data set; return at most twenty lines, or JSON.

    Raises
    ------
    RecsensError
        If there are several data sets or trainings, because a printed number belongs to one, or for the reasons of `look_up`.
    """
    if len(datasets) > 1:
        raise DataError(f"the folder has {len(datasets)} data sets: {', '.join(datasets)}", allowed="the folder of one of them")
    [given] = datasets.values()
    found = look_up_in(given, printed, scale=Scale(*scale, step=0) if scale else None, columns=columns, departures=departures)
    return found.to_json() if as_json else "\n".join(found.lines)
