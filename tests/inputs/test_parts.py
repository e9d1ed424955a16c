"""Folders of parts, and patterns of several files: one data set at every door."""

import gzip
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.data.inspection import Inspection
from recsens.errors import DataError
from recsens.files.kinds import QRELS
from recsens.files.paths import is_one_data_set, parts_of
from recsens.inputs.forms import read_any_rows
from recsens.runs.leakage._reading import read_ratings
from recsens.study import load_study

ROWS = [
    (f"u{user}", f"i{item}", 1 + (user * item) % 5, 881250949 + 60 * (10 * user + item)) for user in range(8) for item in range(6)
]
HEADER, UUID = "user,item,rating,timestamp", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"
FIRST, SECOND, THIRD = ROWS[:20], ROWS[20:30], ROWS[30:]


def text(rows, header: bool = True) -> str:
    return "\n".join([*([HEADER] if header else []), *(",".join(map(str, row)) for row in rows), ""])


def frame(rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=HEADER.split(","))


def spark(folder: Path) -> None:
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.csv.crc").write_bytes(b"crc")
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        (folder / f"part-{number:05d}-{UUID}-c000.csv").write_text(text(rows))
    (folder / f"part-00003-{UUID}-c000.csv").touch()


def gzipped(folder: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        (folder / f"part-{number:05d}.csv.gz").write_bytes(gzip.compress(text(rows).encode()))


def header_first(folder: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        (folder / f"part-{number}.csv").write_text(text(rows, header=not number))


def other_order(folder: Path) -> None:
    (folder / "part-0.csv").write_text(text(FIRST + SECOND))
    frame(THIRD)[["timestamp", "item", "user", "rating"]].to_csv(folder / "part-1.csv", index=False)


def headerless(folder: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        (folder / f"part-{number}").write_text(text(rows, header=False).replace(",", "\t"))


def big_query(folder: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        (folder / f"ratings-{number:012d}.csv").write_text(text(rows))


def dask(folder: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        frame(rows).to_parquet(folder / f"part.{number}.parquet")


def json_lines(folder: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        frame(rows).to_json(folder / f"part-{number}.json", orient="records", lines=True)


FOLDERS = [spark, gzipped, header_first, other_order, headerless, big_query, dask, json_lines]


def of_frame(found: pd.DataFrame) -> set[tuple[str, str, float, int]]:
    return {(user, item, float(rating), int(time)) for user, item, rating, time in found[HEADER.split(",")].itertuples(index=False)}


def of_table(table) -> set[tuple[str, str, float, int]]:
    columns = (table.columns[role] for role in HEADER.split(","))
    return {(user, item, float(rating), int(time)) for user, item, rating, time in zip(*columns, strict=True)}


@pytest.mark.parametrize("fill", FOLDERS, ids=lambda fill: fill.__name__)
def test_a_folder_of_parts_is_one_data_set_at_every_door(fill, tmp_path):
    folder = tmp_path / "ratings"
    folder.mkdir()
    fill(folder)
    assert is_one_data_set(folder)
    expected = {(user, item, float(rating), time) for user, item, rating, time in ROWS}
    assert of_frame(recsens.load(folder).frame) == expected
    assert of_table(Inspection.of(folder).table) == expected
    assert f"{folder}: 48 rows" in CliRunner().invoke(main, ["inspect", str(folder)]).output
    study = tmp_path / "study.yaml"
    done = CliRunner().invoke(main, ["init", str(folder), "--to", str(study)])
    assert done.exit_code == 0, done.output
    [spec] = load_study(study).datasets.values()
    assert of_frame(recsens.load(str(spec)).frame) == expected
    assert of_table(read_ratings(folder, "the test set", None)[0]) == expected
    judged = read_any_rows(folder, QRELS)
    assert {(judged.user[row], judged.item[row], judged.value[row]) for row in range(len(judged))} == {row[:3] for row in expected}


def test_a_pattern_is_one_data_set_too(tmp_path):
    for year, rows in {2019: FIRST, 2020: SECOND, 2021: THIRD}.items():
        (tmp_path / f"{year}.csv").write_text(text(rows))
    (tmp_path / "notes.txt").write_text("no ratings")
    for pattern, rows in {"20*.csv": ROWS, "202*.csv": SECOND + THIRD}.items():
        assert of_frame(recsens.load(tmp_path / pattern).frame) == {(*row[:2], float(row[2]), row[3]) for row in rows}
    with pytest.raises(DataError, match="no such file"):
        recsens.load(tmp_path / "19*.csv")


def test_a_study_reads_every_part_and_tells_a_change_of_any(tmp_path):
    folder = tmp_path / "ratings"
    folder.mkdir()
    spark(folder)
    before = recsens.data.datasets.locate(recsens.data.datasets.DataSet.build(f'delimited(path="{folder}")'))
    assert [path.name[:10] for path in before] == ["part-00000", "part-00001", "part-00002"]


def test_parts_are_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 9, 1):
        (tmp_path / f"part.{number}.csv").write_text(text(FIRST))
    assert [path.name for path in parts_of(tmp_path)] == ["part.1.csv", "part.9.csv", "part.10.csv"]


def test_a_fault_in_a_part_is_placed_there(tmp_path):
    (tmp_path / "part-0.csv").write_text(text(FIRST))
    (tmp_path / "part-1.csv").write_text(text(SECOND) + "u1,i1,none,881250949\n")
    with pytest.raises(DataError) as fault:
        recsens.load(tmp_path)
    assert fault.value.where == f"{tmp_path}/part-1.csv:12"
    (tmp_path / "part-1.csv").write_text(text(FIRST[:1]))
    with pytest.raises(DataError) as fault:
        recsens.load(tmp_path)
    assert f"first at {tmp_path}/part-0.csv:2, then here" in fault.value.problem
    assert fault.value.where == f"{tmp_path}/part-1.csv:2"


def test_times_of_parts_are_in_one_unit(tmp_path):
    (tmp_path / "part-0.csv").write_text("user,item,time\nann,dune,2024-01-31 00:00:00.5\n")
    (tmp_path / "part-1.csv").write_text("user,item,time\nbob,dune,2024-01-31\n")
    times = recsens.load(tmp_path).frame.set_index("user")["timestamp"]
    assert times.to_dict() == {"ann": 1_706_659_200_500_000, "bob": 1_706_659_200_000_000}


@pytest.mark.parametrize("names", [("a.csv", "b.csv"), ("part-0.csv", "y=1/part-1.csv"), ("1/part-0.csv", "2/part-1.csv"), ()])
def test_a_folder_of_other_files_is_refused_at_every_door(names, tmp_path):
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text(FIRST))
    for door in (recsens.load, Inspection.of):
        with pytest.raises(DataError, match="a folder, not a file, and its files are not the parts of one data set"):
            door(tmp_path)
    assert "not the parts of one data set" in CliRunner().invoke(main, ["inspect", str(tmp_path)]).output


BESIDE = {
    "MovieLens 1M": {"README": "x", "ratings.dat": text(FIRST, header=False).replace(",", "::"), "movies.dat": "1::Dune::Drama\n"},
    "RecBole": {"ml.inter": text(FIRST).replace(",", "\t"), "ml.item": "item_id:token\ttitle:token\ndune\tDune\n"},
    "HetRec": {
        "user_artists.dat": text(FIRST).replace(",", "\t"),
        "artists.dat": "id\tname\n1\tAmy\n",
        "user_friends.dat": "a\tb\n",
    },
    "Epinions": {"ratings_data.txt": text(FIRST, header=False).replace(",", " "), "trust_data.txt": " a b 1\n"},
    "DuckDB": {f"data_{at}.csv": text([row]) for at, row in enumerate(FIRST)},
    "an hour in each file": {f"clicks_{hour:02d}.csv": text(FIRST[hour : hour + 1]) for hour in range(len(FIRST))},
}


@pytest.mark.parametrize("shape", BESIDE)
def test_ratings_beside_other_tables_and_numbered_files_are_one_data_set(shape, tmp_path):
    for name, content in BESIDE[shape].items():
        (tmp_path / name).write_text(content)
    assert of_frame(recsens.load(tmp_path).frame) == of_table(Inspection.of(tmp_path).table) == set(FIRST)
    assert is_one_data_set(tmp_path) == (shape == "DuckDB"), "it may be a folder of sets and runs"
    spec = Inspection.of(tmp_path).component.spec
    assert of_frame(recsens.load(str(spec)).frame) == set(FIRST)


def test_a_folder_of_train_and_test_is_refused_with_the_split(tmp_path):
    for name in ("pins.train.rating", "pins.test.rating", "pins.test.negative"):
        (tmp_path / name).write_text(text(FIRST))
    with pytest.raises(DataError, match=r"predefined\(train=.*pins\.train\.rating,test=.*pins\.test\.rating\)"):
        Inspection.of(tmp_path)


@pytest.mark.parametrize("names", [("run_01.csv", "run_02.csv"), ("a_fold01.csv", "a_fold02.csv"), ("a.inter", "b.inter")])
def test_runs_folds_and_sets_are_no_parts(names, tmp_path):
    for name in names:
        (tmp_path / name).write_text(text(FIRST))
    with pytest.raises(DataError, match="not the parts of one data set"):
        Inspection.of(tmp_path)


def hive(folder: Path) -> list[Path]:
    paths = []
    for year, rows in {2021: SECOND, 2020: FIRST, 2022: THIRD}.items():
        paths.append(folder / f"year={year}" / "month=1" / f"{UUID}-0.parquet")
        paths[-1].parent.mkdir(parents=True)
        pd.DataFrame(rows, columns=HEADER.split(",")).to_parquet(paths[-1])
    return paths


def test_folders_that_divide_parts_by_a_value_are_one_data_set(tmp_path):
    paths = hive(tmp_path / "ratings")
    assert parts_of(tmp_path / "ratings") == [paths[1], paths[0], paths[2]]
    expected = {(user, item, float(rating), time) for user, item, rating, time in ROWS}
    assert of_frame(recsens.load(tmp_path / "ratings").frame) == of_table(Inspection.of(tmp_path / "ratings").table) == expected
    assert of_table(read_ratings(tmp_path / "ratings", "the test set", None)[0]) == expected
    (tmp_path / "by" / "user_id=1").mkdir(parents=True)
    paths[0].rename(tmp_path / "by" / "user_id=1" / "part-0.parquet")
    with pytest.raises(DataError, match="not the parts of one data set"):
        recsens.load(tmp_path / "by")


def test_several_paths_are_one_data_set_at_every_door(tmp_path):
    paths = []
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        paths.append(tmp_path / f"{number}.csv")
        paths[-1].write_text(text(rows))
    expected = {(user, item, float(rating), time) for user, item, rating, time in ROWS}
    assert of_frame(recsens.load(paths).frame) == of_table(Inspection.of(paths).table) == expected
    study = tmp_path / "study.yaml"
    for command in (["inspect"], ["init", "--to", str(study)]):
        done = CliRunner().invoke(main, [*command, *map(str, paths)])
        assert f"{paths[0]} and 2 more: 48 rows" in done.output
    [spec] = load_study(study).datasets.values()
    assert f"path=[{','.join(map(str, paths))}]" in str(spec)
    assert of_frame(recsens.load(str(spec)).frame) == expected
    assert of_table(read_ratings(paths, "the test set", None)[0]) == expected
    lists = {user: {item: 1.0} for user, item, *_ in ROWS}
    whole = pd.DataFrame(ROWS, columns=HEADER.split(","))
    for metric in ("nDCG@10", "P@1"):
        assert recsens.evaluate(lists, paths, [metric]).means == recsens.evaluate(lists, whole, [metric]).means
    with pytest.raises(DataError, match="no such file"):
        recsens.load([paths[0], tmp_path / "none.csv"])


def test_an_audit_takes_sets_and_runs_in_parts(tmp_path):
    results = {
        "train": [("a", "x", 5), ("b", "x", 5)],
        "test": [("a", "y", 5), ("b", "z", 5)],
        "A": [("a", "y", 2.0), ("a", "z", 1.0), ("b", "z", 2.0), ("b", "y", 1.0)],
        "B": [("a", "y", 2.0), ("a", "z", 1.0), ("b", "z", 1.0), ("b", "y", 2.0)],
    }
    for name, rows in results.items():
        table = pd.DataFrame(rows, columns=["user", "item", "score" if name in "AB" else "rating"])
        for number, part in enumerate((table[table["user"] == "a"], table[table["user"] == "b"])):
            path = tmp_path / "results" / f"{name}.csv" / f"part-{number:05d}-{UUID}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            part.to_csv(path, index=False)
        (path.parent / "_SUCCESS").touch()
    folder = tmp_path / "results"
    done = recsens.audit(folder, to=tmp_path / "audit", metrics=["RR@1"], page=False)
    assert done.table("summary").query("is_base").set_index("system")["value"].to_dict() == {"A": 1.0, "B": 0.5}
    assert recsens.evaluate(folder / "B.csv", folder / "test.csv", ["RR@1"]).means == {"RR@1": 0.5}


RESULTS = {
    "train": [("a", "x", 5), ("b", "x", 5), ("c", "x", 4)],
    "test": [("a", "y", 5), ("b", "z", 5), ("c", "y", 1)],
    "A": [("a", "x", 3.0), ("a", "y", 2.0), ("a", "z", 1.0), ("b", "z", 2.0), ("b", "y", 1.0), ("c", "y", 1.0)],
    "B": [("a", "y", 2.0), ("a", "z", 1.0), ("b", "z", 1.0), ("b", "y", 2.0), ("c", "z", 1.0)],
}


def in_one_file(folder: Path, name: str, rows: list) -> list[str]:
    table = pd.DataFrame(rows, columns=["user", "item", "score" if name in "AB" else "rating"])
    table.to_csv(folder / f"{name}.csv", index=False)
    return [str(folder / f"{name}.csv")]


def in_two_files(folder: Path, name: str, rows: list) -> list[str]:
    return [path for part in (rows[:1], rows[1:]) for path in in_one_file(folder, f"{name}{len(part)}", part)]


def in_parts(folder: Path, name: str, rows: list) -> list[str]:
    (folder / name).mkdir()
    for path in in_two_files(folder, name, rows):
        Path(path).rename(folder / name / f"part-0000{Path(path).stem[-1]}.csv")
    return [str(folder / name)]


def by_pattern(folder: Path, name: str, rows: list) -> list[str]:
    in_two_files(folder, name, rows)
    return [str(folder / f"{name}[0-9].csv").replace("[0-9]", "*")]


IN_SEVERAL = (in_two_files, in_parts, by_pattern)


def test_commands_take_sets_in_several_files(tmp_path):
    def outputs(folder: Path, write) -> list[str]:
        folder.mkdir()
        runs = [in_one_file(folder, name, RESULTS[name])[0] for name in "AB"]
        sets = {f"--{name}": write(folder, name, RESULTS[name]) for name in ("train", "test")}
        train, test = ([word for path in paths for word in (name, path)] for name, paths in sets.items())
        named = [word for run in runs for word in ("--run", run)]
        whole = in_one_file(folder, "whole", RESULTS["test"])
        commands = {
            "evaluate": ["evaluate", *runs, *whole, *train, "-m", "nDCG@3", "-m", "RR"],
            "meta": ["meta", "sparsity(samples=3)", *named, *(["--qrels" if word == "--test" else word for word in test])],
            "audit": ["audit", *train, *test, *named, "--no-page", "--json", "-m", "RR@1", "--to", str(folder / "audit")],
            "leaks": ["audit", "--leaks", *train, *test, *named],
            "printed": ["audit", "--printed", "A:RR@1=0.5", *train, *test, *named],
        }
        done = {name: CliRunner().invoke(main, command) for name, command in commands.items()}
        assert {name: each.output for name, each in done.items() if each.exit_code} == {}
        return [each.stdout.replace(str(folder), "").split("recognised")[0] for each in done.values()]

    def without_names(texts: list[str]) -> list[list[str]]:
        return [[line for line in text.splitlines() if ".csv" not in line and "/t" not in line] for text in texts]

    expected = without_names(outputs(tmp_path / "one", in_one_file))
    for written in IN_SEVERAL:
        assert without_names(outputs(tmp_path / written.__name__, written)) == expected


def test_several_files_of_a_set_may_name_folds(tmp_path):
    paths = [tmp_path / "monday.csv", tmp_path / "tuesday.csv"]
    for path, users in zip(paths, ("ab", "cd"), strict=True):
        path.write_text(
            "user,item,rating,fold\n" + "".join(f"{user},x,5,{fold}\n{user},y,1,{fold}\n" for fold, user in enumerate(users))
        )
    run = tmp_path / "run.csv"
    run.write_text(
        "user,item,score,fold\n"
        + "".join(f"{user},{item},{score},{'abcd'.index(user) % 2}\n" for user in "abcd" for score, item in enumerate("yx"))
    )
    for fold, users in enumerate(("ac", "bd")):
        found = recsens.evaluate(run, paths, ["RR"], fold=fold)
        assert found.users == list(users)
        assert found.means == {"RR": 1.0}
