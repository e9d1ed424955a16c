"""Run every leak detector, and correct for the number of tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from recsens.comparison.significance import adjusted
from recsens.errors import DesignError, check_word
from recsens.files.kinds import RankBy
from recsens.inputs.forms import told_of
from recsens.runs.leakage._material import Material
from recsens.runs.leakage.detectors import (
    conventions,
    duplicated_users,
    fitted_on_test_pairs,
    future,
    missing_users,
    popularity,
    repeated_candidates,
    shared_pairs,
    target_first,
    tied_order,
    train_items,
    unknown,
    validation,
)
from recsens.runs.leakage.leak_table import LeakTable
from recsens.runs.leakage.suspicion import Detector, Suspicion

DETECTORS: tuple[Detector, ...] = (
    shared_pairs.look,
    train_items.look,
    unknown.look,
    future.look,
    tied_order.look,
    target_first.look,
    repeated_candidates.look,
    popularity.look,
    fitted_on_test_pairs.look,
    missing_users.look,
    duplicated_users.look,
    validation.look,
    conventions.look,
)
"""All detectors."""


def hunt(
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
    found = [each for look in DETECTORS for each in look(material)]
    means = {run.name: material.given(run).mean for run in material.runs}
    return LeakTable(material.label, alpha, means, tuple(corrected(found, alpha)))


def corrected(found: Iterable[Suspicion], alpha: float) -> Iterable[Suspicion]:
    """Correct the p-values of all suspicions jointly; those at or below the level become ``found``."""
    suspicions = list(found)
    together = adjusted(np.array([each.chance for each in suspicions]), "holm")
    for each, chance in zip(suspicions, together.tolist(), strict=True):
        yield replace(each, adjusted=chance, state="found" if chance <= alpha else each.state)
