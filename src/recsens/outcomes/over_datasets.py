"""Comparisons combined over data sets: each pair's effect on every data set, and what they say about these and about others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from recsens.arrays import Floats
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.random_effects import RandomEffects
from recsens.comparison.significance import Pairs, adjusted
from recsens.comparison.significance.t import T
from recsens.metrics import MeasuredAt
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import Panel
from recsens.outcomes.summary import Outcomes, paired_over_folds
from recsens.outcomes.winner import FIRST, SECOND, ahead, decide
from recsens.seeds import Stream
from recsens.study import Experiment
from recsens.study.design import Design
from recsens.study.families import Scale


class Effect(NamedTuple):
    """The difference of two systems on one data set, on the scale on which data sets are combined, with its error over users."""

    value: float
    error: float
    n_users: int


class CombinedOutcomes:
    """The comparisons of a study's own experiment, combined over its families of data sets.

    Combined are the metrics that rank systems by values of users, under the designs whose aggregate is a mean of these values.

    Parameters
    ----------
    outcomes
        The study's outcomes.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        self._outcomes = outcomes
        self._experiment: Experiment = outcomes.study.own
        self._labels = [label for labels in self._experiment.families.values() for label in labels]
        names = list(self._experiment.systems)
        self._pairs = [(names.index(a), names.index(b)) for a, b in self._experiment.pairs()]
        self._found: dict[tuple[int, int], dict[str, list[Effect]]] = {}
        for shared in outcomes.panels(self._labels):
            if shared.measured.metric.is_descriptive or not isinstance(shared.panel, Panel):
                continue
            place = self._experiment.metrics.index(shared.measured)
            by_aggregate: dict[str, list[Effect]] = {}
            for number in shared.numbers:
                design = outcomes.designs[shared.label][number]
                if not Aggregate.build(design.aggregate).averages_values:
                    continue
                if (aggregate := str(design.aggregate)) not in by_aggregate:
                    by_aggregate[aggregate] = effects(shared.panel, self._pairs, design, self._experiment.scale)
                self._found.setdefault((number, place), {})[shared.label] = by_aggregate[aggregate]

    def of_datasets(self) -> list[dict[str, Any]]:
        """List the effect of each pair on each data set, by each metric under the base design, with its interval over users."""
        half = float(special.ndtri(1 - self._experiment.alpha / 2))
        families = self._experiment.families.items()
        of_labels = [(family, label) for family, labels in families for label in labels]
        rows = []
        for place in (place for number, place in sorted(self._found) if number == 0):
            for nth in range(len(self._pairs)):
                for family, label in of_labels:
                    value, error, n_users = self._found[0, place][label][nth]
                    ends = {"low": value - half * error, "high": value + half * error}
                    found = {"effect": value, "error": error, **ends, "users": n_users}
                    rows.append({"dataset": label, "family": family, **self._row_head(nth, place), **found})
        return rows

    def combined(self) -> list[dict[str, Any]]:
        """List what the effects say together, for each pair by each metric under each design."""
        places = sorted(self._found)
        if not places:
            return []
        experiment = self._experiment
        by_family = [self._family_effects(place) for place in places]
        values, errors = (np.concatenate([each[nth] for each in by_family]) for nth in (0, 1))
        over = RandomEffects(values, errors, 1 - experiment.alpha)
        p_adjusted = np.concatenate(
            [
                adjusted(own, self._outcomes.designs[self._labels[0]][number].correction)
                for own, (number, _) in zip(over.alike.p_value.reshape(len(places), -1), places, strict=True)
            ]
        )
        signs = np.repeat([1 if self._metric_at(place).metric.higher_is_better else -1 for _, place in places], len(self._pairs))
        favoured = ahead(over.alike.value, signs)
        margins = np.where(signs > 0, *(experiment.margin.of_effects(higher_is_better=better) for better in (True, False)))
        decided = decide(
            favoured, favoured, p_adjusted, experiment.alpha, low=over.alike.low, high=over.alike.high, margins=margins
        )
        columns = {
            "families": over.n_families,
            **dict(zip(("these", "these_error", "these_low", "these_high"), over.these, strict=False)),
            **dict(zip(("alike", "alike_error", "alike_low", "alike_high", "p_value"), over.alike, strict=True)),
            "p_adjusted": p_adjusted,
            **dict(zip(("new_low", "new_high"), over.new, strict=True)),
            "between": over.between,
            "tau": over.tau,
            **dict(zip(("tau_low", "tau_high"), over.tau_interval, strict=True)),
            "p_equal": over.p_equal,
        }
        rows = []
        for row in range(len(values)):
            number, place = places[row // len(self._pairs)]
            head = self._row_head(row % len(self._pairs), place)
            winner = {FIRST: head["system_a"], SECOND: head["system_b"]}.get(int(decided.winner[row]), "")
            found = {name: column[row].item() for name, column in columns.items()}
            verdict = {"winner": winner, "is_equivalent": bool(decided.is_equivalent[row] and margins[row] > 0)}
            rows.append({**head, **found, **verdict, **self._outcomes.columns[self._labels[0]][number], "is_base": number == 0})
        return rows

    def _row_head(self, pair: int, place: int) -> dict[str, Any]:
        measured = self._metric_at(place)
        systems = dict(zip(("system_a", "system_b"), self._experiment.pairs()[pair], strict=True))
        return {**systems, "metric": measured.written, "metric_full": str(measured), "scale": self._experiment.scale}

    def _metric_at(self, place: int) -> MeasuredAt:
        return self._experiment.metrics[place]

    def _family_effects(self, place: tuple[int, int]) -> tuple[Floats, Floats]:
        """Return each pair's effect on each family and its error, two arrays of shape (n_pairs, n_families).

        A family's effect is the mean over its data sets, whose users are independent. A data set without an effect is left out.
        """
        nowhere = [Effect(np.nan, np.nan, 0)] * len(self._pairs)
        values, errors = [], []
        for labels in self._experiment.families.values():
            own = np.array([[each[:2] for each in self._found[place].get(label, nowhere)] for label in labels])
            known = np.isfinite(own).all(axis=2)
            n = np.where(known.any(axis=0), known.sum(axis=0), np.nan)
            values.append(np.where(known, own[:, :, 0], 0.0).sum(axis=0) / n)
            errors.append(np.sqrt(np.where(known, own[:, :, 1] ** 2, 0.0).sum(axis=0)) / n)
        return np.stack(values, axis=1), np.stack(errors, axis=1)


def effects(panel: Panel, pairs: Pairs, design: Design, scale: Scale) -> list[Effect]:
    """Return the effect of each pair of systems on a scale, over the users who count for both.

    Relative is ln(m_a / m_b) with the means m of the users' values; its error is that of the mean of a / m_a - b / m_b (delta
    method). Standardised is d = m / s, with the error √(1 / n + d² / 2n). An effect is NaN if it does not exist, such as the
    logarithm of a mean that is not positive, or if fewer users than a test needs were compared.
    """
    return [_effect_of_pair(data.among(rows), design, scale) for data, rows in paired_over_folds(panel, pairs, design)]


def _effect_of_pair(pair: Paired, design: Design, scale: Scale) -> Effect:
    means = np.ones(2)
    if scale == "relative":
        weights = pair.counts[0] if pair.weights is None else np.where(pair.counts[0], pair.weights, 0.0)
        total = weights.sum()
        means = (pair.values * weights).sum(axis=1) / total if total > 0 else np.zeros(2)
        if not (means > 0).all():
            return Effect(np.nan, np.nan, int(pair.counts[0].sum()))
        pair = replace(
            pair, values=pair.values / means[:, None], offsets=None if pair.offsets is None else pair.offsets / means[:, None]
        )
    [found] = T().compare_pairs(pair.values, pair.counts, [(0, 1)], Stream.of(design.seed), pair.weights, pair.offsets)
    if np.isnan(found.p_value):
        return Effect(np.nan, np.nan, found.n_users)
    if scale == "standardised":
        d, n = found.effect, found.n_users
        return Effect(d, float(np.sqrt(1 / n + d**2 / (2 * n))), n)
    value = float(np.log(means[0] / means[1])) if scale == "relative" else found.difference
    return Effect(value, found.standard_error, found.n_users)
