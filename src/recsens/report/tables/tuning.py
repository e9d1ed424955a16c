"""The candidates of tuned systems, their validation scores, and the chosen candidates."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import pandas as pd

from recsens import plugins
from recsens.arrays import grouped, in_order
from recsens.conclusions.design_space import is_number
from recsens.conclusions.verdicts.best import base_standings
from recsens.conclusions.verdicts.components import built, direction
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed
from recsens.plugins.specs import Spec, parse
from recsens.recommenders.tuned import VALIDATION, Tuned
from recsens.tables.cells import score_cell
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

_KEYS = ("dataset", "filter_full", "split_full", "system")

MAX_FOLDS = 10
"""Largest number of folds for which a table shows separate values; the CSV file has all folds."""


def tuning_tables(tuning: pd.DataFrame) -> list[Table]:
    """Show the candidates of each tuned system under each split, best first; candidates that were chosen are bold."""
    several = [name for name in ("filter", "split") if len(in_order(tuning[f"{name}_full"])) > 1]
    return [_candidate_table(rows, several) for _, rows in tuning.groupby(list(_KEYS), sort=False)]


def merged_tuning_table(tuning: pd.DataFrame, dataset: str, system: str) -> Table:
    """Show one system's candidates in one table, grouped by filter and split if there are several."""
    tables = tuning_tables(tuning[(tuning["dataset"] == dataset) & (tuning["system"] == system)])
    caption = f"{dataset}: candidates of {system} on validation data"
    if not tables:
        same = (
            "The system is tuned on the same train sets in another experiment of the study; the values are in the table of that "
            "experiment."
        )
        return Table("tuning", caption, "Parameters", (), (), (same,))
    first = tables[0]
    if len(tables) == 1:
        return first
    shared = [column for column in first.columns if all(column in table.columns for table in tables)]
    chosen = [table.select([table.columns.index(column) for column in shared]) for table in tables]
    groups = tuple(RowGroup(table.caption.removeprefix(f"{caption}, "), table.groups[0].rows) for table in chosen)
    merged = Table(first.key, caption, first.corner, tuple(shared), groups)
    return merged.noted(*(note for table in tables for note in table.notes))


def how_tuned(system: Spec, outers: Iterable[Spec]) -> list[str]:
    """Say by what a tuned system's parameters were chosen under the splits of a study; empty for a system that is not tuned."""
    component = built("recommender", system)
    if not isinstance(component, Tuned):
        return []
    drawn = component.search_in_full
    own = f" Candidates: {component.of} as it is, and {drawn}, its own search space." if drawn != component.search else ""
    parts = " or ".join(dict.fromkeys(_validation_in_words(str(component.within(outer).split)) for outer in outers))
    return [f"Tuned on validation data: by {component.metric} on {parts}.{own}"]


def leaders_at_edges(verdicts: Sequence[PairVerdicts], summary: pd.DataFrame, tuning: pd.DataFrame) -> list[str]:
    """Say which of the systems with the best values, and which others, were tuned to an edge of their search ranges."""
    told: dict[tuple[str, ...], str] = {}
    for of_part in verdicts:
        base = of_part.part.design
        on_base = tuning[(tuning["filter"] == base.filter.written) & (tuning["split"] == base.split.written)]
        for each in base_standings(of_part, summary):
            tried = grouped((row["system"], row) for row in records(on_base[on_base["dataset"] == each.dataset]))
            at_edge = {system: ", ".join(found) for system, rows in tried.items() if (found := _parameters_at_edge(rows))}
            if edges := at_edge.pop(each.leader, ""):
                on = f"On {each.dataset}, the choice for {each.leader} is at the edge of its search range"
                told[each.dataset, each.leader] = f"{on} ({edges}); a wider search might do better."
            if at_edge:
                named = listed([f"{system} ({at})" for system, at in at_edge.items()])
                besides = " as well" if edges else ""
                too = f"On {each.dataset}, a wider search might do better than shown for {named}{besides}"
                told[each.dataset, each.leader, "others"] = f"{too}; each choice is at the edge of its range."
    return in_order(told.values())


