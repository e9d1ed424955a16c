"""Which systems are no better than a random order, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from recsens.arrays import grouped, in_order
from recsens.conclusions.verdicts.components import built, direction, ranks_systems
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.outcomes.winner import significant
from recsens.plugins.prose import listed
from recsens.report.sentences.over_datasets import means_without
from recsens.study import Experiment
from recsens.tables.numbers import p_below, p_claim, p_not_below, score

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
        said.append("Verdicts between them there say little.")
    if rest and any(label in labels for labels in part.families.values()):
        their = "its" if len(rest) == 1 else "their"
        said.append(f"Means over data sets include {label}, so those of {their} pairs rest partly on noise.")
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
