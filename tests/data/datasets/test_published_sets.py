"""Data sets whose files the user provides: each form in a few lines, and the message for a fault."""

import gzip
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from approved import refusal
from recsens.data.datasets import DataSet, Loaded, fetch, locate, locate_side
from recsens.errors import DataError
from recsens.files import text
from recsens.files.scale import Scale
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
    "spec",
    [
        "netflix",
        "lastfm",
        "lastfm(release=360k)",
        "librarything",
        "beeradvocate",
        "book_crossing",
        "rent_the_runway",
        "amazon(release=2014)",
    ],
)
def test_what_is_not_here_is_told_with_where_to_get_it(tmp_path, monkeypatch, approved, spec):
    monkeypatch.setenv("RECSENS_DATA", str(tmp_path))
    approved(refusal(lambda: load(spec)))


def test_a_plan_does_not_offer_to_download_what_the_user_brings(tmp_path, monkeypatch, approved):
    monkeypatch.setenv("RECSENS_DATA", str(tmp_path))
    study = write(tmp_path, "study.yaml", "title: t\ndatasets: {S: netflix}\nsystems: {R: random}\nmetrics: [P@5]\n")
    approved(refusal(lambda: Plan(str(study)).sources))


# Netflix

FILM_ONE, FILM_TWO = "1:\n1488844,3,2005-09-06\n822109,5,2005-05-13\n", "2:\n822109,4,1999-12-31\n"
# 10,956 days from 1970 to the last one of 1999, 12,916 to 13 May 2005, and 116 more to 6 September.
NETFLIX = [("822109", "1", 5.0, 12_916 * DAY), ("822109", "2", 4.0, 10_956 * DAY), ("1488844", "1", 3.0, 13_032 * DAY)]


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
    [
        ("beeradvocate.txt", in_blocks(BEERS)),
        ("beeradvocate.json", "".join(f"{each}\n" for each in BEERS)),
        ("beeradvocate.json", "".join(f"{json.dumps(each)}\n" for each in BEERS)),
    ],
)
def test_beers_in_every_form(tmp_path, name, content):
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
    assert rows(loaded) == [("stcules", "47986", 1.5, 1234817823)], "the later review, not the later row"
    assert loaded.notes == {"invalid_rows": 2, "duplicate_rows": 1}


# Book-Crossing

BOOKS = """"User-ID";"ISBN";"Book-Rating"
"276725";"034545104X";"0"
"276729";"052165615X";"3"
"7";"\\"0432; "";"10"
"7";"Jos\u00e9";"0"
""".encode("latin-1")


def test_books_without_a_rating_are_counted_and_no_zeros(tmp_path):
    path = write(tmp_path, "BX-Book-Ratings.csv", BOOKS)
    loaded = load(f'book_crossing("{tmp_path}")')
    assert rows(loaded) == [("7", '\\"0432; "', 10.0, None), ("276729", "052165615X", 3.0, None)]
    assert loaded.scale == Scale(1, 10, 1)
    assert loaded.notes == {"implicit_rows": 2}
    assert rows(load(f'book_crossing("{path}")')) == rows(loaded)


def test_all_books_of_a_member_are_positives(tmp_path):
    write(tmp_path, "BX-Book-Ratings.csv", BOOKS)
    loaded = load(f'book_crossing("{tmp_path}",feedback=implicit)')
    assert loaded.rating is None
    assert list(loaded.user_ids) == ["7", "276725", "276729"]
    assert list(loaded.item_ids) == ["034545104X", "052165615X", "Jos\u00e9", '\\"0432; "']
    assert (loaded.user.tolist(), loaded.item.tolist()) == ([0, 0, 1, 2], [2, 3, 0, 1])


NO_BOOKS = ['"7";"1";"11"', '"7","1","5"', '"";"1";"5"', '"7";"1";"0.5"']


@pytest.mark.parametrize("line", NO_BOOKS)
def test_a_fault_of_book_crossing_is_counted_on_request(tmp_path, line):
    path = write(tmp_path, "BX-Book-Ratings.csv", BOOKS + f"{line}\r\n".encode())
    assert load(f'book_crossing("{path}",invalid=skip)').notes == {"invalid_rows": 1, "implicit_rows": 2}


# RentTheRunway


def rental(user: str, item: str, rating: str | None, date: str) -> str:
    review = {
        "fit": "fit",
        "user_id": user,
        "age": "28",
        "item_id": item,
        "rating": rating,
        "review_text": "it\u2019s",
        "review_date": date,
    }
    return json.dumps(review) + "\n"


RENTALS = (
    rental("9", "260", "10", "April 20, 2016")
    + rental("10", "260", "2", "January 1, 1970")
    + rental("10", "7", None, "May 3, 2017")
)


@pytest.mark.parametrize("packed", [False, True])
def test_rentals_without_a_rating_are_counted(tmp_path, packed):
    content = RENTALS.encode()
    write(tmp_path, "renttherunway_final_data.json", gzip.compress(content) if packed else content)
    loaded = load(f'rent_the_runway("{tmp_path}")')
    # 16,911 days from 1970 to 20 April 2016.
    assert rows(loaded) == [("9", "260", 10.0, 16_911 * DAY), ("10", "260", 2.0, 0)]
    assert loaded.scale == Scale(2, 10, 2)
    assert loaded.notes == {"unrated_reviews": 1}


