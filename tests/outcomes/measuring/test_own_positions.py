"""The user's own positions: arrays, frames and rankings of a study, measured by one call."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from approved import refusal
from metrics.rankings import A, judged
from recsens.artefacts import schemas, storage
from recsens.errors import DataError, DesignError
from recsens.files.scale import Scale
from recsens.outcomes.measuring.own_positions import measure

NAN = np.nan
ROWS = {"user": [1, 0, 0], "position": [1, 2, 0], "rating": [1, 5, 4]}
"""User 0 likes the second item and one that is not ranked; user 1's first item is not liked; rows are in any order."""


def listed(found):
    return {name: values.tolist() for name, values in found.items()}


EXPECTED = {"RR": [0.5, 0], "P@1": [0, 0], "P@2": [0.5, 0], "SetP": [1 / 3, 0]}


@pytest.mark.parametrize(
    "positions",
    [
        tuple(ROWS.values()),
        ROWS,
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).replace({"position": {0: NAN}}),
        {**ROWS, "position": [1, 2, None]},
        {**ROWS, "position": np.ma.masked_array([1, 2, 1], [False, False, True])},
        {**ROWS, "position": pd.Series([1, 2, None], dtype="Int64")},
    ],
    ids=["arrays", "mapping", "frame", "NaN where an item is not ranked", "None there", "masked there", "missing there"],
)
def test_positions_of_any_form(positions):
    assert listed(measure(positions, ["RR", "P@1,2", "SetP"], ranked=3)) == EXPECTED
    assert listed(measure(positions, ["RR", "P@1,2", "SetP"], ranked=[3, 3])) == EXPECTED


def test_users_without_a_row_are_known_by_the_length_of_their_rankings():
    assert measure(ROWS, ["SetP"], ranked=[4, 2, 9])["SetP"].tolist() == [1 / 4, 0, 0]
    assert measure(([], [], []), ["P@5"], ranked=[4])["P@5"].tolist() == [0]


def test_what_is_seen_and_what_is_relevant():
    assert measure(ROWS, ["RR"], ranked=3, view="condensed")["RR"].tolist() == [1, 0]
    assert measure(ROWS, ["RR"], ranked=3, relevance=1)["RR"].tolist() == [0.5, 1]
    gain = {scale: measure(ROWS, ["RBP(gain=linear)@5"], ranked=3, scale=scale) for scale in (None, Scale(0, 10, 1))}
    assert [found["RBP(gain=linear)@5"][0] for found in gain.values()] == pytest.approx([0.2 * 0.8, 0.2 * 0.8 / 2])


def test_ratings_outside_the_scale_are_refused():
    for metric in ("ERR", "RBP(gain=linear)@5", "nDCG(gain=power)", "RR", "MAE(norm=range)"):
        for rows in ({**ROWS, "score": [1.0, 2.0, 3.0]}, judged([A], scale=Scale(0, 4, 1))):
            with pytest.raises(DesignError, match=r"^row \d, user 0: the rating 5 is outside the scale from 0 to 4\n"):
                measure(rows, [metric], ranked=3, scale=Scale(0, 4, 1))
    with pytest.raises(DesignError, match="a rating scale from 3 to 3"):
        measure(ROWS, ["RR"], ranked=3, scale=Scale(3, 3))


def test_ratings_that_are_not_known_are_relevant():
    assert measure(([0], [2], [NAN]), ["RR"], ranked=3)["RR"].tolist() == [0.5]


def test_scores_and_items_are_read_where_they_are():
    rows = {"user": [0, 0, 0], "position": [1, 2, 3], "rating": [3, 5, 1], "score": [2.0, 2.0, 1.0], "item": [7, 8, 9]}
    found = measure(rows, ["KendallTau(ties=score,variant=a)", "uMAE", "iMAE", "GROC"], ranked=3)
    assert [values[0] for values in found.values()] == pytest.approx([2 / 3, 4 / 3, 4 / 3, 0.75])
    with pytest.raises(DesignError, match="scores are not known"):
        measure(ROWS, ["GROC"], ranked=3)


HUGE = 2**63
"""Too large for a signed 64-bit integer."""


@pytest.mark.parametrize("items", [[HUGE + 2, HUGE + 1], [2**32 + 1, 1], [2**53 + 1, 2**53], [-7, 0]])
def test_items_are_told_apart_whatever_they_are_called(items):
    # Item 0 is missed by 4 and by 2, item 1 by 1: the mean of 3 and 1.
    rows = {"user": [0, 1, 1], "position": [1, 1, 2], "rating": [5, 5, 1], "score": [1.0, 3.0, 2.0]}
    kind = np.uint64 if max(items) > HUGE else np.int64
    found = measure({**rows, "item": np.array([items[0], items[0], items[1]], dtype=kind)}, ["iMAE"], ranked=3)
    assert found["iMAE"].tolist() == [2]


def test_items_that_lost_their_last_digits_are_refused():
    rows = {"user": [0, 0], "position": [1, 2], "rating": [5, 1], "score": [1.0, 2.0], "item": [2.0**53, 1.0]}
    with pytest.raises(DataError, match=r"^row 0, user 0: item 9\.007\d+e\+15, a floating-point number too large to be exact"):
        measure(rows, ["iMAE"], ranked=3)


