"""Input of the leak detectors: sets and runs with common codes, and the metric's values on changed copies of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError, SpecError
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.kinds import RankBy
from recsens.metrics import WHOLE
from recsens.runs.evaluation import Evaluator
from recsens.runs.leakage._reading import CodedPairs, Vocabulary, coded, keys, read_ratings, read_run, table_of
from recsens.runs.leakage._sizes import NORMAL, Inflation, UserValues
from recsens.seeds import Stream

Computed = TypeVar("Computed")

Measure: TypeAlias = Callable[..., "UserValues"]
"""A function that measures a run on fixed test pairs; for a run with items that no file has, pass the names of all items."""

_USUAL_DEPTH = 10
"""Number of positions to check in a list if the metric has no cut-off."""

_NEARLY_ALL = 0.99
"""Short lists with at least this share of the test pairs rank sampled candidates; other short lists have far fewer."""


@dataclass(frozen=True)
class SearchedRun:
    """A run in two forms: with each pair once, and with all rows of its file.

    Attributes
    ----------
    name
        The run's name.
    pairs
        Rows with each pair once, with the pair's best value, in the order of the file.
    as_written
        All rows of the file.
    """

    name: str
    pairs: CodedPairs
    as_written: CodedPairs


@dataclass(frozen=True)
class Material:
    """Everything that detectors read.

    Attributes
    ----------
    users, items
        Names by code.
    train, test, validation
        Ratings; ``validation`` is None without a validation set.
    runs
        The runs.
    label
        The metric.
    evaluator
        The evaluator of the unchanged runs; it determines the scale and the threshold.
    stream
        Root of all random draws.
    """

    users: list[str]
    items: list[str]
    train: CodedPairs
    test: CodedPairs
    validation: CodedPairs | None
    runs: list[SearchedRun]
    label: str
    evaluator: Evaluator
    stream: Stream
    _known: dict[tuple[str, str], Any] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        train: Any,
        test: Any,
        runs: Mapping[str, Any],
        validation: Any = None,
        *,
        metric: str,
        relevance: float | None,
        scale: tuple[float, float] | None,
        rank_by: RankBy,
        told: Mapping[str, DeclaredColumns],
        seed: int,
    ) -> Material:
        """Read all files.

        Raises RecsensError if a file cannot be read, if few users or items of a run match the test set, or if the metric does not
        give each user one value.
        """
        if not runs:
            raise DataError("no run is given", allowed="one or more runs", remedy="pass each as --run NAME=FILE")
        users, items, rated = Vocabulary({}), Vocabulary({}), told.get("rating")
        given = {"train": train, "test": test, "validation": validation}
        tables = {what: read_ratings(each, f"the {what} set", rated) for what, each in given.items() if each is not None}
        sets = {what: coded(*each, users, items) for what, each in tables.items()}
        sign = -1 if rank_by == "rank" else 1
        rows = {name: read_run(source, name, rank_by, told.get(rank_by)) for name, source in runs.items()}
        written = {name: coded(each, None, users, items, sign=sign) for name, each in rows.items()}
        evaluator = Evaluator.of(tables["test"][0], [metric], relevance=relevance, scale=scale)
        _check_metric(evaluator, metric)
        searched = [SearchedRun(name, _once(each, len(items.names)), each) for name, each in written.items()]
        made = cls(
            *(users.names, items.names, sets["train"], sets["test"], sets.get("validation"), searched),
            *(evaluator.asked[0].label, evaluator, Stream.of(seed, "leaks")),
        )
        for run in searched:
            made.given(run)
        return made

    @property
    def n_items(self) -> int:
        """Number of distinct items in all files."""
        return len(self.items)

    @property
    def depth(self) -> int:
        """Number of positions to check in a list: the metric's cut-off, or 10 if it has none."""
        cutoff = self.evaluator.asked[0].measured.cutoff
        return _USUAL_DEPTH if cutoff == WHOLE else cutoff

    @property
    def is_share(self) -> bool:
        """Whether a user's value lies between 0 and 1."""
        return self.evaluator.asked[0].measured.metric.values_range == "[0, 1]"

    @cached_property
    def relevant(self) -> CodedPairs:
        """The relevant pairs of the test set."""
        return self.test.kept(self.test.value >= self.evaluator.settings.relevance)

    @cached_property
    def _relevant_keys(self) -> NDArray[np.int64]:
        return keys(self.relevant, self.n_items)

    @cached_property
    def train_keys(self) -> NDArray[np.int64]:
        """Keys of the train pairs, distinct and ascending."""
        return np.unique(keys(self.train, self.n_items))

    @cached_property
    def train_counts(self) -> NDArray[np.int64]:
        """Number of users who rated each item in train, shape (n_items,)."""
        return np.bincount(self.train_keys % self.n_items, minlength=self.n_items)

    @cached_property
    def knows_user(self) -> NDArray[np.bool_]:
        """Whether each user has a train rating, shape (n_users,)."""
        return np.bincount(self.train.user, minlength=len(self.users)) > 0

    def in_train(self, pairs: CodedPairs) -> NDArray[np.bool_]:
        """Return which pairs are in train, shape (n,)."""
        return np.isin(keys(pairs, self.n_items), self.train_keys)

    def given(self, run: SearchedRun) -> UserValues:
        """Return the users' values of an unchanged run, under the conventions of recsens."""
        return self.once(("given", run.name), lambda: self.measured(run.pairs, self.test, is_first=True))

    def once(self, key: tuple[str, str], compute: Callable[[], Computed]) -> Computed:
        """Return a value that is computed only once, for all detectors that need it."""
        if key not in self._known:
            self._known[key] = compute()
        known: Computed = self._known[key]
        return known

    def measured(self, run: CodedPairs, test: CodedPairs, **cases: Any) -> UserValues:
        """Return each user's value on changed files: NaN for users who are not averaged, and for all users if ``run`` is empty."""
        measure = self.measure(test, **cases)
        return UserValues(np.full(len(self.users), np.nan)) if measure is None or not len(run) else measure(run)

    def measure(self, test: CodedPairs, *, is_first: bool = False, **cases: Any) -> Measure | None:
        """Return a function that measures runs on changed test pairs; None if no pair is relevant."""
        if not (test.value >= self.evaluator.settings.relevance).any():
            return None
        table, judged = table_of(test, self.users, self.items, "the test set", "rating")
        known = self.evaluator.settings
        evaluator = Evaluator.of(table, [self.label], scale=known.scale, relevance=known.relevance, **cases)
        evaluator = evaluator if is_first else replace(evaluator, least_matched=0, is_quiet=True)

        def of_run(run: CodedPairs, items: list[str] | None = None) -> UserValues:
            values = np.full(len(self.users), np.nan)
            if not is_first and not np.isin(run.user, judged).any():
                return UserValues(values)
            evaluation = evaluator.evaluate(table_of(run, self.users, items or self.items, "the run", "score")[0])
            # Conventions may write the metric with other parameters.
            values[judged[evaluation.counts]] = evaluation.column(evaluator.asked[0].label)[evaluation.counts]
            return UserValues(values)

        return of_run

    def within_reach(self, pairs: CodedPairs) -> CodedPairs:
        """Return the rows that the metric reads under at least one order of equal scores.

        Without a cut-off, these are all rows. Otherwise, they are the rows for which fewer rows of the user than the cut-off have a
        higher score.
        """
        if self.evaluator.asked[0].measured.cutoff == WHOLE:
            return pairs
        order = np.lexsort((-pairs.value, pairs.user))
        place = place_in_list(pairs.user[order])
        is_lower = (np.diff(pairs.value[order], prepend=np.nan) != 0) | (place == 0)
        above = place[np.maximum.accumulate(np.where(is_lower, np.arange(len(order)), 0))]
        return pairs.kept(np.sort(order[above < self.depth]))

    def top(self, run: SearchedRun, *, beyond: int = 0) -> CodedPairs:
        """Return the first ``depth`` rows of each list, and ``beyond`` further rows, in the order of the evaluation."""
        ranked = self.once(("ranked", run.name), lambda: self._sort_as_ranked(run.pairs))
        return ranked.kept(place_in_list(ranked.user) < self.depth + beyond)

    def _sort_as_ranked(self, pairs: CodedPairs) -> CodedPairs:
        """Sort rows by user, then as an evaluation does: by score, and equal scores by descending item name."""
        return pairs.kept(np.lexsort((-self.name_order[pairs.item], -pairs.value, pairs.user)))

    def hits(self, pairs: CodedPairs) -> NDArray[np.bool_]:
        """Return which pairs are relevant in the test set, shape (n,)."""
        return np.isin(keys(pairs, self.n_items), self._relevant_keys)

    def is_sampled(self, run: SearchedRun) -> bool:
        """Whether a run's lists rank sampled candidates: the lists are short, but contain nearly every test pair of their users."""
        asked = self.test.kept(np.isin(self.test.user, run.pairs.user))
        listed = np.isin(keys(asked, self.n_items), keys(run.pairs, self.n_items))
        length = len(run.pairs) / len(np.unique(run.pairs.user))
        return length < self.n_items / 2 and bool(listed.mean() >= _NEARLY_ALL)

    @cached_property
    def name_order(self) -> NDArray[np.int64]:
        """The rank of each item's name in ascending order, shape (n_items,)."""
        return np.argsort(sorted(range(self.n_items), key=self.items.__getitem__))


