"""Scores from files: read as written, found by raw names, refused with file and line."""

import gzip
import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DataError, DesignError, SpecError
from recsens.plugins.specs import parse
from recsens.ranking import Rankings, rank
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders._score_file_match import Counts
from recsens.recommenders.from_file import FromFile
from recsens.seeds import Stream
from recsens.testing import crowd, from_rows

NAN = np.nan
RNG = np.random.default_rng(1)


def named(train: Interactions, users: list[str], items: list[str]) -> Interactions:
    return replace(train, user_ids=np.array(users, dtype=np.object_), item_ids=np.array(items, dtype=np.object_))


@pytest.fixture
def train() -> Interactions:
    """Two users, 007 and Zoë, and three items, one of which has a comma in its name."""
    return named(from_rows([[5, None, None], [None, 4, None]]), ["007", "Zoë"], ["a", "b,c", "NA"])


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scores(train: Interactions, text: str | bytes, name: str = "mine.csv", **params: str) -> np.ndarray:
    """Write a file and return the scores of all users."""
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    recommender = FromFile(path=name, **params).on_fold("repeat-0").fit(train, RNG)
    return recommender.score(train, np.arange(train.n_users))


def refused(train: Interactions, text: str | bytes, name: str = "mine.csv", **params: str) -> str:
    with pytest.raises(DataError) as found:
        scores(train, text, name, **params)
    return str(found.value)


# What is read

CSV = 'user,item,score\n007,"b,c",0.25\nZoë,a,-1\nZoë,NA,2e1\n'
EXPECTED = [[NAN, 0.25, NAN], [-1, NAN, 20]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.csv", CSV),
        ("mine.csv.gz", gzip.compress(CSV.encode())),
        ("mine.csv", 'score,user,item\n20,Zoë,NA\n-1.0,Zoë,a\n.25,007,"b,c"\n'),
    ],
    ids=["plain", "gzipped", "other order"],
)
def test_a_table_is_read_by_its_header_and_names_stay_what_they_are(train, name, text):
    """Further forms are in tests/files/test_forms.py."""
    np.testing.assert_array_equal(scores(train, text, name), EXPECTED)


@pytest.mark.parametrize("names", [["007", "Zoë", "Zoë"], pd.Categorical(["007", "Zoë", "Zoë"])], ids=["text", "categories"])
def test_a_parquet_file_holds_the_same(train, names):
    frame = pd.DataFrame({"item": ["b,c", "a", "NA"], "user": names, "score": np.array([0.25, -1, 20], dtype=np.float32)})
    frame.to_parquet("mine.parquet", index=False)
    np.testing.assert_array_equal(scores(train, Path("mine.parquet").read_bytes(), "mine.parquet"), EXPECTED)


def test_integers_of_a_parquet_file_are_names():
    train = named(from_rows([[5, None]]), ["7"], ["10", "11"])
    pd.DataFrame({"user": [7], "item": [11], "score": [3]}).to_parquet("mine.parquet", index=False)
    np.testing.assert_array_equal(scores(train, Path("mine.parquet").read_bytes(), "mine.parquet"), [[NAN, 3]])


@pytest.mark.parametrize(
    "text",
    [
        "007 Q0 NA 1 0.5 mine\n007 Q0 a 2 0.75 mine\nZoë Q0 a 1 1e-3 mine\n",
        "007\tQ0\tNA\t1\t0.5\tmine\r\n007\tQ0\ta\t2\t0.75\tmine\r\nZoë\tQ0\ta\t1\t1e-3\tmine\r\n",
        "\ufeff  007  Q0 NA\t 1 0.5 mine \n\n007 Q0 a 2 0.75 mine\n \t\nZoë Q0 a 1 1e-3 mine",
    ],
    ids=["spaces", "tabs", "untidy"],
)
def test_in_a_run_the_score_decides_and_not_the_rank(train, text):
    np.testing.assert_array_equal(scores(train, text, "mine.run"), [[0.75, NAN, 0.5], [0.001, NAN, NAN]])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.trec.gz", "007 Q0 NA 2 {0} mine\n007 Q0 a 1 {0} mine\nZoë Q0 a 5 {0} mine\n"),
        ("mine.csv", "user,rank,score,item\n007,2,{0},NA\n007,1,{0},a\nZoë,5,{0},a\n"),
    ],
    ids=["run", "table"],
)
@pytest.mark.parametrize("score", ["0", "1.5", "nan", "-"])
def test_ranks_decide_where_that_is_asked_and_only_there(train, name, text, score):
    np.testing.assert_array_equal(scores(train, text.format(score), name, rank_by="rank"), [[-1, NAN, -2], [-5, NAN, NAN]])
    if score in {"nan", "-"}:
        assert f"the score '{score}' is not" in refused(train, text.format(score), name)
        assert 'order the run by its ranks instead: --rank-by rank, rank_by="rank"' in refused(train, text.format(score), name)
    else:
        np.testing.assert_array_equal(
            scores(train, text.format(score), name), [[float(score), NAN, float(score)], [float(score), NAN, NAN]]
        )


