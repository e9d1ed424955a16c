"""Numbers are printed as papers print them."""

import pytest

from recsens.tables.numbers import (
    count,
    estimate,
    interval,
    level,
    p_claim,
    p_value,
    percentage,
    plus_minus,
    quantity,
    score,
    shared_decimals,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.4521, ".452"), (-0.0042, "−.00420"), (0.000421, ".000421"), (12.5, "12.500"), (0.0, "0"), (1.0, "1.000"), (NAN, "–")],
)
def test_scores_have_three_decimals_and_no_leading_zero(value, text):
    assert score(value) == text


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        # 1RP@10 over five folds of MovieLens 100K.
        (0.005012, 0.000088, ".005012 ± .000088"),
        (0.4096, 0.003, ".4096 ± .0030"),
        (0.4521, 0.031, ".452 ± .031"),
        (0.4521, 0.31, ".452 ± .310"),
        (12.518, 1.3, "12.5 ± 1.3"),
        (-0.00001, 0.003, "−.0000 ± .0030"),
        (0.4521, 0.0, ".452 ± 0"),
        # Folds that differ by rounding alone.
        (0.4521, 1e-17, ".452 ± .000"),
        (0.4521, NAN, ".452"),
        (NAN, NAN, "–"),
    ],
)
def test_a_value_and_its_spread_have_the_decimals_that_the_spread_supports(value, spread, text):
    assert f"{score(value, spread)} {plus_minus(value, spread)}".strip().replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("value", "spread", "n_values", "text"),
    [
        (0.045906, 0.000083, 4, ".045906 ± .000083"),
        (0.045906, 0.000083, 3, ".04591 ± .00008"),
        (0.416, 0.003, 2, ".416 ± .003"),
        # Three significant digits of the value are more than three decimals.
        (0.005012, 0.00088, 2, ".00501 ± .00088"),
        (0.4521, 0.31, 2, ".452 ± .310"),
        (12.518, 1.3, 2, "12.5 ± 1.3"),
        (0.4521, NAN, 1, ".452"),
    ],
)
def test_a_spread_of_few_values_adds_no_decimals(value, spread, n_values, text):
    shown = f"{score(value, spread, n_values)} {plus_minus(value, spread, n_values)}"
    assert shown.strip().replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((0.0003, 0.0001, 0.0005), (".00030", ".00010", ".00050")),
        ((0.125, 0.0049, 0.2451), (".125", ".005", ".245")),
        ((-0.005, -0.015, 0.005), ("−.005", "−.015", ".005")),
        ((9.5, 8.7, 10.3), ("9.50", "8.70", "10.30")),
        ((0.0003, NAN, NAN), (".000300", "–", "–")),
        ((0.0, 0.0, 0.0), ("0", "0", "0")),
    ],
)
def test_a_value_and_the_ends_of_its_interval_have_the_same_decimals(numbers, texts):
    assert estimate(*numbers) == texts


@pytest.mark.parametrize(
    ("values", "spreads", "decimals"),
    [
        ((0.4521, 0.4473), (), 3),
        ((12.518, 0.4), (), 3),
        # Both print alike beside an interval of the difference that supports no more decimals.
        ((0.4521, 0.4519), (), 3),
        ((0.4521, 0.4519), (0.02,), 3),
        ((0.4521, 0.4519), (NAN, 0.0004), 4),
        ((0.45214, 0.45211), (0.00001,), 5),
        # A small value does not print like zero.
        ((0.4521, 0.00042), (), 4),
        ((0.4521, 0.0), (), 3),
        ((0.000421, NAN), (), 6),
        ((NAN, NAN), (), 3),
        ((), (), 3),
    ],
)
def test_values_that_are_compared_have_the_decimals_that_tell_them_apart(values, spreads, decimals):
    assert shared_decimals(values, spreads) == decimals


@pytest.mark.parametrize(
    ("ends", "text"), [((0.1234, 0.4567), ".123 to .457"), ((0.5, 0.5), ".500"), ((-0.01, 0.0), "−.0100 to 0"), ((NAN, NAN), "–")]
)
def test_an_interval_has_the_same_decimals_at_both_ends(ends, text):
    assert interval(*ends) == text


@pytest.mark.parametrize(("value", "text"), [(0.0391, ".039"), (0.00099, "< .001"), (0.001, ".001"), (1.0, "1.000"), (NAN, "–")])
def test_p_values_are_exact_down_to_a_thousandth(value, text):
    assert p_value(value) == text


def test_p_claims_never_break_over_lines():
    assert p_claim(0.0391) == "p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}.039"
    assert p_claim(1e-9) == "p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}.001"
    assert p_claim(NAN) == "no\N{NO-BREAK SPACE}p-value"


def test_a_threshold_keeps_the_decimals_it_was_given():
    assert (level(0.05), level(0.001)) == (".05", ".001")


def test_counts_stand_in_thousands_and_whole_numbers_are_counts():
    assert (count(1000209.0), quantity(3706.0), quantity(3.5816), quantity(-246.0)) == ("1,000,209", "3,706", "3.582", "−246")


def test_a_hundred_per_cent_is_claimed_only_where_nothing_is_missing():
    assert (percentage(1.0), percentage(0.99999)) == ("100.0\N{NO-BREAK SPACE}%", "99.9\N{NO-BREAK SPACE}%")
