"""The dial, compared with every sample of small pools, with many draws, and with the real 1R design."""

from dataclasses import replace
from functools import partial
from itertools import combinations, product
from math import log2

import numpy as np
import pytest
from scipy import stats

from approved import refusal
from conclusions.meta.boards import asked, metrics, random_board, rules
from recsens.comparison.users import Users
from recsens.conclusions.meta import Board
from recsens.conclusions.meta.dial import Dial, SampledBoard, corrected
from recsens.errors import DesignError, SpecError
from recsens.files.scale import Scale
from recsens.metrics import Judged
from recsens.metrics._kernels import fill_chances
from recsens.outcomes.measuring.stored_rankings import RankedUsers, population_of
from recsens.outcomes.panels import FoldMeasures
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.testing import crowd

GAINS = {
    "P@2": lambda place: (place <= 2) / 2,
    "R@3": lambda place: float(place <= 3),
    "Success@1": lambda place: float(place <= 1),
    "RR": lambda place: 1 / place,
    "RR@2": lambda place: (place <= 2) / place,
    "AP": lambda place: 1 / place,
    "nDCG@4": lambda place: (place <= 4) / log2(1 + place),
    "nDCG(gain=exp)": lambda place: 1 / log2(1 + place),
}
"""The value of a ranking with a single relevant item at a place, by definition."""


def board_of(positions, n_items, *, users=None, ratings=None, decided=None) -> Board:
    """Return a board of relevant test items at these positions of full rankings, shape (n_systems, n_ratings), one per user."""
    position = np.array(positions, dtype=np.int32)
    n = position.shape[1]
    user = np.arange(n, dtype=np.int32) if users is None else np.array(users, dtype=np.int32)
    n_users = int(user.max()) + 1
    return Board(
        systems=tuple("ABC"[: len(position)]),
        user=user,
        item=np.arange(n, dtype=np.int32),
        rating=np.full(n, 5.0) if ratings is None else np.array(ratings, dtype=np.float64),
        position=position,
        score=None,
        ranked=np.full((len(position), n_users), n_items),
        train=np.ones(n_users, dtype=np.int64),
        item_train=np.ones(n, dtype=np.int64),
        scale=Scale(1, 5),
        rules=decided or rules(),
    )


def enumerated(gain, above, pool, n, *, replacement=False):
    """Average a gain over every sample of a pool, of which the first ``above`` are above the item."""
    samples = product(range(pool), repeat=n) if replacement else combinations(range(pool), min(n, pool))
    return np.mean([gain(1 + sum(other < above for other in sample)) for sample in samples])


def found(board, written, quantity, dial=None):
    """Return the findings of a quantity by system and number."""
    dial = dial or Dial()
    question = asked(board, written)
    dial.check(question)
    return {(each.system_a, each.at): each for each in dial.analyse(board, question) if each.quantity == quantity}


# Expected values


def test_a_vector_worked_by_hand():
    # One of four candidates above, two drawn: it is among them in 3 of 6 samples.
    dial = Dial(negatives=(1, 2, 4))
    board = board_of([[2]], 5)
    assert found(board, ["RR"], "expected", dial)["A", 2].value == 0.75
    assert found(board, ["Success@1"], "expected", dial)["A", 1].value == 0.75
    assert found(board, ["nDCG@5"], "expected", dial)["A", 2].value == pytest.approx(0.5 + 0.5 / log2(3), abs=1e-12)
    assert found(board, ["P@2"], "expected", dial)["A", 4].value == 0.5


@pytest.mark.parametrize(("pool", "n", "replacement"), [*((6, n, False) for n in (1, 2, 3, 5, 8)), (4, 2, True), (3, 5, True)])
def test_every_sample_of_a_small_pool_gives_the_same_mean(pool, n, replacement):
    board = board_of([list(range(1, pool + 2))], pool + 1)
    sampled = SampledBoard.of(board, asked(board, list(GAINS)), n, replacement=replacement)
    expected = sampled.expected(n)[:, 0]
    for value, gain in zip(expected, GAINS.values(), strict=True):
        by_hand = np.mean([enumerated(gain, above, pool, n, replacement=replacement) for above in range(pool + 1)])
        assert value == pytest.approx(by_hand, abs=1e-12)


def test_other_relevant_items_are_no_rivals_and_a_miss_is_zero():
    # User 0: relevant at 1, 3 and nowhere, a disliked item at 2. User 1: relevant at 4. Every rating counts the same.
    board = board_of([[1, 2, 3, 0, 4]], 6, users=[0, 0, 0, 0, 1], ratings=[5, 1, 5, 4, 4])
    # Of the pools of 6 - 2 = 4 and 6 - 1 = 5 candidates, 0, 1 and 3 are above.
    for n in (1, 2, 5):
        value = found(board, ["RR"], "expected", Dial(negatives=(n,)))["A", n]
        places = [enumerated(GAINS["RR"], 0, 4, n), enumerated(GAINS["RR"], 1, 4, n), 0, enumerated(GAINS["RR"], 3, 5, n)]
        assert value.value == pytest.approx(np.mean(places), abs=1e-12)
        assert value.n == 4


