"""Every kind of claim is held, not held or undecided, as the numbers and their intervals say."""

import math
from functools import partial
from pathlib import Path

import pytest
import yaml

from approved import refusal
from invented import rejudged
from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Region, claim_rows
from recsens.errors import ConfigError, DesignError
from recsens.study import Study, load_study
from recsens.study.columns import TABLES

PLAIN = {
    "datasets": {"Alpha-1M": "lab_plugins.Ratings(name=alpha)"},
    "published": [],
    "published_comparisons": [],
    "metrics": ["P@10", "nDCG@1,5,10", "Unrated@10"],
}
NEIGHBOURS = {**{f"kNN {k}": f"lab_plugins.Neighbours(k={k})" for k in (10, 20, 40)}, "MF": "lab_plugins.Factors"}
RATIOS = (0.2, 0.35, 0.5, 0.8)
NAN = math.nan


def evidence(study, tables) -> Evidence:
    """Evidence from tables, without changes."""
    tables = rejudged(study, tables)
    return Evidence(study.own, tables)


@pytest.fixture(scope="module")
def known():
    """The results of each study, with any claims."""
    return {}


@pytest.fixture
def judge(make_study, make_results, known):
    """Judge a claim by results in which some numbers are given.

    ``values`` gives values of systems by P@10, each with half its interval over folds; ``differences`` the same of pairs, over
    users. A key holds labels, then the split ratio; the base design has .5.
    """

    def make(claim, values=(), differences=(), under=None, **changes) -> ClaimOutcome:
        study = make_study(**{**PLAIN, **changes, "claims": [{"claim": claim, "source": "Table 1", "under": under or {}}]})
        if repr(changes) not in known:
            known[repr(changes)] = make_results(study)
        tables = known[repr(changes)]
        tables = tables.with_tables(summary=tables.summary.copy(), comparisons=tables.comparisons.copy())
        entry = study.claims[0]
        ground = study.claim_scope(entry)
        for (system, ratio), (value, reach) in dict(values).items():
            rows = at(tables.summary, ratio) & (tables.summary["system"] == system)
            # Two folds: Student's t is 12.7062 with one degree of freedom.
            tables.summary.loc[rows, ["value", "spread"]] = value, reach * math.sqrt(2) / 12.706204736432095
        for (a, b, ratio), (value, reach, p) in dict(differences).items():
            table = tables.comparisons
            rows = at(table, ratio) & (table["system_a"] == a) & (table["system_b"] == b)
            table.loc[rows, ["difference", "low", "high", "p_adjusted"]] = value, value - reach, value + reach, p
            table.loc[rows, "standard_error"] = reach / 2
            shift = tables.summary.loc[at(tables.summary, ratio) & (tables.summary["system"] == b), "value"].iloc[0]
            tables.summary.loc[at(tables.summary, ratio) & (tables.summary["system"] == a), "value"] = shift + value
        return entry.assertion.judge(ground, evidence(study, tables))

    return make


def at(table, ratio):
    return (table["split"] == f"random(ratio={ratio:g})") & (table["view"] == "full") & (table["metric"] == "P@10")


def along(name, numbers, reach=0.001):
    """Values of a system along the split ratio."""
    return {(name, ratio): (number, reach) for ratio, number in zip(RATIOS, numbers, strict=True)}


def gaps(numbers, reach=0.001):
    """Differences of kNN and MF along the split ratio."""
    return {("kNN", "MF", ratio): (number, reach, 0.01) for ratio, number in zip(RATIOS, numbers, strict=True)}


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.2, 0.3, "held"),
        (0.1, 0.4, "held"),
        (0.5, 0.6, "not held"),
        (0.0, 0.05, "not held"),
        (0.05, 0.2, "undecided"),
        (0.3, 0.5, "undecided"),
        (NAN, NAN, "undecided"),
    ],
)
def test_an_interval_decides_by_where_all_of_it_lies(low, high, verdict):
    assert Region(0.1, 0.4).verdict(low, high) == verdict


def test_the_end_of_an_open_region_is_not_in_it():
    assert Region(0.0, is_open=True).verdict(0.0, 0.0) == "not held"
    assert Region(0.0).verdict(0.0, 0.0) == "held"


