"""The columns of each CSV table of a study, for all code that writes, reads or documents a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recsens.study.taxonomy import DECISIONS, DESIGN, Decision, full_column

Holds = Literal["text", "number", "whole number", "true or false"]


@dataclass(frozen=True, slots=True)
class StudyColumn:
    """A column of a table.

    Attributes
    ----------
    name
        The name in the first line of the file.
    meaning
        A sentence that explains the column's content.
    holds
        The type of its values.
    range
        The unit, the bounds or the allowed words of the values; empty if the meaning already says this.
    empty
        A text that says when the column's cells are empty; an empty text if they are never empty.
    tells_apart
        Whether the column identifies rows; its numbers are then read as text, exactly as in the file.
    """

    name: str
    meaning: str
    holds: Holds = "text"
    range: str = ""
    empty: str = ""
    tells_apart: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the column's cells are read as numbers."""
        return self.holds in {"number", "whole number"} and not self.tells_apart


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table of a study.

    Attributes
    ----------
    file
        The file below the study's folder.
    rows
        A description of what one row represents.
    columns
        The columns, in order.
    """

    file: str
    rows: str
    columns: tuple[StudyColumn, ...]

    @property
    def names(self) -> list[str]:
        """The table's column names, in order."""
        return [each.name for each in self.columns]


def _count(name: str, meaning: str, empty: str = "") -> StudyColumn:
    return StudyColumn(name, meaning, "whole number", "0 or more", empty)


def _share(name: str, meaning: str, empty: str = "") -> StudyColumn:
    return StudyColumn(name, meaning, "number", "0 to 1", empty)


def _in_units(name: str, meaning: str, empty: str = "") -> StudyColumn:
    return StudyColumn(name, meaning, "number", "in units of the metric", empty)


def _effect(name: str, meaning: str, empty: str = "") -> StudyColumn:
    return StudyColumn(name, meaning, "number", "in standard deviations", empty)


def _flag(name: str, meaning: str) -> StudyColumn:
    return StudyColumn(name, meaning, "true or false")


_P_EMPTY = "the test gives no p-value: too few users, or a metric with a single value for all users together"
_INTERVAL_EMPTY = "the test gives no interval, or fewer than six users are compared"
_BY_RATING = "each relevant rating has its own ranking (1R)"
_BY_USER = "each user has one ranking"
_NO_USERS = "no user is averaged"
_DATASET = StudyColumn("dataset", "Label of the data set, or of the further experiment on it.")
_FOLD = StudyColumn("fold", "Folder name of the fold: its repeat and, for a split with several folds, its number.")
_SYSTEM = StudyColumn("system", "Label of the system.")
_PAIR = (StudyColumn("system_a", "Label of the first system."), StudyColumn("system_b", "Label of the second system."))
_SEED = StudyColumn("seed", "Seed of all random streams.", "whole number", "0 or more", tells_apart=True)
_IS_BASE = _flag("is_base", "Whether the design is the base design.")


def _full(column: str, empty: str = "") -> StudyColumn:
    return StudyColumn(
        full_column(column), f"The same as `{column}`, but with every parameter written out; used to join tables.", empty=empty
    )


def _with_full(name: str, meaning: str, empty: str = "") -> tuple[StudyColumn, StudyColumn]:
    return StudyColumn(name, meaning, empty=empty), _full(name, empty)


_METRIC = _with_full("metric", "Metric with its cut-off, as the study writes it.")


def _decided(decisions: Sequence[Decision], empty: str = "") -> tuple[StudyColumn, ...]:
    return tuple(column for each in decisions for column in _of_decision(each, empty))


def _of_decision(decision: Decision, empty: str) -> tuple[StudyColumn, ...]:
    name = f"{decision.code} {decision.name}"
    if decision.kind is not None:
        short = ", or in its short form if the study leaves the option to the default"
        return _with_full(decision.column, f"{name}: the option as the study writes it{short}.", empty)
    if decision.words:
        return (StudyColumn(decision.column, f"{name}: the option.", range=", ".join(decision.words)),)
    if decision.key == "relevance":
        return (
            StudyColumn(
                decision.column, f"{name}: the lowest relevant rating, or the rule that it follows from.", range="or `scale`"
            ),
        )
    return (StudyColumn(decision.column, f"{name}: how often the split is drawn.", "whole number", "1 or more", tells_apart=True),)


