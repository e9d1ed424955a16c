"""The evaluation of one run: the values of each user, their means, and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.significance import Comparison, SignificanceTest
from recsens.files.scale import Scale
from recsens.inputs.matching import Matched
from recsens.metrics import Predictions
from recsens.metrics.variants.conventions import TIES_MEANING, Cases, Policy
from recsens.seeds import Stream
from recsens.tables.numbers import MISSING, SPACE, count, estimate, fixed, percentage, score
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.vocabulary import View

if TYPE_CHECKING:
    import pandas as pd

    from recsens.report.html.picture import Picture


@dataclass(frozen=True, kw_only=True)
class Settings(Cases):
    """How a run was evaluated.

    Attributes
    ----------
    convention
        The tool whose defaults are used.
    scale, relevance
        The rating scale, and the lowest rating that is relevant.
    view
        Full lists, or lists condensed to judged items.
    has_train
        Whether there is a train set; without one, ``train_items`` and ``unknown`` have no effect.
    no_test
        Whether a user with a list and no item in the test set counts as 0 in means, or is left out.
    treatments
        For each policy "zero", how the metrics treat such users: labels by treatment.
    """

    convention: str
    scale: Scale
    relevance: float
    view: View
    has_train: bool = False
    no_test: Policy = "skip"
    treatments: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict, compare=False)

    def _averaged(self, case: str) -> str:
        """Name the policy; if a metric's value is not 0, say what each metric does."""
        treatments = self.treatments.get(case, {})
        if set(treatments) <= {"counted as 0"}:
            return str(getattr(self, case))
        return ", ".join(f"{treatment} by {' and '.join(labels)}" for treatment, labels in treatments.items())

    def __str__(self) -> str:
        stay = {"none": "none", "low": f"those rated below {self.relevance:g}", "all": "all"}[self.train_items]
        unknown = "left out" if self.unknown == "drop" else "measured"
        train = [f"train items in lists: {stay}", f"users and items without a train rating: {unknown}"]
        ties = f"ties {TIES_MEANING[self.ties]}{', of scores in single precision' if self.single_precision else ''}"
        return "; ".join(
            [
                f"convention {self.convention}",
                f"relevant from {self.relevance:g} up, scale {self.scale.lowest:g} to {self.scale.highest:g}",
                *(train if self.has_train else []),
                *([] if self.unjudged_below is None else [f"not judged below {self.unjudged_below:g}"]),
                f"{self.view} lists",
                *(["ranked by rank, lowest first; scores are not read"] if self.rank_by == "rank" else []),
                "lists in the order of rows, whatever the scores" if self.rank_by == "rows" else ties,
                f"users without relevant items: {self._averaged('no_relevant')}",
                f"users without a list: {self._averaged('no_list')}",
                *(["users with a list and no judgement: zero"] if self.no_test == "zero" else []),
                f"short lists divided by {'the cut-off' if self.short_list == 'cutoff' else 'their length'}",
            ]
        )


_OF_MEANS = "Means over users"
_MOST_ROWS = 40
"""Largest number of metrics that a notebook shows."""

_MOST_LINES = 10
"""Largest number of lines that an evaluation prints."""