@pytest.mark.parametrize(
    ("gap", "p", "verdict"), [(0.02, 0.01, "held"), (-0.02, 0.01, "not held"), (0.02, 0.2, "undecided"), (-0.02, 0.2, "undecided")]
)
def test_wins_follows_the_verdict_on_the_pair_in_either_order(judge, gap, p, verdict):
    told = {("kNN", "MF", 0.5): (gap, 0.01, p)}
    assert judge("wins(a=kNN,b=MF,metric=P@10)", differences=told).verdict == verdict
    turned = {"held": "not held", "not held": "held"}.get(verdict, verdict)
    found = judge("wins(a=MF,b=kNN,metric=P@10)", differences=told)
    assert (found.verdict, found.value) == (turned, pytest.approx(-gap))
    assert ("would be found in four of five such studies" in found.numbers) == (verdict == "undecided")


@pytest.mark.parametrize(
    ("gap", "reach", "verdict"), [(0.003, 0.002, "held"), (-0.02, 0.002, "not held"), (0.009, 0.002, "undecided")]
)
def test_a_tie_within_a_margin_is_judged_by_the_interval_and_a_difference_is_the_opposite(judge, gap, reach, verdict):
    told = {("kNN", "MF", 0.5): (gap, reach, 0.2)}
    assert judge("tied(a=kNN,b=MF,margin=0.01)", differences=told).verdict == verdict
    opposite = {"held": "not held", "not held": "held"}.get(verdict, verdict)
    assert judge("differ(a=kNN,b=MF,margin=0.01)", differences=told).verdict == opposite


@pytest.mark.parametrize(
    ("p", "tied", "differ"), [(0.2, *["undecided"] * 2), (0.01, "not held", "held"), (NAN, *["undecided"] * 2)]
)
def test_without_a_margin_a_p_value_that_is_not_small_proves_neither_a_tie_nor_that_there_is_none(judge, p, tied, differ):
    told = {("kNN", "MF", 0.5): (0.02, 0.01, p)}
    assert judge("tied(a=kNN,b=MF)", differences=told).verdict == tied
    assert judge("differ(a=kNN,b=MF)", differences=told).verdict == differ


def test_without_a_margin_systems_that_serve_every_user_alike_are_tied(judge):
    told = {("kNN", "MF", 0.5): (0.0, 0.0, 1.0)}
    assert judge("tied(a=kNN,b=MF)", differences=told).verdict == "held"
    assert judge("differ(a=kNN,b=MF)", differences=told).verdict == "not held"


@pytest.mark.parametrize("claim", ["tied(a=kNN,b=MF)", "differ(a=kNN,b=MF)"])
def test_a_difference_of_zero_without_an_interval_proves_nothing(judge, claim):
    told = {("kNN", "MF", 0.5): (0.0, NAN, 1.0)}
    found = judge(claim, differences=told)
    assert (found.verdict, found.basis) == ("undecided", "no interval")


@pytest.mark.parametrize(
    ("margin", "tied", "differ"), [(0.04, "held", "not held"), (0.015, *["undecided"] * 2), (0.005, "not held", "held")]
)
def test_without_a_margin_that_of_the_study_decides(judge, margin, tied, differ):
    told = {("kNN", "MF", 0.5): (0.02, 0.01, 0.01)}
    tie = judge("tied(a=kNN,b=MF)", differences=told, margin=margin)
    difference = judge("differ(a=kNN,b=MF)", differences=told, margin=margin)
    assert (tie.verdict, tie.asked) == (tied, Region(0.0, margin))
    assert (difference.verdict, difference.asked) == (differ, Region(margin, is_open=True))


@pytest.mark.parametrize(("p", "differ"), [(0.01, "held"), (0.2, "undecided")])
def test_systems_may_differ_by_a_metric_that_only_describes(make_study, make_results, p, differ):
    study = make_study(**{**PLAIN, "claims": [{"claim": "differ(a=kNN,b=MF,metric=Unrated@10)", "source": "x"}]})
    tables = make_results(study)
    entry, ground = study.claims[0], study.claim_scope(study.claims[0])
    found = evidence(study, tables.with_tables(comparisons=tables.comparisons.assign(p_adjusted=p)))
    assert entry.assertion.judge(ground, found).verdict == differ


@pytest.mark.parametrize(("p", "verdict"), [(0.897, "held"), (0.05, "held"), (0.01, "not held"), (NAN, "undecided")])
def test_that_a_test_finds_no_difference_is_a_claim_about_p(judge, p, verdict):
    found = judge("not_significant(a=MF,b=kNN)", differences={("kNN", "MF", 0.5): (0.02, 0.01, p)})
    assert (found.verdict, found.asked) == (verdict, Region(0.05, 1.0))
    assert found.value == pytest.approx(p, nan_ok=True)


