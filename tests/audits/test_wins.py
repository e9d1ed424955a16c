"""The first sentence of an audit and its table of pairs: what holds, what is never reversed, and what is."""

from typing import Any

import pytest

from recsens.conclusions.verdicts.stability import Stability
from recsens.runs.audits._sentences import WinCount, opening, table_of_wins

NOTHING: Any = None


def counted(a: str, b: str, winners: str) -> WinCount:
    """Count analyses whose winners are given as letters: a, b, or - for neither."""
    names = {"a": a, "b": b, "-": ""}
    if not winners:
        return WinCount(a, b, 0, 0, 0)
    base, *others = [{"system_a": a, "system_b": b, "winner": names[letter], "verdict": "of the test"} for letter in winners]
    return WinCount.of(Stability(NOTHING, base, others))


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_the_system_with_more_wins_comes_first():
    assert counted("A", "B", "b-ba") == WinCount("B", "A", won=2, neither=1, lost=1)
    assert counted("A", "B", "ab") == WinCount("A", "B", won=1, neither=0, lost=1)


@pytest.mark.parametrize(
    ("winners", "said"),
    [
        ("a", "In the only analysis, A beats B."),
        ("aa", "In both analyses, A beats B."),
        ("bbb", "In all 3 analyses, B beats A."),
        ("aa-", "A beats B in 2 of 3 analyses, and B never beats A."),
        ("-a", "A beats B in 1 of 2 analyses, and B never beats A."),
        ("a-bbb", "B beats A in 3 of 5 analyses, but A beats B in 1."),
        ("--", "Neither A nor B wins in any analysis."),
        ("", "Neither A nor B wins in any analysis."),
    ],
)
def test_one_pair_is_told_in_one_sentence(winners: str, said: str):
    assert opening([counted("A", "B", winners)]) == said


def test_several_pairs_are_told_by_how_firm_their_wins_are():
    pairs = [
        counted("A", "B", "aaa"),
        counted("A", "C", "aa"),
        counted("B", "C", "a-"),
        counted("C", "D", "aaa-"),
        counted("A", "D", "ab"),
        counted("B", "D", "-"),
    ]
    assert plain(opening(pairs)) == (
        "In every analysis, A beats B and C. "
        "B beats C in 50 % and C beats D in 75 % of the analyses; in the others neither wins, so no analysis reverses a win. "
        "A beats D in 1 of 2 analyses, but D beats A in 1. "
        "Neither B nor D wins in any analysis."
    )


def test_a_share_below_one_is_not_rounded_to_all():
    pairs = [counted("A", "B", f"{'a' * 999}-"), counted("A", "C", f"a{'-' * 999}")]
    assert plain(opening(pairs)).startswith("A beats C in 1 % and A beats B in 99 % of the analyses; in the others neither wins")


def test_shares_of_more_than_three_pairs_are_told_as_a_range():
    pairs = [counted("A", letter, f"{'a' * n}-") for n, letter in enumerate("BCDE", start=1)]
    assert plain(opening(pairs)).startswith(
        "A beats B, C, D and E, each in 50 % to 80 % of the analyses; in the others neither wins"
    )


def test_many_pairs_are_counted_instead_of_named():
    names = [f"S{number}" for number in range(10)]
    pairs = [counted(a, b, "aab") for n, a in enumerate(names) for b in names[n + 1 :]]
    assert plain(opening(pairs)) == "In 45 pairs, each system wins in some analyses."
    groups = [(f"S{n}", f"T{n}") for n in range(9)]
    held = [counted(a, b, "aaa") for a, b in groups]
    assert opening(held) == "In 9 pairs, the same system wins in all 3 analyses."
    firm = [counted(a, b, "aa-") for a, b in groups]
    assert plain(opening(firm)).startswith("In 9 pairs, the same system wins, each in 67 % of the analyses; ")


def test_the_table_begins_with_the_pair_that_is_reversed_most_often():
    table = table_of_wins([counted("A", "B", "aaaa"), counted("A", "C", "aa--"), counted("B", "C", "aaab")])
    [group] = table.groups
    assert [(row.label, *(cell.text for cell in row.cells)) for row in group.rows] == [
        ("B against C", "3", "0", "1", "4"),
        ("A against C", "2", "2", "0", "4"),
        ("A against B", "4", "0", "0", "4"),
    ]
    assert table_of_wins([]).is_empty
