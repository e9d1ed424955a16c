"""Relevance model 2: scores items that neighbours rate together with the items in the profile."""

import math
from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ids, Ints, Preset, Presets, Reals, preset_field
from recsens.recommenders._compiled import compiled
from recsens.recommenders._products import WIDTH, empty_panel, set_sums_of_rows
from recsens.recommenders._relevance_models import Prior, RelevanceModel, UserModels
from recsens.recommenders._rows import Rows

_ABREAST = 8
"""Number of items whose products are computed together, factor by factor; none then waits for the previous factor of another."""

_SMALL = 1e-180
"""A product below this is replaced by its logarithm. A single factor is at least p(i|C) p(j|C) δ², which is far above 1e-120."""


class RM2(RelevanceModel):
    """s(u, i) = ln p(i) + Σ_{j in I_u} ln Σ_{v in V_u} p(i|v) (p(v) / p(i)) p(j|v), which is ln p(i|R_u) plus a constant for u.

    V_u are the k users most similar to u by the cosine of their ratings, as in ``user_knn``. p(i|v) is r_vi / |v|, with |v| = Σ_j
    r_vj, smoothed by p(i|C) = Σ_v r_vi / Σ_v |v|:

    - ``absolute_discounting``: (max(r_vi - δ, 0) + p(i|C) Σ_j min(r_vj, δ)) / |v|; the sum is δ |I_v| if no rating is below δ
    - ``jelinek_mercer``: (1 - λ) r_vi / |v| + λ p(i|C)
    - ``dirichlet``: (r_vi + μ p(i|C)) / (|v| + μ)

    The priors p(v) add up to 1 over V_u, and the priors p(i) over all items. Both are ``uniform``, or ``linear``: p(v) ∝ |v| and
    p(i) = p(i|C). Because p(i) divides every factor, a linear prior p(i) lowers the scores of popular items; the effect grows with
    the length of the profile. Items with p(j|C) = 0, whose ratings are all 0, are left out of profiles.

    Items that no neighbour rated are not computable, nor are items with p(i|C) = 0. A user without neighbours has no computable
    item.
    """

    source = "Parapar, Bellogín, Castells & Barreiro (2013), model RM2; Valcarce, Parapar & Barreiro (2015) for priors"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"k": 100, "smoothing": "absolute_discounting", "discount": 0.1},
            "Valcarce et al. (2018), RM2 on MovieLens 1M: P@10 .2740, nDCG@10 .3563; parameters are not released",
            calibrated_on_test=True,
        )
    }

    item_prior: Prior = Field("uniform", description="p(i), which is the same for all items i, or linear in the sum of i's ratings")
    preset: str | None = preset_field()

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply over the profile, user by user."""
        models = self._language_models(train)
        indptr, neighbours = self._learned["indptr"], self._learned["neighbours"]
        priors = Rows(indptr, neighbours, self._prior_of_users(models)[neighbours])
        scores = np.full((len(users), train.n_items), np.nan)
        _fill(users, priors, models.own, models.floor, models.background, self._log_prior_of_items(models), scores)
        return scores

    def _log_prior_of_items(self, models: UserModels) -> Floats:
        """Return ln p(i) of the items with p(i|C) > 0, shape (n_items,)."""
        known = models.background > 0
        prior = models.background if self.item_prior == "linear" else np.full(len(known), 1.0 / max(int(known.sum()), 1))
        return np.asarray(np.log(prior, out=np.zeros(len(prior)), where=known))


@compiled()
def _fill(users: Ints, priors: Rows, own: Rows, floor: Floats, background: Floats, log_prior: Floats, scores: Floats) -> None:
    """Set ``scores``, where a neighbour rated i, to (1 - |I_u|) ln p(i) + Σ_{j in I_u} ln M_ij, M_ij = Σ_v p(v) p(j|v) p(i|v).

    With q_vj = p(v) p(j|v), M_ij = p(i|C) Σ_v floor_v q_vj + Σ_v own_vi q_vj, where the last sum runs only over neighbours who
    rated i.
    """
    place_of = np.full(len(background), -1)
    starts, likelihoods = np.empty(len(background) + 1, dtype=np.int64), np.empty((_ABREAST, WIDTH))
    for row in range(len(users)):
        user = users[row]
        mine = priors.indices[priors.indptr[user] : priors.indptr[user + 1]]
        prior = priors.values[priors.indptr[user] : priors.indptr[user + 1]]
        profile = own.indices[own.indptr[user] : own.indptr[user + 1]]
        profile = profile[background[profile] > 0.0]
        q = _products_with_priors(mine, prior, profile, own, floor, background, place_of)
        raters, parts = _by_items(mine, own, background, starts)
        items = np.flatnonzero(starts[1:] > starts[:-1])
        totals, products = np.zeros(len(items) + _ABREAST), np.ones(len(items) + _ABREAST)
        for nth in range(len(q)):
            width = min(WIDTH, len(profile) - nth * WIDTH)
            _multiply_likelihoods(q[nth], width, items, starts, raters, parts, likelihoods, totals, products)
        for n in range(len(items)):
            scores[row, items[n]] = (1 - len(profile)) * log_prior[items[n]] + (totals[n] + math.log(products[n]))


@compiled()
def _products_with_priors(
    neighbours: Ids, prior: Floats, profile: Ids, own: Rows, floor: Floats, background: Floats, place_of: Ints
) -> Floats:
    """Return q_vj for up to 32 profile items j, one row per neighbour v; the last row contains Σ_v floor_v q_vj."""
    for j in range(len(profile)):
        place_of[profile[j]] = j
    n_panels, base = -(-len(profile) // WIDTH), len(neighbours)
    q = empty_panel(n_panels * (base + 1), WIDTH).reshape(n_panels, base + 1, WIDTH)
    weight = 1.0 / prior.sum()
    for n in range(len(neighbours)):
        v = neighbours[n]
        for j in range(len(profile)):
            q[j // WIDTH, n, j % WIDTH] = weight * prior[n] * floor[v] * background[profile[j]]
        for entry in range(own.indptr[v], own.indptr[v + 1]):
            j = place_of[own.indices[entry]]
            if j >= 0:
                q[j // WIDTH, n, j % WIDTH] += weight * prior[n] * own.values[entry]
        for j in range(len(profile)):
            q[j // WIDTH, base, j % WIDTH] += floor[v] * q[j // WIDTH, n, j % WIDTH]
    place_of[profile] = -1
    return q


@compiled()
def _by_items(neighbours: Ids, own: Rows, background: Floats, starts: Ints) -> tuple[Ids, Floats]:
    """Sort the neighbours' ratings by item; item i has the neighbours' indices and ratings at ``starts[i]:starts[i + 1]``.

    The first entry of an item is p(i|C), as if it were another neighbour's rating. Items with p(i|C) = 0 have no entries.
    """
    starts[:] = 0
    for v in neighbours:
        for item in own.indices[own.indptr[v] : own.indptr[v + 1]]:
            starts[item + 1] += 1
    # Starts are shifted by one item, because filling moves every start to the end of its item's ratings.
    n_entries = 0
    for item in range(len(background)):
        n = starts[item + 1]
        starts[item + 1] = n_entries
        if n > 0 and background[item] > 0.0:
            n_entries += 1 + n
    raters, parts = np.empty(n_entries, dtype=np.int32), np.empty(n_entries)
    for item in range(len(background)):
        last = starts[item + 2] if item + 2 < len(starts) else n_entries
        if last > starts[item + 1]:
            raters[starts[item + 1]], parts[starts[item + 1]] = len(neighbours), background[item]
            starts[item + 1] += 1
    for n in range(len(neighbours)):
        for entry in range(own.indptr[neighbours[n]], own.indptr[neighbours[n] + 1]):
            item = own.indices[entry]
            if background[item] > 0.0:
                to = starts[item + 1]
                raters[to], parts[to] = n, own.values[entry]
                starts[item + 1] += 1
    return raters, parts


@compiled(allocates=False)
def _multiply_likelihoods(
    q: Floats,
    width: int,
    items: Ints,
    starts: Ints,
    raters: Ids,
    parts: Floats,
    likelihoods: Floats,
    totals: Floats,
    products: Floats,
) -> None:
    """Multiply the product of every item i by M_ij, for the ``width`` items j that have columns in ``q``."""
    for first in range(0, len(items), _ABREAST):
        for n in range(_ABREAST):
            # The last items are fewer; copies of the last one, whose products are not used, take the places of the missing ones.
            item = items[min(first + n, len(items) - 1)]
            start, end = starts[item], starts[item + 1]
            set_sums_of_rows(raters[start:end], parts[start:end], q, likelihoods[n])
        for j in range(width):
            n_small = 0
            for n in range(_ABREAST):
                products[first + n] *= likelihoods[n, j]
                n_small += products[first + n] < _SMALL
            if n_small > 0:
                # A logarithm takes as long as dozens of products, so factors are multiplied for as long as possible.
                for n in range(first, first + _ABREAST):
                    if products[n] < _SMALL:
                        totals[n] += math.log(products[n])
                        products[n] = 1.0