def _design(decisions: Sequence[Decision]) -> tuple[StudyColumn, ...]:
    return (*_decided(decisions), _SEED)


def _some(*keys: str, empty: str = "") -> tuple[StudyColumn, ...]:
    return _decided([each for each in DESIGN if each.key in keys], empty)


_CALIBRATED = _flag("calibrated_on_test", "Whether a parameter of the system, or of either system, was chosen on test data.")

_VALUES = (
    StudyColumn("value", "The system's value, over all folds.", "number", "as the metric", "no user is averaged"),
    StudyColumn("spread", "Sample standard deviation of the value over folds.", "number", "0 or more", "there is only one fold"),
    StudyColumn(
        "expected_random",
        "Expected value of a random order of the same targets, computed by formula over the users who are averaged for the system.",
        "number",
        "as the metric",
        "the metric has no such formula, or the average is not linear in users' values",
    ),
    StudyColumn("published", "The printed value.", "number", "as the metric", "the study gives none"),
    _in_units("deviation", "`value` minus `published`.", "`published` is empty"),
    StudyColumn("source", "Where the value is printed.", empty="`published` is empty"),
    StudyColumn("note", "The study's note on why the two values differ.", empty="there is no note"),
    StudyColumn("spec", "The recommender of the system, with every parameter written out."),
)

_KISH = "Number of equally weighted users who would be as informative as the averaged users (Kish)."

_EFFECTIVE = StudyColumn(
    "effective_users",
    _KISH,
    "number",
    "0 or more",
    "the metric has a single value for all users together",
)

_COVERED = (
    _count("n_users", "Averaged users whose weight is above zero; if there is one value for all users together, all its users."),
    _EFFECTIVE,
    StudyColumn("full", "Full average: users without a ranking count as zero.", "number", "as the metric", _NO_USERS),
    StudyColumn("reduced", "Reduced average: users without a ranking are left out.", "number", "as the metric", _NO_USERS),
    _share("user_coverage", "Share of the averaged users who have a ranking.", _BY_RATING),
    _share("rating_coverage", "Share of the relevant test ratings that are ranked.", _BY_USER),
    _share("coverage_at_cutoff", "Share of the list's places, down to the cut-off, that are filled.", "the metric has no cut-off"),
)

_DIFFERENCE = (
    _in_units("difference", "Value of the first system minus that of the second, as the test estimates it.", _NO_USERS),
    _in_units(
        "value_difference",
        (
            "Difference of the two values in `summary.csv`. It differs from `difference` if the aggregate is not a mean of what "
            "the test compares, or if the two values are over different users (reduced coverage). Even the signs may differ."
        ),
        "either value is missing",
    ),
    _in_units("low", "Lower end of the confidence interval of `difference`.", _INTERVAL_EMPTY),
    _in_units("high", "Upper end of the same interval.", _INTERVAL_EMPTY),
    _in_units(
        "standard_error",
        "Standard error of `difference`: the standard deviation over users, divided by the root of their number.",
        "fewer than two users are compared, or the test gives no standard error",
    ),
    _effect("effect", "Standardised effect size d_z.", "the comparison is not user by user"),
)

_P_VALUES = (
    _share("p_value", "Two-sided p-value of the test before any correction.", _P_EMPTY),
    _share("p_adjusted", "p-value after the correction for many comparisons.", _P_EMPTY),
    _count("users", "Users compared."),
)

_ONE_FOLD = "the row is about one fold"

_HYPOTHESIS = StudyColumn("hypothesis", "The null hypothesis of the p-value, in words: what is fixed, and what is tested.")

