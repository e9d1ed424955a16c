"""The columns of each CSV table of a study, for all code that writes or reads a table; docs/reference/columns.md explains them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recsens.study.taxonomy import DECISIONS, DESIGN, Decision, columns_with_full, decision

Holds = Literal["text", "number", "whole number", "true or false"]


@dataclass(frozen=True, slots=True)
class StudyColumn:
    """A column of a table.

    Attributes
    ----------
    name
        The name in the first line of the file.
    holds
        The type of its values.
    tells_apart
        Whether the column identifies rows; its numbers are then read as text, exactly as in the file.
    unwritten
        The cell of every row if the file lacks the column; None if no file lacks it.
    """

    name: str
    holds: Holds = "text"
    tells_apart: bool = False
    unwritten: str | None = None

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
        The file, below the study's folder.
    rows
        A sentence that says what a row is about.
    columns
        The columns, in the order of the file.
    """

    file: str
    rows: str
    columns: tuple[StudyColumn, ...]

    @property
    def names(self) -> list[str]:
        """The table's column names, in order."""
        return [each.name for each in self.columns]


_TYPES: dict[str, tuple[Holds, bool]] = {
    "": ("text", False),
    "number": ("number", False),
    "count": ("whole number", False),
    "key": ("whole number", True),
    "flag": ("true or false", False),
}
"""What follows a column's name in the tables below -> what the column holds, and whether its numbers identify rows."""

_UNWRITTEN = {each.column: each.unwritten for each in DESIGN}


def _decided(decisions: Iterable[Decision]) -> str:
    return " ".join(f"{name}:key" if name in {"repeats", "fits"} else name for name in columns_with_full(decisions))


_PAIR = "system_a system_b"
_METRIC = "metric metric_full"
_DIFFERENCE = "difference:number value_difference:number low:number high:number standard_error:number effect:number"
_P_VALUES = "p_value:number p_adjusted:number users:count"
_DECIDED = _decided(DESIGN)
_DESIGN = f"{_DECIDED} seed:key"
_TAXONOMY = f"{_decided(DECISIONS)} seed:key is_base:flag"
_SPLIT = _decided([decision("filter"), decision("split")])
_AUDIENCE = _decided([decision("targets"), decision("users")])

