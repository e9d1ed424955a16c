"""The contract of every recommender; a new one is tested automatically."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numba
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.data.interactions import Interactions
from recsens.recommenders import Extent, Recommender
from recsens.recommenders.nncos import NNCos
from recsens.seeds import Stream
from recsens.testing import checkerboard, crowd, edge_cases, from_rows

NAMES = plugins.names("recommender")
LEARNING = [name for name in NAMES if not {"path", "run"} & set(plugins.load("recommender", name).model_fields)]
"""All recommenders except those that use another program's scores, which compute nothing without a file or command."""
PERSONALISED = [name for name in LEARNING if not plugins.load("recommender", name).is_trivial]
EDGES = edge_cases()
BRIEF = {name: f"{name}(epochs=2)" for name in ("gmf", "mlp", "neumf", "latent_cross", "lc_nn")}
"""Short training for recommenders that take long by default, for tests in which quality does not matter."""
ON_THE_BOARD = {
    **{name: f"{name}(epochs=20,batch_size=8,learning_rate=0.02)" for name in ("gmf", "mlp", "neumf")},
    "bpr_implicit": "bpr_implicit(epochs=100)",
    "latent_cross": "latent_cross(epochs=40,batch_size=8,learning_rate=0.02)",
    "lc_nn": "lc_nn(epochs=60,batch_size=8)",
}
"""Recommenders whose defaults take too few steps on sixteen users."""


def fresh(name: str) -> Recommender:
    return plugins.build("recommender", name)


def fitted(name: str, train: Interactions, settings: dict[str, str] = BRIEF) -> Recommender:
    missing = plugins.missing_extra(plugins.load("recommender", name))
    if missing is not None:
        pytest.skip(f"recsens[{missing}] is not installed: make {missing}")
    return fresh(settings.get(name, name)).fit(train, Stream.of(1, "fit", name).generator())


@contextmanager
def threads(n: int) -> Iterator[None]:
    if n > numba.config.NUMBA_NUM_THREADS:
        pytest.skip(f"numba was started with fewer than {n} threads")
    before = numba.get_num_threads()
    numba.set_num_threads(n)
    try:
        with threadpool_limits(limits=n):
            yield
    finally:
        numba.set_num_threads(before)


def content(recommender: Recommender) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    return {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in recommender.learned.items()}


@pytest.fixture(scope="module")
def train() -> Interactions:
    return crowd()