_RESAMPLED = _share(
    "resampled_p",
    "p-value of the corrected resampled t-test over folds. It generalises to other splits, whereas the other p-values "
    "generalise to other users. It is never corrected for the number of pairs, even if the design has a correction.",
    f"{_ONE_FOLD}, there are fewer than two folds, or all folds have the same difference other than 0",
)

_UNINFORMATIVE = StudyColumn(
    "uninformative",
    "Why the analysis says nothing about the two systems: no user is compared, or every ranking of the same target items has the "
    "same value for every user compared. Such an analysis is in no count of analyses.",
    empty="the systems can differ, or the row is about one fold",
)

_TESTED = (
    _EFFECTIVE,
    _share(
        "share_significant",
        "Share of subsamples of the users that show a significant difference.",
        "the test draws no subsamples",
    ),
    _HYPOTHESIS,
    StudyColumn(
        "digest",
        (
            "Digest of the data behind the comparison. If two comparisons have the same digest, their numbers are equal up to a "
            "factor."
        ),
        empty=_ONE_FOLD,
    ),
    _UNINFORMATIVE,
    _share("median_p", "Median of the p-values of the folds.", f"{_ONE_FOLD}, or there are no p-values"),
    _RESAMPLED,
    _share("published", "The printed p-value.", "the study gives none"),
    StudyColumn("source", "Where the p-value is printed.", empty="`published` is empty"),
    StudyColumn("deviation", "`median_p` minus `published`.", "number", "-1 to 1", "`published` is empty"),
)

_COUNTS = (
    StudyColumn("systems", "The systems that the row is about.", range="`all`, or labels separated by commas"),
    _count("users", "Users of the data set."),
    _count("averaged", "Users averaged."),
    _count("with_test", "Averaged users who have test ratings."),
    _count("with_relevant", "Averaged users who have relevant test ratings."),
    StudyColumn("effective_users", _KISH, "number", "0 or more"),
    _count("test_ratings", "Test ratings."),
    _count("lost_ratings", "Test ratings of users who are not averaged."),
    _share("share_lost", "`lost_ratings` as a share of `test_ratings`.", "there are no test ratings"),
    _count("rankings", "Number of rankings that were measured, one for each relevant test rating.", _BY_USER),
    StudyColumn(
        "ratings_by_percentile",
        "Number of relevant test ratings in each popularity percentile, separated by blanks.",
        empty="the targets do not use percentiles (those of P1R do)",
    ),
)

_VERDICT = (
    StudyColumn("verdict", "Who wins.", range="‹system› wins, equivalent, undecided, uninformative"),
    StudyColumn("winner", "Label of the system that wins.", empty="neither wins"),
    StudyColumn(
        "better",
        "Which system's value is better: 1 for the first, -1 for the second, 0 if the values are equal or one is missing.",
        "whole number",
        "-1, 0, 1",
    ),
    _in_units(
        "margin", "The smallest difference that matters for this comparison.", "the margin is a share of a value that is missing"
    ),
    _in_units(
        "detectable",
        (
            "The smallest true difference that would win with 80 % probability. To win, p must be below alpha at the correction's "
            "first and strictest step (alpha divided by the number of pairs), and the whole interval must lie beyond `margin`."
        ),
        "no standard error is known, or the test or the aggregate is not about a mean",
    ),
    StudyColumn(
        "beside_base",
        "How the verdict compares with the base design's verdict by the study's first metric that ranks systems.",
        range="agrees, contradicts, undecides, decides",
        empty="the analysis is uninformative",
    ),
    _share(
        "p_family",
        "p of the analysis, adjusted for all analyses of the pair on the data set, as in `multiverse.csv`.",
        "the analysis is left out of `multiverse.csv`, or compares fewer than two users",
    ),
    _RESAMPLED,
    StudyColumn(
        "same_as", "Another analysis of the pair that has the same numbers as this analysis.", empty="the analysis repeats no other"
    ),
    StudyColumn(
        "original",
        "Number, counted from 0, of the row that represents all rows with the same numbers as this row; it may be this row itself.",
        "whole number",
        "0 or more",
    ),
    _UNINFORMATIVE,
    _HYPOTHESIS,
    _EFFECTIVE,
    StudyColumn("n_changed", "Number of decisions in which the design differs from the base design.", "whole number", "0 or more"),
    StudyColumn("is_base_metric", "Whether the metric is the study's first metric that ranks systems.", "true or false"),
)

