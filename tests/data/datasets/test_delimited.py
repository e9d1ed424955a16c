"""Delimited files: they are read correctly, names are kept byte for byte, and every fault has its message."""

import csv
import gzip
import io
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recsens
from approved import refusal
from recsens.data.datasets import to_interactions
from recsens.data.datasets.delimited import Delimited
from recsens.errors import ConfigError, DataError, SpecError
from recsens.files.scale import Scale
from recsens.plugins import build
from recsens.seeds import Stream

STREAM = Stream(0)
FOUR = {"separator": ",", "timestamp": 3}


def write(folder: Path, text: str | bytes, name: str = "ratings.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def load(path: Path, **declared):
    return Delimited(path=str(path), **declared).load([path], STREAM)


def triples(loaded):
    """Return rows as (user name, item name, rating)."""
    ratings = [None] * len(loaded.user) if loaded.rating is None else loaded.rating.tolist()
    return [
        (loaded.user_ids[user], loaded.item_ids[item], rating)
        for user, item, rating in zip(loaded.user, loaded.item, ratings, strict=True)
    ]


def test_tab_separated_columns_by_number(tmp_path):
    loaded = load(write(tmp_path, "b\tx\t3\t20\na\ty\t5\t10\n"), timestamp=3)
    assert triples(loaded) == [("a", "y", 5.0), ("b", "x", 3.0)]
    assert loaded.timestamp.tolist() == [10, 20]
    assert (loaded.user.dtype, loaded.rating.dtype, loaded.timestamp.dtype) == (np.int32, np.float64, np.int64)
    assert loaded.notes == {}
    assert loaded.scale == Scale(1, 5, 1)


def test_columns_by_name_in_any_order_with_columns_to_spare(tmp_path):
    path = write(tmp_path, "when,stars,film,comment,who\n7,4,x,fine,a\n")
    loaded = load(path, separator=",", header=True, user="who", item="film", rating="stars", timestamp="when")
    assert triples(loaded) == [("a", "x", 4.0)]
    assert loaded.timestamp.tolist() == [7]


@pytest.mark.parametrize("separator", ["\t", ",", "::", " ", "|", ";", "<->", "·"])
def test_any_separator(tmp_path, separator):
    lines = [["1", "10", "3"], ["1", "9", "4"], ["2", "10", "5"]]
    path = write(tmp_path, "".join(f"{separator.join(line)}\n" for line in lines))
    assert triples(load(path, separator=separator)) == [("1", "9", 4.0), ("1", "10", 3.0), ("2", "10", 5.0)]


def test_separator_cut_by_the_end_of_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("recsens.files.text.BLOCK", 7)
    path = write(tmp_path, "".join(f"{user}::{item}::3\n" for user in range(20) for item in range(20)))
    loaded = load(path, separator="::")
    assert len(loaded.user) == 400
    assert list(loaded.user_ids) == list(map(str, range(20)))


def test_gzipped_file_is_known_by_its_content(tmp_path):
    path = write(tmp_path, gzip.compress(b"a\tx\t3\n"), name="ratings.tsv")
    assert triples(load(path)) == [("a", "x", 3.0)]


@pytest.mark.parametrize(
    "text", ["a\tx\t3\r\nb\ty\t4\r\n", "a\tx\t3\nb\ty\t4", "\n\na\tx\t3\n\n\nb\ty\t4\n\n", "\ufeffa\tx\t3\nb\ty\t4\n"]
)
def test_line_ends_empty_lines_and_byte_order_mark_do_not_matter(tmp_path, text):
    assert triples(load(write(tmp_path, text))) == [("a", "x", 3.0), ("b", "y", 4.0)]


def test_header_after_empty_lines(tmp_path):
    path = write(tmp_path, "\n\nwho,what,stars\na,x,3\n")
    assert triples(load(path, separator=",", header=True)) == [("a", "x", 3.0)]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8"])
def test_encodings(tmp_path, encoding):
    path = write(tmp_path, "Zoë\tÆon\t3\n".encode(encoding))
    assert triples(load(path, encoding=encoding)) == [("Zoë", "Æon", 3.0)]


def test_without_ratings_and_times(tmp_path):
    loaded = load(write(tmp_path, "a\tx\nb\tx\n"), rating=None)
    assert (loaded.rating, loaded.timestamp) == (None, None)
    assert triples(loaded) == [("a", "x", None), ("b", "x", None)]


def test_filmtrust_is_expressible_as_a_spec(tmp_path):
    path = write(tmp_path, "1 1 2\n1 2 .5\n1 1 3.5\n")
    spec = f'delimited("{path}",separator=" ",lowest=0.5,highest=4,step=0.5,duplicates=last)'
    data_set = build("dataset", spec)
    loaded = data_set.load([path], STREAM)
    assert triples(loaded) == [("1", "1", 3.5), ("1", "2", 0.5)]
    assert loaded.notes == {"duplicate_rows": 1}
    assert build("dataset", str(data_set.spec)) == data_set


# Names


def test_names_are_kept_byte_for_byte(tmp_path):
    names = ["007", "7", " x ", "NA", "nan", "null", "None", "", "1.0", "é", "🎬", "#", "true", "a::b"][::-1]
    names.remove("")
    path = write(tmp_path, "".join(f"{name}\t{name}\t3\n" for name in names))
    loaded = load(path)
    assert list(loaded.user_ids) == list(loaded.item_ids) == sorted(names)


def test_quoted_fields(tmp_path):
    path = write(tmp_path, 'who,what,stars\n"a,b","say ""x""",3\n"two\nlines",y,4\n')
    loaded = load(path, separator=",", header=True)
    assert triples(loaded) == [("a,b", 'say "x"', 3.0), ("two\nlines", "y", 4.0)]


def test_quotes_are_ordinary_characters_where_so_declared(tmp_path):
    assert triples(load(write(tmp_path, '"a"\t7"\t3\n'), quoted=False)) == [('"a"', '7"', 3.0)]
    assert triples(load(write(tmp_path, '"a"::7"::3\n'), separator="::")) == [('"a"', '7"', 3.0)]


def test_codes_follow_value_where_all_names_are_integers(tmp_path):
    loaded = load(write(tmp_path, "10\t-3\t1\n9\t20\t2\n100\t0\t3\n"))
    assert list(loaded.user_ids) == ["9", "10", "100"]
    assert list(loaded.item_ids) == ["-3", "0", "20"]


def test_codes_follow_code_points_where_one_name_is_no_plain_integer(tmp_path):
    loaded = load(write(tmp_path, "10\tb\t1\n09\tB\t2\n100\té\t3\n"))
    assert list(loaded.user_ids) == ["09", "10", "100"]
    assert list(loaded.item_ids) == ["B", "b", "é"]


def test_an_integer_beyond_all_bounds_is_a_name(tmp_path):
    long = "9" * 5000
    assert set(load(write(tmp_path, f"{long}\tx\t3\n8\tx\t3\n")).user_ids) == {long, "8"}


name = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.dictionaries(st.tuples(name, name), st.integers(1, 5), min_size=1, max_size=12), separator=st.sampled_from(",\t;| "))
def test_any_names_survive_the_round_trip_through_a_quoted_file(tmp_path, rows, separator):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
        [user, item, rating] for (user, item), rating in rows.items()
    )
    loaded = load(write(tmp_path, text.getvalue()), separator=separator)
    assert {(user, item): rating for user, item, rating in triples(loaded)} == rows


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.data(),
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 5), st.integers(0, 9)), min_size=1, max_size=20),
    duplicates=st.sampled_from(["mean", "max", "sum"]),
)
def test_what_is_loaded_does_not_depend_on_the_order_of_rows(tmp_path, data, rows, duplicates):
    shuffled = data.draw(st.permutations(rows))
    one, other = (
        load(write(tmp_path, "".join(f"{u},{i},{r},{t}\n" for u, i, r, t in order)), **FOUR, duplicates=duplicates)
        for order in (rows, shuffled)
    )
    assert (one.user_ids, one.item_ids, one.notes) == (other.user_ids, other.item_ids, other.notes)
    for name in ("user", "item", "rating", "timestamp"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


def test_the_number_of_threads_does_not_matter(tmp_path, monkeypatch):
    monkeypatch.setattr("recsens.files.text.BLOCK", 512)
    path = write(tmp_path, "".join(f"u{n % 97}\ti{n}\t{n % 5 + 1}\n" for n in range(5000)))
    before = pa.cpu_count()
    loaded = []
    for threads in (1, 4):
        pa.set_cpu_count(threads)
        loaded.append(load(path))
    pa.set_cpu_count(before)
    one, other = loaded
    assert (one.user_ids, one.item_ids) == (other.user_ids, other.item_ids)
    assert triples(one) == triples(other)
    assert len(one.user) == 5000


# Faults


def fault(path: Path, **declared) -> DataError:
    with pytest.raises(DataError) as caught:
        load(path, **declared)
    assert caught.value.remedy
    return caught.value


LINES = """
    c,z,,4|c,z, ,4|c,z,good,4|c,z,NaN,4|c,z,inf,4|c,z,-Infinity,4|c,z,1e999,4|c,z,1_0,4|c,z,0,4|c,z,5.5,4|c,z,3.5,4|c,z,3|c
    |c,z,3,4,5|,z,3,4|c,,3,4|c,z,3,|c,z,3,noon|c,z,3,1511544070123.7|c,z,3,9223372036854775808
"""
"""Faulty lines, whose messages are in tests/files."""


@pytest.mark.parametrize("line", [line.strip("\n ") for line in LINES.split("|")])
@pytest.mark.parametrize("header", [False, True])
def test_a_fault_names_file_and_line_or_is_skipped_and_counted(tmp_path, line, header):
    head = "who,what,stars,when\n" if header else ""
    path = write(tmp_path, f"{head}a,x,3,4\n\nb,y,4,5\n{line}\nd,w,9,4\n")
    error = fault(path, **FOUR, header=header)
    assert error.where == f"{path}:{4 + header}"
    assert error.allowed
    assert ("invalid=skip" in str(error.remedy)) is ("3.5" not in line and "5.5" not in line)
    loaded = load(path, **FOUR, header=header, invalid="skip")
    assert triples(loaded) == [("a", "x", 3.0), ("b", "y", 4.0)]
    assert loaded.notes == {"invalid_rows": 2}


@pytest.mark.parametrize(
    ("rating", "declared"),
    [
        ("3.5", {"step": 0.5}),
        ("3.25", {"step": 0.25}),
        ("3.4", {"step": 0.2}),
        ("3.7", {"step": 0.1}),
        ("3.14159", {"step": 0}),
        ("0.5", {"lowest": 0.5, "step": 0.5}),
        ("5.5", {"highest": 5.5, "step": 0.5}),
    ],
)
def test_finer_ratings_than_declared_are_answered_with_the_declaration_that_holds_them(tmp_path, rating, declared):
    path = write(tmp_path, f"a\tx\t3\nb\ty\t{rating}\n")
    written = ",".join(f"{name}={value:g}" for name, value in declared.items())
    assert fault(path).remedy == f"declare {written} if the scale has such ratings; otherwise correct the line"
    assert triples(load(path, **declared))[1] == ("b", "y", float(rating))


@pytest.mark.parametrize("rating", ["0", "-1", "6", "99.5"])
def test_a_rating_that_may_mean_none_can_be_left_out(tmp_path, rating):
    assert "invalid=skip" in str(fault(write(tmp_path, f"a\tx\t{rating}\nb\tx\t3\n")).remedy)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,x,3\n" * 3, ": none of the 3 rows from this one on is as declared"),
        ("a\tx\t6\n", ": it is the last row, and none before it is as declared"),
        ("a\tx\t6\n\n", ": it is the last row, and none before it is as declared"),
    ],
)
def test_rows_are_not_to_be_skipped_where_no_row_would_stay(tmp_path, text, said):
    remedy = str(fault(write(tmp_path, text)).remedy)
    assert remedy == f"correct the line, or the declaration (such as header=true){said}" or remedy.startswith("declare separator")
    assert "invalid=skip" not in remedy


