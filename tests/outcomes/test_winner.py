"""One definition of a win: the better value, the users' differences the same way, and p below α."""

import ast
from pathlib import Path

import numpy as np
import pytest

import recsens
from recsens.outcomes.rounding import rounded
from recsens.outcomes.winner import FIRST, NOBODY, SECOND, ahead, better, beyond, equivalent, winners

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "direction", "side"),
    [
        ((0.4, 0.3), 1, FIRST),
        ((0.3, 0.4), 1, SECOND),
        ((0.4, 0.3), -1, SECOND),
        ((0.1 + 0.2, 0.3), 1, NOBODY),
        ((0.4, NAN), 1, NOBODY),
    ],
)
def test_the_better_value_is_the_higher_or_the_lower_one_but_for_rounding(values, direction, side):
    first, second = values
    assert better([first], [second], [direction]).tolist() == [side]


def test_who_is_ahead_follows_the_sign_of_the_users_differences():
    assert ahead([0.1, -0.1, 0.0, NAN, 0.1], [1, 1, 1, 1, -1]).tolist() == [FIRST, SECOND, NOBODY, NOBODY, SECOND]


@pytest.mark.parametrize(
    ("by_value", "by_users", "p", "winner"),
    [
        (FIRST, FIRST, 0.049, FIRST),
        (SECOND, SECOND, 0.049, SECOND),
        (FIRST, FIRST, 0.05, NOBODY),
        (FIRST, SECOND, 0.001, NOBODY),
        (NOBODY, FIRST, 0.001, NOBODY),
        (FIRST, NOBODY, 0.001, NOBODY),
        (NOBODY, NOBODY, 0.001, NOBODY),
        (FIRST, FIRST, NAN, NOBODY),
    ],
)
def test_a_system_wins_where_value_users_and_p_agree(by_value, by_users, p, winner):
    assert winners([by_value], [by_users], [p], alpha=0.05).tolist() == [winner]


def test_with_a_margin_the_interval_must_lie_beyond_it_too():
    low, high = [0.011, 0.009, -0.03, 0.011], [0.03, 0.03, -0.011, 0.03]
    is_beyond = beyond(low, high, 0.01)
    sides, p_values = [FIRST, FIRST, SECOND, FIRST], [0.001, 0.001, 0.001, 0.06]
    assert winners(sides, sides, p_values, 0.05, is_beyond).tolist() == [FIRST, NOBODY, SECOND, NOBODY]


def test_without_a_margin_p_alone_decides_whatever_the_interval_is():
    assert beyond([-0.1, NAN], [0.1, NAN], [0.0, 0.0]).all()


def test_values_are_rounded_to_twelve_decimals_without_a_negative_zero():
    assert rounded([0.1 + 0.2, 1e-13, NAN]).tolist()[:2] == [0.3, 0.0]
    assert not np.signbit(rounded(-1e-13))


def test_no_other_module_compares_p_with_alpha():
    root = Path(recsens.__file__).parent
    # Notes on p below α where nobody wins, on p in print, and on p of all analyses together.
    allowed = {
        "outcomes/winner.py",
        "report/figures/joint.py",
        "report/tables/flips.py",
        "report/sentences/together.py",
        "conclusions/verdicts/axes.py",
        "study/published.py",
    }
    modules = [
        path
        for room in ("outcomes", "conclusions/verdicts", "conclusions/claims", "report", "evaluation", "study")
        for path in (root / room).rglob("*.py")
    ]
    comparing = {
        str(path.relative_to(root))
        for path in modules
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and any(ast.unparse(side).endswith("alpha") for side in (node.left, *node.comparators))
    }
    assert comparing == allowed


@pytest.mark.parametrize(
    ("low", "high", "is_beyond", "is_equivalent"),
    [
        (0.011, 0.03, True, False),
        (0.01, 0.03, False, False),
        (-0.03, -0.011, True, False),
        (-0.009, 0.009, False, True),
        (-0.01, 0.009, False, False),
        (0.002, 0.009, False, True),
        (-0.02, 0.02, False, False),
        (NAN, NAN, False, False),
    ],
)
def test_an_interval_lies_beyond_the_margin_within_it_or_across(low, high, is_beyond, is_equivalent):
    assert beyond([low], [high], [0.01]).tolist() == [is_beyond]
    assert equivalent([low], [high], [0.01]).tolist() == [is_equivalent]


def test_without_a_margin_nothing_is_equivalent():
    assert equivalent([-0.1, 0.0], [0.1, 0.0], [0.0, 0.0]).tolist() == [False, False]
