"""NNCosNgbr by items and by users: biases plus a sum of the neighbours' residual ratings.

nncos_ib: Non-normalised cosine neighbourhoods of items, on ratings without biases.
nncos_ub: Non-normalised cosine neighbourhoods of users, on ratings without biases.
"""

from typing import NamedTuple, Self

import numba
import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.plugins.frozen import frozen
from recsens.recommenders import (
    Extent,
    Floats,
    Ids,
    Ints,
    Reals,
    Recommender,
    SearchSpace,
    claim,
    preset_field,
    valcarce2018_ml1m,
)
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._products import sums_of_dense_rows
from recsens.vocabulary import USERS_AT_ONCE

_SHARES = 16
"""Number of portions into which work is divided among threads; the nth row is in portion n mod 16."""

_LINES = 128
"""Number of rows handled together: their cosines, including zeros, take little memory, and their nearest rows stay in the cache."""


def count_related(lines: Ints, rows: Rows, columns: Rows) -> Ints:
    """For each of some rows, count the other rows with a product that is not 0, shape (len(lines),)."""
    sizes = np.zeros(len(lines), dtype=np.int64)
    _count_related(frozen(lines), rows, columns, sizes)
    return sizes


def shrunk_cosines(lines: Ints, sizes: Ints, rows: Rows, columns: Rows, shrinkage: float, *, in_order: bool = True) -> Rows:
    """Return d_ab = n_ab / (n_ab + λ) · a · b / sqrt(‖a‖² ‖b‖²) of some rows a with all others b, where a · b is not 0.

    n_ab is the number of columns that both rows have. Unlike in other `Rows`, the rows b of a row a are in descending order of d;
    equal values are in descending order of the index.

    Parameters
    ----------
    lines
        The rows a.
    sizes
        Number of b of each row, as returned by `count_related`.
    rows, columns
        The matrix by its rows and by its columns.
    shrinkage
        λ, >= 0.
    in_order
        Whether to sort the b of each row, which takes most of the time.
    """
    n_rows = len(rows.indptr) - 1
    row_of_entry = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
    squared = np.bincount(row_of_entry, weights=rows.values**2, minlength=n_rows).astype(np.float64)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    others, values = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    _fill_cosines(frozen(lines), rows, columns, squared, shrinkage, in_order, indptr, others, values)
    return Rows(indptr, others, values).frozen()


def sums_of_nearest(cosines: Rows, known: Rows, k: int, n_rows: int, *, with_gaps: bool) -> Floats:
    """Return Σ_{b in D} d_ab x_bc, shape (number of columns c, number of rows a).

    D are the k rows b with the highest d_ab among the rows with a stored x_bc. If there are at most k such rows, D contains all of
    them.

    Parameters
    ----------
    cosines
        d, as `shrunk_cosines` returns it. If any column of x has more than k stored values, each row must be sorted by descending d
        (``in_order=True``).
    known
        x, stored column by column.
    k
        Greatest size of D, >= 1.
    n_rows
        Number of rows b.
    with_gaps
        Whether sums over an empty D are NaN; otherwise they are 0.
    """
    n_lines, n_columns = len(cosines.indptr) - 1, len(known.indptr) - 1
    sums = np.full((n_columns, n_lines), np.nan if with_gaps else 0.0)
    sizes = np.diff(known.indptr)
    small = np.flatnonzero(sizes <= k)
    met = Rows(known.indptr, known.indices, np.ones(len(known.values)))
    of_line = csr_array((cosines.values, cosines.indices, cosines.indptr), shape=(n_lines, n_rows))
    for first in range(0, n_lines if len(small) else 0, _LINES):
        similar = of_line[first : first + _LINES].toarray(order="F").T
        found = sums_of_dense_rows(small, known, similar)
        if with_gaps:
            found[sums_of_dense_rows(small, met, (similar != 0).astype(np.float64)) == 0] = np.nan
        sums[small, first : first + _LINES] = found
    # If n of all N rows have a value, about k N / n rows are visited to find k of them.
    is_short = (sizes > k) & (sizes**2 > k * n_rows)
    _walk(frozen(np.flatnonzero(is_short)), cosines.frozen(), known.frozen(), k, n_rows, sums)
    rest = np.flatnonzero((sizes > k) & ~is_short)
    if len(rest):
        of_column = csr_array((known.values, known.indices, known.indptr), shape=(n_columns, n_rows))
        _add_nearest(frozen(rest), cosines.frozen(), Rows.of_columns(of_column[rest]), k, sums)
    return sums