@pytest.mark.parametrize("field", ["4,5", " 4,5", '"4,5"'])
def test_ratings_with_decimal_commas(tmp_path, field):
    # The exact reader reads blanks around a number, and the fast reader the others.
    declared = {"separator": ";", "decimal": ",", "lowest": 0.5, "step": 0.5}
    loaded = load(write(tmp_path, f"a;x;{field}\na;y;3\nb;x;,5\n"), **declared)
    assert triples(loaded) == [("a", "x", 4.5), ("a", "y", 3.0), ("b", "x", 0.5)]


def test_fields_with_decimal_commas_may_be_separated_by_commas_if_quoted(tmp_path):
    path = write(tmp_path, 'a,x,"4,5"\n')
    assert triples(load(path, separator=",", decimal=",", step=0.5)) == [("a", "x", 4.5)]


@pytest.mark.parametrize(
    ("decimal", "field", "allowed", "remedy"),
    [(".", "4,5", "with a decimal point", 'declare decimal=","'), (",", "4.5", "with a decimal comma", "correct the line")],
)
def test_the_other_decimal_sign_is_never_read(tmp_path, decimal, field, allowed, remedy):
    error = fault(write(tmp_path, f"a;x;4\na;y;{field}\n"), separator=";", decimal=decimal, step=0.5)
    assert error.problem == f"the rating '{field}' is not a finite number"
    assert error.where.endswith(":2")
    assert allowed in error.allowed
    assert error.remedy.startswith(remedy)


