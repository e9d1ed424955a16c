"""The scorecard in words: other numbers make other sentences."""

import pandas as pd

from recsens.report.tables.believed import believed
from recsens.study.taxonomy import DECISIONS, with_full

BASE = dict.fromkeys(with_full(DECISIONS), "base")
NAN = float("nan")


def rows(
    *analyses: tuple[str, dict[str, str], tuple[float, float, float], tuple[float, float, float]], **more: object
) -> list[dict]:
    found = []
    for metric, changed, tau, shares in analyses:
        head = {"data": "Data", "metric": metric, **BASE, **changed, **{f"{name}_full": text for name, text in changed.items()}}
        head = {**head, "is_reference": False, **more}
        found.append({**head, "quantity": "tau", "value": tau[0], "low": tau[1], "high": tau[2]})
        for name, share in zip(("right", "wrong", "open"), shares, strict=True):
            found.append({**head, "quantity": name, "value": share, "low": NAN, "high": NAN})
    return found


def written(*given, extra=()) -> str:
    return believed(pd.DataFrame([*rows(*given), *extra]), BASE)


FIRST = ("P@10", {}, (0.5, 0.4, 0.6), (0.7, 0.1, 0.2))
HALF = {"split": "random(ratio=0.5)"}


def test_what_lies_above_the_base_design_is_nearer_and_what_lies_below_farther():
    page = written(FIRST, ("R@10", {}, (0.9, 0.8, 1), (0.9, 0, 0.1)), ("P@10", HALF, (0.1, 0, 0.2), (0.2, 0.6, 0.2)))
    assert "On Data, P@10 under the base design orders the systems with tau .50 (.40 to .60)" in page
    assert "it decides 70 % of the pairs that the truth decides rightly, 10 % wrongly" in page
    assert "Surely nearer to the truth: R@10." in page
    assert "Surely farther from it: P@10, split: random(ratio=0.5)." in page
    assert (
        page.index("| R@10 |") < page.index("| P@10 |") < page.index("| P@10, split: random(ratio=0.5) | .10 (0 to .20) | 20 % |")
    )


def test_intervals_that_meet_cannot_be_told_apart():
    page = written(FIRST, ("R@10", {}, (0.9, 0.55, 1), (0.9, 0, 0.1)), ("P@10", HALF, (0.1, 0, 0.45), (0.2, 0.6, 0.2)))
    assert "Surely nearer to the truth: none of 2." in page
    assert "Surely farther from it: none of 2." in page


def test_the_reference_and_designs_with_two_changes_are_not_in_the_table():
    reference = rows(("R@10", HALF, (1, 1, 1), (1, 0, 0)), is_reference=True)
    both = rows(("R@10", {**HALF, "view": "condensed"}, (1, 1, 1), (1, 0, 0)))
    assert "R@10" not in written(FIRST, extra=[*reference, *both])


def test_without_intervals_nothing_is_sure():
    page = written(("P@10", {}, (0.5, NAN, NAN), (0.7, 0.1, 0.2)), ("R@10", {}, (NAN, NAN, NAN), (NAN, NAN, NAN)))
    assert "tau .50;" in page
    assert "Surely nearer to the truth: none of 1." in page
    assert page.rstrip().endswith("| R@10 | – | – | – | – |")
