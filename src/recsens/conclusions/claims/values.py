"""The size of one number: a system's value, or a statistic of a data set.

statistic: A statistic of the data that equals a given number.
times_random: A value that is a given multiple of the expected value of a random order.
within: A value that equals a given number, within a tolerance.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region
from recsens.conclusions.claims._base import judge_interval, judge_number
from recsens.conclusions.claims._evidence import NO_INTERVAL
from recsens.conclusions.claims._parameters import METRIC, Between, at, check_system, find_quantity
from recsens.conclusions.dimensions import Name
from recsens.conclusions.verdicts.study_tables import records
from recsens.errors import SpecError, nearest
from recsens.tables.numbers import score, tick


class TimesRandom(Claim):
    """A system's value, divided by the value expected for the same targets in random order, lies in ``between``.

    The expected value is computed by formula from the relevant items among each user's targets (`expected_random` in the summary).
    The claim is held if the interval of the ratio over folds lies within ``between``, not held if it lies outside, and otherwise
    undecided. With one fold, the ratio itself decides. Only P, R, AntiP, Fallout, DCG and nDCG have a formula for the expected
    value.
    """

    label = "times_random"

    system: Name = Field("", description="label of the system")
    metric: Name = METRIC
    between: Between = Field((0.95, 1.05), description="bounds of the ratio: two numbers")

    def check(self, ground: Ground) -> None:
        """Refuse a system that the study lacks, and a metric without a formula for random orders."""
        check_system(ground.experiment, "system", self.system)
        of = find_quantity(ground.experiment, self.metric)
        if not of.is_measured or not of.metric.metric.knows_random:
            raise SpecError(f"metric: '{of.name}' has no formula for a random order", allowed="P, R, AntiP, Fallout, DCG and nDCG")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the ratio's interval."""
        of = find_quantity(ground.experiment, self.metric)
        where = at(ground, self.system, of)
        found = evidence.value(where, of)
        expected = evidence.value(where, replace(of, column="expected_random")).value
        # Without relevant items among the targets, there is no ratio.
        ratio = found.scaled(1 / expected if expected > 0 else math.nan)
        numbers = f"{self.system} {score(found.value)}, expected of a random order {score(expected)}; ratio: {ratio.in_words()}"
        return judge_number(f"{of.name} of {self.system}, ratio to a random order", ratio, Region(*self.between), numbers)

    def words(self, ground: Ground) -> str:
        """State the bounds of the ratio."""
        low, high = (f"{end:g}" for end in self.between)
        name = find_quantity(ground.experiment, self.metric).name
        return f"{name} of {self.system} is {low} to {high} times the expected value of a random order"


class Within(Claim):
    """The value of a system lies within ``tolerance`` of a number.

    The claim is held if the value's interval over folds lies within ``value ± tolerance``, not held if it lies outside, and
    otherwise undecided. With one fold, the value itself decides.
    """

    label = "within"

    of: Name = Field("", description="label of the system")
    metric: Name = METRIC
    value: float | int = Field(0.0, description="the number, in units of the metric")
    tolerance: float | int = Field(0.01, gt=0, description="largest deviation allowed, in units of the metric")

    def check(self, ground: Ground) -> None:
        """Refuse a system or metric that the study lacks."""
        check_system(ground.experiment, "of", self.of)
        find_quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the value's interval."""
        of = find_quantity(ground.experiment, self.metric)
        found = evidence.value(at(ground, self.of, of), of)
        asked = Region(self.value - self.tolerance, self.value + self.tolerance)
        numbers = f"{self.of}: {found.in_words()}, claimed {tick(self.value)} ± {tick(self.tolerance)}"
        return judge_number(f"{of.name} of {self.of}", found, asked, numbers)

    def words(self, ground: Ground) -> str:
        """State the number and the tolerance."""
        return f"{find_quantity(ground.experiment, self.metric).name} of {self.of} is {tick(self.value)} ± {tick(self.tolerance)}"


_STATISTICS = (
    *("users", "items", "ratings", "density", "gini", "mean_rating", "distinct_ratings", "first_time", "last_time", "relevance"),
    *(f"ratings_per_{each}_{figure}" for each in ("user", "item") for figure in ("mean", "median", "lowest", "highest")),
    *("correlation_with_relevant_per_user", "correlation_with_relevant_per_item"),
    *("invalid_rows", "duplicate_rows", "implicit_rows", "unrated_reviews"),
)
"""The metrics of the table of data sets, apart from shares of ratings and from what the user's own data sets note."""

_SHARE = "share_of_rating_"


class Statistic(Claim):
    """A statistic of the data, such as the number of ratings, lies within ``tolerance`` of a number.

    The data are those that the base design's filter keeps. The statistic is exact, so the number alone decides; if the data have
    no such statistic, the claim is undecided.
    """

    label = "statistic"
    further_tables: ClassVar[Sequence[str]] = ("datasets",)

    of: Name = Field("ratings", description="a metric of the table ``datasets.csv``: users, items, ratings, density, gini, ...")
    value: float | int = Field(0.0, description="the number, in units of the statistic")
    tolerance: float | int = Field(0.0, ge=0, description="largest deviation allowed, in units of the statistic")

    def check(self, ground: Ground) -> None:
        """Refuse a misspelt statistic, and a design with another filter than the base design's, which alone is described."""
        is_known = self.of in _STATISTICS or self.of.startswith(_SHARE)
        if not is_known and (near := nearest(self.of, _STATISTICS)):
            raise SpecError(f"of: unknown '{self.of}'{near}", allowed=", ".join((*_STATISTICS, f"{_SHARE}4")))
        if ground.design.filter != ground.experiment.design.filter:
            raise SpecError("under: only the data of the base design are described", remedy="leave 'filter' out of 'under'")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the table of data sets."""
        rows = records(evidence.results.datasets)
        # Rows with a chain are about filters.
        mine = [row for row in rows if (row["dataset"], row["metric"], row["chain"]) == (ground.dataset, self.of, "")]
        value = float(mine[0]["value"]) if mine else math.nan
        asked = Region(self.value - self.tolerance, self.value + self.tolerance)
        numbers = f"{self.of}: {value:,.6g}, claimed {self._claimed_text()}" if mine else f"no statistic '{self.of}'"
        return judge_interval(f"{self.of} of the data", value, (value, value), asked, NO_INTERVAL, numbers)

    def words(self, ground: Ground) -> str:
        """State the number and the tolerance."""
        return f"{self.of} of the data: {self._claimed_text()}"

    def _claimed_text(self) -> str:
        return f"{self.value:,.10g}" + (f" ± {tick(self.tolerance)}" if self.tolerance else "")
