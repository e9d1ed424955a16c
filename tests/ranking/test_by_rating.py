"""1R: every relevant rating's ranking, compared with plain Python, and an example worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsens import plugins
from recsens.ranking import Rankings, _blocks, rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.testing import from_rows
from recsens.vocabulary import TIES, State

STREAM = Stream.of(1, "tiny")
X = None


class Given(Recommender):
    """Scores written down beforehand."""

    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return self._learned["scores"][users]


def ranked(scores, train, test, targets: str | Targets, *, ties="random", relevance=4.0) -> Rankings:
    return rank(
        Given().restore({"scores": np.asarray(scores, dtype=float)}),
        train,
        test,
        targets=plugins.build("targets", targets) if isinstance(targets, str) else targets,
        relevance=relevance,
        ties=ties,
        nc=Drop(),
        fallback=None,
        list_depth=3,
        tie_stream=STREAM.child("ties"),
        target_stream=STREAM.child("targets"),
    )


def column(found: Rankings, name: str) -> list:
    return np.ma.filled(found.positions[name], 0).tolist()


def test_a_vector_worked_by_hand():
    # Two relevant items score .9 and .4, three others .8, .5 and .3.
    scores = [[0.9, 0.4, 0.8, 0.5, 0.3, 0.99]]
    train, test = from_rows([[X, X, X, X, X, 3]]), from_rows([[5, 4, X, 2, X, X]])
    found = ranked(scores, train, test, "one_r")
    assert column(found, "item") == [0, 1]
    assert column(found, "position") == [1, 3]
    assert column(found, "targets") == [4, 4]
    assert column(found, "ranked") == [4, 4]
    assert column(found, "percentile") == [0, 0]
    assert {name: value.tolist() for name, value in found.users.items()} == {
        "train": [1],
        "test": [3],
        "targets": [3],
        "scored": [3],
        "filled": [0],
    }
    assert len(found.lists["item"]) == 0


def test_what_is_disliked_stands_aside_where_only_the_unrated_are_negatives():
    scores = [[0.9, 0.4, 0.8, 0.5, 0.3, 0.99]]
    train, test = from_rows([[X, X, X, X, X, 3]]), from_rows([[5, 4, X, 2, X, X]])
    found = ranked(scores, train, test, "one_r(negatives=unrated)")
    assert column(found, "position") == [1, 2]
    assert column(found, "targets") == [3, 3]


def test_a_relevant_item_without_a_score_is_a_miss_and_so_is_one_that_is_no_candidate():
    scores = [[math.nan, 0.4, 0.8, math.nan, 0.3, 0.99], [0.5] * 6]
    train = from_rows([[X, X, X, X, X, 3], [X, X, 1, 1, 1, X]])
    test = from_rows([[5, 4, X, 2, X, X], [X] * 6])
    found = ranked(scores, train, test, "one_r")
    assert found.positions["position"].mask.tolist() == [True, False]
    assert column(found, "state") == [State.NC, State.SCORED]
    assert column(found, "targets") == [4, 4]
    assert column(found, "ranked") == [2, 3]
    found = ranked(scores, train, test, "one_r(items=train)")
    assert column(found, "state") == [State.OUTSIDE_TARGETS] * 2
    assert found.positions["position"].mask.all()


def test_only_the_percentile_of_the_item_counts():
    # Items by train ratings: 0, 1 (twice) and 2, 3 (once); user 2 likes 1 and 3.
    train = from_rows([[3, 3, 3, X], [3, 3, X, 3], [X, X, X, X]])
    test = from_rows([[X] * 4, [X] * 4, [X, 5, X, 5]])
    found = ranked([[0.0] * 4, [0.0] * 4, [0.1, 0.9, 0.95, 0.5]], train, test, "p1r(m=2)")
    assert column(found, "item") == [1, 3]
    assert column(found, "percentile") == [0, 1]
    assert column(found, "position") == [1, 2]
    assert column(found, "targets") == [2, 2]


SPECS = [
    "one_r",
    "one_r(items=test,negatives=unrated)",
    "one_r(items=train)",
    "one_r(n=2)",
    "one_r(n=3,draw=per_rating,negatives=unrated)",
    "one_r(n=2,sampling=popularity,draw=per_rating)",
    "rel_plus_n(n=2)",
    "p1r(m=3)",
    "p1r(m=2,n=2,draw=per_rating)",
    "u1r(n=1)",
]


def by_definition(scores, train, test, spec, ties, relevance):
    """Rank every relevant rating's targets with plain Python: user, item, above, tied, position, state, targets, ranked."""
    targets = plugins.build("targets", spec)
    for user in range(len(scores)):
        chosen = targets.by_rating(train, test, np.array([user]), relevance, STREAM.child("targets"))
        drawn = None if chosen.draw is None else chosen.draw()
        for place, item in enumerate(chosen.items.tolist()):
            others = {other for other in range(train.n_items) if chosen.pool[0, other]}
            others = {other for other in others if chosen.strata.of[other] == chosen.strata.of[item]}
            if drawn is not None:
                others = set(drawn[place].tolist()) - {-1}
            computable = [other for other in others if not math.isnan(scores[user, other])]
            is_candidate = bool(chosen.is_candidate[place])
            score = scores[user, item]
            if not is_candidate or math.isnan(score):
                state = State.NC if is_candidate else State.OUTSIDE_TARGETS
                yield user, item, 0, 0, 0, state, len(others) + is_candidate, len(computable)
                continue
            order = {
                "high_index": lambda other: -other,
                "low_index": lambda other: other,
                "random": lambda other, user=user: (
                    STREAM.child("ties").hashes(train.user_keys[user], train.item_keys[other]).item()
                ),
            }[ties]
            ranking = sorted([*computable, item], key=lambda other: (-scores[user, other], order(other)))
            above = sum(scores[user, other] > score for other in computable)
            tied = sum(scores[user, other] == score for other in computable)
            size = len(others) + 1
            yield user, item, above, tied, ranking.index(item) + 1, State.SCORED, size, len(ranking)


