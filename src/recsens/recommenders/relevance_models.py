"""Relevance models 1 and 2: items are scored by language models of the nearest users.

rm1: Relevance model 1: sums the ratings of the neighbours who best explain the whole profile.
rm2: Relevance model 2: scores items that neighbours rate together with the items in the profile.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Extent, Floats, Ids, Ints, Reals, SearchSpace, preset_field, valcarce2018_ml1m
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._language_models import Smoothed, Smoothing, column_shares, row_sums
from recsens.recommenders._neighbourhoods import Neighbours, bytes_of_neighbours, cosine_neighbours, nearest_among
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, preferences, refuse_negative
from recsens.recommenders._products import WIDTH, empty_panel, set_sums_of_rows, sums_of_rows
from recsens.recommenders._shared_fits import SharedFit

Prior = Literal["uniform", "linear"]


class UserModels(NamedTuple):
    """p(i|v) = own_vi + floor_v p(i|C) for all users v and items i; each user's probabilities add up to 1.

    Attributes
    ----------
    own
        The part of v's ratings that remains after smoothing: one row per user v, with an entry, perhaps 0, for each item that v
        rated.
    floor
        The part of v's ratings that smoothing redistributes, shape (n_users,); 1 for users without ratings above 0.
    background
        p(i|C) = Σ_v r_vi / Σ_v Σ_j r_vj, shape (n_items,); zeros if there is no rating above 0.
    lengths
        |v| = Σ_j r_vj, shape (n_users,).
    """

    own: Rows
    floor: Floats
    background: Floats
    lengths: Floats


class RelevanceModel(SharedFit):
    """Base of `RM1` and `RM2`: the neighbours V_u, their language models p(i|v) and their prior p(v)."""

    n_threads = 2
    search_space = SearchSpace(
        "discount=uniform(low=0.05,high=1),k=log_uniform(low=5,high=500),mu=log_uniform(low=10,high=10000),"
        "smoothing=[absolute_discounting,dirichlet]",
        "the smoothing of Valcarce, Parapar & Barreiro (2015); the ranges are ours",
    )

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")
    smoothing: Smoothing = Field("absolute_discounting", description="how p(i|v) is smoothed by p(i|C)")
    mu: float = Field(
        100.0, ge=1e-6, le=1e9, description="μ of smoothing=dirichlet, the weight of p(i|C), on the scale of a sum of ratings"
    )
    mixing: float = Field(0.5, ge=1e-6, lt=1, description="λ of smoothing=jelinek_mercer, the share of p(i|C)")
    discount: float = Field(
        0.1, ge=1e-6, le=1, description="δ of smoothing=absolute_discounting, the amount subtracted from every rating"
    )
    user_prior: Prior = Field(
        "uniform", description="p(v), which is the same for all neighbours v, or linear in the sum of v's ratings"
    )
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes of the neighbours."""
        return bytes_of_neighbours(extent.users, self.k)

    @property
    def shared_by(self) -> str:
        """The preference; smoothing is of each by itself."""
        return self.preference

    def prepare(self, train: Interactions, rng: np.random.Generator, sharing: Sequence[Self]) -> Neighbours:
        """Find the neighbours.

        Raises DesignError if a rating is negative, or if the neighbours do not fit into memory.
        """
        matrix = preferences(train, self.preference)
        refuse_negative(matrix.data, self, "the negative rating {:g} cannot be part of a probability")
        return cosine_neighbours(self, Rows.of(matrix), Rows.of_columns(matrix), max(each.k for each in sharing))

    def finish(self, train: Interactions, prepared: Neighbours) -> None:
        """Store the neighbours of every user."""
        indptr, neighbours, _ = nearest_among(prepared, self.k)
        self._learned = {"indptr": indptr, "neighbours": neighbours}

    def _language_models(self, train: Interactions) -> UserModels:
        """Estimate every user's language model."""
        ratings = preferences(train, self.preference)
        kept, spread, whole = Smoothed.of(ratings, self.smoothing, self.mu, self.mixing, self.discount)
        lengths = row_sums(ratings)
        user = np.repeat(np.arange(train.n_users), np.diff(ratings.indptr))
        own = np.divide(kept, whole[user], out=np.zeros(len(kept)), where=lengths[user] > 0)
        floor = np.divide(spread, whole, out=np.ones(train.n_users), where=lengths > 0)
        rows = Rows.of(csr_array((own, ratings.indices, ratings.indptr), shape=ratings.shape))
        return UserModels(rows, floor, np.nan_to_num(column_shares(ratings)), lengths)

    def _prior_of_users(self, models: UserModels) -> Floats:
        """Return p(v) up to a factor, shape (n_users,)."""
        return np.ones(len(models.lengths)) if self.user_prior == "uniform" else models.lengths


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

    label = "rm1"
    source = "Parapar, Bellogín, Castells & Barreiro (2013), model RM1; Valcarce, Parapar & Barreiro (2015) for priors"
    presets = valcarce2018_ml1m(
        {"k": 100, "smoothing": "absolute_discounting", "discount": 0.1},
        "Valcarce et al. (2018), RM1 on MovieLens 1M: P@10 .1302, nDCG@10 .1705; parameters are not released",
    )

    preset: str | None = preset_field()

    def finish(self, train: Interactions, prepared: Neighbours) -> None:
        """Weight each neighbour by the likelihood of the profile."""
        super().finish(train, prepared)
        models = self._language_models(train)
        neighbours = self._learned["neighbours"]
        floors = models.floor[neighbours]
        weights = Rows(self._learned["indptr"], neighbours, np.log(self._prior_of_users(models)[neighbours]))
        self._learned |= {"weights": _posteriors(weights, models.own, floors, models.background)}

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


