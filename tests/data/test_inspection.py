"""What an undeclared file seems to contain, and the line that would declare it."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from approved import refusal
from recsens import plugins
from recsens.cli import main
from recsens.data.inspection import Inspection
from recsens.data.scales import guess_scale
from recsens.errors import DataError

GRID = [(user, item, 1 + user * item % 5, 881_250_949 + 7 * item + user) for user in range(1, 9) for item in range(10, 16)]


def write(path: Path, separator: str, head: str = "") -> Path:
    rows = "".join(separator.join(map(str, row)) + "\n" for row in GRID)
    path.write_text(head + rows, encoding="utf-8")
    return path


def declared(path: Path) -> str:
    """Return the line of a study for a file in the working directory."""
    return Inspection.of(path.name).line


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("separator", "head", "params"),
    [
        ("\t", "", "timestamp=3"),
        ("::", "", 'separator="::",timestamp=3'),
        (" ", "", 'separator=" ",timestamp=3'),
        (
            ",",
            "userId,movieId,rating,timestamp\n",
            'separator=",",header=true,user=userId,item=movieId,rating=rating,timestamp=timestamp',
        ),
        (
            "\t",
            "user_id:token\titem_id:token\trating:float\ttimestamp:float\n",
            'header=true,user="user_id:token",item="item_id:token",rating="rating:float",timestamp="timestamp:float"',
        ),
        (
            ";",
            "reviewerID;asin;overall;unixReviewTime\n",
            'separator=";",header=true,user=reviewerID,item=asin,rating=overall,timestamp=unixReviewTime',
        ),
    ],
)
def test_the_line_declares_the_file(here, separator, head, params):
    path = write(here / "ratings.txt", separator, head)
    line = declared(path)
    assert line == f"Ratings: delimited(path=ratings.txt,{params})"
    loaded = plugins.build("dataset", yaml.safe_load(line)["Ratings"]).load([path], None)
    assert (len(loaded.user_ids), len(loaded.item_ids), len(loaded.user)) == (8, 6, len(GRID))


def test_a_log_of_purchases(here):
    (here / "purchases.csv").write_text(
        "order,customer_id,product_id,price,bought_at\n"
        "1,c1,007,9.99,2021-01-03T10:15:00+01:00\n"
        "2,c1,008,1.50,2021-01-04T10:15:00+01:00\n"
        "3,c2,007,9.99,2021-02-03T10:15:00+01:00\n"
        "4,c1,007,9.99,2021-03-03T10:15:00+01:00\n"
    )
    said = CliRunner().invoke(main, ["inspect", "purchases.csv"])
    assert said.exit_code == 0
    assert said.output.splitlines() == [
        "purchases.csv: 4 rows, separated by commas, with a header",
        "  user       customer_id  2 users: c1, c2",
        "  item       product_id   2 items: 007, 008",
        "  rating     none         every row counts as positive",
        "  timestamp  bought_at    dates and times: 2021-01-03 to 2021-03-03",
        "  not read   order (whole numbers), price (numbers)",
        (
            "1 row (25 %) repeats the user and item of an earlier row; duplicates=last keeps the latest. "
            "Alternatives are first, mean, max, sum and count."
        ),
        "",
        "In a study:",
        "datasets:",
        (
            '  Purchases: delimited(path=purchases.csv,separator=",",header=true,user=customer_id,item=product_id,rating=null,'
            "timestamp=bought_at,duplicates=last)"
        ),
    ]


def test_a_parquet_file(here):
    frame = pd.DataFrame(GRID, columns=["uid", "iid", "stars", "ts"]).astype({"uid": str, "iid": str})
    frame["ts"] = pd.to_datetime(frame["ts"], unit="s", utc=True)
    frame.to_parquet(here / "my ratings.parquet")
    assert declared(here / "my ratings.parquet") == (
        'My ratings: parquet(path="my ratings.parquet",user=uid,item=iid,rating=stars,timestamp=ts)'
    )


def test_letters_that_are_not_utf_8(here):
    path = write(here / "a.csv", ",", "user,item,rating,t\n")
    path.write_bytes(path.read_bytes().replace(b"\n1,", b"\nM\xfcller,"))
    assert "encoding=cp1252" in declared(path)


def test_a_spreadsheet_with_decimal_commas_and_dates_of_its_country(here):
    rows = "".join(f"Kunde {n % 3};Artikel {n};{n % 5},5;{n % 9 + 10}.12.2024 08:00\r\n" for n in range(9))
    (here / "a.csv").write_text("Wer;Was;Note;Wann\r\n" + rows, encoding="utf-8-sig", newline="")
    assert (
        declared(here / "a.csv")
        == 'A: delimited(path=a.csv,separator=";",decimal=",",header=true,user=Wer,item=Was,rating=Note,timestamp=Wann,'
        "lowest=0.5,step=0.5)"
    )
    assert Inspection.of("a.csv").doubts == []


def test_ratings_with_decimal_commas_are_declared_as_such(here):
    (here / "a.csv").write_text("user;item;rating;price\na;x;4,5;9,90\na;y;3;1,00\nb;x;0,5;2,50\nb;y;5;1,10\n")
    layout = 'path=a.csv,separator=";",decimal=",",header=true'
    assert declared(here / "a.csv") == f"A: delimited({layout},user=user,item=item,rating=rating,lowest=0.5,step=0.5)"
    assert "  not read   price (numbers with decimal commas)" in Inspection.of("a.csv").told()


def test_a_column_called_like_times_that_holds_none_is_named(here):
    (here / "a.csv").write_text("user,item,date\na,x,45551.125\nb,y,45552.5\n")
    told = list(Inspection.of("a.csv").told())
    assert "'date' holds numbers, such as 45551.125, so it is not read as the timestamp." in told


def test_users_are_found_by_name_though_pandas_wrote_them_as_fractions_and_some_are_empty(here):
    rows = "".join(f"{'' if n % 9 == 0 else n % 3}{'' if n % 9 == 0 else '.0'},x{n}\n" for n in range(1, 20))
    (here / "a.csv").write_text("user_id,item_id\n" + rows)
    assert declared(here / "a.csv").endswith("user=user_id,item=item_id,rating=null,invalid=skip)")


def test_rows_unlike_the_others_are_counted_and_the_first_is_named(here):
    path = write(here / "a.txt", "\t")
    path.write_text(path.read_text() + "9\t10\n9\t11\tfive\t1\n")
    told = "\n".join(Inspection.of("a.txt").told())
    assert "2 rows have a different form; invalid=skip leaves such rows out. The first: a.txt:49: the line has 2 fields" in told
    assert declared(path).endswith(",invalid=skip)")


def test_several_columns_that_could_have_a_role_are_all_named(here):
    write(here / "a.csv", ",", "customer,item,rating,reader\n")
    said = "Several columns could be the user, judging by their names: customer, reader. To choose another, write user=."
    assert said in Inspection.of("a.csv").told()


@pytest.mark.parametrize(
    ("header", "row", "said"),
    [
        ("userId,movieId,movie_title", "u{user},i{item},Film {item}", []),
        ("customer_email,sku,product_name", "u{user}@x.org,i{item},Film {item}", []),
        ("profile_uuid,content_uuid", "u{user},i{item}", []),
        ("card_no,ean,shop", "{user},{item},{few}", []),
        ("alpha,beta,rating", "u{user},i{item},{stars}", ["user, so 'alpha'", "item, so 'beta'"]),
        ("who,what,rating", "u{user},i{item},{stars}", []),
        ("author,book_title,rating,day", "N{user},B{item},{stars},2024-01-{day:02d}", []),
        ("card_no,ean,reader_key", "k{user},{item},r{other}", ["the user, judging by their names: card_no, reader_key"]),
        ("alpha,ean,whom", "k{user},{item},r{other}", ["user, so 'alpha'"]),
        ("user,item,date,time", "u{user},i{item},2024-01-{day:02d},10:15", ["'date' holds the day and 'time' the time"]),
        ("user,item,created,reviewTime", "u{user},i{item},2024-01-{day:02d},Jan {day}", []),
    ],
)
def test_a_note_is_drawn_only_where_another_column_would_make_a_difference(here, header, row, said):
    pairs = [(user, item) for user in range(9) for item in range(7) if (user + 2 * item) % 3]
    lines = [
        row.format(
            user=user, item=item, few="AB"[(user + item) % 2], stars=1 + at % 5, other=(3 * user + item) % 8, day=1 + at % 28
        )
        for at, (user, item) in enumerate(pairs)
    ]
    (here / "a.csv").write_text("\n".join([header, *lines, ""]))
    doubts = Inspection.of("a.csv").doubts
    assert len(doubts) == len(said)
    assert all(part in doubt.said for part, doubt in zip(said, doubts, strict=True))


def test_titles_of_items_are_neither_users_nor_items(here):
    rows = [f"{item},Film {item},{1 + item % 5},r{user}" for user in range(6) for item in range(8) if (user + item) % 3]
    (here / "a.csv").write_text("\n".join(["Book Id,Title,My Rating,Who", *rows, ""]))
    assert Inspection.of("a.csv").roles["user"] == "Who"
    rows = [f"Film {item},i{item},{1 + (item + user) % 5},u{user}" for user in range(6) for item in range(8) if (user + item) % 3]
    (here / "a.csv").write_text("\n".join(["product_name,sku,rating,user", *rows, ""]))
    assert Inspection.of("a.csv").roles["item"] == "sku"


def test_ratings_with_decimal_commas_under_an_unknown_name_are_asked_for(here):
    rows = [f"u{user}\ti{item}\t{(user + item) % 5 + 1},0" for user in range(6) for item in range(8) if (user + item) % 3]
    (here / "a.tsv").write_text("\n".join(["Nutzer\tFilm\tEindruck", *rows, ""]))
    [doubt] = Inspection.of("a.tsv").doubts
    assert doubt.choices == ("rating=Eindruck if it says how much users like items", "rating=null if every row is positive")


def test_ratings_that_are_all_the_same_say_nothing(here):
    (here / "a.csv").write_text("user,item,rating\na,x,1\nb,y,1\n")
    assert declared(here / "a.csv") == 'A: delimited(path=a.csv,separator=",",header=true,user=user,item=item,rating=null)'
    assert "All ratings are equal and carry no information, so every row counts as positive." in Inspection.of("a.csv").told()


@pytest.mark.parametrize(
    ("ratings", "scale"),
    [
        ([1, 3, 5], (1, 5, 1)),
        ([2, 4, 4.5], (0.5, 5, 0.5)),
        ([0, 1], (0, 1, 1)),
        ([7, 8, 10], (1, 10, 1)),
        ([1, 2, 40], (1, 40, 1)),
        ([-10, -9.5, 10], (-10, 10, 0.5)),
        ([0, 0.3, 0.70013], (0, 0.70013, 0)),
        ([3, 3], None),
    ],
)
def test_the_scale_that_ratings_look_to_be_on(ratings, scale):
    found = guess_scale(np.array(ratings, dtype=np.float64))
    assert (found and (found.lowest, found.highest, found.step)) == scale


def test_what_is_no_table_of_ratings_is_refused(here, approved):
    cases = (
        "",
        "hello\nworld\n",
        "price,colour\n1.5,\n2.5,red\n",
        "sku,price,when\na,3,2021-01-03\nb,4,2021-01-04\n",
        "user,item\n",
        "a page of prose\nwith a line\nor two of other words than these\n",
    )
    told = {}
    for text in cases:
        (here / "a.csv").write_text(text)
        told[repr(text)] = refusal(partial(Inspection.of, "a.csv"), DataError)
    approved(told)


def test_refunds_are_noted_where_every_row_counts_as_positive(here):
    rows = [
        f"u{user},i{item},{-1 if (user, item) == (2, 3) else 1 + item},{-1 - (user + item) % 5}"
        for user in range(5)
        for item in range(6)
    ]
    (here / "a.csv").write_text("\n".join(["customer,sku,Quantity,balance", *rows, ""]))
    [doubt] = Inspection.of("a.csv").doubts
    assert doubt.said == (
        "'Quantity' is negative in 1 of the first 30 rows, as for refunds, but every row counts as positive. "
        "To leave them out, declare rating=Quantity,lowest=1,highest=1000000,invalid=skip,duplicates=sum, "
        "and relevance: 1 in the design."
    )
    assert not doubt.is_refused
    (here / "a.csv").write_text("\n".join(["customer,sku,Quantity,rating", *rows, ""]).replace(",-", ","))
    assert Inspection.of("a.csv").doubts == []


def test_a_table_of_users_by_items_is_called_one(here):
    rows = [",".join([f"u{user}", *(str(1 + (user * item) % 5) for item in range(1, 10))]) for user in range(9)]
    (here / "a.csv").write_text("\n".join([",".join(["user", *(f"film {item}" for item in range(1, 10))]), *rows, ""]))
    with pytest.raises(DataError, match="this looks like a table of users by items"):
        Inspection.of("a.csv")
