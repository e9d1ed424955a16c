"""The scorecard: how well every analysis of a study agrees with the reference design, with intervals over replicates or folds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from recsens import plugins
from recsens.arrays import Floats, grouped
from recsens.conclusions.design_space import Change, DesignSpace
from recsens.conclusions.verdicts.components import direction, measured, ranks_systems
from recsens.conclusions.verdicts.pairs import winning_sides
from recsens.conclusions.verdicts.study_tables import records
from recsens.outcomes.winner import NOBODY, Side, ahead, decide
from recsens.plugins.specs import Spec
from recsens.study import Decisions, Study
from recsens.study.taxonomy import DESIGN, FULL_COLUMNS, columns_with_full
from recsens.tables.numbers import MISSING, fixed


class TruthAgreement(NamedTuple):
    """One analysis compared with the truth on one data set or fold.

    Attributes
    ----------
    tau
        Kendall's tau-b between the two orders of systems; NaN if either order ties all systems.
    right, wrong, open
        Of the pairs that the truth decides, the shares that the analysis decides in the same way, in the opposite way, and not at
        all; NaN if the truth decides no pair.
    pairs, decided
        Number of pairs, and number of pairs that the truth decides.
    """

    tau: float
    right: float
    wrong: float
    open: float
    pairs: int
    decided: int


def scores(ahead: ArrayLike, winner: ArrayLike, true_ahead: ArrayLike, true_winner: ArrayLike) -> TruthAgreement:
    """Compare an analysis with the truth, pair by pair; arguments are `recsens.outcomes.winner.Side` numbers, shape (n_pairs,).

    The analysis and the truth put C of the n pairs in the same order, and D in opposite orders; the analysis ties T_a pairs, and
    the truth T_t. If the n pairs are all pairs of systems, tau-b = (C - D) / sqrt((n - T_a) (n - T_t)) (Kendall 1945).

    Parameters
    ----------
    ahead, true_ahead
        Which system of each pair has the better value.
    winner, true_winner
        Which system of each pair wins.
    """
    a, t, w, v = (np.asarray(each, dtype=np.int64) for each in (ahead, true_ahead, winner, true_winner))
    ordered = np.sqrt(float(np.count_nonzero(a)) * float(np.count_nonzero(t)))
    tau = float((a * t).sum() / ordered) if ordered > 0 else math.nan
    decided = v != NOBODY
    n = int(decided.sum())
    if n == 0:
        return TruthAgreement(tau, math.nan, math.nan, math.nan, len(a), 0)
    agrees = (w * v)[decided]
    return TruthAgreement(tau, float((agrees > 0).mean()), float((agrees < 0).mean()), float((agrees == 0).mean()), len(a), n)


QUANTITIES = ("tau", "right", "wrong", "open", "difference")
"""Columns of numbers in the order of the table."""

Unit = Literal["replicate", "fold"]

_SYSTEMS = ["system_a", "system_b"]

_BOUNDS = {"tau": (-1.0, 1.0), "right": (0.0, 1.0), "wrong": (0.0, 1.0), "open": (0.0, 1.0)}
_LEVEL = 0.95

Key = tuple[str, ...]
"""The values of the columns that distinguish designs, then the metric in full."""


_REPLICATE = "replicate"

_BETWEEN = " ,;:-_#/("


def scorecard(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame, verdicts: pd.DataFrame) -> list[dict[str, Any]]:
    """List how well every analysis in the study's own experiment agrees with the truth, by condition, analysis and quantity.

    Data sets that differ only in ``replicate`` form one condition. If a condition has several data sets, they are its units; if it
    has one data set with several folds, the folds are its units. A value is the mean over units; its interval is mean ± t s /
    sqrt(n) with Student's t at 95 %, cut at the bounds of the quantity. Folds share ratings, so an interval over folds is too
    narrow; replicates are independent. ``difference`` is the mean over systems of the value minus the true value; its units are
    always data sets.

    The truth and an analysis each decide a pair by their verdict on the pair. A single fold has no verdict, so the rule for
    verdicts is applied to the fold, with the margin of the verdict over all folds.
    """
    assert study.reference is not None
    tables = _Tables(study, summary, comparisons, verdicts)
    listed = conditions(study.own.datasets).items()
    return [row for name, labels in listed for key in tables.analyses(labels[0]) for row in tables.rows(name, labels, key)]


@dataclass(frozen=True)
class _Tables:
    study: Study
    summary: pd.DataFrame
    comparisons: pd.DataFrame
    verdicts: pd.DataFrame

    def analyses(self, label: str) -> list[Key]:
        """List every analysis that orders systems, except the truth itself, in the order of the summary."""
        of_label = self.summary[self.summary["dataset"] == label]
        keys = of_label[[*FULL_COLUMNS, "metric_full"]].drop_duplicates().itertuples(index=False, name=None)
        return [key for key in map(_analysis_key, keys) if ranks_systems(key[-1]) and key != self._true_key(key)]

    def rows(self, condition: str, labels: Sequence[str], key: Key) -> Iterator[dict[str, Any]]:
        """Yield a row for each quantity of an analysis."""
        unit: Unit = "replicate" if len(labels) > 1 else "fold"
        agreements = self._agree_on_datasets(labels, key) if unit == "replicate" else self._agree_on_folds(labels[0], key)
        both = [(self._values_by_system[label, key], self._values_by_system[label, self._true_key(key)]) for label in labels]
        offsets = np.array([np.mean([own[system] - true[system] for system in own]) for own, true in both])
        [first] = self.summary.loc[self._values_by_analysis[labels[0], key].index[:1]].to_dict("records")
        head = {"data": condition, **{column: first[column] for column in columns_with_full(DESIGN)}}
        head |= {"metric": first["metric"], "metric_full": first["metric_full"], "true_metric": self._true_key(key)[-1]}
        head["is_reference"] = key[:-1] == self._reference
        counts = {"pairs": np.mean([one.pairs for one in agreements]), "decided": np.mean([one.decided for one in agreements])}
        for name in QUANTITIES:
            values = offsets if name == "difference" else np.array([getattr(one, name) for one in agreements])
            over = ("replicate" if unit == "replicate" else "data set") if name == "difference" else unit
            yield {**head, "quantity": name, **_interval_cells(name, values), "unit": over, **counts}

    def _true_key(self, key: Key) -> Key:
        """Return the analysis that counts as the truth for a given analysis."""
        return (*self._reference, self._true_metric or key[-1])

    @cached_property
    def _true_metric(self) -> str:
        assert self.study.reference is not None
        metric = self.study.reference.metric
        return str(measured(metric)) if metric else ""

    @cached_property
    def _reference(self) -> Key:
        assert self.study.reference is not None
        own = self.study.own
        design: Decisions = own.design.changed(self.study.reference.under)
        number = own.designs().index(design)
        designs = self.summary[self.summary["dataset"] == next(iter(own.datasets))][list(FULL_COLUMNS)].drop_duplicates()
        return _analysis_key(tuple(designs.iloc[number]))

    @cached_property
    def _values_by_analysis(self) -> dict[tuple[str, Key], pd.Series]:
        """Return each system's value, by data-set label and analysis."""
        grouped = self.summary.groupby(["dataset", *FULL_COLUMNS, "metric_full"], sort=False)
        return {(str(key[0]), _analysis_key(key[1:])): rows["value"] for key, rows in grouped}

    @cached_property
    def _values_by_system(self) -> dict[tuple[str, Key], dict[str, float]]:
        systems = self.summary["system"]
        return {at: dict(zip(systems.loc[values.index], values, strict=True)) for at, values in self._values_by_analysis.items()}

    @cached_property
    def _verdicts_of(self) -> dict[tuple[str, Key], pd.DataFrame]:
        """Return all pairs' verdicts, by data-set label and analysis."""
        grouped = self.verdicts.groupby(["dataset", *FULL_COLUMNS, "metric_full"], sort=False)
        return {(str(key[0]), _analysis_key(key[1:])): rows for key, rows in grouped}

    @cached_property
    def _compared(self) -> dict[tuple[str, Key, str], pd.DataFrame]:
        """Return all pairs' comparisons on a fold, by data-set label, analysis and fold."""
        columns = [*_SYSTEMS, "difference", "low", "high", "p_adjusted"]
        of_folds = self.comparisons[self.comparisons["fold"] != "all"]
        grouped = of_folds.groupby(["dataset", *FULL_COLUMNS, "metric_full", "fold"], sort=False)
        return {(str(key[0]), _analysis_key(key[1:-1]), str(key[-1])): rows[columns] for key, rows in grouped}

    def _agree_on_datasets(self, labels: Sequence[str], key: Key) -> list[TruthAgreement]:
        return [scores(*self._sides(label, key), *self._sides(label, self._true_key(key))) for label in labels]

    def _agree_on_folds(self, label: str, key: Key) -> list[TruthAgreement]:
        """Compare each fold with the same fold of the truth. If the two have different folds, compare their means over folds."""
        true = self._true_key(key)
        of_both = [fold for fold in self._compared_folds(label, key) if fold in self._compared_folds(label, true)]
        if self._compared_folds(label, key) != self._compared_folds(label, true) or len(of_both) < 2:
            return self._agree_on_datasets([label], key)
        return [scores(*self._sides_on_fold(label, key, fold), *self._sides_on_fold(label, true, fold)) for fold in of_both]

    def _compared_folds(self, label: str, key: Key) -> list[str]:
        return [fold for of, at, fold in self._compared if (of, at) == (label, key)]

    def _sides(self, label: str, key: Key) -> tuple[Side, Side]:
        """Return which system has the better value, and which wins, over all folds."""
        rows = self._verdicts_of[label, key]
        return rows["better"].to_numpy(dtype=np.int64), winning_sides(rows)

    def _sides_on_fold(self, label: str, key: Key, fold: str) -> tuple[Side, Side]:
        """Return which system the users' differences favour on a fold, and which system wins on it."""
        pairs = self._compared[label, key, fold]
        margins = pairs[_SYSTEMS].merge(self._verdicts_of[label, key][[*_SYSTEMS, "margin"]], how="left")["margin"]
        favoured = ahead(pairs["difference"], direction(key[-1]))
        interval = {"low": pairs["low"], "high": pairs["high"]}
        return favoured, decide(favoured, favoured, pairs["p_adjusted"], self.study.alpha, **interval, margins=margins).winner


