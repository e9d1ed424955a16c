"""MovieLens: the publisher's files, in their usual place or in the user's, with or without side tables."""

from pathlib import Path

import numpy as np
import pytest

from approved import refusal
from recsens.data.datasets import Described, destinations, locate, locate_side
from recsens.data.datasets.movielens import MovieLens
from recsens.errors import DataError, SpecError
from recsens.files.scale import Scale
from recsens.plugins import build
from recsens.seeds import Stream

FILES = {
    "100k": {
        "u.data": "2\t1\t5\t20\n1\t10\t3\t10\n",
        "u.user": "1|24|M|technician|85711\n2|53|F|other|94043\n3|23|M|writer|32067\n",
        "u.item": "1|Bodil\xe9n (1995)|01-Jan-1995||http://x|0|0|0|1|1|1|0|0|0|0|0|0|0|0|0|0|0|0|0\n",
    },
    "1m": {
        "ratings.dat": "2::1::5::20\n1::10::3::10\n",
        "users.dat": "1::F::1::10::48067\n2::M::56::16::70072\n",
        "movies.dat": "1::A: B (1995)::Animation|Children's|Comedy\n10::Am\xe9lie (2001)::Drama\n",
    },
    "10m": {"ratings.dat": "2::1::.5::20\n1::10::3.5::10\n", "movies.dat": "1::A (1995)::(no genres listed)\n"},
    "20m": {
        "ratings.csv": "userId,movieId,rating,timestamp\n2,1,0.5,20\n1,10,3.5,10\n",
        "movies.csv": 'movieId,title,genres\n1,"A, The ""B"" (1995)",Drama|War\n10,C,(no genres listed)\n',
    },
}
FILES["25m"] = FILES["20m"]


def publish(folder: Path, release: str, encoding: str = "latin-1") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES[release].items():
        (folder / name).write_bytes(text.encode(encoding))
    return folder


def load(data_set):
    return data_set.load(locate(data_set), Stream(0))


def described(data_set, loaded=None):
    loaded = load(data_set) if loaded is None else loaded
    return data_set.describe(locate_side(data_set, locate(data_set)), loaded.user_ids, loaded.item_ids)


@pytest.mark.parametrize("release", FILES)
def test_files_below_the_environment_variable(tmp_path, monkeypatch, release):
    monkeypatch.setenv("RECSENS_DATA", str(tmp_path))
    publish(tmp_path / f"ml-{release}", release)
    loaded = load(build("dataset", f"movielens({release})"))
    assert (loaded.user_ids, loaded.item_ids) == (["1", "2"], ["1", "10"])
    assert loaded.user.tolist() == [0, 1]
    assert loaded.item.tolist() == [1, 0]
    assert loaded.timestamp.tolist() == [10, 20]
    is_whole = release in {"100k", "1m"}
    assert loaded.rating.tolist() == ([3.0, 5.0] if is_whole else [3.5, 0.5])
    assert loaded.scale == (Scale(1, 5, 1) if is_whole else Scale(0.5, 5, 0.5))


def test_side_tables_of_100k(tmp_path):
    found = described(MovieLens(release="100k", path=str(publish(tmp_path, "100k"))))
    assert found.users == {"age": [24, 53], "gender": ["M", "F"], "occupation": ["technician", "other"]}
    assert found.items == {"title": ["Bodilén (1995)", None], "genres": [["Animation", "Children's", "Comedy"], None]}


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_side_tables_of_1m_in_either_encoding(tmp_path, encoding):
    found = described(MovieLens(release="1m", path=str(publish(tmp_path, "1m", encoding) / "ratings.dat")))
    assert found.users == {"age": [1, 56], "gender": ["F", "M"], "occupation": ["10", "16"]}
    assert found.items == {"title": ["A: B (1995)", "Amélie (2001)"], "genres": [["Animation", "Children's", "Comedy"], ["Drama"]]}


