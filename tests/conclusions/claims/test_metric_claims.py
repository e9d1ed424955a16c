"""Claims about metrics are judged by the findings of analyses, and refused if these cannot decide."""

import math
from functools import partial

import pandas as pd
import pytest

from approved import refusal
from recsens.conclusions.claims import ClaimOutcome, Evidence
from recsens.conclusions.verdicts.components import measured
from recsens.conclusions.verdicts.study_tables import Results, empty_table

NAN = math.nan
DEPTHS = "P@5,10,20,30,40"
PLAIN = {
    "datasets": {"Alpha-1M": "lab_plugins.Ratings(name=alpha)"},
    "published": [],
    "published_comparisons": [],
    "metrics": ["P@10", "nDCG@10", "AP"],
    "meta": {
        "holes": {"analysis": "sparsity(samples=2,sizes=[100,50])", "metrics": [DEPTHS, "nDCG@10", "RR@10", "AP"]},
        "pairs": "discrimination",
        "orders": "correlation",
        "halves": "split_half",
    },
}


@pytest.fixture
def claimed(make_study):
    """Read a study with one claim."""
    return lambda claim, under=None, **changes: make_study(
        **{**PLAIN, **changes, "claims": [{"claim": claim, "source": "Table 1", "under": under or {}}]}
    )


@pytest.fixture
def judge(claimed):
    """Judge a claim by findings: (analysis, quantity, metric, value, half its interval), then ``at`` or ``against`` by name."""

    def make(claim: str, *found: tuple) -> ClaimOutcome:
        study = claimed(claim)
        entry = study.claims[0]
        ground = study.claim_scope(entry)
        evidence = Evidence(ground.experiment, Results({"findings": findings(*found)}))
        assert entry.assertion.words(ground)
        return entry.assertion.judge(ground, evidence)

    return make


def findings(*found: tuple) -> pd.DataFrame:
    """Write findings over all folds; those of another fold, data set and analysis differ."""
    rows = []
    for analysis, quantity, metric, value, reach, *more in found:
        [beside] = more or [{}]
        against = beside.get("against", "")
        row = {
            "dataset": "Alpha-1M",
            "analysis": analysis,
            "fold": "all",
            "quantity": quantity,
            "metric": metric,
            "metric_full": str(measured(metric)),
            "against": against,
            "against_full": str(measured(against)) if against else "",
            "at": beside.get("at", NAN),
            "value": value,
            "low": value - reach,
            "high": value + reach,
            "n": 2,
        }
        wrong = {"value": -99.0, "low": -99.0, "high": -99.0}
        rows += [
            row,
            {**row, **wrong, "fold": "repeat-0"},
            {**row, **wrong, "dataset": "Beta_2"},
            {**row, **wrong, "analysis": "x"},
        ]
    return pd.DataFrame(rows, columns=empty_table("findings").columns)


def area(metric: str, value: float, reach: float = 0.01) -> tuple:
    return ("holes", "area", metric, value, reach)


# metric_beats


@pytest.mark.parametrize(
    ("a", "b", "verdict", "value"),
    [(0.9, 0.8, "held", 0.1), (0.7, 0.8, "not held", -0.1), (0.81, 0.8, "undecided", 0.01), (NAN, 0.8, "undecided", NAN)],
)
def test_a_metric_beats_another_if_the_interval_of_the_difference_says_so(judge, a, b, verdict, value):
    found = judge("metric_beats(analysis=holes,a=P@10,b=nDCG@10)", area("P@10", a), area("nDCG@10", b))
    assert (found.verdict, found.value) == (verdict, pytest.approx(value, nan_ok=True))
    if not math.isnan(value):
        # The halves of two intervals of ± .01 are independent.
        assert found.high - found.value == pytest.approx(0.01 * math.sqrt(2))


def test_without_intervals_the_numbers_decide_as_they_are_and_equal_ones_say_no(judge):
    def told(a, b):
        return judge("metric_beats(analysis=holes,a=P@10,b=nDCG@10)", area("P@10", a, NAN), area("nDCG@10", b, NAN))

    assert (told(0.81, 0.8).verdict, told(0.81, 0.8).basis) == ("held", "no interval")
    assert told(0.8, 0.8).verdict == "not held"


@pytest.mark.parametrize(
    ("analysis", "quantity", "winner"),
    [
        ("pairs", "DP", "less"),
        ("pairs", "median_p", "less"),
        ("pairs", "significant", "more"),
        ("halves", "same", "more"),
        ("halves", "opposite", "less"),
        ("orders", "mean_agreement", "more"),
    ],
)
def test_which_way_a_quantity_is_better_is_its_own(judge, analysis, quantity, winner):
    a = 0.9 if winner == "more" else 0.1
    found = judge(
        f"metric_beats(analysis={analysis},quantity={quantity},a=P@10,b=nDCG@10)",
        (analysis, quantity, "P@10", a, 0.01),
        (analysis, quantity, "nDCG@10", 0.5, 0.01),
    )
    assert (found.verdict, found.value) == ("held", pytest.approx(0.4))


