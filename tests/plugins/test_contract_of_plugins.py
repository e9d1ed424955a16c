"""Plug-ins cannot change their arguments, and the code that calls them checks their results."""

import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from approved import refusal
from recsens import plugins
from recsens.comparison.aggregation import Aggregate, UserMeasures
from recsens.comparison.significance import Comparison, SignificanceTest
from recsens.comparison.users import Population, Users
from recsens.data.datasets import DataSet, Described, Loaded
from recsens.data.filtering import Filter
from recsens.data.splitting import Splitter
from recsens.data.splitting.reduced import MinTrain
from recsens.errors import DesignError, SpecError
from recsens.files.scale import Scale
from recsens.metrics import Catalogue, Judged, ListMetric, Lists, Metric
from recsens.plugins.own import _modules
from recsens.ranking import rank
from recsens.ranking.nc import NotComputable
from recsens.ranking.nc.append import Append
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets import Targets
from recsens.ranking.targets.all_relevant import AR
from recsens.ranking.targets.one_relevant import OneR
from recsens.recommenders import Recommender, learn
from recsens.recommenders.trivial import Popularity
from recsens.seeds import Stream
from recsens.testing import from_rows

X = None
TRAIN = from_rows([[5, X, 3, X], [X, 4, X, 1], [2, X, X, 4]])
TEST = from_rows([[X, 4, X, X], [5, X, X, X], [X, 1, X, X]])
STREAM = Stream.of(1, "guests")
RNG = np.random.default_rng(0)
USERS = np.arange(3)
JUDGED = Judged.of(
    user=np.array([0, 1, 2], dtype=np.int32),
    position=np.array([1, 2, 1]),
    rating=np.array([4.0, 5.0, 1.0]),
    targets_ranked=np.array([2, 2, 2]),
    view="full",
    scale=Scale(),
    relevance=4.0,
    score=np.ones(3),
    item=np.array([1, 0, 1], dtype=np.int32),
)
LISTS = Lists(
    np.array([1, 0, 1], dtype=np.int32),
    np.arange(4),
    Catalogue(TRAIN.user, TRAIN.item, 3, 4, {"genres": [["a"], ["b"], None, []]}),
    USERS,
)
SCORES = UserMeasures(
    ("A", "B"), np.ones((2, 3)), np.ones((2, 3), dtype=np.bool_), np.ones(3), {"train": np.array([2, 2, 2])}, np.zeros((2, 3))
)
POPULATION = Population(*np.ones((4, 3), dtype=np.int64))


def ranked(recommender, targets=None, nc=None, fallback=None):
    return rank(
        recommender,
        TRAIN,
        TEST,
        targets=targets or AR(),
        relevance=4,
        ties="random",
        nc=nc or Drop(),
        fallback=fallback,
        list_depth=2,
        tie_stream=STREAM.child("ties"),
        target_stream=STREAM.child("targets"),
    )


# A plug-in of every kind; a test replaces one of its methods by `act`.


def nothing(*given):
    return None


class Model(Recommender):
    def fit(self, train, rng):
        self._learned = {"n": train.item_counts * 1.0}
        return act(train) or self

    def score(self, train, users):
        return np.ones((len(users), train.n_items))


class Scorer(Model):
    def fit(self, train, rng):
        self._learned = {"n": train.item_counts * 1.0}
        return self

    def score(self, train, users):
        return act(train, users, self._learned)


class Kept(Filter):
    def apply(self, interactions, stream):
        return act(interactions)


class Cut(Splitter):
    def roles(self, interactions, fold, stream):
        return act(interactions)

    def facts(self, interactions, roles):
        return act(interactions, roles)


class Chosen(Targets):
    def mask(self, train, test, users, relevance, stream):
        return act(train, test, users)


class Rated(OneR):
    def by_rating(self, train, test, users, relevance, stream):
        return act(super().by_rating(train, test, users, relevance, stream), train, test, users)


class Value(Metric):
    def measure(self, judged, cutoffs):
        return act(judged)


