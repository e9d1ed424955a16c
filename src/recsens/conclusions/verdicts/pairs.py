"""Verdicts on pairs of systems: who wins each comparison, and which single decisions change the verdict.

An *analysis* is a design with a metric that ranks systems, on one data set; a *comparison* is a pair of systems under one analysis.
A pair's base verdict is the verdict under the base design by the study's first metric that ranks systems; every other analysis is
compared with this verdict. Analyses with the same numbers count as evidence only once.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from recsens.arrays import Ints, grouped
from recsens.conclusions.design_space import Change, DesignSpace, change_in_words
from recsens.conclusions.verdicts.components import measured
from recsens.conclusions.verdicts.efforts import Efforts, efforts_of
from recsens.conclusions.verdicts.study_tables import experiment_rows, records
from recsens.outcomes.winner import FIRST, NOBODY, SECOND, Side
from recsens.study import Experiment, Study
from recsens.study.taxonomy import DECISIONS, columns_with_full, decision

PAIR = ("dataset", "system_a", "system_b")

UNDECIDED = "undecided"
"""The verdict if neither system wins."""

EQUIVALENT = "equivalent"
"""The verdict if the difference is certainly smaller than the margin."""

UNINFORMATIVE = "uninformative"
"""The verdict of an analysis in which the systems cannot differ; it is in no count of analyses."""

BESIDE = ("agrees", "contradicts", "undecides", "decides")
"""How an analysis compares with the base verdict: the same verdict, the opposite winner, less than the base verdict says, or more.