def _interval_cells(name: str, values: Floats) -> dict[str, Any]:
    """Return the mean of the defined values, their number, and a Student interval, which is NaN for fewer than two values."""
    valid = values[~np.isnan(values)]
    mean, half = float(valid.mean()) if len(valid) else math.nan, math.nan
    if len(valid) > 1:
        half = float(stats.t.ppf((1 + _LEVEL) / 2, len(valid) - 1) * valid.std(ddof=1) / np.sqrt(len(valid)))
    least, most = _BOUNDS.get(name, (-np.inf, np.inf))
    return {"value": mean, "low": max(mean - half, least), "high": min(mean + half, most), "units": len(valid)}


def _analysis_key(values: Sequence[Any]) -> Key:
    return tuple(map(str, values))


def conditions(datasets: Mapping[str, Spec]) -> dict[str, list[str]]:
    """Group data sets (by label) that differ only in their parameter ``replicate``.

    Returns a mapping from a key to the labels of each group. The key is the words with which all labels of the group begin. If a
    group has only one label, or if its labels do not begin with the same words, the key is the first label.
    """
    groups = grouped((str(plugins.build("dataset", spec).spec.without(_REPLICATE)), label) for label, spec in datasets.items())
    named: dict[str, list[str]] = {}
    for labels in groups.values():
        name = _shared_label(labels)
        named[name if name not in named else labels[0]] = labels
    return named