def test_any_name_will_do_where_the_format_is_declared(train):
    assert scores(train, "007 Q0 a 1 0.5 x\n", "input.bm25", format="trec")[0, 0] == 0.5
    with pytest.raises(SpecError, match="add format=csv, trec, parquet, npz or npy"):
        plugins.build("recommender", 'from_file(path="input.bm25")')


@pytest.mark.parametrize("name", ["folds", "data", "../{fold", ""])
def test_nothing_but_the_names_of_a_fold_stands_in_braces(name):
    with pytest.raises(SpecError) as found:
        plugins.build("recommender", f'from_file(path="mine-{{{name}}}.csv")')
    assert f"the path contains {{{name}}}, but only {{dataset}}, {{filter}}, {{split}}, {{fold}} are replaced" in str(found.value)


def test_a_misspelt_name_in_braces_is_answered_with_the_nearest():
    with pytest.raises(SpecError, match=r"did you mean '{split}'"):
        FromFile.from_spec(parse('from_file(path="mine-{splits}.csv")'))


NAMES = {"dataset": "my-data", "filter": "k_core@users=3", "split": "random@ratio=0.5"}


def test_the_names_of_a_split_stand_in_the_path_and_the_fold_is_left():
    path = "runs/{dataset}/{filter}/{split}/{split}-{fold}.csv"
    bound = FromFile(path=path).on_split(NAMES)
    assert bound.path == "runs/my-data/k_core@users=3/random@ratio=0.5/random@ratio=0.5-{fold}.csv"
    assert FromFile(path="runs/{fold}.csv").on_split(NAMES) == FromFile(path="runs/{fold}.csv")
    assert FromFile().on_split(NAMES) == FromFile()


@pytest.mark.parametrize("name", ["../secret", "a/b", "", "/etc"])
def test_a_path_is_never_built_from_a_name_that_leads_elsewhere(name):
    with pytest.raises(AssertionError):
        FromFile(path="runs/{split}.csv").on_split({**NAMES, "split": name})


def test_a_path_with_names_of_a_split_is_none_outside_a_study(train):
    with pytest.raises(ConfigError, match=r"contains {split}, which is filled in only in a study"):
        FromFile(path="{split}/{fold}.csv").fit(train, RNG)


def test_a_tuned_recommender_reads_the_files_of_the_split():
    tuned = plugins.build("recommender", 'tuned(of=from_file(path="{split}/{fold}.csv"),search=grid(format=[csv,trec]))')
    assert tuned.score_files == "{split}/{fold}.csv"
    assert tuned.on_split(NAMES).score_files == "random@ratio=0.5/{fold}.csv"


# What is known


HALF = "user,item,score\n007,a,1\n007,x,2\nNobody,a,3\nNobody,y,4\n"


def fitted(train: Interactions, text: str, **params: float) -> FromFile:
    Path("mine.csv").write_text(text, encoding="utf-8")
    return FromFile(path="mine.csv", **params).fit(train, RNG)


def test_what_file_and_data_lack_of_each_other_is_kept_with_the_model(train):
    model = fitted(train, HALF)
    np.testing.assert_array_equal(model.score(train, np.arange(2)), [[1, NAN, NAN], [NAN] * 3])
    matching = FromFile(path="mine.csv").restore(model.learned).matching
    assert matching is not None
    assert matching.counts == Counts(
        file_users=2, unknown_users=1, file_items=3, unknown_items=2, file_scores=4, unknown_scores=3, items=3, items_without=2
    )
    assert matching.has_row.tolist() == [True, False]
    assert matching.strangers == ("Nobody",)
    assert FromFile().fit(train, RNG).matching is None


def test_a_file_that_lacks_many_of_the_users_judged_is_refused_with_both_spellings(train):
    train = named(train, ["7", "8"], ["a", "b", "c"])
    model = fitted(train, "user,item,score\n7,a,1\nu8,b,2\nu8,c,2\n")
    with pytest.raises(DataError) as found:
        model.check_judged(train, np.array([True, True]))
    message = str(found.value)
    assert message.startswith(
        "from_file(path=mine.csv): too few names in the score file match the data: 1 of 2 users with train and test ratings"
    )
    assert "does not know 1 of the file's 2 users" in message
    assert "only the file has 'u8', only the data set has '8'; they differ in the letters before a number" in message
    assert "lower least_matched: from_file(path=...,least_matched=0.5)" in message
    # Users who are not judged may be missing; others only if the study allows it.
    model.check_judged(train, np.array([True, False]))
    fitted(train, "user,item,score\n7,a,1\n", least_matched=0.5).check_judged(train, np.array([True, True]))


