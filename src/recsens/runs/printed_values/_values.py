"""Values of every formula under every setting, from positions that are computed only once."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError, RecsensError
from recsens.files import FileTable
from recsens.files.scale import Scale
from recsens.inputs.forms import Source
from recsens.metrics import WHOLE, Judged, Metric
from recsens.runs.evaluation import CONVENTIONS, Evaluator, Settings
from recsens.runs.printed_values._decisions import ORDERS, USERS, Space, TriedSetting

log = logging.getLogger(__name__)

_KEPT = "keep"
_ANY = replace(CONVENTIONS["recsens"], relevance="all")
"""Settings with a threshold that every rating reaches, to accept judgements in which no rating reaches the usual threshold."""

Totals = NDArray[np.float64]
"""The sum of users' values, and the number of these users, shape (2, n_users_choices, n_cutoffs)."""


@dataclass
class EvaluatedFold:
    """The files of a fold (or all files, if there are no folds), and what was computed from them.

    Attributes
    ----------
    evaluators
        The evaluators by name: ``keep`` uses all test ratings. ``drop``, if there is a train set, uses only the test ratings of
        users and items in train.
    runs
        The runs, by name.
    n_all
        Number of users in any file.
    """

    evaluators: Mapping[str, Evaluator]
    runs: Mapping[str, Any]
    n_all: int
    _placed: dict[tuple[str, ...], Any] = field(default_factory=dict)
    _kept: dict[tuple[str, ...], FileTable] = field(default_factory=dict)

    def placed(self, run: str, setting: TriedSetting, thresholds: Sequence[float]) -> Any:
        """Return a run's judged positions under a setting."""
        threshold = thresholds[setting.relevance] if setting.train_items == "low" else thresholds[0]
        key = (run, setting.order, setting.train_items, setting.unknown, f"{threshold}")
        if key not in self._placed:
            evaluator = self.evaluators[setting.unknown]
            settings = replace(
                evaluator.settings,
                **{**ORDERS[setting.order], "train_items": setting.train_items, "unknown": setting.unknown, "relevance": threshold},
            )
            # Runs that match few users or items were already refused, or warned about, when the files were read.
            quiet = replace(evaluator, settings=settings, least_matched=0.0, is_quiet=True)
            if isinstance(self.runs[run], FileTable):
                quiet = replace(quiet, train=None)
            self._placed[key] = quiet.ranked(self._rows_without_train((run, *key[2:]), evaluator, settings))
        return self._placed[key]

    def _rows_without_train(self, key: tuple[str, ...], evaluator: Evaluator, settings: Settings) -> Any:
        """Return a run without the rows that the train set removes; the removed rows do not depend on the order."""
        run = self.runs[key[0]]
        if not isinstance(run, FileTable) or evaluator.train is None:
            return run
        if key not in self._kept:
            self._kept[key], _ = evaluator.train.without(run, settings)
        return self._kept[key]

    def places(self, run: str, setting: TriedSetting, thresholds: Sequence[float]) -> tuple[bytes, ...]:
        """Return bytes that are equal if and only if positions and lengths of lists are equal."""
        placed = self.placed(run, setting, thresholds)
        return placed.position.tobytes(), placed.listed.tobytes()

    def judged(self, run: str, setting: TriedSetting, thresholds: Sequence[float], scale: Scale) -> Judged:
        """Return a run's judged items under a setting."""
        placed, judgements = self.placed(run, setting, thresholds), self.evaluators[setting.unknown].judgements
        return Judged.of(
            user=judgements.user,
            position=placed.position,
            rating=judgements.rating,
            targets_ranked=placed.listed,
            view=setting.view,
            scale=scale,
            relevance=thresholds[setting.relevance],
            score=placed.score,
            item=judgements.item,
        )