@compiled()
def _multiply(row: int, rows: Rows, columns: Rows, products: Floats, shared: Ids) -> None:
    """Compute a row's products with all other rows, and the numbers of shared columns; its product with itself is set to 0."""
    products[:] = 0.0
    shared[:] = 0
    for entry in range(rows.indptr[row], rows.indptr[row + 1]):
        column, value = rows.indices[entry], rows.values[entry]
        for other in range(columns.indptr[column], columns.indptr[column + 1]):
            products[columns.indices[other]] += value * columns.values[other]
            shared[columns.indices[other]] += 1
    products[row] = 0.0


@compiled(parallel=True)
def _count_related(lines: Ints, rows: Rows, columns: Rows, sizes: Ints) -> None:
    n_rows = len(rows.indptr) - 1
    for share in numba.prange(_SHARES):
        products, shared = np.empty(n_rows), np.empty(n_rows, dtype=np.int32)
        for index in range(share, len(lines), _SHARES):
            _multiply(lines[index], rows, columns, products, shared)
            sizes[index] = np.count_nonzero(products)


@compiled(parallel=True)
def _fill_cosines(
    lines: Ints,
    rows: Rows,
    columns: Rows,
    squared: Floats,
    shrinkage: float,
    in_order: bool,
    indptr: Ints,
    others: Ids,
    values: Floats,
) -> None:
    n_rows = len(squared)
    for share in numba.prange(_SHARES):
        products, shared = np.empty(n_rows), np.empty(n_rows, dtype=np.int32)
        for index in range(share, len(lines), _SHARES):
            row = lines[index]
            _multiply(row, rows, columns, products, shared)
            first, last = indptr[index], indptr[index + 1]
            end = first
            # Go from the highest index down; because the sort is stable, the higher index comes first among equals.
            for other in range(n_rows - 1, -1, -1):
                if products[other] != 0.0:
                    others[end] = other
                    cosine = products[other] / np.sqrt(squared[row] * squared[other])
                    values[end] = shared[other] / (shared[other] + shrinkage) * cosine
                    end += 1
            if in_order:
                order = np.argsort(-values[first:last], kind="mergesort")
                others[first:last] = others[first:last][order]
                values[first:last] = values[first:last][order]


@compiled()
def _walk(columns: Ints, cosines: Rows, known: Rows, k: int, n_rows: int, sums: Floats) -> None:
    """For each column, visit rows in order, nearest first, until k of them have a value."""
    is_known, values = np.zeros(n_rows, dtype=np.bool_), np.zeros(n_rows)
    n_lines = sums.shape[1]
    for first in range(0, n_lines, _LINES):
        for column in columns:
            start, end = known.indptr[column], known.indptr[column + 1]
            for entry in range(start, end):
                is_known[known.indices[entry]], values[known.indices[entry]] = True, known.values[entry]
            for line in range(first, min(first + _LINES, n_lines)):
                total, n = 0.0, 0
                for nth in range(cosines.indptr[line], cosines.indptr[line + 1]):
                    other = cosines.indices[nth]
                    if is_known[other]:
                        total += cosines.values[nth] * values[other]
                        n += 1
                        if n == k:
                            break
                if n > 0:
                    sums[column, line] = total
            for entry in range(start, end):
                is_known[known.indices[entry]] = False


@compiled()
def _add_nearest(columns: Ints, cosines: Rows, known: Rows, k: int, sums: Floats) -> None:
    """Visit rows in order, nearest first, for all columns at once, until all have k terms; add values to those with fewer."""
    heard, totals = np.empty(len(columns), dtype=np.int32), np.empty(len(columns))
    for line in range(sums.shape[1]):
        heard[:] = 0
        totals[:] = 0.0
        n_left = len(columns)
        for nth in range(cosines.indptr[line], cosines.indptr[line + 1]):
            if n_left == 0:
                break
            other, value = cosines.indices[nth], cosines.values[nth]
            for entry in range(known.indptr[other], known.indptr[other + 1]):
                c = known.indices[entry]
                if heard[c] < k:
                    totals[c] += value * known.values[entry]
                    heard[c] += 1
                    n_left -= heard[c] == k
        for c in range(len(columns)):
            if heard[c] > 0:
                sums[columns[c], line] = totals[c]


BYTES_PER_SIMILARITY = 4 + 8
"""Bytes per similarity: an index and a value."""


class Biases(NamedTuple):
    """The terms of b_ui = μ + b_u + b_i.

    Attributes
    ----------
    mean
        μ, the mean rating; 0 without ratings.
    users, items
        b_u and b_i, shapes (n_users,) and (n_items,); 0 for users and items without ratings.
    """

    mean: float
    users: Floats
    items: Floats

    def residuals(self, train: Interactions) -> Floats:
        """Return r_ui - b_ui for every rating, in the order of ``train.matrix``."""
        matrix = train.matrix
        users = np.repeat(self.users, np.diff(matrix.indptr))
        return np.asarray(matrix.data - (self.mean + users + self.items[matrix.indices]))