def test_users_without_train_ratings_may_be_missing():
    train = named(from_rows([[5, None], [None, None]]), ["7", "8"], ["a", "b"])
    fitted(train, "user,item,score\n7,a,1\n").check_judged(train, np.array([True, True]))


def test_a_file_of_other_items_is_refused_before_anything_is_ranked(train):
    text = "user,item,score\n007,a,1\n007,x,2\nZoë,y,1\nZoë,a,2\n"
    with pytest.raises(DataError, match="does not know 2 of the file's 3 items, and 2 of its 3 items have no score in the file"):
        recommended(fitted(train, text), train)
    with pytest.raises(DataError, match="the data set does not have 2 of the file's 3 items; a study ranks its own"):
        recommended(fitted(train, text, least_matched=0), train)
    moved = fitted(train, text, least_matched=0, unknown_items="move_up")
    assert len(recommended(moved, train).positions["user"]) == 2
    # A file may have fewer items than the data set.
    recommended(fitted(train, "user,item,score\n007,a,1\nZoë,a,2\n"), train)


def test_a_file_of_a_fallback_is_refused_as_one_of_a_system_is(train):
    text = "user,item,score\n007,a,1\nzoe,a,2\n"
    with pytest.raises(DataError, match="1 of 2 users with train and test ratings have no score in the file"):
        recommended(FromFile().fit(train, RNG), train, fallback=fitted(train, text))
    recommended(FromFile().fit(train, RNG), train, fallback=fitted(train, text, least_matched=0))


def recommended(model: FromFile, train: Interactions, *, fallback: FromFile | None = None) -> Rankings:
    """Rank for both users, each of whom has a test rating."""
    return rank(
        model,
        train,
        named(from_rows([[None, 4, None], [3, None, None]]), ["007", "Zoë"], ["a", "b,c", "NA"]),
        targets=Targets.build("ar"),
        relevance=3,
        ties="random",
        nc=NotComputable.build("drop" if fallback is None else "append"),
        fallback=fallback,
        list_depth=3,
        tie_stream=Stream.of(1, "ties"),
        target_stream=Stream.of(1, "targets"),
    )


def test_a_file_of_another_data_set_is_refused(train):
    message = refused(train, "user,item,score\n7,a,1\n8,a,2\n")
    assert "contains no user of the file" in message
    assert "raw names such as '007'; the file has names such as '7'" in message
    assert "contains no item" in refused(train, "user,item,score\n007,x,1\n")
    assert "no row has both" in refused(train, "user,item,score\n007,x,1\n8,a,1\n")


def test_data_without_names_are_refused(train):
    with pytest.raises(DesignError, match="these data have no names"):
        scores(replace(train, user_ids=None), CSV)


# What is refused, beside what tests/files/test_refusals.py lists


def test_a_file_that_orders_nothing_is_told_in_the_log(train, caplog):
    with caplog.at_level(logging.WARNING):
        scores(train, "user,item,score\n007,a,1\n007,NA,2\n")
    assert caplog.text == ""
    with caplog.at_level(logging.WARNING):
        scores(train, "user,item,score\n007,a,1\n007,NA,1\n")
    assert "mine.csv: all scores are equal, so that ties decide the order of all items" in caplog.text


# Folds and their files


def write_folds(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"user,item,score\n007,a,{len(name)}\n", encoding="utf-8")


def test_each_fold_has_its_file_under_one_spec(train):
    write_folds("runs/mine-repeat-0.csv", "runs/mine-repeat-10.fold-2.csv")
    recommender = plugins.build("recommender", 'from_file(path="runs/mine-{fold}.csv")')
    first, other = (recommender.on_fold(fold) for fold in ("repeat-0", "repeat-10.fold-2"))
    assert first.spec == other.spec == recommender.spec
    assert first.fit(train, RNG).score(train, np.array([0]))[0, 0] == len("runs/mine-repeat-0.csv")
    assert other.fit(train, RNG).score(train, np.array([0]))[0, 0] == len("runs/mine-repeat-10.fold-2.csv")


def test_a_fold_without_a_file_is_named_with_what_there_is():
    write_folds("runs/mine-repeat-0.csv")
    with pytest.raises(ConfigError) as found:
        FromFile(path="runs/mine-{fold}.csv").on_fold("repeat-1")
    message = str(found.value)
    assert "no scores of fold 'repeat-1': there is no file 'runs/mine-repeat-1.csv'" in message
    assert "there are files for: repeat-0" in message
    assert "recsens export" in message


