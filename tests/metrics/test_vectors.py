"""Rankings worked by hand."""

import math

import numpy as np
import pytest

from metrics.rankings import NAN, A, User, judged, measure
from recsens.metrics import WHOLE


@pytest.mark.parametrize(
    ("spec", "at_5", "at_10"),
    [
        ("P", 0.4, 0.3),
        ("SetP", 0.4, 0.3),
        ("R", 0.5, 0.75),
        ("F1", 4 / 9, 3 / 7),
        ("Success", 1, 1),
        ("RR", 1, 1),
        ("ARHR", 1 + 1 / 4, 1 + 1 / 4 + 1 / 8),
        ("AP", 0.375, 0.46875),
        ("AP(denominator=retrieved)", 0.75, 0.625),
        ("AP(denominator=min)", 0.375, 0.46875),
        # Precision at hits 1, 4 and 8 is 1, 2/4 and 3/8; the list has ten items.
        ("AP(denominator=shown)", (1 + 2 / 4) / 5, (1 + 2 / 4 + 3 / 8) / 10),
        ("ARC", (1 + 4) / 2, (1 + 4 + 8) / 3),
        ("Bpref", (1 + 2 / 3) / 4, 0.5),
        ("Bpref(bound=relevant)", (1 + 3 / 4) / 4, 0.5625),
        ("Bpref(bound=relevant10)", (1 + 13 / 14) / 4, 0.696429),
        # Above the hits at 1, 4 and 8 are 0, 1 and 2 of three misses.
        ("Bpref(denominator=retrieved)", (1 + 2 / 3) / 2, (1 + 2 / 3 + 1 / 3) / 3),
        ("nDCG(gain=linear)", 0.5923, 0.6632),
        ("nDCG(gain=binary)", 0.5585, 0.6817),
        ("nDCG(gain=exp)", 0.5761, 0.6377),
        ("nDCG(gain=chapelle)", 0.5761, 0.6377),
        ("nDCG(gain=power)", 0.5795, 0.6418),
        ("nDCG(gain=above)", 0.5798, 0.6550),
        ("nDCG(gain=ranksys)", 0.5891, 0.6433),
        ("nDCG(gain=linear,discount=jk2)", 0.5224, 0.5891),
        ("Unrated", 0.4, 0.5),
        ("JudgedDepth", 8, NAN),
    ],
)
def test_the_worked_ranking(spec, at_5, at_10):
    assert measure(spec, judged([A]), 5, 10)[0] == pytest.approx([at_5, at_10], abs=5e-5, nan_ok=True)


@pytest.mark.parametrize(
    ("spec", "cutoff", "value"),
    [
        ("RBP(phi=0.8,gain=binary)", 10, 0.344343),
        ("RBP(phi=0.8,gain=exp)", 10, 0.275893),
        # The ratio of both exponential gains is 15 / 16.
        ("RBP(phi=0.8,gain=chapelle)", 10, 0.275893 * 15 / 16),
        ("RBPResidual(phi=0.8)", 10, 0.462121),
        ("infAP", 10, 0.546875),
        ("infAP(pool=judged)", 10, 0.468750),
        # Of the judged items above the hits at 1, 4 and 8, none, 1 of 2 and 2 of 4 are relevant.
        ("infAP(denominator=retrieved)", 10, (1 + (1 / 4 + 3 / 4 / 2) + (1 / 8 + 7 / 8 / 2)) / 3),
    ],
)
def test_the_worked_ranking_to_six_digits(spec, cutoff, value):
    # infAP smooths by 10^-5.
    assert measure(spec, judged([A]), cutoff)[0, 0] == pytest.approx(value, abs=5e-6 if spec.startswith("infAP") else 5e-7)


@pytest.mark.parametrize(("ideal", "value"), [("cut", 0.5923), ("uncut", 0.5483), ("list", 0.9060)])
def test_the_worked_ranking_against_each_ideal(ideal, value):
    assert measure(f"nDCG(gain=linear,ideal={ideal})", judged([A]), 5)[0, 0] == pytest.approx(value, abs=5e-5)


def test_the_worked_ranking_without_a_cutoff():
    for spec, value in (("Rprec", 2 / 4), ("R", 3 / 4), ("SetP", 3 / 10), ("SetF", 3 / 7), ("AP", 0.46875), ("Bpref", 0.5)):
        assert measure(spec, judged([A]), WHOLE)[0, 0] == pytest.approx(value)
    # F = 3 P R / (2 P + R) gives recall twice the weight.
    assert measure("SetF(beta=2)", judged([A]), WHOLE)[0, 0] == pytest.approx(3 * 0.3 * 0.75 / (2 * 0.3 + 0.75))


def test_what_is_below_a_list_stays_unknown():
    seen = judged([User(10, dict.fromkeys(range(1, 11), 1.0))])
    assert measure("RBPResidual(phi=0.8)", seen, 10)[0, 0] == pytest.approx(0.107374, abs=5e-7)


