"""Weighted sums over the items with the language models that best explain which users rated an item."""

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Reals
from recsens.recommenders._language_models import LikelihoodNeighbours
from recsens.recommenders._preference import zero_filled
from recsens.recommenders._sums import sums_over_profiles


class LMWSRIB(LikelihoodNeighbours):
    """s(u, i) = Σ_{j in J_i, j in I_u} w_ij r_uj.

    J_i are the k items j ≠ i with the largest p(j|i) ∝ p(j) Π_{u in U_i} p(u|j)^r_ui: the users who rated item i are a query in
    which user u occurs r_ui times, and items are documents. Items j without a rater in common with i are never neighbours. (A user
    counts as a common rater only if the user rated both items above 0. With ``absolute_discounting``, which discards ratings up to
    δ, the rating of j must be above δ.) If items tie for the last places, the higher index is kept.

    p(u|j) is r_uj / |j|, with |j| = Σ_v r_vj, smoothed by p(u|C), the share of u in the sum of all ratings. Smoothing, prior and
    weights are as in ``lm_wsr_ub``, with items in place of users. Dirichlet smoothing prefers short documents (here: items that few
    users rated) unless μ is much larger than a typical |j|; on MovieLens 1M only μ = 100,000 comes near Jelinek-Mercer. The choice
    of weights matters more for items than for users: on MovieLens 1M, at the defaults, P@10 is .274 with the cosine, .212 with 1
    and .250 with ``loglik``.

    An item is not computable if the user rated none of its k neighbours above 0. Without ratings, every interaction counts as a
    rating of 1. Negative ratings are refused.
    """

    by = "items"

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the contributions of a profile's items, item by item in ascending order."""
        return sums_over_profiles(users, zero_filled(train, "rating"), self._learned)