def choices_to_try(folds: Sequence[EvaluatedFold], thresholds: tuple[float, ...], default: int, lowest: int) -> Space:
    """Return the choices to try, merging orders and treatments of train items that give the same positions in every run."""
    some = [(fold, run) for fold in folds for run in fold.runs]
    has_train = folds[0].evaluators[_KEPT].train is not None
    loosest = TriedSetting("item", "all" if has_train else "none", _KEPT, "full", lowest)

    def is_same(one: TriedSetting, other: TriedSetting) -> bool:
        return all(fold.places(run, one, thresholds) == fold.places(run, other, thresholds) for fold, run in some)

    are_tied = any(fold.placed(run, loosest, thresholds).has_ties for fold, run in some)
    same_as: dict[str, str] = {"item": "item"}
    for order in ORDERS:
        if order in same_as:
            continue
        is_possible = order != "rows" or all(isinstance(fold.runs[run], FileTable) for fold, run in some)
        of_ties = order in {"given", "pessimistic", "optimistic"}
        is_new = is_possible and (are_tied if of_ties else not is_same(loosest, replace(loosest, order=order)))
        if order == "rows" and is_new and is_same(replace(loosest, order="given"), replace(loosest, order="rows")):
            same_as["rows"] = same_as["given"]
        else:
            same_as[order] = order if is_new else "item"
    plain = replace(loosest, train_items="none")
    has_train_items = has_train and not is_same(plain, loosest)
    same_as |= {"none": "none", **{each: each if has_train_items else "none" for each in ("low", "all")}}
    drops = all("drop" in fold.evaluators for fold in folds) and (
        any(len(fold.evaluators["drop"].judgements.rating) < len(fold.evaluators[_KEPT].judgements.rating) for fold in folds)
        or not is_same(plain, replace(plain, unknown="drop"))
    )
    return Space(thresholds, default, lowest, same_as | {"keep": "keep", "drop": "drop" if drops else "keep"})