_ITEMS_AT_ONCE = 64
"""Number of items whose products stay in the cache while the panels of profile items are multiplied in, one after another."""

_STEP = 500
_SMALL, _LARGE = 2.0**-_STEP, 2.0**_STEP
"""A product below 2⁻⁵⁰⁰ is multiplied by 2⁵⁰⁰, which is exact, and counted: a logarithm would take as long as dozens of factors. No
product loses precision, because factors are far above 2⁻⁵⁰⁰ (unless ratings themselves are as small as 1e-150)."""


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

    label = "rm2"
    source = "Parapar, Bellogín, Castells & Barreiro (2013), model RM2; Valcarce, Parapar & Barreiro (2015) for priors"
    presets = valcarce2018_ml1m(
        {"k": 100, "smoothing": "absolute_discounting", "discount": 0.1},
        "Valcarce et al. (2018), RM2 on MovieLens 1M: P@10 .2740, nDCG@10 .3563; parameters are not released",
    )

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
    starts, likelihoods = np.empty(len(background) + 1, dtype=np.int64), np.empty(WIDTH)
    products = np.empty((_ITEMS_AT_ONCE, WIDTH))
    for row in range(len(users)):
        user = users[row]
        mine = priors.indices[priors.indptr[user] : priors.indptr[user + 1]]
        prior = priors.values[priors.indptr[user] : priors.indptr[user + 1]]
        profile = own.indices[own.indptr[user] : own.indptr[user + 1]]
        profile = profile[background[profile] > 0.0]
        q = _products_with_priors(mine, prior, profile, own, floor, background, place_of)
        raters, parts = _ratings_by_item(mine, own, background, starts)
        items = np.flatnonzero(starts[1:] > starts[:-1])
        for first in range(0, len(items), _ITEMS_AT_ONCE):
            some = items[first : first + _ITEMS_AT_ONCE]
            products[:] = 1.0
            n_steps = np.zeros(len(some), dtype=np.int64)
            for nth in range(len(q)):
                width = min(WIDTH, len(profile) - nth * WIDTH)
                _multiply_likelihoods(q[nth], width, some, starts, raters, parts, likelihoods, products, n_steps)
            for n in range(len(some)):
                total = _log_of_product(products[n]) - n_steps[n] * _STEP * math.log(2.0)
                scores[row, some[n]] = (1 - len(profile)) * log_prior[some[n]] + total


@compiled()
def _products_with_priors(
    neighbours: Ids, prior: Floats, profile: Ids, own: Rows, floor: Floats, background: Floats, place_of: Ints
) -> Floats:
    """Return q_vj for up to 32 profile items j, one row per neighbour v; the last row contains Σ_v floor_v q_vj."""
    for j in range(len(profile)):
        place_of[profile[j]] = j
    n_panels, base = -(-len(profile) // WIDTH), len(neighbours)
    q = empty_panel(n_panels * (base + 1), WIDTH).reshape(n_panels, base + 1, WIDTH)
    collection = np.zeros((n_panels, WIDTH))
    collection.reshape(-1)[: len(profile)] = background[profile]
    weight = 1.0 / prior.sum()
    for n in range(len(neighbours)):
        v = neighbours[n]
        for panel in range(n_panels):
            for column in range(WIDTH):
                q[panel, n, column] = weight * prior[n] * floor[v] * collection[panel, column]
        for entry in range(own.indptr[v], own.indptr[v + 1]):
            j = place_of[own.indices[entry]]
            if j >= 0:
                q[j // WIDTH, n, j % WIDTH] += weight * prior[n] * own.values[entry]
        for panel in range(n_panels):
            for column in range(WIDTH):
                q[panel, base, column] += floor[v] * q[panel, n, column]
    place_of[profile] = -1
    return q


@compiled()
def _ratings_by_item(neighbours: Ids, own: Rows, background: Floats, starts: Ints) -> tuple[Ids, Floats]:
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
    products: Floats,
    n_steps: Ints,
) -> None:
    """Multiply, for every item i, the product of each column of ``q`` by M_ij, where j is the profile item of the column.

    Only the first ``width`` columns have a profile item; the products of the others stay the same.
    """
    for n in range(len(items)):
        start, end = starts[items[n]], starts[items[n] + 1]
        set_sums_of_rows(raters[start:end], parts[start:end], q, likelihoods)
        likelihoods[width:] = 1.0
        n_steps[n] += _multiply_rescaled(products[n], likelihoods)


@compiled(allocates=False)
def _log_of_product(numbers: Floats) -> float:
    """Return the logarithm of the product of 32 numbers from 2⁻⁵⁰⁰ to about 1, which are overwritten."""
    n_steps = _multiply_rescaled(numbers[:16], numbers[16:]) + _multiply_rescaled(numbers[:8], numbers[8:16])
    product = 1.0
    for number in numbers[:8]:
        product *= number
        if product < _SMALL:
            product *= _LARGE
            n_steps += 1
    return math.log(product) - n_steps * _STEP * math.log(2.0)


@compiled(allocates=False)
def _multiply_rescaled(products: Floats, factors: Floats) -> int:
    """Multiply each product by a factor of at least 2⁻⁵⁰⁰, and then those below 2⁻⁵⁰⁰ by 2⁵⁰⁰; return how many these are."""
    n_small = 0
    for n in range(len(products)):
        product = products[n] * factors[n]
        is_small = product < _SMALL
        products[n] = product * _LARGE if is_small else product
        n_small += is_small
    return n_small