To be undecided says least, then to be equivalent, then a winner."""

CHANGES = BESIDE[1:]
"""The ways in which an analysis changes the base verdict, the most serious first."""


@dataclass(frozen=True)
class PairVerdicts:
    """The verdict on every pair of systems in one experiment, under every analysis.

    Attributes
    ----------
    part
        The experiment.
    rows
        One row per pair, metric and design, in the order of the comparisons, with the columns of the comparisons and these further
        columns. ``winner`` is the label of the system that wins, and empty if neither wins; ``verdict`` is the verdict in words;
        ``beside_base`` compares the verdict with the base verdict. ``better`` is the side with the better value
        (`recsens.outcomes.winner.Side`), ``n_changed`` counts the decisions in which the design differs from the base, and
        ``is_base_metric`` marks the study's first metric that ranks systems. ``original`` is the index of the row that represents
        all rows with the same numbers, which may be the row itself.
    efforts
        The verdicts after numbers of trials of tuning, by data set and pair; empty if the experiment does not vary the effort.
    """

    part: Experiment
    rows: pd.DataFrame
    efforts: Mapping[tuple[str, str, str], Efforts] = field(default_factory=dict)

    @classmethod
    def of(cls, part: Experiment, table: pd.DataFrame, effort: pd.DataFrame | None = None) -> Self:
        """Select one experiment's verdicts from ``verdicts.csv``, where ``original`` counts rows across all experiments.

        ``effort`` has the rows of ``effort.csv``, if there are any.
        """
        rows = experiment_rows(part, table)
        original = rows.index.get_indexer(pd.Index(rows["original"]))
        efforts = {} if effort is None else efforts_of(part, effort)
        return cls(part, rows.assign(original=original).reset_index(drop=True), efforts)

    @cached_property
    def base(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """The row with each pair's base verdict, by data set and systems."""
        chosen = self.rows[self.rows["is_base"] & self.rows["is_base_metric"]]
        return {pair_of(row): row for row in records(chosen)}

    @cached_property
    def others(self) -> pd.DataFrame:
        """Every distinct analysis: one for each set of equal numbers, except the base analysis and uninformative ones."""
        is_base = self.rows["is_base"] & self.rows["is_base_metric"]
        return self.rows[~is_base & (self.rows["original"] == self.rows.index) & (self.rows["verdict"] != UNINFORMATIVE)]

    @cached_property
    def uninformative(self) -> pd.DataFrame:
        """Analyses that can say nothing about the two systems."""
        return self.rows[self.rows["verdict"] == UNINFORMATIVE]

    @cached_property
    def others_of(self) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
        """The rows of `others`, by data set and systems."""
        return grouped((pair_of(row), row) for row in records(self.others))

    @cached_property
    def copies(self) -> pd.DataFrame:
        """Analyses that repeat the numbers of another analysis."""
        return self.rows[(self.rows["original"] != self.rows.index) & (self.rows["verdict"] != UNINFORMATIVE)]

    @property
    def is_grid(self) -> bool:
        """Whether every combination of options was run; also true if fewer than two decisions vary."""
        return self.part.combine == "grid" or len(self.part.vary) < 2

    @cached_property
    def space(self) -> DesignSpace:
        """The designs of the analyses."""
        return DesignSpace(self.rows)

    def changed(self) -> list[dict[str, Any]]:
        """List the verdicts that a single decision changes, contradictions first. Analyses with equal numbers are listed once."""
        single = self.others[n_changes(self.others) == 1]
        changed = single[single["beside_base"].isin(CHANGES)]
        listed = [self._beside_base(int(str(index)), row) for index, row in zip(changed.index, records(changed), strict=True)]
        order = {pair: rank for rank, pair in enumerate(self.base)}
        return sorted(listed, key=lambda row: (CHANGES.index(row["kind"]), order[pair_of(row)]))

    def robustness(self) -> list[dict[str, Any]]:
        """For each pair, count all analyses except the base analysis, and the distinct ones among them.

        The distinct analyses are also counted by how they change the base verdict.
        """
        counts = self.others.groupby([*PAIR, "beside_base"], sort=False).size().to_dict()
        rows = []
        for pair, base in self.base.items():
            numbers = {kind: int(counts.get((*pair, kind), 0)) for kind in BESIDE}
            distinct = sum(numbers.values())
            head = {**dict(zip(PAIR, pair, strict=True)), "base_verdict": base["verdict"]}
            rows.append({**head, "analyses": distinct + self.n_copies.get(pair, 0), "distinct": distinct, **numbers})
        return rows

    @cached_property
    def n_copies(self) -> dict[tuple[str, str, str], int]:
        """For each pair, the number of analyses that repeat another analysis's numbers."""
        pairs = self.copies[list(PAIR)].itertuples(index=False, name=None)
        return dict(Counter((str(dataset), str(a), str(b)) for dataset, a, b in pairs))

    def copied(self) -> list[dict[str, Any]]:
        """List each data set's copies: the analysis, the analysis that it repeats, and the number of pairs for which it does so."""
        sources = self.rows.loc[self.copies["original"]]
        counts = Counter(zip(self.copies["dataset"], self.names(self.copies), self.names(sources), strict=True))
        return [{"dataset": dataset, "analysis": name, "same_as": of, "pairs": n} for (dataset, name, of), n in counts.items()]

    def names(self, rows: pd.DataFrame) -> list[str]:
        """Name analyses by their metric and the decisions that they change."""
        columns = ["metric", "metric_full", *columns_with_full(DECISIONS)]
        name_of = {
            tuple(row.values()): f"{row['metric']} under {change_in_words(self.space.change(row))}"
            for row in records(rows[columns].drop_duplicates())
        }
        return [name_of[key] for key in rows[columns].itertuples(index=False, name=None)]

    @cached_property
    def _single_copies(self) -> dict[int, list[dict[str, Any]]]:
        """The copies that change only one decision, by the index of the row that they repeat."""
        return grouped((copy["original"], copy) for copy in records(self.copies[n_changes(self.copies) == 1]))

    def _beside_base(self, index: int, row: Mapping[str, Any]) -> dict[str, Any]:
        base = self.base[pair_of(row)]
        also = [_change_cells(base, copy, self.space.change(copy)) for copy in self._single_copies.get(index, [])]
        return {
            **{key: row[key] for key in PAIR},
            "metric": base["metric"],
            "metric_full": base["metric_full"],
            **_change_cells(base, row, self.space.change(row)),
            "base_verdict": base["verdict"],
            "verdict": row["verdict"],
            "kind": row["beside_base"],
            "base_difference": base["difference"],
            "difference": row["difference"],
            "base_effect": base["effect"],
            "effect": row["effect"],
            "base_p": base["p_adjusted"],
            "p": row["p_adjusted"],
            "also": "; ".join(f"{changed['decision']} {changed['to']}" for changed in also),
        }


def experiment_verdicts(study: Study, table: pd.DataFrame, effort: pd.DataFrame | None = None) -> list[PairVerdicts]:
    """Return each experiment's verdicts, from the study's ``verdicts.csv`` and, if there is one, its ``effort.csv``."""
    return [PairVerdicts.of(part, table, effort) for part in study.all_experiments()]


def changed_verdicts(verdicts: Iterable[PairVerdicts]) -> list[dict[str, Any]]:
    """List the verdicts of several experiments that a single decision changes, contradictions first."""
    listed = [row for of_part in verdicts for row in of_part.changed()]
    return sorted(listed, key=lambda row: CHANGES.index(row["kind"]))


