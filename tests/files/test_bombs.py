"""Files that unpack to gigabytes without content are refused after a few blocks, with line and limit, and never read whole."""

import gzip
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recsens.errors import DataError
from recsens.files import Layout, read, read_text, text
from recsens.files.kinds import PAIRS, QRELS, RUNS

FIRST = b"a,x,3\n"
SIZE = 10 << 20
BLOCK = 1 << 10
LIMIT = 3 * BLOCK
MOST = SIZE // 100
LAYOUT = Layout(",", {"user": 0, "item": 1, "rating": 2}, header=False)


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Set small limits, and record how many bytes each opened file was unpacked to."""
    counts: list[int] = []
    opened = gzip.open

    class Counted(io.BufferedReader):
        def __init__(self, path: Path):
            super().__init__(opened(path))
            self.number = len(counts)
            counts.append(0)

        def read(self, size: int = -1) -> bytes:
            data = super().read(size)
            counts[self.number] += len(data)
            return data

    monkeypatch.setattr(text.gzip, "open", Counted)
    for name, value in {"BLOCK": BLOCK, "LONGEST_LINE": LIMIT, "MOST_EMPTY": LIMIT}.items():
        for module in ("text", "layout", "text_reader"):
            monkeypatch.setattr(f"recsens.files.{module}.{name}", value, raising=module == "text")
    return counts


def bomb(folder: Path, first: bytes, unit: bytes) -> Path:
    """Write a file of some kilobytes that unpacks to ten megabytes."""
    path = folder / "ratings.csv.gz"
    path.write_bytes(gzip.compress(first + unit * (SIZE // len(unit))))
    assert path.stat().st_size < SIZE // 200
    return path


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("unit", [b"0", b"\0", b",", b"a,x,3,", b'"', b'""', b" "])
def test_a_line_without_end_is_refused_before_it_is_read(tmp_path, unpacked, unit, quoted):
    path = bomb(tmp_path, FIRST, unit)
    with pytest.raises(DataError, match="the line has more than 3,072 characters") as refused:
        read_text(path, QRELS, replace(LAYOUT, quoted=quoted))
    assert refused.value.where == f"{path}:2"
    assert refused.value.allowed == "lines of at most 3,072 characters"
    assert max(unpacked) < MOST


def test_a_line_without_end_of_two_bytes_a_character_is_refused(tmp_path, unpacked):
    path = bomb(tmp_path, FIRST.decode().encode("utf-16-le"), "0".encode("utf-16-le"))
    with pytest.raises(DataError, match=r"gz:2: the line has more than 3,072 characters"):
        read_text(path, QRELS, replace(LAYOUT, encoding="utf-16-le"))
    assert max(unpacked) < MOST


def test_lines_that_quotes_join_are_one_row_with_one_limit(tmp_path, unpacked):
    path = bomb(tmp_path, FIRST + b'"', b'\n","')
    with pytest.raises(DataError, match=r"gz:2: the line has more than 3,072 characters"):
        read_text(path, QRELS, LAYOUT)
    assert max(unpacked) < MOST


@pytest.mark.parametrize("invalid", ["error", "skip"])
@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("first", [b"", FIRST])
@pytest.mark.parametrize("unit", [b"\n", b"\r\n"])
def test_empty_lines_without_end_are_refused(tmp_path, unpacked, first, unit, quoted, invalid):
    path = bomb(tmp_path, first, unit)
    with pytest.raises(DataError, match=rf"{path}:\d+: no row in 3,072 lines up to this one"):
        read_text(path, QRELS, replace(LAYOUT, quoted=quoted), invalid)
    assert max(unpacked) < MOST


@pytest.mark.parametrize(("kind", "first"), [(QRELS, b"u 0 i 3\n"), (RUNS["score"], b"u Q0 i 1 3 t\n")])
@pytest.mark.parametrize("has_row", [True, False])
@pytest.mark.parametrize("unit", [b"# nothing\n", b"\n", b" \n"])
def test_comments_without_end_are_refused(tmp_path, unpacked, kind, first, has_row, unit):
    path = bomb(tmp_path, first * has_row, unit)
    with pytest.raises(DataError, match=rf"{path}:\d+: no row in 3,072 lines up to this one"):
        read(path, kind)
    assert max(unpacked) < MOST


def test_a_byte_that_is_no_text_is_named_without_holding_what_comes_before(tmp_path, unpacked):
    path = tmp_path / "ratings.csv.gz"
    path.write_bytes(gzip.compress(b"a,x,3\n" * 10_000 + b"\xff"))
    with pytest.raises(DataError, match=r"gz:10001: byte 0xFF \(offset 60000\)"):
        read_text(path, QRELS, LAYOUT)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_as_long_as_the_limit_is_read_however_it_ends(tmp_path, unpacked, end):
    name = "n" * (LIMIT - len("a,") - len(end))
    path = tmp_path / "pairs.csv"
    path.write_bytes(f"user,item{end}{f'a,{name}{end}' * 3}b,{name}".encode())
    assert [read(path, PAIRS).item[row] for row in range(4)] == [name] * 4


def test_a_fault_is_told_without_repeating_a_long_field(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(f"a,x,{'y' * 1000}\n")
    with pytest.raises(DataError, match=rf"the rating '{'y' * 100}\.\.\.' is not a finite number"):
        read_text(path, QRELS, LAYOUT)