def _candidate_table(rows: pd.DataFrame, several: Sequence[str]) -> Table:
    first = records(rows.head(1))[0]
    dataset, system, metric = first["dataset"], first["system"], first["metric_full"]
    folds = in_order(rows["fold"])
    trials: dict[str, dict[str, dict[str, Any]]] = {}
    for row in records(rows):
        trials.setdefault(row["candidate"], {})[row["fold"]] = row
    means = {candidate: fmean(by_fold[fold]["value"] for fold in folds) for candidate, by_fold in trials.items()}
    order = sorted(trials, key=lambda candidate: (means[candidate] != means[candidate], -direction(metric) * means[candidate]))
    shown_folds = folds if len(folds) <= MAX_FOLDS else []
    lines = []
    for candidate in order:
        n_chosen = sum(trials[candidate][fold]["chosen"] for fold in folds)
        own = [
            score_cell(trials[candidate][fold]["value"], of=metric, is_best=trials[candidate][fold]["chosen"])
            for fold in shown_folds
        ]
        over = [score_cell(means[candidate], of=metric), TableCell(f"{n_chosen} of {len(folds)}")] if len(folds) > 1 else []
        lines.append(Row(candidate, (*over, *own)))
    where = {"filter": f"after the filter {first['filter']}", "split": f"under the split {first['split']}"}
    notes = [
        f"Values are {first['metric']} on {_validation_in_words(first['validation'])}; chosen candidates are in bold.",
        "Candidates are measured over all items, with the data set's threshold of relevance, whatever the study's own design says.",
    ]
    if direction(metric) < 0:
        notes.append("Lower is better.")
    for refusal in in_order(rows["refusal"][rows["refusal"] != ""]):
        of = in_order(rows["candidate"][rows["refusal"] == refusal])
        notes.append(f"Not fitted, and so without a value: {listed(of)}: {refusal}.")
    chosen = {each for each in trials for fold in folds if trials[each][fold]["chosen"]}
    is_settled = len(trials) > 1 and all(len({by_fold[fold]["value"] for by_fold in trials.values()}) == 1 for fold in folds)
    if is_settled:
        notes.append("All candidates have the same value, so the first was chosen.")
    elif edges := _parameters_at_edge(records(rows)):
        notes.append(f"{'The' if len(chosen) == 1 else 'A'} choice is at the edge of the search range: {', '.join(edges)}.")
    key = slug("-".join(["tuning", dataset, system, *(first[name] for name in several)]))
    caption = ", ".join([f"{dataset}: candidates of {system} on validation data", *(where[name] for name in several)])
    columns = ["mean", "chosen on", *shown_folds] if len(folds) > 1 else [first["metric"]]
    return Table(key, caption, "Parameters", tuple(columns), (RowGroup("", tuple(lines)),), tuple(notes))


def _parameters_at_edge(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the parameters of which a chosen candidate has the lowest or the highest number that was tried, but could go further.

    If a candidate further inside has the same value, nothing lies beyond, such as more factors than the data allow. Of two numbers
    that the recommender's own search space lists, each is the lowest or the highest, which tells nothing.
    """
    recommender: Any = plugins.load("recommender", parse(rows[0]["spec"]).name) if rows else None
    schema = recommender.model_json_schema()["properties"] if rows else {}
    own = recommender.search_space.params if rows and recommender.search_space else {}
    values = {row["candidate"]: dict(parse(f"of({row['candidate']})").params) for row in rows}
    alike = [
        [values[other["candidate"]] for other in rows if (other["fold"], other["value"]) == (row["fold"], row["value"])]
        for row in rows
        if row["chosen"]
    ]
    edges = []
    for name in next(iter(values.values()), ()):
        numbers = {number for params in values.values() if is_number(number := params[name])}
        limits = {schema.get(name, {}).get(limit) for limit in ("minimum", "maximum")}
        is_listed = isinstance(listed_values := own.get(name), list | tuple) and numbers <= set(listed_values)
        ends = {min(numbers), max(numbers)} - limits if len(numbers) > 1 + is_listed else set()
        if any(all(is_number(number := params[name]) and number in ends for params in group) for group in alike):
            edges.append(name)
    return edges


def _validation_in_words(split: str) -> str:
    return "the validation set of the split" if split == VALIDATION else f"the test part of a split of the train set, {split}"
