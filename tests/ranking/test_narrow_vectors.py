"""Rankings have the same bytes on processors with narrower vectors."""

import os
import platform
import subprocess
import sys

import pytest

DIGEST = """
from hashlib import sha256
import numpy as np
from recsens.ranking.kernels import JudgedInLayer, Stands, rank_targets
from recsens.ranking._positions import TieKeys

rng = np.random.default_rng(3)
n_users, n_items, n_judged, depth = 40, 700, 60, 100
scores = rng.standard_normal((n_users, n_items))
scores[::2] = np.round(scores[::2], 1)
scores[5] = 0.0
scores[rng.random(scores.shape) < 0.05] = np.nan
is_target = rng.random(scores.shape) < 0.9
items = np.concatenate([np.sort(rng.choice(n_items, n_judged, replace=False)) for _ in range(n_users)]).astype(np.int32)
admitted = is_target[np.repeat(np.arange(n_users), n_judged), items]
judged = JudgedInLayer(np.arange(0, len(items) + 1, n_judged), items, admitted)
found = sha256()
for dtype in (np.float64, np.float32):
    for is_random in (True, False):
        ties = TieKeys(is_random=is_random, users=np.arange(n_users, dtype=np.uint64), items=np.arange(n_items, dtype=np.uint64))
        stands = Stands(*np.zeros((3, len(items)), dtype=np.int32))
        counts, heads = np.zeros(n_users, dtype=np.int64), np.zeros((n_users, depth), dtype=np.int32)
        rank_targets(scores.astype(dtype), is_target, judged, ties, stands, counts, heads)
        for array in (*stands, counts, heads):
            found.update(np.ascontiguousarray(array).tobytes())
print(found.hexdigest())
"""


def digest(environment):
    environment = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", DIGEST], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="the vectors are those of x86")
@pytest.mark.parametrize(("name", "features"), [("haswell", "+avx,+avx2,+fma,+sse4.2"), ("nehalem", "+sse4.2")])
def test_narrower_vectors_have_the_same_bytes(name, features, tmp_path):
    narrow = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "NUMBA_CACHE_DIR": str(tmp_path)}
    assert digest(narrow) == digest({})
