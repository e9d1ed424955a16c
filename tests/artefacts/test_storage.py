"""Artefacts on disk are whole or absent, have the same bytes for the same content, and never give a wrong value silently."""

import json
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recsens.artefacts import schemas, storage
from recsens.errors import ArtefactError
from recsens.plugins.specs import parse

SCHEMA = pa.schema([pa.field("user", pa.int32(), nullable=False), pa.field("rating", pa.float64())])


def positions(n: int = 400) -> dict[str, object]:
    """Columns of every kind that a ranking writes: whole numbers, floats, nulls."""
    rng = np.random.default_rng(7)
    missing, draws = rng.random(n) < 0.3, rng.random(n)
    return {
        "user": np.arange(n) // 8,
        "item": np.arange(n) % 97,
        "rating": np.where(missing, np.nan, 1 + np.arange(n) % 5),
        "score": np.ma.masked_array(draws, missing),
        "above": np.ma.masked_array(np.arange(n), missing),
        "tied": np.zeros(n, dtype=np.int64),
        "position": np.ma.masked_array(np.arange(n) + 1, missing),
        "state": missing.astype(np.uint8),
    }


def read_positions(path: Path) -> pa.Table:
    """Read a table of positions."""
    return storage.read_table(path, schemas.POSITIONS)


def read_weights(path: Path) -> object:
    """Read arrays."""
    return storage.read_arrays(path, "arrays 1")


def read_settings(path: Path) -> object:
    """Read a JSON object."""
    return storage.read_json(path, "record 1")


def flips(content: bytes, n: int, seed: int) -> Iterator[bytes]:
    """Flip one bit drawn at random, ``n`` times over."""
    rng = np.random.default_rng(seed)
    for place, bit in zip(rng.integers(len(content), size=n).tolist(), rng.integers(8, size=n).tolist(), strict=True):
        yield content[:place] + bytes([content[place] ^ (1 << bit)]) + content[place + 1 :]


