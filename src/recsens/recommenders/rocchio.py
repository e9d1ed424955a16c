"""Rocchio's weights: scores are mean ratings among the nearest users."""

from typing import ClassVar, Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Preset, Presets, Reals, preset_field
from recsens.recommenders._pseudo_relevance_feedback import Feedback, feedback_sets, neighbours_means


class Rocchio(Feedback):
    """s(u, i) = Σ_{v in V_u} r_vi / |V_u|.

    V_u are the k users nearest to u by the cosine of raw ratings, among users with a cosine other than 0. If users tie for the last
    places, the higher index is kept. Neighbours who did not rate i count as 0, and all neighbours have the same weight. In data
    without ratings, every interaction counts as a rating of 1, so s is the share of neighbours who interacted with i.

    Items that no user in V_u rated are not computable, nor is any item for a user without neighbours. Negative ratings are refused.
    """

    source = "Valcarce, Parapar & Barreiro (2016), Efficient pseudo-relevance feedback methods"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"k": 200}, "Valcarce et al. (2018), RW: the released P@10 and nDCG@10 on MovieLens 1M", calibrated_on_test=True
        )
    }

    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours.

        Raises
        ------
        DesignError
            If a rating is negative, or the neighbours do not fit into memory.
        """
        self._learned = feedback_sets(self, train, self.k)
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Average the neighbours' ratings."""
        return neighbours_means(train, users, self._learned)
