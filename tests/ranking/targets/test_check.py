"""The step that checks targets before anything is fitted, and the one that ranks them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import RankingFiles, SideFiles
from recsens.artefacts.folds import write_interactions
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.pipeline.fitting import fit_recommender
from recsens.plugins.specs import parse
from recsens.ranking.targets import target_stream
from recsens.seeds import Origin, Stream
from recsens.vocabulary import Role, State
from recsens.workflow.steps.check_targets import check_targets
from recsens.workflow.steps.rank import RankingTask, rank

SIDES = [[2, 2, 0, 1, 0, 0], [2, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
RATINGS = [[5, 4, 0, 1, 0, 0], [2, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 3]]
"""User 0 likes two of five targets; user 1 likes none of six; user 2 has five targets and no test rating."""


@pytest.fixture
def data(tmp_path) -> dict[str, Any]:
    user, item = (codes.astype(np.int32) for codes in np.nonzero(SIDES))
    interactions = Interactions(user, item, np.array(RATINGS, dtype=float)[user, item], None, np.arange(3), np.arange(6), Scale())
    fold = Address(("seed-1", "x", "none", "random", "repeat-0"), results=tmp_path)
    files = fold.up_to("filter").data
    names = {"user_ids": list("abc"), "item_ids": list("uvwxyz"), "record": {}}
    write_interactions(interactions, **names, files=files)
    roles = np.where(np.array(SIDES)[user, item] == 1, Role.TRAIN, Role.TEST).astype(np.uint8)
    storage.write_table(fold.roles, schemas.ROLES, {"role": roles})
    return {"data": files, "roles": fold.roles}


EVERYBODY = "with_ratings(train=0)"
ORIGIN = Origin(1, "x", "repeat-0")


def record(data: dict[str, Any], targets: str, *relevances: float | None, users: str = EVERYBODY) -> list[dict]:
    path = Path(data["roles"]).with_name("record.json")
    audiences = [(relevance, users) for relevance in relevances]
    check_targets(**data, record=str(path), targets=targets, audiences=audiences, origin=ORIGIN)
    return storage.read_json(path, schemas.CHECK)["audiences"]


def test_all_relevant_in_numbers(data):
    assert record(data, "ar", None, 5, 2) == [
        {
            "relevance": 4,
            "user_selection": EVERYBODY,
            "users_averaged": 3,
            "mean_targets": 16 / 3,
            "relevant_ratings": 2,
            "users_with_relevant": 1,
            "expected_random_precision": pytest.approx(2 / 15),
        },
        {
            "relevance": 5,
            "user_selection": EVERYBODY,
            "users_averaged": 3,
            "mean_targets": 16 / 3,
            "relevant_ratings": 1,
            "users_with_relevant": 1,
            "expected_random_precision": pytest.approx(1 / 15),
        },
        {
            "relevance": 2,
            "user_selection": EVERYBODY,
            "users_averaged": 3,
            "mean_targets": 16 / 3,
            "relevant_ratings": 3,
            "users_with_relevant": 2,
            "expected_random_precision": pytest.approx((2 / 5 + 1 / 6) / 3),
        },
    ]


def test_one_relevant_in_numbers(data):
    # One user has relevant ratings, and so rankings.
    assert record(data, "one_r", None) == [
        {
            "relevance": 4,
            "user_selection": EVERYBODY,
            "users_averaged": 1,
            "mean_targets": 4,
            "relevant_ratings": 2,
            "users_with_relevant": 1,
            "expected_random_precision": 0.25,
        }
    ]
    assert record(data, "one_r(n=2)", None)[0]["expected_random_precision"] == pytest.approx(1 / 3)


def test_random_precision_is_expected_over_the_users_averaged(data):
    # User 0 has five targets, two of them relevant; users 1 and 2 have none, and user 1 no train rating.
    [found] = record(data, "ar", None, users="with_ratings")
    assert (found["users_averaged"], found["expected_random_precision"]) == (2, pytest.approx((2 / 5 + 0) / 2))
    [found] = record(data, "ar", None, users="with_ratings(relevant=1)")
    assert (found["users_averaged"], found["mean_targets"]) == (1, 5)
    assert found["expected_random_precision"] == pytest.approx(2 / 5)
    [found] = record(data, "ar", None, users="with_ratings(train=9)")
    assert (found["users_averaged"], found["expected_random_precision"]) == (0, None)


def test_under_one_relevant_only_ratings_of_users_averaged_are_described(data):
    # At 2, users 0 and 1 have relevant ratings; user 1 has no train rating and is not averaged.
    assert record(data, "one_r", 2)[0]["relevant_ratings"] == 3
    [found] = record(data, "one_r", 2, users="with_ratings")
    assert (found["users_averaged"], found["relevant_ratings"], found["mean_targets"]) == (1, 2, 4)
    assert found["expected_random_precision"] == 0.25


def test_percentiles_count_the_same(data):
    # By train ratings: 3, 5, 0 | 1, 2, 4. Item 0 is ranked with 5, item 1 with 2 and 4.
    assert record(data, "p1r(m=2)", None)[0]["expected_random_precision"] == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_samples_that_are_short_are_counted(data):
    # Apart from relevant items, user 0 has three items left, user 1 six and user 2 five.
    [found] = record(data, "ar(n=5)", None)
    assert {name: value for name, value in found.items() if "sample" in name or "short" in name} == {
        "sample_size": 5,
        "short_users": 1,
        "short_rankings": 1,
        "smallest_sample": 3,
        "mean_sample": pytest.approx(13 / 3),
        "mean_short_sample": 3,
    }
    # Only the averaged users count: under 1R, those with a relevant rating.
    [found] = record(data, "one_r(n=4)", None)
    assert (found["short_users"], found["short_rankings"], found["mean_sample"]) == (1, 2, 3)
    [found] = record(data, "ar(n=3)", None)
    assert (found["short_users"], found["smallest_sample"], found["mean_short_sample"]) == (0, 3, None)
    [found] = record(data, "ar(n=5)", None, users="with_ratings(train=9)")
    assert (found["short_users"], found["smallest_sample"], found["mean_sample"]) == (0, None, None)


def test_validation_ratings_are_no_targets(data):
    roles = np.array([Role.TEST, Role.VALIDATION, Role.TRAIN, Role.TEST, Role.TRAIN], dtype=np.uint8)
    storage.write_table(data["roles"], schemas.ROLES, {"role": roles})
    # User 0 has four targets left, one of them relevant; the others have six and five.
    [found] = record(data, "ar", None)
    assert found["mean_targets"] == 5
    assert found["expected_random_precision"] == pytest.approx((1 / 4) / 3)
    assert record(data, "one_r", None)[0]["mean_targets"] == 4
    lists = storage.read_table(ranked(data, "ar", "append(by=random)") / "lists-100.parquet", schemas.LISTS).to_pydict()
    assert {item for user, item in zip(lists["user"], lists["item"], strict=True) if user == 0} == {0, 2, 4, 5}


def test_what_cannot_be_is_refused(data):
    with pytest.raises(DesignError, match="relevance: 6 is above the highest rating"):
        record(data, "ar", 6)
    with pytest.raises(DesignError, match="n=4: 1 user has fewer"):
        record(data, "ar(n=4,short=refuse)", None)
    Path(data["data"].dataset).write_text('{"scale": {"lowest": 1, "highest": 9, "step": 1}}')
    with pytest.raises(DesignError, match="no test rating is relevant"):
        record(data, "one_r", 8)


def ranked(data: dict[str, Any], targets: str, nc: str, relevance: float | None = None) -> Path:
    folder = Path(data["roles"]).parent / "system" / "targets" / "nc" / "random"
    design = RankingTask("popularity", targets, relevance, nc, "random")
    made = {"ranking": RankingFiles.within(folder), "cost": str(folder / "cost.json")}
    rank(**data, **made, design=design, origin=ORIGIN)
    return folder


def test_the_step_fills_in_what_the_system_cannot_score(data):
    folder = ranked(data, "ar", "append(by=random)")
    found = storage.read_table(folder / "positions.parquet", schemas.POSITIONS).to_pydict()
    assert found["state"] == [State.FILLED] * 3
    assert found["score"] == [None] * 3
    lists = storage.read_table(folder / "lists-100.parquet", schemas.LISTS).to_pydict()
    own = [item for user, item in zip(lists["user"], lists["item"], strict=True) if user == 2]
    # Only item 3 was rated in train; the rest comes in the fallback's order, which has its own random stream.
    train = Interactions(*(np.empty(0, dtype=kind) for kind in ("i4", "i4", "f8")), None, np.arange(3), np.arange(6), Scale())
    fallback = fit_recommender("random", train, ORIGIN, stage="nc")
    scores = fallback.score(train, np.array([2]))[0]
    assert own == [3, *sorted([0, 1, 2, 4], key=lambda item: -scores[item])]
    assert not np.array_equal(fit_recommender("random", train, ORIGIN).score(train, np.array([2]))[0], scores)


def test_the_step_ranks_each_relevant_rating(data):
    folder = ranked(data, "one_r(n=2)", "drop", relevance=5)
    found = storage.read_table(folder / "positions.parquet", schemas.RATING_POSITIONS).to_pydict()
    assert (found["user"], found["item"], found["targets"], found["state"]) == ([0], [0], [3], [State.NC])
    assert len(storage.read_table(folder / "lists-100.parquet", schemas.LISTS)) == 0


def test_a_folder_whose_name_abbreviates_keeps_the_whole_text(data):
    spec = "one_r(draw=per_rating,items=test,n=2,negatives=unrated,sampling=popularity)"
    folder = ranked(data, spec, "drop", relevance=5)
    kept = parse(json.loads((folder.parents[1] / "spec.json").read_text(encoding="utf-8"))["spec"])
    assert kept == plugins.address("targets", parse(spec)).with_params(relevance=5)


def test_all_selections_draw_from_one_stream():
    assert target_stream(ORIGIN) == Stream.of(1, "x", "targets", "repeat-0")


def described(folder, users) -> SideFiles:
    """Write side information on the users; the items have none."""
    files = SideFiles.within(folder)
    storage.write_table(files.user_columns, schemas.SIDE_COLUMNS, {"key": np.arange(3), **users})
    storage.write_table(files.item_columns, schemas.SIDE_COLUMNS, {"key": np.arange(6)})
    return files


def test_an_average_weighted_by_a_column_that_is_not_there_is_refused(data, tmp_path):
    side = described(tmp_path, users={"visits": [1, 2, 3], "town": ["x", "y", "z"]})
    given = {**data, "side": [side], "record": str(tmp_path / "r.json"), "targets": "ar", "audiences": [(None, EVERYBODY)]}
    given["origin"] = ORIGIN
    check_targets(**given, user_columns=["visits"])
    for name, reason in (("town", "holds no numbers"), ("age", "is not among those of the data set's users")):
        with pytest.raises(DesignError, match=f"the column '{name}' {reason}") as refused:
            check_targets(**given, user_columns=[name])
        assert "allowed: visits, test, relevant and train" in str(refused.value)


def test_a_metric_that_reads_a_column_of_items_that_is_not_there_is_refused(data, tmp_path):
    side = described(tmp_path, users={})
    given = {**data, "side": [side], "record": str(tmp_path / "r.json"), "targets": "ar", "audiences": [(None, EVERYBODY)]}
    given["origin"] = ORIGIN
    with pytest.raises(DesignError, match="metrics: the column 'genres' is not among those of the data set's items"):
        check_targets(**given, metrics=["ILD(by=genres)"])