def test_a_scale_without_steps_takes_any_value_on_it(tmp_path):
    path = write(tmp_path, "a\tx\t3.14159\n")
    assert load(path, step=0.0).scale.relevance == 4.0
    assert triples(load(path, step=0.0)) == [("a", "x", 3.14159)]
    assert fault(write(tmp_path, "a\tx\t5.1\n"), step=0.0).allowed == "a number from 1 to 5"


DECLARATIONS = (
    *('delimited(separator="")', 'delimited(separator="a\\n")', "delimited(encoding=klingon)", "delimited(encoding=hex)"),
    *("delimited(encoding=undefined)", "delimited(encoding=unicode_escape)", 'delimited(encoding="utf-8\\u0000")'),
    *('delimited(separator="\\u0000")', "delimited(lowest=0,highest=1e16,step=0)", "delimited(step=1e-7)"),
    *("delimited(step=9)", "delimited(lowest=0,highest=1e12,step=1)", "delimited(user=name)", "delimited(user=1)"),
    *("delimited(user=-1)", "delimited(lowest=5)", "delimited(step=-1)", "delimited(duplicates=count)"),
    *("delimited(duplicates=sum,rating=null)", "delimited(duplicates=sum,lowest=-1)", "delimited(duplicates=sum,step=2)"),
    *("delimited(duplicates=total)",),
)


