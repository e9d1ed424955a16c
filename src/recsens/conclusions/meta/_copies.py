"""Systems that rank identically, and the pairs that say nothing new because of them."""

from collections.abc import Sequence

from recsens.conclusions.meta._board import Board

Pair = tuple[int, int]


def originals(board: Board, pairs: Sequence[Pair], *, by_score: bool) -> dict[int, int]:
    """Return, for each system in a pair, the first of them that ranks as it does; itself if none does before it.

    Two systems rank identically if every test rating has the same position in both, or is ranked by neither, and every user's
    rankings are of the same length. The scores that lead there matter only ``by_score``, where metrics read them as predictions.
    """
    first: dict[tuple[bytes, ...], int] = {}
    systems = sorted({system for pair in pairs for system in pair})
    return {each: first.setdefault(_ranking(board, each, by_score=by_score), each) for each in systems}


def _ranking(board: Board, system: int, *, by_score: bool) -> tuple[bytes, ...]:
    score = b"" if board.score is None or not by_score else board.score[system].tobytes()
    return board.position[system].tobytes(), board.ranked[system].tobytes(), score


def distinct(pairs: Sequence[Pair], originals: dict[int, int]) -> list[Pair]:
    """Leave out pairs of a system and its copy, and pairs that an earlier one repeats but for copies."""
    seen: dict[frozenset[int], Pair] = {}
    for a, b in pairs:
        named = frozenset((originals[a], originals[b]))
        if len(named) == 2:
            seen.setdefault(named, (a, b))
    return list(seen.values())