def test_expected_reciprocal_rank_of_the_worked_ranking():
    # Gains by rank, of 16: 15, -, 1, 7, -, 0, -, 7.
    stay = [15 / 16, 1 / 16, 7 / 16, 7 / 16]
    value = stay[0] + (1 - stay[0]) * (stay[1] / 3 + (1 - stay[1]) * (stay[2] / 4 + (1 - stay[2]) * stay[3] / 8))
    assert measure("ERR", judged([A]), 10)[0, 0] == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("spec", "cutoff", "value"),
    [
        # Condensed: 5, 2, 4, 1, 4.
        ("P", 5, 3 / 5),
        ("P", 2, 1 / 2),
        ("P", 10, 3 / 10),
        ("SetP", 10, 3 / 5),
        ("AP", 5, (1 + 2 / 3 + 3 / 5) / 4),
        ("ARHR", 5, 1 + 1 / 3 + 1 / 5),
        ("Bpref", 5, 0.5),
        ("infAP(pool=judged)", 2, 1 / 4),
        ("nDCG", 5, (1 + 1 / 2 + 1 / math.log2(6)) / (1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5))),
        ("RBP", 5, 0.2 * (1 + 0.8**2 + 0.8**4)),
        ("RBPResidual", 5, 0.8**5),
        ("RBPResidual", 10, 0.8**5),
        ("Unrated", 5, 0),
        ("Unrated", 10, 0),
    ],
)
def test_the_worked_ranking_condensed(spec, cutoff, value):
    assert measure(spec, judged([A], view="condensed"), cutoff)[0, 0] == pytest.approx(value, abs=1e-12)


def test_a_lone_hit_far_down_earns_half_of_inferred_precision():
    lone = judged([User(50, {50: 5})])
    assert measure("infAP", lone, 50)[0, 0] == pytest.approx(0.51)
    assert measure("AP", lone, 50)[0, 0] == pytest.approx(0.02)


def test_area_under_the_curve_of_six_pairs():
    # Relevant at 1, 3 and 4 of six: 7 of 9 pairs are in order.
    ranks = User(6, {1: 5, 2: 1, 3: 4, 4: 5, 5: 2, 6: 3})
    assert measure("AUC", judged([ranks]), WHOLE)[0, 0] == pytest.approx(7 / 9)


@pytest.mark.parametrize(
    ("n", "full", "condensed"),
    [
        # Four of twelve items are relevant, of seven when condensed: one is above eight others (or three), the rest is by chance.
        (1, (8 + 3 * 8 / 2) / 32, (3 + 3 * 3 / 2) / 12),
        # Full: 8 and 6, then two among six others. Condensed, at rank 4 of 5: 3 and 2, then two beside one.
        (4, (8 + 6 + 2 * 6 / 2) / 32, (3 + 2 + 2 * 1 / 2) / 12),
        # Full: 8, 6 and 3, and one beside one that is not ranked. Condensed, rank 5: 3, 2 and 1, and one beside one.
        (10, (8 + 6 + 3 + 1 / 2) / 32, (3 + 2 + 1 + 1 / 2) / 12),
        (WHOLE, (8 + 6 + 3 + 1 / 2) / 32, (3 + 2 + 1 + 1 / 2) / 12),
    ],
)
def test_the_area_under_the_curve_of_a_top_and_a_straight_line(n, full, condensed):
    assert measure("LAUC", judged([A]), n)[0, 0] == pytest.approx(full)
    assert measure("LAUC", judged([A], view="condensed"), n)[0, 0] == pytest.approx(condensed)


def test_a_limited_area_needs_no_judgements_of_what_is_not_relevant():
    # One held-out item among a hundred others: below n it stands half-way down what is not seen.
    above, below = (judged([User(101, {rank: 5})]) for rank in (3, 60))
    assert measure("LAUC", above, 10)[0, 0] == pytest.approx(98 / 100)
    assert measure("LAUC", below, 10)[0, 0] == pytest.approx(90 / 2 / 100)
    assert measure("LAUC", below, WHOLE)[0, 0] == pytest.approx(41 / 100)


def test_one_ranking_a_relevant_item_or_one_a_user():
    # Relevant .9 and .4, three others .8, .5 and .3: alone among the others they stand at 1 and at 3, together at 1 and at 4.
    alone, together = judged([User(4, {1: 5}), User(4, {3: 5})]), judged([User(5, {1: 5, 4: 5})])
    one_rp = measure("P", alone, 2).mean()
    assert one_rp == 0.25
    assert measure("R", alone, 2).mean() == 0.5
    p_at_2, p_at_3 = measure("P", together, 2, 3)[0]
    assert p_at_2 == 0.5
    # Bounds of Bellogín (2012, section 4.3.4): P@n / 2 from below, m P@m / 2n with m = n + 2 - 1 from above.
    assert (p_at_2 / 2, 3 * p_at_3 / (2 * 2)) == pytest.approx((0.25, 0.25))


def test_condensing_counts_the_ranked_judged_items():
    seen = judged([A, User(3, {}), User(0, {}, (4,)), User(2, {2: 4})], view="condensed")
    assert seen.listed.tolist() == [5, 0, 0, 1]
    assert seen.position[seen.user == 3].tolist() == [1]
    assert seen.n_judged.tolist() == [7, 0, 1, 1]
    assert seen.n_relevant.tolist() == [4, 0, 1, 1]