_LEFT_OUT = "the analysis is left out"

_TOGETHER = (
    StudyColumn(
        "t", "t statistic of the users' mean difference; above zero if the first system is better.", "number", "", _LEFT_OUT
    ),
    _share(
        "p_family",
        "p of the analysis, adjusted for all analyses of the pair on the data set (step-down max-T over shared signs).",
        f"{_LEFT_OUT}, or compares fewer than two users",
    ),
    _count("users", "Users compared; 0 if the analysis is left out."),
    _count(
        "distinct",
        (
            "Number of the distinct analysis, which analyses of the pair share if their numbers are equal up to a factor; 0 if the "
            "analysis is left out."
        ),
    ),
    StudyColumn("left_out", "Why the analysis is left out.", empty="the analysis is included"),
)

_NO_ANALYSIS = "no analysis is included"

_JOINT = (
    _count("analyses", "Analyses of the pair by metrics that rank systems."),
    _count("entered", "Analyses that are included, which are those with differences user by user."),
    _count("distinct", "Distinct analyses among the included ones; all following columns cover only distinct analyses."),
    StudyColumn("median_t", "Median of t over the analyses.", "number", "", _NO_ANALYSIS),
    _share("p_median", "Joint p of the median of t.", _NO_ANALYSIS),
    _count("wins_a", "Number of analyses with p < alpha by the t-test in favour of the first system."),
    _count("wins_b", "The same number in favour of the second system."),
    _share(
        "p_wins",
        "Joint p of `wins_a` - `wins_b`; of equal differences, the one with the larger sum of t for the leader is more extreme.",
        _NO_ANALYSIS,
    ),
    _count("stand_a", "Number of analyses with `p_family` of at most alpha in favour of the first system."),
    _count("stand_b", "The same number in favour of the second system."),
    StudyColumn("patterns", "Number of patterns of signs that were tried.", "whole number", "1 or more"),
    _flag("all_patterns", "Whether every possible pattern was tried, which makes each p exact."),
)

_EFFECT_ENDS = (
    _effect("effect_low", "Lower end of the confidence interval of `effect`.", "there is no effect size"),
    _effect("effect_high", "Upper end of the same interval.", "there is no effect size"),
)

_CHANGED = (
    StudyColumn("code", "Code of the decision that changes.", range="A1 to D"),
    StudyColumn("decision", "What changes: a decision, or a parameter of the metric."),
    *_with_full("from", "The base design's option, as the study writes it."),
    *_with_full("to", "The other option, as the study writes it."),
    StudyColumn("base_verdict", "The verdict under the base design.", range="‹system› wins, equivalent, undecided, uninformative"),
    StudyColumn("verdict", "The verdict after the change.", range="‹system› wins, equivalent, undecided, uninformative"),
    StudyColumn("kind", "How the verdict changes.", range="contradicts, undecides, decides"),
    _in_units("base_difference", "`difference` under the base design.", _NO_USERS),
    _in_units("difference", "`difference` after the change.", _NO_USERS),
    _effect("base_effect", "`effect` under the base design.", "there is no effect size"),
    _effect("effect", "`effect` after the change.", "there is no effect size"),
    _share("base_p", "`p_adjusted` under the base design.", _P_EMPTY),
    _share("p", "`p_adjusted` after the change.", _P_EMPTY),
    StudyColumn(
        "also",
        "Other single changes that give the same numbers as this change, separated by semicolons.",
        empty="there are no others",
    ),
)

_TOGETHER_ONLY = "the row is about several decisions"

