"""What several data sets say together, in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from scipy import special

from recsens.comparison.random_effects import FEWEST_FAMILIES
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.over_datasets import OverDatasets, interval_in_words
from recsens.plugins.prose import listed
from recsens.report.system_remarks import mark_untuned, tried_unequally, untuned_systems
from recsens.study import Experiment
from recsens.tables.numbers import MINUS, count, fixed, p_claim, whole_percentage

_MOST = 3
"""Largest number of pairs that are described one by one; a table has them all."""

_SCALES = {
    "relative": "the ratio of the systems' values, by its logarithm",
    "difference": "the difference of the systems' values",
    "standardised": "the users' mean difference in standard deviations",
}


def first_sentences(over: OverDatasets) -> list[str]:
    """Say for the first screen what holds over data sets: of the pair asked about, or else of the best system and the next one."""
    asked = next((row for pair, row in over.base.items() if frozenset(pair) == over.part.asked), None)
    if asked is not None:
        return [pair_over_datasets(over, asked)]
    if not over.ranks:
        return []
    metric, plain = over.base_metric, untuned_systems(over.part)
    best, second, *_ = over.ranks
    rows = [over.from_better(row) for pair, row in over.base.items() if best in pair]
    beaten = [row["system_b"] for row in rows if row["winner"] == best]
    missed = [system for system in over.ranks if system not in {best, *beaten}]
    marked = mark_untuned(best, plain)
    if not over.is_inferred:
        said = f"Over these {_data_sets_in_words(over)}, {marked} has the best {metric} on average"
    elif not missed:
        others = "the other system" if len(beaten) == 1 else f"each of the other {count(len(beaten))} systems"
        said = f"On average over data sets like these {_data_sets_in_words(over)}, {marked} beats {others} on {metric}"
    else:
        shown = f"{marked} beats {listed(beaten)}, but" if beaten else marked
        not_shown = f"is not shown to beat {listed(missed, 'or')} on {metric}"
        said = f"On average over data sets like these {_data_sets_in_words(over)}, {shown} {not_shown}"
    next_best = next(row for row in rows if second in (row["system_a"], row["system_b"]))
    return [f"{said}.{tried_unequally(over.part, best, beaten)} {pair_over_datasets(over, next_best)}"]


def pair_over_datasets(over: OverDatasets, row: Mapping[str, Any]) -> str:
    """Say of a pair what holds over these data sets, on average over data sets like these, and on a new one."""
    row = over.from_better(row)
    plain, scale = untuned_systems(over.part), row["scale"]
    _, these_ends = interval_in_words(row["these"], row["these_low"], row["these_high"], scale)
    a, b = (mark_untuned(row[side], plain) for side in ("system_a", "system_b"))
    higher = "higher" if row["these"] >= 0 else "lower"
    said = (
        f"Over these {_data_sets_in_words(over)}, {row['metric']} of {a} is {_by(row)} {higher} than that of {b}. "
        f"The difference is {these_ends} for other users of them ({whole_percentage(1 - over.part.alpha)} CI)"
    )
    if math.isnan(row["alike"]):
        few = f"{count(row['families'])} {'families' if row['families'] > 1 else 'family'} of data sets"
        return f"{said}. {few} cannot say what holds on others: that needs at least {FEWEST_FAMILIES}."
    _, alike_ends = interval_in_words(row["alike"], row["alike_low"], row["alike_high"], scale)
    _, new_ends = interval_in_words(row["alike"], row["new_low"], row["new_high"], scale)
    unequal = tried_unequally(over.part, row["winner"], [row["system_b"]]) if row["winner"] == row["system_a"] else ""
    return (
        f"{said}, {alike_ends} on average over data sets like these ({p_claim(row['p_adjusted'])}), where {_verdict_clause(row)}, "
        f"and {new_ends} on a new one (at least about {whole_percentage(1 - over.part.alpha)}).{unequal} "
        f"{_what_would_narrow_it(row, over.part.alpha)}"
    )


def means_without(over: OverDatasets, label: str, systems: Collection[str]) -> list[str]:
    """Say which pairs of some systems have another better system or verdict over data sets without one of these, and which."""
    rows = [over.from_better(row) for row in over.without(label) if {row["system_a"], row["system_b"]}.intersection(systems)]
    said = [
        f"{over.base_metric} of {row['system_a']} is {_by(row)} {'higher' if row['these'] >= 0 else 'lower'} than that of "
        f"{row['system_b']}, and "
        f"{'no winner can be named' if math.isnan(row['alike']) else _verdict_clause(row)}"
        for row in rows[:_MOST]
    ]
    more = [f"{count(len(rows) - _MOST)} more pairs change"] if len(rows) > _MOST else []
    return [f"Over data sets without {label}, {'; '.join([*said, *more])}."] if rows else []


def _by(row: Mapping[str, Any]) -> str:
    size, _ = interval_in_words(row["these"], row["these_low"], row["these_high"], row["scale"])
    return f"{size.lstrip(MINUS)}{' standard deviations' if row['scale'] == 'standardised' else ''}"


def verdict_over_datasets(row: Mapping[str, Any]) -> str:
    """Say who wins on average over data sets like these, in one analysis."""
    _, ends = interval_in_words(row["alike"], row["alike_low"], row["alike_high"], row["scale"])
    of_whom = f"{row['system_a']} beside {row['system_b']}: {ends}"
    return f"On average over data sets like these, {_verdict_clause(row)} ({of_whom}, {p_claim(row['p_adjusted'])})."


def _verdict_clause(row: Mapping[str, Any]) -> str:
    return f"{row['winner']} wins" if row["winner"] else "the two are equivalent" if row["is_equivalent"] else "neither wins"


def over_datasets_sentences(over: OverDatasets) -> list[str]:
    """Say how the pairs stand over data sets, and how many other analyses have another winner there."""
    few = len(over.base) <= _MOST
    sentences = [pair_over_datasets(over, row) for row in over.base.values()] if few else first_sentences(over)
    n_others = len(over.rows) - len(over.base)
    if n_others and over.is_inferred:
        changed = over.changed()
        opposite = sum(bool(row["winner"]) and bool(over.base[row["system_a"], row["system_b"]]["winner"]) for row in changed)
        sentences.append(
            f"Of {count(n_others)} verdicts over data sets by other metrics or under other designs, {count(len(changed))} "
            f"differ from the base verdict on their pair, {count(opposite)} of them with the other winner."
        )
    return sentences


def how_combined(over: OverDatasets) -> str:
    """Say which data sets were combined, in which families, and on which scale."""
    part = over.part
    several = [f"{family} ({listed(labels)})" for family, labels in part.families.items() if len(labels) > 1]
    out = [label for label in part.datasets if not any(label in labels for labels in part.families.values())]
    least = {label: getattr(built("dataset", spec), "relevance", None) for label, spec in part.datasets.items()}
    own = [f"{number:g} on {label}" for label, number in least.items() if number is not None and part.design.relevance is None]
    once = "because data sets of one site resemble each other"
    return " ".join(
        [
            f"{_SCALES[part.scale].capitalize()}, on {_data_sets_in_words(over)}.",
            *([f"{listed(several)} count{'s' * (len(several) == 1)} once, {once}."] if several else []),
            *([f"Relevant there, as declared with the data set: ratings of at least {listed(own)}."] if own else []),
            *([f"Left out: {listed(out)}, because simulated data say nothing about other real data."] if out else []),
        ]
    )


_OF_RANKS = (
    " We tested mean ranks over families by Friedman and Nemenyi (Demšar 2006). Weighted means have the variance between data sets "
    "of Paule and Mandel (1982) and the interval of Hartung and Knapp (2001) with a factor of at least 1 (Röver, Knapp and Friede "
    "2015), which is 1 with this variance. Strengths are those of Bradley and Terry (1952), by who has the better mean effect on "
    "each family."
)


def over_datasets_in_methods(part: Experiment) -> str:
    """Say for a paper how comparisons were combined over data sets."""
    families = [family if labels == (family,) else f"{family} ({listed(labels)})" for family, labels in part.families.items()]
    return (
        f"We combined comparisons over {len(families)} families of data sets, {listed(families)}, each of which counts once: "
        f"{_SCALES[part.scale]}. The interval of the mean over these data sets is over their users; that of the mean over data "
        "sets like these is the t-interval over families (Ibragimov and Müller 2010); that for a new data set averages over the "
        "confidence distribution of the variance between data sets (Viechtbauer 2007), and is too wide where they hardly differ."
        f"{_OF_RANKS * part.friedman}"
    )


def _data_sets_in_words(over: OverDatasets) -> str:
    n, n_families = sum(map(len, over.part.families.values())), len(over.part.families)
    sets = f"{count(n)} data sets"
    return sets if n == n_families else f"{sets} ({count(n_families)} {'families' if n_families > 1 else 'family'})"


def _what_would_narrow_it(row: Mapping[str, Any], alpha: float) -> str:
    between, n = row["between"], row["families"]
    share = whole_percentage(max(between, 1 - between))
    if between >= 0.5:
        said = f"Of the squared error of that average, {share} is between data sets: more users or folds would hardly narrow it."
    else:
        said = f"Of the squared error of that average, {share} is within data sets: more users or folds would narrow it too."
    now, then = (fixed(float(special.stdtrit(freedom, 1 - alpha / 2)), 1) for freedom in (n - 1, n))
    return f"{said} With {count(n)} families, |t| must exceed {now}; with one more, {then}." if now != then else said
