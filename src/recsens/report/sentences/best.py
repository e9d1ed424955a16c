"""Which system is best under the base design, and who wins between two systems."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.best import Duel, Standings, base_standings, duel_of
from recsens.conclusions.verdicts.components import direction, n_folds_of
from recsens.conclusions.verdicts.pairs import UNINFORMATIVE, PairVerdicts
from recsens.outcomes.winner import insignificant
from recsens.report.sentences.evidence import evidence
from recsens.study import Experiment
from recsens.tables.numbers import p_claim, score


def base_sentences(verdicts: PairVerdicts, summary: pd.DataFrame) -> list[str]:
    """Say which system is best under an experiment's base design, one sentence per data set and metric."""
    return [base_sentence(verdicts.part, standings) for standings in base_standings(verdicts, summary)]


def base_sentence(study: Experiment, standings: Standings) -> str:
    """Say which system is best under the base design, by how much and with which p-value."""
    top, metric, on = standings.top, standings.written, f"On {standings.dataset}, "
    if standings.tied:
        names = f"{', '.join(standings.tied[:-1])} and {standings.tied[-1]}"
        shared = f"{'both' if len(standings.tied) == 2 else 'all'} have {score(standings.scores[top.first])}"
        return f"{on}{names} tie on {metric} under the base design: {shared}."
    if standings.is_decided:
        return f"{on}{top.first} beats {top.second} on {metric} under the base design, by {_size_and_evidence(study, top)}."
    pair = f"{top.first} and {top.second}"
    if math.isnan(top.p_value):
        ahead = f"{top.first} is ahead of {top.second} on {metric}" if top.difference > 0 else f"{metric} of {pair} differs"
        return f"{on}{ahead} by {score(abs(top.difference))} under the base design; the two were not tested."
    if top.difference > 0 and insignificant(top.p_value, study.alpha):
        size, grounds = _evidence(study, top)
        lead = f"{top.first}'s lead over {top.second} on {metric}, {size},"
        return f"{on}{lead} is not significant under the base design ({grounds})."
    neither = f"neither {top.first} nor {top.second} wins on {metric} under the base design"
    return f"{on}{neither}: {_undecided(study, top)}."


def pair_sentence(study: Experiment, row: Mapping[str, Any]) -> str:
    """Say who wins between two systems under the base design, given the row of their verdict."""
    seen = duel_of(row) if direction(row["metric_full"]) > 0 else duel_of(row).mirrored()
    duel = seen.reversed() if seen.difference < 0 else seen
    if row["verdict"] == UNINFORMATIVE:
        pair = f"{row['system_a']} and {row['system_b']}"
        return f"On {row['dataset']}, {row['metric']} says nothing about {pair} under the base design: {row['uninformative']}."
    if duel.winner:
        won = duel if duel.is_won else duel.reversed()
        claim = f"{won.first} beats {won.second} on {row['metric']} under the base design, by {_size_and_evidence(study, won)}"
        return f"On {row['dataset']}, {claim}."
    neither = f"neither {duel.first} nor {duel.second} wins on {row['metric']} under the base design"
    return f"On {row['dataset']}, {neither}: {_undecided(study, duel)}."


def _undecided(study: Experiment, top: Duel) -> str:
    if top.difference > 0:
        return f"{top.first} is ahead by {_size_and_evidence(study, top)}"
    if top.difference < 0:
        lead = _size_and_evidence(study, top.reversed())
        return f"{top.first} has the better average, but among the users compared, {top.second} is ahead by {lead}"
    return f"the users' differences cancel out ({p_claim(top.p_value)})"


def _size_and_evidence(study: Experiment, duel: Duel) -> str:
    size, grounds = _evidence(study, duel)
    return f"{size} ({grounds})"


def _evidence(study: Experiment, duel: Duel) -> tuple[str, str]:
    n_folds = n_folds_of(str(study.design.split), str(study.design.repeats))
    return evidence(study, duel, str(study.design.aggregate), n_folds)