_INFLUENCE = (
    StudyColumn("code", "Code of the decision.", range="A1 to D", empty="the row is about three or more decisions"),
    StudyColumn("decision", "The decision; `three or more together` for the sum of all interactions of three or more decisions."),
    StudyColumn(
        "together_with",
        "The other decision of an interaction of two decisions.",
        empty="the row is about a single decision, or about three or more decisions",
    ),
    _share(
        "share",
        "Share of the variance of the effect size over all analyses; the shares of a pair add up to 1.",
        "the analyses are not a full grid, or all have the same effect size",
    ),
    _effect(
        "lowest",
        "Lowest effect size d_z if only this decision changes, or no decision does; above zero, the first system is better.",
        f"{_TOGETHER_ONLY}, or there is no effect size",
    ),
    _effect("highest", "Highest effect size under the same conditions.", f"{_TOGETHER_ONLY}, or there is no effect size"),
    _share(
        "flip_rate", "Of the pairs of analyses that differ only in this decision, the share whose verdicts differ.", _TOGETHER_ONLY
    ),
    StudyColumn("compared", "Number of these pairs of analyses.", "number", "1 or more", _TOGETHER_ONLY),
)

_NO_OTHER_WINNER = "the other system wins in no analysis"

_WAY = (
    StudyColumn("base_metric", "Metric of the base verdict, as the study writes it."),
    StudyColumn("base_verdict", "The verdict under the base design.", range="‹system› wins"),
    _count("changes", "Number of decisions that change, including the metric; 0 if the other system wins in no analysis."),
    StudyColumn(
        "ruled_out", "Number of analyses with fewer changes; the other system wins in none of them.", "whole number", "1 or more"
    ),
    StudyColumn("analyses", "Number of analyses of the pair.", "whole number", "1 or more"),
    _flag("every_combination", "Whether every combination of the options was run."),
    StudyColumn("change", "The decisions that change, in words.", empty=_NO_OTHER_WINNER),
    StudyColumn("metric", "Metric of the analysis, as the study writes it.", empty=_NO_OTHER_WINNER),
    StudyColumn("verdict", "Its verdict.", range="‹system› wins", empty=_NO_OTHER_WINNER),
    _in_units("difference", "Difference in that analysis, first system minus second.", _NO_OTHER_WINNER),
    _share("p", "p-value of that analysis, corrected as its design says.", _NO_OTHER_WINNER),
)

_LIMIT = "the region has no limit on this side, or `value` is empty"

_CLAIM = (
    StudyColumn("claim", "The claim, as the study writes it."),
    StudyColumn(
        "under", "Decisions in which the claim's design differs from the base design.", empty="the claim is about the base design"
    ),
    StudyColumn("says", "The claim in words."),
    StudyColumn("source", "Where the claim is stated, or the numbers behind it are printed."),
    StudyColumn(
        "origin", "Whether the study states the claim, or the claim follows from printed values.", range="written, printed"
    ),
    _flag("calibrated", "Whether the study says that parameters were chosen so that the claim holds."),
    StudyColumn("verdict", "Whether the claim held.", range="held, not held, undecided"),
    StudyColumn("numbers", "The numbers behind the outcome, in words."),
    StudyColumn("of", "What `value` is, which is the number by which the claim is judged."),
    StudyColumn("value", "That number.", "number", "as `of` says", "there is no such number"),
    StudyColumn("low", "Lower end of the interval of `value`; equal to `value` if the precision is unknown.", "number", "", _LIMIT),
    StudyColumn("high", "Upper end of the same interval.", "number", "", _LIMIT),
    StudyColumn("asked_low", "The lowest `value` for which the claim is true.", "number", "", _LIMIT),
    StudyColumn("asked_high", "The highest `value` for which the claim is true.", "number", "", _LIMIT),
    StudyColumn("basis", "What the interval is computed from."),
)

