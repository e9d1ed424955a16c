"""The Python interface: what it accepts, what it reports, and what it refuses."""

import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import recsens
from approved import refusal
from notebook.steps import run_steps
from recsens.artefacts.statements import Making, making
from recsens.artefacts.storage import write_text
from recsens.data.interactions import Interactions, SideTable
from recsens.errors import ArtefactError, ConfigError, DataError, DesignError, RecsensError, SpecError
from recsens.notebook.folds import TrainTest
from recsens.notebook.measures import Measures
from recsens.notebook.ratings import Ratings
from recsens.pipeline.fitting import fit_recommender
from recsens.recommenders import Recommender
from recsens.seeds import Origin
from recsens.study.columns import TABLES

DATA = "simulated(users=40,items=100,ratings=950)"


class Products(Recommender):
    """Records how many threads BLAS uses in fitting and scoring."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> Recommender:
        self._learned = {"fit": blas_threads()}
        return self

    def score(self, train: Interactions, users: np.ndarray) -> np.ndarray:
        self._learned = {**self._learned, "score": blas_threads()}
        return np.ones((len(users), train.n_items))


def blas_threads() -> np.ndarray:
    return np.array([library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"])


class Backwards(Recommender):
    """Recommend the items with the highest number first, and cannot score the first."""

    weight: float = 1.0

    def fit(self, train: Interactions, rng: np.random.Generator) -> Recommender:
        scores = self.weight * np.arange(train.n_items, dtype=np.float64)
        scores[0] = np.nan
        self._learned["score"] = scores
        return self

    def score(self, train: Interactions, users: np.ndarray) -> np.ndarray:
        return np.tile(self.learned["score"], (len(users), 1))


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return recsens.load(DATA, seed=1)


@pytest.fixture(scope="module")
def fold(ratings: Ratings) -> TrainTest:
    return recsens.split(ratings, "random(ratio=0.7)")


def measured(fold: TrainTest, recommender: str | Recommender, metrics: list[str], **ranking: object) -> Measures:
    return recsens.measure(recsens.rank(recsens.fit(recommender, fold.train), fold.test, **ranking), metrics)


# Imports


def test_the_import_waits_for_nothing():
    program = "import recsens, sys; print(sorted(name for name in sys.modules if name.partition('.')[0] in {names}))"
    names = {"recsens", "numpy", "numba", "pandas", "scipy", "pyarrow", "pydantic", "click"}
    done = subprocess.run([sys.executable, "-c", program.format(names=names)], text=True, capture_output=True, check=True)
    assert done.stdout.strip() == "['recsens', 'recsens.moved']"


def test_every_name_is_found_and_offered():
    assert set(recsens.__all__) <= set(dir(recsens))
    assert all(callable(getattr(recsens, name)) for name in recsens.__all__)
    assert not {"TYPE_CHECKING", "annotations", "import_module"} & set(dir(recsens))
    with pytest.raises(AttributeError, match="no attribute 'loads'"):
        _ = recsens.loads


# Ratings


def test_a_frame_a_file_and_a_study_of_that_file_are_one_data_set(tmp_path, monkeypatch, ratings):
    monkeypatch.chdir(tmp_path)
    frame = ratings.frame.sample(frac=1, random_state=3)
    frame.to_parquet("r.parquet")
    frame.to_csv("r.csv", index=False)
    values = []
    for source in (frame, "r.parquet"):
        fold = recsens.split(recsens.load(source, seed=4), "random(ratio=0.7)")
        values.append(measured(fold, "hkv(factors=2,epochs=2)", ["P@5"])["P@5"].tolist())
    assert values[0] == values[1]
    assert recsens.load("r.csv").frame.equals(recsens.load(frame).frame)
    study = {
        "title": "t",
        "seed": 4,
        "datasets": {"S": 'parquet(path="r.parquet",timestamp=timestamp)'},
        "systems": {"A": "hkv(factors=2,epochs=2)"},
        "design": {"split": "random(ratio=0.7)"},
        "metrics": ["P@5"],
    }
    assert run_steps(study).summary[0]["value"] == np.mean(values[0])


def test_what_is_merged_or_left_out_is_counted(caplog):
    frame = pd.DataFrame({"user": ["a", "a", "b", None], "item": [1, 1, 2, 3], "rating": [1.0, 5.0, 3.0, 2.0], "other": 0})
    found = recsens.load(frame, duplicates="max", invalid="skip")
    assert found.notes == {"invalid_rows": 1, "duplicate_rows": 1}
    assert "invalid_rows: 1" in caplog.text
    assert found.frame.to_dict("list") == {"user": ["a", "b"], "item": ["1", "2"], "rating": [5.0, 3.0]}
    assert "duplicate_rows: 1" in repr(found)


def test_a_scale_is_declared():
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "rating": [0.5, 3.5]})
    assert recsens.load(frame, scale=(0.5, 5, 0.5)).interactions.scale.relevance == 4.0
    with pytest.raises(DataError, match=r"data frame, row 1: the rating 0\.5 is outside the declared scale"):
        recsens.load(frame, scale=(1, 5))
    with pytest.raises(DataError, match="lowest and highest rating"):
        recsens.load(frame, scale=(1, 2, 3, 4))


@pytest.mark.parametrize("called", ["Rating", "ratings", "rating_", "score", "Stars"])
def test_ratings_of_another_name_are_read_as_from_their_file(called, tmp_path):
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], called: [1, 5]})
    frame.to_csv(tmp_path / "r.csv", index=False)
    for source in (frame, tmp_path / "r.csv"):
        assert recsens.load(source).interactions.rating.tolist() == [1, 5]
    assert recsens.load(frame.drop(columns=called)).interactions.rating is None
    with pytest.raises(DataError, match=r"scale = \(1, 5\) is given for data without a column 'rating'"):
        recsens.load(frame.drop(columns=called), scale=(1, 5))


@pytest.mark.parametrize("name", ["x.CSV", "x.csv.gz", "x.tsv.gz", "x.tsv"])
def test_an_ending_in_capitals_or_of_a_gzipped_file_is_known(tmp_path, name):
    separator = "\t" if ".tsv" in name else ","
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "rating": [4, 3]})
    frame.to_csv(tmp_path / name, sep=separator, index=False)
    assert recsens.load(tmp_path / name).frame["rating"].tolist() == [4, 3]


FRAMES = (
    {"userx": [1], "item": [1]},
    {"user": [1, 2], "item": [1, "x"]},
    {"user": [1.5], "item": [1]},
    {"user": [1, 1], "item": [2, 2]},
    {"user": [], "item": []},
)
FILES = {"label.csv": b"user,item,good\na,x,1\na,y,0\nb,y,1\nb,x,0\n", "empty.csv": b"", "book.xlsx": b"PK\x03\x04"}


def test_what_cannot_be_read_is_told_why(tmp_path, approved):
    told = {", ".join(map(repr, frame.items())): refusal(partial(recsens.load, pd.DataFrame(frame)), DataError) for frame in FRAMES}
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
        told[name] = refusal(partial(recsens.load, str(tmp_path / name)), DataError)
    for path in (tmp_path, str(tmp_path), "data.xlsx", tmp_path / "nowhere.csv"):
        told[f"{type(path).__name__} {Path(path).name}"] = refusal(partial(recsens.load, path), DataError)
    approved(told)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("semicolons.csv", b"user;item;rating\na;x;1\nb;y;2\n"),
        ("data.csv", b"a,x,1\nb,y,2\n"),
        ("u.data", b"a\tx\t1\nb\ty\t2\n"),
        ("wide.csv", "user,item,rating\na,x,1\nb,y,2\n".encode("utf-16")),
        ("uid.csv", b"uid,item,stars\na,x,1\nb,y,2\n"),
    ],
)
def test_a_file_is_read_as_it_is_inspected(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    read = recsens.load(str(tmp_path / name)).frame
    assert read.to_dict("list") == {"user": ["a", "b"], "item": ["x", "y"], "rating": [1.0, 2.0]}


def test_what_an_error_advises_is_written_in_python(tmp_path):
    bad = pd.DataFrame({"user": ["a", "b"], "item": ["x", "x"], "rating": [9, 3]})
    several = [pd.DataFrame({"user": list("abcde"), "item": "x", "rating": [1, 2, 3, 4, None]}), tmp_path / "bad.csv"]
    rows = [f"u{row},i{row % 7},{row % 5 + 1}" for row in range(60)]
    (tmp_path / "bad.csv").write_text("\n".join(["user,item,rating", *rows, "a,x,nine"]))
    assert len(recsens.load(several[0], invalid="skip")) == 4
    with pytest.raises(DataError, match=r'invalid="skip" leaves out rows without a number'):
        recsens.load(several[0])
    for source in (several[1], str(tmp_path / "bad.csv")):
        with pytest.raises(DataError, match=r'count them with invalid="skip"$'):
            recsens.load(source)
    with pytest.raises(DataError, match='say how to treat repeated pairs: duplicates="first", last'):
        recsens.load(pd.concat([bad.assign(rating=3)] * 2))
    with pytest.raises(DataError, match=r"count them with invalid=skip$"):
        recsens.load(f'delimited(path="{tmp_path}/bad.csv",separator=",",header=true)')


def test_a_filter_leaves_the_side_tables_of_who_is_left(ratings):
    found = recsens.filter(ratings, "ratings_per_item(at_least=9)")
    assert found.interactions.n_items == np.count_nonzero(ratings.interactions.item_counts >= 9)
    assert found.filters[0]["before"]["ratings"] == len(ratings)
    assert found.filters[0]["after"]["ratings"] == len(found)
    assert set(found.frame["item"]) <= set(ratings.frame["item"])


# Folds


def test_one_fold_is_split_and_several_are_visited(ratings):
    train, test = recsens.split(ratings, "leave_out(n=2)")
    assert len(train) + len(test) == len(ratings)
    assert train.fold.facts["test"] == len(test)
    with pytest.raises(DesignError, match="has 5 folds"):
        recsens.split(ratings, "k_fold")
    found = recsens.folds(ratings, "k_fold(k=2)", repeats=2)
    assert [each.name for each in found] == ["repeat-0.fold-0", "repeat-0.fold-1", "repeat-1.fold-0", "repeat-1.fold-1"]
    with pytest.raises(DesignError, match="is not random"):
        recsens.folds(ratings, "temporal", repeats=2)


def test_a_seed_is_handed_on_and_may_be_another(ratings):
    usual, same, other = (recsens.split(ratings, seed=seed) for seed in (None, 1, 2))
    assert usual.is_same(same)
    assert not usual.is_same(other)
    scores = [recsens.fit("hkv(factors=2,epochs=1)", usual.train, seed=seed).scores(["u01"]) for seed in (None, 1, 2)]
    assert scores[0].equals(scores[1])
    assert not scores[0].equals(scores[2])


@pytest.mark.parametrize("seed", [1.0, np.float64(1), True, "1", -0.0, -1, 2**63])
def test_a_seed_that_is_not_a_whole_number_is_refused(ratings, fold, seed):
    for call in (
        lambda: recsens.load(DATA, seed=seed),
        lambda: recsens.filter(ratings, "sample(ratings=0.5)", seed=seed),
        lambda: recsens.split(ratings, seed=seed),
        lambda: recsens.folds(ratings, seed=seed),
        lambda: recsens.fit("random", fold.train, seed=seed),
    ):
        with pytest.raises(DesignError, match=r"seed = .*\n  allowed: whole numbers from 0 to 9223372036854775807"):
            call()


def test_whole_numbers_of_any_type_draw_alike(ratings):
    assert recsens.split(ratings, seed=np.int64(5)).is_same(recsens.split(ratings, seed=5))
    with pytest.raises(DesignError, match="seed = None"):
        recsens.load(DATA, seed=None)
    for repeat in ("x", 1.5, -1, True, None):
        with pytest.raises(DesignError, match=r"repeat = .*\n  allowed: whole numbers from 0"):
            recsens.split(ratings, repeat=repeat)
    for repeats in (0, 1.0, "2"):
        with pytest.raises(DesignError, match=r"repeats = .*\n  allowed: whole numbers from 1"):
            recsens.folds(ratings, repeats=repeats)


# Models and rankings


def test_a_class_of_ones_own_takes_part_and_is_not_changed(fold):
    own = Backwards(weight=2.0)
    first, second = recsens.fit(own, fold.train), recsens.fit(own, recsens.split(fold.ratings, repeat=1).train)
    assert own.learned == {}
    assert first.recommender.learned is not second.recommender.learned
    ranking = recsens.rank(first, fold.test)
    top = ranking.lists.query("rank == 1")["item"]
    assert len(top) == 40
    table = recsens.compare(recsens.measure(ranking, "P@5"), measured(fold, "popularity", ["P@5"]))
    assert table.loc["P@5", "users"] == 40
    with pytest.raises(DesignError, match="its scores only order the items"):
        recsens.measure(ranking, "RMSE")


def test_blas_runs_on_one_thread_as_in_a_study(fold):
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads().tolist()
        model = recsens.fit(Products(), fold.train)
        recsens.rank(model, fold.test)
        assert blas_threads().tolist() == before
    assert set(model.recommender.learned["fit"]) == set(model.recommender.learned["score"]) == {1}


def test_positions_name_what_is_not_ranked(fold):
    ranking = recsens.rank(recsens.fit(Backwards(), fold.train), fold.test)
    table = ranking.positions
    first = fold.ratings.interactions.item_ids[0]
    assert set(table.loc[table["item"] == first, "state"]) == {"nc"}
    assert table.loc[table["item"] == first, "position"].isna().all()
    assert table["position"].notna().sum() == (table["state"] == "scored").sum()
    assert f"of {len(table):,} judged items, {(table['state'] == 'nc').sum()} are not ranked" in repr(ranking)
    appended = recsens.rank(recsens.fit(Backwards(), fold.train), fold.test, nc="append")
    assert set(appended.positions.query("item == @first")["state"]) == {"filled"}
    assert (appended.users["filled"] <= 1).all()


def test_scores_bear_names(fold):
    table = recsens.fit("popularity", fold.train).scores(["u01"])
    assert table.shape == (1, 100)
    assert table.loc["u01"].idxmax() == fold.train.frame["item"].value_counts().idxmax()
    with pytest.raises(DesignError, match="there is no user 'nobody'"):
        recsens.fit("popularity", fold.train).scores(["nobody"])


def test_a_class_is_given_as_an_object_not_by_its_name(fold):
    # Which folders of plug-ins are named depends on earlier tests.
    with pytest.raises(SpecError, match="no module 'mylab'") as refused:
        recsens.fit("mylab.Foo", fold.train)
    assert refused.value.remedy == "pass an object of your own class, not its name"


MEANINGLESS = (
    lambda fold: recsens.fit("usr_knn", fold.train),
    lambda fold: recsens.fit(3, fold.train),
    lambda fold: recsens.fit(Backwards, fold.train),
    lambda fold: recsens.fit("popularity", fold.train).scores("u01"),
    lambda fold: recsens.rank(recsens.fit("popularity", fold.train), fold.test, nc=None),
    lambda fold: recsens.fit("popularity", fold.test),
    lambda fold: recsens.fit("popularity", fold.ratings),
    lambda fold: recsens.fit("tuned(split=validation)", fold.train),
    lambda fold: recsens.split(fold.train),
    lambda fold: recsens.filter(fold.train, "k_core"),
    lambda fold: recsens.filter(fold.ratings, "k_cor"),
    lambda fold: measured(fold, "popularity", ["P@5"], ties="randm"),
    lambda fold: measured(fold, "popularity", ["P@5"], targets="are"),
    lambda fold: measured(fold, "popularity", ["P@5"], relevance=6),
    lambda fold: measured(fold, "popularity", ["P@5"], targets="ar(n=99,short=refuse)"),
    lambda fold: measured(fold, "popularity", ["nDGC@5"]),
    lambda fold: measured(fold, "popularity", ["Gini@5"], targets="one_r"),
    lambda fold: measured(fold, "popularity", ["Gini@5"], list_depth=3),
    lambda fold: recsens.rank(recsens.fit("popularity", fold.train), fold.train),
    lambda fold: recsens.rank(recsens.fit("popularity", fold.train), recsens.split(fold.ratings, repeat=1).test),
)


def test_what_has_no_meaning_is_refused(fold, approved):
    told = [refusal(partial(call, fold), RecsensError) for call in MEANINGLESS]
    found = measured(fold, "popularity", ["P@5"])
    others = (
        *(
            measured(fold, "random", ["P@10"]),
            measured(fold, "random", ["P@5"], nc="append"),
            [measured(fold, "random", ["P@5"])] * 2,
        ),
        *(measured(recsens.split(fold.ratings, "random(ratio=0.6)"), "random", ["P@5"]), {"P@5": 1}),
        measured(recsens.split(fold.ratings, "random(ratio=0.7)", repeat=1), "random", ["P@5"]),
        measured(recsens.split(fold.ratings, "random(ratio=0.7)", seed=5), "random", ["P@5"]),
    )
    told += [refusal(partial(recsens.compare, found, other), RecsensError) for other in others]
    later = (
        partial(recsens.compare, found, found, test="wilcoxn"),
        partial(recsens.compare, found, found, aggregate="urisk"),
        partial(recsens.summarise, [found, found]),
        partial(recsens.compare_all, {"A": found}),
        partial(recsens.summarise, found, coverage="ful"),
        partial(recsens.measure, found.ranking.model, "P@5"),
        partial(recsens.measure, [found.ranking, found.ranking], "P@5"),
        *(partial(recsens.measure, found.ranking, metrics) for metrics in (None, 5, [])),
    )
    approved([each + "\n" for each in (*told, *(refusal(call, RecsensError) for call in later))])


# Measures and outcomes


def test_rankings_and_positions_of_ones_own_are_measured_by_one_call(fold):
    found = measured(fold, "popularity", ["P@5,10", "AP", "Gini@10"])
    assert list(found) == ["P@5", "P@10", "AP"]
    assert found.frame.columns.tolist() == ["P@5", "P@10", "AP", "train", "test", "relevant", "listed"]
    positions = found.ranking.positions
    codes = pd.factorize(positions["user"], sort=True)[0]
    by_hand = recsens.measure(
        (codes, positions["position"].fillna(0).to_numpy(dtype=int), positions["rating"].to_numpy()), "P@5", ranked=100
    )
    assert by_hand["P@5"].tolist() == found["P@5"].tolist()
    with pytest.raises(DesignError, match="one value for all users together"):
        _ = found["Gini@10"]
    with pytest.raises(KeyError, match=r"'RR' was not measured"):
        _ = found["RR"]
    with pytest.raises(DesignError, match="leave ranked out"):
        recsens.measure(found.ranking, "P@5", ranked=3)


def test_a_threshold_holds_from_the_ranking_on(fold):
    ranking = recsens.rank(recsens.fit("popularity", fold.train), fold.test, relevance=5.0)
    assert recsens.measure(ranking, "P@5").judged.relevance == 5.0
    assert recsens.measure(ranking, "P@5", relevance=3.0).judged.relevance == 3.0
    by_rating = recsens.rank(recsens.fit("popularity", fold.train), fold.test, targets="one_r", relevance=5.0)
    with pytest.raises(DesignError, match="were chosen with a relevance threshold other than"):
        recsens.measure(by_rating, "P@5", relevance=3.0)


def test_users_whom_a_system_cannot_serve_are_told(ratings):
    fold = recsens.split(ratings, "random(ratio=0.02)")
    found = measured(fold, "user_knn(k=1)", ["P@5"])
    summary = recsens.summarise(found).iloc[0]
    counted = recsens.counted(found).iloc[0]
    assert 0 < summary["user_coverage"] < 1
    assert summary["reduced"] > summary["full"] == summary["value"]
    assert counted["averaged"] == summary["n_users"] == np.count_nonzero(fold.train.interactions.user_counts)
    assert counted["lost_ratings"] == fold.test.interactions.user_counts[fold.train.interactions.user_counts == 0].sum() > 0
    reduced = recsens.summarise(found, coverage="reduced").iloc[0]
    assert reduced["value"] == summary["reduced"]


def test_a_fold_that_is_drawn_again_is_the_same(ratings, fold):
    found = measured(fold, "popularity", ["P@5"])
    again = recsens.split(ratings, "random(ratio=0.7)")
    assert recsens.compare(found, measured(again, "popularity", ["P@5"])).loc["P@5", "p_value"] == 1.0


@pytest.mark.parametrize("relevance", [np.nan, -3, True, "4"])
def test_a_threshold_that_is_no_rating_is_refused(fold, relevance):
    ranking = recsens.rank(recsens.fit("popularity", fold.train), fold.test, relevance=1)
    for call in (
        lambda: recsens.measure(ranking, "P@5", relevance=relevance),
        lambda: recsens.rank(ranking.model, fold.test, relevance=relevance),
    ):
        with pytest.raises(DesignError, match="is not on the scale from 1 to 5"):
            call()


@pytest.mark.parametrize("relevance", [np.nan, True, "4"])
def test_a_threshold_is_a_number_without_ratings_too(ratings, relevance):
    train, test = recsens.split(recsens.load(ratings.frame[["user", "item"]]))
    ranking = recsens.rank(recsens.fit("popularity", train), test)
    for call in (
        lambda: recsens.measure(ranking, "P@5", relevance=relevance),
        lambda: recsens.rank(ranking.model, test, relevance=relevance),
    ):
        with pytest.raises(DesignError, match=r"relevance = .* is not on the scale"):
            call()


def test_measures_cannot_be_changed_by_hand(fold):
    found = measured(fold, "popularity", ["P@5"])
    with pytest.raises(ValueError, match="read-only"):
        found["P@5"][0] = 1.0


def test_a_list_of_different_systems_is_refused(ratings):
    by_fold = recsens.folds(ratings, "k_fold(k=2)")
    mixed = [measured(each, system, ["P@5"]) for each, system in zip(by_fold, ["popularity", "random"], strict=True)]
    on_one_fold = [measured(by_fold[0], system, ["P@5"]) for system in ("popularity", "random")]
    for call in (
        lambda: recsens.summarise(mixed),
        lambda: recsens.counted({"A": mixed}),
        lambda: recsens.compare(mixed, mixed[::-1]),
        lambda: recsens.compare_all(on_one_fold),
    ):
        with pytest.raises(DesignError) as refused:
            call()
        assert str(refused.value).startswith("a list must contain the folds of one system, but this one has popularity, random\n")
        assert "{'a': ..., 'b': ...}" in str(refused.value)


def test_metrics_may_be_asked_in_any_order(fold):
    both = {"A": measured(fold, "popularity", ["P@5", "AP"]), "B": measured(fold, "popularity", ["AP", "P@5"])}
    summary = recsens.summarise(both)
    assert [metric for _, metric in summary.index] == ["P@5", "P@5", "AP", "AP"]
    assert (summary.loc["A", "value"] == summary.loc["B", "value"]).all()


def test_nothing_relevant_is_told_as_in_a_study(fold, caplog):
    recsens.summarise(measured(fold, "popularity", ["P@5"]))
    assert not caplog.text
    frame = fold.ratings.frame.assign(rating=1.0)
    train, all_bad = recsens.split(recsens.load(frame, scale=(1, 5), seed=1))
    nothing = recsens.measure(recsens.rank(recsens.fit("popularity", train), all_bad), "P@5")
    for call in (recsens.summarise, lambda one: recsens.compare(one, one)):
        caplog.clear()
        call(nothing)
        assert "most of the users averaged cannot score: 40 of 40 have no relevant test rating" in caplog.text


def test_an_average_of_nobody_is_refused(fold):
    found = measured(fold, "popularity", ["P@5"])
    for call in (recsens.summarise, lambda one, users: recsens.compare(one, one, users=users)):
        with pytest.raises(DesignError, match=r"users 'with_ratings\(relevant=999\)' admits no user of"):
            call(found, users="with_ratings(relevant=999)")


def test_the_seed_of_fitting_is_in_the_tables(ratings, fold):
    ranked = [recsens.rank(recsens.fit("random", fold.train, seed=seed), fold.test) for seed in (None, 9)]
    usual, other = (recsens.measure(each, "P@5") for each in ranked)
    assert recsens.summarise({"A": usual, "B": other})["fit_seed"].tolist() == [1, 9]
    row = recsens.compare(usual, other).iloc[0]
    assert (row["seed"], row["fit_seed_a"], row["fit_seed_b"]) == (1, 1, 9)
    by_fold = recsens.folds(ratings, "k_fold(k=2)")
    models = [recsens.fit("random", each.train, seed=seed) for seed, each in enumerate(by_fold)]
    with pytest.raises(DesignError, match="'random' is fitted with several seeds: 0, 1"):
        recsens.summarise([recsens.measure(recsens.rank(model, model.fold.test), "P@5") for model in models])


def test_a_split_by_users_asks_for_users_with_test_ratings(ratings):
    by_fold = [measured(each, "popularity", ["P@5"]) for each in recsens.folds(ratings, "k_fold_users(k=2)")]
    with pytest.raises(DesignError, match="the split tests only some of the users"):
        recsens.summarise(by_fold)
    assert recsens.summarise(by_fold, users="with_ratings(test=1)")["n_users"].item() == 40


# Studies


def test_tables_of_a_study_are_frames(tmp_path, monkeypatch):
    folder = tmp_path / "results/studies/mine"
    folder.mkdir(parents=True)
    names = [*(column.name for column in TABLES["flips"].columns), "also"]
    row = {"dataset": "S", "system_a": "A", "system_b": "B", "metric": "P@5", "base_p": "0.01", "p": ""}
    flips = "\n".join([",".join(names), ",".join(row.get(name, "") for name in names), ""])
    monkeypatch.chdir(tmp_path)
    with making(Making("judge")):
        write_text("results/studies/mine/flips.csv", flips)
    study = recsens.results("mine", checkout=tmp_path)
    assert study.flips["base_p"].tolist() == [0.01]
    assert study.flips["p"].isna().all()
    assert study.report == folder / "report.html"
    with pytest.raises(RecsensError, match="the study 'mine' has no table 'summary'"):
        _ = study.summary
    with pytest.raises(RecsensError, match="the study 'mime' has no results; did you mean 'mine'"):
        recsens.results("mime", checkout=tmp_path)
    (folder / ".statements/flips.csv.json").unlink()
    with pytest.raises(ArtefactError, match=r"flips\.csv: states nothing about itself"):
        _ = recsens.results("mine", checkout=tmp_path).flips


@pytest.mark.parametrize("call", [recsens.run, recsens.results])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"study": None}, "study = None"),
        ({"study": {}}, "study = {}"),
        ({"study": ""}, "study = ''"),
        ({"checkout": 3}, "checkout = 3"),
        ({"checkout": "/nowhere"}, "checkout = '/nowhere': no such folder"),
    ],
)
def test_what_names_no_study_or_checkout_is_refused(call, options, told):
    with pytest.raises(ConfigError) as refused:
        call(**options)
    assert str(refused.value).startswith(told)


def test_outside_a_checkout_only_shipped_studies_have_names(tmp_path):
    with pytest.raises(RecsensError, match="no study 'quikstart'; did you mean 'quickstart'"):
        recsens.run("quikstart", checkout=tmp_path)


@pytest.mark.parametrize("system", ["fm(epochs=2)", "tuned(of=fm,search=grid(epochs=[1,2]))"])
def test_a_recommender_that_reads_side_information_is_handed_that_of_the_filtered_data(system, caplog):
    ratings = recsens.load(DATA)
    old = [user % 2 for user in range(ratings.interactions.n_users)]
    aged = replace(ratings, user_columns={"age": [[20, 60][each] for each in old], "title": ["Dr"] * len(old)})
    few = recsens.filter(aged, "ratings_per_user(at_least=24)")
    assert 0 < len(few.user_columns["age"]) < len(old)
    train, _ = recsens.split(few)
    model = recsens.fit(system, train)
    assert "alone" not in caplog.text
    table = SideTable.of({"age": few.user_columns["age"]})
    known = replace(train.interactions, user_table=table, item_table=SideTable.of({}))
    choice = model.tuning.chosen if model.tuning else None
    expected = fit_recommender(system, known, Origin(0, few.identity, train.fold.name), choice=choice)
    assert model.recommender.learned.keys() == expected.learned.keys()
    for name, values in expected.learned.items():
        np.testing.assert_array_equal(model.recommender.learned[name], values)
    unaged, _ = recsens.split(recsens.filter(ratings, "ratings_per_user(at_least=24)"))
    without = recsens.fit(system, unaged)
    assert any(not np.array_equal(model.recommender.learned[name], values) for name, values in without.recommender.learned.items())
