"""The standings of the systems under each option of one decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from recsens.conclusions.verdicts.best import Standings, standings
from recsens.conclusions.verdicts.changes import base_options, sweep_rows
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.results import in_order
from recsens.conclusions.verdicts.sweep import Sweep, sweep
from recsens.study.taxonomy import Decision


@dataclass(frozen=True)
class StandingsByOption:
    """What a figure of one varied decision shows.

    Attributes
    ----------
    sweep
        The options of the decision.
    summary
        Rows of the summary under the base design with one of these options each.
    known
        Standings by data set, metric and option; no entry where there are none.
    """

    sweep: Sweep
    summary: pd.DataFrame
    known: Mapping[tuple[str, str, str], Standings]

    @classmethod
    def of(cls, varied: Decision, summary: pd.DataFrame, verdicts: PairVerdicts) -> StandingsByOption:
        """Keep what differs from the base design in one decision at most."""
        rows = sweep_rows(summary, varied)
        swept = sweep(varied, in_order(rows[varied.column]), base_options(summary)[varied.column])
        base = next(option.text for option in swept.options if option.is_base)
        listed = standings(rows, sweep_rows(verdicts.rows, varied))
        return cls(swept, rows, {(each.dataset, each.metric, dict(each.change).get(varied.key, base)): each for each in listed})

    def on(self, dataset: str, metric: str) -> list[Standings | None]:
        """List the standings on a data set by a metric, in the order of the options."""
        return [self.known.get((dataset, metric, option.text)) for option in self.sweep.options]