def test_candidates_that_are_not_ranked_are_drawn_too():
    board = replace(board_of([[2]], 3), targets=np.array([[5]]), is_target=np.array([[True]]))
    assert found(board, ["Success@1"], "expected", Dial(negatives=(1,)))["A", 1].value == 0.75
    # An item that is not ranked is a miss; if it is a target, it is not a candidate for the others.
    board = board_of([[2, 0]], 3, users=[0, 0])
    board = replace(board, targets=np.array([[5]]), is_target=np.array([[True, True]]))
    assert found(board, ["Success@1"], "expected", Dial(negatives=(1,)))["A", 1].value == pytest.approx((2 / 3) / 2)


def test_draws_come_to_the_same_mean():
    random = np.random.default_rng(1)
    for above, pool, n in ((3, 50, 10), (9, 300, 100), (0, 9, 4), (9, 9, 4)):
        board = board_of([[above + 1]], pool + 1)
        expected = SampledBoard.of(board, asked(board, list(GAINS)), n, replacement=False).expected(n)[:, 0]
        places = 1 + random.hypergeometric(above, pool - above, n, size=100_000)
        for value, gain in zip(expected, GAINS.values(), strict=True):
            drawn = np.array([gain(place) for place in range(1, pool + 2)])[places - 1]
            assert abs(drawn.mean() - value) <= 4 * drawn.std() / np.sqrt(len(drawn)) + 1e-12


@pytest.mark.parametrize("replacement", [False, True])
def test_chances_are_those_of_a_library(replacement):
    random = np.random.default_rng(2)
    cases = [(above, pool, n) for pool in (1, 2, 5) for above in range(pool + 1) for n in (1, 2, 5)]
    for pool in (60, 3_000, 400_000):
        cases += [(int(random.integers(pool + 1)), pool, int(random.integers(1, min(pool, 3_000) + 1))) for _ in range(20)]
    for above, pool, n in cases:
        weights = np.zeros(n + 1)
        fill_chances(above, pool, n, replacement, weights)
        law = stats.binom(n, above / pool) if replacement else stats.hypergeom(pool, above, min(n, pool))
        np.testing.assert_allclose(weights, law.pmf(np.arange(n + 1)), rtol=1e-7, atol=1e-15)


def test_with_one_negative_it_is_the_auc():
    above, pool = 3, 11
    board = board_of([[above + 1]], pool + 1)
    judged = Judged.of(
        user=np.zeros(pool + 1, dtype=np.int32),
        position=np.arange(1, pool + 2),
        rating=np.where(np.arange(pool + 1) == above, 5.0, 1.0),
        targets_ranked=np.array([pool + 1]),
        view="full",
        scale=Scale(1, 5),
        relevance=4,
    )
    (auc,) = metrics("AUC")
    value = auc.metric.measure(judged, (auc.cutoff,))[0, 0]
    assert found(board, ["Success@1"], "expected")["A", 1].value == pytest.approx(value)
    [finding] = [each for each in Dial().analyse(board, asked(board, ["RR"])) if each.quantity == "auc"]
    assert finding.value == pytest.approx(value)


def test_with_all_candidates_it_is_the_full_ranking():
    board = board_of([[1, 4, 0, 9], [3, 2, 1, 10]], 10)
    written = [*GAINS, "ERR@10", "Rprec"]
    values = [np.mean(board.values(metrics(*written), system)[0], axis=1) for system in range(2)]
    for n in (9, 50):
        sampled = SampledBoard.of(board, asked(board, written), n, replacement=False)
        np.testing.assert_allclose(sampled.expected(n).T, values, atol=1e-12)
        np.testing.assert_allclose(sampled.corrected(n, 0.1).T, values, atol=1e-12)
        np.testing.assert_allclose(sampled.full().T, values, atol=1e-12)


def test_grades_of_the_items_count():
    board = board_of([[2, 3, 1]], 8, ratings=[4, 5, 5])
    expected = found(board, ["ERR@5"], "expected", Dial(negatives=(3,)))["A", 3].value
    at = [enumerated(lambda place: (place <= 5) / place, above, 7, 3) for above in (1, 2, 0)]
    (err,) = metrics("ERR@5")
    worth = [err.metric.measure(board_of([[1]], 8, ratings=[rating]).judged(0), (5,))[0, 0] for rating in (4, 5, 5)]
    assert len(set(worth)) == 2
    assert expected == pytest.approx(np.mean(np.multiply(worth, at)))


