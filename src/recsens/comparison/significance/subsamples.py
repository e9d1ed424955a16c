"""Subsample test: repeats another test on random subsets of the users."""

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from recsens.arrays import Bools, Floats
from recsens.comparison.significance._base import Comparison, Pairs, SignificanceTest, TestOfPairs, pairs_by_users
from recsens.plugins import component
from recsens.plugins.prose import percent
from recsens.plugins.specs import Spec
from recsens.seeds import Stream


class Subsamples(TestOfPairs):
    """The test ``of`` is run on all users, then on ``n`` random subsets, which give the share of subsets with p < ``alpha``.

    A subset contains round(share · users) distinct users who count for both systems. A subset at a larger ``share`` contains the
    corresponding subset at a smaller share. Pairs over the same users get the same subsets. The share is NaN if ``of`` has no p for
    all users, or for a subset: with t, if a subset has fewer than six users.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.10"
    answer: ClassVar[Literal["p", "share"]] = "share"

    of: Annotated[Spec, *component("test")] = Field(Spec("t"), description="test to repeat")
    share: float = Field(0.5, gt=0, lt=1, description="share of the users in a subset")
    n: int = Field(100, ge=1, le=100_000, description="number of subsets")
    alpha: float = Field(0.05, gt=0, lt=1, description="p-value below which the difference is significant on a subset")

    def prose(self) -> str:
        """Describe the repeated test, then say how often it was repeated, and that results with p < α were counted."""
        test, level = SignificanceTest.build(self.of), f"{self.alpha:g}".removeprefix("0")
        return (
            f"{test.prose()} This was repeated on {self.n:,} random subsets of {percent(self.share)} of the users, to count the "
            f"subsets with p < {level}."
        )

    @property
    def prose_weights(self) -> str:
        """How the repeated test treats users' weights."""
        test = SignificanceTest.build(self.of)
        return test.prose_weights

    @property
    def linearises(self) -> bool:
        """Whether the repeated test linearises a weighted mean's error."""
        inner = SignificanceTest.build(self.of)
        return inner.linearises

    @property
    def tests_mean(self) -> bool:
        """Whether the p of the repeated test applies to the mean difference."""
        inner = SignificanceTest.build(self.of)
        return inner.tests_mean

    @property
    def meaning(self) -> str:
        """The share of subsets with a small p, in a few words."""
        return f"of {self.n} random subsets of {100 * self.share:g} % of the users, those with p < {self.alpha:g} by {self.of}"

    def compare_pairs(
        self,
        values: Floats,
        counts: Bools,
        pairs: Pairs,
        stream: Stream,
        weights: Floats | None = None,
        offsets: Floats | None = None,
    ) -> list[Comparison]:
        """Compare all pairs over all users, then over each subset."""
        test = SignificanceTest.build(self.of)
        p_values = np.full((self.n, len(pairs)), np.nan)
        for users, indices in pairs_by_users(counts, pairs):
            group = [pairs[index] for index in indices]
            for nth in range(self.n):
                subset = self._subset(users, stream.child("subset", nth))
                comparisons = test.compare_pairs(values, counts & subset, group, stream.child("of", nth), weights, offsets)
                p_values[nth, indices] = [comparison.p_value for comparison in comparisons]
        shares = np.where(np.isnan(p_values).any(axis=0), np.nan, (p_values < self.alpha).mean(axis=0))
        whole = test.compare_pairs(values, counts, pairs, stream, weights, offsets)
        return [replace(comparisons, share_significant=float(share)) for comparisons, share in zip(whole, shares, strict=True)]

    def hypothesis(self, statistic: str, differences: str) -> str:
        """Return the repeated test's hypothesis."""
        test = SignificanceTest.build(self.of)
        return test.hypothesis(statistic, differences)

    def _subset(self, users: Bools, stream: Stream) -> Bools:
        candidates = np.flatnonzero(users)
        first = np.argsort(stream.hashes(candidates), kind="stable")[: round(self.share * len(candidates))]
        subset = np.zeros(len(users), dtype=np.bool_)
        subset[candidates[first]] = True
        return subset