def test_a_number_that_was_not_found_decides_nothing(judge):
    assert judge("metric_beats(analysis=holes,a=P@10,b=nDCG@10)", area("P@10", 0.9)).verdict == "undecided"


# metric_leads


@pytest.mark.parametrize(
    ("p", "verdict", "nearest"), [(0.9, "held", "nDCG@10"), (0.75, "not held", "nDCG@10"), (0.8, "undecided", "nDCG@10")]
)
def test_a_metric_leads_those_of_its_depth_if_it_beats_all_of_them(judge, p, verdict, nearest):
    # AP and P@5 are ahead of all others, but have another depth.
    rows = [area("P@10", p), area("nDCG@10", 0.8), area("RR@10", 0.6), area("AP", 0.99), area("P@5", 0.99)]
    found = judge("metric_leads(analysis=holes,metric=P@10)", *rows)
    assert found.verdict == verdict
    assert found.of.endswith(nearest)
    assert found.value == pytest.approx(p - 0.8)


def test_a_metric_may_stand_at_the_worst_end_or_among_named_ones(judge):
    rows = [area("P@10", 0.5), area("nDCG@10", 0.8), area("RR@10", 0.6), area("AP", 0.1)]
    assert judge("metric_leads(analysis=holes,metric=P@10,end=worst)", *rows).verdict == "held"
    assert judge("metric_leads(analysis=holes,metric=P@10,among=[AP])", *rows).verdict == "held"
    assert judge("metric_leads(analysis=holes,metric=P@10,end=worst,among=[AP,RR@10])", *rows).verdict == "not held"


def test_a_rival_without_a_number_is_told_first_and_leaves_a_lead_undecided(judge):
    found = judge("metric_leads(analysis=holes,metric=P@10)", area("P@10", 0.9), area("nDCG@10", 0.8), area("RR@10", NAN))
    assert (found.verdict, found.of.endswith("RR@10")) == ("undecided", True)


def test_less_is_ahead_where_less_is_better(judge):
    rows = [("pairs", "DP", metric, value, NAN) for metric, value in (("P@10", 0.5), ("nDCG@10", 0.4))]
    assert judge("metric_leads(analysis=pairs,metric=nDCG@10)", *rows).verdict == "held"
    assert judge("metric_leads(analysis=pairs,metric=P@10)", *rows).verdict == "not held"


# metric_trend


@pytest.mark.parametrize(
    ("values", "better", "worse"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5], "held", "not held"),
        ([0.5, 0.4, 0.3, 0.2, 0.1], "not held", "held"),
        # One step goes the other way: τ = .8.
        ([0.2, 0.1, 0.3, 0.4, 0.5], "held", "not held"),
        # The ends differ less than their intervals, or the middle lies beyond them.
        ([0.2, 0.3, 0.4, 0.5, 0.21], "undecided", "undecided"),
        ([0.3, 0.9, 0.8, 0.7, 0.4], "undecided", "undecided"),
        ([0.1, 0.2, NAN, 0.4, 0.5], "undecided", "undecided"),
        ([0.3, 0.3, 0.3, 0.3, 0.3], "undecided", "undecided"),
    ],
)
def test_a_trend_is_judged_by_its_ends_and_by_the_order_between_them(judge, values, better, worse):
    rows = [area(f"P@{depth}", value) for depth, value in zip((5, 10, 20, 30, 40), values, strict=True)]
    assert judge("metric_trend(analysis=holes,metric=P)", *rows).verdict == better
    assert judge("metric_trend(analysis=holes,metric=P,direction=worse)", *rows).verdict == worse


# metric_bounds


def test_bounds_hold_where_all_intervals_do_and_tell_the_number_farthest_out(judge):
    rows = [area("P@10", 0.9), area("nDCG@10", 0.5), area("AP", 0.7)]
    found = judge("metric_bounds(analysis=holes,between=[0.4,1])", *rows)
    assert (found.verdict, found.value, found.of) == ("held", pytest.approx(0.9), "area of P@10")
    assert judge("metric_bounds(analysis=holes,between=[0.6,1])", *rows).verdict == "not held"
    assert judge("metric_bounds(analysis=holes,between=[0.495,1])", *rows).verdict == "undecided"
    assert judge("metric_bounds(analysis=holes,between=[0.6,1],metrics=[P@10,AP])", *rows).verdict == "held"
    assert judge("metric_bounds(analysis=holes,between=[0,1])").verdict == "undecided"
    assert judge("metric_bounds(analysis=holes,between=[0,1])", area("P@10", NAN)).verdict == "undecided"