class Given(Recommender):
    """Scores written down beforehand."""

    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return self._learned["scores"][users]


@pytest.mark.parametrize(
    ("ar", "one_r", "users", "n_draws"),
    [
        ("ar", "one_r(n=8)", "with_ratings(train=4,test=3)", 60),
        ("ar(items=train)", "one_r(items=train,n=8,draw=per_rating)", "with_ratings(train=1)", 60),
        ("ar", "one_r(n=49)", "with_ratings(train=1)", 1),  # nobody has that many items left, so a single draw suffices
    ],
)
def test_the_real_design_comes_to_the_same_mean(ar, one_r, users, n_draws):
    # Ties, items without a score, and items without train ratings.
    data = crowd(40, 50, 0.2, seed=3)
    random = np.random.default_rng(4)
    in_train = (random.random(len(data)) < 0.5) & (data.item > 5)
    train, test = data.take(in_train), data.take(~in_train)
    scores = np.round(random.normal(0, 1, (40, 50)), 1)
    scores[random.random(scores.shape) < 0.1] = np.nan
    recommender = Given().restore({"scores": scores})

    def ranked(targets, draw):
        stream = Stream.of(5, "dial")
        found = rank(
            recommender,
            train,
            test,
            targets=Targets.build(targets),
            relevance=4,
            ties="random",
            nc=Drop(),
            fallback=None,
            list_depth=1,
            tie_stream=stream.child("ties"),
            target_stream=stream.child(str(draw)),
        )
        return RankedUsers.of(found, Scale())

    written = ["P@3", "RR", "nDCG@5", "R@2", "ERR@4"]
    board = Board.of({"A": ranked(ar, 0)}, train.item_counts, rules(users=users), {})
    n = Targets.build(one_r).n
    expected = SampledBoard.of(board, asked(board, written), n, replacement=False).expected(n)[:, 0]
    draws = []
    for draw in range(n_draws):
        rankings = ranked(one_r, draw)
        judged = rankings.judged("full", 4)
        population = population_of(rankings, judged)
        admitted = Users.build(users).admit(population)
        draws.append(
            [
                FoldMeasures.of(
                    rankings.grouped(each.metric.measure(judged, (each.cutoff,)))[..., 0],
                    rankings.weights,
                    admitted,
                    population,
                    rankings.cover("full", judged, ()),
                ).mean("full")
                for each in metrics(*written)
            ]
        )
    errors = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert (np.abs(np.mean(draws, axis=0) - expected) <= 4 * errors + 1e-12).all()


# Corrected values


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.5, 1.0])
def test_the_corrected_metric_minimises_bias_and_variance(gamma, replacement):
    pool, n = (5, 3) if replacement else (7, 4)
    full = np.array([GAINS["nDCG@4"](1 + above) for above in range(pool + 1)])
    [estimate] = corrected(full[:, np.newaxis], pool, n, gamma, replacement=replacement).T

    def loss(estimate):
        total = 0.0
        for above in range(pool + 1):
            samples = product(range(pool), repeat=n) if replacement else combinations(range(pool), n)
            given = np.array([estimate[sum(other < above for other in sample)] for sample in samples])
            total += (given.mean() - full[above]) ** 2 + gamma * given.var()
        return total

    # The loss is quadratic: at its minimum, a step to either side costs the same.
    for step in np.eye(n + 1):
        assert loss(estimate + step) == pytest.approx(loss(estimate - step))
        assert loss(estimate + step) > loss(estimate)


def test_corrected_values_are_the_mean_over_every_sample():
    pool, n = 7, 3
    board = board_of([[1, 3, 5, 8, 0]], pool + 1)
    value = found(board, ["RR"], "corrected", Dial(negatives=(n,)))["A", n].value
    full = np.array([[1 / (1 + above)] for above in range(pool + 1)])
    [estimate] = corrected(full, pool, n, 0.1, replacement=False).T
    by_hand = [enumerated(lambda place: estimate[place - 1], above, pool, n) for above in (0, 2, 4, 7)]
    assert value == pytest.approx(sum(by_hand) / 5, abs=1e-12)


@pytest.mark.parametrize(("n", "estimated_for"), [(5, 7), (9, 9)])
def test_pools_of_other_sizes_share_an_estimate_and_whole_pools_need_none(n, estimated_for):
    # 4, 8 and 10 candidates, 7 on average; the estimate knows at least as many as are drawn.
    board = replace(board_of([[3, 3, 3]], 0), ranked=np.array([[5, 9, 11]]))
    value = found(board, ["RR"], "corrected", Dial(negatives=(n,)))["A", n].value
    full = np.array([[1 / (1 + above)] for above in range(estimated_for + 1)])
    [estimate] = corrected(full, estimated_for, n, 0.1, replacement=False).T
    by_hand = [1 / 3 if pool <= n else enumerated(lambda place: estimate[place - 1], 2, pool, n) for pool in (4, 8, 10)]
    assert value == pytest.approx(np.mean(by_hand), abs=1e-12)