@st.composite
def cases(draw: st.DrawFn):
    n_users, n_items = draw(st.integers(1, 5)), draw(st.integers(3, 9))

    def table(elements: st.SearchStrategy) -> list[list]:
        return draw(st.lists(st.lists(elements, min_size=n_items, max_size=n_items), min_size=n_users, max_size=n_users))

    sides = table(st.integers(-3, 6))
    train = from_rows([[3 if cell in (-3, -2) else X for cell in row] for row in sides])
    test = from_rows([[cell if cell in (1, 2, 3, 4, 5) else X for cell in row] for row in sides])
    return np.array(table(st.sampled_from([0.0, 0.25, 1.0, -2.0, math.nan]))), train, test


@pytest.mark.parametrize("spec", SPECS)
def test_everything_noted_is_what_plain_python_says(spec):
    @settings(max_examples=8)
    @given(cases(), st.sampled_from([2.0, 4.0]), st.sampled_from(TIES))
    def check(case, relevance, ties):
        found = ranked(*case, spec, ties=ties, relevance=relevance)
        names = ("user", "item", "above", "tied", "position", "state", "targets", "ranked")
        noted = list(zip(*(column(found, name) for name in names), strict=True))
        assert noted == list(by_definition(*case, spec, ties, relevance))
        assert all(rating >= relevance for rating in column(found, "rating"))

    check()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("block", [1, 3])
def test_the_size_of_a_block_changes_nothing(monkeypatch, spec, block):
    rng = np.random.default_rng(4)
    sides = rng.choice([0, 1, 2], (17, 12), p=[0.5, 0.2, 0.3])
    train = from_rows([[3 if cell == 1 else X for cell in row] for row in sides])
    test = from_rows([[5 if cell == 2 else X for cell in row] for row in sides])
    scores = rng.integers(0, 4, sides.shape) / 4
    whole = ranked(scores, train, test, spec)
    monkeypatch.setattr(_blocks, "USERS_AT_ONCE", block)
    parts = ranked(scores, train, test, spec)
    for a, b in ((whole.positions, parts.positions), (whole.users, parts.users)):
        for name in a:
            np.testing.assert_array_equal(np.ma.filled(a[name], -1), np.ma.filled(b[name], -1), strict=True)


def test_lists_of_one_relevant_item_are_those_of_all_relevant_items_without_the_others():
    """A user with a single relevant item has the same ranking under both."""
    rng = np.random.default_rng(0)
    scores = rng.random((6, 9))
    sides = [[X] * 9 for _ in range(6)]
    test = from_rows([[5 if item == user else X for item in range(9)] for user in range(6)])
    train = from_rows(sides)
    for one, every in (("one_r", "ar"), ("one_r(n=4)", "ar(n=4)"), ("one_r(items=test)", "ar(items=test)")):
        assert column(ranked(scores, train, test, one), "position") == column(ranked(scores, train, test, every), "position")