@pytest.mark.parametrize(
    ("value", "reach", "verdict"), [(0.415, 0.002, "held"), (0.43, 0.002, "not held"), (0.42, 0.002, "undecided")]
)
def test_within_a_tolerance_is_judged_by_the_interval_over_folds(judge, value, reach, verdict):
    found = judge("within(of=kNN,metric=P@10,value=.416,tolerance=.005)", {("kNN", 0.5): (value, reach)})
    assert found.verdict == verdict
    assert (found.low, found.high) == (pytest.approx(value - reach), pytest.approx(value + reach))
    assert found.basis.replace("\N{NO-BREAK SPACE}", " ") == "95 % CI over 2 folds"


def test_one_fold_is_taken_as_it_is_and_says_so(judge):
    design = {"split": "random(ratio=0.5)", "repeats": 1}
    found = judge("within(of=kNN,metric=P@10,value=.41,tolerance=.005)", {("kNN", 0.5): (0.412, NAN)}, design=design)
    assert (found.verdict, found.low, found.high, found.basis) == ("held", 0.412, 0.412, "no interval")


@pytest.mark.parametrize(
    ("claim", "gap", "verdict"),
    [
        ("exceeds(a=kNN,b=MF,by=.01)", 0.02, "held"),
        ("exceeds(a=kNN,b=MF,by=.01)", 0.005, "not held"),
        ("exceeds(a=kNN,b=MF,by=.01)", 0.01, "undecided"),
        ("exceeds(a=MF,b=kNN)", -0.02, "held"),
    ],
)
def test_exceeding_another_system_is_judged_over_users(judge, claim, gap, verdict):
    assert judge(claim, differences={("kNN", "MF", 0.5): (gap, 0.002, 0.2)}).verdict == verdict


@pytest.mark.parametrize(("value", "verdict"), [(0.25, "held"), (0.19, "not held"), (0.201, "undecided")])
def test_a_factor_and_plain_numbers_are_judged_over_folds(judge, value, verdict):
    values = {("kNN", 0.5): (value, 0.004), ("MF", 0.5): (0.1, 0.001)}
    assert judge("exceeds(a=kNN,b=MF,factor=2)", values).verdict == verdict
    assert judge("exceeds(a=kNN,b=0.2)", values).verdict == verdict
    assert judge("exceeds(a=0.2,b=kNN)", values).verdict == {"held": "not held", "not held": "held"}.get(verdict, verdict)


def test_exceeding_holds_for_numbers_by_which_nobody_is_better(judge):
    assert judge("exceeds(a=MF,b=kNN,metric=Unrated@10)").verdict == "held"
    assert judge("exceeds(a=MF,b=kNN,metric=user_coverage)").verdict == "held"
    assert judge("exceeds(a=kNN,b=MF,metric=Coverage@10)").verdict == "not held"


@pytest.mark.parametrize(
    ("numbers", "reach", "verdict"),
    [
        ((0.02, 0.01, -0.01, -0.02), 0.001, "held"),
        # It crosses twice.
        ((0.02, -0.01, 0.01, -0.02), 0.001, "not held"),
        # It crosses elsewhere.
        ((0.02, -0.01, -0.01, -0.02), 0.001, "not held"),
        # It never crosses.
        ((0.02, 0.01, 0.01, 0.02), 0.001, "not held"),
        # Between .35 and .8, because .5 is undecided: this reaches beyond the claim.
        ((0.02, 0.01, 0.0, -0.02), 0.005, "undecided"),
        ((0.02, 0.01, 0.001, -0.001), 0.005, "undecided"),
        ((0.0, 0.0, 0.0, 0.0), 0.005, "undecided"),
        # Undecided only at the end: if the lines cross at all, they cross there.
        ((0.02, 0.02, 0.02, 0.001), 0.005, "not held"),
        ((0.02, 0.01, -0.01, NAN), 0.001, "undecided"),
    ],
)
def test_a_crossing_is_judged_by_sure_signs_and_where_they_change(judge, numbers, reach, verdict):
    found = judge("crosses(a=kNN,b=MF,between=[.36,.49])", differences=gaps(numbers, reach))
    assert found.verdict == verdict
    assert judge("crosses(a=MF,b=kNN,between=[.36,.49])", differences=gaps(numbers, reach)).verdict == verdict


