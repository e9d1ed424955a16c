"""The order of metrics by analyses: ranks, the table for papers, and sentences."""

import math

import pandas as pd
import pytest

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.meta import MetricAnalysis
from recsens.conclusions.verdicts.study_tables import empty_table
from recsens.report.metric_order import MetricOrder, all_metric_orders, metric_ranking, metrics_judged
from recsens.report.page_content import render
from recsens.study import Study

NAN = math.nan
META = {"holes": {"analysis": "sparsity", "metrics": ["P@10", "nDCG@10", "AP", "RR"]}, "pairs": "discrimination"}
METRICS = ["P@10", "nDCG@10", "AP"]


@pytest.fixture
def asking(make_study) -> Study:
    """A study with two analyses, the first of which has one more metric."""
    return make_study(metrics=METRICS, meta=META, published=[], published_comparisons=[])


def found(*rows: tuple) -> pd.DataFrame:
    """Write findings: (data set, analysis, metric, value, half its interval)."""
    quantity = {"holes": "area", "pairs": "DP"}
    return pd.DataFrame(
        [
            {
                "dataset": dataset, "analysis": name, "fold": fold, "quantity": quantity[name], "metric": metric,
                "metric_full": metric, "against": "", "against_full": "", "system_a": "", "system_b": "", "at": NAN,
                "value": value if fold == "all" else -1.0, "low": value - reach, "high": value + reach, "spread": NAN,
                "n": 2.0, "seed": 0.0,
            }
            for dataset, name, metric, value, reach in rows
            for fold in ("repeat-0", "all")
        ],
        columns=empty_table("findings").columns,
    )  # fmt: skip


FOUND = found(
    ("Alpha-1M", "holes", "P@10", 0.9, 0.01),
    ("Alpha-1M", "holes", "nDCG@10", 0.95, 0.01),
    ("Alpha-1M", "holes", "AP", 0.9, 0.01),
    ("Alpha-1M", "holes", "RR", 0.5, 0.01),
    ("Alpha-1M", "pairs", "P@10", 0.1, NAN),
    ("Alpha-1M", "pairs", "nDCG@10", 0.4, NAN),
    ("Alpha-1M", "pairs", "AP", NAN, NAN),
)


def ranks(orders: list[MetricOrder]) -> list[dict[str, float]]:
    return [{each.metric: each.rank for each in order.judged} for order in orders]


def test_equal_numbers_share_their_rank_and_those_without_one_come_last(asking):
    orders = all_metric_orders(asking, FOUND)
    assert [(order.dataset, order.name) for order in orders] == [("Alpha-1M", "holes"), ("Alpha-1M", "pairs")]
    # For DP, less is better.
    assert ranks(orders) == [{"nDCG@10": 1, "P@10": 2.5, "AP": 2.5, "RR": 4}, {"P@10": 1, "nDCG@10": 2, "AP": 3}]
    assert [each.metric for each in orders[0].judged] == ["nDCG@10", "P@10", "AP", "RR"]


def cells(table) -> dict[str, list[str]]:
    return {row.label: [cell.text for cell in row.cells] for group in table.groups for row in group.rows}


def test_the_table_and_the_sentences(asking, approved):
    """Mean ranks among the three metrics that both judge: (1 + 2) / 2, (2.5 + 1) / 2, (2.5 + 3) / 2."""
    more = found(("Beta_2", "holes", "P@10", 0.3, NAN), ("Beta_2", "holes", "AP", 0.2, NAN))
    wide = FOUND.assign(low=FOUND["value"] - 0.04, high=FOUND["value"] + 0.04)
    approved(
        {
            "one data set": metric_ranking(all_metric_orders(asking, FOUND)),
            "two": metric_ranking(all_metric_orders(asking, pd.concat([FOUND, more]))),
            "best and worst": metrics_judged(all_metric_orders(asking, FOUND), named=False),
            "intervals overlap": metrics_judged(all_metric_orders(asking, wide), named=True),
            "all are equal": metrics_judged(all_metric_orders(asking, FOUND.assign(value=0.5)), named=False),
        }
    )
    assert metrics_judged(all_metric_orders(asking, FOUND.assign(value=NAN)), named=False) == []
    assert all_metric_orders(asking, empty_table("findings")) == []


def test_the_report_says_it_first_and_shows_the_table(asking, make_results):
    results = make_results(asking).with_tables(findings=FOUND)
    page = render(asking, results, name="x", designs=base_designs(asking.own), figures={})
    assert '<h2 id="judged">The metrics judged</h2>' in page
    assert page.count("nDCG@10 best preserves the order of the systems") == 2
    plain = render(asking, make_results(asking), name="x", designs=base_designs(asking.own), figures={})
    assert 'id="judged"' not in plain


def test_every_analysis_is_ordered_by_one_number_a_metric_that_stands_over_all_folds():
    for name in ("sparsity", "popularity", "discrimination", "correlation", "split_half", "dial"):
        analysis = MetricAnalysis.build(name)
        assert analysis.headline in set(analysis.quantities) - analysis.several - analysis.not_averaged
        assert analysis.less_is_better | analysis.several | analysis.not_averaged <= set(analysis.quantities)
