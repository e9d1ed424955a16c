"""Measure the range of each system's values under the base design, over the possible orders of equal scores."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.filesets import PositionFiles
from recsens.comparison.aggregation import Aggregate
from recsens.metrics import MeasuredAt, by_metric
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.outcomes.measuring.tied import better_ties_first, count_tied, depends_on_ties, worse_ties_first
from recsens.outcomes.summary import Outcomes
from recsens.pipeline.table_files import write_rows
from recsens.study.conflicts import left_out
from recsens.study.design import Design
from recsens.study.designs import fitted
from recsens.vocabulary import rate_of
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes

_ORDERS = {"pessimistic": worse_ties_first, "optimistic": better_ties_first}

Values = dict[tuple[str, MeasuredAt], NDArray[np.float64]]
"""Each user's value on a fold, shape (n_groups, n_users), keyed by the order of equal scores and the metric."""


def describe_ties(*, rankings: Sequence[PositionFiles], ties: str, **files: Unpack[OutcomeFiles]) -> None:
    """Write the range of values over the orders of equal scores; ``rankings`` are as in `tie_ranges`."""
    write_rows(ties, "ties", tie_ranges(read_outcomes("describe_ties", **files), rankings))


def tie_ranges(outcomes: Outcomes, rankings: Sequence[PositionFiles]) -> list[dict[str, Any]]:
    """List one row for each data set or experiment, each system with ties, and each metric of positions.

    ``rankings`` belong to the base designs, system by system and fold by fold. There are no rows for an aggregate that depends on
    all systems together, because it cannot compute a value for a single system, and none if unrated items may be relevant, because
    then the order of judged items alone does not bound values.
    """
    unmeasured = left_out(outcomes.study, outcomes.designs)
    left, rows = iter(rankings), []
    for label, experiment in outcomes.study.by_label().items():
        design = outcomes.designs[label][0]
        carried = [each for each in experiment.metrics if each.metric.spec not in unmeasured[label, 0]]
        metrics = [measured for measured in carried if depends_on_ties(measured.metric)]
        for system in experiment.systems:
            on_folds = list(islice(left, sum(1 for _ in fitted(design))))
            if not metrics or rate_of(design.view) or Aggregate.build(design.aggregate).pools_systems:
                continue
            parts = (part for files in on_folds for part in RankedUsers.stretches(*files, ties=True))
            counts = [(int(np.count_nonzero(part.position)), count_tied(part)) for part in parts]
            ranked, tied = np.sum([(0, 0), *counts], axis=0).tolist()
            if not tied:
                continue
            measured_on = [_measure_extremes(files, design, metrics) for files in on_folds]
            for measured in metrics:
                values = {
                    order: outcomes.base_value(label, system, measured, [values[order, measured] for values in measured_on])
                    for order in _ORDERS
                }
                head = {"dataset": label, "system": system, "metric": measured.written, "metric_full": str(measured)}
                rows.append({**head, **values, "ranked": ranked, "tied": tied})
    return rows


def _measure_extremes(files: PositionFiles, design: Design, metrics: Sequence[MeasuredAt]) -> Values:
    """Measure a ranking's users under both orders of equal scores."""
    parts = [_user_values(part, design, metrics) for part in RankedUsers.stretches(*files, ties=True)]
    return {key: np.concatenate([part[key] for part in parts], axis=1) for key in parts[0]}


def _user_values(ranked: RankedUsers, design: Design, metrics: Sequence[MeasuredAt]) -> Values:
    values = {}
    for order, placed in _ORDERS.items():
        judged = placed(ranked).judged(design.view, design.relevance)
        # Metrics that differ only in their cut-offs are measured in one pass.
        for metric, rows in by_metric(metrics):
            values_of_orders = ranked.grouped(metric.measure(judged, tuple(metrics[row].cutoff for row in rows)))
            values.update({(order, metrics[row]): values_of_orders[..., nth] for nth, row in enumerate(rows)})
    return values
