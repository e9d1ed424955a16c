"""Wins in words: who beats whom, with as few clauses as possible."""

from collections.abc import Sequence

from recsens.plugins.prose import listed


def wins_in_words(wins: Sequence[tuple[str, str]]) -> list[str]:
    """Collect wins, each a winner and a loser, into clauses such as ``A beats B and C`` and ``A and B beat C``."""
    losers: dict[str, list[str]] = {}
    for winner, loser in wins:
        losers.setdefault(winner, []).append(loser)
    alike: dict[tuple[str, ...], list[str]] = {}
    for winner, beaten in losers.items():
        alike.setdefault(tuple(beaten), []).append(winner)
    return [f"{listed(winners)} beat{'s' * (len(winners) == 1)} {listed(beaten)}" for beaten, winners in alike.items()]