@dataclass
class FormulaTotals:
    """Totals of formulas for a fold's runs, computed only once for settings with the same positions and relevance."""

    fold: EvaluatedFold
    thresholds: Sequence[float]
    scale: Scale
    cutoffs: tuple[int, ...]
    refused: dict[str, str] = field(default_factory=dict)
    _known: dict[Any, Totals] = field(default_factory=dict)
    _nobody: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    _at_hand: tuple[Any, dict[str, NDArray[np.float64] | None]] = field(default_factory=lambda: (None, {}))

    def totals(self, run: str, setting: TriedSetting, metrics: Sequence[Metric]) -> list[Totals]:
        """Return the totals of some formulas; NaN if a formula cannot be computed or does not take the cut-off."""
        key = (run, *self.fold.places(run, setting, self.thresholds), setting.unknown, setting.view)
        if self._at_hand[0] != key:
            self._at_hand = key, {}
        judged: Judged | None = None
        found = []
        for metric in metrics:
            whole = (key, setting.relevance, metric.printed)
            if whole not in self._known:
                judged = judged or self.fold.judged(run, setting, self.thresholds, self.scale)
                self._known[whole] = self._totals(run, setting, metric, judged)
            found.append(self._known[whole])
        return found

    def _totals(self, run: str, setting: TriedSetting, metric: Metric, judged: Judged) -> Totals:
        placed = self.fold.placed(run, setting, self.thresholds)
        relevant, listed = judged.n_relevant > 0, placed.listed > 0
        masks = np.stack([np.ones(judged.n_users, dtype=np.bool_), relevant, listed, relevant & listed])
        if metric.unit == "pooled":
            columns = [self._measure_formula(metric, judged.of_users(mask)) if mask.any() else None for mask in masks]
            means = np.concatenate([np.full((1, len(self.cutoffs)), np.nan) if each is None else each for each in columns])
            # Users without a test rating add nothing to the sums.
            means = means[[0, 1, 2, 3, 2, 0, 0]]
            return np.stack([means, np.where(np.isnan(means), np.nan, 1.0)])
        values = self._values_of_users(metric, judged)
        if values is None:
            return np.full((2, len(USERS), len(self.cutoffs)), np.nan)
        is_known = ~np.isnan(values)
        sums, counts = masks.astype(np.float64) @ np.where(is_known, values, 0.0), masks.astype(np.float64) @ is_known
        nobody = self._value_of_nobody(metric, judged)
        strangers = len(placed.matched.strangers)
        extra = np.array([[strangers], [self.fold.n_all - judged.n_users], [strangers]]) * ~np.isnan(nobody)
        sums = np.concatenate([sums, sums[[2, 0, 0]] + extra * np.nan_to_num(nobody)])
        # If the formula does not take a cut-off, its value at this cut-off is NaN for every user.
        counts = np.concatenate([counts, counts[[2, 0, 0]] + extra]) * np.where(is_known.any(axis=0), 1.0, np.nan)
        return np.stack([sums, counts])

    def _values_of_users(self, metric: Metric, judged: Judged) -> NDArray[np.float64] | None:
        if "relevance" not in metric.ignored:
            return self._measure_formula(metric, judged)
        at_hand = self._at_hand[1]
        if metric.printed not in at_hand:
            at_hand[metric.printed] = self._measure_formula(metric, judged)
        return at_hand[metric.printed]

    def _value_of_nobody(self, metric: Metric, judged: Judged) -> NDArray[np.float64]:
        """Return the value of a user without a test rating, shape (n_cutoffs,)."""
        if metric.printed not in self._nobody:
            without = judged.of_users(np.zeros(judged.n_users, dtype=np.bool_))
            values = self._measure_formula(metric, replace(without, listed=np.zeros(1, dtype=np.int64)))
            self._nobody[metric.printed] = np.full(len(self.cutoffs), np.nan) if values is None else values[0]
        return self._nobody[metric.printed]

    def _measure_formula(self, metric: Metric, judged: Judged) -> NDArray[np.float64] | None:
        """Return a formula's values, NaN at cut-offs that it does not take. If it does not apply, note why and return None."""
        takes = {
            "always": [cutoff != WHOLE for cutoff in self.cutoffs],
            "optionally": [True] * len(self.cutoffs),
            "never": [cutoff == WHOLE for cutoff in self.cutoffs],
        }[metric.takes_cutoff]
        at = tuple(cutoff for cutoff, is_taken in zip(self.cutoffs, takes, strict=True) if is_taken)
        try:
            found = metric.measure(judged, at)
        except RecsensError as error:
            self.refused[str(metric.spec)] = error.problem
            return None
        values = np.full((len(found), len(self.cutoffs)), np.nan)
        values[:, takes] = found
        return values


def fold_of(
    runs: Mapping[str, Any], test: Source, beside: Mapping[str, Source], columns: Sequence[str], scale: Scale | None
) -> EvaluatedFold:
    """Read judgements, train and validation of a fold, count the users, and warn of runs whose names hardly match.

    Raises RecsensError if a file cannot be read, or a run hardly matches the judgements.
    """
    known = {"convention": _ANY, "scale": scale, "columns": columns, **beside}
    evaluators = {"keep": Evaluator.of(test, ["P@1"], unknown="keep", **known)}
    if "train" in beside:
        try:
            evaluators["drop"] = Evaluator.of(test, ["P@1"], unknown="drop", **known)
        except DataError as error:
            log.warning("users and items without a train rating are never left out: %s", error.problem)
    users = set(evaluators["keep"].judgements.users)
    train = evaluators["keep"].train
    for table in () if train is None else (train.table, train.validation):
        users |= set() if table is None else set(table.user.names)
    for run in runs.values():
        evaluators["keep"].ranked(run)
        users |= set(run.user.names if isinstance(run, FileTable) else run.users)
    return EvaluatedFold(evaluators, runs, len(users))
