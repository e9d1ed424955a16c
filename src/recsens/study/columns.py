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
        What the column holds, in a sentence.
    holds
        The type of its values.
    range
        Unit, bounds or allowed words; an empty text if the meaning already gives them.
    empty
        When a cell of the column is empty; an empty text if no cell ever is.
    tells_apart
        Whether the column identifies rows, so that its numbers are kept as the text in the file.
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
        What a row represents.
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


_P_EMPTY = "the test gives no p-value, as for a metric with a single value for all users together"
_BY_RATING = "each relevant rating has its own ranking (1R)"
_BY_USER = "each user has one ranking"
_NO_USERS = "no user is averaged"
_DATASET = StudyColumn("dataset", "Label of the data set, or of the further experiment on it.")
_FOLD = StudyColumn("fold", "Folder name of the fold: its repeat and, for a split with several folds, its part.")
_SYSTEM = StudyColumn("system", "Label of the system.")
_PAIR = (StudyColumn("system_a", "Label of the first system."), StudyColumn("system_b", "Label of the second system."))
_SEED = StudyColumn("seed", "Seed of all random streams.", "whole number", "0 or more", tells_apart=True)
_IS_BASE = _flag("is_base", "Whether the design is the base design.")


def _full(column: str, empty: str = "") -> StudyColumn:
    return StudyColumn(
        full_column(column), f"The same as `{column}` with every parameter written out; used to join tables.", empty=empty
    )


def _with_full(name: str, meaning: str, empty: str = "") -> tuple[StudyColumn, StudyColumn]:
    return StudyColumn(name, meaning, empty=empty), _full(name, empty)


_METRIC = _with_full("metric", "Metric with its cut-off, as the study writes it.")


def _decided(decisions: Sequence[Decision], empty: str = "") -> tuple[StudyColumn, ...]:
    return tuple(column for each in decisions for column in _of_decision(each, empty))


def _of_decision(decision: Decision, empty: str) -> tuple[StudyColumn, ...]:
    name = f"{decision.code} {decision.name}"
    if decision.kind is not None:
        short = ", or in its short form if the study leaves it to the default"
        return _with_full(decision.column, f"{name}: the option as the study writes it{short}.", empty)
    if decision.words:
        return (StudyColumn(decision.column, f"{name}: the option.", range=", ".join(decision.words)),)
    if decision.key == "relevance":
        return (
            StudyColumn(
                decision.column, f"{name}: the lowest relevant rating, or the rule that it follows from.", range="or `scale`"
            ),
        )
    return (StudyColumn(decision.column, f"{name}: the number of repeats.", "whole number", "1 or more", tells_apart=True),)


def _design(decisions: Sequence[Decision]) -> tuple[StudyColumn, ...]:
    return (*_decided(decisions), _SEED)


def _some(*keys: str, empty: str = "") -> tuple[StudyColumn, ...]:
    return _decided([each for each in DESIGN if each.key in keys], empty)


_CALIBRATED = _flag("calibrated_on_test", "Whether a parameter of the system, or of either system, was chosen on test data.")

_VALUES = (
    StudyColumn("value", "The system's value, over all folds.", "number", "as the metric", "no user is averaged"),
    StudyColumn("spread", "Sample standard deviation of the value over folds.", "number", "0 or more", "there is one fold"),
    StudyColumn(
        "expected_random",
        "Expected value of a random order of the same targets, by formula, over the users averaged for the system.",
        "number",
        "as the metric",
        "the metric has no such formula, or the average is not linear in users' values",
    ),
    StudyColumn("published", "The printed value.", "number", "as the metric", "the study gives none"),
    _in_units("deviation", "`value` minus `published`.", "`published` is empty"),
    StudyColumn("source", "Where the value is printed.", empty="`published` is empty"),
    StudyColumn("note", "The study's note on a remaining difference.", empty="there is no note"),
    StudyColumn("spec", "The recommender of the system, with every parameter written out."),
)

_KISH = "Number of equally weighted users who would be as informative as those averaged (Kish)."

_EFFECTIVE = StudyColumn(
    "effective_users",
    _KISH,
    "number",
    "0 or more",
    "the metric has a single value for all users together",
)