def beside(before: str, after: str) -> str:
    """Return how a verdict compares with the base verdict (`BESIDE`); empty if it is of an uninformative analysis."""
    if after == UNINFORMATIVE:
        return ""
    said, says = ({UNDECIDED: 0, UNINFORMATIVE: 0, EQUIVALENT: 1}.get(verdict, 2) for verdict in (before, after))
    if said == says:
        return "contradicts" if says and before != after else "agrees"
    return "decides" if says > said else "undecides"


def count_analyses(analyses: int, distinct: int) -> str:
    """Write how many analyses there are, and how many are distinct: ``31 analyses, 22 distinct``."""
    noun = "analysis" if analyses == 1 else "analyses"
    return f"{analyses:,} {noun}" if distinct == analyses else f"{analyses:,} {noun}, {distinct:,} distinct"


def pair_of(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the data set and the systems of a row."""
    return row["dataset"], row["system_a"], row["system_b"]


def winning_sides(rows: pd.DataFrame) -> Side:
    """Return which system of each pair wins."""
    wins = [rows["winner"] == rows["system_a"], rows["winner"] == rows["system_b"]]
    return np.select(wins, [FIRST, SECOND], NOBODY)


def n_changes(rows: pd.DataFrame) -> Ints:
    """Count the decisions, the metric included, in which each analysis differs from the base."""
    return np.asarray(rows["n_changed"] + ~rows["is_base_metric"].astype(bool), dtype=np.int64)


def _change_cells(base: Mapping[str, Any], row: Mapping[str, Any], change: Change) -> dict[str, str]:
    if change:
        varied = decision(change[0][0])
        code, name, column, full = varied.code, varied.name, varied.column, varied.full_column
    else:
        name = _metric_change(base["metric_full"], row["metric_full"])
        code, column, full = "C2", "metric", "metric_full"
    options = {"from": base[column], "from_full": base[full], "to": row[column], "to_full": row[full]}
    return {"code": code, "decision": name, **options}


def _metric_change(before: str, after: str) -> str:
    """Name the difference between two metrics: the cut-off, a parameter such as the gain, or the metric itself."""
    old, new = measured(before), measured(after)
    deeper = ["cut-off"] if old.cutoff != new.cutoff else []
    if old.metric.spec.name != new.metric.spec.name:
        return " and ".join(["Metric", *deeper])
    parameters = [key for key, value in old.metric.full_spec.params if new.metric.full_spec.get(key) != value]
    text = " and ".join([*(f"{key} of the metric" for key in parameters), *deeper])
    return f"{text[0].upper()}{text[1:]}"


def shortest_ways(verdicts: PairVerdicts) -> list[dict[str, Any]]:
    """For each pair with a winner, list the analyses with the opposite winner that change the fewest decisions.

    The metric counts as a decision. Each row also counts the analyses that change fewer decisions; the other system wins in none of
    them. So there is no shorter way among the analyses that were run. A pair without an opposite winner has a row too.
    """
    spoken = verdicts.rows[verdicts.rows["verdict"] != UNINFORMATIVE]
    rows = spoken.assign(changes=n_changes(spoken))
    changes = {pair: own.to_numpy() for pair, own in rows.groupby(list(PAIR), sort=False)["changes"]}
    opposite = rows[rows["beside_base"] == "contradicts"]
    nearest = opposite[opposite["changes"] == opposite.groupby(list(PAIR))["changes"].transform("min")]
    shortest = grouped((pair_of(way), way) for way in records(nearest))
    lines: list[dict[str, Any]] = []
    for pair, base in verdicts.base.items():
        if not base["winner"]:
            continue
        own, ways = changes[pair], shortest.get(pair, [])
        fewest = ways[0]["changes"] if ways else 0
        n_fewer = int((own < fewest).sum()) if ways else len(own)
        head = {**dict(zip(PAIR, pair, strict=True)), "base_metric": base["metric"], "base_verdict": base["verdict"]}
        head |= {"changes": fewest, "ruled_out": n_fewer, "analyses": len(own), "every_combination": verdicts.is_grid}
        lines += [{**head, **_shortest_line(verdicts, base, way)} for way in ways] or [head]
    return lines


def _shortest_line(verdicts: PairVerdicts, base: dict[str, Any], way: dict[str, Any]) -> dict[str, Any]:
    change = verdicts.space.change(way)
    metric = [f"metric {way['metric']}"] if way["metric_full"] != base["metric_full"] else []
    words = " and ".join([*([change_in_words(change)] if change else []), *metric])
    return {"change": words, **{key: way[key] for key in ("metric", "verdict", "difference")}, "p": way["p_adjusted"]}
