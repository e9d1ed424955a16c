"""Measures: rankings of ratings turned into values of users, cells in blocks, test sets thinned by a mask."""

from pathlib import Path

import numpy as np
import pytest

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import PositionFiles
from recsens.errors import ArtefactError
from recsens.metrics import Metric, parse_measured_at
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.measuring.stored_rankings import CELL, POPULATION, Cell, RankedUsers, cell_columns, walk
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.testing import from_rows
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.measure import measure

X = None
STREAM = Stream.of(2, "measures")


class Given(Recommender):
    """Scores written down beforehand."""

    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return self._learned["scores"][users]


def files(folder: Path, scores, train, test, targets: str, relevance: float = 4) -> PositionFiles:
    """Rank and write."""
    chosen = plugins.build("targets", targets)
    found = rank(
        Given().restore({"scores": np.asarray(scores, dtype=float)}),
        train,
        test,
        targets=chosen,
        relevance=relevance,
        ties="low_index",
        nc=Drop(),
        fallback=None,
        list_depth=3,
        tie_stream=STREAM,
        target_stream=STREAM,
    )
    folder.mkdir(parents=True, exist_ok=True)
    names = PositionFiles(*(str(folder / name) for name in ("positions.parquet", "users.parquet", "dataset.json")))
    schema = schemas.RATING_POSITIONS if chosen.unit == "rating" else schemas.POSITIONS
    storage.write_table(names.positions, schema, found.positions)
    storage.write_table(names.users, schemas.RANKED_USERS, found.users)
    scale = train.scale
    storage.write_json(
        names.dataset, {"scale": {"lowest": scale.lowest, "highest": scale.highest, "step": scale.step}}, schemas.DATASET
    )
    return names


def by_metric(ranked: RankedUsers, spec: str, *cutoffs: int, relevance: float | None = None) -> np.ndarray:
    metric: Metric = plugins.build("metric", spec)
    return ranked.grouped(metric.measure(ranked.judged("full", relevance), cutoffs))


# User 0: relevant items score .9 and .4, others .8, .5 and .3; user 1: one relevant item on top; user 2: none relevant.
SCORES = [[0.9, 0.4, 0.8, 0.5, 0.3], [0.1, 0.9, 0.2, 0.3, 0.4], [0.1, 0.9, 0.2, 0.3, 0.4]]
TRAIN = from_rows([[X] * 5] * 3)
TEST = from_rows([[5, 4, X, X, X], [X, 5, X, 1, X], [X, X, 2, X, X]])


def test_a_vector_worked_by_hand(tmp_path):
    ranked = RankedUsers.read(*files(tmp_path, SCORES, TRAIN, TEST, "one_r"))
    assert ranked.weights.tolist() == [[2, 1, 0]]
    precision = by_metric(ranked, "P", 2)
    assert precision.shape == (1, 3, 1)
    # One hit of two in lists of two, hence 1/2 · 1/2; a hit, hence 1/2; nothing.
    assert precision[0, :, 0].tolist() == [0.25, 0.5, 0]
    # The second relevant item is ranked third among its own targets: .8 and .5 are above.
    assert by_metric(ranked, "nDCG", 10)[0, :, 0] == pytest.approx([(1 + 1 / np.log2(4)) / 2, 1, 0])


def test_all_relevant_of_the_same_data_for_comparison(tmp_path):
    ranked = RankedUsers.read(*files(tmp_path, SCORES, TRAIN, TEST, "ar"))
    assert ranked.weights.tolist() == [[1, 1, 1]]
    assert by_metric(ranked, "P", 2)[0, :, 0].tolist() == [0.5, 0.5, 0]