def test_where_a_crossing_lies_is_read_off_straight_lines(judge):
    found = judge("crosses(a=kNN,b=MF,between=[.4,.45],first=kNN)", differences=gaps((0.02, 0.01, -0.01, -0.02), 0.002))
    assert found.value == pytest.approx(0.425)
    assert (found.low, found.high) == (pytest.approx(0.41), pytest.approx(0.44))
    assert found.verdict == "held"
    assert found.numbers == "crossing at .425 (.41 to .44); ahead: kNN from .2 to .35, MF from .5 to .8"
    reversed_ = judge("crosses(a=kNN,b=MF,between=[.4,.45],first=MF)", differences=gaps((0.02, 0.01, -0.01, -0.02), 0.002))
    assert reversed_.verdict == "not held"


def test_a_system_that_does_not_vary_along_a_parameter_is_the_same_at_each_place(judge):
    told = {(f"kNN {k}", "MF", 0.5): (gap, 0.001, 0.01) for k, gap in ((10, -0.02), (20, -0.01), (40, 0.01))}
    claim = 'crosses(a="kNN 10",b=MF,over=lab_plugins.Neighbours.k,between=[25,35])'
    found = judge(claim, differences=told, systems=NEIGHBOURS)
    assert (found.verdict, found.value) == ("held", pytest.approx(30))


@pytest.mark.parametrize(
    ("numbers", "reach", "verdict"),
    [
        ((0.1, 0.2, 0.3, 0.4), 0.01, "held"),
        ((0.1, 0.2, 0.15, 0.4), 0.01, "not held"),
        ((0.4, 0.3, 0.2, 0.1), 0.01, "not held"),
        ((0.1, 0.2, 0.19, 0.4), 0.01, "undecided"),
        ((0.1, 0.1, 0.1, 0.1), 0.01, "undecided"),
    ],
)
def test_rising_values_rise_at_every_step(judge, numbers, reach, verdict):
    assert judge("monotone(system=kNN,direction=rises)", along("kNN", numbers, reach)).verdict == verdict
    falling = along("kNN", [0.5 - number for number in numbers], reach)
    assert judge("monotone(system=kNN,direction=falls)", falling).verdict == verdict


def test_a_step_the_wrong_way_is_allowed_within_the_tolerance(judge):
    values = along("kNN", (0.1, 0.2, 0.19, 0.4), 0.001)
    assert judge("monotone(system=kNN)", values).verdict == "not held"
    assert judge("monotone(system=kNN,tolerance=.02)", values).verdict == "held"


def test_steps_of_systems_that_are_compared_have_intervals_over_users(judge):
    told = {("kNN 10", "kNN 20", 0.5): (-0.02, 0.001, 0.01), ("kNN 20", "kNN 40", 0.5): (-0.01, 0.001, 0.01)}
    told |= {("kNN 10", "kNN 40", 0.5): (-0.03, 0.001, 0.01)}
    found = judge('monotone(system="kNN 20",over=lab_plugins.Neighbours.k)', differences=told, systems=NEIGHBOURS)
    assert found.verdict == "held"
    assert "943 users" in found.basis


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [((0.1, 0.2, 0.3, 0.2), "held"), ((0.4, 0.2, 0.3, 0.2), "not held"), ((0.1, 0.2, 0.3, 0.299), "undecided")],
)
def test_a_peak_leads_every_place_outside(judge, numbers, verdict):
    assert judge("peaks(system=kNN,between=[.4,.6])", along("kNN", numbers, 0.01)).verdict == verdict
    upside_down = along("kNN", [0.5 - number for number in numbers], 0.01)
    assert judge("peaks(system=kNN,between=[.4,.6],extreme=lowest)", upside_down).verdict == verdict


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [((0.02, 0.01), "held"), ((-0.02, 0.01), "not held"), ((0.001, 0.01), "undecided"), ((NAN, NAN), "undecided")],
)
def test_an_order_holds_where_every_pair_surely_stands_in_it(judge, gap, verdict):
    told = {("kNN", "MF", 0.5): (*gap, 0.2)}
    assert judge("ranks(order=[kNN,MF,Pop_1])", differences=told).verdict == verdict


def test_part_of_the_pairs_may_be_asked_and_some_systems_left_without_order(judge):
    told = {("kNN", "MF", 0.5): (-0.02, 0.01, 0.2)}
    assert judge("ranks(order=[kNN,MF,Pop_1],share=.6)", differences=told).verdict == "held"
    assert judge("ranks(order=[[kNN,MF],Pop_1])", differences=told).verdict == "held"


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [((0.1, 0.101, 0.099, 0.1), "held"), ((0.1, 0.1, 0.1, 0.2), "not held"), ((0.1, 0.1, 0.1, 0.11), "undecided")],
)
def test_constant_values_lie_near_their_mean(judge, numbers, verdict):
    assert judge("constant(system=kNN,tolerance=.1)", along("kNN", numbers, 0.004)).verdict == verdict


