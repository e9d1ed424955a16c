"""Metrics of recommended items, judged or not: by hand, and compared with slow definitions on drawn lists."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.lists import catalogue, judged, lists, measure, rated, worlds
from metrics.rankings import built
from recsens.errors import DesignError, SpecError
from recsens.metrics import parse_measured_at

# Ten recommendations of five items: 5, 3, 2, 0 and 0.
TEN = [[0], [0], [0], [0, 1], [0, 1], [1, 2], [2]]
FIVE = rated([7, 1, 1, 1, 1], 7)


@pytest.mark.parametrize(
    ("spec", "value"),
    [("Gini", 0.65), ("Gini(form=population)", 0.52), ("Entropy", 1.485475), ("CatalogCoverage", 3 / 5)],
)
def test_the_spread_of_ten_recommendations(spec, value):
    assert measure(spec, TEN, FIVE, 10)[0, 0] == pytest.approx(value, abs=5e-7)


def test_a_cutoff_leaves_the_rest_of_each_list_out():
    # First items: 0 five times, 1 and 2 once.
    assert measure("CatalogCoverage", TEN, FIVE, 1)[0, 0] == 3 / 5
    assert measure("Entropy", TEN, FIVE, 1)[0, 0] == pytest.approx(-(5 * math.log2(5 / 7) + 2 * math.log2(1 / 7)) / 7)


def test_one_item_for_everybody_is_as_uneven_as_can_be():
    for spec, value in (("Gini", 1), ("Gini(form=population)", 0.8), ("Entropy", 0), ("CatalogCoverage", 0.2)):
        assert measure(spec, [[3]] * 7, FIVE, 5)[0, 0] == pytest.approx(value)


def test_nothing_recommended_is_zero():
    for spec in ("Gini", "Entropy", "CatalogCoverage"):
        assert measure(spec, [[], []], FIVE, 5).tolist() == [[0]]
    for spec in (
        *("EPC", "EPC(discount=log2)", "MSI", "EFD", "ILD", "ARP"),
        *("Serendipity", "MIUF", "Surprisal", "APLT"),
        "EILD",
        "EPD",
    ):
        assert measure(spec, [[], []], FIVE, 5).tolist() == [[0], [0]], spec
    assert np.isnan(measure("PopularityLift", [[], []], FIVE, 5)).all()


# Four items rated by 80, 20, 10 and 5 of a hundred users; the others are rated by all of them.
HUNDRED = rated([80, 20, 10, 5, 100], 100)
ALONE = catalogue([(user, item) for item, count in enumerate([80, 20, 10, 5]) for user in range(count)], 100, 4)


@pytest.mark.parametrize(
    ("spec", "value"), [("EPC", 0.7125), ("EPC(discount=log2)", 0.610511), ("MSI", 2.571928), ("ARP", 115 / 4)]
)
def test_the_novelty_of_four_items(spec, value):
    rows = [[0, 1, 2, 3], *([[]] * 99)]
    assert measure(spec, rows, HUNDRED, 4)[0, 0] == pytest.approx(value, abs=1e-6)
    assert measure(spec, rows, HUNDRED, 50)[0, 0] == measure(spec, rows, HUNDRED, 4)[0, 0]


def test_free_discovery_counts_ratings_not_users():
    assert measure("EFD", [[0, 1, 2, 3], *([[]] * 99)], ALONE, 4)[0, 0] == pytest.approx(2.773562, abs=5e-7)


def test_an_unrated_item_is_as_novel_as_may_be():
    known = rated([4, 2, 0], 4)
    rows = [[2], [1], [], []]
    assert measure("EPC", rows, known, 1)[:2, 0].tolist() == [1, 0.5]
    # It counts as no rarer than the rarest item with a rating.
    assert measure("MSI", rows, known, 1)[:2, 0].tolist() == [1, 1]
    assert measure("EFD", rows, known, 1)[:2, 0] == pytest.approx([math.log2(3)] * 2)


def test_an_item_without_raters_counts_as_one_with_a_single_one():
    # Two raters and one: the rarest item that has ratings has one rater; the third has none.
    known = rated([4, 2, 0], 4)
    assert measure("MSI", [[2], [], [], []], known, 1)[0, 0] == 1
    assert measure("MIUF", [[2], [], [], []], known, 1)[0, 0] == 2
    assert measure("Surprisal", [[2], [], [], []], known, 1)[0, 0] == 1


def test_surprisal_takes_empty_places_for_expected():
    known = rated([4, 2, 0], 4)
    # log2(4 / 4), log2(4 / 2) and log2 4, as shares of log2 4.
    assert measure("Surprisal", [[0, 1, 2], [1], [], []], known, 2, 3, 4)[:2] == pytest.approx(
        np.array([[0.25, 0.5, 0.375], [0.25, 1 / 6, 0.125]])
    )


def test_the_tail_is_of_the_items_that_are_rated():
    known = rated([4, 1, 2, 0, 1], 4)
    # Of four rated items, the two with fewest ratings are 1 and 4; a quarter is 1, the first of the two.
    rows = [[0, 1, 4, 3], [2], [], []]
    assert measure("APLT(tail=0.5)", rows, known, 1, 3, 4).tolist() == [[0, 2 / 3, 0.5], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert measure("APLT(tail=0.25)", rows, known, 4)[0, 0] == 0.25
    assert measure("APLT(tail=0.01)", rows, known, 4)[0, 0] == 0.25
    assert measure("APLT(tail=1)", rows, known, 4)[0, 0] == 0.75


def test_coverage_of_the_train_set_leaves_unrated_items_out():
    known = rated([4, 1, 2, 0], 4)
    rows = [[0, 3], [0, 2], [], []]
    assert measure("TrainCoverage", rows, known, 1, 2).tolist() == [[1 / 3, 2 / 3]]
    assert measure("CatalogCoverage", rows, known, 1, 2).tolist() == [[1 / 4, 3 / 4]]
    assert measure("TrainCoverage", rows, catalogue([], 4, 4), 2).tolist() == [[0]]


def test_serendipity_by_ranks_counts_how_far_an_item_stands_above_its_popularity():
    # Popularity ranks: 1, 2, 2, 3, and 6 for the item that nobody rated.
    known = rated([4, 2, 2, 1, 0], 4)
    rows = [[3, 4, 0], [3, 4, 0], [1], []]
    found = measure("RankSerendipity", rows, known, 1, 3, liked=[[3, 4, 0], [4], [2], [0]])
    # First user: (3 - 1), (6 - 2) and nothing, of five items, over three places; second: (6 - 2) alone.
    np.testing.assert_allclose(found, [[2 / 5, (2 + 4) / 5 / 3], [0, 4 / 5 / 3], [0, 0], [0, 0]])


def test_lift_is_what_lists_have_over_profiles():
    # User 0 rated item 1, which two rated; user 1 rated items 0 and 1; user 2 item 0; user 3 nothing.
    known = catalogue([(0, 1), (1, 0), (1, 1), (2, 0), (2, 2)], 4, 3)
    found = measure("PopularityLift", [[2], [0, 2], [], [0]], known, 2)[:, 0]
    assert found[:2] == pytest.approx([1 / 2 - 1, 1.5 / 2 - 1])
    assert np.isnan(found[2:]).all()


def test_the_expected_distance_of_three_items():
    # Items 0 and 1 are .2 apart, and 2 is 1 apart from both. D: 1, 1 / log2 3 and 1/2; from each place, the next has D(1).
    words = [["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], []]
    known, second = rated([1, 1, 1], 3, genres=words), 1 / math.log2(3)
    value = ((0.2 + second) / (1 + second) + second * 0.6 + 0.5 * 1) / (1 + second + 0.5)
    assert measure("EILD(by=genres)", [[0, 1, 2]], known, 3)[0, 0] == pytest.approx(value)
    # Only 0 and 2 are liked: each beside the other, of three places; and 0 alone has nothing beside it.
    liked = measure("EILD(by=genres,discount=none,relevance=binary)", [[0, 1, 2]], known, 1, 2, 3, liked=[[0, 2]])
    assert liked[0] == pytest.approx([0, 0, 2 / 3])


def test_the_expected_distance_to_a_profile():
    # The user knows item 0; of items 1 and 2, one shares four of five words with it.
    words = [["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], []]
    known, second = catalogue([(0, 0)], 2, 3, genres=words), 1 / math.log2(3)
    rows = [[1, 2], [1, 2]]
    assert measure("EPD(by=genres)", rows, known, 2)[:, 0] == pytest.approx([(0.2 + second) / (1 + second), 1])
    found = measure("EPD(by=genres,discount=none,relevance=binary)", rows, known, 2, liked=[[1], [2]])
    assert found[:, 0] == pytest.approx([0.2 / 2, 1 / 2])


def test_rank_and_relevance_together_as_ranksys_weights_them():
    # Its norm sums the discounts of all places, liked or not. By hand, from the loops of its EILD and ItemNoveltyMetric.
    words = [["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], []]
    known = catalogue([(0, 0)], 1, 3, genres=words)
    found = measure("EILD(by=genres,relevance=binary)", [[0, 1, 2]], known, 3, liked=[[0, 2]])
    assert found[0, 0] == pytest.approx(1.5 / (1.5 + 0.63093), abs=1e-6)
    found = measure("EPD(by=genres,relevance=binary)", [[1, 2]], known, 2, liked=[[1]])
    assert found[0, 0] == pytest.approx(0.2 / 1.63093, abs=1e-6)


def test_the_distance_of_three_items():
    # Items 0 and 1 share four of five words; nothing is known of item 2.
    words = [["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], []]
    known = rated([1, 1, 1], 3, genres=words)
    assert measure("ILD(by=genres)", [[0, 1], [0, 1, 2], [2]], known, 3)[:, 0] == pytest.approx([0.2, (0.2 + 1 + 1) / 3, 0])


def test_pairs_of_distances_are_averaged():
    # Each item has a hundred raters; items 0 and 1 share 80, 0 and 2 ten, 1 and 2 thirty: distances .2, .9 and .7.
    raters = [set(range(100)), set(range(20, 120)), {*range(20, 30), *range(100, 120), *range(200, 270)}]
    known = catalogue([(user, item) for item, users in enumerate(raters) for user in users], 300, 3)
    assert [len(a & b) for a, b in combinations(raters, 2)] == [80, 10, 30]
    found = measure("ILD", [[0, 1, 2], [1, 2], *([[]] * 298)], known, 3, 2)
    assert found[0] == pytest.approx([0.6, 0.2])
    assert found[1] == pytest.approx([0.7, 0.7])


def test_serendipity_wants_what_is_relevant_and_not_popular():
    known = rated([9, 8, 7, 1, 1], 9)
    rows = [[0, 3, 4], [1, 0, 2], *([[]] * 7)]
    liked = [[0, 3], [2], *([[]] * 7)]
    # At 2, item 3 is liked and is neither 0 nor 1. At 3, items 0, 1 and 2 are expected.
    assert measure("Serendipity", rows, known, 2, 3, liked=liked)[:2].tolist() == [[1 / 2, 1 / 3], [0, 0]]


def test_the_distance_of_three_users():
    # Users 0 and 1 have both items in common, the other pairs one each: (0 + 1/2 + 1/2) / 3.
    rows = [[0, 1], [1, 0], [1, 2], []]
    assert measure("InterUserDistance", rows, FIVE, 2)[0, 0] == pytest.approx(1 / 3)
    # Of the first items, only item 1 is common to two users, 1 and 2.
    assert measure("InterUserDistance", rows, FIVE, 1)[0, 0] == pytest.approx(2 / 3)
    assert np.isnan(measure("InterUserDistance", [[0], [], []], FIVE, 1)[0, 0])


def test_the_empty_places_of_short_lists_are_different():
    assert measure("InterUserDistance", [[0], [0]], FIVE, 4)[0, 0] == pytest.approx(3 / 4)


def test_the_news_of_a_genre():
    # With a count of 1 for each, user 0 knows drama by 3 of 4 and comedy by 1; after a comedy it is 3 of 5 and 2 of 5.
    known = catalogue([(0, 0), (0, 1), (1, 2)], 3, 4, genres=[["drama"], "drama", ["comedy"], None])
    news = 3 / 5 * math.log2(3 / 5 * 4 / 3) + 2 / 5 * math.log2(2 / 5 * 4)
    assert measure("KLNovelty", [[2], [], [3]], known, 5)[:, 0] == pytest.approx([news, 0, 0])
    # With a quarter for each: 9 of 10 and 1 of 10; after it, 9 of 14 and 5 of 14.
    news = 9 / 14 * math.log2(9 / 14 * 10 / 9) + 5 / 14 * math.log2(5 / 14 * 10)
    assert measure("KLNovelty(prior=0.25)", [[2], [], [3]], known, 5)[:, 0] == pytest.approx([news, 0, 0])


def test_divergences_are_the_same_in_blocks_of_any_size(monkeypatch):
    known = catalogue([(user, user % 3) for user in range(7)], 7, 3, genres=[["a"], ["a", "b"], ["c"]])
    rows = [[(user + 1) % 3] for user in range(7)]
    whole = measure("KLNovelty", rows, known, 1)
    monkeypatch.setattr("recsens.metrics.novelty._BLOCK", 6)
    assert (measure("KLNovelty", rows, known, 1) == whole).all()


def test_a_column_that_holds_no_words_is_refused():
    with pytest.raises(DesignError, match="1995"):
        measure("ILD(by=year)", [[0, 1]], rated([1, 1], 1, year=[1995, 1996]), 2)


def test_one_word_stands_for_a_list_of_one():
    known = rated([1, 1, 1], 1, kind=["a", "a", None])
    assert measure("ILD(by=kind)", [[0, 1, 2]], known, 2, 3)[0] == pytest.approx([0, 2 / 3])


def test_lists_deeper_than_they_are_kept_are_refused():
    assert [found.short for found in parse_measured_at("Gini@100")] == ["Gini@100"]
    with pytest.raises(SpecError, match="more of the lists than is kept") as refused:
        parse_measured_at("ILD@10,101")
    assert "100" in str(refused.value)


def test_positions_alone_do_not_tell_what_was_recommended():
    with pytest.raises(DesignError, match="reads recommendation lists"):
        built("Gini").measure(judged([[0]], [[0]]), (1,))


def test_some_users_alone():
    kept = np.array([False, True, False, True])
    rows = [[0], [1, 2], [], [2]]
    some = lists(rows, rated([4, 1, 1], 4)).of_users(kept)
    assert some.item.tolist() == [1, 2, 2]
    assert some.starts.tolist() == [0, 2, 3]
    assert some.users.tolist() == [1, 3]
    one = judged(rows, [[0], [2], [1], [0]]).of_users(kept)
    assert (one.user.tolist(), one.position.tolist(), one.item.tolist()) == ([0, 1], [2, 0], [2, 0])
    assert one.listed.tolist() == [2, 1]


# Slow definitions, of lists, a catalogue, what users like and a cut-off. Condensed lists are lists of other items.


def mean(values):
    return sum(values) / len(values) if values else 0


def counts(rows, known, n):
    return [sum(item in row[:n] for row in rows) for item in range(known.n_items)]


def gini(less):
    def value(rows, known, liked, n):
        """Mean absolute difference of all pairs, relative to the mean."""
        found = counts(rows, known, n)
        whole = 2 * (known.n_items - less) * sum(found)
        return [sum(abs(a - b) for a in found for b in found) / whole if whole else 0]

    return value


def entropy(rows, known, liked, n):
    found = counts(rows, known, n)
    return [sum(c / sum(found) * math.log2(sum(found) / c) for c in found if c)]


def catalog_coverage(rows, known, liked, n):
    return [len({i for row in rows for i in row[:n]}) / known.n_items]


def pairs_of(known):
    return list(zip(known.user.tolist(), known.item.tolist(), strict=True))


def raters(known):
    return [sum(item == i for _, item in pairs_of(known)) for i in range(known.n_items)]


def active(known):
    return len({user for user, _ in pairs_of(known)})


def of_items(worth):
    """Average the worth of the first items of each list, given an item's raters and the catalogue."""
    return lambda rows, known, liked, n: [mean([worth(raters(known)[i], known) for i in row[:n]]) for row in rows]


