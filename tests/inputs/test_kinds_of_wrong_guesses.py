"""Files whose meaning has been guessed wrongly: what each is read as, and what is said, noted or refused."""

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.data.inspection import Inspection
from recsens.errors import DataError
from recsens.files.kinds import QRELS
from recsens.inputs.forms import read_any_rows
from recsens.runs.leakage._reading import read_ratings
from recsens.study import load_study

PAIRS = [(user, item) for user in range(20) for item in range(15) if (7 * user + 5 * item) % 8 < 3]


def put(folder: Path, lines: Sequence[str], name: str = "r.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def rows(form: str) -> list[str]:
    return [
        form.format(user=user, item=item, at=at, stars=1 + (user * item) % 5, day=1 + at % 28, hour=at % 24, second=at % 60)
        for at, (user, item) in enumerate(PAIRS)
    ]


ROLES: dict[str, tuple[list[str], dict[str, str | int | None]]] = {
    "places with coordinates": (
        rows("{user}\t2010-10-{day:02d}T{hour:02d}:55:27Z\t30.{at}2\t-97.{at}1\t{item}22847"),
        {"user": 0, "item": 4, "rating": None, "timestamp": 1},
    ),
    "a category beside the item, and a kind of event": (
        rows("{user},9{item},252{item},pv,15115440{second:02d}"),
        {"user": 0, "item": 1, "rating": None, "timestamp": 4},
    ),
    "numbers of 19 digits that are no times": (
        [
            "event_time,product_id,category_id,price,user_id",
            *rows("2019-10-{day:02d} 00:00:00 UTC,{item},205301355563188{item},9.5,{user}"),
        ],
        {"user": "user_id", "item": "product_id", "rating": None, "timestamp": "event_time"},
    ),
    "users of ten digits": (rows("16426341{user:02d},{item},{stars}"), {"user": 0, "item": 1, "rating": 2, "timestamp": None}),
    "orders of ten digits": (
        ["order_no,user_id,product_id", *rows("10000123{user:02d},{user},{item}")],
        {"user": "user_id", "item": "product_id", "rating": None, "timestamp": None},
    ),
    "names that look like times": (
        ["author_id,tweet_id,liked", *rows("12000000000000000{user:02d},11000000000000000{item:02d},{stars}")],
        {"user": "author_id", "item": "tweet_id", "rating": "liked", "timestamp": None},
    ),
    "a session beside the user": (
        ["session_id,user_id,item_id,timestamp", *rows("s{at},u{user},i{item},15115440{second:02d}")],
        {"user": "user_id", "item": "item_id", "rating": None, "timestamp": "timestamp"},
    ),
    "row numbers first": (rows("{at},u{user},i{item},{stars}"), {"user": 1, "item": 2, "rating": 3, "timestamp": None}),
    "decimal commas between semicolons, without a header": (
        rows("u{user};i{item};{stars},5"),
        {"user": 0, "item": 1, "rating": 2, "timestamp": None},
    ),
    "labels of a click": (
        ["user_id:token\titem_id:token\tlabel:float", *rows("{user}\t{item}\t{stars}")],
        {"user": "user_id:token", "item": "item_id:token", "rating": "label:float", "timestamp": None},
    ),
}


@pytest.mark.parametrize("shape", ROLES)
def test_columns_are_judged_together(shape, tmp_path):
    lines, roles = ROLES[shape]
    path = put(tmp_path, lines)
    found = Inspection.of(path)
    assert dict(found.roles) == roles
    assert len(recsens.load(path)) == len(PAIRS)
    study = tmp_path / "study.yaml"
    assert CliRunner().invoke(main, ["init", str(path), "--to", str(study)]).exit_code == 0
    [spec] = load_study(study).datasets.values()
    assert recsens.load(str(spec)).frame.equals(recsens.load(path).frame)


def with_ratings(values: Sequence[str], name: str = "rating") -> list[str]:
    return [f"user,item,{name}", *(f"u{user},i{item},{values[at % len(values)]}" for at, (user, item) in enumerate(PAIRS))]


REFUSED: dict[str, tuple[list[str], str, list[str]]] = {
    "thousands, or decimals": (
        [line.replace(",", "\t", 2) for line in with_ratings(["12,345", "85,624", "999", "1"])],
        "which could be 12345 or 12.345",
        ['decimal="," if 12,345 is 12.345', "otherwise write 12345 in the file"],
    ),
    "zeros apart from five to ten": (
        with_ratings(["0", "0", "8", "10", "5"]),
        "of the ratings in 'rating' are 0, apart from the others (5 to 10)",
        ["lowest=5,highest=10,invalid=skip leaves out these rows", "lowest=0,highest=10 if 0 is a rating"],
    ),
    "minus one": (
        with_ratings(["-1", "8", "10", "6", "7"]),
        "of the ratings in 'rating' are -1, apart from the others (6 to 10)",
        ["lowest=6,highest=10,invalid=skip leaves out these rows", "lowest=-1,highest=10 if -1 is a rating"],
    ),
    "99 beside small numbers": (
        with_ratings(["99", "-8", "9.5", "3", "0.5"]),
        "of the ratings in 'rating' are 99, apart from the others (-8 to 9.5)",
        ["lowest=-8,highest=9.5,invalid=skip leaves out these rows", "lowest=-8,highest=99 if 99 is a rating"],
    ),
    "ratings that are often missing": (
        with_ratings(["", "4", "5", "3"]),
        "'rating' is empty in",
        ["rating=rating,invalid=skip leaves out rows without a number", "rating=null lets every row count as positive"],
    ),
    "NA in place of ratings": (
        with_ratings(["NA", "4", "5", "3"]),
        "'rating' is empty in",
        ["rating=rating,invalid=skip leaves out rows without a number", "rating=null lets every row count as positive"],
    ),
    "an unread column of 0 and 1": (
        with_ratings(["0", "1"], "returned"),
        "'returned' holds 0 and 1 and is not read",
        ["rating=returned if it says which rows are positive", "rating=null if every row is positive"],
    ),
    "a user in every row": (
        ["id,colour,shade", *(f"n{at},c{item},s{user}" for at, (user, item) in enumerate(PAIRS))],
        "Every row has another user",
        [],
    ),
    "orders in place of users": (
        ["receipt_no,article_id,marker", *(f"{10000 + user},{item},{4000 + user}" for user, item in PAIRS)],
        "'receipt_no' seems to number orders, not users",
        ["user=receipt_no if each counts as a user", "otherwise user= and one of marker"],
    ),
    "users that are often NA": (
        ["session_id,user_id,item_id", *(f"s{user},{'NA' if at % 2 else user},{item}" for at, (user, item) in enumerate(PAIRS))],
        "which would be one user",
        ["user=user_id if that is a name", "otherwise user= and one of session_id"],
    ),
    "the day and the time in two columns": (
        ["user_id,item_id,date,time", *rows("{user},{item},2024-01-{day:02d},{hour:02d}:05:00")],
        "'date' holds the day and 'time' the time",
        ["timestamp=date if the day is enough", "otherwise write both in one column: 2021-01-03 10:15:00"],
    ),
    "a scale that is not usual, without a header": (
        [line.replace(",", "\t") for line in with_ratings(["0", ".2", ".4", ".6", ".8", "1"])[1:]],
        "and is not read, so every row would count as positive",
        ["rating=2 if it says how much users like items", "rating=null if every row is positive"],
    ),
    "99 beside stars": (
        with_ratings(["99", "1", "2", "3", "4", "5"]),
        "of the ratings in 'rating' are 99, apart from the others (1 to 5)",
        ["lowest=1,highest=5,invalid=skip leaves out these rows", "lowest=1,highest=99 if 99 is a rating"],
    ),
    "labels beside ratings that are all equal": (
        ["user,item,rating,label", *(f"{user},{item},5,{'not ' * (at % 2)}relevant" for at, (user, item) in enumerate(PAIRS))],
        "'label' holds not relevant and relevant and is not read",
        ["rating=label, written as numbers, if it says which rows are positive", "rating=null if every row is positive"],
    ),
    "tenths under an unknown name": (
        with_ratings(["4.2", "3.7", "1.5", "2.9"], "tyckande"),
        "'tyckande' holds numbers as ratings do, such as 4.2, and is not read",
        ["rating=tyckande if it says how much users like items", "rating=null if every row is positive"],
    ),
    "the day and the time in two columns of numbers": (
        ["user_id,item_id,TXN_DATE,TXN_TIME", *rows("{user},{item},202401{day:02d},{hour:02d}0512")],
        "'TXN_DATE' holds the day and 'TXN_TIME' the time",
        ["timestamp=TXN_DATE if the day is enough", "otherwise write both in one column: 2021-01-03 10:15:00"],
    ),
    **{
        f"stars called {name}": (
            with_ratings(["4", "3", "1", "5"], name),
            f"'{name}' holds numbers as ratings do, such as 4, and is not read",
            [f"rating={name} if it says how much users like items", "rating=null if every row is positive"],
        )
        for name in ("shop_score", "genderFit", "conversion", "rated")
    },
    "two vague names of ratings": (
        ["user,item,favorite,finished", *(f"u{user},i{item},{at % 2},{at % 3 % 2}" for at, (user, item) in enumerate(PAIRS))],
        "'favorite' and 'finished' could all be the rating",
        ["rating=favorite", "rating=finished"],
    ),
    "times called rating": (
        with_ratings([f"{1700000000 + at}" for at in range(90)]),
        "'rating' holds whole numbers that look like times, such as 1700000000, so it is not read as the rating",
        ["rating=rating if it is one", "rating=null if every row is positive"],
    ),
    "a header again": ([*with_ratings(["3", "4"]), "user,item,5"], "repeats the header", []),
    "numbers that a spreadsheet rounded": (
        ["user,item,rating", *(f"1.{user:02d}E+12,i{item},{1 + item % 5}" for user, item in PAIRS)],
        "a spreadsheet has rounded them",
        [],
    ),
}


@pytest.mark.parametrize("shape", REFUSED)
def test_what_would_change_values_is_asked_for_at_every_door(shape, tmp_path):
    lines, said, choices = REFUSED[shape]
    path = put(tmp_path, lines)
    with pytest.raises(DataError) as refused:
        recsens.load(path)
    assert said in str(refused.value)
    if choices:
        assert refused.value.allowed == "; or ".join(choices)
    done = CliRunner().invoke(main, ["init", str(path), "--to", str(tmp_path / "study.yaml")])
    assert done.exit_code == 1
    assert said in done.output
    assert not (tmp_path / "study.yaml").exists()
    assert said in CliRunner().invoke(main, ["inspect", str(path)]).output


def test_five_percent_of_missing_ratings_do_not_turn_all_rows_positive(tmp_path):
    values = [str(1 + at % 5) for at in range(len(PAIRS))]
    values[3] = values[70] = ""
    found = Inspection.of(put(tmp_path, with_ratings(values)))
    assert found.scale is not None
    assert found.table.n_invalid == 2
    assert len(found.table) == len(PAIRS) - 2
    assert "2 rows have a different form; invalid=skip leaves such rows out." in "\n".join(found.held())


def test_plays_have_a_threshold_of_one(tmp_path):
    plays = [1 if at % 3 else 2 + at for at in range(len(PAIRS))]
    path = put(tmp_path, [f"u{u}\tSO{i}\t{n}" for (u, i), n in zip(PAIRS, plays, strict=True)], "train_triplets.txt")
    assert Inspection.of(path).relevance == 1.0
    study = tmp_path / "study.yaml"
    assert CliRunner().invoke(main, ["init", str(path), "--to", str(study)]).exit_code == 0
    assert yaml.safe_load(study.read_text())["design"]["relevance"] == 1


def test_the_order_within_a_second_is_the_same_in_every_form(tmp_path):
    """Newest first: item a is each user's last, by a quarter of a second."""
    moments = [f"2021-01-01T10:00:0{second}.{fraction}" for second, fraction in ((5, "750"), (5, "500"), (4, "000"))]
    frame = pd.DataFrame([(f"u{user}", item, time) for user in range(6) for item, time in zip("abc", moments, strict=True)])
    frame.columns = ["user", "item", "timestamp"]
    milliseconds = (pd.to_datetime(frame["timestamp"]) - pd.Timestamp(0)) // pd.Timedelta("1ms")
    frame.to_csv(tmp_path / "iso.csv", index=False)
    frame.assign(timestamp=milliseconds).to_csv(tmp_path / "ms.csv", index=False)
    frame.assign(timestamp=pd.to_datetime(frame["timestamp"])).to_parquet(tmp_path / "t.parquet")
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    for name in ("iso.csv", "ms.csv", "t.parquet", "t.jsonl"):
        read = recsens.load(tmp_path / name).frame
        assert set(read.loc[read.groupby("user")["timestamp"].idxmax(), "item"]) == {"a"}


@pytest.mark.parametrize("times", [["978300760.0", "978302109.0"], ["978300760", ""], ["978300760.5", "978302109"]])
def test_float_and_missing_times_do_not_end_a_search_for_leaks(times, tmp_path):
    lines = [
        "user_id:token\titem_id:token\trating:float\ttimestamp:float",
        *(f"u{n}\ti{n}\t4\t{time}" for n, time in enumerate(times)),
    ]
    path = put(tmp_path, lines, "train.inter")
    table, _ = read_ratings(path, "the train set", None)
    assert len(table) == 2
    assert ("timestamp" in table.columns) == ("" not in times)


@pytest.mark.parametrize("name", ["2021.csv", "yes.csv", "null.csv", "日本.csv", 'a"b.csv', "a: b.csv", "#1.csv", "1e3.csv"])
def test_a_study_of_any_file_name_reads_it_back(name, tmp_path):
    path, study = put(tmp_path, with_ratings(["1", "3", "5"]), name), tmp_path / "study.yaml"
    assert CliRunner().invoke(main, ["init", str(path), "--to", str(study)]).exit_code == 0
    [spec] = load_study(study).datasets.values()
    assert recsens.load(str(spec)).frame.equals(recsens.load(path).frame)


def test_zeros_in_front_of_names_survive_json_lines(tmp_path):
    lines = ['{"user_id": "007", "item_id": "0000031887", "stars": 5}', '{"user_id": "7", "item_id": "0000031887", "stars": 1}']
    path = put(tmp_path, lines, "r.json")
    assert recsens.load(path).frame["user"].tolist() == ["007", "7"]
    [doubt] = Inspection.of(path).doubts
    assert doubt.said == "Some users may be written in two ways, and count as two: '007' and '7'."


@pytest.mark.parametrize("missing", [float("nan"), None, np.nan])
def test_a_missing_name_is_no_user_called_nan(missing):
    test = pd.DataFrame({"user": ["a"], "item": ["x"], "rating": [5]})
    with pytest.raises(DataError, match="a user is missing"):
        recsens.evaluate((["a", missing], ["x", "y"], [2.0, 1.0]), test, ["RR"])
    with pytest.raises(DataError, match="item is missing"):
        recsens.evaluate((["a", "a"], ["x", missing], [2.0, 1.0]), test, ["RR"])


def test_times_in_two_units_are_refused_unless_declared(tmp_path: Path):
    lines = ["user,item,rating,timestamp", *rows("u{user},i{item},{stars},13000{at:05}"), "u99,i99,3,1300000000000"]
    path = put(tmp_path, lines)
    for source in (path, pd.read_csv(path)):
        with pytest.raises(DataError, match="seem to have two units") as refused:
            recsens.load(source)
        assert "timestamp=null if no split goes by time" in str(refused.value)
    declared = f'delimited(path="{path}",separator=",",header=true,user=user,item=item,rating=rating,timestamp=timestamp)'
    assert recsens.load(declared).frame["timestamp"].max() == 1_300_000_000_000
    assert read_ratings(path, "the test set", None)[1] is None


@pytest.mark.parametrize(
    ("ratings", "scale"),
    [
        ([1, 2, 3], (1, 3)),
        ([0, 1], (0, 1)),
        ([0.5, 4.5], (0.5, 5)),
        ([20, 80, 100], (20, 100)),
        ([2, 9], (1, 10)),
    ],
)
def test_a_frame_has_the_scale_of_its_file(ratings: list[float], scale: tuple[float, float], tmp_path: Path):
    values = [ratings[at % len(ratings)] for at in range(len(PAIRS))]
    frame = pd.DataFrame([(f"u{user}", f"i{item}") for user, item in PAIRS], columns=["user", "item"]).assign(rating=values)
    frame.to_csv(tmp_path / "r.csv", index=False)
    found = [recsens.load(source).interactions.scale for source in (frame, tmp_path / "r.csv")]
    assert [(each.lowest, each.highest) for each in found] == [scale] * 2
    assert recsens.load(frame, scale=(0, 100, 0)).interactions.scale.highest == 100


def test_a_frame_is_doubted_as_its_file(tmp_path: Path):
    values = [(99, 1, 2, 3, 4, 5)[at % 6] for at in range(len(PAIRS))]
    frame = pd.DataFrame([(f"u{user}", f"i{item}") for user, item in PAIRS], columns=["user", "item"]).assign(rating=values)
    frame.to_csv(tmp_path / "r.csv", index=False)
    for source in (frame, tmp_path / "r.csv"):
        with pytest.raises(DataError, match="it may stand for a missing rating"):
            recsens.load(source)
    assert recsens.load(frame, scale=(1, 99, 0)).interactions.scale.highest == 99


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        ("KUNNR;MATNR", ("KUNNR", "MATNR")),
        ("Faktura;Kunde;Material", ("Kunde", "Material")),
        ("receipt_no;loyalty_card;article_no", ("loyalty_card", "article_no")),
        ("Buyer;Item Name;Listing ID", ("Buyer", "Listing ID")),
        ("пользователь;товар", ("пользователь", "товар")),
        ("BorrowerNumber;ItemNumber", ("BorrowerNumber", "ItemNumber")),
        ("custid;Product SKU", ("custid", "Product SKU")),
        ("gebruiker;media_id", ("gebruiker", "media_id")),
    ],
)
def test_names_that_shops_give_to_users_and_items_are_known(header: str, roles: tuple[str, str], tmp_path: Path):
    ordered = "9{at:05};1{user:04};2{item:04}" if header.count(";") == 2 else "1{user:04};2{item:04}"
    ordered = "1{user:04};Ring {item};2{item:04}" if "Buyer" in header else ordered
    found = Inspection.of(put(tmp_path, [header, *rows(ordered)]))
    assert (found.roles["user"], found.roles["item"], list(found.doubts)) == (*roles, [])


