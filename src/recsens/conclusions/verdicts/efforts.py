"""Verdicts by effort: how many trials of tuning each system gets, as a decision with the other decisions of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.design_space import Option, Sweep
from recsens.conclusions.verdicts.study_tables import records
from recsens.outcomes.searches import AGREEING
from recsens.study import Experiment
from recsens.study.taxonomy import Decision
from recsens.tables.numbers import whole_percentage

EFFORT = Decision("B", "effort", "Trials of tuning", ("rank",), "effort", in_design=False)
"""The effort as a decision. It is none of a design, because an effort stands for many systems, one for each search."""

DIVIDED = "divided"
"""Neither system wins in enough searches, nor do they all leave the pair open."""


@dataclass(frozen=True, slots=True)
class Efforts:
    """The verdicts on a pair of systems over searches of growing effort, the same for both.

    Attributes
    ----------
    systems
        The two systems.
    rows
        The rows of ``effort.csv`` for equal efforts, ascending.
    unequal
        The rows for different efforts, by both.
    """

    systems: tuple[str, str]
    rows: Sequence[Mapping[str, Any]]
    unequal: Mapping[tuple[int, int], Mapping[str, Any]]

    @property
    def last(self) -> Mapping[str, Any]:
        """The row of the largest effort that says something about other searches than this one, if there is one."""
        return next((row for row in reversed(self.rows) if not row["is_of_this_search"]), self.rows[-1])

    @property
    def settled_from(self) -> int:
        """The effort from which on, up to that of `last`, the verdict is the same."""
        tried = [row for row in self.rows if row["effort_a"] <= self.last["effort_a"]]
        differing = [row["effort_a"] for row in tried if row["winner"] != self.last["winner"]]
        return int(min(row["effort_a"] for row in tried if not differing or row["effort_a"] > max(differing)))

    def at(self, effort: int) -> Mapping[str, Any]:
        """Return the row of an effort."""
        return next(row for row in self.rows if row["effort_a"] == effort)


def efforts_of(part: Experiment, effort: pd.DataFrame) -> dict[tuple[str, str, str], Efforts]:
    """Collect an experiment's rows of ``effort.csv`` by data set and pair."""
    rows = records(effort[effort["dataset"].isin(list(part.datasets))]) if part.effort else []
    pairs = grouped(((row["dataset"], row["system_a"], row["system_b"]), row) for row in rows)
    found = {}
    for key, of_pair in pairs.items():
        equal = sorted((row for row in of_pair if row["effort_a"] == row["effort_b"]), key=lambda row: row["effort_a"])
        unequal = {(int(row["effort_a"]), int(row["effort_b"])): row for row in of_pair if row["effort_a"] != row["effort_b"]}
        found[key] = Efforts((key[1], key[2]), equal, unequal)
    return found


def effort_sweep(part: Experiment) -> Sweep:
    """Return the efforts that a study lists as options of a decision; the base design, in which systems are as written, is none."""
    options = tuple(Option(str(effort), float(effort), is_base=False) for effort in sorted(part.effort))
    return Sweep(EFFORT, options, EFFORT.key)


def rows_by_option(
    part: Experiment, efforts: Mapping[tuple[str, str, str], Efforts]
) -> Iterator[tuple[tuple[str, str, str, str], dict[str, Any]]]:
    """Yield the verdict on each pair after each listed effort, in the form of a row of verdicts; there is no p-value."""
    no_p = {"p_adjusted": float("nan"), "resampled_p": float("nan"), "correction": "none"}
    for key, of_pair in efforts.items():
        for effort in part.effort:
            row = of_pair.at(effort)
            verdict = f"{row['winner']} wins" if row["winner"] else DIVIDED if row["share_neither"] < AGREEING else "undecided"
            named = {**dict(zip(("dataset", "system_a", "system_b"), key, strict=True)), **no_p}
            yield (
                (key[0], key[1], key[2], str(effort)),
                {**named, "winner": row["winner"], "verdict": verdict, "words": in_words(row)},
            )


def in_words(row: Mapping[str, Any]) -> str:
    """Say in which shares of searches each system wins."""
    shares = [(row["system_a"], row["share_a"]), (row["system_b"], row["share_b"])]
    said = [f"{system} wins in {whole_percentage(share)} of searches" for system, share in shares if share >= 0.005]
    return "; ".join(said) or "neither wins in any search"