def browsed(worth, log2=False, liked_counts=0.0):
    """Average the worth of each list's first items by a loop over ranks; items that users like count ``liked_counts`` if not 0."""

    def value(rows, known, liked, n):
        found = []
        for user, row in enumerate(rows):
            weights = [1 / math.log2(k + 1) if log2 else 1 for k in range(1, len(row[:n]) + 1)]
            likes = [(liked_counts if i in liked[user] else 0) if liked_counts else 1 for i in row[:n]]
            each = [w * g * worth(user, i, known) for w, g, i in zip(weights, likes, row, strict=False)]
            found.append(sum(each) / sum(weights) if weights else 0)
        return found

    return value


def eild(words, log2, of_liked):
    def at(k):
        return 1 / math.log2(k + 1) if log2 else 1

    def value(rows, known, liked, n):
        found = []
        for row, own in zip(rows, liked, strict=True):
            top, total = list(enumerate(row[:n], start=1)), 0
            for k, i in top:
                if of_liked and i not in own:
                    continue
                others = [(at(max(1, rank - k)), j) for rank, j in top if rank != k and (j in own or not of_liked)]
                mass = sum(weight for weight, _ in others)
                if mass:
                    total += at(k) * sum(weight * (1 - similarity(words, known, i, j)) for weight, j in others) / mass
            found.append(total / sum(at(k) for k, _ in top) if top else 0)
        return found

    return value


