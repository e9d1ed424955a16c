"""Whose the uncertainty of a difference is, in words: the largest share first, each with its number of draws."""

import math

from recsens.conclusions.verdicts.uncertainty import Uncertainty
from recsens.report.sentences.evidence import component_sentences

NAN = math.nan


def uncertainty(*rows: tuple[str, int, float, float]) -> Uncertainty:
    """Arrange component, levels, error and share as rows of ``components.csv``."""
    columns = ("component", "levels", "error", "share")
    return Uncertainty("ML", ("A", "B"), {row[0]: {"metric": "P@5", **dict(zip(columns, row, strict=True))} for row in rows})


def test_the_largest_share_comes_first_and_each_has_its_number_of_draws(approved):
    others = [("other users", NAN, 0.0011, NAN), ("other users, splits and fits", NAN, 0.0021, NAN)]
    draws = [("user", 100, 0.001, 0.25), ("split", 4, 0.0016, 0.6), ("fit", 12, 0.0005, 0.1), ("rest", 1200, 0.0004, 0.05)]
    two = [("user", 100, 0.001, 0.3), ("split", 2, NAN, NAN), ("fit", 4, 0.0005, 0.7), ("other users", NAN, 0.001, NAN)]
    approved(component_sentences([uncertainty(*draws, *others), uncertainty(*two)]))
