"""The scorecard in words: different numbers give different sentences."""

import pandas as pd

from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.scorecard import scorecard_lines
from recsens.report.figure_style import house_style
from recsens.report.figures import caption_of_scorecard, draw_scorecard
from recsens.report.figures._scorecard import MOST
from recsens.report.tables.scorecard import scorecard_page
from recsens.study.taxonomy import DECISIONS, columns_with_full
from recsens.tables.numbers import SPACE

OPTIONS = dict.fromkeys(columns_with_full(DECISIONS), "base")
BASE = DesignSpace(pd.DataFrame([{**OPTIONS, "is_base": True}]))
NAN = float("nan")


def rows(
    *analyses: tuple[str, dict[str, str], tuple[float, float, float], tuple[float, float, float]], **more: object
) -> list[dict]:
    found = []
    for metric, changed, tau, shares in analyses:
        head = {
            "data": "Data",
            "metric": metric,
            "metric_full": metric,
            **OPTIONS,
            **changed,
            **{f"{name}_full": text for name, text in changed.items()},
        }
        head = {**head, "is_reference": False, **more}
        found.append({**head, "quantity": "tau", "value": tau[0], "low": tau[1], "high": tau[2]})
        for name, share in zip(("right", "wrong", "open"), shares, strict=True):
            found.append({**head, "quantity": name, "value": share, "low": NAN, "high": NAN})
    return found


def written(*given, extra=()) -> str:
    return scorecard_page(scorecard_lines(pd.DataFrame([*rows(*given), *extra]), BASE)).replace(SPACE, " ")


FIRST = ("P@10", {}, (0.5, 0.4, 0.6), (0.7, 0.1, 0.2))
HALF = {"split": "random(ratio=0.5)"}


def test_what_lies_above_the_base_design_is_nearer_and_what_lies_below_farther(approved):
    """Intervals that meet cannot be told apart, and without intervals nothing is sure."""
    near, far = ("R@10", {}, (0.9, 0.8, 1), (0.9, 0, 0.1)), ("P@10", HALF, (0.1, 0, 0.2), (0.2, 0.6, 0.2))
    meeting = [("R@10", {}, (0.9, 0.55, 1), (0.9, 0, 0.1)), ("P@10", HALF, (0.1, 0, 0.45), (0.2, 0.6, 0.2))]
    unknown = [("P@10", {}, (0.5, NAN, NAN), (0.7, 0.1, 0.2)), ("R@10", {}, (NAN, NAN, NAN), (NAN, NAN, NAN))]
    approved({"apart": written(FIRST, near, far), "meeting": written(FIRST, *meeting), "no intervals": written(*unknown)})


def test_the_reference_and_designs_with_two_changes_are_not_in_the_table():
    reference = rows(("R@10", HALF, (1, 1, 1), (1, 0, 0)), is_reference=True)
    both = rows(("R@10", {**HALF, "view": "condensed"}, (1, 1, 1), (1, 0, 0)))
    assert "R@10" not in written(FIRST, extra=[*reference, *both])


def judged(*given):
    return scorecard_lines(pd.DataFrame(rows(*given)), BASE)


def test_the_scorecard_draws_each_tau_with_its_interval_and_shares_that_add_to_one():
    found = judged(FIRST, ("R@10", {}, (0.9, 0.8, 1), (0.9, 0, 0.1)))
    with house_style():
        taus, shares = draw_scorecard(found).axes
    assert [label.get_text() for label in taus.get_yticklabels()] == ["R@10", "P@10"]
    assert list(taus.lines[0].get_xdata()) == [0.9, 0.5]
    assert [[point[0] for point in path.vertices] for path in taus.collections[0].get_paths()] == [[0.8, 1], [0.4, 0.6]]
    widths = [bar.get_width() for bar in shares.patches]
    assert [sum(widths[row::2]) for row in range(2)] == [1, 1]


def test_where_there_are_too_many_analyses_the_scorecard_shows_those_with_at_most_one_change():
    both = {**HALF, "view": "condensed"}
    many = [(f"P@{k}", both, (0.5, 0.4, 0.6), (1, 0, 0)) for k in range(1, MOST + 1)]
    found = judged(FIRST, ("P@10", HALF, (0.1, 0, 0.2), (0.2, 0.6, 0.2)), *many)
    with house_style():
        axes = draw_scorecard(found).axes[0]
    assert [" ".join(label.get_text().split()) for label in axes.get_yticklabels()] == ["P@10", "P@10, split: random(ratio=0.5)"]
    assert f"2 of {MOST + 2} analyses" in caption_of_scorecard(found)
