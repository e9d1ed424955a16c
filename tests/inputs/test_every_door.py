"""Ratings in forty shapes, through every door: all doors read the same rows, or all refuse."""

import bz2
import gzip
import json
import lzma
import re
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.data.inspection import Inspection
from recsens.errors import RecsensError
from recsens.files import FileTable
from recsens.files.kinds import QRELS
from recsens.inputs.forms import read_any_rows
from recsens.runs.leakage._reading import read_ratings
from recsens.study import load_study

Pairs = set[tuple[str, str, float]]

SOME = [(user, item) for user in range(1, 9) for item in range(1, 7) if (user + item) % 3]
STARS = [(f"u{user}", f"i{item}", 1.0 + (user * item + user) % 5) for user, item in SOME]
HALVES = [(user, item, rating - 0.5) for user, item, rating in STARS]
NUMBERED = [(name[1:], item[1:], rating) for name, item, rating in STARS]
POSITIVE = [(user, item, 1.0) for user, item, _ in STARS]
LABELLED = [(user, item, float(rating >= 4)) for user, item, rating in STARS]
TIMES = [881250949 + 3600 * row for row in range(len(STARS))]


def zipped(*texts: str) -> bytes:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for number, text in enumerate(texts):
            file.writestr(f"{number}.csv", text)
    return archive.getvalue()


def zipped_as(members: dict[str, str]) -> bytes:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return archive.getvalue()


def rows(separator: str, columns: str = "", *, data=STARS, times: bool = False, line: str = "\n", form: str = "{:g}") -> str:
    """Write rows with a separator, below a header if there are column names."""
    fields = [
        [user, item, *([form.format(rating)] if form else []), *([str(time)] if times else [])]
        for (user, item, rating), time in zip(data, TIMES, strict=True)
    ]
    lines = [separator.join(each) for each in fields]
    return line.join([*([columns] if columns else []), *lines, ""])


def objects(**keys: str) -> str:
    return "".join(json.dumps(dict(zip(keys.values(), row, strict=True))) + "\n" for row in STARS)


def dated(form: str, separator: str = ",") -> str:
    """Write ratings with days of January in a given form."""
    lines = [f"{user},{item},{rating:g},{form.format(at % 28 + 1)}" for at, (user, item, rating) in enumerate(STARS)]
    return "\n".join(["user,item,rating,date", *lines, ""]).replace(",", separator)


