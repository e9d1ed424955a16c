"""Properties of every filter, whatever it keeps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.filtering.filters import kept, people, rows
from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.testing import edge_cases

PEOPLE = people()
UNRATED = replace(PEOPLE, rating=None)

ONCE = [
    "none",
    "ratings_per_user(at_least=9,at_most=14)",
    "ratings_per_item(at_least=20,at_most=40)",
    "k_core(users=4,items=6)",
    "rating_range(highest=4,lowest=2)",
    "rating_threshold(at_least=3)",
    "binarise",
    "sample(ratings=.5)",
    "sample(users=.5,items=.7)",
    "time_window(start=1050,end=1120)",
]
"""Filters that remove nothing more when applied again (for a sample: with the same draws)."""
AGAIN = ["rating_threshold", "drop_popular", "drop_popular(count=4)", "drop_popular(share=.2,of=items)"]
"""Filters that remove more when applied again, because they compute means and popularity from the remaining rows."""
NEED_RATINGS = ["rating_range(highest=4,lowest=2)", "rating_threshold(at_least=3)", "rating_threshold"]
every_filter = pytest.mark.parametrize("spec", ONCE + AGAIN)


def renumbered(data: Interactions, users: np.ndarray, items: np.ndarray, order: np.ndarray) -> Interactions:
    """Return the same users and items with other codes, and rows in another order."""
    return replace(
        data,
        user=np.argsort(users).astype(np.int32)[data.user][order],
        item=np.argsort(items).astype(np.int32)[data.item][order],
        rating=data.rating[order],
        timestamp=data.timestamp[order],
        user_keys=data.user_keys[users],
        item_keys=data.item_keys[items],
    )


def test_every_filter_is_among_these():
    assert {spec.partition("(")[0] for spec in ONCE + AGAIN} == set(plugins.names("filter"))


@every_filter
def test_nothing_is_invented_and_users_items_and_scale_stay(spec):
    left = kept(spec, PEOPLE)
    assert len(left) > 0
    assert len(left) < len(PEOPLE) or spec == "none"
    assert rows(left) <= rows(replace(PEOPLE, rating=None) if spec == "binarise" else PEOPLE)
    assert left.scale == PEOPLE.scale
    np.testing.assert_array_equal(left.user_keys, PEOPLE.user_keys)
    np.testing.assert_array_equal(left.item_keys, PEOPLE.item_keys)


@every_filter
@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_neither_codes_nor_the_order_of_rows_matter(spec, seed):
    rng = np.random.default_rng(seed)
    users, items, order = (rng.permutation(n) for n in (PEOPLE.n_users, PEOPLE.n_items, len(PEOPLE)))
    assert rows(kept(spec, renumbered(PEOPLE, users, items, order))) == rows(kept(spec, PEOPLE))


@pytest.mark.parametrize("spec", ONCE)
def test_a_second_time_takes_nothing_away(spec):
    once = kept(spec, PEOPLE)
    assert rows(kept(spec, once)) == rows(once)


@pytest.mark.parametrize("spec", AGAIN)
def test_a_second_time_takes_more_away(spec):
    once = kept(spec, PEOPLE)
    assert rows(kept(spec, once)) < rows(once)


@every_filter
def test_data_without_ratings_are_filtered_alike_or_refused_by_name(spec):
    if spec not in NEED_RATINGS:
        left = kept(spec, UNRATED)
        assert left.rating is None
        expected = UNRATED if spec == "binarise" else replace(kept(spec, PEOPLE), rating=None)
        assert rows(left) == rows(expected)
        return
    with pytest.raises(DesignError, match="these data have no ratings") as refused:
        kept(spec, UNRATED)
    assert f"filter '{spec}'" in str(refused.value)


@every_filter
def test_data_at_the_edge_are_survived(spec):
    for name, data in edge_cases().items():
        if data.rating is not None or spec not in NEED_RATINGS:
            assert len(kept(spec, replace(data, timestamp=np.full(len(data), 1_060)))) <= len(data), name


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.sampled_from(["ratings", "users", "items"]))
def test_samples_are_nested_in_the_fraction(a, b, of):
    small, large = (kept(f"sample({of}={share!r})", PEOPLE) for share in sorted((a, b)))
    assert rows(small) <= rows(large)


@settings(max_examples=15)
@given(st.integers(1, 8), st.integers(1, 12))
def test_every_minimum_of_a_core_holds_and_nothing_could_be_put_back(users, items):
    left = kept(f"k_core(users={users},items={items})", PEOPLE)
    assert (left.user_counts[left.user_counts > 0] >= users).all()
    assert (left.item_counts[left.item_counts > 0] >= items).all()
    # Removing one user or item at a time leads to the same result.
    rest = set(zip(PEOPLE.user.tolist(), PEOPLE.item.tolist(), strict=True))
    while True:
        of_user = np.bincount([u for u, _ in rest], minlength=PEOPLE.n_users)
        of_item = np.bincount([i for _, i in rest], minlength=PEOPLE.n_items)
        lacking = next((pair for pair in sorted(rest) if of_user[pair[0]] < users), None)
        if lacking is not None:
            rest = {pair for pair in rest if pair[0] != lacking[0]}
            continue
        lacking = next((pair for pair in sorted(rest) if of_item[pair[1]] < items), None)
        if lacking is None:
            break
        rest = {pair for pair in rest if pair[1] != lacking[1]}
    assert rest == set(zip(left.user.tolist(), left.item.tolist(), strict=True))


@given(st.floats(0.01, 0.95), st.sampled_from(["ratings", "items"]))
def test_no_dropped_item_is_less_popular_than_one_that_stays(share, of):
    left = kept(f"drop_popular(share={share!r},of={of})", PEOPLE)
    stays, counts = left.item_counts > 0, PEOPLE.item_counts
    dropped = ~stays & (counts > 0)
    if stays.any() and dropped.any():
        assert counts[dropped].min() >= counts[stays].max()


@given(st.floats(0.01, 0.95))
def test_the_head_holds_its_share_of_ratings_and_would_not_without_its_last_item(share):
    left = kept(f"drop_popular(share={share!r})", PEOPLE)
    dropped = PEOPLE.item_counts[left.item_counts == 0]
    assert dropped.sum() >= share * len(PEOPLE)
    assert dropped.sum() - dropped[dropped > 0].min() < share * len(PEOPLE)


@given(st.integers(1_001, 1_198))
def test_adjacent_windows_share_nothing_and_miss_nothing(moment):
    before, after = kept(f"time_window(end={moment})", PEOPLE), kept(f"time_window(start={moment})", PEOPLE)
    assert rows(before) | rows(after) == rows(PEOPLE)
    assert not rows(before) & rows(after)
