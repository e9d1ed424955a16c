"""The contract of a metric, and functions that metrics share."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from recsens.arrays import Floats, Ints, Reals
from recsens.errors import DataError
from recsens.metrics._judged import ByPlace, Judged
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns

TakesCutoff = Literal["always", "optionally", "never"]
"""Whether a metric is written with a cut-off: always, such as P@10; optionally, such as AP or AP@10; never, such as AUC."""

Unit = Literal["user", "pooled"]
"""user: one value per user. pooled: one value for all users together, to which means and tests over users do not apply."""

Reads = Literal["positions", "predictions", "lists"]
"""positions: the positions of judged items. predictions: also the predicted ratings. lists: the top of every ranking."""

Ignorable = Literal["relevance", "view"]
"""relevance: the choice of relevant ratings. view: whether rankings are full or condensed to judged items."""

_OVER_USERS = frozenset({"aggregate", "test", "correction"})
"""Decisions that apply to users' values."""


def check_values(call: Call, values: object) -> Floats:
    """Check a metric's values: one row per user, or a single row if pooled, and one column per cut-off."""
    rows = 1 if call.plugin.unit == "pooled" else call.arguments["judged"].n_users
    # The values are copied, because the metric may use the same array again in its next call.
    return call.array(values, "values", "fiu", (rows, len(call.arguments["cutoffs"])), gaps=True).astype(np.float64)


def at_every(cutoffs: tuple[int, ...], values: Floats) -> Floats:
    """Repeat each user's value, or the pooled value, for every cut-off, shape (len(values), n_cutoffs)."""
    return np.tile(values[:, np.newaxis], (1, len(cutoffs)))


_ROUNDING = 1e-9
"""Tolerance above a bound for rounding errors in sums of some million terms; for bounds above 1, the tolerance is relative."""


def share(part: Floats | Ints, whole: Reals | Ints, empty: float = 0.0) -> Floats:
    """Divide ``part`` by ``whole``, which broadcasts to its shape; ``empty`` where the divisor is not positive."""
    values = np.full(part.shape, empty)
    np.divide(part, whole, out=values, where=whole > 0)
    return values


def capped_share(part: Floats, whole: Reals | Ints) -> Floats:
    """Divide like `share`, for two rounded sums. By definition, the first sum cannot exceed the second.

    Raises DataError if a share is above 1 by more than rounding.
    """
    return capped(share(part, whole), 1.0)


def capped(values: Floats, most: Floats | float) -> Floats:
    """Replace values that rounding raised above the bound ``most`` by the bound, which broadcasts to the shape of ``values``.

    Raises DataError if a value is above its bound by more than rounding.
    """
    wrong = values > most + np.maximum(most, 1.0) * _ROUNDING
    if wrong.any():
        index = int(np.argmax(wrong))
        bound = np.broadcast_to(most, values.shape).flat[index]
        raise DataError(
            f"a metric has the value {values.flat[index]:.9g}, but its definition allows at most {bound:.9g}: the positions "
            "contradict each other",
            allowed="one item at each position of a user's ranking, and no position below its end",
        )
    return np.minimum(values, most)


def expected_sums(
    targets: Judged, values: Floats, cutoffs: tuple[int, ...], weight: Callable[[Ints], Floats] | None = None
) -> Floats:
    """Return E[Σ_{k <= n} w(k) v(i_k)] = (Σ_{i in T_u} v(i) / |T_u|) · Σ_{k <= min(n, |T_u|)} w(k), shape (n_users, n_cutoffs).

    Parameters
    ----------
    targets
        The targets, as for `Metric.at_random`.
    values
        Value v of each judged item, shape (n,); other targets have value 0.
    cutoffs
        Depths n.
    weight
        Function that maps positions to weights w(k), by default 1.
    """
    among = np.where(targets.position > 0, values, 0.0)
    density = share(np.bincount(targets.user, weights=among, minlength=targets.n_users), targets.listed)
    longest = int(targets.listed.max(initial=0))
    weights = np.ones(longest) if weight is None else weight(np.arange(1, longest + 1))
    totals = np.concatenate([[0.0], np.cumsum(weights)])
    return np.asarray(density[:, np.newaxis] * totals[np.minimum(targets.listed[:, np.newaxis], np.asarray(cutoffs))])


