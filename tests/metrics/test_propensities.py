"""Metrics with inverse propensities: by hand, and compared with their definitions written as loops on drawn lists."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import lists
from metrics.rankings import STARS, built
from recsens.errors import DesignError
from recsens.metrics import Judged

# Four items with 8, 4, 2 and no train ratings: with gamma = 1, their weights are 1, 2, 4 and, as if rated once, 8.
KNOWN = lists.rated([8, 4, 2, 0], 8)
ROWS = [[1, 0, 3], [2]]
RATINGS = [{1: 5, 0: 1, 2: 4}, {2: 2, 3: 4}]
"""User 0 hits at 1 with item 1, misses at 2, and item 2 is relevant and not listed; user 1 has no hit."""


def judgements(rows, ratings):
    found = [
        (user, row.index(item) + 1 if item in row else 0, rating, item)
        for user, (row, own) in enumerate(zip(rows, ratings, strict=True))
        for item, rating in own.items()
    ]
    user, position, rating, item = np.array(found, dtype=float).reshape(-1, 4).T
    listed = np.array([len(row) for row in rows])
    return Judged(user.astype(np.int32), position.astype(int), rating, listed, STARS, 4, item=item.astype(np.int32))


def measure(spec, rows, known, ratings, *cutoffs):
    return built(spec).measure_lists(lists.lists(rows, known), judgements(rows, ratings), cutoffs)


@pytest.mark.parametrize(
    ("spec", "at_1", "at_2"),
    [
        ("IPSP", 2, 1),
        ("IPSP(gamma=0.5)", math.sqrt(2), math.sqrt(2) / 2),
        ("IPSP(form=snips)", 1, 2 / 3),
        ("IPSR", 1, 1),
        ("IPSR(form=snips)", 1 / 3, 1 / 3),
        ("IPSDCG", 2, 2),
        ("IPSDCG(form=snips)", 1 / 3, 1 / 3),
        ("IPSnDCG", 2, 2 / (1 + 1 / math.log2(3))),
        ("IPSnDCG(form=snips)", 1 / 2, 2 / (4 + 2 / math.log2(3))),
    ],
)
def test_a_hit_counts_by_how_unlikely_it_is_judged(spec, at_1, at_2):
    np.testing.assert_allclose(measure(spec, ROWS, KNOWN, RATINGS, 1, 2), [[at_1, at_2], [0, 0]])


def weight(known, item, gamma):
    counts = [max(int(np.count_nonzero(known.item == i)), 1) for i in range(known.n_items)]
    return (max(counts) / counts[item]) ** gamma


def ips_p(row, relevant, judged, w, n):
    hits = sum(w(i) for i in row[:n] if i in relevant)
    seen = sum(w(i) for i in row[:n] if i in judged)
    return hits / n, hits / seen if seen else 0


def ips_r(row, relevant, judged, w, n):
    hits = sum(w(i) for i in row[:n] if i in relevant)
    return (hits / len(relevant), hits / sum(map(w, relevant))) if relevant else (0, 0)


def gain(items, w):
    return sum(w(i) / math.log2(k + 1) for k, i in enumerate(items, start=1) if i is not None)


def hits_of(row, relevant, n):
    return [i if i in relevant else None for i in row[:n]]


def ips_dcg(row, relevant, judged, w, n):
    found = gain(hits_of(row, relevant, n), w)
    return found, found / sum(map(w, relevant)) if relevant else 0


def ips_ndcg(row, relevant, judged, w, n):
    if not relevant:
        return 0, 0
    found = gain(hits_of(row, relevant, n), w)
    # The best of all orders, found by trying all of them.
    best = max(gain(order[:n], w) for order in permutations(relevant))
    return found / gain(list(relevant)[:n], lambda _: 1), found / best


DEFINED = {"IPSP": ips_p, "IPSR": ips_r, "IPSDCG": ips_dcg, "IPSnDCG": ips_ndcg}


@given(lists.worlds(), st.sampled_from([0.0, 0.5, 1.0, 1.75]), st.lists(st.integers(1, 10), min_size=1, max_size=3), st.data())
def test_as_defined(world, gamma, cutoffs, data):
    rows, known, judged = world
    ratings = [{item: data.draw(st.sampled_from([1, 3, 4, 5])) for item in own[:5]} for own in judged]
    for name, definition in DEFINED.items():
        expected = [
            [definition(row, [i for i, r in own.items() if r >= 4], own, lambda i: weight(known, i, gamma), n) for n in cutoffs]
            for row, own in zip(rows, ratings, strict=True)
        ]
        for column, form in enumerate(("ips", "snips")):
            found = measure(f"{name}(gamma={gamma},form={form})", rows, known, ratings, *cutoffs)
            np.testing.assert_allclose(found, np.array(expected)[:, :, column], rtol=1e-12, err_msg=f"{name} {form}")


@pytest.mark.parametrize(("weighted", "plain"), [("IPSP", "P"), ("IPSR", "R"), ("IPSDCG", "DCG"), ("IPSnDCG", "nDCG")])
def test_without_an_exponent_all_items_weigh_the_same(weighted, plain):
    found = measure(f"{weighted}(gamma=0)", ROWS, KNOWN, RATINGS, 1, 3)
    np.testing.assert_array_equal(found, built(plain).measure(judgements(ROWS, RATINGS), (1, 3)))


def test_inverse_propensities_undo_a_selection_by_popularity():
    # Each of 200 users likes items 0 and 1; item 1 is judged for one in four, as its train count says.
    known = lists.rated([40, 10], 40)
    rng = np.random.default_rng(0)
    ratings = [{0: 5, 1: 5} if rng.random() < 1 / 4 else {0: 5} for _ in range(4000)]
    first, second = (measure("IPSP", [[item]] * 4000, known, ratings, 1).mean() for item in (0, 1))
    assert first == 1
    assert second == pytest.approx(1, abs=0.06)
    assert built("P").measure(judgements([[1]] * 4000, ratings), (1,)).mean() == pytest.approx(1 / 4, abs=0.02)


def test_judgements_without_items_have_no_propensities():
    seen = replace(judgements(ROWS, RATINGS), item=None)
    with pytest.raises(DesignError, match="propensities need the items"):
        built("IPSR").measure_lists(lists.lists(ROWS, KNOWN), seen, (1,))
