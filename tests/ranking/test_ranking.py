"""Ranking: positions, counts and lists, compared with plain Python, with ties, missing scores and blocks of any size."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.ranking import Rankings, _blocks, rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets import Targets
from recsens.ranking.targets.all_relevant import AR
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.vocabulary import TIES, USERS_AT_ONCE, State

STREAM = Stream.of(1, "tiny", "ties")


class Given(Recommender):
    """Scores written down beforehand."""

    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return self._learned["scores"][users]


class EvenItems(Targets):
    """Items with an even code that are not in the user's train set."""

    def mask(self, train, test, users, relevance, stream):
        return AR().mask(train, test, users, relevance, stream) & (np.arange(train.n_items) % 2 == 0)


@dataclass(frozen=True)
class Case:
    """Scores, and which pair is in train (1), in test (2) or in neither (0)."""

    scores: np.ndarray
    sides: np.ndarray
    user_keys: np.ndarray
    item_keys: np.ndarray
    rated: bool = True

    def side(self, number: int) -> Interactions:
        user, item = np.nonzero(self.sides == number)
        rating = 1.0 + (user * 3 + item) % 5
        return Interactions(
            user.astype(np.int32),
            item.astype(np.int32),
            rating if self.rated else None,
            None,
            self.user_keys,
            self.item_keys,
            Scale(),
        )

    def rank(self, ties: str, *, targets: Targets | None = None, list_depth: int = 3) -> Rankings:
        return rank(
            Given().restore({"scores": self.scores}),
            self.side(1),
            self.side(2),
            targets=targets or AR(),
            relevance=4,
            ties=ties,
            nc=Drop(),
            fallback=None,
            list_depth=list_depth,
            tie_stream=STREAM,
            target_stream=STREAM,
        )

    def ranking(self, user: int, ties: str, targets: Targets | None = None) -> list[int]:
        """Order one user's items by the definition."""
        is_target = (targets or AR()).mask(self.side(1), self.side(2), np.array([user]), 4, STREAM)[0]
        ranked = [item for item in range(self.scores.shape[1]) if is_target[item] and not math.isnan(self.scores[user, item])]
        order = {
            "high_index": lambda item: -item,
            "low_index": lambda item: item,
            "random": lambda item: STREAM.hashes(self.user_keys[user], self.item_keys[item]).item(),
        }[ties]
        return sorted(ranked, key=lambda item: (-self.scores[user, item], order(item)))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n_users, n_items = draw(st.integers(1, 6)), draw(st.integers(1, 9))

    def table(elements: st.SearchStrategy) -> np.ndarray:
        rows = st.lists(st.lists(elements, min_size=n_items, max_size=n_items), min_size=n_users, max_size=n_users)
        return np.array(draw(rows))

    few_values = st.sampled_from([0.0, -0.0, 0.25, 1.0, -2.0, 1e-300, math.nan])
    scores = table(few_values).astype(draw(st.sampled_from(["float32", "float64"])))
    scores[sorted(draw(st.sets(st.integers(0, n_users - 1))))] = np.nan
    keys = st.sets(st.integers(0, 2**62), min_size=n_users + n_items, max_size=n_users + n_items)
    drawn = np.array(sorted(draw(keys)), dtype=np.int64)
    return Case(scores, table(st.integers(0, 2)), drawn[:n_users], drawn[n_users:], draw(st.booleans()))


def assert_as_by_definition(case: Case, found: Rankings, ties: str, targets: Targets, list_depth: int) -> None:
    """Compare every column with plain Python."""
    test, positions, listed = case.side(2), found.positions, 0
    assert list(zip(positions["user"].tolist(), positions["item"].tolist(), strict=True)) == [
        tuple(p) for p in np.argwhere(case.sides == 2)
    ]
    np.testing.assert_array_equal(
        np.ma.filled(positions["rating"], np.nan), test.rating if case.rated else np.full(len(test), np.nan)
    )
    for user in range(len(case.scores)):
        ranking = case.ranking(user, ties, targets)
        is_target = targets.mask(case.side(1), test, np.array([user]), 4, STREAM)[0]
        counts = [int((case.sides[user] == 1).sum()), int((case.sides[user] == 2).sum()), int(is_target.sum()), len(ranking)]
        assert [found.users[name][user] for name in ("train", "test", "targets", "scored")] == counts
        for row in np.flatnonzero(positions["user"] == user):
            item = positions["item"][row]
            score = case.scores[user, item]
            if item in ranking:
                others = [case.scores[user, other] for other in ranking if other != item]
                expected = (
                    ranking.index(item) + 1,
                    sum(o > score for o in others),
                    sum(o == score for o in others),
                    score,
                    State.SCORED,
                )
            else:
                expected = (None, None, None, None, State.NC if is_target[item] else State.OUTSIDE_TARGETS)
            values = [positions[name][row] for name in ("position", "above", "tied", "score")]
            assert tuple(None if value is np.ma.masked else value for value in values) == expected[:4]
            assert positions["state"][row] == expected[4]
        own = slice(listed, listed + min(list_depth, len(ranking)))
        assert found.lists["item"][own].tolist() == ranking[:list_depth]
        assert found.lists["rank"][own].tolist() == list(range(1, len(ranking[:list_depth]) + 1))
        assert (found.lists["user"][own] == user).all()
        assert found.lists["score"][own].tolist() == [case.scores[user, item] for item in ranking[:list_depth]]
        listed = own.stop
    assert listed == len(found.lists["user"])


@pytest.mark.parametrize("targets", [AR(), EvenItems()], ids=["all items", "even items"])
@pytest.mark.parametrize("ties", TIES)
def test_everything_noted_is_what_plain_python_says(ties, targets):
    @given(cases(), st.integers(1, 12))
    def check(case, list_depth):
        assert_as_by_definition(case, case.rank(ties, targets=targets, list_depth=list_depth), ties, targets, list_depth)

    check()


