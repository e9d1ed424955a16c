"""How near designs come to the truth, in words: other numbers make other sentences."""

from collections.abc import Mapping, Sequence

from recsens.conclusions.verdicts.scored_designs import JudgedAnalysis, estimated
from recsens.tables.numbers import percentage

_NAMED = 6
"""Analyses that a sentence names; the table has all."""


def said_of_designs(judged: Mapping[str, Sequence[JudgedAnalysis]]) -> list[str]:
    """Say of each condition how near the base design comes to the truth, and which single change comes nearer or strays.

    Analyses are told apart by intervals of tau: one is surely nearer the truth than the study's first metric under the base design
    if its interval lies above that one's, surely farther if it lies below, and else cannot be told from it. Compared are the
    analyses whose design is the base design or differs from it in one decision.
    """
    sentences = []
    for condition, analyses in judged.items():
        near = [each for each in analyses if each.is_near]
        base = next((each for each in near if not each.change), None)
        if base is not None:
            sentences.append(_sentence(condition, base, [each for each in near if each is not base]))
    return sentences


def _sentence(condition: str, base: JudgedAnalysis, others: Sequence[JudgedAnalysis]) -> str:
    _, low, high = base.tau
    told = {
        "nearer to the truth": [each for each in others if each.tau[1] > high],
        "farther from it": [each for each in others if each.tau[2] < low],
    }
    right, wrong = (percentage(base.share(name)) for name in ("right", "wrong"))
    name = f"{base.metric} under the base design"
    lead = f"On {condition}, {name} orders the systems with tau {estimated(base.tau)}"
    shares = f"it decides {right} of the pairs that the truth decides rightly, {wrong} wrongly"
    return " ".join([f"{lead}; {shares}.", *(_told(words, listed, len(others)) for words, listed in told.items())])


def _told(words: str, listed: Sequence[JudgedAnalysis], of: int) -> str:
    if not listed:
        return f"Surely {words}: none of {of}."
    more = f"; and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    return f"Surely {words}, {len(listed)} of {of}: {'; '.join(each.name for each in listed[:_NAMED])}{more}."