@dataclass(frozen=True)
class Predicted:
    """The ``user`` of each judged item, and whether the run scores the item, both of shape (n,)."""

    user: NDArray[np.int32]
    is_predicted: NDArray[np.bool_]

    def n_judged(self, users: NDArray[np.bool_]) -> int:
        """Count the judged items of some users, given as a mask of shape (n_users,)."""
        return int(np.count_nonzero(users[self.user]))

    def n_predicted(self, users: NDArray[np.bool_]) -> int:
        """For some users, count the judged items with a prediction."""
        return int(np.count_nonzero(self.is_predicted & users[self.user]))

    def is_same(self, other: Predicted, users: NDArray[np.bool_]) -> bool:
        """Whether two runs predict the same items for some users."""
        return not ((self.is_predicted != other.is_predicted) & users[self.user]).any()


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The evaluation of one run.

    Attributes
    ----------
    users
        Names of all judged users.
    labels
        The metrics requested.
    definitions
        The same metrics with every parameter.
    values
        Shape (n_users, n_metrics). A user without a list gets the metric's value for an empty list, which is 0 unless the metric
        compares pairs. A value is NaN if the metric is undefined for the user, who is then left out of the mean; a pooled metric is
        NaN for every user.
    pooled
        Values over all averaged users: the values of pooled metrics, and the sums of ``totals``.
    counts
        Whether each user is averaged, shape (n_users,).
    settings
        All settings that determine the values, in addition to the metrics.
    n_without_relevant
        Number of judged users without relevant items.
    matched
        How many users and items the run and the judgements have in common.
    n_unjudged
        Number of rows of the judgements that name an item without judging it.
    is_tied
        Whether all items of the run have the same score or rank, so that ties decide every position.
    has_ranks
        Whether the run has ranks that the evaluation did not read.
    totals
        Metrics with values that are summed over the averaged users, such as counts.
    predictions
        Statistics of the scores of judged items, and how many lie outside the scale; None if no metric reads scores as ratings.
    predicted
        Which judged items have a prediction; None if no metric reads predictions.
    predictive
        Metrics that read predictions and therefore cover only the predicted items.
    by_ties
        For each metric that depends on the order of equal scores: the mean with worse items first, and with better items first.
    unbounded
        Metrics that may have a value outside the two means in ``by_ties`` under another order of equal scores; they have no range
        by ties.
    notes
        Notes on other changes to the run, such as removed train pairs.
    """

    users: list[str]
    labels: list[str]
    definitions: list[str]
    values: NDArray[np.float64]
    pooled: dict[str, float]
    counts: NDArray[np.bool_]
    settings: Settings
    n_without_relevant: int
    matched: Matched
    n_unjudged: int
    is_tied: bool
    has_ranks: bool
    totals: frozenset[str] = frozenset()
    predictions: Predictions | None = None
    predicted: Predicted | None = None
    predictive: frozenset[str] = frozenset()
    by_ties: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    unbounded: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        head = [f"Evaluation: {'; '.join((self.population, *self.notes))}"]
        room = _MOST_LINES - len(head)
        shown = self.labels if len(self.labels) <= room else self.labels[: room - 1]
        texts = {label: score(self.means[label]) for label in shown}
        width, wide = (max(map(len, column), default=0) for column in (texts, texts.values()))
        lines = [f"  {label:{width}}  {text:>{wide}}" for label, text in texts.items()]
        more = len(self.labels) - len(shown)
        last = [f"  ... and {more} more in .means"] if more else []
        return "\n".join([*head, *lines, *last])

    def _repr_html_(self) -> str:
        from recsens.report.html.templates import cell  # noqa: PLC0415 - only a notebook waits for the templates

        rows = []
        for label in self.labels:
            mean, low, high = self._interval(label)
            value, lower, upper = estimate(mean, low, high) if not math.isnan(low) else (score(mean), "", "")
            texts = [value, f"{lower} to {upper}" if lower else MISSING, self.ties_in_words(label)]
            rows.append([label, *texts])
        columns = ["value", "95 % interval", *(["by ties"] if any(row[3] for row in rows) else [])]
        table = Table(
            "evaluation",
            _OF_MEANS,
            f"Metric ({self.settings.convention})",
            tuple(columns),
            (RowGroup("", tuple(Row(label, tuple(map(TableCell, texts[: len(columns)]))) for label, *texts in rows)),),
            (f"Settings: {self.settings}.",),
        )
        said = "; ".join(text for text in (self.matched.in_words, self.matched.warning, *self.notes) if text)
        shown = table.first(_MOST_ROWS, "All further metrics are in .means.")
        return cell(f"Evaluation: {self.population}", said=[said] if said else [], tables=[shown])

    def plot(self) -> Picture:
        """Draw each metric's mean over users, with a 95 % confidence interval (Student's t)."""
        from recsens.report.html.plots import estimates  # noqa: PLC0415 - only a drawing waits for matplotlib

        rows = [(label, *self._interval(label), "") for label in self.labels if label not in self.totals]
        return estimates(f"{_OF_MEANS}, with 95 % intervals", rows, along="mean over users")

    def _interval(self, label: str) -> tuple[float, float, float]:
        """Return a mean with its interval; pooled values and sums have no interval."""
        if label in self.pooled:
            return self.means[label], math.nan, math.nan
        values = self.column(label)[self.counts]
        values = values[~np.isnan(values)]
        against_zero = SignificanceTest.build("t").compare(values, np.zeros_like(values), Stream.of(0, "evaluate", label))
        return self.means[label], against_zero.low, against_zero.high

    @property
    def frame(self) -> pd.DataFrame:
        """The values of each averaged user: one row per user, one column per metric."""
        import pandas as pd  # noqa: PLC0415 - most evaluations need no frame

        labels, kept = self.user_labels, np.flatnonzero(self.counts)
        index = pd.Index([self.users[user] for user in kept], name="user", dtype=object)
        return pd.DataFrame({label: self.column(label)[kept] for label in labels}, index=index)

    @cached_property
    def means(self) -> dict[str, float]:
        """Each metric's mean over the averaged users for whom it is defined, or its pooled value or sum; NaN if there are none.

        If the tool's convention counts users without judgements as 0, they are part of the mean.
        """
        zeros = np.zeros(self.n_strangers if self.settings.no_test == "zero" else 0)
        return {
            label: self.pooled.get(label, mean_of(np.concatenate([self.column(label)[self.counts], zeros])))
            for label in self.labels
        }

    @cached_property
    def per_user(self) -> dict[str, dict[str, float]]:
        """The values of each averaged user, by name and metric."""
        labels = self.user_labels
        columns = np.column_stack([self.column(label) for label in labels]) if labels else np.empty((len(self.users), 0))
        return {self.users[user]: dict(zip(labels, columns[user].tolist(), strict=True)) for user in np.flatnonzero(self.counts)}

    @property
    def user_labels(self) -> list[str]:
        """Metrics that have a value for each user."""
        return [label for label in self.labels if label not in self.pooled or label in self.totals]

    def column(self, label: str) -> NDArray[np.float64]:
        """Return a metric's value for each judged user, shape (n_users,)."""
        return self.values[:, self.labels.index(label)]

    def range_by_ties(self, label: str) -> tuple[float, float]:
        """Return a metric's mean with worse items first among equal scores, and with better items first; NaN if it has no range."""
        if label in self.unbounded:
            return float("nan"), float("nan")
        return self.by_ties.get(label, (self.means[label], self.means[label]))

    def ties_in_words(self, label: str, decimals: int | None = None) -> str:
        """Print a metric's range over the orders of equal scores; empty if both ends print the same."""
        if label in self.unbounded:
            return "not bounded"
        low, high = (score(end) if decimals is None else fixed(end, decimals) for end in self.range_by_ties(label))
        return "" if low == high else f"{low} to {high}"

    @property
    def n_without_list(self) -> int:
        """Number of judged users without a list."""
        return len(self.matched.unlisted)

    @property
    def n_strangers(self) -> int:
        """Number of users in the run without judgements; such users are never averaged."""
        return len(self.matched.strangers)

    @property
    def shares_no_item(self) -> bool:
        """Whether no item of the run is judged for any user, which suggests that items are spelt differently."""
        return self.matched.n_shared_items == 0

    @property
    def n_users(self) -> int:
        """Number of users averaged, with those whom the tool's convention counts as 0 although they have no judgement."""
        return int(np.count_nonzero(self.counts)) + (self.n_strangers if self.settings.no_test == "zero" else 0)

    @property
    def population(self) -> str:
        """Say which users are averaged."""
        return (
            f"{count(self.n_users)} users averaged; of {count(len(self.users))} judged users, "
            f"{count(self.n_without_relevant)} have no relevant item and {count(self.n_without_list)} no list; "
            f"of {count(self.matched.n_users)} users of the run, {count(self.n_strangers)} are not judged"
            f"{' and count as 0' if self.n_strangers and self.settings.no_test == 'zero' else ''}"
        )

    @property
    def share_predicted(self) -> str:
        """Say for how many judged items of the averaged users there is a prediction; empty if no metric reads predictions."""
        if self.predicted is None:
            return ""
        n, n_judged = self.predicted.n_predicted(self.counts), self.predicted.n_judged(self.counts)
        return f"{n:,} of {n_judged:,} judged items have a prediction"

    @property
    def outside_the_scale(self) -> str:
        """Say how many of the scores that are read as ratings lie outside the scale; empty if all are on the scale."""
        predictions, scale = self.predictions, self.settings.scale
        if predictions is None or not predictions.n_outside:
            return ""
        share = percentage(predictions.share_outside) if predictions.share_outside >= 0.001 else f"under 0.1{SPACE}%"
        return (
            f"{share} of {count(predictions.n)} predictions lie outside the scale of {scale.lowest:g} to {scale.highest:g}: "
            f"the lowest is {score(predictions.lowest)}, the highest {score(predictions.highest)}; errors are computed from them "
            "unchanged"
        )

    @property
    def undefined(self) -> dict[str, int]:
        """The number of averaged users for whom a metric is undefined, for each metric with such users."""
        numbers = {label: int(np.isnan(self.column(label)[self.counts]).sum()) for label in self.user_labels}
        return {label: n for label, n in numbers.items() if n}


