"""Compact scores in a study: the same positions as from a table of the same scores, stored as they were written."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DataError
from recsens.ranking import Rankings, rank
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders import Extent, learn
from recsens.recommenders._score_file_arrays import form_of, learnt_from, scores_for
from recsens.recommenders._score_file_match import Counts
from recsens.recommenders.from_file import FromFile
from recsens.seeds import Stream
from recsens.testing import crowd
from score_files.written import write, write_mapped

RNG = np.random.default_rng(1)
USERS, ITEMS = 12, 15


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def people(seed: int = 0) -> Interactions:
    """Return ratings of a dozen users, with names; half of them are the train set."""
    everything = crowd(USERS, ITEMS, share=0.6, seed=seed)
    names = {"user_ids": [f"u{n}" for n in range(USERS)], "item_ids": [f"i{n}" for n in range(ITEMS)]}
    return replace(everything, **{name: np.array(ids, dtype=np.object_) for name, ids in names.items()})


def sides(seed: int = 0) -> tuple[Interactions, Interactions]:
    everything = people(seed)
    in_train = np.random.default_rng(seed).random(len(everything)) < 0.5
    return everything.take(in_train), everything.take(~in_train)


def fitted(train: Interactions, name: str, **params: Any) -> FromFile:
    return FromFile(path=name, least_matched=0, unknown_items="move_up", **params).on_fold("repeat-0").fit(train, RNG)


def scores(train: Interactions, name: str, **params: Any) -> np.ndarray:
    recommender = fitted(train, name, **params)
    kept = FromFile(path=name, **params).restore(recommender.learned)
    everyone = kept.score(train, np.arange(train.n_users))
    # A user's scores do not depend on the others in the call.
    for users in (np.arange(5), np.array([7, 2])):
        np.testing.assert_array_equal(kept.score(train, users), everyone[users])
    return everyone


def ranked(recommender: FromFile, train: Interactions, test: Interactions) -> Rankings:
    return rank(
        recommender,
        train,
        test,
        targets=Targets.build("ar"),
        relevance=3,
        ties="random",
        nc=NotComputable.build("drop"),
        fallback=None,
        list_depth=5,
        tie_stream=Stream.of(0, "ties"),
        target_stream=Stream.of(0, "targets"),
    )


def same_as_a_table(name: str, users: np.ndarray, items: np.ndarray, values: np.ndarray, train: Interactions, test: Interactions):
    """Compare positions, counts, lists and matched names with those from a table of the same scores."""
    row, column = np.nonzero(~np.isnan(values))
    pd.DataFrame({"user": users[row], "item": items[column], "score": values[row, column]}).to_csv("table.csv", index=False)
    found, expected = fitted(train, name), fitted(train, "table.csv")
    rankings = [ranked(each, train, test) for each in (found, expected)]
    for part in ("positions", "users", "lists"):
        ours, theirs = (getattr(each, part) for each in rankings)
        for name_of_column in theirs:
            np.testing.assert_array_equal(*(np.ma.filled(each[name_of_column], -1) for each in (ours, theirs)))
    matching, others = found.matching, expected.matching
    assert matching is not None
    assert others is not None
    np.testing.assert_array_equal(matching.has_row, others.has_row)
    return matching.counts, others.counts


@st.composite
def files(draw: st.DrawFn) -> dict[str, Any]:
    """Draw names in any order, some of them unknown to the data and some missing, and small numbers that often tie."""
    seed = draw(st.integers(0, 20))
    some_users = draw(st.permutations([f"u{n}" for n in range(USERS)]))[: draw(st.integers(6, USERS))]
    some_items = draw(st.permutations([f"i{n}" for n in range(ITEMS)]))[: draw(st.integers(6, ITEMS))]
    users, items = [*some_users, "stranger"], [*some_items, "unheard"]
    rng = np.random.default_rng(seed)
    factors = rng.integers(-2, 3, (len(users), 3)), rng.integers(-2, 3, (len(items), 3)), rng.integers(-1, 2, len(items))
    return {"seed": seed, "users": np.array(users), "items": np.array(items), "factors": factors, "holes": rng.random() < 0.5}


@settings(max_examples=15)
@given(files(), st.sampled_from([np.float16, np.float32, np.float64]))
def test_each_form_ranks_as_a_table_of_the_same_scores(file, dtype):
    train, test = sides(file["seed"])
    users, items, (p, q, b) = file["users"], file["items"], file["factors"]
    # Small whole numbers are exact in every precision.
    values = (p @ q.T + b + 2.0).astype(np.float64)
    vectors = {"user_factors": p.astype(dtype), "item_factors": q.astype(dtype)}
    biases = {"item_biases": b.astype(dtype), "user_biases": np.ones(len(users), dtype), "global_bias": dtype(1)}
    write("f.npz", "factors", users=users, items=items, **vectors, **biases)
    counts, of_table = same_as_a_table("f.npz", users, items, values, train, test)
    assert counts == of_table
    if file["holes"]:
        values[np.random.default_rng(3).random(values.shape) < 0.3] = np.nan
        values[0] = np.nan
    if np.isnan(values[:-1, :-1]).all():
        return
    write("d.npz", "dense", users=users, items=items, scores=values.astype(dtype))
    write_mapped(Path("m.npy"), values.astype(dtype), users, items)
    for name in ("d.npz", "m.npy"):
        counts, of_table = same_as_a_table(name, users, items, values, train, test)
        # A table names only users and items that have a score; a matrix may name others.
        assert (counts.file_scores, counts.unknown_scores) == (of_table.file_scores, of_table.unknown_scores)
        assert (counts.items, counts.items_without) == (of_table.items, of_table.items_without)
    row, column = np.nonzero(~np.isnan(values))
    indptr = np.searchsorted(row, np.arange(len(users) + 1))
    write("l.npz", "lists", users=users, items=items, indptr=indptr, indices=column, scores=values[row, column].astype(dtype))
    assert same_as_a_table("l.npz", users, items, values, train, test)[0] == fitted(train, "table.csv").matching.counts


@pytest.mark.parametrize("profile", ["ones", "ratings"])
@pytest.mark.parametrize("unreached", ["zero", "none"])
def test_weights_between_items_are_summed_over_the_items_of_train(profile, unreached):
    train, test = sides()
    items = np.array([f"i{n}" for n in range(ITEMS - 1, 2, -1)] + ["unheard"])
    rng = np.random.default_rng(5)
    w = csr_array(rng.integers(1, 5, (len(items),) * 2) * (rng.random((len(items),) * 2) < 0.15) / 4.0)
    held = {"data": w.data, "indices": w.indices, "indptr": w.indptr}
    write("w.npz", "item_weights", items=items, profile=profile, unreached=unreached, **held)

    ratings = np.zeros((USERS, len(items)))
    place = {name: column for column, name in enumerate(items)}
    for user, item, rating in zip(train.user, train.item, train.rating, strict=True):
        if f"i{item}" in place:
            ratings[user, place[f"i{item}"]] = rating if profile == "ratings" else 1
    reached = (ratings > 0).astype(int) @ (w.toarray() != 0).astype(int) > 0
    expected = ratings @ w.toarray()
    expected[~reached if unreached == "none" else ratings.sum(axis=1) == 0] = np.nan
    users = np.array([f"u{n}" for n in range(USERS)])
    counts, _ = same_as_a_table("w.npz", users, items, expected, train, test)
    assert (counts.file_users, counts.file_items, counts.unknown_items, counts.file_scores) == (0, len(items), 1, w.nnz)
    found = scores(train, "w.npz")
    for column, name in enumerate(items[:-1]):
        np.testing.assert_array_equal(found[:, int(name[1:])], expected[:, column])
    assert np.isnan(found[:, :3]).all()


# What is kept


def test_factors_stay_factors_and_scores_their_precision():
    train, _ = sides()
    users, items = list(map(str, train.user_ids)), list(map(str, train.item_ids))
    write(
        "f.npz", "factors", users=users, items=items, user_factors=np.ones((USERS, 2), "f4"), item_factors=np.ones((ITEMS, 2), "f2")
    )
    learned = learn(FromFile(path="f.npz").on_fold("repeat-0"), train, RNG).learned
    assert {name: array.dtype for name, array in learned.items() if name.endswith("factors")} == {
        "user_factors": np.float32,
        "item_factors": np.float16,
    }
    assert max(array.size for array in learned.values()) == 2 * ITEMS
    write_mapped(Path("m.npy"), np.zeros((USERS, ITEMS), "f4"), users, items)
    kept = fitted(train, "m.npy")
    assert isinstance(kept.learned["scores"], np.memmap)
    assert kept.score(train, np.arange(2)).dtype == np.float32


def test_the_memory_that_a_job_asks_for_follows_the_file():
    write("mine-repeat-0.npz", "dense", users=["u0"], items=["i0"], scores=np.zeros((1, 1)))
    size = Path("mine-repeat-0.npz").stat().st_size
    extent = Extent(USERS, ITEMS, 100)
    assert FromFile(path="mine-{fold}.npz").bytes_needed(extent) == 2 * size
    assert FromFile(path="mine-{fold}.csv").bytes_needed(extent) == 0


def test_counts_say_what_only_one_side_has():
    train, _ = sides()
    write("d.npz", "dense", users=["u0", "u1", "x"], items=["i0", "i1", "i2", "y"], scores=[[1, np.nan, np.nan, 1]] * 3)
    matching = fitted(train, "d.npz").matching
    assert matching is not None
    assert matching.counts == Counts(3, 1, 4, 1, 6, 4, ITEMS, ITEMS - 1)
    assert matching.has_row.nonzero()[0].tolist() == [0, 1]
    assert matching.strangers == ("x",)
    with pytest.raises(DataError, match="too few names in the score file match the data"):
        FromFile(path="d.npz").on_fold("repeat-0").fit(train, RNG).check_judged(train, np.ones(USERS, bool))


def test_ties_of_half_precision_are_counted(caplog):
    train, _ = sides()
    write("d.npz", "dense", users=["u0", "u1"], items=["i0", "i1", "i2"], scores=np.float16([[1, 1.0001, np.nan], [1, 2, 3]]))
    with caplog.at_level(logging.WARNING):
        fitted(train, str(Path("d.npz").resolve()))
    (told,) = (text for text in caplog.messages if "16 bits" in text)
    assert told.startswith("d.npz: scores are numbers of 16 bits, and rounding makes scores equal: 2 of 5 scores are equal to")


# Files


def test_names_beside_a_matrix_are_files_of_the_user_too():
    write_mapped(Path("mine-repeat-0.npy"), np.zeros((1, 1)), ["u0"], ["i0"])
    recommender = FromFile(path="mine-{fold}.npy")
    assert [file.name for file in recommender.own_files()] == [f"mine-repeat-0.{end}" for end in ("npy", "users.txt", "items.txt")]
    write_mapped(Path("other-repeat-0.npy"), np.zeros((1, 1)), ["u1"], ["i0"])
    ours, other = (plugins.address("recommender", FromFile(path=f"{name}-{{fold}}.npy").spec) for name in ("mine", "other"))
    assert ours != other
    Path("mine-repeat-0.npy").rename("mine-repeat-0.bin")
    for what in ("users", "items"):
        Path(f"mine-repeat-0.{what}.txt").rename(f"mine-repeat-0.bin.{what}.txt")
    assert len(FromFile(path="mine-{fold}.bin", format="npy").own_files()) == 3


def test_a_matrix_without_its_names_is_refused_before_anything_runs():
    write_mapped(Path("mine-repeat-0.npy"), np.zeros((1, 1)), ["u0"], ["i0"])
    Path("mine-repeat-0.items.txt").unlink()
    with pytest.raises(ConfigError, match=r"there is no file 'mine-repeat-0\.items\.txt'"):
        FromFile(path="mine-{fold}.npy").on_fold("repeat-0")


def test_a_format_may_be_declared_and_is_found_by_name_or_content():
    train, _ = sides()
    write("model.npz", "dense", users=["u0"], items=["i0"], scores=np.ones((1, 1))).rename("model.bin")
    assert scores(train, "model.bin", format="npz")[0, 0] == 1
    assert form_of(Path("model.bin")) == "npz"
    write_mapped(Path("model.npy"), np.ones((1, 1)), ["u0"], ["i0"]).rename("matrix")
    assert form_of(Path("matrix")) == "npy"
    assert form_of(Path("a.csv.gz")) == "csv"
    Path("table").write_text("user,item,score\nu0,i0,2\n")
    assert scores_for(learnt_from(Path("table"), train), train, np.arange(1))[0, 0] == 2


# What is refused


def test_judged_ranks_are_kept_as_ranks_in_every_form():
    train, _ = sides()
    row = {"user": [0], "item": [0], "above": [0], "equal": [0], "candidates": [3]}
    write("ranks.npz", "judged_ranks", users=["u0"], items=["i0"], **row)
    frame = pd.DataFrame({**row, "user": ["u0"], "item": ["i0"]})
    frame.to_csv("ranks.csv", index=False)
    frame.to_parquet("ranks.parquet", index=False)
    learnt = [learnt_from(Path(name), train) for name in ("ranks.npz", "ranks.csv", "ranks.parquet")]
    for other in learnt[1:]:
        assert {name: values.tolist() for name, values in other.items()} == {
            name: values.tolist() for name, values in learnt[0].items()
        }
    assert FromFile(path="ranks.csv").has_places_only


def test_only_lists_have_ranks():
    train, _ = sides()
    write("l.npz", "lists", users=["u0"], items=["i0", "i1"], indptr=[0, 2], indices=[1, 0], scores=[0.5, 0.75])
    assert scores(train, "l.npz")[0, :2].tolist() == [0.75, 0.5]
    assert scores(train, "l.npz", rank_by="rank")[0, :2].tolist() == [-2, -1]
    write("d.npz", "dense", users=["u0"], items=["i0"], scores=np.ones((1, 1)))
    with pytest.raises(DataError, match="dense scores of 1 users and 1 items have no ranks"):
        fitted(train, "d.npz", rank_by="rank")


@pytest.mark.parametrize(
    ("users", "items", "says"), [(["x"], ["i0"], "no user of the file"), (["u0"], ["7"], "no item of the file")]
)
def test_a_file_without_a_known_name_is_refused(users, items, says):
    train, _ = sides()
    write("d.npz", "dense", users=users, items=items, scores=np.ones((1, 1)))
    with pytest.raises(DataError, match=f"the data set contains {says}"):
        fitted(train, "d.npz")