READ: dict[str, tuple[str, str | bytes, list[tuple[str, str, float]]]] = {
    "our own names": ("r.csv", rows(",", "user,item,rating"), STARS),
    "tabs": ("r.tsv", rows("\t", "user\titem\trating"), STARS),
    "our names and times": ("r.csv", rows(",", "user,item,rating,timestamp", times=True), STARS),
    "another order of columns": ("r.csv", "rating,item,user\n" + "".join(f"{r:g},{i},{u}\n" for u, i, r in STARS), STARS),
    "MovieLens latest": ("ratings.csv", rows(",", "userId,movieId,rating,timestamp", data=NUMBERED, times=True), NUMBERED),
    "MovieLens 100K": ("u.data", rows("\t", data=NUMBERED, times=True), NUMBERED),
    "MovieLens 1M": ("ratings.dat", rows("::", data=NUMBERED, times=True), NUMBERED),
    "RecBole": ("ml.inter", rows("\t", "user_id:token\titem_id:token\trating:float\ttimestamp:float", times=True), STARS),
    "LensKit and RecTools": ("r.csv", rows(",", "user_id,item_id,rating"), STARS),
    "Amazon 2018, with the item first": (
        "Toys.csv",
        "".join(
            f"B000{int(item):06d},A3ILHRAH{user},{rating:g},12844224{at:02d}\n" for at, (user, item, rating) in enumerate(NUMBERED)
        ),
        [(f"A3ILHRAH{user}", f"B000{int(item):06d}", rating) for user, item, rating in NUMBERED],
    ),
    "Amazon's columns": ("r.csv", rows(",", "reviewerID,asin,overall,unixReviewTime", times=True), STARS),
    "Goodreads' columns": ("r.csv", rows(",", "user_id,book_id,rating"), STARS),
    "Yelp's columns": ("r.csv", rows(",", "user_id,business_id,stars"), STARS),
    "semicolons": ("r.csv", rows(";", "user;item;rating"), STARS),
    "semicolons and decimal commas": (
        "r.csv",
        "user;item;rating\n" + "".join(f"{u};{i};{r - 0.5:.1f}\n".replace(".", ",") for u, i, r in STARS),
        HALVES,
    ),
    "pipes": ("r.txt", rows("|", "user|item|rating"), STARS),
    "a byte order mark": ("r.csv", b"\xef\xbb\xbf" + rows(",", "user,item,rating").encode(), STARS),
    "lines ending as on Windows": ("r.csv", rows(",", "user,item,rating", line="\r\n"), STARS),
    "quotes": ("r.csv", '"user","item","rating"\n' + "".join(f'"{u}","{i}","{r:g}"\n' for u, i, r in STARS), STARS),
    "gzip": ("r.csv.gz", gzip.compress(rows(",", "user,item,rating").encode()), STARS),
    "UTF-16": ("r.csv", rows("\t", "user\titem\trating").encode("utf-16"), STARS),
    "labels of 0 and 1": ("r.csv", rows(",", "user,item,label", data=LABELLED), LABELLED),
    "labels of true and false": (
        "r.csv",
        rows(",", "user,item,is_liked", data=LABELLED).replace(",1\n", ",True\n").replace(",0\n", ",False\n"),
        LABELLED,
    ),
    "numbers as text in JSON": (
        "r.json",
        "".join(json.dumps({"user": user, "item": item, "rating": f"{rating:g}"}) + "\n" for user, item, rating in STARS),
        STARS,
    ),
    "no ratings": ("r.csv", rows(",", "user,item", form=""), POSITIVE),
    "no ratings, with times": ("r.csv", rows(",", "user_id,item_id,timestamp", form="", times=True), POSITIVE),
    "half stars": ("r.csv", rows(",", "user,item,rating", data=HALVES), HALVES),
    "ratings as floats": ("r.csv", rows(",", "user,item,rating", form="{:.1f}"), STARS),
    "a further column of text": ("r.csv", "user,item,rating,title\n" + rows(",").replace("\n", ",A film\n"), STARS),
    "times as text": ("r.csv", dated("2024-01-{:02d}"), STARS),
    "times with a zone": ("r.csv", dated("2024-01-{:02d} 10:15:00 +0100"), STARS),
    "dates with slashes, the day first": ("r.csv", dated("{}/1/2024"), STARS),
    "dates with slashes, the month first": ("r.csv", dated("1/{}/2024 9:05 PM"), STARS),
    "dates with dashes": ("r.csv", dated("{:02d}-01-2024", ";"), STARS),
    "JSON lines": ("r.jsonl", objects(user="user_id", item="business_id", rating="stars"), STARS),
    "JSON lines, gzipped": ("r.json.gz", gzip.compress(objects(user="user", item="item", rating="rating").encode()), STARS),
    "a list in JSON": (
        "r.json",
        json.dumps([dict(zip(("user_id", "item_id", "rating"), row, strict=True)) for row in STARS], indent=1),
        STARS,
    ),
    "an object around the rows in JSON": (
        "r.json",
        json.dumps({"data": [dict(zip(("user_id", "item_id", "rating"), row, strict=True)) for row in STARS]}, indent=1),
        STARS,
    ),
    "objects within objects in JSON": (
        "r.jsonl",
        "".join(json.dumps({"actor": {"id": u, "bot": False}, "object": {"id": i}, "rating": r}) + "\n" for u, i, r in STARS),
        STARS,
    ),
    "bzip2": ("r.csv.bz2", bz2.compress(rows(",", "user,item,rating").encode()), STARS),
    "xz": ("r.csv.xz", lzma.compress(rows(",", "user,item,rating").encode()), STARS),
    "zip, of one file": ("r.csv.zip", zipped(rows(",", "user,item,rating")), STARS),
    "a first line that names the separator (sep=;)": ("r.csv", rows(";", "sep=;\nuser;item;rating"), STARS),
    "days as in Japanese": ("r.csv", dated("2024年1月{}日"), STARS),
    "addresses as users": ("r.csv", rows(",", "customer_email,sku,rating"), STARS),
    "a web page for each item": ("r.csv", rows(",", "user,url,rating"), STARS),
    "a title beside each item": (
        "r.csv",
        "product_name,sku,user,rating\n" + "".join(f"Film {i},{i},{u},{r:g}\n" for u, i, r in STARS),
        STARS,
    ),
    "Western encodings": (
        "r.csv",
        "user,item,rating,crédit\n".encode("cp1252") + rows(",").replace("\n", ",é\n").encode("cp1252"),
        STARS,
    ),
    "Shift-JIS and other encodings, under known names": (
        "r.csv",
        ("会員,商品,評価\n" + rows(",").replace("\n", "\n")).encode("cp932"),
        STARS,
    ),
    "encodings of Cyrillic, under known names": ("r.csv", rows(";", "Пользователь;Фильм;Оценка").encode("cp1251"), STARS),
    "judgements of TREC": ("qrels.txt", "".join(f"{u} 0 {i} {r:g}\n" for u, i, r in STARS), STARS),
    "Hive's separators (\\x01)": ("000000_0", rows("\x01", times=True), STARS),
    "zip, of ratings beside other tables": (
        "r.zip",
        zipped_as({"a/README.txt": "x", "a/ratings.csv": rows(",", "user,item,rating")}),
        STARS,
    ),
    "shops' names": ("r.csv", rows(",", "customer,sku,rating"), STARS),
    "names in German": ("r.csv", rows(";", "Kunde;Artikel;Bewertung"), STARS),
    "names with blanks": ("r.csv", rows(",", "User ID,Item ID,Rating"), STARS),
}