@pytest.fixture(scope="module", params=NAMES)
def name(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def model(name, train) -> Recommender:
    return fitted(name, train)


def test_a_recommender_that_says_that_it_draws_nothing_learns_the_same_from_any_stream(model, name, train):
    if name not in LEARNING:
        assert fresh(name).draws == (name == "program")
        return
    other = fresh(BRIEF.get(name, name)).fit(train, Stream.of(2, "fit", name).generator())
    assert model.draws or content(other) == content(model)


class Noisy(plugins.load("recommender", "ease")):  # type: ignore[misc]
    """EASE with noise: a class with a fit of its own draws, unless it says that it does not."""

    def fit(self, train, rng):
        super().fit(train, rng)
        self._learned = {key: array + rng.random(array.shape) for key, array in self._learned.items()}
        return self


def test_a_users_own_fit_draws_unless_it_says_otherwise():
    assert Noisy.draws
    assert not type("Quiet", (Noisy,), {"__doc__": "Quiet.", "fit": Noisy.fit, "draws": False, "__module__": __name__}).draws


def test_parameters_are_bounded_and_the_source_is_named(name):
    assert fresh(name).source
    schema = type(fresh(name)).model_json_schema()
    for parameter, field in schema.get("properties", {}).items():
        if field.get("type") in ("integer", "number"):
            assert {"minimum", "exclusiveMinimum"} & field.keys(), parameter


def test_memory_and_time_are_known_before_the_data_are_read_and_grow_with_them(name):
    recommender = fresh(name)
    small, large = Extent(1_000, 2_000, 100_000), Extent(480_000, 18_000, 100_000_000)
    assert recommender.pace > 0
    for needed in (recommender.bytes_needed, recommender.seconds_needed):
        assert 0 <= needed(small) <= needed(large)


def test_the_same_stream_gives_the_same_bytes(name, train, model):
    if model.deterministic:
        assert content(fitted(name, train)) == content(model)


def test_the_same_stream_gives_the_same_bytes_where_there_are_but_two_tastes(name):
    # Of rank two, and too large to be decomposed directly: iterations run out of directions.
    two = from_rows([[4 + u % 2 if (u % 3 == 0) == (i % 2 == 0) else None for i in range(70)] for u in range(80)])
    first, second = fitted(name, two), fitted(name, two)
    if first.deterministic:
        assert content(first) == content(second)


def test_one_thread_and_two_give_the_same_bytes(name, train):
    learned, scores = [], []
    for n in (1, 2):
        with threads(n):
            recommender = fitted(name, train)
            learned.append(content(recommender))
            scores.append(recommender.score(train, np.arange(40)).tobytes())
    if recommender.deterministic:
        assert learned[0] == learned[1]
        assert scores[0] == scores[1]


def test_train_is_never_changed(name):
    train = crowd(n_users=30, n_items=20)
    arrays = [train.user, train.item, train.rating, train.user_keys, train.item_keys]
    before = [array.copy() for array in arrays]
    fitted(name, train).score(train, np.arange(30))
    for was, array in zip(before, arrays, strict=True):
        np.testing.assert_array_equal(was, array)


def test_scores_are_a_new_array_of_floats_for_every_item(model, train):
    assert model.score(train, np.empty(0, dtype=np.int64)).shape == (0, train.n_items)
    first = model.score(train, np.arange(3))
    assert first.shape == (3, train.n_items)
    assert np.issubdtype(first.dtype, np.floating)
    assert not np.isinf(first).any()
    kept = first.copy()
    first[:] = -1.0
    np.testing.assert_array_equal(model.score(train, np.arange(3)), kept)


def test_scores_of_a_user_do_not_depend_on_the_block(model, train):
    users = np.arange(512)
    block = model.score(train, users)
    for user in (0, 7, 511):
        assert model.score(train, np.array([user])).tobytes() == block[user].tobytes()
    mixed = np.array([511, 599, 7, 7, 300])
    shuffled = model.score(train, mixed)
    assert shuffled[2].tobytes() == shuffled[3].tobytes() == block[7].tobytes()
    assert shuffled[0].tobytes() == block[511].tobytes()


def test_a_model_written_and_read_back_scores_alike(name, model, train, tmp_path):
    storage.write_arrays(tmp_path / "model.npz", {"spec": name}, model.learned, schemas.MODEL)
    _, arrays = storage.read_arrays(tmp_path / "model.npz", schemas.MODEL)
    restored = fresh(name).restore(arrays)
    users = np.arange(50)
    np.testing.assert_array_equal(restored.score(train, users), model.score(train, users))


def test_what_cannot_be_computed_is_nan_and_never_zero(name):
    train = EDGES["a user and an item without interactions"]
    scores = fitted(name, train).score(train, np.arange(train.n_users))
    unseen = (train.user_counts == 0)[:, np.newaxis] | (train.item_counts == 0)[np.newaxis, :]
    assert not (scores[unseen] == 0.0).any()


def test_global_generators_change_nothing(name):
    board, learnt = checkerboard().train, []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - as a careless plug-in does
        learnt.append({key: array.tobytes() for key, array in fitted(name, board).learned.items()})
    assert learnt[0] == learnt[1]


def test_kernels_know_one_signature_so_that_the_board_compiles_all_there_is(name, train, model):
    board = checkerboard().train
    fitted(name, board).score(board, np.arange(3))
    fresh(name).restore(model.learned).score(train, np.arange(3))
    modules = [module for path, module in sys.modules.items() if path.startswith("recsens.recommenders")]
    kernels = [value for module in modules for value in vars(module).values() if hasattr(value, "signatures")]
    assert {kernel.__name__: len(kernel.signatures) for kernel in kernels if len(kernel.signatures) > 1} == {}


@pytest.mark.parametrize("name", PERSONALISED)
def test_ratings_of_zero_alone_compute_nothing_where_they_are_no_preference(name):
    train = EDGES["a user and an item with ratings of zero alone"]
    recommender = fitted(name, train)
    if recommender.predicts_ratings or isinstance(recommender, NNCos) or getattr(recommender, "preference", None) == "binary":
        pytest.skip("it knows something of whoever rated, and of what was rated")
    scores = recommender.score(train, np.arange(train.n_users))
    assert np.isnan(scores[2]).all()
    # A recommender that sums the ratings of neighbours may give a score of zero.
    added_up = any("neighbours" in array for array in recommender.learned)
    assert (np.nan_to_num(scores[:, 3]) == 0.0).all() if added_up else np.isnan(scores[:, 3]).all()


def test_edges_of_data_are_survived(name):
    for case, train in EDGES.items():
        scores = fitted(name, train).score(train, np.arange(train.n_users))
        assert scores.shape == (train.n_users, train.n_items), case
        assert not np.isinf(scores).any(), case


@pytest.mark.parametrize("name", PERSONALISED)
def test_a_personalised_recommender_finds_the_withheld_item(name):
    recommender, board = fresh(name), checkerboard()
    if recommender.predicts_ratings or isinstance(recommender, NNCos):
        # A recommender that models differences between ratings learns nothing if all are the same.
        board = checkerboard(dislikes=True)
    scores = fitted(name, board.train, ON_THE_BOARD).score(board.train, np.arange(board.train.n_users))
    scores[board.train.user, board.train.item] = np.nan
    if name == "calibrated":
        # Ratings may tie where scores do not, but no other item may be ahead.
        np.testing.assert_array_equal(scores[np.arange(len(scores)), board.withheld], np.nanmax(scores, axis=1))
        return
    np.testing.assert_array_equal(np.nanargmax(scores, axis=1), board.withheld)
