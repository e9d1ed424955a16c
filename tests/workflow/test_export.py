"""Splits as CSV files: another program gets the same split that recsens uses."""

import csv
import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.folds import write_interactions
from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DesignError
from recsens.files.scale import Scale
from recsens.study import load_study
from recsens.study.designs import folds
from recsens.vocabulary import Role
from recsens.workflow.export import data_of, export, template
from recsens.workflow.plan import Plan

STUDY = {
    "title": "Is mine better?",
    "datasets": {"My data": 'delimited(path="ratings.tsv")'},
    "systems": {"Popularity": "popularity", "Mine": 'from_file(path="runs/mine-{fold}.csv")'},
    "design": {"split": "random(ratio=0.5)", "repeats": 2},
    "metrics": ["P@10"],
}

USERS = ["007", 'Zoë "Z"']
ITEMS = ["a", "b,c", "NA"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ratings.tsv").write_text("007\ta\t5\n", encoding="utf-8")


def study(**changes: object) -> Plan:
    Path("mine.yaml").write_text(yaml.safe_dump({**STUDY, **changes}, sort_keys=False), encoding="utf-8")
    return Plan("mine.yaml")


def data(*, with_ratings: bool = True) -> Interactions:
    """Four interactions, in an order that is neither the users' nor the items'."""
    return Interactions(
        user=np.array([1, 0, 1, 0], dtype=np.int32),
        item=np.array([2, 0, 1, 1], dtype=np.int32),
        rating=np.array([4, 2.5, 1, 5]) if with_ratings else None,
        timestamp=np.array([956666852, 1, 2, 3]) if with_ratings else None,
        user_keys=np.arange(2),
        item_keys=np.arange(3),
        scale=Scale(),
    )


def make(plan: Plan, roles: list[Role], interactions: Interactions | None = None) -> None:
    """Stand in for the workflow: the same data and roles in every fold of every design."""
    interactions = data() if interactions is None else interactions
    for designs in plan.designs.values():
        for design in designs:
            write_interactions(interactions, user_ids=USERS, item_ids=ITEMS, record={}, files=design.filter_address.data)
            for fold in folds(design):
                storage.write_table(design.fold_address(fold).roles, schemas.ROLES, {"role": roles})


def rows(path: str) -> list[list[str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


SIDES = [Role.TRAIN, Role.TEST, Role.TRAIN, Role.UNUSED]


def test_each_fold_gets_its_train_and_test_set_with_raw_names():
    plan = study()
    make(plan, SIDES)
    (place,) = export(plan, "mine", "exports")
    assert place == Path("exports/my-data/random@ratio=0.5")
    assert sorted(path.name for path in place.iterdir()) == ["README.txt", "croissant.json", "repeat-0", "repeat-1"]
    for fold in ("repeat-0", "repeat-1"):
        assert sorted(path.name for path in (place / fold).iterdir()) == ["test.csv", "train.csv"]
        assert rows(f"{place}/{fold}/train.csv") == [
            ["user", "item", "rating", "timestamp"],
            ['Zoë "Z"', "NA", "4", "956666852"],
            ['Zoë "Z"', "b,c", "1", "2"],
        ]
        assert rows(f"{place}/{fold}/test.csv")[1:] == [["007", "a", "2.5", "1"]]


def test_pandas_reads_what_was_written():
    plan = study()
    make(plan, SIDES)
    export(plan, "mine", "exports")
    file = "exports/my-data/random@ratio=0.5/repeat-0/test.csv"
    assert pd.read_csv(file, dtype={"user": str, "item": str}).to_dict("list") == {
        "user": ["007"],
        "item": ["a"],
        "rating": [2.5],
        "timestamp": [1],
    }


def test_a_validation_set_is_written_where_there_is_one():
    plan = study()
    make(plan, [Role.TRAIN, Role.TEST, Role.VALIDATION, Role.TRAIN])
    export(plan, "mine", "exports")
    assert rows("exports/my-data/random@ratio=0.5/repeat-1/validation.csv")[1:] == [['Zoë "Z"', "b,c", "1", "2"]]


def test_test_sets_stay_out_on_request_and_so_does_that_of_an_earlier_export():
    plan = study()
    make(plan, SIDES)
    (place,) = export(plan, "mine", "exports")
    export(plan, "mine", "exports", with_test=False)
    assert [path.name for path in sorted(place.rglob("*.csv"))] == ["train.csv", "train.csv"]


def test_columns_that_the_data_do_not_have_are_left_out():
    plan = study()
    make(plan, SIDES, data(with_ratings=False))
    export(plan, "mine", "exports")
    assert rows("exports/my-data/random@ratio=0.5/repeat-0/train.csv") == [["user", "item"], ['Zoë "Z"', "NA"], ['Zoë "Z"', "b,c"]]


def test_two_exports_are_the_same_bytes():
    plan = study()
    make(plan, SIDES)
    written = []
    for folder in ("one", "two"):
        export(plan, "mine", folder)
        written.append({str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()})
    assert written[0] == written[1]
    assert len(written[0]) == 6


def test_each_split_and_each_filter_has_a_folder_of_its_own():
    plan = study(
        vary={"split": ["k_fold(k=2)"], "filter": ["k_core(users=3)"], "view": ["condensed"]},
        systems={"Popularity": "popularity"},
        experiments={"Once": {"dataset": "My data", "design": {"repeats": 1}}},
    )
    make(plan, SIDES)
    assert sorted(map(str, export(plan, "mine", "exports"))) == [
        "exports/my-data/k_core@users=3/random@ratio=0.5",
        "exports/my-data/none/k_fold@k=2",
        "exports/my-data/none/random@ratio=0.5",
    ]
    assert len(list(Path("exports/my-data/none/k_fold@k=2").glob("repeat-?.fold-?/train.csv"))) == 4
    # An experiment on the same data and split has the same folds.
    assert len(list(Path("exports/my-data/none/random@ratio=0.5").glob("*/train.csv"))) == 2


def test_data_sets_that_would_share_a_folder_are_refused():
    text = 'delimited(path="ratings.tsv")'
    plan = study(datasets={"My data": text, "my-data": text}, systems={"Popularity": "popularity"})
    make(plan, SIDES)
    with pytest.raises(DesignError, match="would share the folder"):
        export(plan, "mine", "exports")


def test_the_page_beside_the_folds_says_how_to_name_the_scores():
    plan = study()
    make(plan, SIDES)
    (place,) = export(plan, "mine", "exports")
    text = (place / "README.txt").read_text(encoding="utf-8")
    for told in (
        "'mine': Is mine better?",
        "My data: delimited",
        "random(ratio=0.5)",
        "repeat-0, repeat-1",
        "runs/mine-repeat-1.csv",
    ):
        assert told in text
    spec = text.rpartition("Mine: ")[2].strip()
    Path("runs").mkdir()
    for fold in ("repeat-0", "repeat-1"):
        Path(f"runs/mine-{fold}.csv").touch()
    assert len(plugins.build("recommender", spec).own_files()) == 2


def test_the_path_shown_leads_to_the_files_that_the_pages_ask_for():
    mine = 'from_file(path="runs/mine/{filter}/{split}/{fold}.csv")'
    plan = study(systems={"Mine": mine}, vary={"split": ["k_fold(k=2)"], "filter": ["k_core(users=3)"]})
    assert template(plan) == "runs/mine/{filter}/{split}/{fold}.csv"
    make(plan, SIDES)
    asked = []
    for place in export(plan, "mine", "exports"):
        text = (place / "README.txt").read_text(encoding="utf-8")
        assert mine in text
        assert f"{{split}}   {place.name}\n" in text
        asked += [Path(line.strip()) for line in text.splitlines() if line.startswith("  runs/mine/")]
    # Base design, k-fold and k-core, of two repeats each.
    assert len(asked) == 2 + 4 + 2
    for number, file in enumerate(asked):
        assert not any(place.is_file() for place in asked[number:])
        with pytest.raises(ConfigError, match="no scores of fold"):
            _ = Plan("mine.yaml").rankings
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"user,item,score\n007,a,{number}\n")
    rankings = Plan("mine.yaml").rankings.values()
    assert sorted(str(ranking.system.get("path")) for ranking in rankings) == sorted(
        str(file.with_name("{fold}.csv")) for file in asked
    )
    # Each split's address carries the digest of its own files.
    assert len({ranking.address.step("recommender") for ranking in rankings}) == 3


CHANGES = {
    "nothing": {},
    "decisions of every kind": {
        "systems": {"Popularity": "popularity", "Mine": 'from_file(path="{split}/{fold}.csv")'},
        "design": {"split": "k_fold(k=2)", "filter": "k_core(users=3)", "nc": "append", "view": "condensed"},
        "vary": {"split": ["random"], "repeats": [3], "ties": ["low_index"]},
        "combine": "grid",
        "compare": [["Popularity", "Mine"]],
    },
    "an experiment": {
        "systems": {"Popularity": "popularity", "Mine": 'from_file(path="{split}/{fold}.csv")'},
        "seed": 3,
        "experiments": {
            "Other": {
                "dataset": "My data",
                "design": {"split": "random(ratio=0.9)", "view": "condensed"},
                "vary": {"repeats": [1], "ties": ["low_index"]},
            }
        },
    },
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_the_data_of_a_study_have_its_splits_and_need_no_scores(changes):
    systems = {"Popularity": "popularity", "Mine": "random"}
    whole = study(**{**changes, "systems": systems})
    expected = whole.splits
    study(**changes)
    with data_of(load_study("mine.yaml")) as path:
        plan = Plan(str(path))
        assert plan.splits == expected
    assert not path.exists()


def test_croissant_says_of_every_file_what_its_validator_demands():
    plan = study()
    make(plan, [Role.TRAIN, Role.TEST, Role.TRAIN, Role.VALIDATION])
    [folder] = export(plan, "mine", "exports")
    told = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert (told["@type"], told["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.0")
    assert told["name"] == "My data, random(ratio=0.5)"
    files = {each["@id"]: folder / each["contentUrl"] for each in told["distribution"]}
    assert set(files.values()) == set(folder.glob("*/*.csv"))
    assert [each["sha256"] for each in told["distribution"]] == [sha256(path.read_bytes()).hexdigest() for path in files.values()]
    types = {"user": "sc:Text", "item": "sc:Text", "rating": "sc:Float", "timestamp": "sc:Integer"}
    for file, records in zip(files, told["recordSet"], strict=True):
        assert f"{records['@id']}.csv" == file
        assert {each["name"]: each["dataType"] for each in records["field"]} == types
        assert {each["source"]["fileObject"]["@id"] for each in records["field"]} == {file}
        with files[file].open(encoding="utf-8") as stream:
            assert next(csv.reader(stream)) == [each["source"]["extract"]["column"] for each in records["field"]]
    export(plan, "mine", "exports", with_test=False)
    assert "test" not in (folder / "croissant.json").read_text(encoding="utf-8")
