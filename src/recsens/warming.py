"""Compile every numeric kernel once, so that no job of a run waits for a compiler.

``python -m recsens.warming`` walks a tiny data set through the steps of a study: simulated, split, fitted by every recommender, ranked
under every tie policy, measured by every metric. numba keeps the machine code beside the sources, for this processor.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from recsens.jobs import ONE_BLAS_THREAD

# Before numpy is imported, which reads these once.
os.environ.update(ONE_BLAS_THREAD)

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from recsens import plugins  # noqa: E402
from recsens.artefacts import read_interactions, read_roles, sides  # noqa: E402
from recsens.interactions import Interactions  # noqa: E402
from recsens.ranking import rank as rank_targets  # noqa: E402
from recsens.recommenders.random import Random  # noqa: E402
from recsens.seeds import Stream  # noqa: E402
from recsens.steps.fit import fit  # noqa: E402
from recsens.steps.ingest import ingest  # noqa: E402
from recsens.steps.measure import measure  # noqa: E402
from recsens.steps.rank import rank  # noqa: E402
from recsens.steps.split import split  # noqa: E402
from recsens.targets import Targets  # noqa: E402
from recsens.vocabulary import TIES, VIEWS, Ties  # noqa: E402

DATA = "simulated(users=60,items=200,ratings=2000)"


class _SinglePrecision(Random):
    """Scores in float32, as a recommender of one's own may return them."""

    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        return super().score(train, users).astype(np.float32)


def warm() -> None:
    """Compile every kernel that the steps of a study reach.

    The artefacts pass through files, as in a study: an array that was read may be read-only, which is another type to the compiler.
    """
    with TemporaryDirectory() as folder:
        board = _Board(Path(folder))
        board.make()
        for name in plugins.names("recommender"):
            board.fit(name)
            for ties in TIES:
                board.rank(name, ties)
        board.rank_in_single_precision()
        board.measure()


@dataclass(frozen=True)
class _Board:
    """A tiny data set, split, in a folder of its own."""

    folder: Path

    @property
    def data(self) -> dict[str, str]:
        names = {"interactions": "parquet", "user_ids": "parquet", "item_ids": "parquet", "dataset": "json"}
        return {name: self.path(f"{name}.{suffix}") for name, suffix in names.items()}

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def make(self) -> None:
        ingest(**self.data, spec=DATA, address=DATA, identity="board", seed=0)
        split(
            **self.data,
            roles=self.path("split/repeat-0/roles.parquet"),
            record=self.path("split.json"),
            spec="random(ratio=0.5)",
            identity="board",
            repeat=0,
            part=0,
            seed=0,
        )

    def fit(self, name: str) -> None:
        model, roles = self.path(f"{name}.npz"), self.path("split/repeat-0/roles.parquet")
        fit(**self.data, roles=roles, model=model, spec=name, identity="board", fold="repeat-0", seed=0)

    def rank(self, name: str, ties: Ties) -> None:
        rank(
            **self.data,
            roles=self.path("split/repeat-0/roles.parquet"),
            model=self.path(f"{name}.npz"),
            positions=self.path("positions.parquet"),
            users=self.path("users.parquet"),
            lists=self.path("lists.parquet"),
            spec=name,
            targets="all_items",
            ties=ties,
            identity="board",
            fold="repeat-0",
            seed=0,
        )

    def rank_in_single_precision(self) -> None:
        data = read_interactions(**self.data)
        train, test = sides(data, read_roles(self.path("split/repeat-0/roles.parquet"), data))
        targets: Targets = plugins.build("targets", "all_items")
        model = _SinglePrecision().fit(train, Stream.of(0, "board").generator())
        for ties in TIES:
            rank_targets(model, train, test, targets=targets, ties=ties, list_depth=10, stream=Stream.of(0, "ties"))

    def measure(self) -> None:
        for name in plugins.names("metric"):
            measure(
                positions=[self.path("positions.parquet")],
                users=[self.path("users.parquet")],
                datasets=[self.data["dataset"]],
                measures=self.path("measures.parquet"),
                metric=name,
                cutoffs=[5, 10],
                views=VIEWS,
                relevances=[None],
            )


if __name__ == "__main__":
    warm()
