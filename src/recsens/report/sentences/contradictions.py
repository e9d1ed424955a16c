"""Pairs in which each system wins in some analysis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsens.conclusions.verdicts.best import Duel, duel_of
from recsens.conclusions.verdicts.components import direction, n_folds_of
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.stability import Stability, stabilities
from recsens.outcomes.winner import SECOND, ahead, insignificant
from recsens.report.sentences.evidence import beside_values, contrary_p_over_splits, evidence
from recsens.report.sentences.options import condition
from recsens.study.taxonomy import decision
from recsens.tables.numbers import count, p_claim

_EXAMPLES = 3
"""Number of analyses that a contradiction names; the table of changed verdicts lists all single changes."""


@dataclass(frozen=True)
class Contradiction:
    """A pair in which each system wins in some analysis.

    Attributes
    ----------
    base
        The verdict under the base design, in a sentence.
    against
        Analyses with the other winner, in one sentence each; the analyses with the fewest changes come first.
    counts
        A sentence with the number of analyses that each system wins.
    """

    base: str
    against: tuple[str, ...]
    counts: str


def contradictions(verdicts: Sequence[PairVerdicts]) -> list[Contradiction]:
    """List the pairs in which each system wins in some analysis, in the study's order."""
    return [_contradiction(pair) for of_part in verdicts for pair in stabilities(of_part) if pair.is_contradicted]


def _contradiction(pair: Stability) -> Contradiction:
    verdicts, base = pair.verdicts, pair.base
    systems = (base["system_a"], base["system_b"])
    wins = {system: [row for row in pair.others if row["winner"] == system] for system in systems}
    undecided = len(pair.others) - sum(map(len, wins.values()))
    if base["winner"]:
        against = least_changed([row for row in pair.others if row["beside_base"] == "contradicts"])[:_EXAMPLES]
    else:
        against = [row for system in systems for row in least_changed(wins[system])[:_EXAMPLES]]
    counts = ", ".join(f"{system} wins in {count(len(wins[system]))}" for system in systems)
    distinct, total = count(len(pair.others)), count(len(pair.others) + pair.n_copies)
    are_distinct = f"{distinct} {'is' if distinct == '1' else 'are'} distinct; of these, " if pair.n_copies else ""
    return Contradiction(
        _base_sentence(verdicts, base),
        tuple(_sentence(verdicts, base, row) for row in against),
        f"Of the {total} other analyses, {are_distinct}{counts}, and neither wins in {count(undecided)}.",
    )


def least_changed(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Order analyses by the number of decisions that they change, counting the metric."""
    return sorted(rows, key=lambda row: row["n_changed"] + (not row["is_base_metric"]))


def _base_sentence(verdicts: PairVerdicts, base: Mapping[str, Any]) -> str:
    under, metric = f"On {base['dataset']} under the base design", base["metric"]
    leader, follower = _pair_by_lead(base)
    size, grounds = _lead_and_evidence(verdicts, base)
    if base["winner"]:
        return f"{under}, {leader} beats {follower} on {metric} by {size} ({grounds})."
    if insignificant(_leader_duel(base).p_value, verdicts.part.alpha):
        return f"{under}, {leader}'s lead over {follower} on {metric}, {size}, is not significant ({grounds})."
    return f"{under}, neither system wins on {metric}: {leader} is ahead of {follower} by {size} ({grounds})."


def _sentence(verdicts: PairVerdicts, base: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    leader, follower = _pair_by_lead(row)
    change = change_of_analysis(verdicts, base, row)
    duel = _leader_duel(row)
    over_splits = contrary_p_over_splits(duel.p_value, duel.resampled_p, verdicts.part.alpha, duel.correction, duel.n_splits)
    of_values = beside_values(duel.difference, duel.value_difference, duel.low, duel.high)
    p = f"{p_claim(duel.p_value)}{over_splits}{of_values}"
    return f"With {change}, {leader} beats {follower} by {_lead_and_evidence(verdicts, row)[0]} ({p})."


def change_of_analysis(verdicts: PairVerdicts, base: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Say how an analysis differs from the base, as in ``20 % of the data in train and nDCG@10 as the metric``."""
    changes = [_option_in_words(verdicts, key, text) for key, text in verdicts.space.change(row)]
    metric = [f"{row['metric']} as the metric"] if row["metric_full"] != base["metric_full"] else []
    return " and ".join([*changes, *metric])


def _option_in_words(verdicts: PairVerdicts, key: str, text: str) -> str:
    swept = verdicts.space.sweep(decision(key))
    return condition(swept, [option for option in swept.options if option.text == text]).removeprefix("with ")


def _pair_by_lead(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the two systems; the system that leads among the compared users comes first."""
    a, b = row["system_a"], row["system_b"]
    return (b, a) if ahead(row["difference"], direction(row["metric"])) == SECOND else (a, b)


def _lead_and_evidence(verdicts: PairVerdicts, row: Mapping[str, Any]) -> tuple[str, str]:
    """Print the lead of the better system, and the evidence for it.

    The lead is positive, whether higher or lower values are better.
    """
    return evidence(verdicts.part, _leader_duel(row), row["aggregate"], n_folds_of(row["split"], row["repeats"], row["fits"]))


def _leader_duel(row: Mapping[str, Any]) -> Duel:
    duel = duel_of(row)
    return duel.reversed() if duel.difference < 0 else duel