@pytest.mark.parametrize(("last", "verdict"), [(0.8, "held"), (0.3, "not held"), (0.9, "undecided")])
def test_proportional_values_have_one_factor(judge, last, verdict):
    assert judge("proportional(system=kNN)", along("kNN", (0.2, 0.35, 0.5, last), 0.01)).verdict == verdict
    inverse = along("kNN", [1 / number for number in (0.2, 0.35, 0.5, last)], 0.02)
    assert judge("proportional(system=kNN,inverse=true)", inverse).verdict == verdict


TESTED = {("kNN", "MF", 0.5): (0.1, 0.002, 0.01)}


@pytest.mark.parametrize(
    ("knn", "reach", "verdict"), [(0.2, 0.01, "held"), (0.2, 0.2, "undecided"), (0.05, 0.01, "not held"), (0.1, 0.01, "undecided")]
)
def test_a_difference_that_is_not_to_be_paired_rests_on_the_folds(judge, knn, reach, verdict):
    values = {("kNN", 0.5): (knn, reach), ("MF", 0.5): (0.1, reach)}
    found = judge("exceeds(a=kNN,b=MF,paired=false)", values)
    assert found.verdict == verdict
    # √(h² + k²) of the two half intervals.
    assert (found.low, found.high) == (
        pytest.approx(knn - 0.1 - math.sqrt(2) * reach),
        pytest.approx(knn - 0.1 + math.sqrt(2) * reach),
    )
    assert "2 folds" in found.basis


def test_a_difference_is_paired_unless_told_otherwise(judge):
    values = {("kNN", 0.5): (0.2, 0.2), ("MF", 0.5): (0.1, 0.2)}
    for claim, verdict, over in (
        ("exceeds(a=kNN,b=MF)", "held", "users"),
        ("exceeds(a=kNN,b=MF,paired=true)", "held", "users"),
        ("exceeds(a=kNN,b=MF,paired=false)", "undecided", "folds"),
    ):
        found = judge(claim, values, TESTED)
        assert (found.verdict, over in found.basis) == (verdict, True), claim


@pytest.mark.parametrize(
    ("numbers", "reach", "verdict"),
    [((0.3, 0.2, 0.1, 0.1), 0.01, "held"), ((0.3, 0.1, 0.1, 0.1), 0.01, "not held"), ((0.3, 0.2, 0.1, 0.1), 0.2, "undecided")],
)
def test_a_crossing_that_is_not_to_be_paired_rests_on_the_folds(judge, numbers, reach, verdict):
    values = along("kNN", numbers, reach) | along("MF", (0.15, 0.15, 0.15, 0.15), reach)
    # By the test, they would cross between .2 and .35.
    tested = gaps((0.15, -0.05, -0.05, -0.05))
    found = judge("crosses(a=kNN,b=MF,between=[.36,.49],paired=false)", values)
    assert (found.verdict, "folds" in found.basis) == (verdict, True)
    assert judge("crosses(a=kNN,b=MF,between=[.36,.49])", values, tested).verdict == "not held"


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.3, "held"), (0.1, "not held"), (0.2, "undecided"), (0.22, "undecided"), (NAN, "undecided")]
)
@pytest.mark.parametrize("b", ["kNN", "MF"])
def test_the_other_system_may_have_another_option(judge, b, value, verdict):
    values = {("kNN", 0.5): (value, 0.02), (b, 0.8): (0.2, 0.02)}
    found = judge(f'exceeds(a=kNN,b={b},b_with="random(ratio=0.8)")', values)
    assert found.verdict == verdict
    assert found.value == pytest.approx(value - 0.2, nan_ok=True)
    assert f"{b} with random(ratio=0.8) .200" in found.numbers
    assert "folds" in found.basis or math.isnan(value)


def test_an_option_of_the_other_system_counts_with_a_factor_a_lead_and_an_option_of_ones_own(judge, make_study):
    values = {("kNN", 0.8): (0.3, 0.001), ("MF", 0.2): (0.2, 0.001)}
    for option, verdict in (("factor=1.2", "held"), ("factor=1.6", "not held"), ("by=.08", "held"), ("by=.12", "not held")):
        claim = f'exceeds(a=kNN,b=MF,b_with="random(ratio=0.2)",{option})'
        assert judge(claim, values, under={"split": "random(ratio=0.8)"}).verdict == verdict, claim
    entry = {"claim": "exceeds(a=kNN,b=MF,b_with=condensed)", "source": "x"}
    study = make_study(**PLAIN, claims=[entry])
    said = study.claims[0].assertion.words(study.claim_scope(study.claims[0]))
    assert said == "P@10 of kNN exceeds that of MF with condensed"


