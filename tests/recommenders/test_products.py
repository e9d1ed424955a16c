"""Products in tiles give the same bytes as sums term by term, whatever the shape and the processor's vector width."""

import os
import platform
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from recsens.recommenders._kernels import Rows
from recsens.recommenders._products import factor_products, sums_of_dense_rows


def term_by_term(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return left @ right, multiplied and added one term after another."""
    total = np.zeros((left.shape[0], right.shape[1]))
    for f in range(left.shape[1]):
        total += left[:, f : f + 1] * right[f]
    return total


@given(st.integers(0, 9), st.integers(0, 37), st.integers(0, 5), st.booleans())
def test_products_are_summed_factor_by_factor(n_users, n_items, n_factors, single):
    rng = np.random.default_rng(n_users + 10 * n_items)
    users, items = rng.standard_normal((n_users, n_factors)), rng.standard_normal((n_items, n_factors))
    if single:
        users, items = users.astype(np.float32), items.astype(np.float32)
    expected = term_by_term(users.astype(np.float64), items.astype(np.float64).T)
    assert factor_products(users, items).tobytes() == expected.tobytes()


def test_infinities_and_nan_stay_where_they_are():
    users, items = np.array([[np.inf, 1.0], [np.nan, 0.0], [-0.0, 0.0]]), np.array([[0.0, 1.0], [2.0, -1.0]])
    np.testing.assert_array_equal(factor_products(users, items), [[np.nan, np.inf], [np.nan, np.nan], [0, 0]])


@given(st.integers(1, 60), st.integers(1, 30), st.integers(0, 50), st.sampled_from([0.0, 0.1, 0.7]))
def test_rows_are_summed_in_ascending_order(n_lines, n_rows, n_columns, share):
    rng = np.random.default_rng(n_lines + 100 * n_rows)
    weights = csr_array(random_array((n_lines, n_rows), density=share, rng=rng, data_sampler=rng.standard_normal))
    weights.sort_indices()
    matrix = rng.standard_normal((n_rows, n_columns))
    lines = rng.permutation(n_lines)[: n_lines // 2 + 1]
    found = sums_of_dense_rows(lines, Rows.of(weights), matrix)
    assert found.tobytes() == term_by_term(weights.toarray()[lines], matrix).tobytes()


DIGEST = """
import numpy as np
from hashlib import sha256
from recsens.recommenders._products import factor_products
rng = np.random.default_rng(1)
print(sha256(factor_products(rng.standard_normal((7, 50)), rng.standard_normal((40, 50))).tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="the vectors are those of x86")
@pytest.mark.parametrize(("name", "features"), [("haswell", "+avx,+avx2,+fma,+sse4.2"), ("nehalem", "+sse4.2")])
def test_narrower_vectors_have_the_same_bytes(name, features, tmp_path):
    narrow = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", DIGEST], env={**os.environ, **narrow}, check=True, capture_output=True, text=True)
    rng = np.random.default_rng(1)
    found = factor_products(rng.standard_normal((7, 50)), rng.standard_normal((40, 50)))
    assert done.stdout.strip() == sha256(found.tobytes()).hexdigest()
