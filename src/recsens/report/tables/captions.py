"""Sentences that complete a paper's caption: which users are averaged, over how many folds, and which test is used."""

import math
from dataclasses import replace

import pandas as pd

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.components import built, concept, is_by_rating, n_folds_of, ranks_systems
from recsens.conclusions.verdicts.study_tables import Results, in_order
from recsens.plugins.prose import definition
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.tables.numbers import level, span
from recsens.tables.table import Table

_CORRECTIONS = {
    "none": "not corrected for the number of comparisons",
    "holm": "corrected by Holm's procedure over all pairs on one metric",
    "bh": "corrected by the procedure of Benjamini and Hochberg over all pairs on one metric",
}


def of_scores(table: Table, part: Experiment, results: Results, dataset: str, *, ranking: bool) -> Table:
    """Complete the caption of a table of scores."""
    summary = results.summary[results.summary["dataset"] == dataset]
    rows = summary[[ranks_systems(metric) == ranking for metric in summary["metric"]]]
    details = [_averaged(part, rows, table)]
    if any(cell.is_best for group in table.groups for row in group.rows for cell in row.cells):
        details.append("Bold: the best system.")
    if any(cell.mark for group in table.groups for row in group.rows for cell in row.cells):
        details.append(
            f"*: better than the second best, p < {level(part.alpha)} by {test_name(part)}, {_CORRECTIONS[part.design.correction]}."
        )
    return replace(table, details=tuple(details), notes=tuple(note for note in table.notes if note not in details))


def of_comparisons(table: Table, part: Experiment, results: Results, dataset: str) -> Table:
    """Complete the caption of a table of comparisons."""
    rows = results.comparisons
    pooled = rows[(rows["dataset"] == dataset) & rows["is_base"] & (rows["fold"] == "all")]
    n_pairs = len(part.pairs())
    compared = f"{n_pairs} pairs" if n_pairs > 1 else "One pair"
    interval = f"{interval_name(part)} and p" if pooled["low"].notna().any() else "p"
    details = (
        f"{compared} of systems, compared over the same {span(pooled['users'])} users{_folds(pooled)}.",
        f"{interval} from {test_name(part)}; p is {_CORRECTIONS[part.design.correction]}.",
    )
    return replace(table, details=details)


def test_name(part: Experiment) -> str:
    """Name the test of the base design for a sentence, such as ``a paired two-tailed t-test over users``."""
    test = built("test", part.design.test)
    if test is None:
        return str(part.design.test)
    name = (concept(type(test)) or definition(type(test))).rstrip(".").partition(":")[0]
    lower = f"{name[0].lower()}{name[1:]}" if not name.startswith(("Fisher", "Wilcoxon")) else name
    if lower.startswith(("the ", "Fisher", "Wilcoxon")):
        return f"the {name[4:]}" if lower.startswith("the ") else name
    return f"a {lower}"


def _averaged(part: Experiment, rows: pd.DataFrame, table: Table) -> str:
    design = next(iter(base_designs(part).values()))
    aggregate = built("aggregate", design.aggregate)
    is_mean = aggregate is None or bool(getattr(aggregate, "averages_values", False))
    what = "Means" if is_mean else f"Values by {design.aggregate}"
    whom = "the relevant test ratings of " if is_by_rating(design) else ""
    metrics = in_order(rows["metric"])
    of = "" if len(metrics) != 1 or metrics[0] in (*table.columns, table.corner) else f" of {metrics[0]}"
    return f"{what}{of} over {whom}{span(rows['n_users'])} users{_folds(rows)}."


def _folds(rows: pd.DataFrame) -> str:
    designs = rows[["split", "repeats"]].drop_duplicates().itertuples(index=False, name=None)
    numbers = {n_folds_of(str(split), str(repeats)) for split, repeats in designs}
    if not numbers or math.inf in numbers or max(numbers) < 2:
        return ""
    ends = [f"{number:g}" for number in sorted({min(numbers), max(numbers)})]
    return f", averaged over {' to '.join(ends)} folds"
