"""Names of runs, from those of their files."""

from collections.abc import Sequence
from pathlib import Path

from recsens.errors import DataError


def names_of_runs(runs: Sequence[str]) -> list[str]:
    """Name runs by their files, with endings or folders if names would be equal.

    Raises DataError if a run is given twice.
    """
    paths = [Path(run) for run in runs]
    ends = [[path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths], [path.name for path in paths]]
    for depth in range(max(len(path.parts) for path in paths)):
        for names in ends:
            within = [
                "/".join([*path.parts[max(len(path.parts) - 1 - depth, 0) : -1], name])
                for path, name in zip(paths, names, strict=True)
            ]
            if len(set(within)) == len(within):
                return within
    raise DataError("a run is given twice", allowed="every run once", remedy="name each file of a run once")