def _shared_label(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return labels[0]
    alike = takewhile(lambda words: len(set(words)) == 1, zip(*(label.split() for label in labels), strict=False))
    return " ".join(words[0] for words in alike).rstrip(_BETWEEN) or labels[0]


Estimate = tuple[float, float, float]
"""A value and the ends of its interval, which are NaN without an interval."""


@dataclass(frozen=True)
class ScorecardLine:
    """An analysis compared with the truth under one condition.

    Attributes
    ----------
    metric
        The metric as the study writes it.
    change
        The decisions in which the design differs from the base.
    is_reference
        Whether the design is the reference, measured by a metric other than the true one.
    quantities
        The analysis's scores, by the name of each quantity in ``truth.csv``.
    """

    metric: str
    change: Change
    is_reference: bool
    quantities: dict[str, Estimate] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The metric and the options of the changed decisions."""
        return ", ".join([self.metric, *(f"{key}: {option}" for key, option in self.change)])

    @property
    def is_near(self) -> bool:
        """Whether the design is the base, or differs from the base in one decision and is not the reference."""
        return not self.is_reference and len(self.change) < 2

    @property
    def tau(self) -> Estimate:
        """Kendall's tau-b with the truth."""
        return self.quantities["tau"]

    def share(self, name: str) -> float:
        """Return the share ``right``, ``wrong`` or ``open``, as ``name`` says, of the pairs that the truth decides."""
        return self.quantities[name][0]


def scorecard_lines(rows: pd.DataFrame, space: DesignSpace) -> dict[str, list[ScorecardLine]]:
    """Collect every analysis of each condition, in the order of the table.

    Parameters
    ----------
    rows
        The table ``truth.csv``.
    space
        The designs of the study's own experiment.
    """
    by_condition: dict[str, dict[tuple[str, Change], ScorecardLine]] = {}
    for row in records(rows):
        change = space.change(row)
        of_condition = by_condition.setdefault(row["data"], {})
        line = ScorecardLine(row["metric"], change, bool(row["is_reference"]))
        judged = of_condition.setdefault((row["metric_full"], change), line)
        judged.quantities[row["quantity"]] = row["value"], row["low"], row["high"]
    return {condition: list(analyses.values()) for condition, analyses in by_condition.items()}


def sort_by_tau(analyses: list[ScorecardLine]) -> list[ScorecardLine]:
    """Sort analyses by tau, highest first; undefined tau comes last."""
    return sorted(analyses, key=lambda each: math.inf if math.isnan(each.tau[0]) else -each.tau[0])


def estimate_text(quantity: Estimate) -> str:
    """Format a value and its interval with two decimals."""
    value, low, high = quantity
    if math.isnan(value):
        return MISSING
    interval = "" if math.isnan(low) else f" ({fixed(low, 2)} to {fixed(high, 2)})"
    return f"{fixed(value, 2)}{interval}"