def mean_of(values: NDArray[np.float64]) -> float:
    """Average the defined values; NaN if there are none."""
    # The values of one metric are contiguous; numpy therefore sums them pairwise, which is exact to the last digits.
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


@dataclass(frozen=True)
class RunComparison:
    """A comparison of a run with the first run on one metric.

    The users compared are those whom both runs average and for whom the metric is defined in both runs.

    Attributes
    ----------
    comparison
        The result of the test. For two pooled values, it contains only their difference, which is NaN if the two runs pool
        different users.
    mean, versus_mean
        Means of the run, and of the first run, over the users compared.
    is_whole
        Whether the reported mean of each run covers exactly the users compared.
    is_alike
        Whether both runs predict the same items; if not, metrics that read predictions are not compared.
    """

    comparison: Comparison
    mean: float
    versus_mean: float
    is_whole: bool
    is_alike: bool = True


def compare(evaluations: Mapping[str, Evaluation], test: SignificanceTest) -> dict[str, list[RunComparison]]:
    """Compare every further run with the first run, metric by metric."""
    first, *others = evaluations
    return {
        name: [_compared(test, label, evaluations[name], evaluations[first]) for label in evaluations[name].labels]
        for name in others
    }


def _compared(test: SignificanceTest, label: str, run: Evaluation, base: Evaluation) -> RunComparison:
    if label in run.pooled:
        return _pooled(label, run, base)
    values, others = run.column(label), base.column(label)
    own, its = run.counts & ~np.isnan(values), base.counts & ~np.isnan(others)
    both = own & its
    is_whole = bool((own == its).all())
    if not _is_alike(label, run, base, both):
        return _not_compared(both, is_whole=is_whole)
    comparison = test.compare(values[both], others[both], Stream.of(0, "evaluate", label))
    return RunComparison(comparison, mean_of(values[both]), mean_of(others[both]), is_whole)


def _pooled(label: str, run: Evaluation, base: Evaluation) -> RunComparison:
    """Return the difference between two pooled values over the same users; tests over users do not apply."""
    is_whole, both = bool((run.counts == base.counts).all()), run.counts & base.counts
    if not _is_alike(label, run, base, both):
        return _not_compared(both, is_whole=is_whole)
    mean, versus_mean = (run.means[label], base.means[label]) if is_whole else (math.nan, math.nan)
    comparison = Comparison(mean - versus_mean, *(math.nan,) * 4, n_users=int(np.count_nonzero(both)))
    return RunComparison(comparison, mean, versus_mean, is_whole)


def _is_alike(label: str, run: Evaluation, base: Evaluation, users: NDArray[np.bool_]) -> bool:
    """Whether a metric reads the same items of both runs for the given users. Errors on different items are not comparable."""
    if label not in run.predictive or run.predicted is None or base.predicted is None:
        return True
    return run.predicted.is_same(base.predicted, users)


def _not_compared(users: NDArray[np.bool_], *, is_whole: bool) -> RunComparison:
    comparison = Comparison(*(math.nan,) * 5, n_users=int(np.count_nonzero(users)))
    return RunComparison(comparison, math.nan, math.nan, is_whole, is_alike=False)
