"""The scorecard of a study, from invented tables: different numbers give different scores."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from recsens.conclusions.scorecard import QUANTITIES, scorecard
from recsens.conclusions.verdicts.verdict_table import verdict_table
from recsens.study import Study
from recsens.study.columns import TABLES
from recsens.study.designs import expand
from recsens.study.taxonomy import FULL_COLUMNS

SYSTEMS = ("A", "B", "C")
TRUTH = "complete"


def study(n_replicates: int = 3, **changes: object) -> Study:
    return Study.model_validate(
        {
            "title": "Made up",
            "datasets": {f"Data {n}": f"simulated(replicate={n})" for n in range(n_replicates)},
            "systems": {"A": "random", "B": "popularity", "C": "average_rating"},
            "vary": {"split": [TRUTH], "view": ["condensed"]},
            "metrics": ["P@10", "AntiP@10", "Unrated@10"],
            "reference": {"under": {"split": TRUTH}, "metric": "P@10"},
            **changes,
        }
    )


def tables(of: Study, value, p=lambda *_: 0.001, folds=(), half=0.05) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Invent a study's tables: ``value(label, design number, metric, system, fold)``; fold is 'all' for all folds together.

    Intervals extend by ``half`` to either side.
    """
    rows, pairs = [], []
    designs = expand(of, dict(of.datasets))
    for label in of.datasets:
        for number, design in enumerate(designs[label]):
            for measured in of.metrics:
                named = {"dataset": label, "metric": measured.written, "metric_full": str(measured)}
                head = {**named, **design.columns(), "is_base": number == BASE}
                at = label, number, measured.written
                rows += [{**head, "system": system, "value": value(*at, system, "all")} for system in SYSTEMS]
                for fold in ("all", *folds):
                    for a, b in combinations(SYSTEMS, 2):
                        gap = value(*at, a, fold) - value(*at, b, fold)
                        own = {"system_a": a, "system_b": b, "fold": fold, "difference": gap, "low": gap - half, "high": gap + half}
                        pairs.append({**head, **own, "p_adjusted": p(*at, a, b)})
    summary, comparisons = pd.DataFrame(rows), pd.DataFrame(pairs).reindex(columns=TABLES["comparisons"].names)
    return summary, comparisons, verdict_table(of, summary, comparisons)


def scored(of: Study, *given) -> dict[tuple[str, str, str], dict[str, object]]:
    rows = scorecard(of, *given)
    assert all(set(row) == set(TABLES["truth"].names) for row in rows)
    return {(row["metric"], f"{row['split']} {row['view']}", row["quantity"]): row for row in rows}


BASE, REFERENCE, CONDENSED = range(3)
ORDER = {"A": 0.1, "B": 0.2, "C": 0.3}


def test_an_analysis_with_the_order_of_the_truth_scores_one_and_its_reverse_minus_one():
    def value(label, number, metric, system, fold):
        return ORDER[system] * (-1 if number == CONDENSED else 1)

    found = scored(study(), *tables(study(), value))
    assert found["P@10", "random full", "tau"]["value"] == 1
    assert found["P@10", "random full", "right"]["value"] == 1
    assert found["P@10", "random condensed", "tau"]["value"] == -1
    assert found["P@10", "random condensed", "wrong"]["value"] == 1
    assert found["P@10", "random full", "difference"]["value"] == pytest.approx(0)
    assert found["P@10", "random condensed", "difference"]["value"] == pytest.approx(-0.4)


def test_where_less_is_better_the_order_is_turned_round():
    found = scored(study(), *tables(study(), lambda label, number, metric, system, fold: ORDER[system]))
    assert found["AntiP@10", "random full", "tau"]["value"] == -1
    assert found["AntiP@10", "complete full", "tau"]["value"] == -1


def test_the_truth_itself_and_what_only_describes_are_not_scored():
    found = scored(study(), *tables(study(), lambda *_: 0.5))
    assert {(metric, design) for metric, design, _ in found} == {
        ("P@10", "random full"),
        ("P@10", "random condensed"),
        *(("AntiP@10", design) for design in ("random full", "complete full", "random condensed")),
    }
    # Each metric is compared with itself: AntiP under the reference design is the truth for AntiP.
    alone = study(reference={"under": {"split": TRUTH}})
    assert {metric for metric, design, _ in scored(alone, *tables(alone, lambda *_: 0.5)) if design == "complete full"} == set()


def test_intervals_are_students_over_replicates():
    def value(label, number, metric, system, fold):
        is_reversed = number == BASE and label == "Data 2"
        return ORDER[system] * (-1 if is_reversed else 1)

    found = scored(study(), *tables(study(), value))["P@10", "random full", "tau"]
    mean, half = 1 / 3, stats.t.ppf(0.975, 2) * np.std([1, 1, -1], ddof=1) / math.sqrt(3)
    assert (found["data"], found["unit"], found["units"]) == ("Data", "replicate", 3)
    assert found["value"] == pytest.approx(mean)
    assert (found["low"], found["high"]) == (max(mean - half, -1), min(mean + half, 1))