_COVERED = (
    _count("n_users", "Users averaged whose weight is above zero."),
    _EFFECTIVE,
    StudyColumn("full", "Full average: users without a ranking count as zero.", "number", "as the metric", _NO_USERS),
    StudyColumn("reduced", "Reduced average: users without a ranking are left out.", "number", "as the metric", _NO_USERS),
    _share("user_coverage", "Share of the users averaged who have a ranking.", _BY_RATING),
    _share("rating_coverage", "Share of the relevant test ratings that are ranked.", _BY_USER),
    _share("coverage_at_cutoff", "Share of the places down to the cut-off that are filled.", "the metric has no cut-off"),
)

_DIFFERENCE = (
    _in_units("difference", "Value of the first system minus the second's, as the test estimates it.", _NO_USERS),
    _in_units(
        "value_difference",
        "The difference of the two values in `summary.csv`. It is not equal to `difference` if the test compares something else, "
        "or if users or weights differ between folds; with geometric means or reduced coverage even the signs may differ.",
        "either value is missing",
    ),
    _in_units("low", "Lower end of the confidence interval of `difference`.", "the test gives no interval"),
    _in_units("high", "Upper end of that interval.", "the test gives no interval"),
    _in_units(
        "standard_error",
        "Standard error of `difference`: the standard deviation over users, divided by the root of their number.",
        "fewer than two users are compared, or the test gives no standard error",
    ),
    _effect("effect", "Standardised effect size d_z.", "the comparison is not user by user"),
)

_P_VALUES = (
    _share("p_value", "Two-sided p-value of the test, before any correction.", _P_EMPTY),
    _share("p_adjusted", "The p-value after the correction for many comparisons.", _P_EMPTY),
    _count("users", "Users compared."),
)

_ONE_FOLD = "the row is of one fold"

_HYPOTHESIS = StudyColumn("hypothesis", "The null hypothesis behind the p-value, in words: what is fixed, and what is tested.")

_RESAMPLED = _share(
    "resampled_p",
    "p-value of the corrected resampled t-test over folds. It generalises to other splits; the other p-values generalise to "
    "other users. It is never corrected for the number of pairs, whatever the design's correction is.",
    f"{_ONE_FOLD}, or there are fewer than two folds",
)

_TESTED = (
    _EFFECTIVE,
    _share(
        "share_significant",
        "Share of subsamples of the users in which the difference is significant.",
        "the test draws no subsamples",
    ),
    _HYPOTHESIS,
    StudyColumn(
        "digest",
        "Digest of the data behind the comparison: where digests are equal, the numbers are equal up to a factor.",
        empty=_ONE_FOLD,
    ),
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
    _count("with_test", "Users averaged who have test ratings."),
    _count("with_relevant", "Users averaged who have relevant test ratings."),
    StudyColumn("effective_users", _KISH, "number", "0 or more"),
    _count("test_ratings", "Test ratings."),
    _count("lost_ratings", "Test ratings of users who are not averaged."),
    _share("share_lost", "`lost_ratings` as a share of `test_ratings`.", "there are no test ratings"),
    _count("rankings", "Rankings measured: one for each relevant test rating.", _BY_USER),
    StudyColumn(
        "ratings_by_percentile",
        "Relevant test ratings in each popularity percentile, separated by blanks.",
        empty="the targets do not use percentiles (P1R does)",
    ),
)

_VERDICT = (
    StudyColumn("verdict", "Who wins.", range="‹system› wins, equivalent, undecided"),
    StudyColumn("winner", "Label of the system that wins.", empty="neither wins"),
    StudyColumn(
        "better",
        "The system whose value is better: 1 for the first, -1 for the second, 0 if the values are equal or one is missing.",
        "whole number",
        "-1, 0, 1",
    ),
    _in_units("margin", "The smallest difference that matters here.", "it is a share of a value that is missing"),
    _in_units(
        "detectable",
        "The smallest true difference that is found with 80 % power: p below alpha at the correction's first and strictest step "
        "(alpha divided by the number of pairs), and the whole interval beyond `margin`.",
        "no standard error is known, or the test or the aggregate is not about a mean",
    ),
    StudyColumn(
        "beside_base",
        "How the verdict compares with that of the base design by the study's first metric that ranks systems.",
        range="agrees, contradicts, undecides, decides",
    ),
    _share(
        "p_family",
        "p of the analysis, adjusted for all analyses of the pair on the data set; as in `multiverse.csv`.",
        "the analysis is left out there, or compares fewer than two users",
    ),
    _RESAMPLED,
    StudyColumn("same_as", "The analysis of this pair whose numbers it repeats.", empty="it repeats no other analysis"),
    StudyColumn(
        "original",
        "Number, counted from 0, of the row that represents all rows with the same numbers; it may be this row.",
        "whole number",
        "0 or more",
    ),
    _HYPOTHESIS,
    _EFFECTIVE,
    StudyColumn("n_changed", "Number of decisions in which the design differs from the base design.", "whole number", "0 or more"),
    StudyColumn("is_base_metric", "Whether the metric is the first of the study that ranks systems.", "true or false"),
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
        "Number of the distinct analysis, shared by analyses of the pair with the same numbers up to a factor; 0 if left out.",
    ),
    StudyColumn("left_out", "Why the analysis is left out.", empty="it is included"),
)

