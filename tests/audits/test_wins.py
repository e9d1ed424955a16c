"""The first sentence of an audit and its table of pairs: what holds, what is never reversed, and what is."""

from typing import Any

from recsens.conclusions.verdicts.stability import Stability
from recsens.runs.audits._wins import WinCount, opening, table_of_wins

NOTHING: Any = None


def counted(a: str, b: str, winners: str) -> WinCount:
    """Count analyses whose winners are given as letters: a, b, or - for neither."""
    names = {"a": a, "b": b, "-": ""}
    base, *others = [{"system_a": a, "system_b": b, "winner": names[letter], "verdict": "of the test"} for letter in winners]
    return WinCount.of(Stability(NOTHING, base, others))


def test_the_system_with_more_wins_comes_first():
    assert counted("A", "B", "b-ba") == WinCount("B", "A", won=2, neither=1, lost=1)
    assert counted("A", "B", "ab") == WinCount("A", "B", won=1, neither=0, lost=1)


def test_the_first_sentence_and_the_table_of_pairs(approved):
    """Pairs are told by how firm their wins are; a share below one is not rounded to all; many pairs are counted, not named."""
    one = ("a", "aa", "bbb", "aa-", "-a", "a-bbb", "--")
    names = [f"S{number}" for number in range(10)]
    several = {"AB": "aaa", "AC": "aa", "BC": "a-", "CD": "aaa-", "AD": "ab", "BD": "-"}
    far = [("A", "B", f"{'a' * 999}-"), ("A", "C", f"a{'-' * 999}")]
    asked = {
        **{winners: [("A", "B", winners)] for winners in one},
        "several": [(*pair, winners) for pair, winners in several.items()],
        "999 of 1000, and 1": far,
        "a range": [("A", letter, f"{'a' * n}-") for n, letter in enumerate("BCDE", start=1)],
        "many": [(a, b, "aab") for n, a in enumerate(names) for b in names[n + 1 :]],
        "many that hold": [(f"S{n}", f"T{n}", "aaa") for n in range(9)],
        "many that are not reversed": [(f"S{n}", f"T{n}", "aa-") for n in range(9)],
    }
    told = {name: opening([counted(*pair) for pair in pairs]) for name, pairs in asked.items()}
    reversed_last = [("A", "B", "aaaa"), ("A", "C", "aa--"), ("B", "C", "aaab")]
    approved(
        {**told, "the pair that is reversed most often comes first": table_of_wins([counted(*pair) for pair in reversed_last])}
    )
    assert table_of_wins([]).is_empty