REFUSED: dict[str, tuple[str, str | bytes]] = {
    "an empty file": ("r.csv", ""),
    "a header alone": ("r.csv", "user,item,rating\n"),
    "HTML": ("r.csv", "<!DOCTYPE html>\n<html><body>Not found</body></html>\n"),
    "one column": ("r.csv", "user\nann\nbob\ncid\n"),
    "a workbook": ("r.xlsx", b"PK\x03\x04" + bytes(200)),
    "LightGCN": ("train.txt", "0 1 2 3\n1 2 3 4\n2 5 6 1\n"),
    "MatrixMarket": ("r.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 2 3\n"),
    "a table of users by items": (
        "r.csv",
        "user," + ",".join(f"i{item}" for item in range(9)) + "\n" + "".join(f"u{user},1,,3,4,,,5,2,{user}\n" for user in range(9)),
    ),
    "an archive of several files": ("r.zip", zipped("user,item\na,x\nb,y\n", "user,item\nc,x\nd,y\n")),
    "a table as psql prints it": (
        "r.txt",
        " user | item | rating\n------+------+--------\n    1 |   66 |    4.0\n    2 |   6 |    3.0\n(2 rows)\n",
    ),
    "Shift-JIS under unknown names": ("r.csv", "何々,彼是,点々\nあい,うえ,3\nおか,きく,4\n".encode("cp932")),
    "predictions with ranks, in place of ratings": (
        "top.csv",
        "user,item,prediction,rank\na,x,.9,1\na,y,.8,2\nb,x,.7,1\nb,y,.5,2\n",
    ),
    "unread labels beside positive rows": ("r.csv", rows(",", "user,item,returned", data=LABELLED)),
}


def _pairs(table: FileTable) -> Pairs:
    ratings = table.columns.get("rating", [1.0] * len(table))
    return {(table.user[row], table.item[row], float(ratings[row])) for row in range(len(table))}


def _inspected(path: Path) -> Pairs:
    found = Inspection.of(path)
    found.refuse_doubts()
    return _pairs(found.table)


def _loaded(path: Path) -> Pairs:
    frame = recsens.load(path).frame
    ratings = frame["rating"] if "rating" in frame else pd.Series(1.0, index=frame.index)
    return set(zip(frame["user"].astype(str), frame["item"].astype(str), ratings.astype(float), strict=True))


def _begun(path: Path) -> Pairs:
    study = path.with_name("study.yaml")
    done = CliRunner().invoke(main, ["init", str(path), "--to", str(study)])
    if done.exit_code:
        raise RecsensError(done.output)
    [spec] = load_study(study).datasets.values()
    frame = recsens.load(str(spec)).frame
    ratings = frame["rating"] if "rating" in frame else pd.Series(1.0, index=frame.index)
    return set(zip(frame["user"].astype(str), frame["item"].astype(str), ratings.astype(float), strict=True))


