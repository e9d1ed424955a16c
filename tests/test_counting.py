"""Who is counted under a design, by hand: averaged users, those who can score above zero, lost ratings, and weights."""

from pathlib import Path

import numpy as np
import pytest

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import PositionFiles
from recsens.outcomes.counting import user_count_rows
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.summary import Outcomes
from recsens.plugins.specs import parse
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.study import Study
from recsens.study.designs import expand, folds
from recsens.testing import from_rows
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.count_users import count_users
from recsens.workflow.steps.measure import measure

X = None
STREAM = Stream.of(2, "counting")
ADDRESSES = {"S": parse("simulated")}

# Four items. Users 0 and 1 like three and one of their test items; user 2 likes none. User 3 has no train, user 4 no test rating.
TRAIN = from_rows([[X, X, X, 3], [3, X, X, X], [X, 3, X, X], [X, X, X, X], [3, 3, X, X]])
TEST = from_rows([[5, 4, 4, X], [X, 1, 5, X], [2, X, X, 1], [5, X, X, X], [X, X, X, X]])


class Given(Recommender):
    """Scores written down beforehand."""

    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return self._learned["scores"][users]


SCORES = {
    "random": np.arange(20.0).reshape(5, 4),
    # Item 1 has no score for anybody, and user 1 has no scores at all.
    "popularity": np.where(np.arange(5)[:, None] == 1, np.nan, [[4.0, np.nan, 3.0, 2.0]] * 5),
}


@pytest.fixture
def study_of(tmp_path, monkeypatch):
    """Rank and measure; return the study, its measures and its outcomes."""
    monkeypatch.chdir(tmp_path)

    def make(**changes: object) -> tuple[Study, Measured, Outcomes]:
        base = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"A": "random", "B": "popularity"}, "metrics": ["P@2"]}
        study = Study.model_validate({**base, **changes})
        designs = expand(study, ADDRESSES)["S"]
        seen: dict[str, dict[tuple, None]] = {}
        for design in designs:
            for spec in study.systems.values():
                folder = str(design.ranking_folder(folds(design)[0], spec))
                if folder not in seen:
                    write_ranking(Path(folder), SCORES[spec.name], str(design.targets))
                seen.setdefault(folder, {})[design.view, design.relevance] = None
        files = {
            "rankings": [
                PositionFiles(f"{folder}/positions.parquet", f"{folder}/users.parquet", "dataset.json") for folder in seen
            ],
            "cells": [list(cells) for cells in seen.values()],
        }
        storage.write_json("dataset.json", {"scale": {"lowest": 1, "highest": 5, "step": 1}}, schemas.DATASET)
        by_rating = any(plugins.build("targets", design.targets).unit == "rating" for design in designs)
        count_ratings(**files, population="population.parquet", depths=[2] if by_rating else [])
        measure(**files, measures="p.parquet", metric="P", cutoffs=[2])
        measured = Measured.read({"P": "p.parquet"}, "population.parquet")
        return study, measured, Outcomes(study, ADDRESSES, measured)

    return make


def write_ranking(folder: Path, scores: np.ndarray, targets: str) -> None:
    chosen = plugins.build("targets", targets)
    found = rank(
        Given().restore({"scores": scores}),
        TRAIN,
        TEST,
        targets=chosen,
        relevance=4,
        ties="low_index",
        nc=Drop(),
        fallback=None,
        list_depth=3,
        tie_stream=STREAM,
        target_stream=STREAM,
    )
    folder.mkdir(parents=True)
    schema = schemas.RATING_POSITIONS if chosen.unit == "rating" else schemas.POSITIONS
    storage.write_table(folder / "positions.parquet", schema, found.positions)
    storage.write_table(folder / "users.parquet", schemas.RANKED_USERS, found.users)


def only(rows: list[dict], **wanted: object) -> dict:
    """Return the only row with these values."""
    [row] = [row for row in rows if wanted.items() <= row.items()]
    return row


def test_users_averaged_are_told_apart_by_what_they_can_score(study_of):
    study, measured, _ = study_of(vary={"users": ["with_ratings(relevant=1)", "with_ratings(train=0)"]})
    rows = user_count_rows(Outcomes(study, ADDRESSES, measured))
    names = ("users", "averaged", "with_test", "with_relevant", "test_ratings", "lost_ratings", "effective_users")
    found = {row["user_selection"]: [row[name] for name in names] for row in rows}
    # User 3 has one of eight test ratings and no train rating; user 2, with two of them, likes neither.
    assert found == {
        "with_ratings": [5, 4, 3, 2, 8, 1, 4],
        "with_ratings(relevant=1)": [5, 2, 2, 2, 8, 3, 2],
        "with_ratings(train=0)": [5, 5, 4, 3, 8, 0, 5],
    }
    assert rows[0]["share_lost"] == 1 / 8
    assert [row["is_base"] for row in rows] == [True, False, False]
    assert {(row["fold"], row["systems"], row["rankings"]) for row in rows} == {("repeat-0", "all", None)}


def test_under_one_relevant_only_users_with_a_ranking_are_averaged(study_of):
    study, measured, _ = study_of(design={"targets": "one_r"})
    [row] = user_count_rows(Outcomes(study, ADDRESSES, measured))
    assert (row["averaged"], row["with_relevant"], row["rankings"]) == (2, 2, 4)
    # The ratings of user 2, none of them relevant, and of user 3.
    assert row["lost_ratings"] == 3
    # Three ratings and one: 16 / 10.
    assert row["effective_users"] == pytest.approx(1.6)
    assert row["ratings_by_percentile"] is None