def to_profile(words):
    def value(user, item, known):
        own = [i for u, i in pairs_of(known) if u == user]
        return mean([1 - similarity(words, known, item, i) for i in own]) if own else 1

    return value


def at_least_rarest(count, known):
    return max(count, min([c for c in raters(known) if c], default=1))


def lift(rows, known, liked, n):
    found = []
    for user, row in enumerate(rows):
        own = [raters(known)[item] for u, item in pairs_of(known) if u == user]
        found.append(mean([raters(known)[i] for i in row[:n]]) / mean(own) - 1 if own and row else math.nan)
    return found


def similarity(words, known, i, j):
    if words:
        a, b = (set(known.columns["genres"][item]) for item in (i, j))
        return len(a & b) / len(a | b) if a | b else 0
    a, b = ({u for u, item in pairs_of(known) if item == wanted} for wanted in (i, j))
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0


def ild(words):
    return lambda rows, known, liked, n: [
        mean([1 - similarity(words, known, i, j) for i, j in combinations(row[:n], 2)]) for row in rows
    ]


def inter_user_distance(rows, known, liked, n):
    pairs = list(combinations([set(row[:n]) for row in rows if row], 2))
    return [mean([1 - len(a & b) / n for a, b in pairs]) if pairs else math.nan]


def kl_novelty(prior):
    def value(rows, known, liked, n):
        words = sorted({word for item in known.columns["genres"] for word in item}) or ["none"]
        found = []
        for user, row in enumerate(rows):
            own = [item for u, item in pairs_of(known) if u == user]
            before, after = (
                [prior + sum(word in known.columns["genres"][item] for item in items) for word in words]
                for items in (own, own + row[:n])
            )
            found.append(
                sum(b / sum(after) * math.log2(b / sum(after) / (a / sum(before))) for a, b in zip(before, after, strict=True))
            )
        return found

    return value


