"""Sentences name options in words, and at most four designs."""

import pandas as pd
import pytest

from recsens.conclusions.design_space import sweep
from recsens.report.sentences.meaning import hypotheses
from recsens.report.sentences.options import condition
from recsens.study.taxonomy import decision


@pytest.mark.parametrize(
    ("key", "options", "said"),
    [
        ("ties", ["random", "high_index"], "with equal scores in random order or equal scores in the reverse order of the data"),
        ("test", ["t", "wilcoxon"], "with the t-test or Wilcoxon's test"),
        ("relevance", ["scale", "3"], "with the scale's threshold of relevance or ratings of 3 or more as relevant"),
        (
            "users",
            ["with_ratings", "with_ratings(train=0,test=1)"],
            "with an average over users with at least one training rating or an average over users with at least one test rating",
        ),
    ],
)
def test_options_are_in_words(key: str, options: list[str], said: str):
    asked = sweep(decision(key), options, options[0])
    assert condition(asked, asked.options) == said


def test_a_hypothesis_of_many_designs_names_four_and_counts_the_others():
    rows = pd.DataFrame({"p_value": [0.1], "hypothesis": ["for this split and fit, the mean is 0"]})
    other = pd.DataFrame({"p_value": [0.1], "hypothesis": ["for these splits and fits, the mean is 0"]})
    first, second = hypotheses({**{f"design {n}": rows for n in range(7)}, "last": other})
    assert first.startswith("Under design 0, design 1, design 2, design 3 and 3 more designs, for this split and fit, ")
    assert second.startswith("Under last, for these splits and fits, ")
