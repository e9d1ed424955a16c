"""One sentence about the best system on each data set under the base design, or about the systems that share first place."""

import math
from collections.abc import Collection, Sequence

import pandas as pd

from recsens.conclusions.verdicts.best import Duel, Standings, base_standings, ranked
from recsens.conclusions.verdicts.components import direction
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.outcomes.winner import insignificant
from recsens.plugins.prose import listed, several
from recsens.report.sentences.counts import counted_as_zero
from recsens.report.system_remarks import marked, untuned
from recsens.study import Experiment
from recsens.tables.numbers import score

_NAMED = 6
"""Number of systems that share first place and that a sentence names; the sentence counts the others."""


def best_systems(verdicts: Sequence[PairVerdicts], summary: pd.DataFrame, counted: pd.DataFrame) -> list[str]:
    """Say which system is best on each data set, by the first metric that ranks systems.

    A system is best if it beats every other system under the base design. Otherwise, the system with the best value shares first
    place with the systems that it does not beat. Systems with which it was not compared are named separately. Systems with exactly
    the same best value are named together.
    """
    sentences = []
    for of_part in verdicts:
        first: dict[str, Standings] = {}
        for standings in base_standings(of_part, summary):
            first.setdefault(standings.dataset, standings)
        sentences += [_sentence(of_part.part, standings, counted) for standings in first.values()]
    return sentences


def _sentence(part: Experiment, standings: Standings, counted: pd.DataFrame) -> str:
    plain = untuned(part)
    alike, *lower = ranked(standings.scores, direction(standings.metric))
    best, *others = [*alike, *(system for each in lower for system in each)]
    met = {system: standings.duels.get((best, system)) for system in others}
    beaten = [system for system, duel in met.items() if duel is not None and duel.is_won]
    level = {system: duel for system, duel in met.items() if duel is not None and not math.isnan(duel.p_value) and not duel.is_won}
    untested = [system for system in others if system not in {*alike, *beaten, *level}]
    value = f"{standings.written} {score(standings.scores[best])}{counted_as_zero(part, standings, counted)}"
    if len(alike) > 1:
        lower_level = [system for system in level if system not in alike]
        unbeaten = f", and {best} does not beat {_names(lower_level, plain)}" if lower_level else ""
        claim = f"{_names(alike, plain)} share the best value ({value}){unbeaten}"
    elif level:
        claim = f"{_names([best, *level], plain)} share first place. {best} has the best value ({value}), but {_why(part, level)}"
    elif beaten:
        claim = f"{marked(best, plain)} is best: it beats {_rest(beaten, plain, is_all=not untested)} ({value})"
    else:
        claim = f"{marked(best, plain)} has the best value ({value})"
    apart = f"; {best if level or len(alike) > 1 else 'it'} was not compared with {_names(untested, plain)}" if untested else ""
    under = " under the base design" if part.vary else ""
    return f"On {standings.dataset}{under}, {claim}{apart}."


def _why(part: Experiment, level: dict[str, Duel]) -> str:
    whom = next(iter(level)) if len(level) == 1 else f"each of the other {len(level)}"
    if all(insignificant(duel.p_value, part.alpha) for duel in level.values()):
        return f"its lead over {whom} is not significant"
    return f"it does not beat {'' if len(level) == 1 else 'any of '}{whom.removeprefix('each of ')}"


def _rest(beaten: Sequence[str], plain: Collection[str], *, is_all: bool) -> str:
    if is_all and len(beaten) > 1:
        return "both other systems" if len(beaten) == 2 else f"all {several(len(beaten), 'other system')}"
    return _names(beaten, plain)


def _names(systems: Sequence[str], plain: Collection[str]) -> str:
    shown = [marked(system, plain) for system in systems[:_NAMED]]
    return listed([*shown, *([f"{len(systems) - _NAMED} more"] if len(systems) > _NAMED else [])])