def test_percentiles_say_how_many_ratings_they_hold(study_of):
    # By train ratings: items 0 and 1 with two each, then 3 with one and 2 with none.
    study, measured, _ = study_of(design={"targets": "p1r(m=4)"})
    [row] = user_count_rows(Outcomes(study, ADDRESSES, measured))
    assert row["ratings_by_percentile"] == "1 1 0 2"
    # User 0 has the first two and half of the last percentile, user 1 the other half: 2.5 and .5.
    assert row["effective_users"] == pytest.approx(9 / (6.25 + 0.25))


def test_a_last_percentile_without_ratings_is_a_zero(study_of, monkeypatch):
    # Item 2, the only one in the last percentile, is no longer liked.
    monkeypatch.setitem(globals(), "TEST", from_rows([[5, 4, X, X], *[[X, X, X, X]] * 4]))
    study, measured, _ = study_of(design={"targets": "p1r(m=4)"})
    assert user_count_rows(Outcomes(study, ADDRESSES, measured))[0]["ratings_by_percentile"] == "1 1 0 0"


def test_weighted_users_are_fewer_than_they_are(study_of):
    study, measured, found = study_of(design={"aggregate": "weighted(by=test)"})
    # The averaged users have weights 3, 2, 2 and 0: 49 / 17.
    assert user_count_rows(Outcomes(study, ADDRESSES, measured))[0]["effective_users"] == pytest.approx(49 / 17)
    assert only(found.summary(), system="A")["effective_users"] == pytest.approx(49 / 17)
    whole, own = found.comparisons()
    assert whole["effective_users"] == own["effective_users"] == pytest.approx(49 / 17)
    assert whole["users"] == 3


def test_users_of_weight_zero_are_not_averaged(study_of):
    study, measured, found = study_of(vary={"aggregate": ["weighted", "weighted(by=relevant)"]})
    names = ("averaged", "with_test", "with_relevant", "test_ratings", "lost_ratings")
    rows = {row["aggregate"]: [row[name] for name in names] for row in user_count_rows(Outcomes(study, ADDRESSES, measured))}
    # User 4 has no test rating. User 2 has two and likes neither; user 3, who has one, is not admitted.
    assert rows == {"mean": [4, 3, 2, 8, 1], "weighted": [3, 3, 2, 8, 1], "weighted(by=relevant)": [2, 2, 2, 8, 3]}
    for row in found.comparisons():
        assert row["users"] == only(found.summary(), system="A", aggregate=row["aggregate"])["n_users"] == rows[row["aggregate"]][0]


def test_users_of_equal_weight_are_as_many_as_they_are(study_of):
    _, _, found = study_of(vary={"coverage": ["reduced"]})
    for row in found.summary():
        assert row["effective_users"] == row["n_users"]
    for row in found.comparisons():
        assert row["effective_users"] == row["users"]


def test_a_selection_that_differs_by_system_is_counted_by_system(study_of, monkeypatch):
    study, measured, _ = study_of()
    monkeypatch.setattr("recsens.comparison.users.with_ratings.WithRatings.admit", lambda users, known: known.listed > 0)
    rows = user_count_rows(Outcomes(study, ADDRESSES, measured))
    # B lists nothing for user 1.
    assert [(row["systems"], row["averaged"]) for row in rows] == [("A", 5), ("B", 4)]


def test_coverage_of_condensed_rankings_is_over_users_with_judged_items(study_of):
    _, _, found = study_of(design={"view": "condensed"})
    row = only(found.summary(), system="B")
    # Users 0, 1 and 2 have test ratings, and user 1 has no ranking; user 4, who is averaged too, has nothing to cover.
    assert row["n_users"] == 4
    assert row["user_coverage"] == pytest.approx(2 / 3)
    # Items 0 and 2 of user 0, items 0 and 3 of user 2; nothing of user 1.
    assert row["coverage_at_cutoff"] == pytest.approx(4 / 6)
    assert np.isnan(row["rating_coverage"])


def test_coverage_under_one_relevant_is_the_share_of_relevant_ratings_ranked(study_of):
    _, _, found = study_of(design={"targets": "one_r"})
    row = only(found.summary(), system="B")
    # Of items 0, 1 and 2 of user 0, item 1 has no score; item 2 of user 1 neither.
    assert row["rating_coverage"] == pytest.approx(2 / 4)
    # User 0 has no item but these and one of train: rankings of one item, of none, of one; user 1 has none.
    assert row["coverage_at_cutoff"] == pytest.approx(2 / 8)
    assert np.isnan(row["user_coverage"])
    assert only(found.summary(), system="A")["rating_coverage"] == 1


def test_the_step_writes_one_row_a_design_and_fold(study_of, tmp_path):
    study_of()
    (tmp_path / "study.yaml").write_text(
        "title: t\ndatasets: {S: simulated}\nsystems: {A: random, B: popularity}\nmetrics: [P@2]\n", encoding="utf-8"
    )
    count_users(study="study.yaml", population="population.parquet", counted="counted.csv", addresses={"S": "simulated"})
    head, row = (tmp_path / "counted.csv").read_text().splitlines()
    assert head.startswith("dataset,fold,systems,users,averaged,with_test,with_relevant,effective_users,test_ratings,lost_ratings,")
    assert row.startswith("S,repeat-0,all,5,4,3,2,4.0,8,1,0.125,,,")
