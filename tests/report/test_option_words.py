"""Sentences name options in words, and at most four designs."""

import pandas as pd

from recsens.report.sentences.meaning import hypotheses


def test_a_hypothesis_of_many_designs_names_four_and_counts_the_others():
    rows = pd.DataFrame({"p_value": [0.1], "hypothesis": ["for this split and fit, the mean is 0"]})
    other = pd.DataFrame({"p_value": [0.1], "hypothesis": ["for these splits and fits, the mean is 0"]})
    first, second = hypotheses({**{f"design {n}": rows for n in range(7)}, "last": other})
    assert first.startswith("Under design 0, design 1, design 2, design 3 and 3 more designs, for this split and fit, ")
    assert second.startswith("Under last, for these splits and fits, ")
