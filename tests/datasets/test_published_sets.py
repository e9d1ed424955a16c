"""Data sets whose files the user brings: each form in a few lines, and what is said of a fault."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from recsens.datasets import DataSet, Loaded, fetch
from recsens.errors import ConfigError, DataError
from recsens.files import text
from recsens.interactions import Scale
from recsens.plugins import build
from recsens.seeds import Stream
from recsens.workflow.plan import Plan

DAY = 86_400


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def load(spec: str) -> Loaded:
    dataset: DataSet = build("dataset", spec)
    return dataset.load(list(fetch(dataset)), Stream(0))


def rows(loaded: Loaded) -> list[tuple]:
    times = [None] * len(loaded.user) if loaded.timestamp is None else loaded.timestamp.tolist()
    columns = zip(loaded.user, loaded.item, loaded.rating, times, strict=True)
    return [(loaded.user_ids[user], loaded.item_ids[item], rating, time) for user, item, rating, time in columns]


def fault(spec: str) -> DataError:
    with pytest.raises(DataError) as refused:
        load(spec)
    return refused.value


@pytest.mark.parametrize(
    ("spec", "file", "page"),
    [
        ("netflix", "netflix/combined_data_1.txt", "kaggle.com"),
        ("lastfm", "hetrec2011-lastfm-2k/user_artists.dat", "grouplens.org"),
        ("lastfm(release=360k)", "lastfm-dataset-360K/usersha1-artmbid-artname-plays.tsv", "ocelma.net"),
        ("librarything", "librarything/UI2.txt", "macle.nl"),
        ("beeradvocate", "beeradvocate/beeradvocate.txt", "snap.stanford.edu"),
    ],
)
def test_what_is_not_here_is_told_with_where_to_get_it(tmp_path, monkeypatch, spec, file, page):
    monkeypatch.setenv("RECSENS_DATA", str(tmp_path))
    error = fault(spec)
    assert f"there is no copy of {file} here" in error.problem
    assert page in str(error.remedy)
    assert "path=" in str(error.remedy)


def test_a_plan_does_not_offer_to_download_what_the_user_brings(tmp_path, monkeypatch):
    monkeypatch.setenv("RECSENS_DATA", str(tmp_path))
    study = write(tmp_path, "study.yaml", "title: t\ndatasets: {S: netflix}\nsystems: {R: random}\nmetrics: [P@5]\n")
    with pytest.raises(ConfigError, match="are missing") as refused:
        _ = Plan(str(study)).sources
    assert "get them as https://www.kaggle.com" in str(refused.value.remedy)
    assert "fetch" not in str(refused.value.remedy)


# Netflix

FILM_ONE, FILM_TWO = "1:\n1488844,3,2005-09-06\n822109,5,2005-05-13\n", "2:\n822109,4,1999-12-31\n"
# 10,956 days from 1970 to the last one of 1999, 12,916 to 13 May 2005, and 116 more to 6 September.
NETFLIX = [
    ("822109", "1", 5.0, 12_916 * DAY),
    ("822109", "2", 4.0, 10_956 * DAY),
    ("1488844", "1", 3.0, 13_032 * DAY),
]


def test_netflix_in_a_file_for_each_film(tmp_path):
    write(tmp_path, "mv_0000001.txt", FILM_ONE)
    write(tmp_path, "mv_0000002.txt", FILM_TWO)
    loaded = load(f'netflix("{tmp_path}")')
    assert rows(loaded) == NETFLIX
    assert loaded.scale == Scale(1, 5, 1)
    assert loaded.notes == {}


def test_netflix_in_combined_files(tmp_path):
    for part, content in enumerate([FILM_ONE, FILM_TWO, "3:\n", "4:\r\n6,1,2000-01-01\r\n"], start=1):
        write(tmp_path, f"combined_data_{part}.txt", content)
    assert rows(load(f'netflix("{tmp_path}")')) == [("6", "4", 1.0, 10_957 * DAY), *NETFLIX]


def test_netflix_in_one_combined_file_of_several_films(tmp_path):
    path = write(tmp_path, "combined_data_1.txt", FILM_ONE + FILM_TWO.rstrip("\n"))
    assert rows(load(f'netflix("{path}")')) == NETFLIX


def test_a_film_goes_on_in_the_next_block(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 10)
    path = write(tmp_path, "combined_data_1.txt", FILM_ONE + FILM_TWO)
    assert rows(load(f'netflix("{path}")')) == NETFLIX


def test_empty_lines_between_ratings_are_passed_over(tmp_path):
    path = write(tmp_path, "combined_data_1.txt", FILM_ONE.replace("822109", "\n822109") + "\n" + FILM_TWO)
    assert rows(load(f'netflix("{path}")')) == NETFLIX


def test_a_folder_with_a_part_missing_is_refused(tmp_path):
    write(tmp_path, "combined_data_1.txt", FILM_ONE)
    assert "combined_data_2.txt" in fault(f'netflix("{tmp_path}")').problem


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("1:\n7,3,2005-09-06\n7;3\n", 3, "the line '7;3' is neither a film nor a rating"),
        ("1:\n7,6,2005-09-06\n", 2, "neither a film nor a rating"),
        ("1:\n7,3,2005-02-30\n", 2, "neither a film nor a rating"),
        ("1:\n-7,3,2005-02-03\n", 2, "neither a film nor a rating"),
        ("7,3,2005-09-06\n1:\n", 1, "before the first film"),
        ("1:\n7,3,2005-09-06\n8,3,2005-09-06\n2:\n1:\n7,4,2005-09-06\n", 6, "user '7' and item '1' occur together more than once"),
    ],
)
def test_a_fault_of_netflix_is_named_with_its_line(tmp_path, content, line, problem):
    path = write(tmp_path, "combined_data_1.txt", content)
    error = fault(f'netflix("{path}")')
    assert problem in error.problem
    assert error.where == f"{path}:{line}"


# Last.fm


def test_plays_of_the_2k_release(tmp_path):
    write(tmp_path, "user_artists.dat", "userID\tartistID\tweight\n2\t51\t13883\n2\t52\t1\n3\t51\t2\n")
    loaded = load(f'lastfm(path="{tmp_path}")')
    assert rows(loaded) == [("2", "51", 13883.0, None), ("2", "52", 1.0, None), ("3", "51", 2.0, None)]
    assert loaded.scale == Scale(1, 13883, 1)


TOTALS = 'u1\tmbid-a\tbetty\t10\nu1\t\tdie "ärzte\t7\nu1\tmbid-a\tbetty b.\t5\nu0\t\tbetty\t 3\n'


def test_plays_of_the_360k_release_know_an_artist_by_id_or_else_by_name(tmp_path):
    path = write(tmp_path, "usersha1-artmbid-artname-plays.tsv", TOTALS)
    loaded = load(f'lastfm(release=360k,path="{path}")')
    assert rows(loaded) == [("u0", "betty", 3.0, None), ("u1", 'die "ärzte', 7.0, None), ("u1", "mbid-a", 15.0, None)]
    assert loaded.notes == {"duplicate_rows": 1}
    assert loaded.scale == Scale(1, 15, 1)


def test_rows_of_another_form_are_named_or_counted(tmp_path):
    path = write(tmp_path, "usersha1-artmbid-artname-plays.tsv", TOTALS + "u2\tno plays\nu2\ta\tb\t0\nu2\ta\tb\t9\n")
    assert fault(f'lastfm(release=360k,path="{path}")').where == f"{path}:5"
    loaded = load(f'lastfm(release=360k,path="{path}",invalid=skip)')
    assert rows(loaded)[-1] == ("u2", "a", 9.0, None)
    assert loaded.notes == {"invalid_rows": 2, "duplicate_rows": 1}


def test_blocks_with_and_without_a_fault_are_joined(tmp_path, monkeypatch):
    path = write(tmp_path, "usersha1-artmbid-artname-plays.tsv", gzip.compress((TOTALS + "u2\tno plays\n" + TOTALS).encode()))
    spec = f'lastfm(release=360k,path="{path}",invalid=skip)'
    whole = load(spec)
    monkeypatch.setattr(text, "BLOCK", 20)
    cut = load(spec)
    assert rows(cut) == rows(whole)
    assert cut.notes == whole.notes == {"invalid_rows": 1, "duplicate_rows": 5}
    assert fault(f'lastfm(release=360k,path="{path}")').where == f"{path}:5"


def test_events_of_the_1k_release_are_counted_up_to_the_last(tmp_path):
    events = [
        "user_1\t2009-04-08T01:57:47Z\tmbid\tThe Dogs\t\tA song",
        "user_1\t2009-04-08T01:53:56Z\tmbid\tThe Dogs\ttrack\tAnother",
        "user_2\t1970-01-01T00:01:00Z\t\tNobody\t\tSong",
    ]
    write(tmp_path, "userid-timestamp-artid-artname-traid-traname.tsv", "\n".join(events) + "\n")
    loaded = load(f'lastfm(release=1k,path="{tmp_path}")')
    moment = int(np.datetime64("2009-04-08T01:57:47").astype("datetime64[s]").astype(int))
    assert rows(loaded) == [("user_1", "mbid", 2.0, moment), ("user_2", "Nobody", 1.0, 60)]
    assert loaded.notes == {"duplicate_rows": 1}


# LibraryThing


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_a_rating_of_librarything_is_halved_and_repeated_for_each_tag(tmp_path, blank):
    lines = [["1", "77", "10", "science fiction"], ["1", "77", "10", "own"], ["2", "77", "1", "x"], ["1", "8", "7"]]
    write(tmp_path, "UI2.txt", "".join(f"{blank.join(line)}\n" for line in lines))
    loaded = load(f'librarything(path="{tmp_path}")')
    assert rows(loaded) == [("1", "8", 3.5, None), ("1", "77", 5.0, None), ("2", "77", 0.5, None)]
    assert loaded.notes == {"duplicate_rows": 1}
    assert loaded.scale == Scale(0.5, 5, 0.5)


def test_a_rating_of_librarything_off_its_scale_is_named(tmp_path):
    path = write(tmp_path, "UI2.txt", "1 77 10 a\n1 78 11 a\n")
    assert fault(f'librarything(path="{path}")').where == f"{path}:2"
    assert fault(f'librarything(path="{write(tmp_path, "UI2.txt", "1 77")}")').where == f"{path}:1"


REVIEWS = """reviews = {}
reviews[('3206242', 'van_stef')] = {'comment': "It's {'stars': 1}", 'unixtime': 1160265600, 'work': '3206242', \
'user': 'van_stef', 'stars': 5.0}
reviews[('12', 'dwatson2')] = {'comment': 'no stars', 'unixtime': 1167868800, 'work': '12', 'user': 'dwatson2'}
reviews[('12', 'van_stef')] = {'stars': 2.5, 'unixtime': 10, 'work': '12', 'user': 'van_stef'}
"""


def test_reviews_of_librarything_with_stars_are_ratings(tmp_path):
    write(tmp_path, "reviews.txt", REVIEWS)
    loaded = load(f'librarything(release=reviews,path="{tmp_path}")')
    assert rows(loaded) == [("van_stef", "12", 2.5, 10), ("van_stef", "3206242", 5.0, 1160265600)]
    assert loaded.notes == {"unrated_reviews": 1}


@pytest.mark.parametrize("line", ["reviews[('1', 'x')] = {'a': __import__('os')}", "reviews[('1', 'x')] = [1]", "import os"])
def test_a_line_that_is_no_review_is_refused_and_not_run(tmp_path, line):
    path = write(tmp_path, "reviews.txt", f"reviews = {{}}\n{line}\n")
    error = fault(f'librarything(release=reviews,path="{path}")')
    assert (error.problem, error.where) == ("the line is no review", f"{path}:2")


# BeerAdvocate


def review(beer: str, user: str, overall: str, taste: str, time: str) -> dict[str, str]:
    return {
        "beer/name": "Sausa: Weizen",
        "beer/beerId": beer,
        "review/taste": taste,
        "review/overall": overall,
        "review/time": time,
        "review/profileName": user,
        "review/text": "A lot of foam\ncolor: yellow",
    }


BEERS = [
    review("47986", "stcules", "1.5", "2", "1234817823"),
    review("47986", "oline 73", "3", "4.5", "1235915097"),
    review("12", "stcules", "5", "1", "7"),
]


def in_blocks(reviews: list[dict[str, str]]) -> str:
    return "\n".join("".join(f"{key}: {value}\n" for key, value in each.items()) for each in reviews)


@pytest.mark.parametrize(
    ("name", "content"),
    [("beeradvocate.txt", in_blocks(BEERS)), ("beeradvocate.json", "".join(f"{each}\n" for each in BEERS))],
)
def test_beers_in_both_forms(tmp_path, name, content):
    path = write(tmp_path, name, content)
    assert rows(load(f'beeradvocate("{path}")')) == [
        ("oline 73", "47986", 3.0, 1235915097),
        ("stcules", "12", 5.0, 7),
        ("stcules", "47986", 1.5, 1234817823),
    ]
    assert load(f'beeradvocate("{path}",aspect=taste)').rating.tolist() == [4.5, 1, 2]


def test_reviews_of_nobody_and_of_nothing_are_named_or_counted(tmp_path):
    bad = [BEERS[0], {**BEERS[1], "review/profileName": ""}, {**BEERS[2], "review/overall": "0"}, {**BEERS[0], "review/time": "9"}]
    path = write(tmp_path, "beeradvocate.txt", in_blocks(bad))
    error = fault(f'beeradvocate("{path}")')
    assert (error.problem, error.where) == ("the user is missing", f"{path}:10")
    loaded = load(f'beeradvocate("{path}",invalid=skip,duplicates=last)')
    assert rows(loaded) == [("stcules", "47986", 1.5, 9)]
    assert loaded.notes == {"invalid_rows": 2, "duplicate_rows": 1}


def test_a_dictionary_of_a_beer_is_not_run(tmp_path):
    path = write(tmp_path, "beeradvocate.json", "{'beer/beerId': exit()}\n")
    assert fault(f'beeradvocate("{path}")').problem == "the line is no review"
