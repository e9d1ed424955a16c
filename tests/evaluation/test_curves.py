"""Curves as points: worked by hand, and the areas below them."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from scipy.integrate import trapezoid

from metrics.rankings import STARS, built, judged, populations
from recsens.cli import main
from recsens.errors import DesignError, SpecError
from recsens.metrics import WHOLE
from recsens.runs.evaluation import curve, evaluate

RUN = (["ann"] * 2 + ["bob"] * 3, ["x", "y", "x", "y", "z"], [0.9, 0.8, 0.7, 0.6, 0.5])
QRELS = (["ann"] * 2 + ["bob"] * 3, ["x", "y", "x", "y", "z"], [5, 1, 5, 4, 1])


def points(of, run=RUN, qrels=QRELS, **decisions):
    return [tuple(row) for row in curve(run, qrels, of, **decisions).round(9).to_numpy().tolist()]


def area(found: pd.DataFrame) -> float:
    return float(trapezoid(found["y"], found["x"]))


def test_two_users_by_hand():
    third, two_thirds = round(1 / 3, 9), round(2 / 3, 9)
    assert points("croc") == [(0, 0), (0, two_thirds), (0.5, 1), (1, 1)]
    assert points("groc") == [(0, 0), (0, third), (0.5, third), (0.5, two_thirds), (0.5, 1), (1, 1)]
    # Both have their relevant items first.
    assert points("roc") == [(0, 0), (0, 1), (1, 1)]


def test_the_mean_of_two_curves_at_every_x():
    # Ann: miss, hit, miss. Bob: hit, miss, hit; his curve has no point at 1/2.
    run = (["ann"] * 3 + ["bob"] * 3, list("xyz") * 2, [3, 2, 1] * 2)
    qrels = (["ann"] * 3 + ["bob"] * 3, list("xyz") * 2, [1, 5, 1, 5, 1, 5])
    assert points("roc", run, qrels) == [(0, 0), (0, 0.25), (0.5, 0.25), (0.5, 0.75), (1, 0.75), (1, 1)]


def test_tied_items_are_a_slope():
    run = (["ann"] * 3, list("xyz"), [2, 2, 1])
    qrels = (["ann"] * 3, list("xyz"), [5, 1, 1])
    assert points("roc(ties=score)", run, qrels) == [(0, 0), (0.5, 1), (1, 1)]


def test_who_is_not_averaged_has_no_part():
    run, qrels = (["ann"] * 2, ["x", "y"], [2, 1]), (["ann", "ann", "bob"], ["x", "y", "x"], [5, 1, 5])
    # Bob has no list: he gets the value of chance, or no value.
    assert points("roc", run, qrels) == [(0, 0), (0, 0.5), (1, 1)]
    assert points("roc", run, qrels, no_list="skip") == [(0, 0), (0, 1), (1, 1)]
    assert points("roc(undefined=skip)", run, qrels) == [(0, 0), (0, 1), (1, 1)]
    assert points("roc(undefined=skip)", run, (["ann"], ["x"], [5])) == []


@pytest.mark.parametrize("name", ["groc", "croc", "roc"])
def test_one_kind_of_items_is_ordered_by_chance(name):
    assert points(name, RUN, (["ann"], ["x"], [5])) == [(0, 0), (1, 1)]


@settings(max_examples=60)
@given(populations(STARS))
def test_areas_are_the_metrics(users):
    seen = judged(users)
    for spec in ("AUC", "AUC(ties=score)", "AUC(undefined=skip)", "GROC", "CROC(form=area)"):
        found = built(spec).points(seen)
        values = built(spec).measure(seen, (WHOLE,))[:, 0]
        if np.isnan(values).all():
            assert len(found) == 0
            continue
        assert found[0].tolist() == [0, 0]
        assert found[-1] == pytest.approx([1, 1])
        assert (np.diff(found, axis=0) >= -1e-12).all()
        assert trapezoid(found[:, 1], found[:, 0]) == pytest.approx(np.nanmean(values), abs=1e-12)


def test_areas_are_the_values_of_the_evaluation():
    values = evaluate(RUN, QRELS, ["AUC", "GROC", "CROC(form=area)"]).means
    assert [area(curve(RUN, QRELS, of)) for of in ("roc", "groc", "croc")] == pytest.approx(list(values.values()))


def test_what_is_no_curve_is_refused():
    with pytest.raises(SpecError, match="unknown curve 'rok'; did you mean 'roc'"):
        curve(RUN, QRELS, "rok")
    with pytest.raises(DesignError, match="scores are not known"):
        built("GROC").points(replace(judged([]), score=None))


def test_the_command_writes_points(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, columns, value in (("a.csv", RUN, "score"), ("b.csv", RUN, "score"), ("test.csv", QRELS, "rating")):
        pd.DataFrame(dict(zip(("user", "item", value), columns, strict=True))).to_csv(name, index=False)
    done = CliRunner().invoke(main, ["evaluate", "a.csv", "b.csv", "test.csv", "--curve", "croc"])
    assert done.exit_code == 0, done.output
    found = pd.read_csv(io.StringIO(done.output))
    assert found.columns.tolist() == ["run", "x", "y"]
    assert found.groupby("run").size().to_dict() == {"a": 4, "b": 4}
    pd.testing.assert_frame_equal(found.loc[found["run"] == "b", ["x", "y"]].reset_index(drop=True), curve(RUN, QRELS, "croc"))


@pytest.mark.parametrize("of", ["roc", "groc", "croc"])
def test_no_point_of_a_curve_is_above_the_whole(of):
    rng = np.random.default_rng(0)
    for _ in range(60):
        n_users, n_items = rng.integers(1, 6), rng.integers(2, 30)
        pairs = np.repeat(np.arange(n_users), n_items), np.tile(np.arange(n_items), n_users)
        rating = rng.integers(0, 2, len(pairs[0]))
        rating[0] = 1
        points = curve((*pairs, rng.random(len(rating))), (*pairs, rating), of).to_numpy()
        assert points.min() == 0
        assert points.max() == 1
