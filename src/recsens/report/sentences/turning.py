"""What would turn a verdict: every axis that a study varies, the gravest change first, then what does not turn it and what is open.

The axes are the decisions, the metric, the effort of tuning, other data sets, other splits and unrated items.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from recsens.conclusions.verdicts.best import base_standings
from recsens.conclusions.verdicts.components import from_splits, n_splits_of
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import UNINFORMATIVE, PairVerdicts
from recsens.conclusions.verdicts.stability import METRICS, Axis, Changing, PairAlong, axes, by_gravity
from recsens.conclusions.verdicts.study_tables import Results
from recsens.conclusions.verdicts.unrated import pushed, share, times
from recsens.outcomes.winner import significant
from recsens.plugins.prose import listed
from recsens.report.sentences.options import condition
from recsens.study import Study

_LITTLE = 2.0
"""A win that unrated items end at this ratio of rates, or below, counts as turned by them."""


def what_would_turn(study: Study, verdicts: Sequence[PairVerdicts], results: Results) -> list[str]:
    """Say for the leading pair on each data set what would turn its verdict; nothing where only one design was run.

    The leading pair is the one that the study asks about, or else the best system and the next one.
    """
    is_varied = any(len(of_part.rows) > len(of_part.base) or of_part.efforts for of_part in verdicts)
    if not (is_varied or study.own.families or study.tipping):
        return []
    asked = {id(pair.verdicts): True for pair, _ in by_gravity(verdicts) if pair.is_asked}
    # The standings by the first metric that ranks systems come first.
    best = {
        standings.dataset: standings.top for of_part in verdicts for standings in reversed(base_standings(of_part, results.summary))
    }
    leading = {(dataset, frozenset((top.first, top.second))) for dataset, top in best.items()}
    return [
        _Turning(study, pair_along, results).sentence()
        for pair_along in by_gravity(verdicts)
        if (pair := pair_along[0]).base["verdict"] != UNINFORMATIVE
        and (pair.is_asked if id(pair.verdicts) in asked else _key(pair_along) in leading)
    ]


def _name(axis: Axis) -> str:
    return "the metric" if axis.sweep.varied is METRICS else axis.sweep.varied.name.lower()


def _key(pair_along: PairAlong) -> tuple[str, frozenset[str]]:
    base = pair_along[0].base
    return base["dataset"], frozenset((base["system_a"], base["system_b"]))


class _Turning:
    def __init__(self, study: Study, pair_along: PairAlong, results: Results) -> None:
        self._study, (self._pair, self._along), self._results = study, pair_along, results
        self._part, self._base = self._pair.verdicts.part, self._pair.base
        self._winner = self._base["winner"]
        self._systems = (self._base["system_a"], self._base["system_b"])
        self._turned: list[str] = []
        self._held: list[str] = []
        self._stands: list[str] = []
        self._open: list[str] = []

    def sentence(self) -> str:
        """Return the sentences about the pair."""
        for axis in (self._decisions, self._over_datasets, self._over_splits, self._unrated):
            axis()
        a, b = self._systems
        loser = b if self._winner == a else a
        verdict = f"{self._winner} beats {loser}" if self._winner else f"neither {a} nor {b} wins"
        found = f"What would turn it: {'; '.join(self._turned)}." if self._turned else "Nothing that was tried turns it."
        held = f" It stands whatever is chosen for {listed(self._held)}." if self._held else ""
        held += "".join(f" It stands {where}." for where in self._stands)
        unknown = f" Not asked: {listed(self._open, 'or')}." if self._open else ""
        return f"On {self._base['dataset']}, {verdict} on {self._base['metric']} under the base design. {found}{held}{unknown}"

    def _decisions(self) -> None:
        self._turned += [change for path in self._along for change in self._changes(path, opposite=True)]
        self._turned += [change for path in self._along for change in self._changes(path, opposite=False)]
        moved = {path.sweep.varied.key for path in self._along}
        self._held += [_name(axis) for axis in axes(self._pair.verdicts) if axis.sweep.varied.key not in moved]
        if not self._pair.efforts:
            self._open.append("the effort of tuning (vary: effort)")

    def _changes(self, path: Changing, *, opposite: bool) -> Iterator[str]:
        """Yield what other options than the base design's make of the pair: another winner, or none."""
        for winner, options in path.wins.items():
            if winner != self._winner and bool(winner) == opposite:
                yield f"{winner or 'neither'} wins {condition(path.sweep, options)}"

    def _over_datasets(self) -> None:
        over = OverDatasets(self._study.own, self._results)
        row = over.base.get(self._systems) or over.base.get(self._systems[::-1])
        if row is None or math.isnan(row["alike"]) or self._base["dataset"] not in self._study.datasets:
            self._open.append("other data sets (at least three families)")
        elif row["winner"] == self._winner:
            self._stands += ["on average over data sets like these"] if self._winner else []
        else:
            self._turned.append(f"{row['winner'] or 'neither'} wins on average over data sets like these")

    def _over_splits(self) -> None:
        p, n = self._base["resampled_p"], n_splits_of(self._base["split"], str(self._base["repeats"]))
        if math.isnan(p):
            self._open.append("other splits (repeats)")
        elif self._winner and significant(p, self._part.alpha):
            self._stands.append(f"over other splits, {from_splits(n)}")
        elif self._winner:
            self._turned.append(f"the win is not significant over other splits, {from_splits(n)}")

    def _unrated(self) -> None:
        if not self._part.tipping:
            self._open.append("unrated items (tipping)")
            return
        found = pushed(self._part, self._results).get((self._base["dataset"], *self._systems, self._base["metric_full"]))
        if found is None or not self._winner:
            return
        rate = min(found.rates)
        ratio = found.rates[rate]["ratio_lost"]
        if ratio <= _LITTLE:
            only = f"unrated items that only {found.other} lists are relevant {times(ratio)} times as often as others"
            self._turned.append(f"the win is lost if {only} (at a rate of {share(rate)})")
        else:
            self._held.append(
                f"unrated items, up to {_LITTLE:g} times as many of them relevant in the other list (at {share(rate)})"
            )