def serendipity(rows, known, liked, n):
    popular = sorted(range(known.n_items), key=lambda item: (-raters(known)[item], item))[:n]
    return [len(set(row[:n]) & set(own) - set(popular)) / n for row, own in zip(rows, liked, strict=True)]


def surprisal(rows, known, liked, n):
    most = math.log2(active(known)) if active(known) > 1 else 1
    return [sum(math.log2(max(active(known), 1) / max(raters(known)[i], 1)) / most for i in row[:n]) / n for row in rows]


def in_tail(share):
    def value(rows, known, liked, n):
        rated_items = sorted((count, item) for item, count in enumerate(raters(known)) if count)
        tail = {item for _, item in rated_items[: max(int(share * len(rated_items)), 1)]}
        return [mean([float(i in tail) for i in row[:n]]) for row in rows]

    return value


def train_coverage(rows, known, liked, n):
    rated_items = {item for item, count in enumerate(raters(known)) if count}
    return [len({i for row in rows for i in row[:n]} & rated_items) / len(rated_items) if rated_items else 0]


def rank_serendipity(rows, known, liked, n):
    found, n_items = raters(known), known.n_items
    rank = [1 + len({c for c in found if c > count}) if count else n_items + 1 for count in found]
    return [
        mean([max(rank[i] - k, 0) / n_items if i in own else 0 for k, i in enumerate(row[:n], start=1)])
        for row, own in zip(rows, liked, strict=True)
    ]


