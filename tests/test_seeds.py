"""Random streams depend only on names, not on what ran before or who draws first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsens.ranking._positions import TieKeys
from recsens.ranking.kernels.among_targets import tie_key
from recsens.seeds import Stream, initial_state, mix_bits

names = st.lists(st.text(min_size=1, max_size=5) | st.integers(0, 99), max_size=3)
ids = st.integers(0, 2**63 - 1)


@given(st.integers(0, 2**63 - 1), names)
def test_the_same_names_give_the_same_stream(root, parts):
    assert Stream.of(root, *parts) == Stream.of(root, *parts)
    assert Stream.of(root).child(*parts) == Stream.of(root).child(*parts)


def test_different_names_or_roots_give_different_streams():
    streams = [
        Stream.of(root, data, stage, fold) for root in (0, 1, 10) for data in "ab" for stage in ("fit", "ties") for fold in (0, 1)
    ]
    streams += [
        Stream.of(0, "ab"),
        Stream.of(0, "a", "b"),
        Stream.of(0, "b", "a"),
        Stream.of(0),
        Stream.of(0).child("a"),
        Stream.of(0, "a"),
    ]
    assert len({stream.key for stream in streams}) == len(streams)


def test_the_mixer_is_splitmix64():
    # The published outputs of SplitMix64 for seed 1234567.
    assert initial_state(Stream(1234567)) == 6457827717110365317


def test_a_streams_numbers_are_fixed_for_all_time():
    # Results on disk depend on these: a change here changes every draw ever made.
    stream = Stream.of(42, "ml", "split", "random", 0)
    assert stream.key == 0xD6A8E409DECA90FE
    assert stream.hashes([0, 1], [2, 3]).tolist() == [5110379365607523246, 16605335652172471195]
    assert stream.uniform([0, 1], [2, 3]).tolist() == [0.2770342205208385, 0.9001770494468196]
    assert stream.generator().random() == 0.5966158023085975


def test_every_generator_starts_at_the_beginning_of_the_stream():
    stream = Stream.of(1, "fit")
    first, second = stream.generator(), stream.generator()
    first.random(100)
    assert second.random() == Stream.of(1, "fit").generator().random()


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=20, unique=True), st.randoms(use_true_random=False))
def test_a_draw_depends_on_its_ids_and_not_on_their_order(pairs, shuffle):
    stream = Stream.of(3, "split")
    alone = {pair: stream.hashes(*pair).item() for pair in pairs}
    shuffle.shuffle(pairs)
    together = stream.hashes(*np.array(pairs, dtype=np.int64).T)
    assert [alone[pair] for pair in pairs] == together.tolist()
    assert len(set(alone.values())) == len(alone)


def test_users_and_items_are_told_apart():
    stream = Stream.of(0)
    assert stream.hashes(3, 5) != stream.hashes(5, 3)
    assert stream.hashes(3) != stream.hashes(3, 0)


def test_rows_and_columns_broadcast():
    stream = Stream.of(0, "x")
    table = stream.hashes(np.arange(4)[:, np.newaxis], np.arange(3))
    assert table.shape == (4, 3)
    assert table[2, 1] == stream.hashes(2, 1)


@pytest.mark.parametrize("grid", [(200, 500), (100_000, 1), (1, 100_000)])
def test_draws_are_uniform_in_the_half_open_unit_interval(grid):
    draws = Stream.of(7, "uniform").uniform(np.arange(grid[0])[:, np.newaxis], np.arange(grid[1])).ravel()
    assert draws.min() >= 0
    assert draws.max() < 1
    assert stats.kstest(draws, "uniform").pvalue > 0.01
    # Neighbouring ids are as good as any others: successive draws fill the cells of a square evenly.
    cells, _, _ = np.histogram2d(draws[:-1], draws[1:], bins=8, range=[[0, 1], [0, 1]])
    assert stats.chisquare(cells.ravel()).pvalue > 0.01


def test_the_largest_hash_still_draws_less_than_one():
    class Largest(Stream):
        def hashes(self, *ids):
            return np.full(1, 2**64 - 1, dtype=np.uint64)

    assert Largest(0).uniform(0)[0] == 1 - 2**-53


def test_streams_of_different_names_are_unrelated():
    a, b = (Stream.of(0, name).uniform(np.arange(50_000)) for name in "ab")
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.02


@given(ids, ids, st.integers(0, 2**63 - 1))
def test_kernels_hash_as_streams_do(user, item, root):
    stream = Stream.of(root, "ties")
    ties = TieKeys(is_random=True, users=np.array([stream.hashes(user)]), items=np.array([mix_bits(item)]))
    assert tie_key(0, ties.users[0], ties) == stream.hashes(user, item).item()