def shrunk_biases(train: Interactions, of_items: float, of_users: float) -> Biases:
    """Return the biases of items and users; with few ratings, they are shrunk towards 0.

    b_i = Σ_{u in U_i} (r_ui - μ) / (λ_I + |U_i|), then b_u = Σ_{i in I_u} (r_ui - μ - b_i) / (λ_U + |I_u|).

    Parameters
    ----------
    train
        The ratings.
    of_items, of_users
        λ_I and λ_U, >= 0.
    """
    ratings = train.matrix.data
    user, item = np.repeat(np.arange(train.n_users), train.user_counts), train.matrix.indices
    mean = float(ratings.mean()) if len(train) else 0.0
    items = _shrunk_means(item, ratings - mean, train.item_counts, of_items)
    users = _shrunk_means(user, ratings - mean - items[item], train.user_counts, of_users)
    return Biases(mean, users, items)


def _shrunk_means(group: NDArray[np.integer], values: Floats, sizes: Ints, shrinkage: float) -> Floats:
    sums = np.bincount(group, weights=values, minlength=len(sizes))
    # Without ratings the sum is 0, whatever the divisor.
    return np.asarray(sums / (shrinkage + np.maximum(sizes, 1)))


class NNCos(Recommender):
    """Scores that are biases plus a sum of the neighbours' residual ratings."""

    source = "Cremonesi, Koren & Turrin (2010), section 3.2, NNCosNgbr; Koren (2008) for shrinkage; defaults of the authors' code"
    n_threads = 2
    search_space = SearchSpace(
        "k=log_uniform(low=5,high=500),shrinkage=log_uniform(low=1,high=1000)",
        "Dacrema et al. (2021), nearest neighbours, up to 500",
    )

    k: int = Field(200, ge=1, le=100_000, description="number of neighbours for a pair of user and item")
    shrinkage: float = Field(100.0, ge=0, le=1e6, description="λ_D, which shrinks cosines of few common ratings towards 0")
    remove_biases: bool = Field(
        True, description="whether biases are subtracted from ratings and added to scores; if not, ratings themselves are summed"
    )
    item_shrinkage: float = Field(
        25.0, ge=0, le=1e6, description="λ_I, which shrinks the biases of items with few ratings towards 0"
    )
    user_shrinkage: float = Field(
        10.0, ge=0, le=1e6, description="λ_U, which shrinks the biases of users with few ratings towards 0"
    )

    def _learn_biases(self, train: Interactions) -> None:
        """Store the terms of b_ui in ``learned``; all are 0 if biases are not removed."""
        biases = Biases(0.0, np.zeros(train.n_users), np.zeros(train.n_items))
        if self.remove_biases:
            biases = shrunk_biases(train, self.item_shrinkage, self.user_shrinkage)
        self._learned = {"mean": np.array([biases.mean]), "user_biases": biases.users, "item_biases": biases.items}

    def _residuals(self, train: Interactions) -> csr_array:
        """Return r_ui - b_ui, shape (n_users, n_items)."""
        matrix = train.matrix
        return csr_array((self._biases.residuals(train), matrix.indices, matrix.indptr), shape=matrix.shape)

    def _with_biases(self, train: Interactions, users: Ints, sums: Floats) -> Reals:
        """Add b_ui to the sums over neighbours, shape (len(users), n_items)."""
        if not self.remove_biases:
            return sums
        biases = self._biases
        scores = (biases.mean + biases.users[users, np.newaxis] + biases.items) + sums
        scores[:, train.item_counts == 0] = np.nan
        return np.asarray(scores)

    @property
    def _biases(self) -> Biases:
        learned = self._learned
        return Biases(float(learned["mean"][0]), learned["user_biases"], learned["item_biases"])

    def _claimed_sizes(self, lines: Ints, rows: Rows, columns: Rows, what: str, other: str) -> Ints:
        """Return `count_related`, and claim the memory of as many similarities."""
        sizes = count_related(lines, rows, columns)
        n_pairs = int(sizes.sum())
        remedy = f"filter {what}, or choose {other}, which keeps only k for each"
        claim(self, n_pairs * BYTES_PER_SIMILARITY, f"{n_pairs:,} similarities of {what}", remedy)
        return sizes


