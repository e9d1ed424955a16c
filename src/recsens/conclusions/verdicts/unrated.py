"""How far the verdict on each pair could be pushed by what nobody rated, under the base designs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recsens.arrays import grouped
from recsens.conclusions.verdicts.pairs import PAIR
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.plugins.prose import listed
from recsens.study import Experiment
from recsens.tables.numbers import SPACE


@dataclass(frozen=True, slots=True)
class Pushed:
    """A comparison under a base design, and what unrated items could make of it.

    Attributes
    ----------
    row
        The comparison's row of ``unrated.csv``.
    rates
        Its rows of ``unrated_rates.csv``, by the rate, ascending.
    """

    row: Mapping[str, Any]
    rates: Mapping[float, Mapping[str, Any]]

    @property
    def leader(self) -> str:
        """The system that is ahead as measured."""
        return str(self.row["leader"])

    @property
    def other(self) -> str:
        """The system that is behind."""
        return str(self.row["system_b" if self.row["system_a"] == self.leader else "system_a"])

    @property
    def excludes_zero(self) -> bool:
        """Whether the same system is ahead whatever the unrated items are."""
        return bool(self.row["lowest"] > 0 or self.row["highest"] < 0)


def pushed_comparisons(part: Experiment, results: Results) -> dict[tuple[str, str, str, str], Pushed]:
    """Collect an experiment's comparisons under its base designs, by data set, systems and full name of the metric."""
    if not part.tipping or results.unrated.empty:
        return {}
    keys = (*PAIR, "metric_full")
    own, by_rate = (
        records(table[table["dataset"].isin(list(part.datasets)) & table["is_base"]])
        for table in (results.unrated, results.unrated_rates)
    )
    rates = grouped((tuple(row[key] for key in keys), row) for row in by_rate)
    found = {}
    for row in own:
        a, b, c, d = (str(row[key]) for key in keys)
        found[a, b, c, d] = Pushed(row, {float(each["rate"]): each for each in rates[a, b, c, d]})
    return found


def share(rate: float) -> str:
    """Print a rate of relevance with two digits, such as ``5 %`` or ``9.5 %``."""
    digits = max(0, 1 - math.floor(math.log10(100 * rate))) if 0 < rate < math.inf else 0
    return f"{100 * rate:.{digits}f}{SPACE}%".replace(f".0{SPACE}", SPACE)


def ratio_text(ratio: float) -> str:
    """Print a ratio with one decimal."""
    return f"{ratio:.1f}"


def tipping_in_words(pair: Pushed, rate: float) -> str:
    """Say at which ratio of rates a win and its lead end, and at which common rate."""
    leader, other, row = pair.leader, pair.other, pair.rates[rate]
    level, lost = row["ratio_level"], row["ratio_lost"]
    only = f"of those that only {other} lists"
    theirs = {0.0: f"none {only}", math.inf: f"all {only}"}.get(level, f"{share(rate * level)} ({ratio_text(level)} times) {only}")
    would = "would not be ahead of" if math.isinf(level) else "would be ahead of"
    even = "even if" if math.isinf(level) else "if"
    ends = {0.0: "with none", math.inf: "at no rate"}.get(lost, f"from {share(rate * lost)} ({ratio_text(lost)} times)")
    return (
        f"{other} {would} {leader} on {pair.row['metric']} {even} {share(rate)} of the unrated items that {leader} lists were "
        f"relevant, and {theirs}; {leader}'s win would be lost {ends}. {_common_rate_in_words(pair)}"
    )


def _common_rate_in_words(pair: Pushed) -> str:
    """Say which rate, the same for all unrated items, ends the lead."""
    named = (("win", pair.row["rate_lost"]), ("lead", pair.row["rate_level"]))
    ends = [f"{'its ' if nth else ''}{what} from {share(rate)}" for nth, (what, rate) in enumerate(named) if not math.isinf(rate)]
    would = f"With one rate for all unrated items, {pair.leader} would"
    return f"{would} lose the {listed(ends)}." if ends else f"{would} win at any rate."
