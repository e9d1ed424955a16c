"""The smallest difference that matters, as a study writes it."""

import numpy as np
import pytest
from pydantic import ValidationError

from recsens.study import Study
from recsens.study.margin import Margin

ASKED = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"A": "random", "B": "popularity"}, "metrics": ["P@5"]}


@pytest.mark.parametrize(
    ("written", "margin"),
    [
        (0.01, Margin(0.01)),
        (0, Margin()),
        ("1 %", Margin(0.01, True)),
        ("2.5%", Margin(0.025, True)),
        # YAML reads this as text, as for alpha.
        ("1e-3", Margin(0.001)),
        ("0.05", Margin(0.05)),
    ],
)
def test_a_margin_is_a_number_or_a_percentage(written, margin):
    assert Study.model_validate({**ASKED, "margin": written}).own.margin == margin


@pytest.mark.parametrize("written", [-0.1, "one", "-1 %", "100 %", "-0.1", "inf", "1_0", "", float("inf"), float("nan"), True, [1]])
def test_anything_else_is_refused(written):
    with pytest.raises(ValidationError, match="is not a margin"):
        Study.model_validate({**ASKED, "margin": written})


def test_a_share_is_of_the_size_of_the_better_value():
    assert Margin(0.1, is_share=True).beside([0.5, -2.0]).tolist() == pytest.approx([0.05, 0.2])
    assert Margin(0.1).beside([0.5, -2.0]).tolist() == [0.1, 0.1]


def test_on_the_scale_of_ratios_a_share_depends_on_what_is_better():
    assert Margin(0.2, is_share=True).of_effects(higher_is_better=True) == pytest.approx(np.log(1 / 0.8))
    assert Margin(0.2, is_share=True).of_effects(higher_is_better=False) == pytest.approx(np.log(1.2))
    assert Margin(0.2).of_effects(higher_is_better=False) == 0.2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"alpha": 0.01}, "confidence=0.99"),
        ({"vary": {"test": ["t(confidence=0.9)"]}}, "confidence=0.95"),
        ({"design": {"test": "subsamples"}}, "confidence=0.95"),
        ({"design": {"aggregate": "median"}}, "difference between means"),
        ({"design": {"test": "t(log=true)"}}, "difference between means"),
    ],
)
def test_a_margin_needs_the_interval_that_it_is_about(changes, told):
    Study.model_validate({**ASKED, **changes})
    with pytest.raises(ValidationError, match=told):
        Study.model_validate({**ASKED, **changes, "margin": 0.01})