DEFINED = {
    "APLT": in_tail(0.8),
    "APLT(tail=0.3)": in_tail(0.3),
    "ARP": of_items(lambda count, known: count),
    "CatalogCoverage": catalog_coverage,
    "EFD": of_items(lambda count, known: -math.log2(at_least_rarest(count, known) / max(len(known.user), 1))),
    "EFD(discount=log2,relevance=binary)": browsed(
        lambda user, i, known: -math.log2(at_least_rarest(raters(known)[i], known) / max(len(known.user), 1)),
        log2=True,
        liked_counts=1,
    ),
    "EILD(discount=none)": ild(words=False),
    "EILD": eild(words=False, log2=True, of_liked=False),
    "EILD(by=genres,relevance=binary)": eild(words=True, log2=True, of_liked=True),
    "EILD(discount=none,relevance=exp)": eild(words=False, log2=False, of_liked=True),
    "EPC": of_items(lambda count, known: 1 - count / max(active(known), 1)),
    # A rating of 5 has 15/16 of the chance.
    "EPC(discount=log2,relevance=chapelle)": browsed(
        lambda user, i, known: 1 - raters(known)[i] / max(active(known), 1), log2=True, liked_counts=15 / 16
    ),
    "EPD(discount=none)": browsed(to_profile(words=False)),
    "EPD": browsed(to_profile(words=False), log2=True),
    "EPD(by=genres,relevance=binary)": browsed(to_profile(words=True), log2=True, liked_counts=1),
    "Entropy": entropy,
    "Gini": gini(less=1),
    "Gini(form=population)": gini(less=0),
    "ILD": ild(words=False),
    "ILD(by=genres)": ild(words=True),
    "InterUserDistance": inter_user_distance,
    "KLNovelty": kl_novelty(1),
    "KLNovelty(prior=0.1)": kl_novelty(0.1),
    "MIUF": of_items(lambda count, known: math.log2(max(active(known), 1) / max(count, 1))),
    "MSI": of_items(lambda count, known: math.log2(max(active(known), 1) / at_least_rarest(count, known))),
    "PopularityLift": lift,
    "RankSerendipity": rank_serendipity,
    "Serendipity": serendipity,
    "Surprisal": surprisal,
    "TrainCoverage": train_coverage,
}


@given(worlds(), st.lists(st.integers(1, 10), min_size=1, max_size=3))
def test_as_defined(world, cutoffs):
    rows, known, liked = world
    for spec, values in DEFINED.items():
        # Without train ratings no item is rarer than another, and a catalogue of one item has no spread.
        if ((spec == "MSI" or spec.startswith("EFD")) and not len(known.user)) or (spec == "Gini" and known.n_items == 1):
            continue
        expected = np.transpose([values(rows, known, liked, n) for n in cutoffs])
        found = measure(spec, rows, known, *cutoffs, liked=liked)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=spec)


def test_distances_are_the_same_in_blocks_of_any_size(monkeypatch):
    rng = np.random.default_rng(1)
    known = catalogue([tuple(pair) for pair in np.argwhere(rng.random((40, 30)) < 0.3)], 40, 30)
    rows = [rng.permutation(30)[: rng.integers(0, 20)].tolist() for _ in range(40)]
    whole = measure("ILD", rows, known, 5, 20)
    monkeypatch.setattr("recsens.metrics.diversity._BLOCK", 70)
    np.testing.assert_allclose(measure("ILD", rows, known, 5, 20), whole, rtol=0, atol=1e-14)
