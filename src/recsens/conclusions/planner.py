"""The planner: what more users, draws, fits or data sets would bring to comparisons that a study leaves open, and their price."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from recsens.comparison.power import OnDataset, OverFamilies, Size, fewest_to_decide, power
from recsens.conclusions.verdicts.components import direction
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import EQUIVALENT, UNINFORMATIVE
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.errors import ConfigError
from recsens.outcomes.variance_components import FACTORS
from recsens.recommenders import Recommender
from recsens.study import Experiment, Study
from recsens.study.claims import OVER_DATASETS
from recsens.study.design import draws_of
from recsens.study.families import Scale

MOST: Mapping[str, int] = {"splits": 200, "fits": 200, "families": 200, "users": 10_000_000}
"""The largest size of each kind that is tried."""

_ONE_MORE = {"splits": 1, "fits": 1, "families": 1, "users": 1000}


@dataclass(frozen=True)
class Way:
    """A way to decide a comparison: more of one kind, and as many of all others.

    Attributes
    ----------
    kind
        A name of `recsens.comparison.power.Size`.
    one_more
        The probability with one more, or with a thousand more users.
    needed
        How many it takes in all for the wanted probability; None if `MOST` are too few.
    seconds
        The price of those that are missing; NaN if nothing is known of it.
    """

    kind: str
    one_more: float
    needed: int | None
    seconds: float


@dataclass(frozen=True)
class PairPrices:
    """What a pair of systems costs on one data set, from ``costs.csv``: seconds of a draw, of a fit on all draws, and of it all.

    There are to be more users on each of ``n_datasets``.
    """

    draw: float
    fit: float
    whole: float
    n_datasets: int = 1

    @classmethod
    def of(cls, costs: pd.DataFrame, part: Experiment, label: str, pair: tuple[str, str]) -> PairPrices:
        """Add up a pair's folds, of whose fits ``costs.csv`` has the first; only the systems that draw are fitted again."""
        draws, _ = draws_of(part.design)
        whole, again = 0.0, 0.0
        for system in pair:
            own = costs[(costs["dataset"] == label) & (costs["system"] == system)]
            once = float((own["fit_seconds"] + own["rank_seconds"]).sum()) if len(own) else math.nan
            is_drawn = Recommender.build(part.systems[system]).draws
            whole += float(own["tune_seconds"].sum()) + once * (part.design.fits if is_drawn else 1)
            again += once if is_drawn else 0.0
        return cls(whole / draws, again, whole)

    def price_of_more(self, kind: str, size: Size, needed: int) -> float:
        """Return the seconds for what is missing of one kind; the time of users is in proportion to their number."""
        has = getattr(size, kind)
        each = {"splits": self.draw, "fits": self.fit, "families": self.whole, "users": self.n_datasets * self.whole / has}
        return float((needed - has) * each[kind])


@dataclass(frozen=True)
class OpenPair:
    """A comparison that the base design leaves open.

    Attributes
    ----------
    dataset, systems, metric
        Data set or experiment, or `recsens.study.claims.OVER_DATASETS`; the two systems; the metric.
    winner
        The winner by the study's test, if only other splits or fits leave the comparison open; else empty.
    difference, margin, level
        The difference found and the margin, on the scale of the comparison, and the level that the correction leaves for it.
    source, size
        What the error is made of, and the size of the study.
    kinds
        What could be more: names of `recsens.comparison.power.Size`.
    prices
        What more costs.
    scale
        The scale of differences.
    """

    dataset: str
    systems: tuple[str, str]
    metric: str
    winner: str
    difference: float
    margin: float
    level: float
    source: OnDataset | OverFamilies
    size: Size
    kinds: tuple[str, ...]
    prices: PairPrices
    scale: Scale = "difference"

    def power(self, **changed: int) -> float:
        """Return the probability of a decision at this size, but for what is ``changed``, if the difference found is true."""
        return power(self.difference, self.source.error(self.size._replace(**changed)), alpha=self.level, margin=self.margin)

    def ways(self, wanted: float) -> list[Way]:
        """List what each kind would bring, and how many it takes to decide with the ``wanted`` probability."""
        found = []
        for kind in self.kinds:
            has = int(getattr(self.size, kind))
            needed = fewest_to_decide(lambda number, of=kind: self.power(**{of: number}), wanted, start=has, most=MOST[kind])  # type: ignore[misc]
            seconds = math.nan if needed is None else self.prices.price_of_more(kind, self.size, needed)
            found.append(Way(kind, self.power(**{kind: has + _ONE_MORE[kind]}), needed, seconds))
        return found