class NNCosIB(NNCos):
    """s(u, i) = b_ui + Σ_{j in D_k(u; i)} d_ij (r_uj - b_uj), without a denominator.

    D_k(u; i) are the k items most similar to i among the items that u rated; if items tie for the last places, the higher index is
    kept. d_ij = n_ij / (n_ij + λ_D) · r_i · r_j / sqrt(‖r_i‖² ‖r_j‖²), with n_ij common users, is the shrunk cosine of the vectors
    of ratings by all users (no rating = 0, biases not subtracted). Items with r_i · r_j = 0 do not count.

    b_ui, ``remove_biases`` and the computable pairs are as in ``nncos_ub``. The similarities of all pairs of items are stored,
    because any of them could be among the k highest for some user.
    """

    label = "nncos_ib"
    draws = False
    presets = valcarce2018_ml1m(
        {"k": 2, "shrinkage": 125.0, "item_shrinkage": 0.0, "user_shrinkage": 100.0},
        "released scores of Valcarce et al. (2018), MovieLens 1M; their parameters are unknown. "
        "RR and recall are more than twice theirs",
    )

    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Estimate the biases, and compute the cosines between all items.

        Raises
        ------
        DesignError
            If the similarities do not fit into memory.
        """
        self._learn_biases(train)
        rows, columns = Rows.of_columns(train.matrix), Rows.of(train.matrix)
        items = np.arange(train.n_items)
        sizes = self._claimed_sizes(items, rows, columns, "items", "item_knn")
        cosines = shrunk_cosines(items, sizes, rows, columns, self.shrinkage)
        self._learned |= {"indptr": cosines.indptr, "items": cosines.indices, "similarities": cosines.values}
        return self

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the similarities between all pairs of items."""
        return BYTES_PER_SIMILARITY * extent.items**2

    def score(self, train: Interactions, users: Ints) -> Reals:
        """For each item, sum the contributions of the nearest items in every profile."""
        learned = self._learned
        cosines = Rows(learned["indptr"], learned["items"], learned["similarities"])
        profiles = Rows.of(self._residuals(train)[users])
        sums = sums_of_nearest(cosines, profiles, self.k, train.n_items, with_gaps=not self.remove_biases)
        return self._with_biases(train, users, sums)


class NNCosUB(NNCos):
    """s(u, i) = b_ui + Σ_{v in D_k(i; u)} d_uv (r_vi - b_vi), without a denominator.

    D_k(i; u) are the k users most similar to u among those who rated i; if users tie for the last places, the higher index is kept.
    d_uv = n_uv / (n_uv + λ_D) · r_u · r_v / sqrt(‖r_u‖² ‖r_v‖²), with n_uv common items, is the shrunk cosine of the vectors of
    ratings over all items (no rating = 0, biases not subtracted). Users with r_u · r_v = 0 do not count.

    b_ui = μ + b_u + b_i with the mean rating μ, b_i = Σ_{u in U_i} (r_ui - μ) / (λ_I + |U_i|) and b_u = Σ_{i in I_u} (r_ui - μ -
    b_i) / (λ_U + |I_u|). The sum grows with the number of neighbours, and scores are not limited to the rating scale: on MovieLens
    1M, the RMSE is 3.3 at k = 200, and 0.91 with the biases alone. Scores therefore rank items, but do not predict ratings.
    ``remove_biases=false`` sets b to 0; scores are then sums of similarities times ratings.

    Items without train ratings are never computable. With biases, all other pairs are computable: without neighbours the score is
    b_ui, and users without train ratings have b_u = 0. Without biases, pairs without a neighbour are not computable.

    Neighbours are found during scoring; only the biases are saved.
    """

    label = "nncos_ub"
    draws = False
    presets = valcarce2018_ml1m(
        {"k": 10_000, "shrinkage": 1600.0, "item_shrinkage": 0.0, "user_shrinkage": 100.0},
        "released scores of Valcarce et al. (2018), MovieLens 1M; their parameters are unknown. "
        "RR is 13 % and recall 39 % above theirs",
    )

    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Estimate the biases."""
        self._learn_biases(train)
        return self

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the similarities between the users scored together and all others."""
        return BYTES_PER_SIMILARITY * min(USERS_AT_ONCE, extent.users) * extent.users

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Compute the users' cosines with all other users; for every item, sum the contributions of the nearest users.

        Raises
        ------
        DesignError
            If the similarities of these users do not fit into memory.
        """
        rows, columns = Rows.of(train.matrix), Rows.of_columns(train.matrix)
        sizes = self._claimed_sizes(users, rows, columns, "users", "user_knn")
        known = Rows.of_columns(self._residuals(train))
        has_choice = bool((train.item_counts > self.k).any())
        cosines = shrunk_cosines(users, sizes, rows, columns, self.shrinkage, in_order=has_choice)
        sums = sums_of_nearest(cosines, known, self.k, train.n_users, with_gaps=not self.remove_biases)
        return self._with_biases(train, users, np.ascontiguousarray(sums.T))
