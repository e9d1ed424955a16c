"""What would turn a verdict: every axis that a study varies, the gravest change first, then what does not turn it and what is open.

The axes are the decisions, the metric, the effort of tuning, other data sets, other splits and unrated items.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from recsens.conclusions.verdicts.best import base_standings
from recsens.conclusions.verdicts.components import from_splits, n_splits_of
from recsens.conclusions.verdicts.efforts import EFFORT
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import UNINFORMATIVE, PairVerdicts
from recsens.conclusions.verdicts.stability import METRICS, Axis, Changing, PairAlong, axes, by_gravity
from recsens.conclusions.verdicts.study_tables import Results, grouped
from recsens.conclusions.verdicts.unrated import pushed, share, times
from recsens.outcomes.winner import significant
from recsens.plugins.prose import listed
from recsens.report.sentences.answers import combined_changes
from recsens.report.sentences.options import condition
from recsens.study import Study
from recsens.study.draws import is_drawn

_LITTLE = 2.0
"""A win that unrated items end at this ratio of rates, or below, counts as turned by them."""

_EQUAL = " for each"
"""Other verdicts after unequal efforts are in the section on the effort."""


def what_would_turn(study: Study, verdicts: Sequence[PairVerdicts], results: Results) -> list[str]:
    """Say for the leading pair on each data set what would turn its verdict, and then what nobody asked.

    The leading pair is the one that the study asks about, or else the best system and the next one. Nothing is said if only one
    analysis was run.
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
    turning = [
        _Turning(study, pair_along, results)
        for pair_along in by_gravity(verdicts)
        if (pair := pair_along[0]).base["verdict"] != UNINFORMATIVE
        and (pair.is_asked if id(pair.verdicts) in asked else _key(pair_along) in leading)
    ]
    sentences = [each.sentence() for each in turning]
    by_unasked = grouped((tuple(each.unasked), each.dataset) for each in turning)
    for unasked, datasets in by_unasked.items():
        on = f"On {listed(datasets)}, nobody" if len(by_unasked) > 1 else "Nobody"
        sentences += [f"{on} asked about {listed(unasked, 'or')}."] if unasked else []
    return sentences


def _name(axis: Axis) -> str:
    named = {METRICS.key: "the metric", EFFORT.key: "trials of tuning, the same for each"}
    return named.get(axis.sweep.varied.key, axis.sweep.varied.name.lower())


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
        self.unasked: list[str] = []

    @property
    def dataset(self) -> str:
        """The data set or experiment."""
        return str(self._base["dataset"])

    def sentence(self) -> str:
        """Return the sentences about the pair."""
        for axis in (self._decisions, self._over_datasets, self._over_splits, self._unrated):
            axis()
        a, b = self._systems
        loser = b if self._winner == a else a
        verdict = f"{self._winner} beats {loser}" if self._winner else f"neither {a} nor {b} wins"
        found = f"What would turn it: {'; '.join(self._turned)}." if self._turned else "Nothing that was tried turns it."
        one = ", one change at a time," if len(self._held) > 1 else ""
        held = f" It stands{one} whatever is chosen for {listed(self._held)}." if self._held else ""
        held += "".join(f" It stands {where}." for where in self._stands)
        return f"On {self._base['dataset']}, {verdict} on {self._base['metric']} under the base design. {found}{held}"

    def _decisions(self) -> None:
        several = [f"{winner or 'neither'} wins with {change}" for winner, change in combined_changes(self._pair, self._along)]
        for is_opposite in (True, False):
            self._turned += [change for path in self._along for change in self._changes(path, is_opposite=is_opposite)]
        self._turned += several
        moved = {path.sweep.varied.key for path in self._along}
        self._held += [_name(axis) for axis in axes(self._pair.verdicts) if axis.sweep.varied.key not in moved and self._has(axis)]
        if not self._part.effort:
            self.unasked.append("the effort of tuning (vary: effort)")

    def _has(self, axis: Axis) -> bool:
        """Whether some option besides the base design's says something about the pair."""
        rows = [row for option, row in axis.along((self._base["dataset"], *self._systems)) if not option.is_base]
        return any(row is not None and row["verdict"] != UNINFORMATIVE for row in rows)

    def _changes(self, path: Changing, *, is_opposite: bool) -> Iterator[str]:
        """Yield what other options than the base design's make of the pair: another winner, or none."""
        for winner, options in path.wins.items():
            if winner != self._winner and bool(winner) == is_opposite:
                yield f"{winner or 'neither'} wins {condition(path.sweep, options)}{_EQUAL if path.sweep.varied is EFFORT else ''}"

    def _over_datasets(self) -> None:
        if not self._study.own.families:
            self.unasked.append("other data sets (at least three families)")
            return
        over = OverDatasets(self._study.own, self._results)
        row = over.base.get(self._systems) or over.base.get(self._systems[::-1])
        is_combined = any(self._base["dataset"] in labels for labels in self._study.own.families.values())
        if row is None or math.isnan(row["alike"]) or over.metric != self._base["metric_full"] or not is_combined:
            return
        if row["winner"] == self._winner:
            self._stands += ["on average over data sets like these"] if self._winner else []
        elif row["winner"]:
            self._turned.append(f"{row['winner']} wins on average over data sets like these")
        else:
            self._turned.append("the win is not shown on average over data sets like these")

    def _over_splits(self) -> None:
        p, n = self._base["resampled_p"], n_splits_of(self._base["split"], str(self._base["repeats"]))
        if n == 1 and is_drawn(self._part.design):
            self.unasked.append("other splits (repeats)")
        elif self._winner and not math.isnan(p):
            if significant(p, self._part.alpha):
                self._stands.append(f"over other splits, {from_splits(n)}")
            else:
                self._turned.append(f"the win is not significant over other splits, {from_splits(n)}")

    def _unrated(self) -> None:
        if not self._part.tipping:
            self.unasked.append("unrated items (tipping)")
            return
        rate = min(self._part.tipping)
        found = pushed(self._part, self._results).get((self._base["dataset"], *self._systems, self._base["metric_full"]))
        ratio = math.nan if found is None else found.rates[rate]["ratio_lost"]
        if found is None or math.isnan(ratio) or found.leader != self._winner:
            return
        at = f"(at a rate of {share(rate)})"
        if ratio <= _LITTLE:
            only = f"unrated items that only {found.other} lists are relevant {times(ratio)} times as often as others"
            self._turned.append(f"the win is lost if {only} {at}")
        else:
            far = f"{_LITTLE:g} times as often relevant as others {at}"
            self._stands.append(f"if unrated items that only {found.other} lists are up to {far}")