def test_constant_takes_a_tolerance_and_what_is_no_number(judge):
    values = along("kNN", (0.1, 0.1, 0.1, 0.12), 0.0001)
    assert judge("constant(system=kNN,tolerance=.1)", values).verdict == "not held"
    found = judge("constant(system=kNN,tolerance=.15)", values)
    # The mean is .105: .12 is 1/7 above it.
    assert (found.verdict, found.value) == ("held", pytest.approx(1 / 7))
    # Full .41 and condensed .71.
    assert judge("constant(system=kNN,over=view,tolerance=.1)").verdict == "not held"
    assert judge("constant(system=kNN,over=view,tolerance=.9)").verdict == "held"
    assert judge("constant(system=kNN,over=system,tolerance=.5)").verdict == "held"
    assert judge("constant(system=kNN)", along("kNN", (0.1, NAN, 0.1, 0.1))).verdict == "undecided"
    assert judge("constant(system=kNN)", along("kNN", (0.0, 0.0, 0.0, 0.0))).verdict == "undecided"


def test_proportional_takes_a_tolerance(judge):
    # c is 1, 1, 1 and .8: the mean is .95, from which .8 is 16 % off.
    values = along("kNN", (0.2, 0.35, 0.5, 0.64), 0.0001)
    assert judge("proportional(system=kNN,tolerance=.1)", values).verdict == "not held"
    assert judge("proportional(system=kNN,tolerance=.2)", values).verdict == "held"


@pytest.mark.parametrize(("share", "verdict"), [(0.3, "held"), (0.6, "undecided"), (1, "not held")])
def test_the_share_of_pairs_in_order_lies_between_the_sure_and_the_possible(judge, share, verdict):
    told = {
        ("kNN", "MF", 0.5): (-0.02, 0.01, 0.2),
        ("kNN", "Pop_1", 0.5): (0.02, 0.01, 0.2),
        ("MF", "Pop_1", 0.5): (0.0, 0.01, 0.2),
    }
    found = judge(f"ranks(order=[kNN,MF,Pop_1],share={share})", differences=told)
    # One of three pairs agrees with the order, one contradicts it, one is undecided.
    assert (found.low, found.high) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert found.verdict == verdict


def test_systems_without_order_among_themselves_are_held_to_all_others(judge):
    told = {("kNN", "Pop_1", 0.5): (-0.02, 0.01, 0.2)}
    assert judge("ranks(order=[[kNN,MF],Pop_1])", differences=told).verdict == "not held"
    told = {("kNN", "Pop_1", 0.5): (0.002, 0.01, 0.2)}
    assert judge("ranks(order=[[kNN,MF],Pop_1])", differences=told).verdict == "undecided"


def test_without_anything_relevant_among_the_targets_no_ratio_is_known(make_study, make_results):
    study = make_study(**{**PLAIN, "claims": [{"claim": "times_random(system=kNN,metric=P@10)", "source": "x"}]})
    tables = make_results(study)
    entry, ground = study.claims[0], study.claim_scope(study.claims[0])
    told = evidence(study, tables.with_tables(summary=tables.summary.assign(expected_random=0.0)))
    found = entry.assertion.judge(ground, told)
    assert (found.verdict, math.isnan(found.value)) == ("undecided", True)


def test_a_claim_may_be_about_another_design_a_cut_off_and_an_experiment(judge, make_study, make_results, experiment):
    told = {("kNN", "MF", 0.8): (0.02, 0.01, 0.01)}
    assert judge("wins(a=kNN,b=MF)", differences=told, under={"split": "random(ratio=0.8)"}).verdict == "held"
    assert judge("constant(system=kNN,metric=nDCG,over=cutoff)").verdict in {"undecided", "held"}
    entry = {"claim": "wins(a=kNN,b=Pop_1)", "source": "Fig. 8", "experiment": "Little", "says": "Few are enough."}
    study = make_study(**PLAIN, experiments={"Little": {**experiment, "dataset": "Alpha-1M"}}, claims=[entry])
    tables = make_results(study)
    [row] = claim_rows(study, tables)
    assert (row["dataset"], row["says"], row["verdict"]) == ("Little", "Few are enough.", "held")