_NO_ANALYSIS = "no analysis is included"

_JOINT = (
    _count("analyses", "Analyses of the pair by metrics that rank systems."),
    _count("entered", "Analyses included: those with differences user by user."),
    _count("distinct", "Distinct analyses among those included; all following columns are over these."),
    StudyColumn("median_t", "Median of t over the analyses.", "number", "", _NO_ANALYSIS),
    _share("p_median", "Joint p of the median of t.", _NO_ANALYSIS),
    _count("wins_a", "Analyses with p < alpha by the t-test in favour of the first system."),
    _count("wins_b", "The same in favour of the second system."),
    _share("p_wins", "Joint p of `wins_a` minus `wins_b`; ties are broken by the sum of t.", _NO_ANALYSIS),
    _count("stand_a", "Analyses with `p_family` of at most alpha in favour of the first system."),
    _count("stand_b", "The same in favour of the second system."),
    StudyColumn("patterns", "Patterns of signs tried.", "whole number", "1 or more"),
    _flag("all_patterns", "Whether every possible pattern was tried, so that each p is exact."),
)

_EFFECT_ENDS = (
    _effect("effect_low", "Lower end of the confidence interval of `effect`.", "there is no effect size"),
    _effect("effect_high", "Upper end of that interval.", "there is no effect size"),
)

_CHANGED = (
    StudyColumn("code", "Code of the decision that changes.", range="A1 to D"),
    StudyColumn("decision", "What changes: a decision, or a part of the metric."),
    *_with_full("from", "The base design's option, as the study writes it."),
    *_with_full("to", "The other option, as the study writes it."),
    StudyColumn("base_verdict", "The verdict under the base design.", range="‹system› wins, equivalent, undecided"),
    StudyColumn("verdict", "The verdict after the change.", range="‹system› wins, equivalent, undecided"),
    StudyColumn("kind", "How the verdict changes.", range="contradicts, undecides, decides"),
    _in_units("base_difference", "`difference` under the base design.", _NO_USERS),
    _in_units("difference", "`difference` after the change.", _NO_USERS),
    _effect("base_effect", "`effect` under the base design.", "there is no effect size"),
    _effect("effect", "`effect` after the change.", "there is no effect size"),
    _share("base_p", "`p_adjusted` under the base design.", _P_EMPTY),
    _share("p", "`p_adjusted` after the change.", _P_EMPTY),
    StudyColumn("also", "Other single changes with the same numbers, separated by semicolons.", empty="there are none"),
)

_TOGETHER_ONLY = "the row is about several decisions together"

_INFLUENCE = (
    StudyColumn("code", "Code of the decision.", range="A1 to D", empty="the row is about three or more decisions together"),
    StudyColumn("decision", "The decision; `three or more together` for all such interactions."),
    StudyColumn(
        "together_with", "The decision that it interacts with.", empty="the row is about one decision, or about three or more"
    ),
    _share(
        "share",
        "Share of the variance of the effect size over all analyses; the shares of a pair add up to 1.",
        "the analyses are not a full grid, or all have the same effect size",
    ),
    _effect(
        "lowest",
        "Lowest effect size d_z when only this decision changes, or nothing; above zero, the first system is better.",
        f"{_TOGETHER_ONLY}, or there is no effect size",
    ),
    _effect("highest", "Highest such effect size.", f"{_TOGETHER_ONLY}, or there is no effect size"),
    _share("flip_rate", "How often the verdict changes between two analyses that differ only in this decision.", _TOGETHER_ONLY),
    StudyColumn("compared", "Number of such pairs of analyses.", "number", "1 or more", _TOGETHER_ONLY),
)

_NO_OTHER_WINNER = "no analysis has the other winner"