def test_a_share_of_the_numbers_may_suffice(judge):
    rows = (area("P@10", 0.9), area("nDCG@10", 0.8), area("RR@10", 0.5), area("AP", 0.505))
    found = judge("metric_bounds(analysis=holes,between=[0.5,1],share=0.75)", *rows)
    # Two are certainly inside, and two may be.
    assert (found.verdict, found.value, found.low, found.high) == ("undecided", 0.5, 0.5, 1.0)
    assert judge("metric_bounds(analysis=holes,between=[0.5,1],share=0.5)", *rows).verdict == "held"
    assert judge("metric_bounds(analysis=holes,between=[0.6,1],share=0.75)", *rows).verdict == "not held"
    # Nine of ten lie outside, the last may be inside, and 1 - 0.9 is below 0.1.
    tenths = [("holes", "tau", "P@10", 0.2 if at else 0.9, 0.01, {"at": float(at)}) for at in range(10)]
    assert judge("metric_bounds(analysis=holes,quantity=tau,between=[0.9,1],share=0.1)", *tenths).verdict == "undecided"


def test_bounds_may_be_about_one_place_of_the_axis(judge):
    rows = [("holes", "tau", "P@10", value, NAN, {"at": at}) for at, value in ((100.0, 1.0), (50.0, 0.2))]
    assert judge("metric_bounds(analysis=holes,quantity=tau,at=100,between=[0.9,1])", *rows).verdict == "held"
    found = judge("metric_bounds(analysis=holes,quantity=tau,between=[0.9,1])", *rows)
    assert (found.verdict, found.of) == ("not held", "tau of P@10 at 50")
    assert judge("metric_bounds(analysis=holes,quantity=tau,at=70)", *rows).verdict == "undecided"


def test_bounds_of_agreements_leave_a_metric_beside_itself_out(judge):
    rows = [
        ("orders", "agreement", metric, value, NAN, {"against": against})
        for metric, against, value in (("P@10", "P@10", 1.0), ("P@10", "nDCG@10", 0.8), ("P@10", "AP", 0.1))
    ]
    claim = "metric_bounds(analysis=orders,quantity=agreement,between=[0.7,0.9]"
    assert judge(f"{claim})", *rows).verdict == "not held"
    assert judge(f"{claim},metrics=[P@10,nDCG@10])", *rows).verdict == "held"


# Refusals


REFUSED = """
    metric_beats(analysis=hols,a=P@10,b=AP)  metric_beats(a=P@10,b=AP)  metric_beats(analysis=holes,quantity=ara,a=P@10,b=AP)
    metric_beats(analysis=holes,quantity=tau,a=P@10,b=AP)  metric_beats(analysis=pairs,quantity=p,a=P@10,b=AP)
    metric_bounds(analysis=pairs,quantity=copies)  metric_beats(analysis=holes,a=P@10,b=P@10)  metric_beats(analysis=holes,b=P@10)
    metric_beats(analysis=holes,a=P@10,b=nDCG@5)  metric_leads(analysis=holes,metric=P@10,among=[P@10])
    metric_leads(analysis=holes,metric=P@5)  metric_leads(analysis=holes,metric=P@10,among=[R@10])
    metric_leads(analysis=holes,metric=P@10,quantity=tau)  metric_trend(analysis=holes,metric=nDCG)
    metric_trend(analysis=holes,metric=Q)  metric_trend(analysis=holes,metric=P@10)
    metric_trend(analysis=holes,metric=P,quantity=tau)  metric_bounds(analysis=holes,metrics=[R@10])
    metric_bounds(analysis=holes,at=50)  metric_bounds(analysis=pairs,at=50)  metric_bounds(analysis=holes,between=[1,0])
"""


def test_what_analyses_cannot_say_is_refused_when_the_study_is_read(claimed, experiment, approved):
    beats = "metric_beats(a=P@10,b=nDCG@10)"
    elsewhere = {
        "meta": [{"analysis": "sparsity", "experiment": "Further"}],
        "experiments": {"Further": {**experiment, "dataset": "Alpha-1M"}},
    }
    others = {
        "not the base design": partial(claimed, f"{beats[:-1]},analysis=holes)", under={"view": "condensed"}),
        "no analysis": partial(claimed, beats, meta={}),
        "an analysis of another experiment": partial(claimed, beats, **elsewhere),
    }
    calls = {claim: partial(claimed, claim) for claim in REFUSED.split()} | others
    # pydantic adds the address of a page about its errors.
    approved({name: refusal(call, ValueError).partition("\n    For further")[0] for name, call in calls.items()})


def test_a_metric_may_be_written_with_its_parameters_and_the_only_analysis_left_unnamed(claimed):
    study = claimed('metric_beats(a=P@10,b="nDCG(gain=binary)@10")', meta=["sparsity"])
    assert len(study.claims) == 1
