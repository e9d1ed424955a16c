"""Files with arbitrary content are read, or refused with a message; none causes a traceback."""

import contextlib
import gzip
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import write_interactions
from recsens.cli import main
from recsens.data.datasets import DataSet, locate, to_interactions
from recsens.errors import DataError, RecsensError
from recsens.files import read
from recsens.files.kinds import QRELS
from recsens.plugins import build
from recsens.seeds import Stream

RATINGS = b'u1,i1,4,7\n"u2",i2,3,8\nu2,i1,5,9\n'
FILES = {
    "100k": {"u.data": b"1\t2\t3\t4\n2\t2\t4\t5\n", "u.user": b"1|20|M|x|1\n", "u.item": b"2|T|d||u|" + b"|".join([b"1"] * 19)},
    "1m": {"ratings.dat": b"1::2::3::4\n", "users.dat": b"1::F::1::10::4\n", "movies.dat": b"2::T::A|B\n"},
    "20m": {"ratings.csv": b"userId,movieId,rating,timestamp\n1,2,3.5,4\n", "movies.csv": b'movieId,title,genres\n2,"A, B",X\n'},
}
RUNS = {"trec": b"u1 Q0 i1 1 3.5 t\nu1 Q0 i2 2 2.5 t\nu2 Q0 i1 1 1 t\n", "csv": b"user,item,score\nu1,i1,3.5\nu2,i1,1.5\n"}
QRELS_OF = {"trec": b"u1 0 i1 4\nu1 0 i3 2\nu2 0 i3 5\n", "csv": b"user,item,rating\nu1,i1,4\nu1,i3,2\nu2,i3,5\n"}

PIECES = [
    b"\0",
    b"\xff",
    b'"',
    b"\n",
    b"\r",
    b",",
    b"|",
    b"::",
    b"\t",
    b" ",
    b"nan",
    b"1e999",
    b"9" * 25,
    b"9" * 5000,
    b"-",
    b"",
    b"\x1f\x8b",
]
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.sampled_from(PIECES)), max_size=3)


def changed(content: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    """Replace some bytes at places given as shares of the whole."""
    made = bytearray(content)
    for share, length, piece in changes:
        place = int(share * len(made))
        made[place : place + length] = piece
    return bytes(made)


def ratings() -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({"user": ["a", "b"], "item": ["x", "y"], "rating": [3.0, 4.0], "at": [7, 8]}), written)
    return written.getvalue()


def ingest(dataset: DataSet, folder: Path) -> None:
    """Read a data set and write what was read, as the step does."""
    loaded = dataset.load(locate(dataset), Stream.of(0, "any"))
    write_interactions(
        to_interactions(loaded),
        user_ids=loaded.user_ids,
        item_ids=loaded.item_ids,
        record={"spec": "any", "sha256": [], "notes": dict(loaded.notes)},
        files=InteractionFiles.within(folder / "out"),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("odd")
    (made / "out").mkdir()
    return made


@given(CHANGES, st.sampled_from(["utf-8", "latin-1", "utf-16", "shift_jis"]), st.booleans(), st.booleans())
def test_a_delimited_file_of_anything_is_read_or_refused(folder: Path, changes: list, encoding: str, zipped: bool, skip: bool):
    content = changed(RATINGS, changes)
    (folder / "a.csv").write_bytes(gzip.compress(content)[: -3 if skip else None] if zipped else content)
    declared = f'path="{folder / "a.csv"}",separator=",",timestamp=3,encoding={encoding},invalid={"skip" if skip else "error"}'
    with contextlib.suppress(RecsensError):
        ingest(build("dataset", f"delimited({declared})"), folder)


@pytest.mark.parametrize("release", FILES)
@given(st.lists(CHANGES, min_size=3, max_size=3))
def test_movielens_of_anything_is_read_or_refused(folder: Path, release: str, changes: list):
    (folder / release).mkdir(exist_ok=True)
    for (name, content), own in zip(FILES[release].items(), changes, strict=False):
        (folder / release / name).write_bytes(changed(content, own))
    with contextlib.suppress(RecsensError):
        ingest(build("dataset", f'movielens(release={release},path="{folder / release}")'), folder)


@given(CHANGES)
def test_a_parquet_file_of_anything_is_read_or_refused(folder: Path, changes: list):
    (folder / "a.parquet").write_bytes(changed(ratings(), changes))
    with contextlib.suppress(RecsensError):
        ingest(build("dataset", f'parquet(path="{folder / "a.parquet"}",timestamp=at)'), folder)


@pytest.mark.parametrize("form", RUNS)
@given(CHANGES, CHANGES, st.sampled_from([[], ["-m", "RMSE"], ["--per-user"], ["--convention", "trec_eval"], ["--ties", "refuse"]]))
def test_run_arguments_of_anything_are_evaluated_or_refused(folder: Path, form: str, run: list, qrels: list, asked: list):
    (folder / "a.run").write_bytes(changed(RUNS[form], run))
    (folder / "a.qrels").write_bytes(changed(QRELS_OF[form], qrels))
    done = CliRunner().invoke(main, ["evaluate", str(folder / "a.run"), str(folder / "a.qrels"), *asked])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert (done.exit_code == 0) != done.output.startswith("Error: ")


def test_a_run_that_calls_bytes_text_is_refused_with_column_and_row(tmp_path: Path):
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"ok", b"Zo\xeb"], pa.binary()).buffers())
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"user": ["u", "v"], "item": bad, "rating": [1.0, 2.0]}), path)
    with pytest.raises(DataError, match=r"row 2: column 'item' is declared as text but contains b'Zo\\xeb', which is not UTF-8"):
        read(path, QRELS)


def test_text_as_polars_may_declare_it_is_text(tmp_path: Path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"user": pa.array(["u"], pa.string_view()), "item": ["x"], "rating": [1.0]}), path)
    assert read(path, QRELS).user.names == ["u"]


def test_a_folder_in_place_of_a_run_is_called_one(tmp_path: Path):
    with pytest.raises(DataError, match="a folder, not a file"):
        read(tmp_path, QRELS)
