"""Compile every numeric kernel once, so that no job of a run waits for a compiler.

``python -m recsens.warming`` simulates a tiny data set, fits every recommender, ranks under every tie policy and choice of targets
and measures by every metric. numba keeps the machine code beside the sources, for this processor.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens import plugins, tables
from recsens.artefacts import read_interactions, read_model, write_interactions, write_model
from recsens.datasets import DataSet, to_interactions
from recsens.interactions import Interactions
from recsens.measures import walk
from recsens.metrics import Metric
from recsens.nc import NotComputable
from recsens.plugins import Plugin
from recsens.ranking import rank
from recsens.recommenders import Recommender
from recsens.recommenders.random import Random
from recsens.seeds import Stream
from recsens.significance import SignificanceTest
from recsens.steps.measure import measure
from recsens.vocabulary import TIES, VIEWS, Role, Ties, View

DATA = "simulated(users=60,items=200,ratings=2000)"
STREAM = Stream.of(0, "warming")
TARGETS = (
    *("ar", "ar(items=test,n=5)", "ar(n=5,sampling=popularity)", "one_r", "one_r(n=5)", "one_r(n=5,sampling=popularity)"),
    *("one_r(n=5,draw=per_rating)", "one_r(n=5,draw=per_rating,sampling=popularity)", "p1r(m=2)", "p1r(m=2,n=5)"),
    *("p1r(m=2,n=5,draw=per_rating)", "p1r(m=2,n=5,draw=per_rating,sampling=popularity)"),
)
"""Choices of targets that together reach every kernel."""


class _Gaps(Random):
    """Cannot score some items, which policies for not computable ones then rank."""

    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        scores = super().score(train, users)
        scores[:, ::7] = np.nan
        return scores


class _SinglePrecision(_Gaps):
    """Scores in float32, as a recommender of one's own may return them."""

    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        return super().score(train, users).astype(np.float32)


def warm() -> None:
    """Compile every kernel that the steps of a study reach.

    Artefacts pass through files, as in a study: an array that was read may be read-only, which is another type to the compiler.
    """
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        train, test = _sides(folder)
        for recommender in _recommenders():
            recommender.fit(train, STREAM.generator())
            write_model(str(folder / "model.npz"), recommender)
            for ties in TIES:
                _rank(read_model(str(folder / "model.npz"), recommender), train, test, ties, folder)
        for recommender in (_Gaps(), _SinglePrecision()):
            fitted = recommender.fit(train, STREAM.generator())
            for targets in TARGETS:
                for nc in ("drop", "append"):
                    _rank(fitted, train, test, "random", folder, targets=targets, nc=nc)
                    _measure(folder)
        _rank(fitted, train, test, "random", folder)
        _measure_lists(folder)
    randomisation: SignificanceTest = plugins.build("test", "randomisation(samples=4)")
    randomisation.compare(np.linspace(0, 1, 9), np.zeros(9), STREAM)


def _recommenders() -> list[Recommender]:
    names = [name for name in plugins.names("recommender") if not _has_to_be_told(plugins.load("recommender", name))]
    return [*(plugins.build("recommender", name) for name in names), _SinglePrecision()]


def _has_to_be_told(recommender: type[Plugin]) -> bool:
    """Say whether some parameter has no default, as the path of a file: what reads files has no kernel."""
    return any(field.is_required() for field in recommender.model_fields.values())


def _sides(folder: Path) -> tuple[Interactions, Interactions]:
    component: DataSet = plugins.build("dataset", DATA)
    loaded = component.load([], STREAM)
    names = {"interactions": "parquet", "user_ids": "parquet", "item_ids": "parquet", "dataset": "json"}
    paths = {name: str(folder / f"{name}.{suffix}") for name, suffix in names.items()}
    write_interactions(
        to_interactions(loaded),
        user_ids=loaded.user_ids,
        item_ids=loaded.item_ids,
        record={},
        user_columns={},
        item_columns={},
        paths=paths,
    )
    data = read_interactions(**paths)
    is_train = STREAM.uniform(data.user, data.item) < 0.5
    roles = np.where(is_train, Role.TRAIN, Role.TEST).astype(np.uint8)
    tables.write_table(folder / "roles.parquet", tables.ROLES, {"role": roles})
    return data.take(is_train), data.take(~is_train)


def _rank(
    recommender: Recommender,
    train: Interactions,
    test: Interactions,
    ties: Ties,
    folder: Path,
    *,
    targets: str = "ar",
    nc: str = "drop",
) -> None:
    policy: NotComputable = plugins.build("nc", nc)
    found = rank(
        recommender,
        train,
        test,
        targets=plugins.build("targets", targets),
        relevance=train.scale.relevance,
        ties=ties,
        nc=policy,
        fallback=Random().fit(train, STREAM.generator()) if policy.fallback else None,
        list_depth=10,
        tie_stream=STREAM,
        target_stream=STREAM,
    )
    schema = tables.RATING_POSITIONS if "ranked" in found.positions else tables.POSITIONS
    tables.write_table(folder / "positions.parquet", schema, found.positions)
    tables.write_table(folder / "users.parquet", tables.RANKED_USERS, found.users)
    tables.write_table(folder / "lists.parquet", tables.LISTS, found.lists)


def _measure(folder: Path) -> None:
    positions, users, dataset = ([str(folder / name)] for name in ("positions.parquet", "users.parquet", "dataset.json"))
    metrics: list[Metric] = [plugins.build("metric", name) for name in plugins.names("metric")]
    metrics = [metric for metric in metrics if metric.reads != "lists"]
    views: tuple[View, ...] = ("full",) if tables.has_columns(positions[0], tables.RATING_POSITIONS) else VIEWS
    for _, _, judged in walk(positions, users, dataset, [[(view, None) for view in views]]):
        for metric in metrics:
            metric.measure(judged, (5, 10))


def _measure_lists(folder: Path) -> None:
    """Measure by every metric of lists, as the step does: lists that were read and lists that were condensed are two types."""
    inputs = ("positions", "users", "lists", "interactions", "roles")
    files = {name: [str(folder / f"{name}.parquet")] for name in inputs}
    files |= {"item_tables": [str(folder / "item_ids.parquet")], "datasets": [str(folder / "dataset.json")]}
    cells = [[(view, None) for view in VIEWS]]
    for name in plugins.names("metric"):
        metric: Metric = plugins.build("metric", name)
        if metric.reads == "lists":
            out = str(folder / "measures.parquet")
            measure(**files, measures=out, metric=name, cutoffs=(5, 10), cells=cells, selections=["with_ratings"])


if __name__ == "__main__":
    warm()