DOORS: dict[str, Callable[[Path], Pairs]] = {
    "inspect": _inspected,
    "load": _loaded,
    "init": _begun,
    "evaluate, audit, printed": lambda path: _pairs(read_any_rows(path, QRELS, what="the test set")),
    "leaks": lambda path: _pairs(read_ratings(path, "the test set", None)[0]),
}


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("shape", READ)
def test_what_one_door_reads_all_read(shape: str, tmp_path: Path):
    name, content, pairs = READ[shape]
    for door, read in DOORS.items():
        assert read(put(tmp_path, name, content)) == set(pairs), door


@pytest.mark.parametrize("shape", REFUSED)
def test_what_one_door_refuses_all_refuse(shape: str, tmp_path: Path):
    for read in DOORS.values():
        with pytest.raises(RecsensError):
            read(put(tmp_path, *REFUSED[shape]))


def test_a_frame_has_the_rows_of_its_file(tmp_path: Path):
    frame = pd.DataFrame(STARS, columns=["user", "item", "rating"])
    frame.to_parquet(tmp_path / "r.parquet")
    for read in DOORS.values():
        assert read(tmp_path / "r.parquet") == set(STARS)
    assert _pairs(read_any_rows(frame, QRELS)) == set(STARS)


def test_the_page_of_formats_has_every_shape():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8").lower()
    nonsense = {"an empty file", "a header alone", "HTML", "one column"}
    for shape in {*READ, *REFUSED} - nonsense:
        assert [word for word in re.findall(r"[a-z0-9-]+", shape.lower()) if len(word) > 3 and word not in page] == [], shape


def test_a_pair_of_two_sets_belongs_to_the_later_one_in_an_evaluation_as_in_an_audit(tmp_path: Path):
    train = pd.DataFrame({"user": ["a", "a", "b"], "item": ["x", "y", "x"], "rating": [5, 5, 5]})
    test = pd.DataFrame({"user": ["a", "b"], "item": ["y", "z"], "rating": [5, 5]})
    run = pd.DataFrame({"user": ["a", "a", "b", "b"], "item": ["x", "y", "x", "z"], "score": [3, 2, 2, 1]})
    for name, frame in {"train": train, "test": test, "A": run, "B": run.assign(score=-run["score"])}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    found = recsens.evaluate(run, test, ["RR@1"], train=train)
    assert found.means == {"RR@1": 1.0}
    assert found.notes[0].startswith("judged pairs that are in train or validation too: 1; they are ranked, as test pairs")
    done = recsens.audit(tmp_path, to=tmp_path / "audit", metrics=["RR@1"], page=False)
    values = done.table("summary").query("is_base").set_index("system")["value"]
    assert values["A"] == found.means["RR@1"]
    [note] = [line for line in done.recognised if "in both" in line]
    assert note.startswith("one pair in both train and test, counted as test")
    # Tools take train items out of lists whether or not they are judged.
    theirs = recsens.evaluate(run, test, ["P@1"], train=train, convention="trec_eval")
    assert "judged but not ranked" in theirs.notes[0]
    assert theirs.counts.tolist() == [False, True], "user a's list has only train items"


def test_a_fold_column_with_a_single_fold_asks_no_other_file_for_one(tmp_path: Path):
    train, test = ({"user": ["a", "b"], "item": items, "rating": [5, 4]} for items in (["x", "x"], ["y", "z"]))
    runs = {"user": ["a", "a", "b", "b"], "item": ["y", "z", "z", "y"], "score": [2, 1, 2, 1], "fold": [0] * 4}
    for name, columns in {"train": train, "test": test, "A": runs, "B": {**runs, "score": [1, 2, 1, 2]}}.items():
        pd.DataFrame(columns).to_csv(tmp_path / f"{name}.csv", index=False)
    done = recsens.audit(tmp_path, to=tmp_path / "audit", metrics=["RR@1"], page=False)
    assert done.table("summary").query("is_base").set_index("system")["value"].to_dict() == {"A": 1.0, "B": 0.0}


def test_ratings_of_an_item_called_0_are_no_judgements_of_trec(tmp_path: Path):
    pairs = [(f"u{user}", "0", 1.0 + user % 5) for user in range(60)] + [(f"u{user}", "1", 3.0) for user in range(60)]
    lines = [f"{user}\t{item}\t{rating:g}\t{881250949 + at}" for at, (user, item, rating) in enumerate(pairs)]
    path = put(tmp_path, "u.data", "\n".join(lines))
    assert _inspected(path) == _loaded(path) == set(pairs)