_WAY = (
    StudyColumn("base_metric", "Metric of the base verdict, as the study writes it."),
    StudyColumn("base_verdict", "The verdict under the base design.", range="‹system› wins"),
    _count("changes", "Number of decisions changed, including the metric; 0 if no analysis has the other winner."),
    StudyColumn("ruled_out", "Analyses with fewer changes, none of which has the other winner.", "whole number", "1 or more"),
    StudyColumn("analyses", "Analyses of the pair.", "whole number", "1 or more"),
    _flag("every_combination", "Whether every combination of the options was run."),
    StudyColumn("change", "What changes, in words.", empty=_NO_OTHER_WINNER),
    StudyColumn("metric", "Metric of the analysis, as the study writes it.", empty=_NO_OTHER_WINNER),
    StudyColumn("verdict", "Its verdict.", range="‹system› wins", empty=_NO_OTHER_WINNER),
    _in_units("difference", "Its difference, first system minus second.", _NO_OTHER_WINNER),
    _share("p", "Its p-value, corrected as its design says.", _NO_OTHER_WINNER),
)

_LIMIT = "there is no limit on this side, or `value` is empty"

_CLAIM = (
    StudyColumn("claim", "The claim, as the study writes it."),
    StudyColumn("under", "Decisions in which its design differs from the base design.", empty="it is about the base design"),
    StudyColumn("says", "The claim in words."),
    StudyColumn("source", "Where it is claimed, or printed."),
    StudyColumn("origin", "Whether the study states it, or it follows from printed values.", range="written, printed"),
    _flag("calibrated", "Whether parameters were chosen so that it holds, as the study says."),
    StudyColumn("verdict", "Whether the claim held.", range="held, not held, undecided"),
    StudyColumn("numbers", "The numbers behind the verdict, in words."),
    StudyColumn("of", "What `value` is: the number that decides the claim."),
    StudyColumn("value", "That number.", "number", "as `of` says", "there is no such number"),
    StudyColumn("low", "Lower end of its interval; equal to `value` if its precision is unknown.", "number", "", _LIMIT),
    StudyColumn("high", "Upper end of that interval.", "number", "", _LIMIT),
    StudyColumn("asked_low", "The lowest `value` for which the claim is true.", "number", "", _LIMIT),
    StudyColumn("asked_high", "The highest such value.", "number", "", _LIMIT),
    StudyColumn("basis", "What the interval is based on."),
)

_SCORED = (
    StudyColumn("true_metric", "The metric of the reference design that counts as the truth, with every parameter written out."),
    _flag("is_reference", "Whether the design is the reference design, with another metric."),
    StudyColumn(
        "quantity",
        "What `value` is: tau-b of the two orders of systems (`tau`); among the pairs that the truth decides, the share decided "
        "correctly, wrongly or not at all, by p and the study's margin as in verdicts (`right`, `wrong`, `open`); or the mean over "
        "systems of the value minus the true value (`difference`).",
        range="tau, right, wrong, open, difference",
    ),
    StudyColumn("value", "Its mean over the units.", "number", "as the quantity", "it is undefined in every unit"),
    StudyColumn("low", "Lower end of its 95 % interval over the units.", "number", "as the quantity", "fewer than two units"),
    StudyColumn("high", "Upper end of that interval.", "number", "as the quantity", "fewer than two units"),
    StudyColumn("unit", "What a unit is.", range="replicate, fold, data set"),
    _count("units", "Units in which the quantity is defined."),
    StudyColumn("pairs", "Number of pairs of systems compared, mean over the units.", "number", "0 or more"),
    StudyColumn("decided", "Number of pairs that the truth decides, mean over the units.", "number", "0 or more"),
)

_STATISTIC = (
    StudyColumn("metric", "Name of the statistic."),
    StudyColumn("value", "Its value.", "number", "as the statistic", "it is not defined for these data"),
)

_NO_FILTER = "the row is about the data set after the base design's filter"

_FILTERED = (
    StudyColumn("spec", "The data set in canonical form, without defaults and without the path of its files."),
    StudyColumn(
        "digest",
        "SHA-256 of each raw file, separated by blanks.",
        empty="the data set has no files, or the row is about a filter",
    ),
    *_with_full("chain", "The filters, as the study writes them.", _NO_FILTER),
    StudyColumn(
        "step", "How many filters of the chain have been applied.", "whole number", "0 or more", _NO_FILTER, tells_apart=True
    ),
    *_with_full("filter", "The filter applied last, as the study writes it.", f"none has been applied, or {_NO_FILTER}"),
)