def write_half(path: Path) -> None:
    """Fail in the middle of writing a file."""
    with storage.atomic_path(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError


# Whole or absent


def test_a_failure_while_writing_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        write_half(tmp_path / "a" / "x.txt")
    assert list((tmp_path / "a").iterdir()) == []


def test_a_failure_while_writing_keeps_the_older_file(tmp_path):
    storage.write_text(tmp_path / "x.txt", "old")
    with pytest.raises(ZeroDivisionError):
        write_half(tmp_path / "x.txt")
    assert (tmp_path / "x.txt").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("old", [None, "old"])
def test_a_process_killed_while_writing_leaves_no_half_file(tmp_path, old):
    target = tmp_path / "x.txt"
    if old is not None:
        target.write_text(old)
    script = (
        "import sys, time\nfrom recsens.artefacts.storage import atomic_path\n"
        "with atomic_path(sys.argv[1]) as temporary:\n"
        "    temporary.write_text('half')\n    print('half-way', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(target)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "half-way\n"
        writer.send_signal(signal.SIGKILL)
    assert (target.read_text() if target.exists() else None) == old


def test_a_table_that_does_not_fit_its_schema_leaves_nothing(tmp_path):
    with pytest.raises(pa.ArrowException):
        storage.write_table(tmp_path / "x.parquet", SCHEMA, {"user": ["not a number"], "rating": [1.0]})
    assert list(tmp_path.iterdir()) == []


# The same bytes


def test_the_same_table_is_written_as_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        storage.write_table(tmp_path / name, schemas.POSITIONS, positions())
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_same_arrays_are_written_as_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        storage.write_arrays(
            tmp_path / name, {"spec": "x", "k": 1}, {"w": np.arange(6.0).reshape(2, 3), "i": np.arange(3)}, "arrays 1"
        )
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_json_is_written_with_sorted_keys_and_as_utf_8(tmp_path):
    storage.write_json(tmp_path / "a", {"b": "Bellogín", "a": 1}, "record 1")
    assert (tmp_path / "a").read_text(encoding="utf-8") == '{\n  "a": 1,\n  "b": "Bellogín"\n}\n'


# What is read is what was written


def test_a_table_is_read_as_it_was_written_with_nan_and_masked_values_as_nulls(tmp_path):
    written = positions()
    storage.write_table(tmp_path / "x", schemas.POSITIONS, written)
    table = storage.read_table(tmp_path / "x", schemas.POSITIONS)
    assert table.schema.types == schemas.POSITIONS.types
    np.testing.assert_array_equal(table.column("position").fill_null(0).to_numpy(), written["position"].filled(0))
    np.testing.assert_array_equal(storage.column(table, "rating"), written["rating"])
    assert table.column("rating").null_count == np.isnan(written["rating"]).sum()


def test_further_columns_follow_those_of_the_schema(tmp_path):
    storage.write_table(tmp_path / "x", schemas.IDS, {"genre": ["a", None], "key": [0, 1], "id": ["u", "v"]})
    table = storage.read_table(tmp_path / "x", schemas.IDS)
    assert table.column_names == ["key", "id", "genre"]
    assert table.column("genre").to_pylist() == ["a", None]


def test_only_the_columns_asked_for_are_read_and_checked(tmp_path):
    storage.write_table(tmp_path / "x", schemas.IDS, {"key": [3], "id": ["u"]})
    assert storage.read_table(tmp_path / "x", schemas.IDS, ["key"]).column_names == ["key"]


def write_ratings(path: Path, **columns: object) -> None:
    """Write six interactions as two row groups."""
    ratings = {"user": [0, 0, 1, 1, 2, 2], "item": [0, 1, 0, 1, 0, 1], "rating": [None] * 6, "timestamp": [None] * 6, **columns}
    with storage.append_rows(path, schemas.INTERACTIONS) as append:
        for rows in (slice(0, 4), slice(4, 6)):
            append({name: values[rows] for name, values in ratings.items()})


def test_columns_are_read_group_by_group_as_in_a_whole_table(tmp_path):
    path = tmp_path / "interactions.parquet"
    write_ratings(path, rating=[1.0, None, 3.0, 4.0, 5.0, None], timestamp=list(range(6)))
    whole = storage.read_table(path, schemas.INTERACTIONS)
    for name, array in storage.read_columns(path, schemas.INTERACTIONS).items():
        np.testing.assert_array_equal(array, storage.column(whole, name))
        assert array.dtype == whole.schema.field(name).type.to_pandas_dtype()


def test_a_column_without_any_value_is_none(tmp_path):
    path = tmp_path / "interactions.parquet"
    write_ratings(path)
    columns = storage.read_columns(path, schemas.INTERACTIONS)
    assert [name for name, array in columns.items() if array is None] == ["rating", "timestamp"]


def test_whole_numbers_of_which_some_are_missing_are_refused(tmp_path):
    path = tmp_path / "interactions.parquet"
    write_ratings(path, timestamp=[0, 1, 2, 3, None, None])
    with pytest.raises(ArtefactError, match="column 'timestamp' lacks 2 of 6 values"):
        storage.read_columns(path, schemas.INTERACTIONS)


@pytest.mark.parametrize(
    "array",
    [np.arange(6, dtype=np.int32).reshape(2, 3), np.empty((0, 4)), np.array(2.5), np.asfortranarray(np.eye(3, dtype=np.float32))],
    ids=["matrix", "empty", "scalar", "by columns"],
)
def test_arrays_keep_their_values_shapes_and_types(tmp_path, array):
    storage.write_arrays(tmp_path / "x.npz", {"spec": "π"}, {"file": array}, "arrays 1")
    header, arrays = storage.read_arrays(tmp_path / "x.npz", "arrays 1")
    assert header == {"spec": "π"}
    assert list(arrays) == ["file"]
    np.testing.assert_array_equal(arrays["file"], array, strict=True)


# Damage


def test_no_flipped_bit_in_a_page_of_a_table_goes_unnoticed(tmp_path):
    storage.write_table(tmp_path / "good", schemas.POSITIONS, positions())
    good = storage.read_table(tmp_path / "good", schemas.POSITIONS)
    messages = []
    for content in flips((tmp_path / "good").read_bytes(), 1000, seed=1):
        (tmp_path / "bad").write_bytes(content)
        try:
            found = storage.read_table(tmp_path / "bad", schemas.POSITIONS)
        except ArtefactError as error:
            messages.append(str(error))
        else:
            assert found.equals(good)
    assert len(messages) > 700
    assert all(str(tmp_path / "bad") in message for message in messages)


def test_no_flipped_bit_in_an_archive_of_arrays_goes_unnoticed(tmp_path):
    weights = np.random.default_rng(3).random((30, 5))
    arrays = {"weights": weights, "indptr": np.arange(131), "few": np.arange(1)}
    storage.write_arrays(tmp_path / "good", {"spec": "x(k=1)"}, arrays, "arrays 1")
    messages = []
    for content in flips((tmp_path / "good").read_bytes(), 800, seed=2):
        (tmp_path / "bad").write_bytes(content)
        try:
            header, found = storage.read_arrays(tmp_path / "bad", "arrays 1")
        except ArtefactError as error:
            messages.append(str(error))
        else:
            assert header == {"spec": "x(k=1)"}
            assert found.keys() == arrays.keys()
            for name, array in arrays.items():
                np.testing.assert_array_equal(found[name], array, strict=True)
    assert len(messages) > 640
    assert all(str(tmp_path / "bad") in message for message in messages)


def test_an_array_whose_written_shape_shrank_is_noticed(tmp_path):
    # The values of the shorter array are a prefix of the others: only a checksum of the whole member shows the damage.
    storage.write_arrays(tmp_path / "x", {}, {"w": np.arange(300.0)}, "arrays 1")
    content = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(content.replace(b"(300,)", b"(200,)"))
    with pytest.raises(ArtefactError, match="damaged"):
        storage.read_arrays(tmp_path / "x", "arrays 1")


def test_an_array_that_went_missing_is_noticed(tmp_path):
    storage.write_arrays(tmp_path / "x", {}, {"w": np.arange(3), "v": np.arange(3)}, "arrays 1")
    with zipfile.ZipFile(tmp_path / "x") as whole, zipfile.ZipFile(tmp_path / "y", "w") as part:
        for name in ("__header__.npy", "w.npy"):
            part.writestr(name, whole.read(name))
    with pytest.raises(ArtefactError, match=r"holds the arrays \['w'\], not \['v', 'w'\]"):
        storage.read_arrays(tmp_path / "y", "arrays 1")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.999])