def open_comparisons(study: Study, results: Results, costs: pd.DataFrame) -> Iterator[OpenPair]:
    """Yield what each experiment's base design leaves open by its first metric, comparisons over data sets first.

    A comparison is open if nobody wins by the study's test and the systems are not equivalent, or if the interval for other users,
    splits and fits, as far as they are known, lies neither beyond the margin nor within it. Comparisons without a standard error
    are left out (`plannable_rows`).
    """
    yield from _open_over_datasets(study.own, results, costs)
    for part, row in plannable_rows(study, results):
        found = _open_on_dataset(part, row, results.components, costs)
        if not (found.winner or row["verdict"] == EQUIVALENT) or not _is_decided(found):
            yield found


def plannable_rows(study: Study, results: Results) -> Iterator[tuple[Experiment, Mapping[str, Any]]]:
    """Yield the rows of base verdicts by the first metric that have a standard error, each with its experiment.

    Raises
    ------
    ConfigError
        If the results are those of other systems, or of other numbers of draws and fits, than the study now has.
    """
    for label, part in study.by_label().items():
        of_label = results.verdicts[results.verdicts["dataset"] == label]
        for row in records(of_label[of_label["is_base"] & of_label["is_base_metric"]]):
            now = [str(getattr(part.design, key)) for key in ("repeats", "fits")]
            if {row["system_a"], row["system_b"]} - part.systems.keys() or [str(row["repeats"]), str(row["fits"])] != now:
                raise ConfigError("the study has changed since its results were computed", remedy="run it again, then plan")
            if row["verdict"] != UNINFORMATIVE and row["standard_error"] > 0:
                yield part, row


def _open_on_dataset(part: Experiment, row: Mapping[str, Any], components: pd.DataFrame, costs: pd.DataFrame) -> OpenPair:
    pair, (draws, fits) = (row["system_a"], row["system_b"]), draws_of(part.design)
    own = components
    for name in ("dataset", "system_a", "system_b", "metric_full"):
        own = own[own[name] == row[name]]
    known = {each["component"]: each["error"] ** 2 for each in records(own) if each["component"] in FACTORS}
    known = {source: squared for source, squared in known.items() if not math.isnan(squared)}
    size, prices = Size(row["users"], draws, fits), PairPrices.of(costs, part, row["dataset"], pair)
    return OpenPair(
        dataset=row["dataset"],
        systems=pair,
        metric=row["metric"],
        winner=row["winner"],
        difference=row["difference"],
        margin=row["margin"],
        level=_level_per_comparison(row, part),
        source=OnDataset(known or {"user": row["standard_error"] ** 2}, size),
        size=size,
        kinds=("users", *(["splits"] if "split" in known else []), *(["fits"] if "fit" in known else [])),
        prices=prices,
    )


def _open_over_datasets(part: Experiment, results: Results, costs: pd.DataFrame) -> Iterator[OpenPair]:
    over = OverDatasets(part, results)
    for pair, row in over.base.items():
        if math.isnan(row["alike"]) or row["winner"] or row["is_equivalent"]:
            continue
        within = row["these_error"] ** 2 * row["families"]
        size = Size(float(np.mean([each["users"] for each in over.effects.get(pair, [])])), families=row["families"])
        whole = [PairPrices.of(costs, part, label, pair).whole for labels in part.families.values() for label in labels]
        yield OpenPair(
            dataset=OVER_DATASETS,
            systems=pair,
            metric=row["metric"],
            winner="",
            difference=row["alike"],
            margin=part.margin.of_effects(higher_is_better=direction(row["metric_full"]) > 0),
            level=_level_per_comparison(row, part),
            source=OverFamilies(within, max(row["alike_error"] ** 2 * row["families"] - within, 0.0), size),
            size=size,
            kinds=("families", "users"),
            prices=PairPrices(math.nan, math.nan, float(np.mean(whole)), n_datasets=len(whole)),
            scale=row["scale"],
        )


def _is_decided(found: OpenPair) -> bool:
    half = float(found.source.error(found.size).half_width(found.level)[0])
    return abs(found.difference) - half > found.margin or abs(found.difference) + half < found.margin


def _level_per_comparison(row: Mapping[str, Any], part: Experiment) -> float:
    """Return the level that the correction for many comparisons leaves for one of them, at least that of Bonferroni."""
    p, adjusted = row["p_value"], row["p_adjusted"]
    if row["correction"] == "none":
        return part.alpha
    strictest = part.alpha / max(len(part.pairs()), 1)
    return max(part.alpha * p / adjusted, strictest) if 0 < p <= adjusted < 1 else strictest