class Listed(ListMetric):
    def measure_lists(self, lists, judged, cutoffs):
        return act(lists, judged)


class Mean(Aggregate):
    def aggregate(self, scores):
        return act(scores)

    def tested(self, scores):
        return act(scores)

    def weights(self, scores):
        return act(scores)


class Comparing(SignificanceTest):
    def compare(self, a, b, stream, weights=None, offsets=None):
        return act(a, b, weights, offsets)


class AllPairs(Comparing):
    def compare_pairs(self, values, counts, pairs, stream, weights=None, offsets=None):
        return act(values, counts, pairs, weights, offsets)


class Admitted(Users):
    def admit(self, population):
        return act(population)


class Filled(NotComputable):
    @property
    def fallback(self):
        return None

    def fills(self, train_counts):
        return act(train_counts)


class Data(DataSet):
    def load(self, files, stream):
        return act(files)

    def describe(self, files, user_ids, item_ids):
        return act(files)

    def describe_interactions(self, files, users, items):
        return act(files)


act = nothing
ONES = np.ones((2, 3)), np.ones((2, 3), dtype=np.bool_)
CALLS = {
    "fit": lambda: learn(Model(), TRAIN, RNG),
    "score": lambda: learn(Scorer(), TRAIN, RNG).score(TRAIN, np.arange(3)),
    "apply": lambda: Kept().apply(TRAIN, STREAM),
    "roles": lambda: Cut().roles(TRAIN, 0, STREAM),
    "facts": lambda: Cut().facts(TRAIN, np.zeros(6, dtype=np.uint8)),
    "mask": lambda: Chosen().mask(TRAIN, TEST, np.arange(3), 4.0, STREAM),
    "by_rating": lambda: Rated().by_rating(TRAIN, TEST, np.arange(3), 4.0, STREAM),
    "measure": lambda: Value().measure(JUDGED, (5, 10)),
    "measure_lists": lambda: Listed().measure_lists(LISTS, JUDGED, (5, 10)),
    "aggregate": lambda: Mean().aggregate(SCORES),
    "tested": lambda: Mean().tested(SCORES),
    "weights": lambda: Mean().weights(SCORES),
    "compare": lambda: Comparing().compare(np.ones(3), np.ones(3), STREAM, np.ones(3), np.zeros((2, 3))),
    "compare_pairs": lambda: AllPairs().compare_pairs(*ONES, [(0, 1)], STREAM, np.ones(3), np.zeros((2, 3))),
    "admit": lambda: Admitted().admit(POPULATION),
    "fills": lambda: Filled().fills(TRAIN.user_counts.copy()),
    "load": lambda: Data().load([Path("a")], STREAM),
    "describe": lambda: Data().describe([Path("a")], ["a", "b"], ["x"]),
    "describe_interactions": lambda: Data().describe_interactions([Path("a")], ["a", "a", "b"], ["x", "y", "y"]),
}
"""A call to each method that a plug-in of any kind may define."""


def acting(monkeypatch, action):
    monkeypatch.setattr(sys.modules[__name__], "act", action)


# What they receive


def arrays_within(value, seen):  # noqa: C901 - one case for each kind of value
    """Visit every array that a plug-in can reach from its arguments, cached properties and sparse matrices included."""
    if id(value) in seen or isinstance(value, str | int | float | Path | Stream | Scale | None):
        return
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, csr_array):
        yield from (value.data, value.indices, value.indptr)
    elif isinstance(value, list | tuple):
        assert type(value) is not list
        for each in value:
            yield from arrays_within(each, seen)
    elif hasattr(value, "items") and not isinstance(value, csr_array):
        with pytest.raises(TypeError):
            value["new"] = 1
        for each in value.values():
            yield from arrays_within(each, seen)
    else:
        for name in dir(type(value)):
            if not name.startswith("_") and not callable(getattr(type(value), name)):
                first, again = getattr(value, name), getattr(value, name)
                # Arrays that are computed again each time may be changed.
                if not isinstance(first, np.ndarray) or first.size == 0 or np.shares_memory(first, again):
                    yield from arrays_within(first, seen)