@pytest.mark.parametrize(
    ("value", "reach", "between", "verdict"),
    [
        # A random order has .01 on average.
        (0.0102, 0.0001, "[.95,1.05]", "held"),
        (0.02, 0.001, "[.95,1.05]", "not held"),
        (0.0102, 0.001, "[.95,1.05]", "undecided"),
        (0.008, 0.001, "[0,1]", "held"),
        (0.03, 0.001, "[0,1]", "not held"),
    ],
)
def test_times_random_is_judged_by_the_ratio_to_the_expected_value(judge, value, reach, between, verdict):
    found = judge(f"times_random(system=kNN,metric=P@10,between={between})", {("kNN", 0.5): (value, reach)})
    assert found.verdict == verdict
    assert found.value == pytest.approx(value / 0.01)
    assert found.high == pytest.approx((value + reach) / 0.01)


@pytest.mark.parametrize(
    ("claim", "verdict", "value"),
    [
        ("statistic(value=1000209)", "held", 1000209),
        ("statistic(value=1000210)", "not held", 1000209),
        ("statistic(of=density,value=.04468,tolerance=.00005)", "held", 0.0447),
        ("statistic(of=gini,value=.64,tolerance=.005)", "not held", 0.634),
        ("statistic(of=last_time,value=1)", "undecided", NAN),
    ],
)
def test_a_statistic_of_the_data_is_exact(judge, claim, verdict, value):
    found = judge(claim)
    assert (found.verdict, found.value) == (verdict, pytest.approx(value, nan_ok=True))
    # Not one of the numbers that a filter leaves.
    assert judge("statistic(of=users,value=6000)").value == 6040


REFUSED = """
    wins(a=kNM,b=MF)  wins(a=kNN)  wins(a=kNN,b=kNN)  wins(a=kNN,b=MF,metric=nDGC@10)  wins(a=kNN,b=MF,metric=Unrated@10)
    crosses(a=kNN,b=MF,over=split.ration)  crosses(a=kNN,b=MF,over=view)  crosses(a=kNN,b=MF,between=[.6,.4])
    crosses(a=kNN,b=MF,first=Pop_1)  monotone(system=kNN,over=repeats)  monotone(system=MF,over=lab_plugins.Neighbours.k)
    peaks(system=kNN,between=[.9,1])  ranks(order=[kNN])  ranks(order=[kNN,kNN])  exceeds(a=1,b=2)  within(of=kNN,tolerance=0)
    times_random(system=kNM)  exceeds(a=kNN,b=MF,b_with=condnsed)  exceeds(a=kNN,b=.2,b_with=condensed)
    exceeds(a=kNN,b=MF,paired=perhaps)  constant(system=kNM)  constant(system=kNN,over=repeats)  constant(system=kNN,tolerance=1)
    proportional(system=kNN,over=view)  tied(a=kNN,b=MF,margin=0)
    statistic(tolerance=-1)  statistic(of=rating,value=1)  times_random(system=kNN,metric=user_coverage)  beats(a=kNN,b=MF)
"""
WINS = {"claim": "wins(a=kNN,b=MF)"}
ENTRIES = {
    "no source": WINS,
    "several data sets": {**WINS, "source": "x"},
    "an unknown data set": {**WINS, "source": "x", "dataset": "Alpha"},
    "an unknown experiment": {**WINS, "source": "x", "experiment": "Tiny"},
    "no such design": {**WINS, "source": "x", "dataset": "Beta_2", "under": {"coverage": "reduced"}},
}


def test_what_the_study_lacks_is_refused_with_its_key(tmp_path, study_content, approved):
    """A line along numbers that begins at a default is told to give the default a number."""
    path = tmp_path / "study.yaml"

    def load(**changes):
        path.write_text(yaml.safe_dump({**study_content, **changes}))
        return load_study(path)

    def refused(**changes):
        return refusal(partial(load, **changes), ConfigError)

    entry = {"source": "x", "dataset": "Alpha-1M"}
    systems = {**study_content["systems"], "kNN 10": "lab_plugins.Neighbours(k=10)"}
    told = {claim: refused(systems=systems, claims=[{**entry, "claim": claim}]) for claim in REFUSED.split()}
    told |= {name: refused(claims=[given]) for name, given in ENTRIES.items()}
    told["a pair that is not compared"] = refused(compare=[["kNN", "MF"]], claims=[{**entry, "claim": "wins(a=kNN,b=Pop_1)"}])
    along = {"vary": {"relevance": [3, 5]}, "claims": [{**entry, "claim": "monotone(system=kNN,over=relevance)"}]}
    told["a default along numbers"] = refused(design={}, **along)
    load(design={"relevance": 4}, **along)
    approved(told)