_SCORED = (
    StudyColumn(
        "true_metric", ("The metric whose values under the reference design count as the truth, with every parameter written out.")
    ),
    _flag("is_reference", "Whether the design is the reference design itself, but measured by another metric."),
    StudyColumn(
        "quantity",
        "What `value` is. `tau`: tau-b between the two orders of systems. `right`, `wrong`, `open`: among the pairs that the truth "
        "decides, the share that the analysis decides correctly, wrongly or not at all, by p and the study's margin as for "
        "verdicts. "
        "`difference`: the value minus the true value, averaged over systems.",
        range="tau, right, wrong, open, difference",
    ),
    StudyColumn(
        "value", "Mean of the quantity over the units.", "number", "as the quantity", "the quantity is undefined in every unit"
    ),
    StudyColumn(
        "low", "Lower end of the 95 % interval over the units.", "number", "as the quantity", ("there are fewer than two units")
    ),
    StudyColumn("high", "Upper end of the same interval.", "number", "as the quantity", "there are fewer than two units"),
    StudyColumn("unit", "What counts as a unit.", range="replicate, fold, data set"),
    _count("units", "Number of units in which the quantity is defined."),
    StudyColumn("pairs", "Number of pairs of systems that are compared, averaged over the units.", "number", "0 or more"),
    StudyColumn("decided", "Number of pairs that the truth decides, averaged over the units.", "number", "0 or more"),
)

_STATISTIC = (
    StudyColumn("metric", "Name of the statistic."),
    StudyColumn("value", "Its value.", "number", "as the statistic", "the statistic is undefined for these data"),
)

_NO_FILTER = "the row is about the data set after the base design's filter"

_FILTERED = (
    StudyColumn("spec", "The data set in canonical form, without defaults and without the paths of its files."),
    StudyColumn(
        "digest",
        "SHA-256 of each raw file, separated by blanks.",
        empty="the data set has no files, or the row is about a filter",
    ),
    *_with_full("chain", "The filters, as the study writes them.", _NO_FILTER),
    StudyColumn(
        "step", "Number of filters in the chain applied so far.", "whole number", "0 or more", _NO_FILTER, tells_apart=True
    ),
    *_with_full("filter", "The filter applied last, as the study writes it.", f"no filter has been applied, or {_NO_FILTER}"),
)

_OVERLAP = (
    StudyColumn("cutoff", "Number of items at which both lists are cut.", "whole number", "1 or more"),
    _share("overlap", "Number of items in both lists, divided by `depth`.", "no user has lists from both systems"),
    _share(
        "jaccard",
        "Number of items in both lists, divided by the number of items in either list.",
        "no user has lists from both systems",
    ),
    _share("rbo", "Rank-biased overlap, extrapolated.", "no user has lists from both systems"),
    _count("n_users", "Users with a list from both systems; the values are means over these users."),
)

_CANDIDATE = (
    StudyColumn("candidate", "The parameters that were tried, written as in a spec."),
    StudyColumn("spec", "The candidate in canonical form, without defaults."),
    StudyColumn("value", "The candidate's value on the validation data.", "number", "as the metric", "no user is averaged"),
    *_with_full("metric", "Metric that compares the candidates, as the study writes it, or in its short form."),
    *_with_full("validation", "How validation data are split off the train set; `validation` if the design's split provides them."),
    _flag("chosen", "Whether the candidate was chosen on this fold."),
)

_PREDICTED = (
    StudyColumn("scale_lowest", "Lowest rating on the scale.", "number", "a rating"),
    StudyColumn("scale_highest", "Highest rating on the scale.", "number", "a rating"),
    _count("predictions", "Predicted ratings."),
    _count("outside", "Predicted ratings outside the scale."),
    StudyColumn("lowest", "Lowest predicted rating.", "number", "a rating", "there is no prediction"),
    StudyColumn("highest", "Highest predicted rating.", "number", "a rating", "there is no prediction"),
)

_MATCHED = (
    _count("file_users", "Users in the file."),
    _count("unknown_users", "Users in the file who are not in the data set."),
    _count("file_items", "Items in the file."),
    _count("unknown_items", "Items in the file that are not in the data set."),
    _count("file_scores", "Scores in the file."),
    _count("unknown_scores", "Scores in the file whose user or item is not in the data set."),
    _count("users", "Users with test ratings."),
    _count("users_without", "Users with test ratings but without a score in the file."),
    _count("cold_users", "Users among `users_without` who have no train ratings."),
    _count("items", "Items of the data set."),
    _count("items_without", "Items of the data set without a score in the file."),
    _count("pairs", "Pairs to rank: users with test ratings and their target items."),
    _count("pairs_without", "Pairs to rank without a score in the file."),
)