def test_what_is_no_file_as_it_is_declared_is_refused(tmp_path, approved):
    """Further faults are in tests/files."""
    named = {"separator": ",", "header": True, "user": "userid", "item": "movieId", "rating": "rating"}
    cases = {
        "a header that was not declared": ("who\twhat\tstars\na\tx\t3\n", {}),
        "a header that is none": ("a\tx\t3\nb\tx\t3\n", {"header": True}),
        "a missing column": ("userId,movieId,rating\n1,1,3\n", named),
        "a missing column number": ("1,1,3\n", {}),
        "a name that occurs twice": ("who,who,stars\na,x,3\n", {"separator": ",", "header": True, "user": "who", "item": 1}),
        "nothing but a header": ("a,b,c\n", {"separator": ",", "header": True}),
        "nothing but invalid rows": ("a,b,9\n", {"separator": ",", "invalid": "skip"}),
        "another encoding": ("a\tx\t3\nZoë\ty\t4\n".encode("latin-1"), {}),
        "no byte order mark": ("a\tx\t3\n".encode("utf-16-le"), {"encoding": "utf-16"}),
        "two bytes a character": ("a,x,3\n".encode("utf-16-le"), {"separator": ",", "rating": None}),
        "plays below the lowest": ("a\tx\t0\n", {"duplicates": "sum"}),
        "plays between the steps": ("a\tx\t2.5\n", {"duplicates": "sum"}),
        "many digits": (f"a\tx\t3\t{'9' * 40}\n", {"timestamp": 3}),
    }
    told = {}
    for name, (text, declared) in cases.items():
        told[name] = str(fault(write(tmp_path, text), **declared))
    folder = tmp_path / "others"
    folder.mkdir()
    told["no file"], told["a folder"] = str(fault(tmp_path / "absent.txt")), str(fault(folder))
    approved({**told, **{spec: refusal(partial(build, "dataset", spec), SpecError) for spec in DECLARATIONS}})


def test_wrong_encoding_is_found_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("recsens.files.text.BLOCK", 5)
    path = write(tmp_path, "é\tx\t3\n".encode() * 3 + b"\xc3(\tx\t3\n")
    error = fault(path)
    assert error.problem == "byte 0xC3 (offset 21) is not utf-8: invalid continuation byte"
    assert error.where == f"{path}:4"


def test_character_cut_off_at_the_end(tmp_path):
    path = write(tmp_path, b"a\tx\t3\nb\ty\t3\xc3")
    error = fault(path)
    assert error.problem == "byte 0xC3 (offset 11) is not utf-8: unexpected end of data"
    assert error.where == f"{path}:2"


def test_unclosed_quote_is_never_skipped(tmp_path):
    path = write(tmp_path, 'a,x,3\n"b,y,3\nc,z,3\n')
    for invalid in ("error", "skip"):
        error = fault(path, separator=",", invalid=invalid)
        assert "double quotes are not balanced" in error.problem
        assert error.where == f"{path}:2"


