"""Simulated ratings, missing not at random, whose complete relevance is known."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.data.datasets._base import DataSet, Loaded
from recsens.data.datasets._simulation import (
    MIN_RATINGS,
    Codes,
    Preferences,
    Race,
    activity_curve,
    draw_stars,
    expected_stars,
    log_weights,
    popularity_ranks,
    power_law_curve,
    rate_all,
    round_to_total,
)
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.seeds import Stream

_DAY = 86_400
_EPOCH = 946_684_800
_ENROLMENT = 215 * _DAY
_PAUSE = 45
_ABSENCE = 30 * _DAY
_SHARE_ABSENCES = 0.006


def rating_times(user: NDArray[np.int64], n_users: int, stream: Stream) -> NDArray[np.int64]:
    """Return each rating's time in seconds, shape (n,). Times strictly increase for each user, in row order.

    A user starts at a moment drawn uniformly from the 215 days after 2000-01-01. The gap between two ratings is an exponential
    variate with a mean of 45 seconds and, with probability .006, an additional absence of 30 days on average.

    Parameters
    ----------
    user
        The user of each rating, in ascending order; each user's ratings are in the order of time.
    """
    counts = np.bincount(user, minlength=n_users)
    first = (np.cumsum(counts) - counts)[user]
    rank = np.arange(len(user)) - first
    pauses = 1 + np.floor(-_PAUSE * np.log1p(-stream.uniform(user, rank, 0)))
    absences = np.floor(-_ABSENCE * np.log1p(-stream.uniform(user, rank, 1)))
    absences[stream.uniform(user, rank, 2) >= _SHARE_ABSENCES] = 0
    elapsed = np.cumsum(pauses + absences)
    start = np.floor(_ENROLMENT * stream.uniform(np.arange(n_users)))
    return np.asarray(_EPOCH + start[user] + elapsed - elapsed[first], dtype=np.int64)


MAX_TRUTH = 100_000_000
"""Largest number of pairs whose truth is returned; at 5 bytes a pair, this is 0.5 GB."""

_STARS = Scale(1, 5, 1)

Like = Literal["ml-100k", "ml-1m"]
"""A data set whose histogram of ratings can be copied."""

HISTOGRAMS: Mapping[Like, tuple[float, ...]] = {
    "ml-100k": (0.0611, 0.1137, 0.2715, 0.3417, 0.2120),
    "ml-1m": (0.05616, 0.10753, 0.26114, 0.34890, 0.22626),
}
"""Shares of 1 to 5 stars in MovieLens 100K and 1M."""

_BLOCK = 1 << 18
"""Number of pairs processed at once. It does not affect results. Arrays of twice the size would be allocated anew each time."""

_MODELS = 256
"""Number of users, evenly spaced in activity, to which the item weights are fitted."""

_DENSEST = 0.25
"""Largest share of all pairs that can be rated."""

_MAX_HEAD = 0.9
"""If tastes differ, at most this share of the users can rate the same item."""

Ratings = tuple[Codes, Codes, NDArray[np.float64]]
"""Users in ascending order, items, and priorities; a user gives ratings in order of priority, highest first."""


class Simulated(DataSet):
    """Users rate items from 1 to 5 stars; by default, they have personal tastes and tend to rate items that they like.

    With ``preferences=lowrank``, user u's latent preference for item i is ``x_ui = leniency_u + quality_i + personal_ui`` with
    ``personal_ui = Σ_f taste_uf trait_if``; all variates are normal. Fixed cuts turn ``x_ui + noise_ui`` into the number of stars
    that u would give. A race selects the items that u rates, which are the ``n_u`` items with the largest

        ``log a_i + mainstream_u fame_i + mnar personal_ui + Gumbel_ui``

    where ``n_u`` is the user's activity (at least 20, with a heavy tail), ``fame_i`` is the normal score of the item's popularity
    rank, and ``a_i`` is fitted so that the popularity curve is nearly the same for every ``mnar``. Every item is rated at least
    once. The truth depends only on ``users``, ``items``, ``factors`` and ``replicate``. Data sets that differ in ``replicate`` are
    independent draws, and their splits are independent too.

    With ``preferences=none``, popularity is the only pattern. The k-th most popular item has exactly ``r(k)`` ratings (rounded so
    that they add up to the total). The users who rate it are drawn uniformly, and the stars are drawn from the histogram of
    MovieLens 100K or 1M (``histogram``).

    In both cases ``r(k) = c1 m + β (c2 + k)^-α``, clipped to [1, users] (to 90 % of the users if tastes differ). Here m is the mean
    number of ratings of an item, and β makes the curve add up to ``ratings``. Codes of users and items are unrelated to activity
    and popularity. Each user starts at a moment drawn uniformly from 215 days, and rates in the order of the race (in random order
    with ``preferences=none``), every 45 seconds on average, with occasional absences.
    """

    source = "popularity curve: Bellogín (2012), section 4.5.2; race: Plackett-Luce sampling by Gumbel variates"
    has_truth: ClassVar[bool] = True
    is_simulated: ClassVar[bool] = True
    synonyms: ClassVar[Mapping[str, str]] = {"n_users": "users", "n_items": "items", "n_ratings": "ratings", "n_factors": "factors"}
    has_timestamps: ClassVar[bool] = True
    rating_scale: ClassVar[Scale] = _STARS

    @property
    def identity(self) -> str:
        """A name that depends on the replicate only, and not on the other parameters.

        The data sets in a sweep therefore share the truth and the random numbers.
        """
        return f"simulated {self.replicate}" if self.replicate else "simulated"

    preferences: Literal["lowrank", "none"] = Field("lowrank", description="lowrank: users have tastes; none: they rate at random")
    users: int = Field(943, ge=2, le=10_000_000, description="number of users")
    items: int = Field(1682, ge=2, le=10_000_000, description="number of items")
    ratings: int = Field(100_000, ge=2, description="number of ratings; reached exactly")
    mnar: float = Field(
        2.2,
        ge=0,
        le=5,
        description=(
            "how much one star of personal taste adds to the log-odds of being rated; 0: rated at random, given "
            "popularity and activity"
        ),
    )
    factors: int = Field(20, ge=1, le=64, description="rank of the personal tastes")
    alpha: float = Field(0.5, ge=0, le=2, description="exponent of the popularity curve; 0: uniform")
    c1: float = Field(
        -1.6, ge=-10, le=0.9, description=("shift of the popularity curve, in units of an item's mean number of ratings")
    )
    c2: float = Field(40, ge=0, le=100_000, description="shift of the popularity rank")

    histogram: Like = Field("ml-100k", description="with preferences=none: the data set whose histogram the stars are drawn from")

    replicate: int = Field(
        0, ge=0, le=1_000_000, description=("number of the draw; a different number gives different random draws throughout")
    )

    @model_validator(mode="after")
    def _check_draws_stars(self) -> Self:
        if self.preferences == "lowrank" and self.histogram != "ml-100k":
            raise ValueError(f"histogram={self.histogram} has an effect only with preferences=none, where users have no tastes")
        return self

    @model_validator(mode="after")
    def _check_feasible(self) -> Self:
        least_active = MIN_RATINGS if self.preferences == "lowrank" else 0
        least = max(self.items, least_active * self.users)
        most = int(self.users * self.items * _DENSEST)
        bounds = f"one of each item, {least_active} by each user" if least_active else "one of each item"
        if least > most:
            enough = f"{1 / _DENSEST:.0f} users" + (f" and {least_active / _DENSEST:.0f} items" if least_active else "")
            raise ValueError(
                f"{self.users} users and {self.items} items are too few to simulate: they need {least} ratings ({bounds}), but a "
                f"quarter of all pairs is {most}. Use at least {enough}"
            )
        if not least <= self.ratings <= most:
            raise ValueError(
                f"{self.ratings} ratings of {self.items} items by {self.users} users cannot be simulated; allowed: {least} "
                f"({bounds}) to {most} (a quarter of all pairs)"
            )
        return self

    @property
    def expected_users(self) -> int:
        """The number of users."""
        return self.users

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Simulate the observed ratings."""
        user, item, priority = self._race_ratings(stream) if self.preferences == "lowrank" else self._lottery_ratings(stream)
        in_time = np.lexsort((item, -priority, user))
        user, item = user[in_time], item[in_time]
        timestamp = rating_times(user, self.users, stream.child("times"))
        by_code = np.argsort(user * self.items + item)
        user, item = user[by_code], item[by_code]
        return Loaded(
            user_ids=_padded_names("u", self.users),
            item_ids=_padded_names("i", self.items),
            user=user.astype(np.int32),
            item=item.astype(np.int32),
            rating=self._ratings(user, item, stream),
            timestamp=timestamp[by_code],
            scale=_STARS,
        )

    def truth(self, stream: Stream) -> Mapping[str, NDArray[Any]]:
        """Return every user's preference for every item, rows and columns by code.

        Returns
        -------
        ``rating``
            Stars that the user would give, shape (n_users, n_items), uint8. Observed ratings equal these values.
        ``preference``
            Expectation of that rating over the noise, shape (n_users, n_items), float32.

        Raises
        ------
        DesignError
            If there are more than `MAX_TRUTH` pairs.
        """
        if self.users * self.items > MAX_TRUTH:
            raise DesignError(
                f"the complete relevance of '{self.spec}' has {self.users * self.items:,} pairs of users and items",
                allowed=f"at most {MAX_TRUTH:,} pairs",
                remedy="simulate fewer users or items; without the complete relevance there is no such limit",
            )
        rating = np.empty((self.users, self.items), dtype=np.uint8)
        preference = np.empty((self.users, self.items), dtype=np.float32)
        preferences, item = self._preferences(stream), np.arange(self.items)
        for block in _blocks(self.users, self.items):
            rating[block], preference[block] = self._draw_opinions(_column(block), item, preferences, stream)
        return {"rating": rating, "preference": preference}

    def _preferences(self, stream: Stream) -> Preferences | None:
        return Preferences.draw(self.users, self.items, self.factors, stream) if self.preferences == "lowrank" else None

    def _ratings(self, user: Codes, item: Codes, stream: Stream) -> NDArray[np.float64]:
        """Return the stars that users give items, one per pair."""
        rating, preferences = np.empty(len(user)), self._preferences(stream)
        for block in _blocks(len(user), 1):
            rating[block] = self._draw_opinions(user[block], item[block], preferences, stream)[0]
        return rating

    def _draw_opinions(
        self, user: Codes, item: Codes, preferences: Preferences | None, stream: Stream
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the stars that users would give items, and their expectations."""
        if preferences is None:
            draws = stream.child("noise").uniform(user, item)
            shares = HISTOGRAMS[self.histogram]
            expectation = sum(star * share for star, share in enumerate(shares, start=1))
            return 1 + np.searchsorted(np.cumsum(shares)[:-1], draws, side="right"), np.full(draws.shape, expectation)
        latent = preferences.latent(user, item)
        return draw_stars(latent, user, item, stream), expected_stars(latent)

    def _popularity_curve(self, highest: float) -> NDArray[np.float64]:
        return power_law_curve(self.items, self.ratings, alpha=self.alpha, c1=self.c1, c2=self.c2, highest=highest)

    def _race_ratings(self, stream: Stream) -> Ratings:
        """Let items race to every user, who rates the items that arrive first."""
        preferences = Preferences.draw(self.users, self.items, self.factors, stream)
        by_activity = stream.child("activity").generator().permutation(self.users)
        activity = np.empty(self.users, dtype=np.int64)
        activity[by_activity] = activity_curve(self.users, self.items, self.ratings)
        weights = self._fit_item_weights(preferences, activity, by_activity)

        race = Race(stream.child("race"), preferences, weights, self.mnar)
        chosen, priorities = [], []
        closest, runner_up = np.full(self.items, -np.inf), np.zeros(self.items, dtype=np.int64)
        for block in _blocks(self.users, self.items):
            users = np.arange(block.start, block.stop)
            for user, row in zip(users, race.keys(users), strict=True):
                last = self.items - activity[user]
                chosen.append(np.flatnonzero(row >= np.partition(row, last)[last])[: activity[user]])
                priorities.append(row[chosen[-1]])
                margin = row - priorities[-1].min()
                # Most users come closest to few items, whose indices are quicker than a mask of all items.
                closer = np.flatnonzero(margin > closest)
                closest[closer], runner_up[closer] = margin[closer], user
        ratings = np.repeat(np.arange(self.users), activity), np.concatenate(chosen), np.concatenate(priorities)
        rate_all(*ratings, runner_up)
        return ratings

    def _fit_item_weights(self, preferences: Preferences, activity: Codes, by_activity: Codes) -> NDArray[np.float64]:
        """Fit the item weights of the race to the popularity curve."""
        indices = np.linspace(0, self.users - 1, min(self.users, _MODELS)).round().astype(np.int64)
        models = by_activity[indices]
        affinity = preferences.affinity(models[:, None], np.arange(self.items), self.mnar)
        targets = self._popularity_curve(_MAX_HEAD * self.users)[preferences.rank]
        return log_weights(targets, activity[models].astype(np.float64), affinity)

    def _lottery_ratings(self, stream: Stream) -> Ratings:
        """Draw the users who rate each item uniformly from all users; their number is the item's number of ratings."""
        counts = round_to_total(self._popularity_curve(self.users), self.ratings)[popularity_ranks(self.items, stream)]
        race, user = stream.child("race"), np.arange(self.users)
        chosen = []
        for block in _blocks(self.items, self.users):
            for item, row in enumerate(race.hashes(user, _column(block)), start=block.start):
                chosen.append(np.argpartition(row, counts[item] - 1)[: counts[item]].copy())
        raters, items = np.concatenate(chosen), np.repeat(np.arange(self.items), counts)
        by_user = np.argsort(raters, kind="stable")
        raters, items = raters[by_user], items[by_user]
        return raters, items, stream.child("order").uniform(raters, items)


def call_kernels(stream: Stream) -> None:
    """Call the kernels that compute a race of many pairs, for `recsens.workflow.compile_kernels`, where there are few pairs."""
    Race(stream, Preferences.draw(2, 2, 1, stream), np.zeros(2), 1.0).compiled_terms(np.arange(2))


def _padded_names(letter: str, number: int) -> list[str]:
    """Name codes with leading zeros; the names then sort in the order of the codes."""
    width = len(str(number))
    return [f"{letter}{code:0{width}d}" for code in range(1, number + 1)]


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Divide the rows into blocks of about `_BLOCK` pairs."""
    height = max(1, _BLOCK // n_columns)
    for start in range(0, n_rows, height):
        yield slice(start, min(n_rows, start + height))


def _column(block: slice) -> Codes:
    return np.arange(block.start, block.stop)[:, None]
