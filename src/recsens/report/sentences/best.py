"""The best systems under the base design, and who wins between two systems."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.arrays import grouped, in_order
from recsens.conclusions.verdicts.best import Duel, Standings, base_standings, duel_of, order_systems
from recsens.conclusions.verdicts.components import built, direction, n_folds_of, ranks_systems
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import UNINFORMATIVE, PairVerdicts
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.outcomes.winner import insignificant, significant
from recsens.plugins.prose import listed, several
from recsens.report.sentences.counts import counted_as_zero
from recsens.report.sentences.evidence import evidence
from recsens.report.sentences.over_datasets import means_without
from recsens.report.system_remarks import mark_untuned, tried_unequally, untuned_systems
from recsens.study import Experiment
from recsens.tables.numbers import p_below, p_claim, p_not_below, score


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
        size, grounds = _evidence_clauses(study, top)
        lead = f"{top.first}'s lead over {top.second} on {metric}, {size},"
        return f"{on}{lead} is not significant under the base design ({grounds})."
    neither = f"neither {top.first} nor {top.second} wins on {metric} under the base design"
    return f"{on}{neither}: {_undecided_clause(study, top)}."


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
        return f"On {row['dataset']}, {claim}.{tried_unequally(study, won.first, [won.second])}"
    neither = f"neither {duel.first} nor {duel.second} wins on {row['metric']} under the base design"
    return f"On {row['dataset']}, {neither}: {_undecided_clause(study, duel)}."


def _undecided_clause(study: Experiment, top: Duel) -> str:
    if top.difference > 0:
        return f"{top.first} is ahead by {_size_and_evidence(study, top)}"
    if top.difference < 0:
        lead = _size_and_evidence(study, top.reversed())
        return f"{top.first} has the better average, but among the users compared, {top.second} is ahead by {lead}"
    return f"the users' differences cancel out ({p_claim(top.p_value)})"


def _size_and_evidence(study: Experiment, duel: Duel) -> str:
    size, grounds = _evidence_clauses(study, duel)
    return f"{size} ({grounds})"


def _evidence_clauses(study: Experiment, duel: Duel) -> tuple[str, str]:
    n_folds = n_folds_of(str(study.design.split), str(study.design.repeats), str(study.design.fits))
    return evidence(study, duel, str(study.design.aggregate), n_folds)


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
        by_dataset = grouped((standings.dataset, standings) for standings in base_standings(of_part, summary))
        sentences += [_best_sentence(of_part.part, first, counted) for first, *_ in by_dataset.values()]
    return sentences


def _best_sentence(part: Experiment, standings: Standings, counted: pd.DataFrame) -> str:
    plain = untuned_systems(part)
    alike, *lower = order_systems(standings.scores, direction(standings.metric))
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
        claim = f"{mark_untuned(best, plain)} is best: it beats {_rest_clause(beaten, plain, is_all=not untested)} ({value})"
    else:
        claim = f"{mark_untuned(best, plain)} has the best value ({value})"
    apart = f"; {best if level or len(alike) > 1 else 'it'} was not compared with {_names(untested, plain)}" if untested else ""
    under = " under the base design" if part.vary else ""
    return f"On {standings.dataset}{under}, {claim}{apart}.{tried_unequally(part, best, [*level, *beaten])}"


def _why(part: Experiment, level: dict[str, Duel]) -> str:
    whom = next(iter(level)) if len(level) == 1 else f"each of the other {len(level)}"
    if all(insignificant(duel.p_value, part.alpha) for duel in level.values()):
        return f"its lead over {whom} is not significant"
    return f"it does not beat {'' if len(level) == 1 else 'any of '}{whom.removeprefix('each of ')}"


def _rest_clause(beaten: Sequence[str], plain: Collection[str], *, is_all: bool) -> str:
    if is_all and len(beaten) > 1:
        return "both other systems" if len(beaten) == 2 else f"all {several(len(beaten), 'other system')}"
    return _names(beaten, plain)


def _names(systems: Sequence[str], plain: Collection[str]) -> str:
    shown = [mark_untuned(system, plain) for system in systems[:_NAMED]]
    return listed([*shown, *([f"{len(systems) - _NAMED} more"] if len(systems) > _NAMED else [])])


_MOST = 3
"""Largest number of systems that are named with their values."""


def chance_sentences(part: Experiment, results: Results) -> list[str]:
    """Name, by data set, the systems that in the base design are not significantly better than a random order, and what this means.

    Values are by the first metric that ranks systems and whose expected value for a random order is known. Systems that draw their
    order are left out.
    """
    table = results.summary
    rows = table[table["is_base"] & table["dataset"].isin(list(part.datasets)) & table["random_p"].notna()]
    metric = next(filter(ranks_systems, in_order(rows["metric_full"])), "")
    drawn = [system for system, spec in part.systems.items() if spec.name == "random"]
    kept = records(rows[(rows["metric_full"] == metric) & ~rows["system"].isin(drawn)])
    sign = direction(metric) if kept else 1
    gains = [sign * (row["value"] - row["expected_random"]) for row in kept]
    low = [row for row, gain in zip(kept, gains, strict=True) if not (gain > 0 and significant(row["random_p"], part.alpha))]
    rated = set(results.datasets.loc[results.datasets["metric"] == "relevance", "dataset"]) if part.design.relevance is None else ()
    by_dataset = grouped((row["dataset"], row) for row in low)
    over = OverDatasets(part, results)
    return [_sentences(over, label, own, has_ratings=label in rated) for label, own in by_dataset.items()]


def _sentences(over: OverDatasets, label: str, rows: Sequence[Mapping[str, Any]], *, has_ratings: bool) -> str:
    part = over.part
    worse = [row for row in rows if significant(row["random_p"], part.alpha)]
    rest = [row for row in rows if not significant(row["random_p"], part.alpha)]
    said = []
    if rest:
        p = p_claim(rest[0]["random_p"]) if len(rest) == 1 else p_not_below(part.alpha)
        said.append(_compared(label, rest, "not significantly better than", f"; {p}"))
    if len(rest) > 1:
        said.append("Verdicts between them say little on this data set.")
    if rest and any(label in labels for labels in part.families.values()):
        whom = "it" if len(rest) == 1 else "them"
        said.append(f"Means over data sets include {label}, so those of pairs with {whom} rest partly on noise.")
        said.extend(means_without(over, label, {row["system"] for row in rest}))
    if rest and has_ratings and getattr(built("dataset", part.datasets[label]), "relevance", 0) is None:
        own = f"{part.datasets[label].name}(relevance=...)"
        said.append(f"If too few of its ratings count as relevant, give {label} a threshold of its own: {own}.")
    if worse:
        said.append(_compared(label, worse, "significantly worse than", f"; {p_below(part.alpha)}"))
    return " ".join(said)


def _compared(label: str, rows: Sequence[Mapping[str, Any]], how: str, p: str) -> str:
    systems = [f"{row['system']} ({score(row['value'])})" for row in rows]
    named = listed([*systems[:_MOST], *([f"{len(systems) - _MOST} more"] if len(systems) > _MOST else [])])
    # Systems with different targets or users have different expected values.
    at_random = [row["expected_random"] for row in rows]
    ends = " to ".join(dict.fromkeys(map(score, (min(at_random), max(at_random)))))
    are = "is" if len(rows) == 1 else "are"
    return f"On {label}, {named} {are} {how} a random order of the items on {rows[0]['metric']} ({ends}{p})."
