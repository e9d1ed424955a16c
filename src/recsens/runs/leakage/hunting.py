"""Run every leak detector, and correct for the number of tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from recsens.comparison.significance import adjusted
from recsens.errors import DesignError, check_word
from recsens.files.kinds import RankBy
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import told_of
from recsens.runs.leakage._material import Material
from recsens.runs.leakage.detectors import (
    conventions,
    duplicated_users,
    future,
    missing_users,
    pairs,
    popularity,
    row_order,
    unknown,
)
from recsens.runs.leakage.leak_table import LeakTable
from recsens.runs.leakage.suspicion import Detector, Suspicion

DETECTORS: dict[str, Detector] = {
    pairs.SHARED: pairs.shared_pairs,
    pairs.TRAIN_ITEMS: pairs.train_items,
    unknown.ITEMS: unknown.look,
    unknown.USERS: unknown.look,
    future.NAME: future.look,
    row_order.TIED_ORDER: row_order.tied_order,
    row_order.TARGET_FIRST: row_order.target_first,
    row_order.REPEATED: row_order.repeated_candidates,
    popularity.NAME: popularity.look,
    pairs.FITTED: pairs.fitted_on_test_pairs,
    missing_users.NAME: missing_users.look,
    duplicated_users.NAME: duplicated_users.look,
    pairs.VALIDATION: pairs.validation_pairs,
    conventions.NAME: conventions.look,
}
"""All detectors by the names of their findings."""


def search_leaks(
    train: Any,
    test: Any,
    runs: Mapping[str, Any],
    validation: Any = None,
    *,
    metric: str = "nDCG@10",
    relevance: float | None = None,
    scale: tuple[float, float] | None = None,
    rank_by: RankBy = "score",
    columns: str | Iterable[str] = (),
    alpha: float = 0.01,
    seed: int = 0,
) -> LeakTable:
    """Search for twelve ways to fool yourself, and estimate how much each changes the metric.

    The p-values of all detectors and runs are corrected by Holm's method (1979): the smallest of m p-values is multiplied by m, the
    next by m - 1, and so on. If every p-value is valid, the probability of any such finding in files without a fault is at most
    ``alpha``, however the tests depend on one another. Findings that never occur in a clean split, such as a pair in both train and
    test, need no test.

    Raises RecsensError if a file cannot be read, or a setting is invalid.

    Parameters
    ----------
    train, test, validation
        Ratings: a path, a frame with the columns user, item and rating, or a tuple of such arrays. Time stamps are read from a
        column of a file; for other forms, pass a pair of the ratings and an array of time stamps.
    runs
        The runs by name: each has one row for each user and item, in a form that `recsens.runs.evaluation.evaluate` accepts.
    metric
        A metric with one value for each user.
    relevance
        The lowest relevant rating.
    scale
        Lowest and highest rating, by default from the test set.
    rank_by
        The order of a run's items: by ``score``, highest first; by ``rank``, lowest first; or as the ``rows`` of the file.
    columns
        Names of columns, as in `recsens.runs.evaluation.evaluate`.
    alpha
        The level of all findings together.
    seed
        Root of all random draws.
    """
    check_word("rank_by", rank_by, RankBy)
    if not 0 < alpha < 1:
        raise DesignError(f"alpha: {alpha:g} is not a level", allowed="a number between 0 and 1")
    told = told_of(columns)
    material = Material.read(
        train, test, runs, validation, metric=metric, relevance=relevance, scale=scale, rank_by=rank_by, told=told, seed=seed
    )
    found = [each for look in dict.fromkeys(DETECTORS.values()) for each in look(material)]
    means = {run.name: material.given(run).mean for run in material.runs}
    return LeakTable(material.label, alpha, means, tuple(correct_jointly(found, alpha)))


def correct_jointly(found: Iterable[Suspicion], alpha: float) -> Iterable[Suspicion]:
    """Correct the p-values of all suspicions jointly; those at or below the level become ``found``."""
    suspicions = list(found)
    together = adjusted(np.array([each.chance for each in suspicions]), "holm")
    for each, chance in zip(suspicions, together.tolist(), strict=True):
        yield replace(each, adjusted=chance, state="found" if chance <= alpha else each.state)


def leaks_of(
    datasets: Mapping[str, ForeignResults],
    *,
    metrics: Sequence[str],
    relevance: float | None,
    scale: tuple[float, float] | None,
    rank_by: RankBy,
    columns: Sequence[str],
    alpha: float | None,
    seed: int,
    as_json: bool,
) -> str:
    """Search each data set and fold for leaks, and return the table of findings of each as text or JSON.

    Raises
    ------
    RecsensError
        If there are several metrics, or as in `search_leaks`.
    """
    if len(metrics) > 1:
        raise DesignError(f"--leaks measures in units of one metric, but {len(metrics)} are given", allowed="one --metric")
    named = {"metric": next(iter(metrics), None), "alpha": alpha}
    chosen: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    settings: dict[str, Any] = {"relevance": relevance, "scale": scale, "rank_by": rank_by, "columns": columns, "seed": seed}
    tables: dict[str, LeakTable] = {}
    for dataset, given in datasets.items():
        divided = given.divided(told_of(columns), rank_by=rank_by, times=True)
        divided.refuse_undivided()
        for name, fold in divided.folds.items():
            runs = {
                f"{run} {training}".strip(): source
                for run, sources in fold.runs.items()
                for training, source in zip(divided.trainings, sources, strict=True)
            }
            of_fold = f"fold {name}" if len(divided.folds) > 1 and not name.startswith("fold") else name
            tables[f"{dataset} {of_fold}".strip()] = search_leaks(
                fold.sets["train"], fold.sets["test"], runs, fold.sets.get("validation"), **chosen, **settings
            )
    [first, *others] = tables.values()
    if as_json:
        contents = {name: json.loads(table.to_json()) for name, table in tables.items()}
        return json.dumps(contents, indent=2, ensure_ascii=False) if others else first.to_json()
    return "\n\n".join(f"{name}:\n{table!r}" for name, table in tables.items()) if others else repr(first)
