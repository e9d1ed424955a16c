"""The only definition of a win: the better value, users' differences of the same sign, and p below α."""

import ast
from pathlib import Path

import numpy as np
import pytest

import recsens
from recsens.outcomes.rounding import rounded
from recsens.outcomes.winner import FIRST, NOBODY, SECOND, ahead, better, decide

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
    assert decide([by_value], [by_users], [p], alpha=0.05).winner.tolist() == [winner]


def decided(low, high, margins, p_values=0.001):
    """Decide a comparison in which the first system is ahead, or the second if the interval lies below zero."""
    sides = np.where(np.asarray(high) < 0, SECOND, FIRST)
    winner, is_equivalent = decide(sides, sides, np.full(sides.shape, p_values), 0.05, low=low, high=high, margins=margins)
    return winner.tolist(), is_equivalent.tolist()


def test_with_a_margin_p_must_be_below_alpha_too():
    assert decided([0.011], [0.03], [0.01], p_values=0.06) == ([NOBODY], [False])


def test_without_a_margin_p_alone_decides_whatever_the_interval_is():
    assert decided([-0.1, NAN, -0.0], [0.1, NAN, 0.0], [0.0, 0.0, 0.0]) == ([FIRST] * 3, [False] * 3)


def test_values_are_rounded_to_twelve_decimals_without_a_negative_zero():
    assert rounded([0.1 + 0.2, 1e-13, NAN]).tolist()[:2] == [0.3, 0.0]
    assert not np.signbit(rounded(-1e-13))


def test_no_other_module_compares_p_with_alpha():
    root = Path(recsens.__file__).parent
    # Notes on p below α if nobody wins, on printed p-values, and on p of all analyses together; and p too close to α for rounding.
    allowed = {
        "outcomes/effort.py",
        "outcomes/winner.py",
        "report/figures/pairs.py",
        "report/tables/verdicts.py",
        "report/sentences/headline.py",
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
    ("low", "high", "winner", "is_equivalent"),
    [
        (0.011, 0.03, FIRST, False),
        (0.01, 0.03, NOBODY, False),
        (-0.03, -0.011, SECOND, False),
        (-0.009, 0.009, NOBODY, True),
        (-0.01, 0.009, NOBODY, False),
        (0.002, 0.009, NOBODY, True),
        (-0.02, 0.02, NOBODY, False),
        (NAN, NAN, NOBODY, False),
    ],
)
def test_an_interval_lies_beyond_the_margin_within_it_or_across(low, high, winner, is_equivalent):
    assert decided([low], [high], [0.01]) == ([winner], [is_equivalent])


def test_only_one_step_decides_who_wins_a_study():
    root = Path(recsens.__file__).parent

    def importing(name: str) -> set[str]:
        texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
        trees = {path: ast.parse(text) for path, text in texts.items() if name in text}
        imports = {path: [each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)] for path, tree in trees.items()}
        return {path for path, found in imports.items() if name in {alias.name for each in found for alias in each.names}}

    # Folds of a scorecard, halves and groups of users, candidates of searches and averages over data sets have no verdicts there.
    judging = {
        "conclusions/meta/split_half.py",
        "conclusions/scorecard.py",
        "conclusions/verdicts/over_datasets.py",
        "conclusions/verdicts/verdict_table.py",
        "outcomes/effort.py",
        "outcomes/groups.py",
        "outcomes/over_datasets.py",
    }
    assert importing("decide") == judging
    assert importing("verdict_table") == {"workflow/steps/decide_winners.py"}