def test_pairs_that_are_not_significant_stay_open_and_those_of_the_truth_do_not_count():
    def p(label, number, metric, a, b):
        return 0.5 if (number == REFERENCE and (a, b) == ("A", "B")) or (number == BASE and (a, b) == ("A", "C")) else 0.001

    found = scored(study(), *tables(study(), lambda label, number, metric, system, fold: ORDER[system], p))
    assert [found["P@10", "random full", name]["value"] for name in ("right", "wrong", "open")] == [0.5, 0, 0.5]
    assert found["P@10", "random full", "open"]["decided"] == 2
    assert found["P@10", "random full", "open"]["pairs"] == 3


def gaps(label, number, metric, system, fold):
    """Return values .1 apart, .15 under the base design."""
    return ORDER[system] * (1.5 if number == BASE else 1)


def test_with_a_margin_the_truth_and_the_analyses_decide_as_verdicts_do():
    # Intervals of the truth: .05 to .15 for neighbours, .15 to .25 for A and C; of the base design .1 to .2 and .25 to .35.
    of = study(margin=0.12)
    found = scored(of, *tables(of, gaps))
    assert found["P@10", "random full", "open"]["decided"] == 1
    assert [found["P@10", "random full", name]["value"] for name in ("right", "wrong", "open")] == [1, 0, 0]
    wider = scored(of, *tables(of, gaps, half=0.07))
    assert wider["P@10", "random condensed", "open"]["decided"] == 1
    none = study(margin=0.3)
    assert scored(none, *tables(none, gaps))["P@10", "random full", "open"]["decided"] == 0


def test_a_pair_whose_interval_is_not_beyond_the_margin_stays_open():
    def value(label, number, metric, system, fold):
        return ORDER[system] * (0.5 if number == BASE else 1)

    of = study(margin=0.04)
    # The truth decides all three pairs, .05 at least; the base design only A and C, .05 to .15 around .1.
    found = scored(of, *tables(of, value))
    assert [found["P@10", "random full", name]["value"] for name in ("right", "wrong", "open")] == pytest.approx([1 / 3, 0, 2 / 3])


def test_on_folds_a_margin_that_is_a_share_is_one_of_the_better_value_over_all_folds():
    # A tenth of the better value: .02 and .03; 60 %: .12 of B, and .18 of C, which no interval lies beyond but for 50 %.
    for share, decided in (("10%", 3), ("50%", 0), ("20%", 2)):
        of = study(1, margin=share)
        scores = scored(of, *tables(of, lambda label, number, metric, system, fold: ORDER[system], folds=("f0", "f1")))
        row = scores["P@10", "random full", "open"]
        assert (row["unit"], row["decided"]) == ("fold", decided), share


def test_of_one_data_set_the_folds_are_the_units():
    def value(label, number, metric, system, fold):
        return ORDER[system] * (-1 if number == BASE and fold == "f1" else 1)

    one = study(1)
    found = scored(one, *tables(one, value, folds=("f0", "f1", "f2", "f3")))["P@10", "random full", "tau"]
    assert (found["unit"], found["units"], found["value"]) == ("fold", 4, 0.5)


def test_without_replicates_or_folds_there_is_no_interval():
    one = study(1)
    found = scored(one, *tables(one, lambda label, number, metric, system, fold: ORDER[system]))["P@10", "random full", "tau"]
    assert found["units"] == 1
    assert math.isnan(found["low"])


def test_systems_of_equal_value_have_no_order():
    found = scored(study(), *tables(study(), lambda *_: 0.5))["P@10", "random full", "tau"]
    assert math.isnan(found["value"])
    assert found["units"] == 0


def test_every_quantity_has_a_row_and_every_design_its_columns():
    rows = scorecard(study(), *tables(study(), lambda label, number, metric, system, fold: ORDER[system]))
    assert [row["quantity"] for row in rows[: len(QUANTITIES)]] == list(QUANTITIES)
    assert set(FULL_COLUMNS) <= set(rows[0])


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ({"under": {"split": "random(ratio=0.5)"}}, "the study has no design with split: random\\(ratio=0.5\\)"),
        ({"metric": "P@5"}, "'P@5' is not one of the study's metrics that rank systems"),
        ({"metric": "Unrated@10"}, "is not one of the study's metrics that rank systems"),
    ],
)
def test_a_reference_that_the_study_does_not_have_is_refused(reference, told):
    with pytest.raises(ValueError, match=told):
        study(reference=reference)


def test_a_reference_needs_every_pair():
    with pytest.raises(ValueError, match="all their pairs"):
        study(compare=[["A", "B"]])


def test_no_figure_may_take_the_name_of_the_scorecard():
    with pytest.raises(ValueError, match="rename the figure"):
        study(figures={"truth": "bars(x=split,by=system,y=P@10)"})
