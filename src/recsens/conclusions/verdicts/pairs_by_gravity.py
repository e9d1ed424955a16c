"""Pairs of systems, ordered by how much their verdict depends on the design."""

from collections.abc import Iterable

from recsens.conclusions.verdicts.axes import METRICS, Changing, axes, changing
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.stability import Stability, stabilities

PairAlong = tuple[Stability, list[Changing]]
"""A pair, with the axes that change its verdict, the most serious first."""


def by_gravity(verdicts: Iterable[PairVerdicts]) -> list[PairAlong]:
    """List every pair of several experiments: those asked about, then from the most contradictory to unchanging verdicts.

    Among the others, pairs with opposite winners after a single change come first, then those with opposite winners after several.
    Within each group, pairs are sorted by the number of analyses in which the less frequent winner wins, most first.
    """
    listed: list[PairAlong] = []
    for of_part in verdicts:
        along = axes(of_part)
        listed += [(pair, sorted(changing(along, pair.base, of_part.part.alpha), key=_gravity)) for pair in stabilities(of_part)]
    return sorted(listed, key=_rank)


def _gravity(path: Changing) -> tuple[bool, bool, int]:
    return not path.is_contradicted, path.sweep.varied is METRICS, -path.n_moved


def _rank(listed: PairAlong) -> tuple[bool, bool, bool, bool, int, int]:
    pair, along = listed
    winners = [row["winner"] for row in pair.analyses]
    balance = min(winners.count(pair.base["system_a"]), winners.count(pair.base["system_b"]))
    is_single = any(path.is_contradicted for path in along)
    return (
        not pair.is_asked,
        pair.is_stable,
        not is_single,
        not pair.is_contradicted,
        -balance,
        -sum(path.n_moved for path in along),
    )
