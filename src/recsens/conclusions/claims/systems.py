"""How the values of two or more systems compare.

differ: Two systems that differ, whichever is better.
tied: Two systems that are equally good.
wins: One system that is significantly better than another.
not_significant: A test that finds no significant difference between two systems.
exceeds: One number that is larger than another, by a difference or a factor.
ranks: Several systems in a given order.
robust_to_unrated: A win that unrated items do not end unless the loser's are relevant much more often.
"""

import math
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from recsens.comparison.aggregation import Aggregate
from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Known, Region, Verdict, judge_interval
from recsens.conclusions.claims._base import judge_number
from recsens.conclusions.claims._evidence import NO_INTERVAL, join_bases, subtract
from recsens.conclusions.claims._parameters import (
    METRIC,
    PAIRED,
    A,
    B,
    Quantity,
    at,
    check_group,
    check_pair,
    check_ranks,
    check_system,
    find_quantity,
    replace_option,
)
from recsens.conclusions.dimensions import Name, as_text
from recsens.conclusions.experiment_results import design_in, design_key
from recsens.conclusions.verdicts.efforts import efforts_of, in_words
from recsens.conclusions.verdicts.over_datasets import interval_in_words
from recsens.conclusions.verdicts.study_tables import records
from recsens.conclusions.verdicts.unrated import pushed_comparisons, share, tipping_in_words
from recsens.errors import SpecError
from recsens.outcomes.winner import significant
from recsens.plugins.specs import format_number
from recsens.study.claims import OVER_DATASETS
from recsens.study.searched import metric_of_effort
from recsens.tables.numbers import count, p_claim, score, tick


class OfPair(Claim):
    """A claim about the difference between two systems."""

    a: Name = A
    b: Name = B
    metric: Name = METRIC

    def check(self, ground: Ground) -> None:
        """Refuse a pair that the study does not compare, or a metric that it does not measure."""
        check_pair(ground.experiment, self.a, self.b)
        find_quantity(ground.experiment, self.metric)

    def difference(self, ground: Ground, evidence: Evidence, of: Quantity) -> Known:
        """Return the first system's number minus the second's."""
        return evidence.difference(at(ground, self.a, of), at(ground, self.b, of), of)

    def numbers(self, difference: Known) -> str:
        """Print the difference with its interval and p-value."""
        return f"{self.a} − {self.b}: {difference.in_words(difference.p_value)}"