def test_percentiles_are_kept_apart(tmp_path):
    # Three items of two ratings and two of one: percentiles {0, 1, 2} and {3, 4}.
    train = from_rows([[X] * 5, [X] * 5, [X] * 5, [3] * 5, [3, 3, 3, X, X]])
    test = from_rows([[5, X, X, 5, 5], [X, X, 5, X, X], [X] * 5, [X] * 5, [X] * 5])
    scores = [[0.5, 0.6, 0.1, 0.9, 0.2], [0.9, 0.8, 0.7, 0.6, 0.5], *[[0.0] * 5] * 3]
    ranked = RankedUsers.read(*files(tmp_path, scores, train, test, "p1r(m=2)"))
    assert ranked.weights.tolist() == [[1, 1, 0, 0, 0], [2, 0, 0, 0, 0]]
    # Item 0 is second among 1 and 2, item 2 last; 3 and 4 are alone, because the other one is relevant.
    assert by_metric(ranked, "P", 1)[..., 0].tolist() == [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
    assert by_metric(ranked, "P", 2)[..., 0].tolist() == [[0.5, 0, 0, 0, 0], [0.5, 0, 0, 0, 0]]


def test_files_hold_blocks_of_users_and_only_the_cells_asked_for(tmp_path):
    train = from_rows([[X] * 4, [X] * 4, [3, 3, X, X]])
    test = from_rows([[5, X, 3, X], [X, X, 5, 5], [X] * 4])
    scores = [[0.4, 0.3, 0.2, 0.1]] * 3
    rankings = [files(tmp_path / name, scores, train, test, spec) for name, spec in (("a", "ar"), ("b", "p1r(m=2)"))]
    cells = [[["condensed", None], ["full", 3.0]], [["full", None]]]
    measure(rankings=rankings, measures=str(tmp_path / "m.parquet"), metric="P", cutoffs=(1, 2), cells=cells)
    count_ratings(rankings=rankings, population=str(tmp_path / "p.parquet"), cells=cells)
    found = storage.read_table(tmp_path / "m.parquet", CELL).to_pydict()
    known = storage.read_table(tmp_path / "p.parquet", POPULATION).to_pydict()
    for table in (found, known):
        assert [str(Path(name).name) for name in table["ranking"]] == ["a"] * 6 + ["b"] * 6
        assert table["view"] == ["condensed"] * 3 + ["full"] * 9
        assert table["relevance"] == [None] * 3 + [3.0] * 3 + [None] * 6
        assert table["user"] == [0, 1, 2] * 4
    assert found["@1"][:6] == [1, 1, 0, 1, 0, 0]
    assert found["@1"][6:] == [1, 0, 0, 0, 1, 0]
    assert known["weight"] == [1] * 6 + [1, 0, 0, 0, 2, 0]
    assert known["relevant"] == [1, 2, 0, 2, 2, 0, *[1, 2, 0] * 2]
    assert known["test"] == [2, 2, 0] * 4
    assert known["train"] == [0, 0, 2] * 4
    assert known["listed"] == [2, 2, 0, 4, 4, 2, *[3, 2, 2] * 2]


@pytest.mark.parametrize(
    ("targets", "view", "expected"),
    [
        # Two, one and no relevant items among five targets.
        ("ar", "full", [[2 / 5, 1 / 5, 0]]),
        # Only among the judged targets: lists of two, two and one.
        ("ar", "condensed", [[2 / 2, 1 / 2, 0]]),
        # User 1's disliked item is not a target.
        ("ar(negatives=unrated)", "full", [[2 / 5, 1 / 4, 0]]),
        # Each relevant item among the non-relevant ones: three of user 0, four of user 1.
        ("one_r", "full", [[1 / 4, 1 / 5, 0]]),
        ("one_r(n=1)", "full", [[1 / 2, 1 / 2, 0]]),
    ],
)
def test_a_random_order_is_expected_to_be_as_precise_as_targets_are_dense(tmp_path, targets, view, expected):
    # Items without a score are targets too: the expected value depends on the design, not on what a system leaves out.
    scores = [[np.nan, *row[1:]] for row in SCORES]
    rankings = [files(tmp_path, scores, TRAIN, TEST, targets)]
    measure(rankings=rankings, measures=str(tmp_path / "m.parquet"), metric="P", cutoffs=(1,), cells=[[[view, None]]])
    measures = Measured.read({"P": str(tmp_path / "m.parquet")}, _population(tmp_path, rankings, view))
    cell = Cell(str(tmp_path), view, None)
    found = measures.at_random(cell, parse_measured_at("P@1")[0])
    assert found == pytest.approx(np.array(expected))


def _population(folder: Path, rankings: list[PositionFiles], view: str) -> str:
    count_ratings(rankings=rankings, population=str(folder / "p.parquet"), cells=[[[view, None]]])
    return str(folder / "p.parquet")


@pytest.mark.parametrize(
    ("targets", "view", "rankings", "covered", "filled"),
    [
        # Everybody has five targets, and all have scores.
        ("ar", "full", [1, 1, 1], [1, 1, 1], [2, 2, 2]),
        ("ar", "condensed", [1, 1, 1], [1, 1, 1], [2, 2, 1]),
        # The only test item of user 2 is disliked and therefore not a target: condensed, there is nothing to rank.
        ("ar(negatives=unrated)", "full", [1, 1, 1], [1, 1, 1], [2, 2, 2]),
        ("ar(negatives=unrated)", "condensed", [1, 1, 0], [1, 1, 0], [2, 1, 0]),
        ("one_r", "full", [2, 1, 0], [2, 1, 0], [4, 2, 0]),
    ],
)
def test_what_there_is_to_cover_is_what_could_be_ranked(tmp_path, targets, view, rankings, covered, filled):
    ranked = RankedUsers.read(*files(tmp_path, SCORES, TRAIN, TEST, targets))
    found = ranked.cover(view, ranked.judged(view, None), (2,))
    assert [found.rankings.tolist(), found.covered.tolist(), found.filled[2].tolist()] == [[rankings], [covered], [filled]]


def test_rankings_made_for_another_threshold_are_noticed(tmp_path):
    ranked = RankedUsers.read(*files(tmp_path, SCORES, TRAIN, TEST, "one_r"))
    with pytest.raises(ArtefactError, match="ratings below 5 have rankings"):
        ranked.judged("full", 5)


def test_cells_need_one_list_a_ranking():
    with pytest.raises(ValueError, match="zip"):
        list(walk([PositionFiles("p", "u", "d")], []))


def test_columns_repeat_users_group_by_group():
    cells = [Cell("a", "full", None), Cell("b", "full", 4.0)]
    columns = cell_columns(cells, [2, 3], [2, 1])
    assert columns["user"].tolist() == [0, 1, 0, 1, 0, 1, 2]
    assert columns["ranking"].to_pylist() == ["a"] * 4 + ["b"] * 3


# Thinning


def crowd(seed: int):
    rng = np.random.default_rng(seed)
    sides = rng.choice([0, 1, 2], (23, 30), p=[0.5, 0.2, 0.3])
    ratings = rng.integers(1, 6, sides.shape)
    train = from_rows([[int(r) if s == 1 else X for s, r in zip(*row, strict=True)] for row in zip(sides, ratings, strict=True)])
    test = from_rows([[int(r) if s == 2 else X for s, r in zip(*row, strict=True)] for row in zip(sides, ratings, strict=True)])
    return rng.integers(0, 9, sides.shape) / 9, train, test, rng.random(len(test)) < 0.4


@pytest.mark.parametrize(("targets", "is_alike"), [("ar", True), ("ar(items=train)", True), ("ar(items=test)", False)])
def test_a_mask_is_ranking_the_thinned_test_set_unless_targets_look_at_it(tmp_path, targets, is_alike):
    scores, train, test, kept = crowd(1)
    kept &= test.item > 4
    whole = RankedUsers.read(*files(tmp_path / "whole", scores, train, test, targets))
    anew = RankedUsers.read(*files(tmp_path / "thin", scores, train, test.take(kept), targets))
    assert plugins.build("targets", targets).uses_test is not is_alike
    assert (whole.position[kept] == anew.position).all() == is_alike
