"""The wins of each pair of systems, counted over all analyses: the first sentence and the first table of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from recsens.conclusions.verdicts.stability import Stability
from recsens.plugins.prose import listed, several
from recsens.report.sentences.answers import wins_in_words
from recsens.tables.numbers import count
from recsens.tables.table import Row, RowGroup, Table, TableCell

_MOST_CLAUSES = 8
_MOST_SHARES = 3
"""Largest number of pairs of which the first sentence names the share of won analyses, each by itself."""


@dataclass(frozen=True)
class WinCount:
    """The distinct analyses of a pair of systems, by who wins.

    Attributes
    ----------
    first, second
        The system with more wins, and the other system; if both have as many, the order of the files.
    won, neither, lost
        Numbers of analyses in which the first system wins, neither system wins, and the second system wins.
    """

    first: str
    second: str
    won: int
    neither: int
    lost: int

    @classmethod
    def of(cls, pair: Stability) -> Self:
        """Count the analyses of a pair."""
        winners = [row["winner"] for row in pair.analyses]
        sides: list[str] = sorted((pair.base["system_a"], pair.base["system_b"]), key=lambda name: -winners.count(name))
        first, second = sides
        return cls(first, second, winners.count(first), winners.count(""), winners.count(second))

    @property
    def n(self) -> int:
        """Number of distinct analyses."""
        return self.won + self.neither + self.lost


def opening(wins: Sequence[WinCount]) -> str:
    """Say in a few short sentences which wins hold in every analysis, which are never reversed, and which are."""
    if not wins:
        return "The metrics describe rankings but do not say which system is better, so no systems are compared."
    said = [
        *_in_every_analysis([each for each in wins if each.won == each.n > 0]),
        *_never_reversed(_by_doubt(each for each in wins if each.won and each.neither and not each.lost)),
        *_reversed(_by_doubt(each for each in wins if each.lost)),
        *_undecided([each for each in wins if not each.won]),
    ]
    return " ".join(said)


def _in_every_analysis(held: Sequence[WinCount]) -> Iterator[str]:
    if held:
        numbers = {each.n for each in held}
        words = {1: "the only analysis", 2: "both analyses"} | {n: f"all {count(n)} analyses" for n in numbers - {1, 2}}
        when = words[numbers.pop()] if len(numbers) == 1 else "every analysis"
        clauses = _beats(held)
        yield f"In {when}, {clauses}." if clauses else f"In {several(len(held), 'pair')}, the same system wins in {when}."


def _never_reversed(firm: Sequence[WinCount]) -> Iterator[str]:
    if len(firm) == 1:
        [one] = firm
        yield f"{_beats(firm)} in {count(one.won)} of {count(one.n)} analyses, and {one.second} never beats {one.first}."
    elif firm:
        # A share that is not 0 or 1 must not be rounded to 0 or 100 %.
        shares = [f"{min(max(round(100 * each.won / each.n), 1), 99)}\N{NO-BREAK SPACE}%" for each in firm]
        if len(firm) <= _MOST_SHARES:
            won = listed([f"{each.first} beats {each.second} in {share}" for each, share in zip(firm, shares, strict=True)])
        else:
            who = _beats(firm) or f"In {several(len(firm), 'pair')}, the same system wins"
            won = f"{who}, each in {' to '.join(dict.fromkeys((shares[0], shares[-1])))}"
        yield f"{won} of the analyses; in the others neither wins, so no analysis reverses a win."


def _reversed(opposed: Sequence[WinCount]) -> Iterator[str]:
    if len(opposed) > _MOST_CLAUSES:
        yield f"In {several(len(opposed), 'pair')}, each system wins in some analyses."
        return
    for each in opposed:
        opposite = f"{each.second} beats {each.first} in {count(each.lost)}"
        yield f"{each.first} beats {each.second} in {count(each.won)} of {count(each.n)} analyses, but {opposite}."


def _undecided(never: Sequence[WinCount]) -> Iterator[str]:
    if len(never) > _MOST_CLAUSES:
        yield f"In {several(len(never), 'pair')}, neither system wins in any analysis."
    else:
        yield from (f"Neither {each.first} nor {each.second} wins in any analysis." for each in never)


def _beats(wins: Sequence[WinCount]) -> str:
    """Say who beats whom; empty if there are too many clauses."""
    clauses = wins_in_words([(each.first, each.second) for each in wins])
    if len(clauses) > _MOST_CLAUSES:
        return ""
    return ", and ".join(filter(None, [", ".join(clauses[:-1]), clauses[-1]]))


def _by_doubt(wins: Iterable[WinCount]) -> list[WinCount]:
    """Sort pairs: those with the largest shares of reversed and of undecided analyses first."""
    return sorted(wins, key=lambda each: (-each.lost / max(each.n, 1), -each.neither / max(each.n, 1)))


def table_of_wins(wins: Sequence[WinCount]) -> Table:
    """Return a table with a row per pair: the pairs with the most reversed and undecided analyses first."""
    rows = [
        Row(f"{each.first} against {each.second}", tuple(TableCell(count(n)) for n in (each.won, each.neither, each.lost, each.n)))
        for each in _by_doubt(wins)
    ]
    columns = ("first wins", "neither", "second wins", "all")
    return Table("wins", "Analyses by who wins", "Systems", columns, (RowGroup("", tuple(rows)),))
