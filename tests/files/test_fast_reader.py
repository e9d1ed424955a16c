"""The fast reader reads the same as the exact reader, and leaves everything unusual to the exact reader."""

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsens.data.datasets._assemble import kind_of_ratings
from recsens.errors import DataError
from recsens.files import layout, read, read_text
from recsens.files.kinds import PAIRS, RUNS
from recsens.files.layout import Layout, find_columns
from recsens.files.scale import Scale
from recsens.files.table import FileTable
from recsens.files.text import blocks
from recsens.files.text_reader import _enclose_fields, read_exactly, read_swiftly, records

KIND = kind_of_ratings(Scale(1, 5, 1), with_times=False)


def of(separator: str, quoted: bool = True) -> Layout:
    return Layout(separator, {"user": 0, "item": 1, "rating": 2}, header=False, quoted=quoted)


def both(path: Path, declared: Layout, kind=KIND) -> tuple[FileTable | None, FileTable]:
    """Read a file with both readers."""
    found = find_columns(path, kind, declared, next(records(path, declared), None))
    swift = read_swiftly(path, declared, found)
    return swift, read_exactly(str(path), records(path, declared), lambda line: f"{path}:{line}", found, "error")


def rows(table: FileTable) -> list[tuple[str, str, float, str]]:
    return [(table.user[row], table.item[row], table.value[row], table.place(row)) for row in range(len(table))]


name = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n:\t"), min_size=1, max_size=8)
given_rows = st.dictionaries(st.tuples(name, name), st.integers(1, 5), min_size=1, max_size=12)
a_few = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@a_few
@given(rows_of=given_rows, separator=st.sampled_from(["\t", "::"]))
def test_both_readers_agree(tmp_path, rows_of, separator):
    path = tmp_path / "a.txt"
    text = "".join(separator.join([user, item, str(rating)]) + "\n" for (user, item), rating in rows_of.items())
    path.write_bytes(text.encode())
    swift, exact = both(path, of(separator, quoted=False))
    if swift is None:  # only because of the character that stands in for '::'
        assert separator == "::"
        assert "\x1f" in text
    else:
        assert rows(swift) == rows(exact)


@a_few
@given(rows_of=given_rows, quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_both_readers_agree_on_quotes(tmp_path, rows_of, quoting):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=quoting)
    writer.writerows([user, item, rating] for (user, item), rating in rows_of.items())
    path = tmp_path / "a.txt"
    path.write_bytes(text.getvalue().encode())
    swift, exact = both(path, of(","))
    assert swift is None or rows(swift) == rows(exact)


@pytest.mark.parametrize("block", [5, 16, 1 << 22])
def test_lines_that_blocks_cut_are_read_whole(tmp_path, monkeypatch, block):
    monkeypatch.setattr("recsens.files.text.BLOCK", block)
    path = tmp_path / "a.csv"
    path.write_text('"two\nlines",a,3\n"b","x,y",4\né,z,5\n' * 3 + "\ufeffc,w,1")
    found = rows(read_text(path, KIND, of(",")))
    assert found[:3] == [("two\nlines", "a", 3, f"{path}:1"), ("b", "x,y", 4, f"{path}:3"), ("é", "z", 5, f"{path}:4")]
    assert found[-1] == ("\ufeffc", "w", 1, f"{path}:13")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "shift_jis"])
