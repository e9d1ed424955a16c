"""All alerts of a study."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import empty, rows_of
from recsens.report.alerts.few_users import few_effective
from recsens.report.alerts.left_out import left_out
from recsens.report.alerts.matched import unmatched
from recsens.report.alerts.short_samples import short_samples
from recsens.report.alerts.tied import reordered_by_ties
from recsens.report.alerts.unranked import below_random
from recsens.report.alerts.unscorable import ADVICE, warnings
from recsens.study import Study
from recsens.study.conflicts import remarks_on_metrics
from recsens.study.designs import expand


def alerts(
    study: Study,
    summary: pd.DataFrame,
    comparisons: pd.DataFrame,
    counted: pd.DataFrame,
    splits: pd.DataFrame,
    *,
    datasets: pd.DataFrame | None = None,
    matched: pd.DataFrame | None = None,
    ties: pd.DataFrame | None = None,
) -> list[str]:
    """List the warnings about a study's numbers.

    The warnings are about metrics that are left out under some designs; data sets with many rows left out; score files that do not
    match the data; designs under which most users cannot score above zero or most test ratings are lost, with advice; tests with
    few effective users; systems that score lower than a random system because they rank fewer items; samples of target items that
    are smaller than requested; and values that could pass another system's value if equal scores were in a different order.
    """
    matched, ties = empty("matched") if matched is None else matched, empty("ties") if ties is None else ties
    designs = expand(study, {label: part.datasets[label] for label, part in study.by_label().items()})
    fewer = [f"{told}." for told in remarks_on_metrics(study, designs)] + ([] if datasets is None else left_out(datasets))
    lacking = [sentence for part in study.all_experiments() for sentence in unmatched(part, matched)]
    warned = [sentence for part in study.all_experiments() for sentence in warnings(part, counted)]
    below = [sentence for part in study.all_experiments() for sentence in below_random(part, rows_of(part, summary))]
    few = [sentence for part in study.all_experiments() for sentence in few_effective(part, rows_of(part, comparisons))]
    short = [sentence for part in study.all_experiments() for sentence in short_samples(part, splits)]
    tied = [sentence for part in study.all_experiments() for sentence in reordered_by_ties(part, rows_of(part, summary), ties)]
    return [*fewer, *lacking, *warned, *([ADVICE] if warned else []), *few, *below, *short, *tied]