def test_quote_that_swallows_lines_is_never_skipped(tmp_path):
    path = write(tmp_path, 'a,x,3\n"b,y,3\nc,z",3\nd,w,3\n')
    error = fault(path, separator=",", invalid="skip")
    assert error.problem == "the line has 2 fields"
    assert error.where == f"{path}:2"


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_field_may_be_nearly_as_long_as_a_line(tmp_path, quote):
    path = write(tmp_path, f'"a",x,3\nb,{quote}{"y" * 1_000_000}{quote},3\n')
    assert triples(load(path, separator=","))[1] == ("b", "y" * 1_000_000, 3.0)


@pytest.mark.parametrize("length", [131_073, 1_000_000])
def test_a_quote_that_opens_a_field_too_long_to_be_one_is_named(tmp_path, length):
    path = write(tmp_path, f'"a",x,3\nb,"{"y" * length},3\n')
    for invalid in ("error", "skip"):
        error = fault(path, separator=",", invalid=invalid)
        assert "a field has more than 131,072 characters, in the record that begins on this line" in error.problem
        assert error.where == f"{path}:2"


@pytest.mark.parametrize("text", ['a,x,3\n"b"\0\0,y,3\n', "a,x,3\n\0b\0,y,3\n", '"a",x,3\n\0,\0,3\n', "a,x,3\n\0\0"])
def test_nul_characters_are_called_what_they_are(tmp_path, text):
    path = write(tmp_path, text)
    for declared in ({}, {"quoted": False}, {"invalid": "skip"}):
        error = fault(path, separator=",", **declared)
        assert error.problem == "the line contains a NUL character, but text has none"
        assert error.where == f"{path}:2"


# Repeated pairs

REPEATED = "a,x,2,30\nb,y,1,1\nb,y,2,2\na,x,5,10\na,x,3,20\n"


def test_repeated_pair_names_the_first_one_and_both_lines(tmp_path):
    path = write(tmp_path, f"u,i,r,t\n{REPEATED}")
    error = fault(path, **FOUR, header=True)
    assert error.problem == (
        f"user 'b' and item 'y' occur together more than once: first at {path}:3, then here (3 such rows in all)"
    )
    assert error.where == f"{path}:4"
    assert "duplicates=first, last, mean or max" in str(error.remedy)


def test_repeated_pair_is_placed_although_lines_were_skipped(tmp_path):
    path = write(tmp_path, f"z,z,9,9\n{REPEATED}")
    error = fault(path, **FOUR, invalid="skip")
    assert f"first at {path}:3" in error.problem
    assert error.where == f"{path}:4"


@pytest.mark.parametrize(
    ("duplicates", "ratings", "times"),
    [
        ("first", [5.0, 1.0], [10, 1]),
        ("last", [2.0, 2.0], [30, 2]),
        ("mean", [10 / 3, 1.5], [30, 2]),
        ("max", [5.0, 2.0], [30, 2]),
        ("sum", [10.0, 3.0], [30, 2]),
    ],
)
def test_repeated_pairs_are_merged_and_counted(tmp_path, duplicates, ratings, times):
    loaded = load(write(tmp_path, REPEATED), **FOUR, duplicates=duplicates)
    assert loaded.rating.tolist() == ratings
    assert loaded.timestamp.tolist() == times
    assert loaded.notes == {"duplicate_rows": 3}


def test_of_repeated_pairs_with_equal_times_or_none_the_row_decides(tmp_path):
    tied = write(tmp_path, "a,x,2,7\na,x,5,7\na,x,1,3\n")
    assert load(tied, **FOUR, duplicates="last").rating.tolist() == [5.0]
    assert load(tied, **FOUR, duplicates="first").rating.tolist() == [1.0]
    untimed = {key: value for key, value in FOUR.items() if key != "timestamp"}
    assert load(tied, **untimed, duplicates="last").rating.tolist() == [1.0]
    assert load(tied, **untimed, duplicates="first").rating.tolist() == [2.0]


def test_repeated_pairs_without_ratings(tmp_path):
    loaded = load(write(tmp_path, "a\tx\na\tx\n"), rating=None, duplicates="mean")
    assert triples(loaded) == [("a", "x", None)]
    assert loaded.notes == {"duplicate_rows": 1}


# Logs of events


EVENTS = "a\tx\t7\na\ty\t9\na\tx\t3\nb\tx\t5\na\tx\t4\n"
"""User a plays x three times; everything else is played once."""