def test_a_rental_has_the_context_on_which_its_reviews_agree(tmp_path):
    said = {"rented for": "wedding", "body type": "petite", "height": "5' 8\"", "size": 14}
    reviews = [{**json.loads(line), **said} for line in RENTALS.splitlines()]
    again = [{**reviews[0], "rented for": "party"}, {**reviews[2], "fit": "large", "height": "5 feet", "size": 20}]
    path = write(tmp_path, "renttherunway_final_data.json", "".join(json.dumps(each) + "\n" for each in [*reviews, *again]))
    data_set = DataSet.build(f'rent_the_runway("{path}",duplicates=last)')
    found = data_set.describe_interactions(locate_side(data_set, locate(data_set)), ["10", "9", "1"], ["260", "260", "1"])
    assert list(found) == list(data_set.side_columns["context"])
    assert found["rented_for"] == ["wedding", None, None]
    assert found["height"] == [68.0, 68.0, None]
    assert (found["size"], found["age"], found["fit"]) == ([14.0, 14.0, None], [28.0, 28.0, None], ["fit", "fit", None])


NO_RENTALS = [
    rental("9", "1", "9", "May 3, 2017"),
    rental("9", "1", "8", "Floreal 3, 2017"),
    rental("9", "1", "8", "February 30, 2017"),
    rental("", "1", "8", "May 3, 2017"),
    '{"user_id": ["9"], "item_id": "1", "rating": "8", "review_date": "May 3, 2017"}\n',
    '{"user_id": "9", "item_id": "1", "review_date": "May 3, 2017"}\n',
]


@pytest.mark.parametrize("line", NO_RENTALS)
def test_a_fault_of_a_rental_is_counted_on_request(tmp_path, line):
    path = write(tmp_path, "renttherunway_final_data.json", RENTALS + line)
    assert load(f'rent_the_runway("{path}",invalid=skip)').notes == {"invalid_rows": 1, "unrated_reviews": 1}


# Amazon

REVIEWED = [
    {"reviewerID": "A2", "asin": "B01", "overall": 5.0, "reviewText": "{}", "unixReviewTime": 1369699200, "verified": True},
    {"reviewerID": "A1", "asin": "0205616461", "overall": 1.0, "unixReviewTime": 86400, "helpful": [1, 2]},
]
PRODUCTS = [("A1", "0205616461", 1.0, 86400), ("A2", "B01", 5.0, 1369699200)]


@pytest.mark.parametrize(
    ("parameters", "content"),
    [
        (",release=2014", "A2,B01,5.0,1369699200\nA1,0205616461,1.0,86400\n"),
        ("", "B01,A2,5.0,1369699200\n0205616461,A1,1.0,86400\n"),
        ("", "".join(json.dumps(review) + "\n" for review in REVIEWED)),
        (",release=2014", "".join(f"{review}\n" for review in REVIEWED)),
    ],
    ids=["ratings of 2014", "ratings of 2018", "reviews", "dictionaries"],
)
def test_products_in_all_forms(tmp_path, parameters, content):
    path = write(tmp_path, "Beauty.gz", gzip.compress(content.encode()))
    loaded = load(f'amazon("{path}"{parameters})')
    assert rows(loaded) == PRODUCTS
    assert loaded.scale == Scale(1, 5, 1)


# Faults

FAULTS: dict[str, tuple[str, list[str | bytes]]] = {
    "netflix": (
        "combined_data_1.txt",
        [
            "1:\n7,3,2005-09-06\n7;3\n",
            "1:\n7,6,2005-09-06\n",
            "1:\n7,3,2005-02-30\n",
            "1:\n-7,3,2005-02-03\n",
            "7,3,2005-09-06\n1:\n",
            "1:\n7,3,2005-09-06\n8,3,2005-09-06\n2:\n1:\n7,4,2005-09-06\n",
        ],
    ),
    "librarything": ("UI2.txt", ["1 77 10 a\n1 78 11 a\n", "1 77"]),
    "librarything(release=reviews)": (
        "reviews.txt",
        [
            f"reviews = {{}}\n{line}\n"
            for line in ("reviews[('1', 'x')] = {'a': __import__('os')}", "reviews[('1', 'x')] = [1]", "import os")
        ],
    ),
    "beeradvocate": ("beeradvocate.json", [f"{ {**BEERS[0], 'beer/beerId': None} }\n", "{'beer/beerId': exit()}\n"]),
    "book_crossing": (
        "BX-Book-Ratings.csv",
        [*(BOOKS + f"{line}\r\n".encode() for line in NO_BOOKS), "User-ID,ISBN,Rating\n1,2,3\n"],
    ),
    "rent_the_runway": ("renttherunway_final_data.json", [RENTALS + line for line in NO_RENTALS]),
    "amazon": (
        "Beauty.json",
        [
            "B01,A2,5.0,1369699200\nB01,A1,6.0,1\n",
            '{"reviewerID": "A2", "asin": "B01", "overall": 5.0}\n',
            '{"asin": "B01"}\nnothing\n',
            '\n{"asin": exit()}\n',
            "{\n",
            "B01,A2,5.0,1369699200\nB01,A2,4.0,1369699201\n",
        ],
    ),
}
"""Data set -> name of its file, and contents with a fault. No content is run."""


@pytest.mark.parametrize("spec", FAULTS)
def test_a_fault_is_told_with_its_line(tmp_path, approved, spec):
    name, contents = FAULTS[spec]
    told = []
    for each in contents:
        path = write(tmp_path, name, each)
        to_load = f'{spec[:-1]},path="{path}")' if spec.endswith(")") else f'{spec}(path="{path}")'
        told.append(refusal(partial(load, to_load)))
    approved(told)


def test_a_folder_with_a_part_missing_is_refused(tmp_path, approved):
    write(tmp_path, "combined_data_1.txt", FILM_ONE)
    approved(refusal(lambda: load(f'netflix("{tmp_path}")')))
