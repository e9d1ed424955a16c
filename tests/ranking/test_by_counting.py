"""Ranking by counting gives the same bytes as ranking by sorting, for any targets and any distribution of scores."""

import numpy as np
import pytest

from ranking.by_sorting import rank_by_sorting
from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.ranking import Rankings, _blocks, kernels, rank
from recsens.ranking._positions import TieKeys
from recsens.recommenders import Recommender, ScoredLists
from recsens.seeds import Stream
from recsens.vocabulary import TIES

STREAM = Stream.of(1, "counting")
TARGETS = [
    *("ar", "ar(items=test)", "ar(negatives=unrated)", "ar(n=5)", "ar(n=200,sampling=popularity)", "uar"),
    *("one_r", "one_r(items=test,negatives=unrated)", "one_r(items=train)", "one_r(n=9)", "u1r", "p1r(m=3)"),
    *("one_r(n=9,draw=per_rating)", "rel_plus_n(n=50)", "p1r(m=2,n=7)", "one_r(n=20,sampling=popularity)"),
]
POLICIES = ["drop", "append", "append(users=without_train)", "merge(scale=none)"]
HUGE = np.finfo(np.float64).max


def scores_of(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Draw scores with one of many distributions."""
    normal = rng.standard_normal(shape)
    with np.errstate(over="ignore", under="ignore"):
        scores = {
            "spread": normal,
            "single precision": normal.astype(np.float32),
            "whole numbers": rng.integers(-3, 3, shape),
            "tied": np.round(normal),
            "in pairs": np.round(normal, 2),
            "skewed": np.exp(6 * normal),
            "skewed downwards": -np.exp(6 * normal),
            "masked": np.where(rng.random(shape) < 0.3, -1e9, normal),
            "mostly masked": np.where(rng.random(shape) < 0.9, -1e9, normal),
            "equal": np.full(shape, 2.5),
            "zeros": np.where(normal < 0, 0.0, -0.0) + (normal > 1.5),
            "huge": np.clip(normal * HUGE, -HUGE, HUGE),
            "tiny": normal * 5e-324 * 50,
            "neighbours": 1 + np.abs(np.round(4 * normal)) * np.finfo(np.float64).eps,
            "an outlier below": np.where(np.arange(shape[1]) == 3, -1e300, normal),
            "an outlier above": np.where(np.arange(shape[1]) == 3, 1e300, normal),
            "two heaps": np.where(normal > 0, 1e9, 0) + np.round(normal, 1),
        }[kind]
    if scores.dtype.kind == "f":
        scores = scores.copy()
        scores[rng.random(shape) < 0.1] = np.nan
    return scores


KINDS = [
    *("spread", "single precision", "whole numbers", "tied", "in pairs", "skewed", "equal", "zeros", "huge", "tiny", "neighbours"),
    *("an outlier below", "an outlier above", "two heaps", "skewed downwards", "masked", "mostly masked"),
]


class Given(Recommender):
    """Scores written down beforehand."""

    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return self._learned["scores"][users]


def side(pairs: np.ndarray, rng: np.random.Generator, *, rated: bool = True) -> Interactions:
    user, item = np.nonzero(pairs)
    keys = [np.arange(n, dtype=np.int64) * 7 + 3 for n in pairs.shape]
    rating = rng.integers(1, 6, len(user)).astype(float) if rated else None
    return Interactions(user.astype(np.int32), item.astype(np.int32), rating, None, *keys, Scale())


def sides(shape: tuple[int, int], rng: np.random.Generator, *, rated: bool = True) -> tuple[Interactions, Interactions]:
    """Draw train and test: users without train ratings, without test ratings, with only test ratings, and with one target."""
    of = rng.choice(3, shape, p=[0.5, 0.25, 0.25])
    of[0][of[0] == 1], of[1][of[1] == 2], of[2], of[3, : shape[1] - 1] = 0, 0, 2, 1
    return side(of == 1, rng, rated=rated), side(of == 2, rng, rated=rated)


def assert_same(found: Rankings, expected: Rankings) -> None:
    for part in ("positions", "users", "lists"):
        ours, theirs = getattr(found, part), getattr(expected, part)
        assert list(ours) == list(theirs)
        for name in ours:
            a, b = ours[name], theirs[name]
            assert (a.dtype, np.ma.isMaskedArray(a)) == (b.dtype, np.ma.isMaskedArray(b)), name
            np.testing.assert_array_equal(np.ma.getmaskarray(a), np.ma.getmaskarray(b), err_msg=name)
            # Zeros have signs.
            assert np.ma.filled(a, 0).tobytes() == np.ma.filled(b, 0).tobytes(), name


def both(
    scores, others, train, test, *, targets: str, nc: str, ties: str, list_depth: int, system=None
) -> tuple[Rankings, Rankings]:
    policy = plugins.build("nc", nc)
    given = {
        "targets": plugins.build("targets", targets),
        "relevance": 4.0,
        "ties": ties,
        "nc": policy,
        "fallback": None if policy.fallback is None else Given().restore({"scores": others}),
        "list_depth": list_depth,
        "tie_stream": STREAM.child("ties"),
        "target_stream": STREAM.child("targets"),
    }
    ranked = (system or Given)().restore({"scores": scores})
    return rank(ranked, train, test, **given), rank_by_sorting(ranked, train, test, **given)


@pytest.mark.parametrize("nc", POLICIES)
@pytest.mark.parametrize("targets", TARGETS)
def test_all_that_is_found_is_the_same(monkeypatch, targets, nc):
    monkeypatch.setattr(_blocks, "USERS_AT_ONCE", 5)
    # Every distribution of scores is tested under each choice of targets.
    for number, kind in list(enumerate(KINDS))[POLICIES.index(nc) :: len(POLICIES)]:
        rng = np.random.default_rng(number)
        shape = 8, int(rng.choice([6, 30, 90]))
        train, test = sides(shape, rng, rated=number % 3 > 0)
        scores, others = (scores_of(each, shape, rng) for each in (kind, KINDS[-number]))
        if number % 2:
            scores = np.where(rng.random(shape) < 0.8, np.nan, scores)
        scores[-1:] = np.nan if scores.dtype.kind == "f" else 0
        given = {"targets": targets, "nc": nc, "ties": TIES[number % 3], "list_depth": (0, 1, 7, 100)[number % 4]}
        assert_same(*both(scores, others, train, test, **given))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", KINDS)
def test_long_rows_with_few_and_many_judged_items(kind, ties):
    """Cells of many items are sorted where several of them are judged."""
    rng = np.random.default_rng(len(kind))
    shape = 6, 700
    of = np.zeros(shape, dtype=int)
    for user, n in enumerate((0, 1, 5, 60, 600, 700)):
        of[user, rng.choice(shape[1], n, replace=False)] = 2
    of[3][of[3] == 0] = rng.integers(0, 2, shape[1] - 60)
    train, test = side(of == 1, rng), side(of == 2, rng)
    scores, others = (scores_of(kind, shape, rng) for _ in range(2))
    for targets in ("ar", "one_r"):
        assert_same(*both(scores, others, train, test, targets=targets, nc="append", ties=ties, list_depth=100))


@pytest.mark.parametrize("infinite", [[np.inf], [-np.inf], [np.inf, -np.inf]])
def test_the_kernel_ranks_infinite_values_like_any_others(infinite):
    rng = np.random.default_rng(0)
    values = np.round(rng.standard_normal((1, 200)), 1)
    values[0, rng.random(200) < 0.1] = np.nan
    values[0, rng.choice(200, 40)] = rng.choice(infinite, 40)
    items, stands = np.arange(200, dtype=np.int32), kernels.Stands(*np.zeros((3, 200), dtype=np.int32))
    ties = TieKeys(is_random=False, users=np.zeros(1, dtype=np.uint64), items=items.astype(np.uint64))
    judged = kernels.JudgedInLayer(np.array([0, 200]), items, np.ones(200, dtype=bool))
    ranked, heads = np.zeros(1, dtype=np.int64), np.empty((1, 200), dtype=np.int32)
    kernels.rank_targets(values, np.ones_like(values, dtype=bool), judged, ties, stands, ranked, heads)
    expected = np.lexsort((items, -values[0]))[: ranked[0]]
    assert ranked[0] == (~np.isnan(values)).sum()
    assert heads[0, : ranked[0]].tolist() == expected.tolist()
    assert stands.position[expected].tolist() == list(range(1, ranked[0] + 1))


def test_the_kernel_finds_few_first_items_of_long_rows():
    """Stretches of a long row without first items are skipped; of a cell with very many items, only the first are sorted."""
    rng = np.random.default_rng(0)
    shape = 8, 20_003
    values = rng.standard_normal(shape)
    values[1] = np.exp(6 * values[1])
    values[2] = np.round(values[2], 1)
    values[3, 100:200] += 9
    values[4] = -np.exp(6 * values[4])
    values[5, rng.random(shape[1]) < 0.3] = -1e9
    values[6, values[6] < 2.5] = 0
    values[7] = 0
    is_target = rng.random(shape) < 0.9
    judged = np.sort(rng.choice(shape[1], 2_000, replace=False)).astype(np.int32)
    keys = rng.permutation(shape[1]).astype(np.uint64)
    ties = TieKeys(is_random=False, users=np.zeros(8, dtype=np.uint64), items=keys)
    asked = kernels.JudgedInLayer(np.arange(9) * len(judged), np.tile(judged, 8), is_target[:, judged].ravel())
    stands = kernels.Stands(*np.zeros((3, 8 * len(judged)), dtype=np.int32))
    ranked, heads = np.zeros(8, dtype=np.int64), np.empty((8, 50), dtype=np.int32)
    kernels.rank_targets(values, is_target, asked, ties, stands, ranked, heads)
    for user, position in enumerate(stands.position.reshape(8, -1)):
        order = np.lexsort((keys, -values[user]))
        order = order[is_target[user, order]]
        assert ranked[user] == len(order)
        assert heads[user].tolist() == order[:50].tolist()
        place = np.zeros(shape[1], dtype=np.int64)
        place[order] = np.arange(1, len(order) + 1)
        assert position.tolist() == place[judged].tolist()


class Listed(Given):
    """Scores written down beforehand, as lists."""

    def scored_lists(self, train, users):
        scores = self.score(train, users).astype(np.float64)
        row, item = np.nonzero(~np.isnan(scores))
        return ScoredLists(np.searchsorted(row, np.arange(len(users) + 1)), item.astype(np.int32), scores[row, item])


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("targets", ["ar", "ar(items=test)", "ar(n=5)"])
def test_lists_are_ranked_as_all_scores_are(targets, ties):
    for number, kind in enumerate(KINDS):
        rng = np.random.default_rng(number)
        shape = 8, int(rng.choice([6, 30, 90]))
        train, test = sides(shape, rng, rated=number % 3 > 0)
        scores = np.where(rng.random(shape) < (0.0, 0.5, 0.9)[number % 3], np.nan, scores_of(kind, shape, rng))
        scores[-1:] = np.nan
        given = {"targets": targets, "nc": "drop", "ties": ties, "list_depth": (0, 1, 7, 100)[number % 4]}
        assert_same(*both(scores, None, train, test, **given, system=Listed))