class _Apart(OfPair):
    """A claim about the size of a difference between two systems, whichever is better."""

    is_apart: ClassVar[bool]
    """Whether the claim says that the two systems differ."""

    margin: float | int | None = Field(
        None, gt=0, description="differences up to this number do not matter, in units of the metric"
    )

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the interval of the difference, or by the test."""
        of = find_quantity(ground.experiment, self.metric)
        difference = self.difference(ground, evidence, of)
        ends = sorted((abs(difference.low), abs(difference.high)))
        low = 0.0 if difference.low < 0 < difference.high else ends[0]
        size = replace(difference, value=abs(difference.value), low=low, high=ends[1])
        margin = difference.margin if self.margin is None else float(self.margin)
        region = Region(margin, is_open=True) if self.is_apart else Region(0.0, margin)
        verdict = self._without_margin(difference, of, ground.experiment.alpha) if self.margin is None else None
        what = f"size of the difference of {self.a} and {self.b} by {of.name}"
        numbers = f"{self.numbers(difference)}{'' if self.margin is None else f', margin {tick(self.margin)}'}"
        return judge_number(what, size, region, numbers, verdict)

    def _without_margin(self, difference: Known, of: Quantity, alpha: float) -> Verdict:
        """Judge by the verdict on the pair. If the test finds no difference, the claim is undecided."""
        if difference.winner or (not of.ranks and significant(difference.p_value, alpha)):
            return "held" if self.is_apart else "not held"
        # If there is a p-value and the interval is [0, 0], both systems have the same value for every user. Without an interval, a
        # difference of 0 can be chance.
        is_alike = difference.basis != NO_INTERVAL and difference.interval == (0.0, 0.0) and not math.isnan(difference.p_value)
        if difference.is_equivalent or is_alike:
            return "not held" if self.is_apart else "held"
        return "undecided"

    def words(self, ground: Ground) -> str:
        """State that the systems differ, or that they are tied."""
        margin = "" if self.margin is None else f" (margin {tick(self.margin)})"
        name = find_quantity(ground.experiment, self.metric).name
        return f"{self.a} and {self.b} {'differ' if self.is_apart else 'are tied'} by {name}{margin}"


class Differ(_Apart):
    """Systems ``a`` and ``b`` differ, whichever is better. This is the opposite of ``tied``.

    With a ``margin``, the claim is held if the interval of their difference over users lies outside ± margin, not held if it lies
    within ± margin, and otherwise undecided. Without a ``margin``, the verdict on the pair decides: the claim is held if one of the
    systems wins, not held if the study's ``margin`` makes them equivalent or if their difference is zero for every user, and
    otherwise undecided. For a metric that describes rankings and has no better direction, p below ``alpha`` replaces the win.
    """

    label = "differ"
    is_apart: ClassVar[bool] = True


class Tied(_Apart):
    """Systems ``a`` and ``b`` are equally good.

    With a ``margin``, the claim is equivalence. It is held if the interval of their difference over users lies within ± margin, not
    held if it lies outside, and otherwise undecided. Without a ``margin``, the verdict on the pair decides: the claim is held if
    the study's ``margin`` makes the systems equivalent or if their difference is zero for every user, not held if one system wins,
    and otherwise undecided. To claim that a test found no difference, use ``not_significant``.
    """

    label = "tied"
    source = "Schuirmann (1987), on equivalence within a margin"
    is_apart: ClassVar[bool] = False


class Wins(OfPair):
    """System ``a`` is better than ``b``, and the difference is significant by the design's test.

    The claim is held if ``a`` wins, not held if ``b`` wins, and undecided if neither wins. A difference that is not significant
    does not show that the claim is false. As in ``verdicts.csv``, a system wins if it has the better value, the users' differences
    favour it too, and p, with the design's correction, is below ``alpha``. The printed interval belongs to the difference over
    users.

    With an ``effort``, both systems get so many trials of tuning. The claim is held if ``a`` wins in the ``share`` of searches, not
    held if ``b`` does, and otherwise undecided; the printed interval is of two standard errors over searches.

    With ``over=datasets``, the claim is about the average over data sets like those of the study (``over_datasets.csv``).

    With a ``group``, the claim is about a group of users or items by the study's key ``groups`` (``groups.csv``), with p adjusted
    over the groups. It does not say that the systems differ more there than elsewhere.
    """

    label = "wins"

    effort: int | None = Field(None, ge=0, description="number of trials of tuning for either system, one that the study varies")
    share: float = Field(0.95, gt=0.5, le=1, description="with an effort, the share of searches in which the system has to win")
    group: Name = Field(
        "",
        description="a group, such as 'most active'; after its grouping, such as 'activity: 2 of 3', if several groupings have it",
    )
    over: Literal["", "datasets"] = Field("", description="datasets: on average over data sets like those of the study")

    @property
    def is_over_datasets(self) -> bool:
        """Whether the claim is about the average over data sets."""
        return bool(self.over)

    def check(self, ground: Ground) -> None:
        """Refuse a pair that the study does not compare, a metric without a better direction, and an effort that is not varied."""
        check_pair(ground.experiment, self.a, self.b)
        of = find_quantity(ground.experiment, self.metric)
        check_ranks(of)
        if self.over:
            self._check_over(ground, of)
        if self.group:
            if self.over or self.effort is not None or not of.is_measured or ground.design != ground.experiment.design:
                allowed = "a metric, without 'under', 'over' and 'effort'"
                raise SpecError("groups are compared under the base design", allowed=allowed)
            check_group(ground, self.group, of)
        if self.effort is None:
            return
        efforts = ", ".join(map(str, ground.experiment.effort))
        if self.effort not in ground.experiment.effort:
            raise SpecError(f"the study has no effort of {self.effort} trials", allowed=efforts or "efforts that 'vary' lists")
        by = metric_of_effort(ground.experiment)
        if not of.is_measured or of.metric != by or ground.design != ground.experiment.design:
            allowed = f"metric={by.written}, without 'under'"
            raise SpecError("verdicts by effort are under the base design and by one metric", allowed=allowed)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the winner or, with an effort, by the shares of searches."""
        of = find_quantity(ground.experiment, self.metric)
        if self.effort is not None:
            return self._judge_after_trials(self.effort, ground, evidence)
        if self.over:
            return self._judge_average(ground, evidence, of)
        if self.group:
            found = evidence.in_group(at(ground, self.a, of), at(ground, self.b, of), self.group)
        else:
            found = self.difference(ground, evidence, of)
        within = f" in the group '{self.group}'" if self.group else ""
        verdict: dict[str, Verdict] = {self.a: "held", self.b: "not held"}
        what = f"{of.name} of {self.a} minus {self.b}{within}"
        asked = Region(0.0, is_open=True) if of.sign > 0 else Region(high=0.0)
        is_open = not (found.winner or found.is_equivalent or math.isnan(found.detectable))
        lacking = f"; a true difference of {score(found.detectable)} would be found in four of five such studies" if is_open else ""
        return judge_number(what, found, asked, f"{self.numbers(found)}{lacking}", verdict.get(found.winner, "undecided"))

    def _judge_after_trials(self, effort: int, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        found = efforts_of(ground.experiment, evidence.results.effort)
        pair = found.get((ground.dataset, self.a, self.b)) or found[ground.dataset, self.b, self.a]
        row = pair.at(effort)
        own, other = ("a", "b") if row["system_a"] == self.a else ("b", "a")
        value, error = row[f"share_{own}"], row[f"error_{own}"]
        verdict: Verdict = "held" if value >= self.share else "not held" if row[f"share_{other}"] >= self.share else "undecided"
        ends = (max(value - 2 * error, 0.0), min(value + 2 * error, 1.0))
        trials = f"{effort} trial{'s' * (effort != 1)}"
        of = f"share of searches of {trials} in which {self.a} beats {self.b}"
        over = "of a simulation of 400 pairs of searches" if row["is_simulated"] else "over searches"
        return ClaimOutcome(verdict, of, value, *ends, Region(self.share, 1.0), f"two standard errors {over}", in_words(row))

    def _check_over(self, ground: Ground, of: Quantity) -> None:
        """Refuse a claim over data sets that the study does not combine, or together with other things."""
        if not ground.experiment.families:
            raise SpecError("the study does not combine data sets", remedy="give it three data sets, or write 'over_datasets: {}'")
        if not Aggregate.build(ground.design.aggregate).averages_values:
            raise SpecError("only designs whose aggregate is a mean of users' values are combined over data sets")
        if ground.dataset != OVER_DATASETS or self.effort is not None or not of.is_measured:
            raise SpecError("over=datasets goes with none of 'dataset' and 'effort', and with a metric whose values are combined")

    def _judge_average(self, ground: Ground, evidence: Evidence, of: Quantity) -> ClaimOutcome:
        rows = records(evidence.results.over_datasets)
        key, pair = design_key(ground.design), {self.a, self.b}
        name = f"{of.name} of {self.a} beside {self.b}, on average over data sets like these"
        own = (row for row in rows if {row["system_a"], row["system_b"]} == pair and row["metric_full"] == str(of.metric))
        row = next((row for row in own if design_in(row) == key), None)
        if row is None or math.isnan(row["alike"]):
            return ClaimOutcome(
                "undecided", name, math.nan, math.nan, math.nan, Region(), NO_INTERVAL, "no effect on three families of data sets"
            )
        sign = 1 if row["system_a"] == self.a else -1
        value, low, high = sign * row["alike"], *sorted((sign * row["alike_low"], sign * row["alike_high"]))
        words, ends = interval_in_words(value, low, high, row["scale"])
        verdicts: dict[str, Verdict] = {self.a: "held", self.b: "not held"}
        asked = Region(0.0, is_open=True) if of.sign > 0 else Region(high=0.0)
        numbers = f"{words} ({ends}, {p_claim(row['p_adjusted'])}) on {count(row['families'])} families of data sets"
        return ClaimOutcome(verdicts.get(row["winner"], "undecided"), name, value, low, high, asked, "over data sets", numbers)

    def words(self, ground: Ground) -> str:
        """State which system beats which, over data sets or after how much tuning."""
        group = f" in the group '{self.group}'" if self.group else ""
        over = " on average over data sets like these" if self.over else group
        beats = f"{self.a} beats {self.b} by {find_quantity(ground.experiment, self.metric).name}{over}"
        n = self.effort
        return beats if n is None else f"After {n} trial{'s' * (n != 1)} of tuning for each, {beats}"


class NotSignificant(OfPair):
    """The design's test finds no significant difference between systems ``a`` and ``b``.

    The claim is held if p, with the design's correction, is at least ``alpha``, not held if p is lower, and undecided if there is
    no p-value. A test without a significant result is not evidence that the systems are equally good: with few users, the claim is
    held for almost any two systems. To claim equivalence, use ``tied`` with a margin.
    """

    label = "not_significant"

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the p-value."""
        of = find_quantity(ground.experiment, self.metric)
        found = self.difference(ground, evidence, of)
        p, asked = found.p_value, Region(ground.experiment.alpha, 1.0)
        return judge_interval(
            f"p of the difference of {self.a} and {self.b} by {of.name}", p, (p, p), asked, NO_INTERVAL, self.numbers(found)
        )

    def words(self, ground: Ground) -> str:
        """State that no difference was found."""
        return f"{self.a} and {self.b} do not differ significantly by {find_quantity(ground.experiment, self.metric).name}"


Term = Annotated[str | float | int, BeforeValidator(as_text)]
"""Label of a system, or a number."""


class Exceeds(Claim):
    """``a > factor · b + by``, where ``a`` and ``b`` are the values of two systems, or one of them is a number.

    The claim is held if the interval of ``a - factor · b`` lies above ``by``, not held if it lies below ``by``, and otherwise
    undecided. If ``factor`` is 1 and the study compares the two systems, the interval is over users. Otherwise the interval is over
    folds, and the two standard errors are treated as independent. The claim says only that a number is larger; a larger value need
    not be better.
    """

    label = "exceeds"

    a: Term = Field("", description="label of the system with the larger value, or the larger number")
    b: Term = Field(
        0.0, description="label of the system with the smaller value, or a number, such as a value that is known analytically"
    )
    metric: Name = METRIC
    by: float | int = Field(0.0, description="smallest difference that is claimed, in units of the metric")
    factor: float | int = Field(1.0, gt=0, description="factor by which ``b`` is multiplied")
    b_with: Name = Field(
        "", description="an option of the study's designs that replaces the claim's option for ``b``, such as condensed"
    )
    paired: bool = PAIRED

    def check(self, ground: Ground) -> None:
        """Refuse unknown systems, and a claim in which ``a`` and ``b`` are both numbers."""
        for key, term in (("a", self.a), ("b", self.b)):
            if isinstance(term, str):
                check_system(ground.experiment, key, term)
        if not isinstance(self.a, str) and not isinstance(self.b, str):
            raise SpecError("a and b are both numbers", allowed="at least one label of a system")
        if self.b_with and not isinstance(self.b, str):
            raise SpecError(f"b_with: b is the number {_term_text(self.b)}", remedy="name a system")
        self._ground_of_b(ground)
        find_quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the interval of the difference."""
        of = find_quantity(ground.experiment, self.metric)
        difference = self._difference(ground, evidence, of)
        what = f"{_term_text(self.a)} − {self._factor_text}{_term_text(self.b)}{self._option_text}"
        terms = [(self.a, ground, ""), (self.b, self._ground_of_b(ground), self._option_text)]
        values = [
            f"{term}{condition} {score(self._value(term, where, evidence, of).value)}"
            for term, where, condition in terms
            if isinstance(term, str)
        ]
        numbers = f"{', '.join(values)}; {what}: {difference.in_words()}"
        region = Region(float(self.by), is_open=True)
        return judge_number(f"{of.name}: {what}", difference, region, numbers)

    def words(self, ground: Ground) -> str:
        """State what exceeds what."""
        by = f" by {tick(self.by)}" if self.by else ""
        name = find_quantity(ground.experiment, self.metric).name
        other = f"{'that of ' if isinstance(self.b, str) else ''}{_term_text(self.b)}{self._option_text}"
        return f"{name} of {_term_text(self.a)} exceeds {self._factor_text}{other}{by}"

    def _difference(self, ground: Ground, evidence: Evidence, of: Quantity) -> Known:
        if isinstance(self.a, str) and isinstance(self.b, str) and self.factor == 1:
            return evidence.difference(at(ground, self.a, of), at(self._ground_of_b(ground), self.b, of), of, paired=self.paired)
        first, second = self._value(self.a, ground, evidence, of), self._value(self.b, self._ground_of_b(ground), evidence, of)
        return subtract(first, second.scaled(self.factor))

    def _value(self, term: str | float, ground: Ground, evidence: Evidence, of: Quantity) -> Known:
        if isinstance(term, str):
            return evidence.value(at(ground, term, of), of)
        return Known(float(term), float(term), float(term), "")

    def _ground_of_b(self, ground: Ground) -> Ground:
        """Return the data set and the design of ``b``."""
        return replace_option(ground, self.b_with) if self.b_with else ground

    @property
    def _option_text(self) -> str:
        return f" with {self.b_with}" if self.b_with else ""

    @property
    def _factor_text(self) -> str:
        return "" if self.factor == 1 else f"{format_number(self.factor)} × "


def _term_text(term: str | float) -> str:
    return term if isinstance(term, str) else tick(term)


def _as_groups(value: Any) -> Any:
    """Parse an order of systems: each entry is one system, or a list of systems whose order does not matter."""
    if not isinstance(value, tuple):
        raise ValueError("must be a list of labels, such as [A,B,[C,D]]")  # noqa: TRY004 - for pydantic
    groups = tuple(tuple(map(str, entry)) if isinstance(entry, tuple) else (str(entry),) for entry in value)
    return tuple(group if len(group) > 1 else group[0] for group in groups)


class Ranks(Claim):
    """Systems are in the given order, the best system first.

    The claim is judged by all pairs of systems that the order distinguishes. A pair is in order if its difference has the right
    sign and its interval excludes zero; it is against the order if the interval lies on the other side of zero. All other pairs are
    open. The claim is held if the pairs in order alone are at least ``share`` of all pairs, not held if the pairs in order and the
    open pairs together are fewer, and otherwise undecided. Intervals are over users if the study compares the pair, and over folds
    otherwise.
    """

    label = "ranks"

    order: Annotated[tuple[str | tuple[str, ...], ...], BeforeValidator(_as_groups)] = Field(
        (), description="labels of systems, the best system first; within an inner list, the order does not matter"
    )
    metric: Name = METRIC
    share: float | int = Field(1, gt=0, le=1, description="share of the pairs that must be in order")

    def check(self, ground: Ground) -> None:
        """Refuse unknown systems, and an order of fewer than two systems."""
        labels = [label for group in self._groups for label in group]
        for label in labels:
            check_system(ground.experiment, "order", label)
        twice = next((label for label in labels if labels.count(label) > 1), "")
        if twice:
            raise SpecError(f"order: '{twice}' appears twice")
        if len(self.order) < 2:
            raise SpecError(f"order: only {len(self.order)} places", allowed="two or more")
        find_quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the pairs that are certainly in order, and the pairs that are certainly against it."""
        of = find_quantity(ground.experiment, self.metric)
        differences = [evidence.difference(at(ground, a, of), at(ground, b, of), of).scaled(of.sign) for a, b in self.pairs]
        right, wrong = sum(difference.low > 0 for difference in differences), sum(difference.high < 0 for difference in differences)
        n, as_values = len(differences), sum(difference.value > 0 for difference in differences)
        nobody = all(math.isnan(difference.value) for difference in differences)
        interval = (math.nan, math.nan) if nobody else (right / n, 1 - wrong / n)
        counts = f"{count(right)} in the order, {count(wrong)} against it, {count(n - right - wrong)} open"
        numbers = f"of {count(n)} pairs, {counts}"
        what = f"share of pairs in order by {of.name}"
        return judge_interval(what, as_values / n, interval, Region(float(self.share)), join_bases(differences), numbers)

    def words(self, ground: Ground) -> str:
        """State the order; if there are many systems, state only their number and the first system."""
        name, n = find_quantity(ground.experiment, self.metric).name, sum(map(len, self._groups))
        order = f"{n} systems, {self._group_names[0]} first," if n > 5 else f"{' > '.join(self._group_names)}"
        least = "" if self.share == 1 else f" in {100 * self.share:g} % of pairs"
        return f"{order} by {name}{least}"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every pair of systems that the order distinguishes, better system first."""
        return [(a, b) for better, worse in combinations(self._groups, 2) for a in better for b in worse]

    @property
    def _groups(self) -> list[tuple[str, ...]]:
        return [group if isinstance(group, tuple) else (group,) for group in self.order]

    @property
    def _group_names(self) -> list[str]:
        return [" = ".join(group) for group in self._groups]


class RobustToUnrated(OfPair):
    """System ``a`` wins against ``b``, also if unrated items that only ``b`` lists are relevant ``ratio`` times as often as others.

    All other unrated items in the two lists are relevant at the ``rate``, one of the study's key ``tipping``. The claim is held if
    ``a`` is significantly better as measured, and if a larger ratio is needed before the expected difference is no longer
    significant; not held if this ratio, or a smaller one, is enough, or if ``b`` wins; undecided if neither wins. Significance is
    that of the paired t-test for this pair alone, under the base design. The claim does not say that the ratio is unlikely: choose
    the rate and ratio by what is known of the data. On CM100K, items that only other systems list are relevant 1.0 to 2.0 times as
    often as those that only popularity lists, 1.5 times in the middle, at a rate of about 0.23.
    """

    label = "robust_to_unrated"

    ratio: float | int = Field(
        2, gt=0, description="ratio of rates that the win has to survive; no value is large enough everywhere"
    )
    rate: float = Field(0.05, gt=0, lt=1, description="rate of relevance of all other unrated items")

    def check(self, ground: Ground) -> None:
        """Refuse a pair or metric as for `Wins`, another design than the base design, and a rate that the study does not list."""
        check_pair(ground.experiment, self.a, self.b)
        of = find_quantity(ground.experiment, self.metric)
        check_ranks(of)
        if self.rate not in ground.experiment.tipping:
            allowed = ", ".join(map(tick, ground.experiment.tipping)) or "rates that the key 'tipping' lists"
            raise SpecError(f"the study computes no ratio at a rate of {tick(self.rate)}", allowed=allowed)
        if not of.is_measured or ground.design != ground.experiment.design:
            raise SpecError("ratios of rates are judged under the base design", allowed="a metric, without 'under'")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the ratio at which the win is lost."""
        of = find_quantity(ground.experiment, self.metric)
        found = pushed_comparisons(ground.experiment, evidence.results)
        pairs = ((self.a, self.b), (self.b, self.a))
        pair = next((own for each in pairs if (own := found.get((ground.dataset, *each, str(of.metric))))), None)
        what = f"ratio of rates at which {self.a} no longer wins against {self.b} by {of.name}"
        lost = math.nan
        if pair is not None and pair.row["is_significant"]:
            lost = float(pair.rates[self.rate]["ratio_lost"])
        verdict: Verdict = "undecided"
        said = "nothing that could push it is known" if pair is None else "neither wins by the t-test"
        if pair is not None and not math.isnan(lost):
            verdict = "held" if pair.leader == self.a and lost > self.ratio else "not held"
            said = tipping_in_words(pair, self.rate)
        shown = min(lost, 1 / self.rate)  # no rate is above 1
        return ClaimOutcome(verdict, what, shown, shown, shown, Region(float(self.ratio), is_open=True), NO_INTERVAL, said)

    def words(self, ground: Ground) -> str:
        """State the win, and what it has to survive."""
        beats = f"{self.a} beats {self.b} by {find_quantity(ground.experiment, self.metric).name}"
        rates = f"{tick(self.ratio)} times as often as {share(self.rate)}"
        return f"{beats}, also if unrated items that only {self.b} lists are relevant {rates}"