def test_side_tables_of_later_releases(tmp_path):
    found = described(MovieLens(release="20m", path=str(publish(tmp_path, "20m"))))
    assert found.users == {}
    assert found.items == {"title": ['A, The "B" (1995)', "C"], "genres": [["Drama", "War"], []]}


def test_side_tables_are_optional(tmp_path):
    publish(tmp_path, "1m")
    (tmp_path / "users.dat").unlink()
    (tmp_path / "movies.dat").unlink()
    assert described(MovieLens(release="1m", path=str(tmp_path))) == Described()


FAULTS = {
    "another layout": ("1m", "users.dat", "1::F::1::10::48067\n2::M::old::16::70072\n"),
    **{
        f"an age of {len(age)} characters": ("1m", "users.dat", f"1::F::{age}::10::48067\n")
        for age in ("9" * 30, "9" * 5000, "-1", "3.5")
    },
    "a title too long": ("20m", "movies.csv", f'movieId,title,genres\n1,"{"A" * 200_000}",X\n'),
    "a NUL character": ("20m", "movies.csv", "movieId,title,genres\n1,\0,X\n"),
    "a field too few": ("20m", "movies.csv", "movieId,title,genres\n1,A\n"),
    "a rating off the scale": ("20m", "ratings.csv", "userId,movieId,rating,timestamp\n1,1,4.0,5\n1,2,6.0,5\n"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_told_with_its_file_and_line(tmp_path, approved, case):
    release, name, text = FAULTS[case]
    (publish(tmp_path, release) / name).write_text(text)
    approved(refusal(lambda: described(MovieLens(release=release, path=str(tmp_path)))))


def test_unknown_release_is_refused():
    with pytest.raises(SpecError, match="release = '2m'"):
        build("dataset", "movielens(2m)")


def test_downloads_go_below_data():
    assert list(map(str, destinations(MovieLens(release="1m")))) == [
        "data/ml-1m/ratings.dat",
        "data/ml-1m/users.dat",
        "data/ml-1m/movies.dat",
    ]


def test_every_release_is_checked_against_the_publisher():
    for release in ("100k", "1m", "10m", "20m", "25m", "32m", "latest-small"):
        for file in (*MovieLens(release=release).raw_files(), *MovieLens(release=release).side_files()):
            assert file.url == f"https://files.grouplens.org/datasets/movielens/ml-{release}.zip"
            assert len(file.sha256) == 64
            assert file.terms.startswith("https://files.grouplens.org/")


@pytest.mark.parametrize(
    ("release", "name", "users", "items", "ratings"),
    [
        ("1m", "ratings.dat", 6040, 3706, 1_000_209),
        ("100k", "u.data", 943, 1682, 100_000),
        ("latest-small", "ratings.csv", 610, 9724, 100_836),
    ],
)
def test_real_releases(real_data, monkeypatch, release, name, users, items, ratings):
    data_set = MovieLens(release=release, path=str(real_data(f"ml-{release}/{name}")))
    with monkeypatch.context() as swiftly:
        swiftly.delattr("recsens.files.text_reader.read_exactly")  # the reader that goes line by line is not needed
        loaded = load(data_set)
    assert (len(loaded.user_ids), len(loaded.item_ids), len(loaded.user)) == (users, items, ratings)
    assert (np.diff(loaded.user.astype(np.int64) * items + loaded.item) > 0).all()
    assert None not in described(data_set, loaded).items["title"]
    assert loaded.notes == {}


def test_real_filmtrust_repeats_three_pairs(real_data):
    path = real_data("filmtrust/ratings.txt")
    spec = f'delimited("{path}",separator=" ",lowest=0.5,highest=4,step=0.5'
    with pytest.raises(DataError, match=r"ratings.txt:7437: user '308' and item '207' .*ratings.txt:7411.*3 such rows"):
        load(build("dataset", f"{spec})"))
    loaded = load(build("dataset", f"{spec},duplicates=last)"))
    assert (len(loaded.user_ids), len(loaded.item_ids), len(loaded.user)) == (1508, 2071, 35_494)
    assert loaded.notes == {"duplicate_rows": 3}
