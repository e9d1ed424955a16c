"""Relevance model 1: sums the ratings of the neighbours who best explain the whole profile."""

from typing import ClassVar, Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, Preset, Presets, Reals, preset_field
from recsens.recommenders._compiled import compiled
from recsens.recommenders._relevance_models import RelevanceModel
from recsens.recommenders._rows import Rows
from recsens.recommenders._sums import sums_of_rows


class RM1(RelevanceModel):
    """s(u, i) = p(i|R_u) = Σ_{v in V_u} w_uv p(i|v), with w_uv ∝ p(v) Π_{j in I_u} p(j|v) and Σ_v w_uv = 1.

    V_u are the k users most similar to u by the cosine of their ratings, as in ``user_knn``. p(i|v) is r_vi / |v|, with |v| = Σ_j
    r_vj, smoothed by p(i|C) = Σ_v r_vi / Σ_v |v|:

    - ``absolute_discounting``: (max(r_vi - δ, 0) + p(i|C) Σ_j min(r_vj, δ)) / |v|; the sum is δ |I_v| if no rating is below δ
    - ``jelinek_mercer``: (1 - λ) r_vi / |v| + λ p(i|C)
    - ``dirichlet``: (r_vi + μ p(i|C)) / (|v| + μ)

    p(v) is ``uniform``, or ``linear``: ∝ |v|. Items with p(j|C) = 0, whose ratings are all 0, are left out of products. The product
    over a whole profile gives almost all weight to one or two neighbours; ``rm2`` avoids this and is better.

    Items that no neighbour rated are not computable, nor are items with p(i|C) = 0. A user without neighbours has no computable
    item.
    """

    source = "Parapar, Bellogín, Castells & Barreiro (2013), model RM1; Valcarce, Parapar & Barreiro (2015) for priors"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"k": 100, "smoothing": "absolute_discounting", "discount": 0.1},
            "Valcarce et al. (2018), RM1 on MovieLens 1M: P@10 .1302, nDCG@10 .1705; parameters are not released",
            calibrated_on_test=True,
        )
    }

    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours, and weight each of them by the likelihood of the profile.

        Raises
        ------
        DesignError
            If a rating is negative, or the neighbours do not fit into memory.
        """
        super().fit(train, rng)
        models = self._language_models(train)
        neighbours = self._learned["neighbours"]
        floors = models.floor[neighbours]
        weights = Rows(self._learned["indptr"], neighbours, np.log(self._prior_of_users(models)[neighbours]))
        self._learned |= {"weights": _posteriors(weights, models.own, floors, models.background)}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the neighbours' weighted ratings, and the part of them that smoothing redistributes."""
        models = self._language_models(train)
        indptr, neighbours, weights = (self._learned[name] for name in ("indptr", "neighbours", "weights"))
        scores = sums_of_rows(users, Rows(indptr, neighbours, weights), models.own, train.n_items)
        user = np.repeat(np.arange(train.n_users), np.diff(indptr))
        taken = np.bincount(user, weights=weights * models.floor[neighbours], minlength=train.n_users)
        scores += np.outer(taken[users], models.background)
        scores[:, models.background == 0] = np.nan
        return scores


@compiled()
def _posteriors(priors: Rows, own: Rows, floors: Floats, background: Floats) -> Floats:
    """Return w ∝ p(v) Π_{j in I_u} p(j|v) for every neighbour v of every user u, given ln p(v); each user's weights sum to 1.

    ln p(j|v) = ln floor_v + ln p(j|C) + ln(1 + own_vj / (floor_v p(j|C))), where the second term is the same for all neighbours,
    and the third is 0 if v did not rate j.
    """
    weights = np.empty(len(floors))
    in_profile = np.zeros(len(background), dtype=np.bool_)
    for user in range(len(priors.indptr) - 1):
        first, last = priors.indptr[user], priors.indptr[user + 1]
        n_profile = 0
        for entry in range(own.indptr[user], own.indptr[user + 1]):
            item = own.indices[entry]
            if background[item] > 0.0:
                in_profile[item] = True
                n_profile += 1
        highest = -np.inf
        for n in range(first, last):
            v = priors.indices[n]
            weights[n] = priors.values[n] + n_profile * np.log(floors[n])
            for entry in range(own.indptr[v], own.indptr[v + 1]):
                item = own.indices[entry]
                if in_profile[item]:
                    weights[n] += np.log1p(own.values[entry] / (floors[n] * background[item]))
            highest = max(highest, weights[n])
        total = 0.0
        for n in range(first, last):
            weights[n] = np.exp(weights[n] - highest)
            total += weights[n]
        for n in range(first, last):
            weights[n] /= total
        for entry in range(own.indptr[user], own.indptr[user + 1]):
            in_profile[own.indices[entry]] = False
    return weights