def share(n: int, total: int) -> str:
    """Write a count as a share of a total: ``12 of 480 (2.5 %)``."""
    return f"{n:,} of {total:,} ({100 * n / max(total, 1):.1f} %)"


def place_in_list(user: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many rows of the same user precede each row; each user's rows must be adjacent."""
    starts = np.flatnonzero(np.diff(user, prepend=-1))
    return np.arange(len(user)) - np.repeat(starts, np.diff(np.append(starts, len(user))))


def _check_metric(evaluator: Evaluator, metric: str) -> None:
    """Refuse a metric that does not give each user exactly one value from a ranking."""
    kinds = [one.measured.metric for one in evaluator.asked]
    if any(kind.reads == "predictions" for kind in kinds):
        raise SpecError(f"metric '{metric}' compares ratings, not lists", allowed="a metric of ranked items, such as nDCG@10")
    if len(kinds) != 1 or kinds[0].unit != "user":
        raise SpecError(f"metric '{metric}' has no single value for each user", allowed="one metric, such as nDCG@10")


def _once(pairs: CodedPairs, n_items: int) -> CodedPairs:
    """Return each pair's best row, or the first of several equally good rows, in the order of the file."""
    order = np.lexsort((np.arange(len(pairs)), -pairs.value, keys(pairs, n_items)))
    first = order[np.diff(keys(pairs, n_items)[order], prepend=-1) != 0]
    return pairs if len(first) == len(pairs) else pairs.kept(np.sort(first))


_SWAPS = 8


def over_fits(size: Inflation, material: Material, run: SearchedRun, *, n_further: float = 0) -> Inflation:
    """Widen an interval by two effects of a new fit, which the files cannot show.

    A size is the amount that the leak adds to the value of these lists. Without the leak, the model would have been fitted on other
    data, and every user's list could differ. The interval is widened for:

    - Chance. Models fitted on nearly the same ratings differ in the order of neighbours in lists. The interval is widened by the
      standard error of the mean if each two neighbours (positions 1 and 2, 3 and 4, ..., or 2 and 3, 4 and 5, ...) were swapped
      with probability 1/2.
    - Learning, if the fit saw ``n_further`` ratings that it should not have seen. If the learning curve is concave, each such
      rating added at most as much to the value as a train rating did on average. Together they added at most the value times
      ``n_further``, divided by the number of train ratings. Only the upper end is raised by this amount.
    """
    learned = material.given(run).mean * n_further / max(len(material.train), 1)
    return size.widened(NORMAL * material.once(("exchanged", run.name), lambda: _error_of_fits(material, run)), learned)


def _error_of_fits(material: Material, run: SearchedRun) -> float:
    """Return the standard error of the mean's change if neighbours in lists are swapped at random."""
    pairs, given, measure = material.top(run, beyond=1), material.given(run).values, material.measure(material.test)
    place, stream = place_in_list(pairs.user), material.stream.child("fits", run.name)
    n_counted, total = int(np.count_nonzero(~np.isnan(given))), 0.0
    if measure is None or not n_counted:
        return math.nan
    for number in range(_SWAPS):
        is_shifted, keys = stream.uniform(number, 0, pairs.user) < 1 / 2, stream.uniform(number, 1, np.arange(len(place)))
        changed = measure(pairs.with_value(-((place + is_shifted) // 2 + keys))).values
        total += float(np.nansum((changed - given) ** 2))
    return math.sqrt(total / _SWAPS) / n_counted
