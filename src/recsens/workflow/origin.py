"""The origin of a job's random streams."""

from __future__ import annotations

from typing import NamedTuple

from recsens.seeds import Stream


class Origin(NamedTuple):
    """What names the random streams of a job: seed, data set and fold."""

    seed: int
    """Root of all random streams."""
    identity: str
    """The data set, without the path or digest of its files."""
    fold: str = ""
    """Folder name of the fold; empty before the split."""

    def stream(self, *names: str | int) -> Stream:
        """Return the stream of a stage of this data set; ``names`` are the stage and what distinguishes its draws."""
        return Stream.of(self.seed, self.identity, *names)