def _check_expectations(call: Call, values: object) -> Floats | None:
    if values is None:
        return None
    shape = (call.arguments["targets"].n_users, len(call.arguments["cutoffs"]))
    return call.array(values, "values", "fiu", shape, gaps=True).astype(np.float64)


class Metric(Plugin):
    """A measure of each user's ranking, computed from the positions of judged items (decision C2).

    A user without relevant items or without a ranking scores 0; decisions B1 and C4 say whether such users are averaged. A metric
    that compares pairs of items gives a user without pairs the value of a random order, and documents this.
    """

    kind: ClassVar[str] = "metric"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("k", "n", "at", "cutoff", "top_k"), "the cut-off follows the name and its parameters: nDCG@10, nDCG(gain=exp)@5,10"
        ),
        "rel": "the lowest relevant rating is a decision of the design: 'relevance: 4'",
        "judged_only": "whether only judged items count is a decision of the design: 'view: condensed'",
    }
    unit: ClassVar[Unit] = "user"
    pools_ratings: ClassVar[bool] = False
    """Whether a pooled metric can also use rankings of single ratings (1R), which it then groups by `Judged.rater`."""
    reads: ClassVar[Reads] = "positions"
    higher_is_better: ClassVar[bool] = True
    is_descriptive: ClassVar[bool] = False
    """Whether the metric only describes a ranking: neither higher nor lower is better."""
    is_monotone: ClassVar[bool] = False
    """Whether moving a better item up never makes the value worse, if unjudged items count as the worst.

    If so, ties broken in favour of better items give the best value, and ties broken in favour of worse items the worst.
    """
    takes_cutoff: ClassVar[TakesCutoff] = "always"
    compares_judged: ClassVar[bool] = False
    """Whether the metric compares judged items with each other; a ranking with only one judged item (1R) is then uninformative."""
    reads_below: ClassVar[bool] = False
    """Whether the value at a cut-off also depends on items below the cut-off."""
    compares_users: ClassVar[bool] = False
    """Whether the metric compares scores of different users; places in rankings do not determine its value."""
    reads_earlier: ClassVar[bool] = False
    """Whether the metric reads the lists of earlier folds (`Lists.earlier`), so that it has no value on the first fold."""
    ignores: ClassVar[frozenset[Ignorable]] = frozenset()
    """Decisions that never change the values, whatever the parameters; `ignored` adds decisions that depend on parameters."""
    values_range: ClassVar[str] = "[0, 1]"
    """The range as the report prints it; the docstring gives bounds that depend on parameters."""

    @abstractmethod
    @returns(check_values)
    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return the values of all users at all cut-offs (>= 1), shape (n_users, n_cutoffs), or (1, n_cutoffs) if pooled.

        A cut-off may be beyond the end of every ranking, as `WHOLE` is. NaN means that the value is undefined; the user is then
        left out of the average. Unless pooled, a value must depend only on its user's rows, because a study measures some thousand
        users at a time.
        """

    @returns(_check_expectations)
    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats | None:
        """Return each user's expected value for targets in random order, shape (n_users, n_cutoffs).

        ``targets`` contains the judged items without an order: ``position`` is 1 for targets and 0 for other items; ``listed`` is
        the number of the user's targets, judged or not. The default is None, which means that no formula is known.
        """
        return None

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace | None:
        """Return how the value follows from the gains by place, with divisors and ideals as measured; None if it is not known.

        It is known for metrics that gain nothing from an unrated item unless that item is relevant, and whose divisor does not
        depend on the list.
        """
        return None

    @property
    def knows_random(self) -> bool:
        """Whether `at_random` has a formula."""
        return type(self).at_random is not Metric.at_random

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the two extreme orders of equal scores (better items first, and worse items first) bound the metric's value."""
        return self.is_monotone

    @property
    def ignored(self) -> frozenset[str]:
        """The decisions of a study that never change the metric's values.

        A pooled value is neither averaged over users nor tested.
        """
        return self.ignores | (_OVER_USERS if self.unit == "pooled" else frozenset())

    @cached_property
    def printed(self) -> str:
        """The name with every parameter, including defaults."""
        return str(self.full_spec)


class Area(Metric):
    """The area under a curve; `points` returns the curve itself."""

    @abstractmethod
    def points(self, judged: Judged) -> Floats:
        """Return the corners of the curve for all users, from (0, 0) to (1, 1): one (x, y) in each row, shape (n, 2).

        Straight lines join the corners. The result is empty if no user has a curve.
        """