def test_the_correction_comes_nearer_to_the_full_value():
    random = np.random.default_rng(6)
    board = board_of(1 + random.integers(0, 500, (1, 400)), 501)
    [full] = found(board, ["RR@10"], "full").values()
    expected, estimate = (found(board, ["RR@10"], name)["A", 100].value for name in ("expected", "corrected"))
    assert abs(estimate - full.value) < abs(expected - full.value) / 3


# What changes places


def test_systems_change_places_between_two_numbers():
    # A finds the items first, last and last, B all in the middle.
    board = board_of([[1, 5, 5], [3, 3, 3]], 5)
    dial = Dial(negatives=(1, 2, 4))
    expected = found(board, ["Success@1"], "expected", dial)
    assert [round(expected["A", n].value, 12) for n in (1, 2, 4)] == [round(1 / 3, 12)] * 3
    assert [round(expected["B", n].value, 12) for n in (1, 2, 4)] == [0.5, round(1 / 6, 12), 0]
    [crossing] = found(board, ["Success@1"], "crossing", dial).values()
    assert (crossing.system_a, crossing.system_b, crossing.low, crossing.high, crossing.at) == ("B", "A", 1, 2, 2)
    # B is ahead by 1/6, then behind by 1/6: half way, in logarithms.
    assert crossing.value == pytest.approx(np.sqrt(2))
    same = found(board, ["Success@1"], "same_winner", dial)
    assert [same["", n].value for n in (1, 2, 4)] == [0, 1, 1]
    assert found(board, ["Success@1"], "kept", dial).popitem()[1].value == pytest.approx(2 / 3)
    agreement = found(board, ["Success@1"], "agreement", dial)
    assert [agreement["", n].value for n in (1, 2, 4)] == [-1, 1, 1]


def test_the_last_change_may_come_beyond_the_numbers():
    board = board_of([[1, 5, 5], [3, 3, 3]], 5)
    [crossing] = found(board, ["Success@1"], "crossing", Dial(negatives=(1,))).values()
    assert (crossing.low, crossing.high) == (1, 4)
    assert found(board, ["Success@1"], "crossing", Dial(negatives=(1,), replacement=True)) == {}


def test_ties_are_no_order():
    # If the cut-off is deeper than the sample, every system finds everything.
    board = board_of([[1, 5, 5], [3, 3, 3]], 5)
    assert found(board, ["P@4"], "crossing", Dial(negatives=(1, 2))) == {}
    assert np.isnan(found(board, ["R@4"], "agreement", Dial(negatives=(1,)))["", 1].value)
    assert found(board, ["R@4"], "same_winner", Dial(negatives=(1,)))["", 1].value == 0


def test_the_order_of_rows_and_metrics_changes_nothing():
    board = random_board(5)
    question = asked(board, ["RR", "P@10", "ERR@5", "R@10"])
    analysed = Dial(negatives=(1, 7, 20)).analyse(board, question)
    again = Dial(negatives=(1, 7, 20)).analyse(board, replace(question, metrics=question.metrics[::-1]))
    key = lambda each: (str(each.metric), each.quantity, each.at, each.system_a, each.system_b)  # noqa: E731
    for one, other in zip(sorted(analysed, key=key), sorted(again, key=key), strict=True):
        assert repr(one) == repr(other)


# Refusals


def test_what_has_no_expectation_is_refused(approved):
    board = random_board()
    told = {}
    for metric in ("AUC", "Bpref", "uMAE", "SetP@10", "LAUC@10", "MAE", "EPC@10"):
        told[metric] = refusal(partial(Dial().check, asked(board, ["P@10", metric])), SpecError)
    for name, changes in {"view": "condensed", "aggregate": "median", "relevance": 5.5}.items():
        other = random_board(decided=rules(**{name: changes}))
        told[f"{name}={changes}"] = refusal(partial(Dial().analyse, other, asked(other, ["P@10"])), DesignError)
    alone = board_of([[1, 2]], 2, users=[0, 0])
    told["no candidates"] = refusal(partial(Dial().analyse, alone, asked(alone, ["P@10"])), DesignError)
    for negatives in ("[]", "[0]", "[2,1]", "[1,1]", "[1.5]"):
        told[f"negatives={negatives}"] = refusal(partial(Dial.build, f"dial(negatives={negatives})"), SpecError)
    approved(told)


def test_a_spec_names_the_numbers():
    assert str(Dial.build("dial(negatives=[1,100],gamma=0.01)").spec) == "dial(gamma=0.01,negatives=[1,100])"