@pytest.mark.parametrize("fold", ["repeat-1", "repeat-0.fold-0"])
def test_one_file_for_many_folds_is_refused(fold):
    write_folds("mine.csv")
    assert FromFile(path="mine.csv").on_fold("repeat-0")
    with pytest.raises(ConfigError, match="the split has several"):
        FromFile(path="mine.csv").on_fold(fold)


def test_a_path_is_needed_in_a_study_and_alone_nothing_is_computable(train):
    with pytest.raises(ConfigError, match="does not say which files"):
        FromFile().on_fold("repeat-0")
    assert np.isnan(FromFile().fit(train, RNG).score(train, np.arange(2))).all()


def test_a_recommender_that_no_fold_was_given_to_reads_the_only_fold(train):
    write_folds("mine-repeat-0.csv")
    assert FromFile(path="mine-{fold}.csv").fit(train, RNG).score(train, np.array([0]))[0, 0] == len("mine-repeat-0.csv")
    with pytest.raises(ConfigError, match="no scores of fold 'repeat-0'"):
        FromFile(path="other-{fold}.csv").fit(train, RNG)


def test_the_files_of_all_folds_are_listed_and_no_others(tmp_path):
    write_folds(*(f"r[1]/{fold}/{fold}.csv" for fold in ("repeat-1", "repeat-0", "repeat-0.fold-1")))
    write_folds("r[1]/repeat-1/repeat-0.csv", "r[1]/repeat-x/repeat-x.csv", "r[1]/repeat-2.old/repeat-2.old.csv")
    expected = [f"r[1]/{fold}/{fold}.csv" for fold in ("repeat-0.fold-1", "repeat-0", "repeat-1")]
    assert sorted(map(str, FromFile(path="r[1]/{fold}/{fold}.csv").own_files())) == sorted(expected)
    assert len(FromFile(path=str(tmp_path / "r[1]/{fold}/{fold}.csv")).own_files()) == 3
    assert FromFile(path="none-{fold}.csv").own_files() == FromFile(path="none.csv").own_files() == FromFile().own_files() == []


def test_the_address_tells_the_content_and_not_the_place():
    write_folds("a/repeat-0.csv", "b/repeat-0.csv")
    recommenders = [FromFile(path=f"{folder}/{{fold}}.csv") for folder in "ab"]
    first, other = (plugins.address("recommender", recommender.spec) for recommender in recommenders)
    assert first == other
    assert "path" not in dict(first.params)
    Path("a/repeat-0.csv").write_text("user,item,score\n007,a,9\n", encoding="utf-8")
    plugins.address.cache_clear()
    assert plugins.address("recommender", recommenders[0].spec) != other


# The contract of every recommender


def test_scores_of_a_user_do_not_depend_on_the_block_and_train_stays_as_it_is():
    train = crowd(n_users=60, n_items=20)
    train = named(train, [f"u{u}" for u in range(60)], [f"i{i}" for i in range(20)])
    rng = np.random.default_rng(2)
    expected = np.where(rng.random((60, 20)) < 0.3, rng.normal(size=(60, 20)), NAN)
    rows = rng.permutation(np.argwhere(~np.isnan(expected)))
    frame = pd.DataFrame({"user": [f"u{u}" for u in rows[:, 0]], "item": [f"i{i}" for i in rows[:, 1]]})
    frame["score"] = expected[rows[:, 0], rows[:, 1]]
    frame.to_csv("mine.csv", index=False)
    before = train.user.copy(), train.item.copy()
    model = FromFile(path="mine.csv").fit(train, RNG)
    users = np.array([59, 0, 0, 31])
    np.testing.assert_array_equal(model.score(train, users), expected[users])
    np.testing.assert_array_equal(FromFile().restore(model.learned).score(train, np.arange(60)), expected)
    assert model.score(train, np.empty(0, dtype=np.int64)).shape == (0, 20)
    for was, is_now in zip(before, (train.user, train.item), strict=True):
        np.testing.assert_array_equal(was, is_now)


@given(st.text(alphabet='uia,"\n\r\t 0159.-eEnN', max_size=60), st.sampled_from(["mine.csv", "mine.run"]))
def test_no_text_fails_but_with_a_message(text, name):
    train = named(from_rows([[5, None]]), ["u", "0"], ["i", "1"])
    for start in ("", "user,item,score\n", "u Q0 i 1 0.5 x\n"):
        try:
            found = scores(train, start + text, name)
        except DataError as error:
            found, message = None, str(error)
        assert name in message if found is None else not np.isinf(found).any() and not np.isnan(found).all()