@pytest.mark.parametrize("kind", ["parquet", "npz", "json"])
def test_a_truncated_file_is_refused(tmp_path, kind, share):
    path = tmp_path / f"x.{kind}"
    match kind:
        case "parquet":
            storage.write_table(path, schemas.POSITIONS, positions())
        case "npz":
            storage.write_arrays(path, {}, {"w": np.arange(300.0)}, "arrays 1")
        case "json":
            storage.write_json(path, {"key": "value" * 100}, "record 1")
    read = {"parquet": read_positions, "npz": read_weights, "json": read_settings}[kind]
    content = path.read_bytes()
    path.write_bytes(content[: int(share * (len(content) - 2))])
    with pytest.raises(ArtefactError) as refused:
        read(path)
    assert str(path) in str(refused.value)
    assert "delete the file and run again" in str(refused.value)


@pytest.mark.parametrize("read", [read_positions, read_weights, read_settings])
def test_a_missing_file_is_named(tmp_path, read):
    with pytest.raises(ArtefactError) as refused:
        read(tmp_path / "nowhere" / "x")
    assert str(tmp_path / "nowhere" / "x") in str(refused.value)
    assert "no such file" in str(refused.value).lower()
    assert "run the step that writes it" in str(refused.value)


def test_a_table_of_other_types_is_refused_by_column(tmp_path):
    pq.write_table(pa.table({"user": pa.array([1], pa.int32()), "rating": pa.array([1], pa.float32())}), tmp_path / "x")
    with pytest.raises(ArtefactError, match="column 'rating' is of type float, not double"):
        storage.read_table(tmp_path / "x", SCHEMA)


@pytest.mark.parametrize(
    ("asked", "problem", "allowed"),
    [
        (None, "lacks the column 'rating'", "a table with the columns 'user', 'rating'"),
        (["rating"], "lacks the column 'rating'", "a table with the column 'rating'"),
    ],
)
def test_a_sound_table_of_other_columns_is_not_called_damaged(tmp_path, asked, problem, allowed):
    pq.write_table(pa.table({"user": pa.array([1], pa.int32())}), tmp_path / "x")
    with pytest.raises(ArtefactError) as refused:
        storage.read_table(tmp_path / "x", SCHEMA, asked)
    assert str(refused.value) == f"{tmp_path / 'x'}: {problem}\n  allowed: {allowed}"


@pytest.mark.parametrize("read", [read_positions, lambda path: storage.has_columns(path, SCHEMA)])
def test_a_folder_is_not_called_damaged(tmp_path, read):
    with pytest.raises(ArtefactError) as refused:
        read(tmp_path)
    assert str(refused.value) == f"{tmp_path}: is a folder\n  allowed: a file"


def test_json_that_is_no_object_is_refused(tmp_path):
    (tmp_path / "x").write_text("[1]")
    with pytest.raises(ArtefactError, match="is not a JSON object"):
        storage.read_json(tmp_path / "x", "record 1")


# No pickle


def test_objects_are_never_pickled(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle"):
        storage.write_arrays(tmp_path / "x", {}, {"w": np.array([{}], dtype=object)}, "arrays 1")
    assert list(tmp_path.iterdir()) == []


def test_pickled_objects_are_never_read(tmp_path):
    np.savez(tmp_path / "x.npz", w=np.array([{}], dtype=object))
    with pytest.raises(ArtefactError, match="allow_pickle"):
        storage.read_arrays(tmp_path / "x.npz", "arrays 1")


# Abbreviated folder names


def test_the_text_of_an_abbreviated_spec_is_kept_in_its_folder(tmp_path):
    storage.keep_spec(tmp_path, parse("user_knn(k=5)"))
    assert list(tmp_path.iterdir()) == []
    long = parse(f"delimited(user={'u' * 60})")
    storage.keep_spec(tmp_path, long)
    assert json.loads((tmp_path / "spec.json").read_text()) == {"spec": str(long)}


def test_a_folder_in_the_place_of_a_file_is_named_and_kept(tmp_path):
    (tmp_path / "x.csv" / "mine").mkdir(parents=True)
    with pytest.raises(ArtefactError, match=r"x\.csv: is a folder"):
        storage.write_text(tmp_path / "x.csv", "a")
    assert (tmp_path / "x.csv" / "mine").is_dir()
