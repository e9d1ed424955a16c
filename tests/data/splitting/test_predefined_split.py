"""Predefined folds: MovieLens 100K's own files, and a table with a column fold or role."""

from dataclasses import replace

import numpy as np
import pytest

from approved import refusal
from data.splitting.samples import letters, shuffled
from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DataError, DesignError
from recsens.testing import from_rows

DATA = replace(
    from_rows([[5, 3, None], [4, None, 2], [None, 1, 5]]),
    user_ids=np.array(["ann", "007", "NA"], dtype=object),
    item_ids=np.array(["10", "20", "30"], dtype=object),
)
"""ann with 10 and 20; 007 with 10 and 30; NA with 20 and 30."""

BASE = "ann\t10\t5\t881250949\nann\t20\t3\t1\n007\t10\t4\t2\n"
TEST = "007\t30\t2\t3\nNA\t20\t1\t4\nNA\t30\t5\t5\n"


def read(path, data: Interactions = DATA) -> list[str]:
    """Write out the roles of every fold."""
    built = plugins.build("split", f'predefined(path="{path}")')
    return [letters(built.roles(data, fold, None)) for fold in range(built.n_folds)]


def table(folder, text: str):
    path = folder / "folds.csv"
    path.write_text(text)
    return path


@pytest.fixture
def movielens(tmp_path):
    """Two numbered folds in files like the publisher's, and one separate fold."""
    for name, (base, test) in {"u2": (BASE, TEST), "u10": (TEST, BASE), "ua": (BASE, TEST)}.items():
        (tmp_path / f"{name}.base").write_text(base)
        (tmp_path / f"{name}.test").write_text(test)
    (tmp_path / "u.data").write_text("not read")
    return tmp_path


def test_a_folder_holds_a_fold_in_each_numbered_pair_of_files(movielens):
    assert read(movielens) == ["...TTT", "TTT..."]


def test_one_pair_is_named_by_its_file(movielens):
    assert read(movielens / "ua.base") == ["...TTT"]


def test_the_files_are_listed(movielens):
    found = plugins.build("split", f'predefined(path="{movielens}")').own_files()
    assert [file.name for file in found] == ["u2.base", "u2.test", "u10.base", "u10.test"]
    assert plugins.build("split", "predefined").own_files() == ()


def test_each_fold_of_a_table_is_tested_by_what_the_others_teach(tmp_path):
    path = table(tmp_path, "user,item,fold\nNA,30,10\nann,10,2\nann,20,2\n007,10,9\n007,30,10\nNA,20,9\n")
    assert read(path) == ["TT....", "..T.T.", "...T.T"]


def test_a_table_of_roles_has_one_fold(tmp_path):
    path = table(tmp_path, "item,rating,role,user\n10,5,train,ann\n20,3,validation,ann\n10,4,test,007\n")
    assert read(path) == [".vT---"]


def test_a_table_of_folds_and_roles_has_the_sets_of_each_fold(tmp_path):
    path = table(
        tmp_path, "fold,user,item,role\nb,ann,10,train\nb,007,10,test\na,ann,10,test\na,ann,20,validation\na,NA,20,train\n"
    )
    assert read(path) == ["Tv--.-", ".-T---"]


def test_each_fold_is_repeated_for_every_training(tmp_path):
    path = table(tmp_path, "fold,user,item,role\n0,ann,10,train\n0,007,10,test\n1,ann,10,test\n1,NA,20,train\n")
    built = plugins.build("split", f'predefined(path="{path}",trainings=2)')
    assert [letters(built.roles(DATA, fold, None)) for fold in range(built.n_folds)] == [*[".-T---"] * 2, *["T---.-"] * 2]
    assert built.folds_per_split == 2


def test_pairs_that_no_file_mentions_are_unused_and_counted(tmp_path):
    path = table(tmp_path, "user,item,role\nann,10,train\n007,10,test\n")
    built = plugins.build("split", f'predefined(path="{path}")')
    roles = built.roles(DATA, 0, None)
    assert letters(roles) == ".-T---"
    assert built.facts(DATA, roles) == {"pairs_without_a_role": 4}


def test_the_order_of_rows_does_not_matter(movielens):
    order = np.array([3, 1, 5, 0, 2, 4])
    assert read(movielens, shuffled(DATA, order))[0] == "".join(read(movielens)[0][place] for place in order)


def test_nothing_is_drawn_and_the_address_holds_the_content_not_the_place(movielens):
    built = plugins.build("split", f'predefined(path="{movielens}")')
    assert not built.is_random
    assert "path" in built.identity_excludes


def test_a_fault_is_named_with_its_line(tmp_path, approved):
    cases = (
        "user,item,role\nann,10,train\n\nbob,10,test\n",
        "user,item,role\nann,10,train\nann,11,test\n",
        "user,item,role\nann,10,train\nann,30,test\n",
        "user,item,role\nann,10,train\n007,10,test\nann,10,test\n",
        "user,item,role\nann,10,train\n007,10,tset\n",
        "user,item\nann,10\n",
        "ann,10,train\n007,10,test\n",
        "",
    )
    approved({repr(text): refusal(lambda text=text: read(table(tmp_path, text)), DataError) for text in cases})