def crowded(n_users: int = 37, n_items: int = 23) -> Case:
    """Scores with many ties and many missing scores."""
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 4, (n_users, n_items)) / 4
    scores[rng.random(scores.shape) < 0.1] = np.nan
    scores[5] = np.nan
    sides = rng.choice([0, 1, 2], scores.shape, p=[0.5, 0.2, 0.3])
    sides[7], sides[8] = 1, 2
    return Case(scores, sides, np.arange(n_users) * 7, np.arange(n_items) * 3)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("block", [1, 2, 5, 36, 37, 38])
def test_the_size_of_a_block_changes_nothing(monkeypatch, ties, block):
    case = crowded()
    whole = case.rank(ties)
    monkeypatch.setattr(_blocks, "USERS_AT_ONCE", block)
    parts = case.rank(ties)
    for a, b in ((whole.positions, parts.positions), (whole.users, parts.users), (whole.lists, parts.lists)):
        assert a.keys() == b.keys()
        for name in a:
            np.testing.assert_array_equal(np.ma.filled(a[name], -1), np.ma.filled(b[name], -1), strict=True)


def test_more_users_than_a_block_holds():
    case = crowded(n_users=USERS_AT_ONCE + 3, n_items=4)
    assert_as_by_definition(case, case.rank("random"), "random", AR(), 3)


def test_a_ranking_worked_by_hand():
    case = Case(np.array([[0.5, 0.9, 0.5, np.nan, 0.5, 0.1]]), np.array([[2, 0, 2, 2, 0, 1]]), np.arange(1), np.arange(6))
    for ties, positions, heads in (("low_index", [2, 3], [1, 0, 2]), ("high_index", [4, 3], [1, 4, 2])):
        found = case.rank(ties)
        assert found.positions["position"].filled(0).tolist() == [*positions, 0]
        assert found.positions["above"].filled(-1).tolist() == [1, 1, -1]
        assert found.positions["tied"].filled(-1).tolist() == [2, 2, -1]
        assert found.positions["state"].tolist() == [State.SCORED, State.SCORED, State.NC]
        assert found.lists["item"].tolist() == heads
        assert {name: column.tolist() for name, column in found.users.items()} == {
            "train": [1],
            "test": [3],
            "targets": [5],
            "scored": [4],
            "filled": [0],
        }


def test_an_empty_test_set_leaves_no_positions_and_all_lists():
    case = Case(np.ones((2, 3)), np.zeros((2, 3), dtype=int), np.arange(2), np.arange(3))
    found = case.rank("low_index")
    assert {len(column) for column in found.positions.values()} == {0}
    assert found.lists["item"].tolist() == [0, 1, 2, 0, 1, 2]


def test_without_a_single_score_there_are_no_lists():
    case = Case(np.full((2, 3), np.nan), np.full((2, 3), 2), np.arange(2), np.arange(3))
    found = case.rank("random")
    assert {len(column) for column in found.lists.values()} == {0}
    assert found.users["scored"].tolist() == [0, 0]
    assert (found.positions["state"] == State.NC).all()
    assert found.positions["position"].mask.all()


def test_random_ties_are_fair_and_drawn_for_each_user():
    n = 400
    case = Case(np.zeros((n, 10)), np.full((n, 10), 2), np.arange(n), np.arange(10))
    positions = case.rank("random").positions["position"].filled(0).reshape(n, 10)
    assert (np.sort(positions, axis=1) == np.arange(1, 11)).all()
    assert positions.mean(axis=0) == pytest.approx(np.full(10, 5.5), abs=0.7)
    assert len(np.unique(positions, axis=0)) > n - 5


def test_random_ties_do_not_change_when_users_and_items_are_renumbered():
    case = Case(np.zeros((6, 8)), np.full((6, 8), 2), np.arange(6) * 11, np.arange(8) * 5)
    users, items = np.random.default_rng(0).permutation(6), np.random.default_rng(1).permutation(8)
    other = Case(np.zeros((6, 8)), np.full((6, 8), 2), case.user_keys[users], case.item_keys[items])
    whole = case.rank("random").positions["position"].filled(0).reshape(6, 8)
    np.testing.assert_array_equal(other.rank("random").positions["position"].filled(0).reshape(6, 8), whole[users][:, items])


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinite_scores_are_refused(infinite):
    case = Case(np.array([[1.0, infinite]]), np.array([[0, 2]]), np.arange(1), np.arange(2))
    with pytest.raises(DesignError, match="returned an infinite score") as refused:
        case.rank("random")
    assert "test_ranking.Given" in str(refused.value)
    assert "NaN where not computable" in str(refused.value)


@pytest.mark.parametrize("shape", [(1, 3), (2, 2), (2, 4), (6,)])
def test_scores_of_another_shape_are_refused(shape):
    class Misshapen(Given):
        def score(self, train, users):
            return np.zeros(shape)

    case = Case(np.zeros((2, 3)), np.full((2, 3), 2), np.arange(2), np.arange(3))
    with pytest.raises(DesignError, match="returned scores of shape") as refused:
        rank(
            Misshapen(),
            case.side(1),
            case.side(2),
            targets=AR(),
            relevance=4,
            ties="random",
            nc=Drop(),
            fallback=None,
            list_depth=3,
            tie_stream=STREAM,
            target_stream=STREAM,
        )
    assert "allowed: shape (2, 3)" in str(refused.value)


def test_whole_numbers_are_scores_too():
    case = Case(np.array([[3, 1, 2]]), np.array([[2, 2, 2]]), np.arange(1), np.arange(3))
    assert case.rank("low_index").positions["position"].filled(0).tolist() == [1, 3, 2]