# Unary feedback, as in a tutorial on MLlib: six labels with hits at 1 and 2 of 3; three labels with hits at 2 and 4 of 5.

UNARY = [
    User(3, {1: NAN, 2: NAN}, (NAN,) * 4),
    User(5, {2: NAN, 4: NAN}, (NAN,)),
    User(0, {}, (NAN,) * 3),
    User(4, {}),
    User(0, {}),
]


@pytest.mark.parametrize(
    ("spec", "first", "second"),
    [
        ("P", [1, 2 / 3, 2 / 5], [0, 1 / 3, 2 / 5]),
        ("R", [1 / 6, 1 / 3, 1 / 3], [0, 1 / 3, 2 / 3]),
        ("F1", [2 / 7, 4 / 9, 4 / 11], [0, 1 / 3, 1 / 2]),
        ("AP(denominator=retrieved)", [1, 1, 1], [0, 1 / 2, 1 / 2]),
        ("AP", [1 / 6, 1 / 3, 1 / 3], [0, 1 / 6, 1 / 3]),
        ("AP(denominator=min)", [1, 2 / 3, 2 / 5], [0, 1 / 6, 1 / 3]),
        # The first list has three items, so cut-offs of 3 and 5 both divide by 3.
        ("AP(denominator=shown)", [1, 2 / 3, 2 / 3], [0, 1 / 2 / 3, (1 / 2 + 2 / 4) / 5]),
        ("RR", [1, 1, 1], [0, 1 / 2, 1 / 2]),
        ("nDCG(ideal=list)", [1, 1, 1], [0, 0.630930, 0.650921]),
        ("nDCG", [1, 0.765361, 0.553146], [0, 0.296082, 0.498189]),
    ],
)
def test_unary_feedback(spec, first, second):
    found = measure(spec, judged(UNARY), 1, 3, 5)
    np.testing.assert_allclose(found, [first, second, *([[0, 0, 0]] * 3)], rtol=0, atol=5e-7)


# Two rankings: items a to e, in the order of the system, rated 4, 5, 3, 5, 1.

B = User(9, {1: 4, 3: 5, 4: 3, 7: 5, 9: 1})


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("KendallTau(variant=a)", 0.3),
        ("KendallTau(variant=b)", 0.316228),
        ("Spearman", 0.410391),
        ("TauAP", 0.166667),
        ("TauAP(symmetric=true)", 0.25),
        ("NDPM", 1 / 3),
        ("RBO(phi=0.5,form=truncated)", 0.302083),
        ("RBO(phi=0.5,form=normalised)", 0.311828),
        ("RBO(phi=0.5,form=extrapolated)", 0.333333),
        ("RBO(phi=0.8,form=truncated)", 0.349653),
        ("RBO(phi=0.8,form=normalised)", 0.520070),
        ("RBO(phi=0.8,form=extrapolated)", 0.677333),
        ("RBO(phi=0.9,form=truncated)", 0.237510),
        ("RBO(phi=0.9,form=normalised)", 0.579986),
        ("RBO(phi=0.9,form=extrapolated)", 0.828000),
    ],
)
@pytest.mark.parametrize("view", ["full", "condensed"])
def test_the_order_of_the_ranking_beside_that_of_the_ratings(spec, value, view):
    assert measure(spec, judged([B], view=view), WHOLE)[0, 0] == pytest.approx(value, abs=5e-7)


def test_pairs_rated_apart_are_in_order_or_not():
    # Goodman & Kruskal's gamma, (C - D) / (C + D), of six pairs in order and three that are not.
    assert 1 - 2 * measure("NDPM", judged([B]), WHOLE)[0, 0] == pytest.approx(0.333333, abs=5e-7)


def test_an_exchange_at_the_top_costs_more_of_tau_ap():
    # The ideal is 1, 2, 3, 4; every pair but one is in order.
    users = [User(4, dict(enumerate([4.0, 5.0, 3.0, 2.0], start=1))), User(4, dict(enumerate([5.0, 4.0, 2.0, 3.0], start=1)))]
    assert measure("TauAP", judged(users), WHOLE)[:, 0] == pytest.approx([1 / 3, 7 / 9])
    assert measure("KendallTau", judged(users), WHOLE)[:, 0] == pytest.approx([2 / 3, 2 / 3])


def test_items_scored_alike_may_be_tied():
    # Scores .9, .5, .5 of ratings 3, 2, 5: of three pairs one is in order, one is not, one is tied.
    user = User(3, {1: 3, 2: 2, 3: 5}, scores=((1, 0.9), (2, 0.5), (3, 0.5)))
    values = {
        "KendallTau(variant=a,ties=score)": 0,
        "KendallTau(variant=a)": -1 / 3,
        "NDPM(ties=score)": (2 + 1) / 6,
        "NDPM": 2 / 3,
        "Spearman(ties=score)": 0,
        "AUC(ties=score)": (0 + 1 / 2) / 2,
        "AUC": 0,
    }
    for spec, value in values.items():
        assert measure(spec, judged([user]), WHOLE)[0, 0] == pytest.approx(value), spec
