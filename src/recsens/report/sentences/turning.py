"""What would turn a verdict: every axis that a study varies, the gravest change first, then what does not turn it and what is open.

The axes are the decisions, the metric, the effort of tuning, other data sets, other splits and unrated items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from recsens.arrays import grouped
from recsens.conclusions.verdicts.best import base_standings
from recsens.conclusions.verdicts.components import n_splits_of, splits_in_words
from recsens.conclusions.verdicts.efforts import EFFORT
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import UNINFORMATIVE, PairVerdicts, pair_of
from recsens.conclusions.verdicts.stability import METRICS, Axis, Changing, Stability, sort_by_gravity, varied_axes
from recsens.conclusions.verdicts.study_tables import Results
from recsens.conclusions.verdicts.unrated import pushed_comparisons, ratio_text, share
from recsens.outcomes.winner import significant
from recsens.plugins.prose import listed
from recsens.report.sentences.answers import combined_changes
from recsens.report.sentences.options import condition
from recsens.study import Study
from recsens.study.design import is_drawn

_LITTLE = 2.0
"""A win that unrated items end at this ratio of rates, or below, counts as turned by them."""


class _Found(NamedTuple):
    """What some axes do to a verdict: clauses on what turns it and on what it withstands, decisions, and axes not asked about."""

    turned: Sequence[str] = ()
    stands: Sequence[str] = ()
    held: Sequence[str] = ()
    unasked: Sequence[str] = ()


def what_would_turn(study: Study, verdicts: Sequence[PairVerdicts], results: Results) -> list[str]:
    """Say for the leading pair on each data set what would turn its verdict, and then what the study does not ask.

    The leading pair is the one that the study asks about, or else the best system and the next one. Nothing is said if only one
    analysis was run.
    """
    is_varied = any(len(of_part.rows) > len(of_part.base) or of_part.efforts for of_part in verdicts)
    if not (is_varied or study.own.families or study.tipping):
        return []
    pairs = sort_by_gravity(verdicts)
    asking = {id(pair.verdicts) for pair, _ in pairs if pair.is_asked}
    # The standings by the first metric that ranks systems come first.
    all_standings = [each for of_part in verdicts for each in base_standings(of_part, results.summary)]
    best = {each.dataset: {each.top.first, each.top.second} for each in reversed(all_standings)}
    sentences, unasked = [], []
    for pair, along in pairs:
        base = pair.base
        is_best = best.get(base["dataset"]) == {base["system_a"], base["system_b"]}
        if base["verdict"] != UNINFORMATIVE and (pair.is_asked if id(pair.verdicts) in asking else is_best):
            axes_found = (
                _turned_by_decisions(pair, along),
                _turned_over_datasets(study, pair, results),
                _turned_over_splits(pair),
                _turned_by_unrated(pair, results),
            )
            found = _Found(*(list(chain.from_iterable(each)) for each in zip(*axes_found, strict=True)))
            sentences.append(_turning_sentence(base, found))
            unasked.append((tuple(found.unasked), base["dataset"]))
    by_axes = grouped(unasked)
    for not_asked, datasets in by_axes.items():
        who = f"On {listed(datasets)}, the study" if len(by_axes) > 1 else "The study"
        sentences += [f"{who} does not ask about {listed(not_asked, 'or')}."] if not_asked else []
    return sentences


def _turning_sentence(base: Mapping[str, Any], found: _Found) -> str:
    winner, a, b = base["winner"], base["system_a"], base["system_b"]
    verdict = f"{winner} beats {b if winner == a else a}" if winner else f"neither {a} nor {b} wins"
    turned = f"What would turn it: {'; '.join(found.turned)}." if found.turned else "Nothing that was tried turns it."
    one = ", one change at a time," if len(found.held) > 1 else ""
    held = f" It stands{one} whatever is chosen for {listed(found.held)}." if found.held else ""
    stands = "".join(f" It stands {where}." for where in found.stands)
    return f"On {base['dataset']}, {verdict} on {base['metric']} under the base design. {turned}{held}{stands}"


def _turned_by_decisions(pair: Stability, along: Sequence[Changing]) -> _Found:
    """Look at decisions, the metric and equal efforts of tuning: other winners first, then no winner, then several changes."""
    changes = [(winner, path) for path in along for winner in path.wins if winner != pair.base["winner"]]
    turned = []
    for winner, path in sorted(changes, key=lambda change: not change[0]):
        each = " for each" if path.sweep.varied is EFFORT else ""
        turned.append(f"{winner or 'neither'} wins {condition(path.sweep, path.wins[winner])}{each}")
    turned += [f"{winner or 'neither'} wins with {change}" for winner, change in combined_changes(pair, along)]
    moved = {path.sweep.varied.key for path in along}
    held = [_axis_name(axis) for axis in varied_axes(pair.verdicts) if axis.sweep.varied.key not in moved and _tells(axis, pair)]
    return _Found(turned, held=held, unasked=[] if pair.verdicts.part.effort else ["the effort of tuning (vary: effort)"])


def _axis_name(axis: Axis) -> str:
    named = {METRICS.key: "the metric", EFFORT.key: "trials of tuning, the same for each"}
    return named.get(axis.sweep.varied.key, axis.sweep.varied.name.lower())


def _tells(axis: Axis, pair: Stability) -> bool:
    """Whether some option besides the base design's says something about the pair."""
    rows = [row for option, row in axis.along(pair_of(pair.base)) if not option.is_base]
    return any(row is not None and row["verdict"] != UNINFORMATIVE for row in rows)


