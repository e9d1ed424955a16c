"""Whose the uncertainty of a difference is, in words: the largest share first, each with its number of draws."""

import math

from recsens.conclusions.verdicts.uncertainty import Uncertainty
from recsens.report.sentences.components import component_sentences

NAN = math.nan


def uncertainty(*rows: tuple[str, int, float, float]) -> Uncertainty:
    """Arrange component, levels, error and share as rows of ``components.csv``."""
    columns = ("component", "levels", "error", "share")
    return Uncertainty("ML", ("A", "B"), {row[0]: {"metric": "P@5", **dict(zip(columns, row, strict=True))} for row in rows})


def plain(found: Uncertainty) -> str:
    return component_sentences([found])[0].replace("\N{NO-BREAK SPACE}", " ")


def test_the_largest_share_comes_first_and_each_has_its_number_of_draws():
    draws = [("user", 100, 0.001, 0.25), ("split", 4, 0.0016, 0.6), ("fit", 12, 0.0005, 0.1), ("rest", 1200, 0.0004, 0.05)]
    others = [("other users", NAN, 0.0011, NAN), ("other users, splits and fits", NAN, 0.0021, NAN)]
    assert plain(uncertainty(*draws, *others)) == (
        "A and B on ML, by P@5: 60 % of the uncertainty is that of splits (from 4 draws, 3 degrees of freedom), 30 % that of users "
        "and 10 % that of fits (from 12 fits, 8 degrees of freedom); the standard error of the difference is .0011 for other users "
        "and .0021 for other users, splits and fits."
    )


def test_two_draws_of_a_split_have_no_share():
    draws = [("user", 100, 0.001, 0.3), ("split", 2, NAN, NAN), ("fit", 4, 0.0005, 0.7), ("other users", NAN, 0.001, NAN)]
    said = "70 % of the uncertainty (that of splits is not known) is that of fits (from 4 fits, 2 degrees of freedom)"
    assert said in plain(uncertainty(*draws))