def test_a_fault_in_a_pair_of_files_is_named_in_the_right_one(movielens):
    (movielens / "ua.test").write_text(TEST + "ann\t10\t5\t1\n")
    with pytest.raises(DataError) as error:
        read(movielens / "ua.base")
    assert f"{movielens / 'ua.test'}:4: " in str(error.value)
    assert f"{movielens / 'ua.base'}:1" in str(error.value)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("user,item,fold\nann,10,1\nann,20,1\n", "folds: 1"),
        ("user,item,fold\nann,10,1\nann,20\n", "folds.csv:3: the line has 2 fields"),
        ("user,item,fold\n", "folds: 0"),
    ],
)
def test_a_file_that_is_no_table_of_folds_is_refused(tmp_path, text, part):
    with pytest.raises(DataError) as error:
        read(table(tmp_path, text))
    assert part in str(error.value)


def test_half_a_pair_and_two_families_are_refused(movielens):
    (movielens / "v1.base").write_text(BASE)
    with pytest.raises(DataError, match="several families of folds: u, v"):
        read(movielens)
    (movielens / "v1.base").unlink()
    (movielens / "u10.test").unlink()
    with pytest.raises(DataError, match=r"has no u10.test next to it"):
        read(movielens)


def test_places_without_folds_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"contains no file such as u1.base"):
        read(tmp_path)
    with pytest.raises(DataError, match="split 'predefined': path: there is no file"):
        read(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="does not say which files"):
        _ = plugins.build("split", "predefined").n_folds


def test_data_without_raw_names_are_refused(movielens):
    with pytest.raises(DesignError, match="have no raw file"):
        read(movielens, replace(DATA, user_ids=None))


def sets(folder, **written: str) -> str:
    for name, text in written.items():
        (folder / name.replace("_", ".")).write_text(text)
    return str(folder)


@pytest.mark.parametrize(
    "spec",
    [
        "train={0}/train.csv,test={0}/test.txt",
        "train=[{0}/train1.csv,{0}/train2.csv],test={0}/test.txt",
        "train={0}/parts,test={0}/test.txt",
        'train="{0}/train?.csv",test={0}/test.txt'.replace("?", "*"),
    ],
)
def test_sets_have_files_of_their_own(spec, tmp_path):
    if "*" not in spec:
        sets(tmp_path, train_csv="userId,movieId,rating\nann,10,5\nann,20,3\n007,10,4\n")
    sets(tmp_path, train1_csv="user,item\nann,10\n", train2_csv="user,item\n007,10\nann,20\n")
    sets(tmp_path, test_txt="Kunde;Artikel;Bewertung\n007;30;2\nNA;20;1\nNA;30;5\n")
    (tmp_path / "parts").mkdir()
    sets(tmp_path / "parts", **{"part-0_csv": "user,item\nann,10\nann,20\n", "part-1_csv": "user,item\n007,10\n"})
    built = plugins.build("split", f"predefined({spec.format(tmp_path)})")
    assert [letters(built.roles(DATA, fold, None)) for fold in range(built.n_folds)] == ["...TTT"]


def test_a_table_may_have_several_files(tmp_path):
    (tmp_path / "a.csv").write_text("user,item,fold\nNA,30,10\nann,10,2\n")
    (tmp_path / "b.csv").write_text("item,user,fold\n20,ann,2\n10,007,9\n30,007,10\n20,NA,9\n")
    built = plugins.build("split", f"predefined(path=[{tmp_path}/a.csv,{tmp_path}/b.csv])")
    assert [letters(built.roles(DATA, fold, None)) for fold in range(built.n_folds)] == ["TT....", "..T.T.", "...T.T"]


def test_the_same_files_in_other_sets_have_another_address(tmp_path):
    for name, item in {"a": 10, "b": 20, "c": 30}.items():
        (tmp_path / f"{name}.csv").write_text(f"user,item\nann,{item}\n")
    specs = ("train=[{0}/a.csv,{0}/b.csv],test={0}/c.csv", "train={0}/a.csv,test=[{0}/b.csv,{0}/c.csv]")
    built = [plugins.build("split", f"predefined({spec.format(tmp_path)})") for spec in specs]
    assert len({str(plugins.address("split", each.spec)) for each in built}) == 2
    assert built[0].prose().startswith("Training and test sets were read from files (a.csv, b.csv, c.csv)")


@pytest.mark.parametrize("spec", ["train=a.csv", "path=a.csv,train=b.csv,test=c.csv", "validation=a.csv,test=b.csv"])
def test_some_sets_alone_are_refused(spec):
    with pytest.raises(ConfigError, match="path alone, or train and test"):
        _ = plugins.build("split", f"predefined({spec})").n_folds