def test_blocks_are_whole_lines_in_any_encoding(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr("recsens.files.text.BLOCK", 5)
    path, text = tmp_path / "a.csv", "\u30a2,x,3\r\nb,\u300a,4\n" * 3 + "c,y,5"
    path.write_bytes(text.encode(encoding))
    *whole, last = blocks(path, encoding)
    assert "".join([*whole, last]) == text
    assert all(block.endswith("\n") for block in whole)


@pytest.mark.parametrize(
    ("line", "is_swift"),
    [("a,x,3", True), ('"a",x,3', True), ('"a\nb",x,3', True), ('a"b,x,3', False), ('"a""b",x,3', False), ("a,x,+3", True)],
)
def test_sound_files_are_read_swiftly(tmp_path, line, is_swift):
    path = tmp_path / "a.txt"
    path.write_text(f"{line}\nc,y,4\n")
    swift, exact = both(path, of(","))
    assert (swift is not None) == is_swift
    assert swift is None or rows(swift) == rows(exact)


def test_a_header_of_two_lines_is_no_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"of\nwhom",user,item\n1,ann,a\n')
    table = read(path, PAIRS)
    assert (table.user.names, table.ignored, table.place(0)) == (["ann"], ["of\nwhom"], f"{path}:3")


WHOLE = re.compile(r'(?:(?:"[^"]*"|[^",\r\n]*)(?:[,\r\n]|$))*')


@a_few
@given(st.text(st.sampled_from('",a\n\r'), min_size=1, max_size=9), st.integers(0, 130))
def test_quotes_that_the_swift_reader_takes_enclose_whole_fields(text, before):
    taken = "b," * before + text
    assert _enclose_fields(taken.encode(), ord(",")) == (WHOLE.fullmatch(taken) is not None)


def test_the_first_fault_of_several_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,x,9\nb,x\nc,"x"y,3\n')
    with pytest.raises(DataError, match=":1: the rating 9 is outside"):
        read_text(path, KIND, of(","))


@pytest.mark.parametrize("separator", ["\t", "::", "·"])
def test_any_separator_is_read_swiftly(tmp_path, separator):
    path = tmp_path / "a.txt"
    path.write_text(separator.join(["a", "x", "3\n"]))
    swift, exact = both(path, of(separator))
    assert rows(swift) == rows(exact) == [("a", "x", 3, f"{path}:1")]


@pytest.mark.parametrize(
    "text",
    ["u Q0 a 1 0.5 x\n", "u\tQ0\ta\t1\t0.5\tx\r\n", "# c\nu Q0 a 1 0.5 x y z\n#\n", "\n u  Q0 a 1 0.5 x", "u Q0 a 1 .5 x\n\n\n"],
)
def test_runs_are_read_swiftly_with_comments_and_blanks(tmp_path, text):
    path = tmp_path / "a.run"
    path.write_bytes(text.encode())
    swift, exact = both(path, layout.detect_layout(path, RUNS["score"], None), RUNS["score"])
    assert rows(swift) == rows(exact) == [("u", "a", 0.5, f"{path}:{1 + text.split('u')[0].count(chr(10))}")]


TIMED = kind_of_ratings(None, with_times=True)
AT = Layout(",", {"user": 0, "item": 1, "timestamp": 2}, header=False)

zone = st.sampled_from(["", "Z", "+01:00", "-0530"])


@a_few
@given(times=st.lists(st.datetimes(), min_size=1, max_size=5), zone=zone, separator=st.sampled_from("T "), sharp=st.booleans())
def test_both_readers_agree_on_dates_and_times(tmp_path, times, zone, separator, sharp):
    path = tmp_path / "a.txt"
    precision = "microseconds" if sharp else "minutes"
    path.write_text("".join(f"a,{n},{time.isoformat(separator, precision)}{zone}\n" for n, time in enumerate(times)))
    swift, exact = both(path, AT, TIMED)
    assert swift is None or swift.columns["timestamp"].tolist() == exact.columns["timestamp"].tolist()
    assert swift is not None or min(time.year for time in times) == 1  # converting a time zone may give a time outside the calendar


@pytest.mark.parametrize(
    ("written", "read_swiftly_too"),
    [
        (["2021-01-03", "2021-01-04"], True),
        (["2021-01-03", "2021-01-03T10:15"], True),
        (["2021-01-03 10:15:00+01:00", "2021-01-03 10:15:00"], False),
        (["2021-01-03", "1609632000"], False),
        (["1609632000", "2021-01-03"], False),
    ],
)
def test_dates_times_and_seconds_may_stand_in_one_column(tmp_path, written, read_swiftly_too):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"a,{n},{time}\n" for n, time in enumerate(written)))
    swift, exact = both(path, AT, TIMED)
    assert (swift is not None) == read_swiftly_too
    expected = {"2021-01-03": 1609632000, "2021-01-04": 1609718400, "2021-01-03T10:15": 1609668900, "1609632000": 1609632000}
    expected |= {"2021-01-03 10:15:00+01:00": 1609665300, "2021-01-03 10:15:00": 1609668900}
    for table in filter(None, (swift, exact)):
        assert table.columns["timestamp"].tolist() == [expected[time] for time in written]


@pytest.mark.parametrize("written", ["2021-02-30", "2021-1-3", "2021-01-03T10", "2021-01-03T24:00", "0000-01-01", "noon"])
def test_what_is_no_date_is_refused_with_its_line(tmp_path, written):
    path = tmp_path / "a.txt"
    path.write_text(f"a,0,2021-01-03\na,1,{written}\n")
    with pytest.raises(
        DataError, match=f"the time stamp '{re.escape(written)}' is not an integer of 64 bits, a date or a time"
    ) as refused:
        read_text(path, TIMED, AT)
    assert refused.value.where == f"{path}:2"