def test_events_are_counted(tmp_path):
    loaded = load(write(tmp_path, EVENTS), rating=None, timestamp=2, duplicates="count")
    assert triples(loaded) == [("a", "x", 3.0), ("a", "y", 1.0), ("b", "x", 1.0)]
    assert loaded.timestamp.tolist() == [7, 9, 5]
    assert loaded.notes == {"duplicate_rows": 2}


def test_events_that_occur_once_are_counted_too(tmp_path):
    loaded = load(write(tmp_path, "a\tx\nb\tx\n"), rating=None, duplicates="count")
    assert triples(loaded) == [("a", "x", 1.0), ("b", "x", 1.0)]
    assert loaded.notes == {}


def test_plays_of_several_rows_are_added_up_exactly(tmp_path):
    loaded = load(write(tmp_path, "a\tx\t0.1\na\tx\t0.2\n"), lowest=0, step=0.1, duplicates="sum")
    assert loaded.rating.tolist() == [0.3]


@pytest.mark.parametrize(
    ("rows", "declared", "scale"),
    [
        ("a\tx\t3\na\tx\t900\n", {"duplicates": "sum"}, Scale(1, 903, 1)),
        ("a\tx\t2\nb\tx\t1\n", {"duplicates": "sum"}, Scale(1, 5, 1)),
        ("a\tx\n" * 7, {"rating": None, "duplicates": "count"}, Scale(1, 7, 1)),
        ("a\tx\n", {"rating": None, "duplicates": "count", "lowest": 0, "step": 0.5}, Scale(1, 5, 1)),
    ],
)
def test_the_scale_of_plays_ends_with_the_largest(tmp_path, rows, declared, scale):
    assert load(write(tmp_path, rows), **declared).scale == scale


def test_plays_may_be_filtered_and_judged_by_how_many_there_are(tmp_path):
    path = write(tmp_path, "a\tx\t40\na\ty\t1\nb\tx\t2\na\ty\t1\n")
    played = to_interactions(load(path, duplicates="sum"))
    often = build("filter", "rating_threshold(at_least=2)").apply(played, STREAM)
    assert often.rating.tolist() == [40, 2, 2]
    assert build("filter", "rating_threshold(at_least=3)").apply(played, STREAM).rating.tolist() == [40]


# Declarations


def test_without_a_path_there_is_nothing_to_read():
    with pytest.raises(ConfigError, match="does not say which file"):
        Delimited().raw_files()


def test_path_does_not_reach_the_address():
    assert Delimited.identity_excludes == ("path", "users", "items", "catalogue", "contexts")


def test_to_interactions_takes_codes_as_keys(tmp_path):
    interactions = to_interactions(load(write(tmp_path, "a\tx\t3\nb\tx\t4\n")))
    assert interactions.user_keys.tolist() == [0, 1]
    assert interactions.item_keys.tolist() == [0]
    assert interactions.matrix.toarray().tolist() == [[3.0], [4.0]]


def test_the_first_rows_are_tried_before_anything_is_run(tmp_path):
    path = write(tmp_path, "a,x,3\n" * 2 + "b,y,9\n")
    with pytest.raises(DataError) as refused:
        build("dataset", f'delimited(path="{path}",separator=",")').try_first_rows([path])
    assert refused.value.where == f"{path}:3"
    build("dataset", f'delimited(path="{path}",separator=",",invalid=skip)').try_first_rows([path])
    build("dataset", f'delimited(path="{path}",separator=",",highest=9)').try_first_rows([path])


def test_items_of_a_catalogue_can_be_recommended_although_nobody_rated_them(tmp_path):
    path, catalogue = write(tmp_path, "a,x,3\nb,y,4\n"), tmp_path / "items.txt"
    catalogue.write_text("y\nw\nz\n", encoding="utf-8")
    data = recsens.load(f'delimited(path="{path}",separator=",",catalogue="{catalogue}")')
    assert data.interactions.item_ids.tolist() == ["w", "x", "y", "z"]
    assert len(data.interactions) == 2
    catalogue.write_text("y\n\nw\n", encoding="utf-8")
    with pytest.raises(DataError, match="the name at line 2 is empty"):
        recsens.load(f'delimited(path="{path}",separator=",",catalogue="{catalogue}")')
    with pytest.raises(DataError, match="there is no file"):
        recsens.load(f'delimited(path="{path}",separator=",",catalogue="{tmp_path}/none.txt")')