def test_the_study_of_canamares_counts_apart_what_its_parameters_were_chosen_to_meet():
    root = Path(__file__).parents[3]
    claims = load_study(root / "config/studies/canamares2020.yaml").all_claims
    calibrated = [entry.claim.written for _, entry in claims if entry.calibrated]
    assert calibrated == [entry.claim.written for _, entry in claims if entry.claim.written.startswith("within(of=MF,")]
    printed = [entry.claim.name for origin, entry in claims if origin == "printed"]
    assert (printed.count("not_significant"), printed.count("tied")) == (3, 0)
    told = " ".join((root / "docs/papers/canamares2020.md").read_text(encoding="utf-8").split())
    assert f"Of {len(claims) - len(calibrated)} claims, {len(printed)} of which come from printed p-values, " in told
    assert f"We count another {len(calibrated)} claims separately" in told


VALUES = {"dataset": "Alpha-1M", "metric": "P@10", "source": "Table 2"}


@pytest.mark.parametrize(
    ("printed", "p", "claim"),
    [
        ((0.44, 0.40), 0.01, "wins(a=kNN,b=MF,metric=P@10)"),
        ((0.40, 0.44), 0.01, "wins(a=MF,b=kNN,metric=P@10)"),
        ((0.44, 0.40), 0.30, "not_significant(a=kNN,b=MF,metric=P@10)"),
        ((0.44, 0.40), None, "wins(a=kNN,b=MF,metric=P@10)"),
        ((0.44, 0.44), None, "tied(a=kNN,b=MF,metric=P@10)"),
        ((0.44, 0.44), 0.01, "differ(a=kNN,b=MF,metric=P@10)"),
        ((0.44, 0.40, 0.42), None, "ranks(order=[kNN,Pop_1,MF],share=0.9,metric=P@10)"),
        ((0.44, 0.40, 0.40), None, "ranks(order=[kNN,[MF,Pop_1]],share=0.9,metric=P@10)"),
        (None, 0.01, "differ(a=kNN,b=MF,metric=P@10)"),
        ((0.44,), None, None),
    ],
)
def test_what_is_printed_makes_claims(make_study, printed, p, claim):
    systems = ("kNN", "MF", "Pop_1")
    values = [{**VALUES, "system": name, "value": value} for name, value in zip(systems, printed or (), strict=False)]
    tests = [{**VALUES, "system_a": "kNN", "system_b": "MF", "p_value": p}] if p is not None else []
    study = make_study(**{**PLAIN, "published": values, "published_comparisons": tests})
    assert [(origin, entry.claim.written) for origin, entry in study.all_claims] == ([("printed", claim)] if claim else [])


def test_printed_values_that_only_describe_claim_nothing(make_study):
    values = [{**VALUES, "metric": "Unrated@10", "system": name, "value": 0.4} for name in ("kNN", "MF")]
    assert make_study(**{**PLAIN, "published": values}).all_claims == []


def rows_of(study: Study, tables) -> dict:
    rows = claim_rows(study, tables)
    assert all(set(row) == set(TABLES["claims"].names) for row in rows)
    return rows


OWN = """\
from recsens.conclusions.claims import Claim, ClaimOutcome, Region


class Mine(Claim):
    \"\"\"Your own claim.\"\"\"

    def check(self, ground):
        pass

    def judge(self, ground, evidence):
        return RETURNED

    def words(self, ground):
        return "all is well"
"""


def test_a_claim_of_ones_own_is_judged_and_held_to_the_contract(make_study, make_results, tmp_path):
    for name, returned in (("right", "ClaimOutcome('held', 'x', 1.0, 1.0, 1.0, Region(), 'none', 'one')"), ("wrong", "'held'")):
        (tmp_path / f"own_{name}_claim.py").write_text(OWN.replace("RETURNED", returned))
    folders = {"plugins": [*make_study().plugins, str(tmp_path)]}
    entry = {"source": "x", "claim": "own_right_claim.Mine"}
    study = make_study(**PLAIN, **folders, claims=[entry])
    tables = make_results(study)
    assert [row["says"] for row in rows_of(study, tables)] == ["all is well"]
    wrong = make_study(**PLAIN, **folders, claims=[{**entry, "claim": "own_wrong_claim.Mine"}])
    with pytest.raises(DesignError, match=r"returned str\n  allowed: a recsens.conclusions.claims.ClaimOutcome"):
        claim_rows(wrong, tables)
    assert isinstance(study.claims[0].assertion, Claim)