_OVERLAP = (
    StudyColumn("cutoff", "Length at which both lists are cut.", "whole number", "1 or more"),
    _share("overlap", "Number of items in both lists, divided by this length.", "no user has both lists"),
    _share("jaccard", "Number of items in both lists, divided by the number in either.", "no user has both lists"),
    _share("rbo", "Rank-biased overlap, extrapolated.", "no user has both lists"),
    _count("n_users", "Users with a list from both systems; the values are means over them."),
)

_CANDIDATE = (
    StudyColumn("candidate", "The parameters tried, as in a spec."),
    StudyColumn("spec", "The candidate in canonical form, without defaults."),
    StudyColumn("value", "Its value on the validation data.", "number", "as the metric", "no user is averaged"),
    *_with_full("metric", "Metric by which candidates are compared, as the study writes it, or in its short form."),
    *_with_full("validation", "How validation data are split off the train set; `validation` if the design's split does this."),
    _flag("chosen", "Whether the candidate was chosen on this fold."),
)

_PREDICTED = (
    StudyColumn("scale_lowest", "Lowest rating of the scale.", "number", "a rating"),
    StudyColumn("scale_highest", "Highest rating of the scale.", "number", "a rating"),
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
    _count("cold_users", "Those of `users_without` who have no train ratings."),
    _count("items", "Items of the data set."),
    _count("items_without", "Items of the data set without a score in the file."),
    _count("pairs", "Pairs to rank: users with test ratings and their target items."),
    _count("pairs_without", "Pairs to rank without a score in the file."),
)

_BY_TIES = (
    StudyColumn("pessimistic", "The value with worse items first among equal scores.", "number", "as the metric", _NO_USERS),
    StudyColumn("optimistic", "The value with better items first among equal scores.", "number", "as the metric", _NO_USERS),
    _count("ranked", "Test items that are ranked, over all folds."),
    StudyColumn("tied", "Ranked test items that share their score with another item of the ranking.", "whole number", "1 or more"),
)

_COST = (
    StudyColumn("fit_seconds", "Time of fitting.", "number", "seconds"),
    StudyColumn("rank_seconds", "Time of scoring and ranking the targets of all users.", "number", "seconds"),
    StudyColumn("peak_mib", "Peak memory of a job, including libraries and data.", "number", "MiB"),
    StudyColumn("tune_seconds", "Time of trying the candidates; 0 for a system that is not tuned.", "number", "seconds"),
)

_NO_PAIR = "it does not concern a pair of systems"

_FINDING = (
    StudyColumn("analysis", "Name of the analysis, as in the study."),
    StudyColumn("fold", "Folder name of the fold; `all` for the mean over all folds."),
    StudyColumn("quantity", "What `value` is; the reference page of the analysis explains it."),
    *_with_full("metric", "Metric with its cut-off, as the study writes it.", "it does not concern a single metric"),
    *_with_full("against", "Another metric that it is compared with.", "it is not compared with another metric"),
    StudyColumn("at", "Position on the analysis's axis: a share, a size, a depth.", "number", "as the analysis", "it has no axis"),
    StudyColumn("system_a", "Label of the first system.", empty="it does not concern a single system"),
    StudyColumn("system_b", "Label of the second system.", empty=_NO_PAIR),
    StudyColumn("value", "The number.", "number", "as the quantity", "it is not defined"),
    StudyColumn("low", "Lower end of its 95 % interval.", "number", "as the quantity", "its precision is unknown"),
    StudyColumn("high", "Upper end of that interval.", "number", "as the quantity", "its precision is unknown"),
    StudyColumn("spread", "Standard deviation of the values averaged.", "number", "as the quantity", "it is not a mean"),
    _count("n", "Number of samples, pairs, users or folds behind it."),
)

_FOLDS = StudyColumn("fold", "Folder name of the fold; `all` for all folds together.")