_BY_TIES = (
    StudyColumn("pessimistic", "The value if worse items come first among equal scores.", "number", "as the metric", _NO_USERS),
    StudyColumn("optimistic", "The value if better items come first among equal scores.", "number", "as the metric", _NO_USERS),
    _count("ranked", "Number of test items that are ranked, over all folds."),
    StudyColumn(
        "tied", "Number of ranked test items that share their score with another item of the ranking.", "whole number", "1 or more"
    ),
)

_COST = (
    StudyColumn("fit_seconds", "Time spent on fitting.", "number", "seconds"),
    StudyColumn("rank_seconds", "Time spent on scoring and ranking the targets of all users.", "number", "seconds"),
    StudyColumn("peak_mib", "Peak memory of a job, including libraries and data.", "number", "MiB"),
    StudyColumn("tune_seconds", "Time spent on trying the candidates; 0 for a system that is not tuned.", "number", "seconds"),
)

_NO_PAIR = "the finding is not about a pair of systems"

_FINDING = (
    StudyColumn("analysis", "Name of the analysis, as in the study."),
    StudyColumn("fold", "Folder name of the fold; `all` for the mean over all folds."),
    StudyColumn("quantity", "What `value` is; the reference page of the analysis explains it."),
    *_with_full("metric", "Metric with its cut-off, as the study writes it.", "the finding is not about a single metric"),
    *_with_full("against", "Another metric with which the metric is compared.", "the metric is not compared with another"),
    StudyColumn(
        "at",
        "Position on the analysis's axis, such as a share, a size or a depth.",
        "number",
        "as the analysis",
        ("the analysis has no axis"),
    ),
    StudyColumn("system_a", "Label of the first system.", empty="the finding is not about a single system"),
    StudyColumn("system_b", "Label of the second system.", empty=_NO_PAIR),
    StudyColumn("value", "The number.", "number", "as the quantity", "the quantity is undefined"),
    StudyColumn("low", "Lower end of the value's 95 % interval.", "number", "as the quantity", "its precision is unknown"),
    StudyColumn("high", "Upper end of the same interval.", "number", "as the quantity", "its precision is unknown"),
    StudyColumn(
        "spread",
        "Standard deviation of the values whose mean is `value`.",
        "number",
        "as the quantity",
        "`value` is not a mean",
    ),
    _count("n", "Number of samples, pairs, users or folds behind `value`."),
)

_FOLDS = StudyColumn("fold", "Folder name of the fold; `all` for all folds together.")

