"""Uniform test item profiles: every tested item has the same number of test ratings (U1R, UAR)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.popularity import by_popularity
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, random_keys
from recsens.errors import DesignError
from recsens.plugins.prose import percent
from recsens.seeds import Stream
from recsens.vocabulary import Role

_SLACK = 1e-9
"""Tolerance: 0.8 · 145 must count as 116, even if rounding moves the product slightly above or below."""


@dataclass(frozen=True, slots=True)
class _Profile:
    """The tested items, the number of test ratings of each, and the largest possible share of test ratings."""

    items: NDArray[np.int64]
    eta: int
    largest_share: float


class Uniform(Splitter):
    """Draws η ratings of each of the ζ most popular items into test; together these are a share ``sigma`` of all ratings.

    Order the items by popularity, r(i_1) >= r(i_2) >= ..., and let r be the number of all ratings. Then f(k) = (1 - ε) · r(i_k) · k
    / r is the share of all ratings that k items can give to test if each item keeps a share ε of its ratings in train. ζ is the
    largest k with f(k) >= σ, and η = (1 - ε) · r(i_ζ). In this way, as many items as possible are tested, not only popular ones.
    All items as popular as item ζ are among the ζ items, because f rises among equally popular items. On MovieLens 1M with σ = ε =
    .2, ζ = 1703, r(i_ζ) = 147 and (1 - ε) · 147 = 117.6, which the thesis rounds to 118. If 117.6 is rounded down, every item keeps
    at least the share ε in train, but only a share of .1992 of the ratings is in test.

    A share above the largest f is refused; the message gives the largest f. A share so small that η would be 0 is refused too. To
    estimate the spread, repeat the split: n disjoint folds of η ratings would need ε >= 1 - 1/n.
    """

    source = "Bellogín (2012), section 4.6.2"
    indivisible: ClassVar[str | None] = "it counts an item's ratings over all users"

    sigma: float = Field(0.2, gt=0, lt=1, description="share of the data that goes to test")
    epsilon: float = Field(0.2, ge=0, lt=1, description="smallest share of each item's ratings that stays in train")
    rounding: Literal["floor", "round"] = Field("floor", description="how η becomes a whole number; the thesis rounds")

    def prose(self, whose: str = "the ratings") -> str:
        """Name both shares, and say how η was rounded."""
        rounded = "rounded down" if self.rounding == "floor" else "rounded"
        return (
            f"For testing, we drew the same number of ratings ({rounded}) from each of the most popular items: "
            f"{percent(self.sigma)} of all ratings, from as many items as possible. Every item kept at least "
            f"{percent(self.epsilon)} of its ratings for training; all other ratings were for training too."
        )

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Draw η ratings of each tested item."""
        profile = self._uniform_profile(interactions)
        tested = np.zeros(interactions.n_items, dtype=np.bool_)
        tested[profile.items] = True
        items = Groups.items(interactions)
        is_test = tested[items.code] & (items.ranks(random_keys(interactions, stream)) < profile.eta)
        return np.where(is_test, Role.TEST, Role.TRAIN).astype(np.uint8)

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return four numbers: ζ, η, the share of ratings that are in test, and the largest possible share with this ε."""
        profile = self._uniform_profile(interactions)
        n_test = len(profile.items) * profile.eta
        return {
            "zeta": len(profile.items),
            "eta": profile.eta,
            "test_share": n_test / len(interactions),
            "largest_feasible_sigma": profile.largest_share,
        }

    def _uniform_profile(self, interactions: Interactions) -> _Profile:
        order = by_popularity(interactions.item_counts, interactions.item_keys)
        counts = interactions.item_counts[order]
        share = (1 - self.epsilon) * counts * np.arange(1, len(counts) + 1) / max(len(interactions), 1)
        # f rises among equally popular items and drops after them. Because f is not monotone, the largest k is searched for from
        # the end.
        feasible = np.flatnonzero(share >= self.sigma - _SLACK)
        if len(feasible) == 0:
            largest = float(share.max(initial=0.0))
            raise DesignError(
                f"split '{self.spec}': no number of items can give a share sigma = {self.sigma:g} of the ratings in equal parts",
                allowed=f"sigma <= {_round_down(largest)} at epsilon = {self.epsilon:g}",
                remedy="lower sigma or epsilon: each test item must keep the share epsilon of its ratings in train",
            )
        zeta = int(feasible[-1]) + 1
        eta = self._rounded_eta((1 - self.epsilon) * int(counts[zeta - 1]))
        if eta == 0:
            sigmas = self._possible_sigmas(counts, share)
            change = "raise sigma, so that fewer and more popular items are tested" if sigmas else "lower epsilon"
            raise DesignError(
                f"split '{self.spec}' tests {zeta} items, but none of the last item's ratings ({counts[zeta - 1]} in all) "
                "can go to test",
                allowed=sigmas or f"a lower epsilon: no sigma is possible at epsilon = {self.epsilon:g}",
                remedy=f"{change}, or leave out rare items with a filter",
            )
        return _Profile(order[:zeta], eta, float(share.max()))

    def _rounded_eta(self, eta: float) -> int:
        return int(np.floor(eta + (0.5 if self.rounding == "round" else 0) + _SLACK))

    def _possible_sigmas(self, counts: NDArray[np.int64], share: NDArray[np.float64]) -> str:
        spare = np.array([self._rounded_eta((1 - self.epsilon) * int(count)) for count in counts.tolist()]) > 0
        beyond = float(share[~spare].max())
        if not (share[spare] > beyond).any():
            return ""
        return f"{beyond:.4f} < sigma <= {_round_down(float(share.max()))} at epsilon = {self.epsilon:g}"


def _round_down(share: float) -> str:
    """Format an upper bound, rounded down; the printed number then still respects the bound."""
    return f"{np.floor(share * 1e4 + _SLACK) / 1e4:.4f}"