TABLES = {
    "summary": StudyTable(
        "summary.csv",
        "A system's value by one metric, under one design, on one data set.",
        (_DATASET, _SYSTEM, *_METRIC, *_VALUES, _CALIBRATED, *_design(DESIGN), *_COVERED, _IS_BASE),
    ),
    "counted": StudyTable(
        "counted.csv",
        "The averaged users on one fold, under one design, on one data set.",
        (_DATASET, _FOLD, *_COUNTS, *_design(DESIGN), _IS_BASE),
    ),
    "comparisons": StudyTable(
        "comparisons.csv",
        "A comparison of a pair of systems by one metric, under one design, on one data set, over all folds or on one.",
        (_DATASET, *_PAIR, *_METRIC, _FOLDS, *_DIFFERENCE, *_P_VALUES, *_TESTED, *_design(DESIGN), _CALIBRATED, _IS_BASE),
    ),
    "verdicts": StudyTable(
        "verdicts.csv",
        "The verdict on one comparison, by metrics that rank systems.",
        (
            *(_DATASET, *_PAIR, *_METRIC, *_DIFFERENCE, *_EFFECT_ENDS, *_P_VALUES, *_VERDICT),
            *(*_design(DECISIONS), _IS_BASE),
        ),
    ),
    "flips": StudyTable(
        "flips.csv",
        "A verdict of the base design that a single decision changes.",
        (_DATASET, *_PAIR, *_with_full("metric", "Metric of the base verdict, as the study writes it."), *_CHANGED),
    ),
    "influence": StudyTable(
        "influence.csv",
        "How a varied decision, alone or with others, affects the comparison of a pair; the metric counts as a decision.",
        (_DATASET, *_PAIR, *_INFLUENCE),
    ),
    "shortest": StudyTable(
        "shortest.csv",
        "A shortest way from the base verdict on a pair of systems to the opposite winner; pairs without a winner have no row.",
        (_DATASET, *_PAIR, *_WAY),
    ),
    "multiverse": StudyTable(
        "multiverse.csv",
        "One of all analyses of a pair of systems on a data set, by a metric that ranks systems.",
        (_DATASET, *_PAIR, *_METRIC, *_TOGETHER, *_design(DECISIONS), _IS_BASE),
    ),
    "joint": StudyTable(
        "joint.csv",
        "The joint result of all analyses of a pair of systems on a data set.",
        (_DATASET, *_PAIR, *_JOINT, _SEED),
    ),
    "claims": StudyTable(
        "claims.csv",
        "A claim and its verdict; the file exists if the study states claims, or if they follow from printed values.",
        (_DATASET, *_CLAIM),
    ),
    "findings": StudyTable(
        "findings.csv",
        "One number that an analysis of metrics found; the file exists if the study has such analyses.",
        (_DATASET, *_FINDING, _SEED),
    ),
    "truth": StudyTable(
        "truth.csv",
        "One score of an analysis against the reference design; the file exists if the study names one.",
        (
            StudyColumn("data", "Label of the data set, or what the labels of its replicates have in common."),
            *(*_METRIC, *_decided(DESIGN), *_SCORED),
        ),
    ),
    "datasets": StudyTable(
        "datasets.csv",
        "One statistic of a data set, or of what remains of it after a filter.",
        (_DATASET, *_STATISTIC, *_FILTERED),
    ),
    "splits": StudyTable(
        "splits.csv",
        "One statistic of a fold, or of the target items on it.",
        (
            *(_DATASET, *_STATISTIC, *_some("filter", "split"), _FOLD),
            *_some("targets", empty="the row is of the fold"),
            *_some("users", empty="the row is of the fold"),
        ),
    ),
    "overlap": StudyTable(
        "overlap.csv",
        "The overlap of two systems' lists on one fold under the base design.",
        (_DATASET, _FOLD, *_PAIR, *_OVERLAP),
    ),
    "tuning": StudyTable(
        "tuning.csv",
        "One candidate of a tuned system on one fold; the file exists if a system is tuned.",
        (_DATASET, *_some("filter", "split"), _FOLD, _SYSTEM, *_CANDIDATE),
    ),
    "predictions": StudyTable(
        "predictions.csv",
        "The predicted ratings of one system on one fold under the base design; the file exists if a metric reads them.",
        (_DATASET, _FOLD, _SYSTEM, *_PREDICTED),
    ),
    "matched": StudyTable(
        "matched.csv",
        "Users and items found only in the score file or only in the data, and pairs without a score, on one fold under the base "
        "design; the file exists if a system's scores are from files.",
        (_DATASET, _FOLD, _SYSTEM, *_MATCHED),
    ),
    "ties": StudyTable(
        "ties.csv",
        "The range of one system's value over the possible orders of equal scores, under the base design, by one metric of "
        "positions that has a value for each user; only systems with ties have rows.",
        (_DATASET, _SYSTEM, *_METRIC, *_BY_TIES),
    ),
    "costs": StudyTable(
        "benchmarks/costs.csv",
        "Time and memory of one system on one fold under the base design; they differ from run to run.",
        (_DATASET, _SYSTEM, _FOLD, *_COST),
    ),
}
"""Every table that a study writes, by name."""
