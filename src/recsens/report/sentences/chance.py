"""Which systems are no better than a random order, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from recsens.arrays import grouped, in_order
from recsens.conclusions.verdicts.components import built, ranks_systems
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.outcomes.winner import significant
from recsens.plugins.prose import listed
from recsens.study import Experiment
from recsens.tables.numbers import p_claim, p_not_below, score

_MOST = 3
"""Largest number of systems that are named with their values."""


def chance_sentences(part: Experiment, results: Results) -> list[str]:
    """Name, by data set, the systems whose base value is not significantly above that of a random order, and say what this means.

    Values are by the first metric that ranks systems and whose expected value for a random order is known. Systems that draw their
    order are left out.
    """
    table = results.summary
    rows = table[table["is_base"] & table["dataset"].isin(list(part.datasets)) & table["random_p"].notna()]
    metric = next(filter(ranks_systems, in_order(rows["metric_full"])), "")
    drawn = [system for system, spec in part.systems.items() if spec.name == "random"]
    kept = records(rows[(rows["metric_full"] == metric) & ~rows["system"].isin(drawn)])
    low = [row for row in kept if not (row["value"] > row["expected_random"] and significant(row["random_p"], part.alpha))]
    rated = set(results.datasets.loc[results.datasets["metric"] == "relevance", "dataset"]) if part.design.relevance is None else ()
    by_dataset = grouped((row["dataset"], row) for row in low)
    return [_sentence(part, label, own, has_ratings=label in rated) for label, own in by_dataset.items()]


def _sentence(part: Experiment, label: str, rows: Sequence[Mapping[str, Any]], *, has_ratings: bool) -> str:
    systems = [f"{row['system']} ({score(row['value'])})" for row in rows]
    named = listed([*systems[:_MOST], *([f"{len(systems) - _MOST} more"] if len(systems) > _MOST else [])])
    is_one, is_below = len(rows) == 1, any(significant(row["random_p"], part.alpha) for row in rows)
    p = "" if is_below else f"; {p_claim(rows[0]['random_p']) if is_one else p_not_below(part.alpha)}"
    are, metric, at_random = "is" if is_one else "are", rows[0]["metric"], score(rows[0]["expected_random"])
    said = [f"On {label}, {named} {are} not significantly better than a random order of the items on {metric} ({at_random}{p})."]
    if not is_one:
        said.append("Verdicts between them there say little.")
    if any(label in labels for labels in part.families.values()):
        said.append(f"Means over data sets include {label}, so those of {'its' if is_one else 'their'} pairs rest partly on noise.")
    if has_ratings and hasattr(built("dataset", part.datasets[label]), "relevance"):
        own = f"{part.datasets[label].name}(relevance=...)"
        said.append(f"If too few of its ratings count as relevant, give {label} a threshold of its own: {own}.")
    return " ".join(said)