def _turned_over_datasets(study: Study, pair: Stability, results: Results) -> _Found:
    if not study.own.families:
        return _Found(unasked=["other data sets (at least three families)"])
    over, base = OverDatasets(study.own, results), pair.base
    systems = (base["system_a"], base["system_b"])
    row = over.base.get(systems) or over.base.get(systems[::-1])
    is_combined = any(base["dataset"] in labels for labels in study.own.families.values())
    if row is None or math.isnan(row["alike"]) or over.metric != base["metric_full"] or not is_combined:
        return _Found()
    where = "on average over data sets like these"
    if row["winner"] == base["winner"]:
        return _Found(stands=[where] if base["winner"] else [])
    return _Found([f"{row['winner']} wins {where}" if row["winner"] else f"the win is not shown {where}"])


def _turned_over_splits(pair: Stability) -> _Found:
    base, part = pair.base, pair.verdicts.part
    p, n = base["resampled_p"], n_splits_of(base["split"], str(base["repeats"]))
    if n == 1 and is_drawn(part.design):
        return _Found(unasked=["other splits (repeats)"])
    if not base["winner"] or math.isnan(p):
        return _Found()
    where = f"over other splits, {splits_in_words(n)}"
    return _Found(stands=[where]) if significant(p, part.alpha) else _Found([f"the win is not significant {where}"])


def _turned_by_unrated(pair: Stability, results: Results) -> _Found:
    base, part = pair.base, pair.verdicts.part
    if not part.tipping:
        return _Found(unasked=["unrated items (tipping)"])
    rate, key = min(part.tipping), (*pair_of(base), base["metric_full"])
    found = pushed_comparisons(part, results).get(key)
    ratio = math.nan if found is None else found.rates[rate]["ratio_lost"]
    if found is None or math.isnan(ratio) or found.leader != base["winner"]:
        return _Found()
    only, at = f"unrated items that only {found.other} lists are", f"(at a rate of {share(rate)})"
    if ratio <= _LITTLE:
        return _Found([f"the win is lost if {only} relevant {ratio_text(ratio)} times as often as others {at}"])
    return _Found(stands=[f"if {only} up to {_LITTLE:g} times as often relevant as others {at}"])
