"""Power: with which probability a study decides a comparison, and how that grows with users, splits, fits and data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from recsens.arrays import Floats

_QUANTILES = (np.arange(400) + 0.5) / 400


class Error(NamedTuple):
    """The squared error of a mean difference, from what is drawn anew a few times and from users.

    Attributes
    ----------
    drawn, freedom
        From draws or data sets, and the degrees of freedom with which a study estimates it.
    users, users_freedom
        From users, likewise.
    crossed
        The part of ``users`` that differs between draws, too, so that it is in the mean square of draws.
    least
        What the estimate of ``drawn`` is at least.
    """

    drawn: float
    freedom: float
    users: float = 0.0
    users_freedom: float = np.inf
    crossed: float = 0.0
    least: float = 0.0

    def half_width(self, alpha: float, drawn: Floats | None = None) -> Floats:
        """Return t s for an interval at the level 1 - ``alpha``, with the degrees of freedom of Satterthwaite (1946).

        The estimates ``drawn`` take the place of the error's own.
        """
        drawn = np.array([self.drawn]) if drawn is None else drawn
        total = drawn + self.users
        with np.errstate(divide="ignore", invalid="ignore"):
            doubt = np.where(drawn > 0, drawn**2 / self.freedom, 0.0) + self.users**2 / self.users_freedom
            freedom = np.minimum(total**2 / doubt, 1e9)
        return np.asarray(special.stdtrit(freedom, 1 - alpha / 2) * np.sqrt(total))


class Size(NamedTuple):
    """How large a study is: users on each data set, draws of the split, fits on each draw, and families of data sets."""

    users: float
    splits: int = 1
    fits: int = 1
    families: int = 1


@dataclass(frozen=True)
class OnDataset:
    """A difference on one data set, whose error is made of the sources that `recsens.outcomes.variance_components` tells apart.

    Attributes
    ----------
    squared
        The squared error from each source, at a size; sources that are not told apart are counted with others.
    size
        That size.
    """

    squared: Mapping[str, float]
    size: Size

    def error(self, at: Size) -> Error:
        """Return the error for other users and, as far as they are known, other splits and fits.

        Errors of users are averaged over users, those of splits over splits, and so on. What differs between draws has draws - 1
        degrees of freedom, whether it comes from the split or from its fits; if splits are not known, fits have draws (fits - 1).
        """
        users, splits, fits = self.size.users / at.users, self.size.splits / at.splits, self.size.fits / at.fits
        falls = {
            "user": users,
            "split": splits,
            "fit": splits * fits,
            "user x split": users * splits,
            "rest": users * splits * fits,
        }
        parts = {source: own * falls[source] for source, own in self.squared.items()}
        split, fit, crossed = (
            parts.get("split", 0.0),
            parts.get("fit", 0.0),
            parts.get("user x split", 0.0) + parts.get("rest", 0.0),
        )
        freedom = at.splits - 1 if "split" in self.squared else at.splits * (at.fits - 1)
        least = fit if "split" in self.squared else 0.0
        return Error(split + fit, freedom, parts["user"] + crossed, at.users - 1, crossed if freedom else 0.0, least)


@dataclass(frozen=True)
class OverFamilies:
    """A difference on average over data sets like those of a study, as `recsens.comparison.random_effects` infers it.

    Attributes
    ----------
    within, between
        Mean squared error of the effect on a family, and the variance of true effects between families.
    size
        The size at which these were found.
    """

    within: float
    between: float
    size: Size

    def error(self, at: Size) -> Error:
        """Return the error of the mean: (τ² + s²) / J with J - 1 degrees of freedom, and at least s² / J."""
        within = self.within * self.size.users / at.users
        return Error((self.between + within) / at.families, at.families - 1, least=within / at.families)


def power(difference: float, error: Error, *, alpha: float, margin: float = 0.0) -> float:
    """Return the probability that an interval decides: that it lies beyond the margin, on either side, or within it.

    The estimate is normal around the true ``difference`` with the variance ``drawn`` + ``users``. The mean square of draws is
    ``drawn`` + ``crossed`` times χ²(ν) / ν, over whose quantiles the probability is averaged; ``users`` is taken as known. With a
    margin of 0, nothing lies within it.
    """
    sigma = np.sqrt(error.drawn + error.users)
    found = np.zeros(1)
    if error.freedom > 0:
        mean_square = (error.drawn + error.crossed) * 2 * special.gammaincinv(error.freedom / 2, _QUANTILES) / error.freedom
        found = np.maximum(mean_square - error.crossed, error.least)
    half = error.half_width(alpha, found)
    beyond = special.ndtr((difference - margin - half) / sigma) + special.ndtr((-difference - margin - half) / sigma)
    within = special.ndtr((margin - half - difference) / sigma) - special.ndtr((half - margin - difference) / sigma)
    return float(np.mean(beyond + np.maximum(within, 0.0)))


def fewest_to_decide(decides: Callable[[int], float], wanted: float, *, start: int, most: int) -> int | None:
    """Return the smallest number above ``start`` with which a study decides with the ``wanted`` probability.

    The probability is taken to grow with the number; None if it is too small for ``most``, too.
    """
    high = start + 1
    while not decides(high) >= wanted:
        if high >= most:
            return None
        high = min(2 * high, most)
    low = start
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) >= wanted else (middle, high)
    return high