@pytest.mark.parametrize("method", [name for name in CALLS if name != "truth"])
def test_nothing_that_a_plug_in_is_handed_can_be_changed(monkeypatch, method):
    found = []

    def look(*given):
        if method == "by_rating":
            given = given[1:]
        found.extend(arrays_within(given, {}))
        raise KeyError("seen")

    acting(monkeypatch, look)
    with pytest.raises(KeyError, match="seen"):
        CALLS[method]()
    assert found or method in {"load", "describe", "describe_interactions"}
    assert not [array for array in found if array.flags.writeable]


def test_what_is_made_of_a_matrix_stays_with_whoever_made_it():
    theirs = TRAIN.matrix
    theirs.data = np.zeros(6)
    theirs.indices, theirs.indptr = theirs.indices[:0], np.zeros_like(theirs.indptr)
    assert TRAIN.matrix.sum() == TRAIN.rating.sum()


MODEL = """\
import numpy as np
from recsens.recommenders import Recommender


class Mine(Recommender):
    def fit(self, train, rng):
        self._learned = {"n": train.item_counts * 1.0}
        return self

    def score(self, train, users):
        scores = np.tile(self._learned["n"], (len(users), 1))
        WRITE
        return scores
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_modules, "_FOLDERS", [])
    Path("lab").mkdir()
    plugins.add_paths(["lab"])
    yield Path("lab")
    for name in [name for name in sys.modules if name.startswith("guest")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "line",
    [
        "users[1:-1] = users[1:-1][::-1]",
        "users[:] = 0",
        "train.user_counts[:] = 0",
        "train.matrix.data[:] = 1",
        "train.matrix.indices.sort()",
        "train.matrix.eliminate_zeros()",
        "np.add(train.rating, 1, out=train.rating)",
        "self._learned['n'] += 1",
    ],
)
def test_a_write_is_told_with_its_line(lab, line):
    (lab / "guest.py").write_text(MODEL.replace("WRITE", line))
    mine = learn(Recommender.build("guest.Mine"), TRAIN, RNG)
    with pytest.raises(DesignError, match="read-only") as refused:
        ranked(mine)
    assert str(refused.value).startswith("lab/guest.py:12: 'guest.Mine' writes into read-only data: ")
    assert "change a copy" in str(refused.value)
    assert TRAIN.user_counts.tolist() == [2, 2, 2]


# What they return

EVERYWHERE = {
    "nothing": None,
    "a list": [1.0, 2.0],
    "a masked array": np.ma.masked_array(np.ones(3), [True, False, False]),
    "a matrix": np.ones((3, 2)).view(np.matrix),
    "a sparse matrix": csr_array(np.eye(3)),
    "an array of objects": np.array([1.0, None, "x"], dtype=object),
    "complex numbers": np.ones(3, dtype=np.complex128),
    "text": np.array(["1", "2", "3"]),
    "a number": 1.0,
}


@pytest.mark.parametrize("method", [name for name in CALLS if name != "fit"])
def test_what_is_no_plain_result_is_refused_with_the_line_of_the_method(monkeypatch, method):
    for name, value in EVERYWHERE.items():
        acting(monkeypatch, lambda *given, value=value: value)
        told = refusal(CALLS[method], DesignError)
        assert f"{Path(__file__).name}:" in told, name
        assert f"'{__name__}." in told, name
        assert "\n  allowed: " in told, name


def plain(*shape, of=1.0):
    return np.full(shape, of)


WRONG = {
    "score": [
        *(plain(2, 4), plain(4, 3), plain(3), plain(3, 4, 1), plain(1, 4)),
        *(plain(3, 4, of=np.longdouble(1)), plain(3, 4, of=np.inf), plain(3, 4, of=True)),
    ],
    "measure": [plain(3), plain(3, 1), plain(2, 3), plain(1, 2), plain(3, 2, of=-np.inf)],
    "measure_lists": [plain(3), plain(1, 2)],
    "aggregate": [plain(3, 2), plain(2, of=np.inf)],
    "tested": [plain(3, 2), plain(2, 3, of=np.inf)],
    "weights": [plain(3, 2), plain(3, of=np.nan), plain(3, of=-1.0)],
    "roles": [np.zeros(5, dtype=np.uint8), plain(6, of=0.0), plain(6, of=True), plain(6, of=4), plain(6, of=-1)],
    "mask": [np.zeros((2, 4), dtype=np.bool_), plain(3, 4, of=1), plain(3, 4, of=True)],
    "admit": [np.ones(2, dtype=np.bool_), plain(3, of=1)],
    "fills": [np.ones(2, dtype=np.bool_)],
    "facts": [{"share": float("nan")}, {1: 2.0}],
    "compare": [
        Comparison(0.1, 0.0, 0.2, 1.0, 1.5, 3),
        Comparison(np.inf, 0.0, 0.2, 1.0, 0.5, 3),
        Comparison(0.1, 0.2, 0.0, 1.0, 0.5, 3),
        Comparison("0.1", 0.0, 0.2, 1.0, 0.5, 3),
    ],
    "compare_pairs": [[], [None]],
    "describe": [Described({"age": [31]}), {"age": [31, 40]}],
    "describe_interactions": [{"device": ["phone"]}, Described()],
}
"""Results of each method of a plug-in that are of a wrong shape, type or value."""


def without_lines(message: str) -> str:
    """Leave out the folder of this file and the lines of its methods."""
    return re.sub(r"\S*/(test_\w+\.py):\d+", r"\1", message)


def refused_result(monkeypatch, method: str, action) -> str:
    acting(monkeypatch, action)
    return without_lines(refusal(CALLS[method], DesignError))


@pytest.mark.parametrize("method", WRONG)
def test_a_wrong_result_is_refused(monkeypatch, method, approved):
    approved([refused_result(monkeypatch, method, lambda *given, value=value: value) for value in WRONG[method]])


def test_what_cannot_be_kept_of_a_model_is_refused(approved):
    masked = np.ma.masked_array([1.0], [True])
    kept = {"n": np.array([None])}, {"n": [1, 2]}, {"n": csr_array(np.eye(2))}, {"n": masked}, {1: np.ones(2)}, [np.ones(2)]

    def keep(learnt):
        class Learner(Scorer):
            def fit(self, train, rng):
                self._learned = learnt
                return self

        return learn(Learner(), TRAIN, RNG)

    approved([without_lines(refusal(partial(keep, learnt), DesignError)) for learnt in kept])


LEFT = {
    "a user too many": {"user": TRAIN.user + np.int32(1)},
    "an item below zero": {"item": TRAIN.item - np.int32(1)},
    "a pair twice": {"user": TRAIN.user * np.int32(0), "item": TRAIN.item * np.int32(0)},
    "one column shorter": {"item": TRAIN.item[:5]},
    "ratings shorter": {"rating": TRAIN.rating[:5]},
    "a rating missing": {"rating": np.full(6, np.nan)},
    "ratings off the scale": {"rating": TRAIN.rating * 2},
    "other users": {"user_keys": np.arange(4)},
    "times as text": {"timestamp": np.array(["1"] * 6)},
}
LOADED = Loaded(["a", "b"], ["x", "y"], np.array([0, 1]), np.array([1, 0]), np.array([1, 5]), None, Scale())
RAW = {
    "a code without a name": {"user": np.array([0, 2])},
    "names twice": {"item_ids": ["x", "x"]},
    "names that are numbers": {"user_ids": [1, 2]},
    "out of order": {"user": np.array([1, 0])},
    "a rating off the scale": {"rating": np.array([1, 6])},
    "times as fractions": {"timestamp": np.array([0.5, 1.5])},
}


def test_a_filter_that_leaves_no_proper_data_and_a_data_set_that_contradicts_itself_are_refused(monkeypatch, approved):
    left, raw = (lambda data, c=changes: replace(data, **c) for changes in LEFT.values()), {}
    told = {name: refused_result(monkeypatch, "apply", action) for name, action in zip(LEFT, left, strict=True)}
    for name, changes in RAW.items():
        raw[f"data set: {name}"] = refused_result(monkeypatch, "load", lambda files, c=changes: replace(LOADED, **c))
    approved({**told, **raw})
    acting(monkeypatch, lambda files: LOADED)
    assert CALLS["load"]().user.dtype == np.int32


def test_what_a_filter_leaves_has_the_usual_types(monkeypatch):
    acting(monkeypatch, lambda data: replace(data, user=data.user.astype(np.int64), rating=data.rating.astype(np.float32)))
    left = CALLS["apply"]()
    assert (left.user.dtype, left.rating.dtype) == (np.int32, np.float64)


def test_target_sets_that_would_be_read_past_their_end_are_refused(monkeypatch, approved):
    told = []
    for changes in (
        {"indptr": np.array([0, 9, 1, 2])},
        {"items": np.array([0, 9], dtype=np.int32)},
        {"draw": lambda: np.full((2, 3), 99, dtype=np.int32)},
        {"pool": np.ones((3, 4), dtype=np.int8)},
    ):
        acting(monkeypatch, lambda chosen, *_, c=changes: replace(chosen, **c))
        told += [without_lines(refusal(lambda: ranked(Popularity().fit(TRAIN, RNG), targets=Rated()), DesignError))]
    approved(told)


class Mixin:
    def score(self, train, users):
        return [1.0]


@pytest.mark.parametrize("bases", [(Mixin, Scorer), (type("Deep", (Mixin,), {}), Scorer)])
def test_a_method_of_a_base_that_is_no_plug_in_is_checked_too(bases):
    with pytest.raises(DesignError, match="returned list as scores"):
        type("Mixed", bases, {})().score(TRAIN, USERS)


def test_a_split_within_another_is_checked_too(monkeypatch):
    monkeypatch.setattr(plugins.registry, "build", lambda kind, spec: Cut())
    acting(monkeypatch, lambda data: np.full(len(data), 7, dtype=np.uint8))
    with pytest.raises(DesignError, match="the unknown role 7"):
        MinTrain().roles(TRAIN, 0, STREAM)


def test_an_array_that_is_filled_anew_at_each_call_changes_nothing_returned_before(monkeypatch):
    same = np.zeros((3, 2))

    def fill(judged):
        same[:] += 1
        return same

    acting(monkeypatch, fill)
    first, second = CALLS["measure"](), CALLS["measure"]()
    assert (first == 1).all()
    assert (second == 2).all()


def test_a_filter_that_fills_the_same_array_twice_does_not_change_what_it_returned_first(monkeypatch):
    same = TRAIN.rating.copy()

    def lower(data):
        same[:] = np.maximum(data.rating - 1, 1)
        return replace(data, rating=same)

    acting(monkeypatch, lower)
    first = CALLS["apply"]()
    before = first.rating.copy()
    second = Kept().apply(first, STREAM)
    np.testing.assert_array_equal(first.rating, before)
    np.testing.assert_array_equal(second.rating, np.maximum(before - 1, 1))


def test_a_fallback_that_shares_an_array_with_the_system_does_not_change_its_scores():
    shared = np.zeros((3, 4))

    class Sharing(Scorer):
        fallback: bool = False

        def score(self, train, users):
            shared[:] = 7.0 if self.fallback else np.where(np.arange(4) < 2, 1.0, np.nan)
            return shared

    found = ranked(learn(Sharing(), TRAIN, RNG), nc=Append(), fallback=learn(Sharing(fallback=True), TRAIN, RNG))
    assert set(found.positions["score"].compressed()) == {1.0}


# What ends Python


def test_a_module_that_exits_is_refused_and_named(lab):
    (lab / "guest.py").write_text(f"import sys\nsys.exit()\n{MODEL}")
    with pytest.raises(SpecError, match=r"lab/guest\.py:2: .*importing it ends Python"):
        plugins.build("recommender", "guest.Mine")