def test_a_note_of_one_to_five_is_a_rating_and_one_of_words_is_not(tmp_path: Path):
    graded = Inspection.of(put(tmp_path, ["Utilisateur;Produit;Note", *rows("u{user};p{item};{stars}")]))
    assert graded.roles["rating"] == "Note"
    worded = Inspection.of(put(tmp_path, ["user;product;note", *rows("u{user};p{item};gift for {at}")], "s.csv"))
    assert worded.roles["rating"] is None


def test_rows_of_two_users_are_doubted(tmp_path: Path):
    found = Inspection.of(put(tmp_path, ["user,item,rating", *(f"u{at % 2},i{at // 2},{1 + at % 5}" for at in range(40))]))
    assert [doubt.said for doubt in found.doubts] == ["All 40 rows have the same 2 users: u0, u1."]


def test_a_zone_of_two_digits_is_read(tmp_path: Path):
    path = put(tmp_path, ["user_id,item_id,created_at", *rows("{user},{item},2024-01-{day:02d} 06:00:00.250+02")])
    assert recsens.load(path).frame["timestamp"].min() == 1_704_081_600_250_000


OTHER_FORMS = {
    "a table below comments": ("r.csv", b"# exported 2024-01-31\nuser,item,rating\na,x,3\nb,y,4\n"),
    "a dump of a database": ("r.sql", b"-- MySQL dump\nCREATE TABLE ratings (\n  user int);\nINSERT INTO ratings VALUES (1,2);\n"),
    "a feather file": ("r.feather", b"ARROW1\0\0" + bytes(90)),
    "a pickle, which can run code": ("r.pkl", pickle.dumps({"user": [1], "item": [2]})),
    "an HDF5 file": ("r.h5", b"\x89HDF\r\n\x1a\n" + bytes(90)),
    "a MATLAB file": ("r.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(90)),
    "a pointer of Git LFS": ("r.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:66\nsize 53\n"),
    "a log of a web server": ("r.log", b"#Version: 1.0\n#Fields: date time cs-username cs-uri-stem\n2012-02-01 07:42:22 ann /a\n"),
    "a list with lines around it": ("r.txt", b"List\n----------\n|Kunde|Ware|\n----------\n|0001 |M-1 |\n|0002 |M-2 |\n"),
    "ratings of libFM": ("r.libfm", b"3 0:1 143:1\n4 1:1 138:1\n5 1:1 143:1\n"),
    "a file for Vowpal Wabbit": ("r.vw", b"4 |u ann |i m44\n3 |u bob |i m44\n"),
    "a table for Weka": ("r.arff", b"% exported\n@RELATION r\n@ATTRIBUTE user string\n@DATA\nann,x,3\nbob,y,4\n"),
    "ratings of Yahoo": ("r.txt", b"0|2\n5036\t50\n5175\t80\n1|1\n5036\t90\n"),
    "a table with dashes below its header": ("r.csv", b"CustID;ProdID\n------;------\n000;P1\n001;P2\n\n(2 rows affected)\n"),
    "a table below other lines": ("r.csv", b"Report: plays\nMade: today\n\nuser,item,plays\na,x,3\nb,y,4\nc,x,1\n"),
    "an R table with row names": ("r.txt", b'"user" "item" "rating"\n"1" "u01" "Red Clock" 4\n"2" "u02" "Blue Sea" 5\n'),
    "objects of Python": ("r.json", b"{'user_id': '7', 'item_id': 'x', 'recommend': True}\n{'user_id': '8', 'item_id': 'y'}\n"),
    "an object for each column or user": (
        "r.json",
        json.dumps({name: {str(row): row for row in range(20)} for name in ("user", "item")}).encode(),
    ),
    "a database": ("r.db", b"SQLite format 3\0" + bytes(90)),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_other_forms_are_refused_by_their_names(form: str, tmp_path: Path):
    name, content = OTHER_FORMS[form]
    (tmp_path / name).write_bytes(content)
    for door in (recsens.load, Inspection.of, lambda path: read_any_rows(path, QRELS)):
        with pytest.raises(DataError, match=f"this looks like {form}"):
            door(tmp_path / name)


def test_a_matrix_of_scipy_is_refused_with_its_call(tmp_path: Path):
    np.savez(tmp_path / "r.npz", data=np.ones(3))
    with pytest.raises(DataError, match="this looks like a matrix of NumPy or SciPy") as refused:
        recsens.load(tmp_path / "r.npz")
    assert "scipy.sparse.load_npz" in str(refused.value.remedy)


def test_seconds_with_fractions_are_times_under_any_name(tmp_path: Path):
    found = Inspection.of(put(tmp_path, ["user_id,item_id,event_ts", *rows("u{user},i{item},15800000{second:02d}.25{at}")]))
    assert found.roles["timestamp"] == "event_ts"
    priced = put(tmp_path, ["user_id,item_id,price", *rows("u{user},i{item},19.{at}")], "p.csv")
    assert Inspection.of(priced).roles["timestamp"] is None


GUESSED: dict[str, tuple[str, str, dict[str, str | None]]] = {
    "times of the day are no items": (
        "day;clock;customer;cod_local;units",
        "{day:02d}.01.2024;1{second:d}:{minute:02d};c{user};{code};2",
        {"user": "customer", "item": "cod_local", "timestamp": "day"},
    ),
    "lengths of time are no items": (
        "profile_name,start,length,title",
        "p{user},2024-01-{day:02d} 10:00:00,00:{minute:02d}:0{second:d},Film {item}",
        {"user": "profile_name", "item": "title", "timestamp": "start"},
    ),
    "numbers of rows are no users": (
        "application_id,whom,job_id,wage",
        "A{at},w{user},j{item},{at}",
        {"user": "whom", "item": "job_id"},
    ),
    "a fact about each user is no item": ("email_address,first_name,what", "u{user}@x.org,N{user},w{item}", {"item": "what"}),
    "free text is no item beside a code": (
        "userName,content,score,appId",
        "u{user},Text {at},{stars},a{item}",
        {"item": "appId", "rating": "score"},
    ),
    "a column mostly missing gives way": ("userId,sessionId,itemId", "NA,s{user},i{item}", {"user": "sessionId"}),
    "the later time of a row is an end": (
        "reader_no,signatur,lent,returned",
        "{user},S {item},2024-01-{day:02d},2024-02-{day:02d}",
        {"user": "reader_no", "item": "signatur", "timestamp": "lent"},
    ),
    "a mark of each user is no label": ("uid,article,subscribed", "u{user},a{item},{odd}", {"rating": None}),
    "a mark of the occasion is no label": ("user_id,product_id,reordered", "u{user},p{item},{some}", {"rating": None}),
    "notes that few rows have are no ratings": ("email,lineitem_sku,Notes", "u{user}@x.org,p{item},{gift}", {"rating": None}),
    "an event or a session gives way": (
        "messageId,userId,sessionId,product_id",
        "m{at},{user},s{day},{item}",
        {"user": "userId", "item": "product_id"},
    ),
    "numbers of seconds are of no zone": (
        "user_id,video_id,time,timestamp",
        "{user},{item},2020-08-{day:02d} 01:37:03.425,15972538{day:02d}.425",
        {"timestamp": "timestamp"},
    ),
    "a due day is no rival": (
        "reader,book_id,LOAN_DATE,DUE_DATE",
        "{user},{item},202401{day:02d},202402{day:02d}",
        {"timestamp": "LOAN_DATE"},
    ),
    "a kind of action is no rating": ("user_id,item_id,action_type", "{user},{item},{stars}", {"rating": None}),
    "a track is finer than its artist": (
        "user_name,artist_name,track_name",
        "u{user},Band {odd},Song {item}",
        {"item": "track_name"},
    ),
    "the parent stands for its variants": (
        "user_id,asin,parent_asin,rating",
        "u{user},a{item},p{item},{stars}",
        {"item": "parent_asin", "rating": "rating"},
    ),
    "stars come before likes": ("user,movie,Like,Star", "u{user},m{item},{at},{stars}", {"rating": "Star"}),
    "quantities and shops are no ratings": (
        "id_cliente,id_producto,cantidad,qte,filial",
        "{user},{item},{stars},{stars},{stars}",
        {"user": "id_cliente", "item": "id_producto", "rating": None},
    ),
    "the device of a play is no label": ("uid,track_id,is_organic,shuffle", "{user},{item},{some},{some}", {"rating": None}),
    "a label in words": ("user_id,app_id,is_recommended", "{user},{item},{truth}", {"rating": "is_recommended"}),
    "whole numbers that are called id": (
        "id_zamowienia,id_klienta,id_produktu",
        "{at},{user},{item}",
        {"user": "id_klienta", "item": "id_produktu"},
    ),
    "times of completion are no ratings": (
        "uid,article,completed",
        "u{user},a{item},17066592{second:02d}",
        {"rating": None, "timestamp": "completed"},
    ),
    "whole numbers of milliseconds": (
        "uid,article,clicked_ms",
        "u{user},a{item},17066592{second:02d}000",
        {"timestamp": "clicked_ms"},
    ),
}


@pytest.mark.parametrize("kind", GUESSED)
def test_columns_are_judged_by_what_they_hold_together(kind: str, tmp_path: Path):
    header, row, roles = GUESSED[kind]
    lines = [
        row.format(
            user=user,
            item=item,
            at=at,
            code=600 + item,
            day=1 + at % 28,
            minute=at % 60,
            second=at % 10,
            stars=1 + at % 5,
            odd=user % 2,
            some=at % 2,
            gift="gift" if at % 9 == 0 else "",
            truth=at % 2 == 0,
        )
        for at, (user, item) in enumerate(PAIRS)
    ]
    path = put(tmp_path, [header, *lines])
    found, frame = Inspection.of(path), pd.read_csv(path, sep=None, engine="python")
    frame.to_parquet(tmp_path / "r.parquet")
    assert {role: found.roles[role] for role in roles} == roles
    if "clock" not in header:
        assert not any(doubt.is_refused for doubt in found.doubts)
        of_parquet = Inspection.of(tmp_path / "r.parquet").roles
        assert {role: of_parquet[role] for role in roles} == roles


@pytest.mark.parametrize(
    "header",
    [
        *("customer_unique_id,product_id,review_score", "card_hash,merchant_id,rating", "Ausweisnummer,Signatur,Bewertung"),
        *(
            "n_carte,code EAN,note",
            "利用者番号,資料番号,評価",
            "المستخدم,الكتاب,التقييم",
            "слушатель,трек,оценка",
            "kullanıcı,film,puan",
        ),
        *("用户名,电影名,评分", "Taster,iWine,Score", "from_user,to_user,liked", "passenger_id,driver_id,driver_rating"),
        *(
            "Användare,Produkt,Betyg",
            "Uživatel,Kniha,Hodnocení",
            "Lener,Boek,Cijfer",
            "Teilnehmer,Kurs,Note",
            "cpf_cliente,cod_produto,nota",
        ),
        *(
            "N° client,Réf. article,Évaluation",
            "PATRON_BARCODE,ITEM_BARCODE,Stars",
            "user.$oid,recipe.$oid,stars",
            "SUBJ,STIM,RESP",
        ),
        *("entityId,targetEntityId,properties.rating", "Kundenkarte,Artikelnr.,Bewertung"),
        *("Email Address,Campaign Title,Clicks", "matrícula,asignatura,nota", "user_id,problem_id,correct", "CPF,pousada,nota"),
        *(
            "rater,ratee,rating",
            "顧客コード,商品コード,評価",
            "distinct_id,podcast_id,star",
            "MusteriNo,UrunKodu,puan",
            "author_id,recipe,is_finished",
        ),
        *("userId.$oid,productId.$oid,rating.$numberInt", "AccountId,Product2Id,grade", "KdNr,ArtNr,Note"),
    ],
)
def test_names_of_columns_in_other_trades_and_languages_are_known(header: str, tmp_path: Path):
    user, item, rating = header.split(",")
    found = Inspection.of(put(tmp_path, [header, *rows("u{user},i{item},{at}")]))
    expected = {"user": user, "item": item, "rating": rating, "timestamp": None}
    assert dict(found.roles) == expected
    assert [doubt.said for doubt in found.doubts if "name" in doubt.said] == []


@pytest.mark.parametrize(
    ("header", "values", "item", "rating", "timestamp"),
    [
        ("user,item,rating,timestamp,time", "u{user},i{item},{at},2020-01-{day:02}T10:00:00,{long}", "item", "rating", "timestamp"),
        ("user,item,rating,date,t", "u{user},i{item},{at},2020-01-{day:02},{long}", "item", "rating", "date"),
        ("user,video,total_views,liked", "u{user},v{item},{long}{item},{like}", "video", "liked", None),
        ("user_id,title,product_name,rating", "u{user},{title},Lamp {item},{at}", "product_name", "rating", None),
        ("user_id,hotel_name,service,rating", "u{user},Hotel {item},{stars},{at}", "hotel_name", "rating", None),
        ("customer,site,article,quantity", "c{user},shop{stars},a{item},{at}", "article", None, None),
        ("user,item,favorite,score", "u{user},i{item},{like},{at}", "item", "score", None),
        ("user,item,is_finished,like", "u{user},i{item},{stars},{like}", "item", "like", None),
        ("user,hotel,star,score", "u{user},h{item},{stars},{at}", "hotel", "score", None),
        ("user,item,like,click", "u{user},i{item},{like},{stars}", "item", "like", None),
        ("user,album,track,plays", "u{user},Album {stars},t{item},{at}", "track", "plays", None),
    ],
)
def test_a_name_that_can_mean_much_does_not_displace_a_better_one(header, values, item, rating, timestamp, tmp_path: Path):
    lines = [
        values.format(
            user=user,
            item=each,
            at=1 + at % 5,
            day=1 + at % 28,
            long=5 + at % 89,
            like=at % 2,
            title=["Mr", "Mrs"][user % 2],
            stars=at % 5,
        )
        for at, (user, each) in enumerate(PAIRS)
    ]
    roles = Inspection.of(put(tmp_path, [header, *lines])).roles
    assert (roles["item"], roles["rating"], roles["timestamp"]) == (item, rating, timestamp)


def test_two_numbers_with_a_bar_between_are_pairs_unless_rows_with_tabs_follow(tmp_path: Path):
    assert len(Inspection.of(put(tmp_path, [f"{10 + user}|{100 + item}" for user, item in PAIRS])).table) == len(PAIRS)
    with pytest.raises(DataError, match="ratings of Yahoo"):
        Inspection.of(put(tmp_path, ["12|2", "7\t50\t1", "8\t60\t2"]))


def test_numbers_of_visitors_with_a_point_are_users(tmp_path: Path):
    lines = [f"18733{user:04}.16442{user:05},/p/{item},{at % 7}.0%" for at, (user, item) in enumerate(PAIRS)]
    found = Inspection.of(put(tmp_path, ["Client Id,Page,Bounce Rate", *lines]))
    assert (found.roles["user"], found.roles["item"]) == ("Client Id", "Page")
    assert found.table.user[0] == "187330000.1644200000"


def test_two_columns_of_ratings_are_asked_about(tmp_path: Path):
    lines = [f"u{user},i{item},{1 + at % 5},{1 + at % 4}" for at, (user, item) in enumerate(PAIRS)]
    found = Inspection.of(put(tmp_path, ["user,item,courier_rating,food_rating", *lines]))
    assert [doubt.choices for doubt in found.doubts] == [("rating=courier_rating", "rating=food_rating")]


@pytest.mark.parametrize("name", ["avg_rating", "rating_count", "member rating", "imdb_rating", "content_rating", "rating_date"])
def test_other_facts_with_the_word_rating_are_no_ratings(name: str, tmp_path: Path):
    path = put(
        tmp_path, [f"user,item,{name},stars", *(f"u{user},i{item},{item},{1 + at % 5}" for at, (user, item) in enumerate(PAIRS))]
    )
    assert Inspection.of(path).roles["rating"] == "stars"


@pytest.mark.parametrize("counts", ["playCount", "clicks", "playtime_forever", "n_plays", "Number of views"])
def test_counts_by_name_draw_no_doubt(counts: str, tmp_path: Path):
    lines = [f"u{user},i{item},{at * at % 97}" for at, (user, item) in enumerate(PAIRS)]
    found = Inspection.of(put(tmp_path, [f"user,item,{counts}", *lines]))
    assert found.roles["rating"] == counts
    assert found.doubts == []
    assert found.relevance == 1


NOTED: dict[str, tuple[Callable[[int, int, int], str], str]] = {
    "a place": (lambda user, item, at: f"u{user},i{item},{48.13 + item / 97:.4f}", "a single value in 'rating'"),
    "a year": (lambda user, item, at: f"u{user},i{item},{1970 + item}", "a single value in 'rating'"),
    "an age": (lambda user, item, at: f"u{user},i{item},{20 + user}", "a single value in 'rating'"),
    "a number for each row": (lambda user, item, at: f"u{user},i{item},{at}", "which may number rows or be times"),
    "two scales": (
        lambda user, item, at: f"u{user},i{item},{(1 + (user + item) % 5) * (1 if user % 2 else 20)}",
        "seems to have two scales",
    ),
    "guests": (
        lambda user, item, at: f"{'guest' if at % 3 == 0 else f'u{user}{at % 8}'},i{item},{1 + (at + item) % 5}",
        "33 % of the rows have the same user, 'guest'",
    ),
    "one column twice": (lambda user, item, at: f"{item},{item},{1 + user % 5}", "Most rows have the same user and item"),
    "few users twice": (lambda user, item, at: f"u{max(at, 3)},i{item},{1 + item % 5}", "Nearly every row has another user"),
    "stars as times": (lambda user, item, at: f"u{user},i{item},5,{1 + (user + item) % 5}", "holds few numbers, up to 5"),
}


@pytest.mark.parametrize("kind", NOTED)
def test_columns_that_hold_something_else_are_doubted(kind: str, tmp_path: Path):
    row, said = NOTED[kind]
    header = "user,item,rating,timestamp" if "times" in kind else "user,item,rating"
    lines = [header, *(row(user, item, at) for at, (user, item) in enumerate(PAIRS))]
    assert any(said in doubt.said for doubt in Inspection.of(put(tmp_path, lines)).doubts)


def test_a_text_of_several_lines_may_end_beyond_the_sample(tmp_path: Path):
    for before in range(2):
        lines = [f'{user},{item},{1 + item % 5},"Great, with\na ""salad"""' for user, item in PAIRS * 6]
        found = Inspection.of(put(tmp_path, ["user_id,recipe_id,rating,review", *["1,2,3,short"] * before, *lines]))
        assert (found.fault, len(found.table)) == (None, before + len(lines))


def test_numbers_as_text_and_truth_are_numbers(tmp_path: Path):
    def read(path: Path) -> list[float]:
        rated = recsens.load(path).frame.set_index(["user", "item"])["rating"]
        return [rated[f"u{user}", f"i{item}"] for user, item in PAIRS]

    lines = [json.dumps({"user_id": f"u{u}", "item_id": f"i{i}", "rating": str(1 + (u + i) % 5)}) for u, i in PAIRS]
    assert read(put(tmp_path, lines, "r.json")) == [1 + (user + item) % 5 for user, item in PAIRS]
    for yes, no in (("True", "False"), ("yes", "no"), ("1", "0")):
        assert read(put(tmp_path, with_ratings([yes, no, no], "liked"))) == [float(at % 3 == 0) for at in range(len(PAIRS))]


def test_times_of_no_known_days_draw_no_doubt(tmp_path: Path):
    found = Inspection.of(put(tmp_path, ["uid,item_id,timestamp", *rows("{user},{item},{at}")]))
    assert found.doubts == []
    assert "from 0 to 110: no known days, so splits by days mean nothing" in "\n".join(found.held())