@pytest.mark.parametrize("ranked", [3, [3, 3]])
@pytest.mark.parametrize("user", [HUGE, HUGE + 1, 2**31])
def test_users_beyond_any_number_of_rows_are_refused_by_their_own_number(user, ranked):
    with pytest.raises(DataError) as refused:
        measure((np.array([0, user], dtype=np.uint64), [1, 1], [5, 1]), ["RR"], ranked=ranked)
    assert str(refused.value).startswith(f"a user is numbered {user}\n  allowed: whole numbers from 0 to 2147483647\n")


def test_what_is_judged_already_is_measured_as_it_is():
    assert measure(judged([A]), ["AP"])["AP"].tolist() == pytest.approx([0.46875])


UNFIT = {
    "no lengths": (ROWS, {"ranked": None}),
    "no ratings": ({"user": [0], "position": [1]}, {}),
    "two columns": (([0], [1]), {}),
    "different lengths": (([0, 1], [1], [5]), {}),
    "users by name": ((["ann"], [1], [5]), {}),
    "a user too many": (([2], [1], [5]), {"ranked": [3, 3]}),
    "a user below 0": (([-1], [1], [5]), {"ranked": [3, 3]}),
    "a user below 0 of unknown lengths": (([-1], [1], [5]), {}),
    "below the end": (([0], [4], [5]), {}),
    "nested columns": (([[0]], [[1]], [[5]]), {}),
    "positions in words": (([0], ["first"], [5]), {}),
    "a number": (3, {}),
}
ROW_FAULTS: dict[str, dict[str, list[float]]] = {
    "a position twice": {"position": [1, 2, 2]},
    "a position between two": {"position": [1, 2.5, 0]},
    "a position below 0": {"position": [-1, 2, 0]},
    "a position below the end": {"position": [4, 2, 0]},
    "an infinite position": {"position": [1, np.inf, 0]},
    "an infinite rating": {"rating": [1, 5, -np.inf]},
    "a missing rating": {"rating": [1, NAN, 4]},
    "a missing item": {"item": [1, 2, NAN]},
}
LENGTHS = [[NAN, 100], [3, -2], 2.5, -1, {0: 100, 1: 3}, [[3, 3]]]
OPTIONS: list[dict[str, object]] = [
    *({"metrics": metrics} for metrics in (None, 5, [], [5], ["Gini@10"], ["wat@3"])),
    *({"relevance": relevance} for relevance in (NAN, True, -3, "4", 9)),
    {"view": "condense"},
]


def test_what_is_refused(approved):
    calls = {case: (positions, {"ranked": 3, **options}) for case, (positions, options) in UNFIT.items()}
    calls |= {case: ({**ROWS, **changed}, {"ranked": [4, 3]}) for case, changed in ROW_FAULTS.items()}
    calls |= {f"ranked={ranked}": (ROWS, {"ranked": ranked}) for ranked in LENGTHS}
    calls |= {", ".join(f"{k}={v}" for k, v in options.items()): (ROWS, {"ranked": 3, **options}) for options in OPTIONS}
    approved({case: refusal(partial(measure, rows, **{"metrics": ["RR"], **more})) for case, (rows, more) in calls.items()})


@pytest.fixture
def ranking(tmp_path: Path) -> Path:
    """Write a ranking as a study does: below its data set, next to its users."""
    path = tmp_path / "results/seed-0/data/filter/split/repeat-0/system/targets/nc/random/positions.parquet"
    columns = {"user": [0, 0, 1], "item": [3, 4, 3], "rating": [5, 4, 1], "score": [0.5, None, 0.7], "position": [2, None, 1]}
    storage.write_table(path, schemas.POSITIONS, {**columns, "above": [1, None, 0], "tied": [0, None, 0], "state": [0, 2, 0]})
    counts = {"train": [1, 1], "test": [2, 1], "targets": [4, 4], "scored": [3, 3], "filled": [0, 0]}
    storage.write_table(path.with_name("users.parquet"), schemas.RANKED_USERS, counts)
    storage.write_json(
        tmp_path / "results/seed-0/data/filter/dataset.json", {"scale": {"lowest": 0, "highest": 10, "step": 1}}, schemas.DATASET
    )
    return path


def test_a_ranking_of_a_study_brings_its_lengths_and_its_scale(ranking):
    assert listed(measure(ranking, ["RR", "P@1,2", "SetP"], relevance=4)) == EXPECTED
    assert not measure(str(ranking), ["RR"])["RR"].any(), "relevant from 8 of 10 on"
    frames = pd.read_parquet(ranking), pd.read_parquet(ranking.with_name("users.parquet"))
    assert listed(measure(frames[0], ["RR", "P@1,2", "SetP"], ranked=frames[1]["scored"])) == EXPECTED


def test_a_ranking_of_ratings_is_none_of_users(ranking):
    table = storage.read_table(ranking, schemas.POSITIONS)
    columns = {name: table.column(name) for name in table.column_names}
    storage.write_table(
        ranking, schemas.RATING_POSITIONS, {**columns, **dict.fromkeys(("targets", "ranked", "percentile"), [1] * 3)}
    )
    with pytest.raises(DesignError, match="per relevant rating"):
        measure(ranking, ["RR"])


def test_a_metric_may_be_given_alone():
    assert measure(([0, 0], [1, 2], [1, 5]), "RR", ranked=3)["RR"].tolist() == [0.5]
