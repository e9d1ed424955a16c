"""Which groups of users and items have values of a metric under a design."""

from recsens.comparison.aggregation import Aggregate
from recsens.comparison.groups import Side
from recsens.metrics import Metric
from recsens.ranking.targets import Targets
from recsens.study.decisions import Decisions
from recsens.study.design import Design
from recsens.vocabulary import rate_of


def sides_with_values(metric: Metric, design: Decisions | Design) -> tuple[Side, ...]:
    """Return whose groups have values of a metric under a design: those of users and of items, only those of users, or none.

    There are none under P1R, where a user's value depends on all users, for metrics of all users together, and for aggregates that
    are not means of users' values. Groups of items need a metric that reads no whole lists, and a view in which unrated items are
    not relevant: otherwise, a group's items have no value of their own.
    """
    is_mean = Aggregate.build(design.aggregate).averages_values and Targets.build(design.targets).n_groups == 1
    if metric.unit == "pooled" or not is_mean:
        return ()
    return ("users",) if metric.reads == "lists" or rate_of(design.view) else ("users", "items")
