"""Figures of popularity and of bounds: what they draw, worked by hand, and what they refuse."""

from functools import partial

import numpy as np
import pytest

from approved import refusal
from recsens.data.interactions import Interactions
from recsens.errors import SpecError
from recsens.files.scale import Scale
from recsens.report.figure_style import house_style
from recsens.report.figures import Drawing, FigureData
from recsens.report.figures.ratings import segment_means
from recsens.vocabulary import Role

BOUNDED = ["P@10", "Bound1R(side=lower)@10", "Bound1R(side=upper)@10"]
SIZES = {"targets": ["one_r(n=10)", "one_r(n=20)"]}
PLAIN = {"published": [], "published_comparisons": []}


def rated(*items_and_ratings: tuple[int, float], n_items: int = 5) -> Interactions:
    """Rate items, each by another user."""
    item, rating = np.array(items_and_ratings).T
    users = np.arange(len(item))
    return Interactions(users.astype(np.int32), item.astype(np.int32), rating, None, users, np.arange(n_items), Scale())


# Item 2 has three ratings, two of them relevant; items 0 and 3 have one each, of which that of item 3 is relevant; the others none.
DATA = rated((2, 5.0), (2, 4.0), (2, 1.0), (0, 2.0), (3, 5.0))


def axes_of(spec: str, study, tables, **further):
    with house_style():
        figure = Drawing.build(spec).draw(FigureData(study.own, tables, **further))
    return figure.axes


@pytest.fixture
def one_set(make_study, make_results):
    study = make_study(datasets={"Alpha-1M": "simulated"}, **PLAIN)
    return study, make_results(study)


def test_segments_hold_rated_items_by_popularity():
    rank, value = segment_means(DATA, np.array([10.0, 99.0, 30.0, 20.0, 99.0]), 2)
    # The first two of three items, then the third: items 2 and 0, and item 3.
    assert rank.tolist() == [1.5, 3]
    assert value.tolist() == [20, 20]
    assert len(segment_means(DATA, np.zeros(5), 100)[0]) == 3


def test_relevant_shares_fall_with_the_rank(one_set):
    study, tables = one_set
    [axes] = axes_of("relevant_share", study, tables, interactions={"Alpha-1M": DATA})
    curve, overall = axes.lines
    assert list(curve.get_xdata()) == [1, 2, 3]
    assert list(curve.get_ydata()) == pytest.approx([2 / 3, 0, 1])
    assert list(overall.get_ydata()) == pytest.approx([3 / 5] * 2)


def test_relevant_shares_need_ratings(one_set):
    study, tables = one_set
    unrated = Interactions(DATA.user, DATA.item, None, None, DATA.user_keys, DATA.item_keys, Scale())
    with pytest.raises(SpecError, match="no ratings, so none is relevant"):
        axes_of("relevant_share", study, tables, interactions={"Alpha-1M": unrated})


def test_a_profile_counts_the_test_ratings_of_each_item(one_set):
    study, tables = one_set
    roles = np.array([Role.TRAIN, Role.TEST, Role.TEST, Role.TRAIN, Role.TEST], dtype=np.uint8)
    found = axes_of(
        "split_profile(m=2)", study, tables, interactions={"Alpha-1M": DATA}, roles={("Alpha-1M", "random(ratio=0.5)"): roles}
    )
    ratings, tested, percentile = found[0].lines
    assert list(ratings.get_ydata()) == [3, 1, 1]
    assert list(tested.get_ydata()) == [2, 0, 1]
    assert percentile.get_xdata()[0] == 1.5
    assert found[0].get_title(loc="left") == "random(ratio=0.5)"


def test_bounds_lie_around_the_values(make_study, make_results):
    study = make_study(datasets={"Alpha-1M": "simulated"}, design={"targets": "one_r(n=5)"}, vary=SIZES, metrics=BOUNDED, **PLAIN)
    tables = make_results(study)
    Drawing.build("bounds(systems=kNN)").check(study.own)
    [axes] = axes_of("bounds(systems=kNN)", study, tables)
    rows = tables.summary[tables.summary["system"] == "kNN"]
    for side, shade in zip(("lower", "upper"), axes.collections, strict=True):
        limits = rows[rows["metric"] == f"Bound1R(side={side})@10"]["value"]
        drawn = shade.get_paths()[0].vertices
        assert set(np.round(limits, 9)) <= set(np.round(drawn[:, 1], 9))
        assert set(drawn[:, 0]) == {5, 10, 20}
    # The expected value of a random order, and the values.
    assert [len(line.get_xdata()) for line in axes.lines] == [2, 3]


def test_what_they_need_is_checked_before_any_job(make_study, approved):
    content = {"datasets": {"A": "simulated"}, "design": {"targets": "one_r(n=5)"}, "vary": SIZES, "metrics": BOUNDED, **PLAIN}
    two = {"datasets": {"A": "simulated", "B": "simulated(alpha=1)"}}
    refused = {
        "a metric is missing": ("bounds", {"metrics": ["P@10"]}),
        "another metric": ("bounds(y=nDCG@10)", {"metrics": [*BOUNDED, "nDCG@10"]}),
        "a system": ("bounds(systems=SVD)", {}),
        "no numbers": ("bounds(x=targets)", {"vary": {"targets": ["ar"]}}),
        "bounds of two data sets": ("bounds", two),
        "profiles of two data sets": ("split_profile", two),
    }
    approved(
        {
            name: refusal(partial(Drawing.build(spec).check, make_study(**{**content, **changes}).own), SpecError)
            for name, (spec, changes) in refused.items()
        }
    )