_WRITTEN = f"""
summary.csv: The value of a system by one metric, under one design, on one data set.
    dataset system {_METRIC} value:number spread:number n_folds:count expected_random:number random_p:number published:number
    deviation:number source note spec calibrated_on_test:flag {_DESIGN} n_users:count effective_users:number full:number
    reduced:number scored:number user_coverage:number rating_coverage:number coverage_at_cutoff:number is_base:flag

counted.csv: The users averaged on one fold, under one design, on one data set.
    dataset fold systems users:count averaged:count with_test:count with_relevant:count effective_users:number
    test_ratings:count lost_ratings:count share_lost:number rankings:count ratings_by_percentile {_DESIGN} is_base:flag

comparisons.csv: A comparison of a pair of systems by one metric, under one design, on one data set, over all folds or on one
fold.
    dataset {_PAIR} {_METRIC} fold {_DIFFERENCE} {_P_VALUES} effective_users:number share_significant:number hypothesis digest
    uninformative median_p:number resampled_p:number published:number source deviation:number {_DESIGN} calibrated_on_test:flag
    is_base:flag

verdicts.csv: The verdict on one comparison, by a metric that ranks systems.
    dataset {_PAIR} {_METRIC} {_DIFFERENCE} effect_low:number effect_high:number {_P_VALUES} verdict winner better:count
    margin:number detectable:number beside_base p_family:number resampled_p:number same_as original:count uninformative
    hypothesis effective_users:number n_changed:count is_base_metric:flag {_TAXONOMY}

flips.csv: A verdict of the base design that changes if one decision changes.
    dataset {_PAIR} {_METRIC} code decision from from_full to to_full base_verdict verdict kind base_difference:number
    difference:number base_effect:number effect:number base_p:number p:number also

influence.csv: How much a varied decision, alone or with others, affects the comparison of a pair; the metric counts as a
decision.
    dataset {_PAIR} code decision together_with share:number lowest:number highest:number flip_rate:number compared:number

shortest.csv: The fewest changes that lead from the base verdict on a pair of systems to the opposite winner; pairs without a
winner have no row.
    dataset {_PAIR} base_metric base_verdict changes:count ruled_out:count analyses:count every_combination:flag change metric
    verdict difference:number p:number

multiverse.csv: One analysis of a pair of systems on a data set, by a metric that ranks systems.
    dataset {_PAIR} {_METRIC} t:number p_family:number users:count distinct:count left_out {_TAXONOMY}

joint.csv: The joint result of all analyses of a pair of systems on a data set.
    dataset {_PAIR} analyses:count entered:count distinct:count median_t:number p_median:number wins_a:count wins_b:count
    p_wins:number stand_a:count stand_b:count patterns:count all_patterns:flag seed:key

components.csv: One source of the uncertainty of a difference under the base design, or the error of the difference for others
than those seen; the file exists if a split is drawn three times, or a system fitted twice.
    dataset {_PAIR} {_METRIC} component variance:number low:number high:number levels:count error:number share:number

claims.csv: A claim and its outcome; the file exists if the study states claims, or if printed values imply some.
    dataset claim under says source origin calibrated:flag verdict numbers of value:number low:number high:number
    asked_low:number asked_high:number basis

findings.csv: One number found by an analysis of metrics; the file exists if the study has such analyses.
    dataset analysis fold quantity {_METRIC} against against_full at:number {_PAIR} value:number low:number high:number
    spread:number n:count seed:key

truth.csv: How well one analysis agrees with the reference design, by one quantity; the file exists if a study names a
reference.
    data {_METRIC} {_DECIDED} true_metric is_reference:flag quantity value:number low:number high:number unit units:count
    pairs:number decided:number

datasets.csv: One statistic of a data set, or of the part of it that a filter keeps.
    dataset metric value:number spec digest chain chain_full step:key filter filter_full

splits.csv: One statistic of a fold, or of the target items on the fold.
    dataset metric value:number {_SPLIT} fold {_AUDIENCE}

overlap.csv: The overlap between two systems' lists on one fold under the base design.
    dataset fold {_PAIR} cutoff:count overlap:number jaccard:number rbo:number n_users:count

tuning.csv: One candidate of a tuned system on one fold; the file exists if the study tunes a system.
    dataset {_SPLIT} fold system candidate spec value:number {_METRIC} validation validation_full chosen:flag refusal

effort.csv: The verdicts on a pair over searches of some numbers of trials; the file exists if the study varies the effort.
    dataset {_PAIR} {_METRIC} effort_a:count effort_b:count share_a:number share_b:number share_neither:number error_a:number
    error_b:number error_neither:number winner is_of_this_search:flag is_simulated:flag

over_datasets.csv: A comparison of a pair of systems by one metric, under one design, combined over data sets, if it is.
    {_PAIR} {_METRIC} scale families:count these:number these_error:number these_low:number these_high:number alike:number
    alike_error:number alike_low:number alike_high:number p_value:number p_adjusted:number new_low:number new_high:number
    between:number tau:number tau_low:number tau_high:number p_equal:number winner is_equivalent:flag {_DESIGN} is_base:flag

effects.csv: The effect of a pair on one of the data sets that are combined, by one metric, under the base design.
    dataset family {_PAIR} {_METRIC} scale effect:number error:number low:number high:number users:count

searches.csv: The expected value of a system after some number of trials of its search; the file exists if the study varies the
effort.
    dataset system {_METRIC} effort:count value:number error:number trials:count is_of_this_search:flag

unrated.csv: What a comparison could be if some unrated items in the lists were relevant; the file exists if the study asks for
it.
    dataset {_PAIR} {_METRIC} difference:number lowest:number highest:number interval_low:number interval_high:number
    loose:number lowest_a:number highest_a:number lowest_b:number highest_b:number residual_a:number residual_b:number
    only_a:number only_b:number both:number leader is_significant:flag rate_level:number rate_lost:number {_TAXONOMY}

unrated_rates.csv: A comparison if unrated items were relevant at one rate, and the ratios of rates that change it; exists like
unrated.csv.
    dataset {_PAIR} {_METRIC} rate:number value_a:number value_b:number difference:number standard_error:number
    ratio_level:number ratio_lost:number is_listed:flag {_TAXONOMY}

groups.csv: A comparison within a group of users or items, by one metric, under the base design; the file exists if the study
asks.
    dataset {_PAIR} {_METRIC} grouping of group members:number fewest:count most:count users:count of_users:count value_a:number
    value_b:number difference:number low:number high:number p_value:number p_adjusted:number p_equal:number winner
    is_equivalent:flag

group_values.csv: A system's value over a group of users or items, by one metric, under the base design; exists like groups.csv.
    dataset system {_METRIC} grouping of group members:number fewest:count most:count users:count value:number

predictions.csv: The predicted ratings of one system on one fold under the base design; the file exists if a metric reads them.
    dataset fold system scale_lowest:number scale_highest:number predictions:count outside:count lowest:number highest:number

matched.csv: How a score file matches the data on one fold under the base design: users and items that only the file or only the
data have, and pairs without a score. The table exists if a system reads its scores from files.
    dataset fold system file_users:count unknown_users:count file_items:count unknown_items:count file_scores:count
    unknown_scores:count users:count users_without:count cold_users:count items:count items_without:count pairs:count
    pairs_without:count

ties.csv: The range of a system's value over all orders of equal scores, under the base design, by one metric of positions that
has a value for each user; only systems with equal scores have rows.
    dataset system {_METRIC} pessimistic:number optimistic:number ranked:count tied:count

benchmarks/costs.csv: Time and memory that one system takes on one fold under the base design; they differ from run to run.
    dataset system fold fit_seconds:number rank_seconds:number peak_mib:number tune_seconds:number
"""
"""Each table: its file, what a row is about and, indented, its columns, each with a type of `_TYPES` after a colon unless it holds
text."""


def _tables() -> Iterator[StudyTable]:
    for block in _WRITTEN.strip().split("\n\n"):
        about, _, columns = block.partition("\n    ")
        file, _, rows = about.replace("\n", " ").partition(": ")
        named = (each.partition(":") for each in columns.split())
        yield StudyTable(file, rows, tuple(StudyColumn(name, *_TYPES[holds], _UNWRITTEN.get(name)) for name, _, holds in named))


TABLES = {Path(each.file).stem: each for each in _tables()}
"""Every table that a study writes, by name."""
