"""Kullback-Leibler feedback: an item's contribution to the divergence of the nearest users from all users."""

from typing import ClassVar

import numpy as np
from scipy.special import rel_entr

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Preset, Presets, Reals, preset_field
from recsens.recommenders._pseudo_relevance_feedback import Expansion, probabilities


class KLD(Expansion):
    """s(u, i) = p(i|V_u) ln(p(i|V_u) / p(i|C)).

    V_u are the k users nearest to u by the cosine of raw ratings, as in ``rocchio``, and C are all users. By maximum likelihood
    (``mle``), p(i|V) = Σ_{v in V} r_vi / Σ_{v in V} Σ_j r_vj, and p(i|C) is the same for C. ``nmle`` divides p(i|V) by |V| and
    p(i|C) by |C|; the same ratings then give an item more probability in a smaller set.

    Scores are negative for items that are less probable among neighbours than among all users, and 0 for items whose ratings by
    neighbours are all 0. Items that no user in V_u rated are not computable, nor are items whose ratings are all 0. A user without
    neighbours has no computable item. Without ratings, every interaction counts as a rating of 1. Negative ratings are refused.
    """

    source = "Valcarce, Parapar & Barreiro (2016), Efficient pseudo-relevance feedback methods; Carpineto et al. (2001)"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"k": 200}, "Valcarce et al. (2018), KLD: the released P@10 and nDCG@10 on MovieLens 1M", calibrated_on_test=True
        )
    }

    preset: str | None = preset_field()

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Compare the items' probabilities among neighbours and among all users."""
        of_set, of_collection = probabilities(train, users, self._learned), self._learned["collection"]
        return np.asarray(rel_entr(of_set, of_collection))