TABLES = {
    "summary": StudyTable(
        "summary.csv",
        "The value of a system by one metric, under one design, on one data set.",
        (_DATASET, _SYSTEM, *_METRIC, *_VALUES, _CALIBRATED, *_design(DESIGN), *_COVERED, _IS_BASE),
    ),
    "counted": StudyTable(
        "counted.csv",
        "The users averaged on one fold, under one design, on one data set.",
        (_DATASET, _FOLD, *_COUNTS, *_design(DESIGN), _IS_BASE),
    ),
    "comparisons": StudyTable(
        "comparisons.csv",
        "A comparison of a pair of systems by one metric, under one design, on one data set, over all folds or on one fold.",
        (_DATASET, *_PAIR, *_METRIC, _FOLDS, *_DIFFERENCE, *_P_VALUES, *_TESTED, *_design(DESIGN), _CALIBRATED, _IS_BASE),
    ),
    "verdicts": StudyTable(
        "verdicts.csv",
        "The verdict on one comparison, by a metric that ranks systems.",
        (
            *(_DATASET, *_PAIR, *_METRIC, *_DIFFERENCE, *_EFFECT_ENDS, *_P_VALUES, *_VERDICT),
            *(*_design(DECISIONS), _IS_BASE),
        ),
    ),
    "flips": StudyTable(
        "flips.csv",
        "A verdict of the base design that changes if one decision changes.",
        (_DATASET, *_PAIR, *_with_full("metric", "Metric of the base verdict, as the study writes it."), *_CHANGED),
    ),
    "influence": StudyTable(
        "influence.csv",
        "How much a varied decision, alone or with others, affects the comparison of a pair; the metric counts as a decision.",
        (_DATASET, *_PAIR, *_INFLUENCE),
    ),
    "shortest": StudyTable(
        "shortest.csv",
        (
            "The fewest changes that lead from the base verdict on a pair of systems to the opposite winner; pairs without a "
            "winner have no row."
        ),
        (_DATASET, *_PAIR, *_WAY),
    ),
    "multiverse": StudyTable(
        "multiverse.csv",
        "One analysis of a pair of systems on a data set, by a metric that ranks systems.",
        (_DATASET, *_PAIR, *_METRIC, *_TOGETHER, *_design(DECISIONS), _IS_BASE),
    ),
    "joint": StudyTable(
        "joint.csv",
        "The joint result of all analyses of a pair of systems on a data set.",
        (_DATASET, *_PAIR, *_JOINT, _SEED),
    ),
    "claims": StudyTable(
        "claims.csv",
        "A claim and its outcome; the file exists if the study states claims, or if printed values imply some.",
        (_DATASET, *_CLAIM),
    ),
    "findings": StudyTable(
        "findings.csv",
        "One number found by an analysis of metrics; the file exists if the study has such analyses.",
        (_DATASET, *_FINDING, _SEED),
    ),
    "truth": StudyTable(
        "truth.csv",
        "How well one analysis agrees with the reference design, by one quantity; the file exists if a study names a reference.",
        (
            StudyColumn("data", "Label of the data set, or the common part of the labels of its replicates."),
            *(*_METRIC, *_decided(DESIGN), *_SCORED),
        ),
    ),
    "datasets": StudyTable(
        "datasets.csv",
        "One statistic of a data set, or of the part of it that a filter keeps.",
        (_DATASET, *_STATISTIC, *_FILTERED),
    ),
    "splits": StudyTable(
        "splits.csv",
        "One statistic of a fold, or of the target items on the fold.",
        (
            *(_DATASET, *_STATISTIC, *_some("filter", "split"), _FOLD),
            *_some("targets", empty="the row is about the fold"),
            *_some("users", empty="the row is about the fold"),
        ),
    ),
    "overlap": StudyTable(
        "overlap.csv",
        "The overlap between two systems' lists on one fold under the base design.",
        (_DATASET, _FOLD, *_PAIR, *_OVERLAP),
    ),
    "tuning": StudyTable(
        "tuning.csv",
        "One candidate of a tuned system on one fold; the file exists if the study tunes a system.",
        (_DATASET, *_some("filter", "split"), _FOLD, _SYSTEM, *_CANDIDATE),
    ),
    "predictions": StudyTable(
        "predictions.csv",
        "The predicted ratings of one system on one fold under the base design; the file exists if a metric reads them.",
        (_DATASET, _FOLD, _SYSTEM, *_PREDICTED),
    ),
    "matched": StudyTable(
        "matched.csv",
        (
            "How a score file matches the data on one fold under the base design: users and items that only the file or only the "
            "data have, and pairs without a score. The table exists if a system reads its scores from files."
        ),
        (_DATASET, _FOLD, _SYSTEM, *_MATCHED),
    ),
    "ties": StudyTable(
        "ties.csv",
        "The range of a system's value over all orders of equal scores, under the base design, by one metric of positions that "
        "has a value for each user; only systems with equal scores have rows.",
        (_DATASET, _SYSTEM, *_METRIC, *_BY_TIES),
    ),
    "costs": StudyTable(
        "benchmarks/costs.csv",
        "Time and memory that one system takes on one fold under the base design; they differ from run to run.",
        (_DATASET, _SYSTEM, _FOLD, *_COST),
    ),
}
"""Every table that a study writes, by name."""
