"""Every result states what it is, so a result that was changed, moved or mixed up is never read."""

import contextlib
import datetime as dt
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from recsens.artefacts import schemas, storage
from recsens.artefacts.statements import Making, Statement, digest_of, making
from recsens.errors import ArtefactError

MADE = Making("rank", {"seed-0/x/roles.parquet": "ab"}, {"k": "10"}, "code", ["numpy 2.4.6"])


def write_table(path: Path) -> None:
    """Write a table of many rows."""
    storage.write_table(path, schemas.ROLES, {"role": np.arange(300) % 3})


def write_record(path: Path) -> None:
    """Write a record."""
    storage.write_json(path, {"scale": {"lowest": 1, "highest": 5, "step": 0.5}, "notes": {}, "name": "Bellogín"}, "dataset 1")


def write_model(path: Path) -> None:
    """Write arrays."""
    storage.write_arrays(path, {"spec": "x(k=1)"}, {"w": np.arange(300.0).reshape(3, 100), "none": np.empty((0, 2))}, "model 1")


def write_csv(path: Path) -> None:
    """Write a text file, with its statement next to it."""
    storage.write_text(path, "dataset,value\n" + "".join(f"ML-1M,{value / 7}\n" for value in range(40)))


def write_items(path: Path) -> None:
    """Write a table with a column of each type that a data set may have."""
    moment = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
    more: dict[str, Any] = {
        "genres": [("drama", "comedy"), (), None],
        "nested": [[[1]], [], None],
        "nothing": [None] * 3,
        "seen": [moment] * 3,
        "day": [moment.date()] * 3,
        "year": np.array([1, 2, 3], dtype=np.uint64),
        "good": [True, False, None],
        "kind": pd.Categorical(["a", "b", "a"]),
    }
    storage.write_table(path, schemas.IDS, {"key": [1, 2, 3], "id": ["1", "2", "3"], **more})


def rows(path: Path) -> Any:
    """Read the values of a table."""
    return storage.column(storage.read_table(path, schemas.ROLES), "role").tolist()


def weights(path: Path) -> Any:
    """Read the values of arrays."""
    header, arrays = storage.read_arrays(path, "model 1")
    return header, {name: array.tolist() for name, array in arrays.items()}


FORMS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any]]] = {
    "roles.parquet": (write_table, rows),
    "item_ids.parquet": (write_items, lambda path: storage.read_table(path, schemas.IDS).to_pydict()),
    "dataset.json": (write_record, lambda path: storage.read_json(path, "dataset 1")),
    "model.npz": (write_model, weights),
    "summary.csv": (write_csv, storage.read_bytes),
}


@pytest.fixture(params=FORMS)
def form(request) -> str:
    """The name of a file, for each file format."""
    return str(request.param)


@pytest.fixture
def written(tmp_path, monkeypatch, form) -> Path:
    """A file in each format, written by a job."""
    monkeypatch.chdir(tmp_path)
    path = Path("results/seed-0/x", form)
    with making(MADE):
        FORMS[form][0](path)
    return path


def stated(path: Path) -> Statement:
    """Return the statement that a file must have."""
    statement = storage.read_statement(path)
    assert statement is not None
    return statement


def test_a_file_states_where_it_belongs_what_it_holds_and_what_it_was_made_from(written):
    statement = stated(written)
    assert statement.path == f"seed-0/x/{written.name}"
    assert (
        statement.kind
        == {"roles": "roles 1", "item_ids": "ids 1", "dataset": "dataset 1", "model": "model 1", "summary": "csv 1"}[written.stem]
    )
    assert statement.made == MADE
    assert len(statement.content) == 32


def test_the_statement_is_no_part_of_what_is_read(written, form, tmp_path):
    write, read = FORMS[form]
    write(tmp_path / form)
    assert storage.read_statement(tmp_path / form) is None
    assert read(written) == read(tmp_path / form)


def test_the_names_and_types_of_columns_are_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, values = Path("results/seed-0/x/roles.parquet"), np.arange(300)
    digests = []
    for columns in (
        {"age": values, "years": values},
        {"years": values, "age": values},
        {"age": values, "years": values.astype("u8")},
    ):
        with making(MADE):
            storage.write_table(path, schemas.ROLES, {"role": values % 3, **columns})
        storage.check_content(path)
        digests.append(stated(path).content)
    assert len(set(digests)) == 3


def test_the_digest_follows_the_content_alone(written, form):
    before = stated(written).content
    with making(Making("rank", code="another")):
        FORMS[form][0](written)
    assert stated(written).content == before
    with making(MADE):
        match written.suffix:
            case ".parquet":
                storage.write_table(written, schemas.ROLES, {"role": np.arange(300) % 2})
            case ".json":
                storage.write_json(written, {"scale": 1}, "dataset 1")
            case ".npz":
                storage.write_arrays(written, {"spec": "x(k=1)"}, {"w": np.arange(300.0), "none": np.empty((0, 2))}, "model 1")
            case _:
                storage.write_text(written, "other\n")
    assert stated(written).content != before


def test_the_same_content_is_written_as_the_same_bytes(written, form):
    before = written.read_bytes()
    with making(MADE):
        FORMS[form][0](written)
    assert written.read_bytes() == before


def flipped(content: bytes, n: int) -> Iterator[bytes]:
    """Flip one bit drawn at random, ``n`` times over."""
    rng = np.random.default_rng(1)
    for _ in range(n):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        yield bytes(damaged)


def test_no_flipped_bit_is_read_as_another_value(written, form):
    read = FORMS[form][1]
    right, sound = read(written), written.read_bytes()
    n_refused = 0
    for damaged in flipped(sound, 300):
        written.write_bytes(damaged)
        try:
            found = read(written) if storage.read_statement(written) is not None else right
        except ArtefactError as error:
            n_refused += str(written) in str(error)
        else:
            assert found == right
    assert n_refused > 200


def test_no_flipped_bit_beside_a_file_is_believed(written):
    line = storage.sidecar(written)
    if not line.exists():
        pytest.skip("the statement is in the file")
    right = stated(written)
    for damaged in flipped(line.read_bytes(), 300):
        line.write_bytes(damaged)
        with contextlib.suppress(ArtefactError):
            assert stated(written) == right


def test_a_file_cut_short_is_refused(written, form):
    content = written.read_bytes()
    written.write_bytes(content[: len(content) // 2])
    with pytest.raises(ArtefactError, match="damaged"):
        FORMS[form][1](written)


def test_a_file_in_the_place_of_another_is_refused_by_name(written, form):
    other = written.parent.parent / "y" / form
    other.parent.mkdir()
    shutil.copy(written, other)
    if storage.sidecar(written).exists():
        storage.sidecar(other).parent.mkdir()
        shutil.copy(storage.sidecar(written), storage.sidecar(other))
    with pytest.raises(ArtefactError) as refused:
        FORMS[form][1](other)
    assert str(refused.value).startswith(f"{other}: misplaced: this is the file of results/seed-0/x/{form}\n")


def test_results_may_lie_anywhere(written, form, tmp_path):
    shutil.move("results", tmp_path / "elsewhere")
    FORMS[form][1](tmp_path / "elsewhere/seed-0/x" / form)


def test_another_kind_or_version_is_refused(written):
    match written.suffix:
        case ".parquet":
            read = lambda: storage.read_table(written, schemas.LISTS)  # noqa: E731
        case ".json":
            read = lambda: storage.read_json(written, "dataset 2")  # noqa: E731
        case ".npz":
            read = lambda: storage.read_arrays(written, "truth 1")  # noqa: E731
        case _:
            pytest.skip("a reader of CSV checks its columns")
    with pytest.raises(ArtefactError, match=f"contains '{stated(written).kind}' instead of '"):
        read()


def test_pages_that_were_exchanged_are_refused(tmp_path, monkeypatch):
    # Pages and footer are each sound: only the digest of all pages shows that they do not belong together.
    monkeypatch.chdir(tmp_path)
    path, other = Path("results/roles.parquet"), Path("results/other.parquet")
    with making(MADE):
        storage.write_table(path, schemas.ROLES, {"role": np.arange(8)})
        storage.write_table(other, schemas.ROLES, {"role": np.arange(8)[::-1]})
    content, pages = path.read_bytes(), other.read_bytes()
    n = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    assert n == len(pages) - 8 - int.from_bytes(pages[-8:-4], "little")
    path.write_bytes(pages[:n] + content[n:])
    for look in (rows, storage.check_content):
        with pytest.raises(ArtefactError, match="its content does not match its statement"):
            look(path)


def test_no_flipped_bit_in_the_headers_of_pages_is_read_as_another_value(tmp_path, monkeypatch):
    # Parquet's checksums do not cover these headers: a single bit can turn a data page into one that readers skip.
    monkeypatch.chdir(tmp_path)
    path = Path("results/roles.parquet")
    with making(MADE):
        write_table(path)
    content = path.read_bytes()
    for bit in range(8 * len("PAR1"), 8 * 40):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(ArtefactError, match="damaged"):
            rows(path)


def test_digests_see_neither_the_order_of_keys_nor_tuples_but_every_value():
    assert digest_of({"a": (1, 2), "b": None}) == digest_of({"b": None, "a": [1, 2]})
    assert digest_of({"a": 1}) != digest_of({"a": 1.5})
    assert digest_of({"a": 1}) != digest_of({"a": "1"})


def test_numbers_as_keys_are_digested_as_they_will_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with making(MADE):
        storage.write_json("results/x.json", {"counts": {9: 1, 10: 2}}, "x 1")
    assert storage.read_json("results/x.json", "x 1") == {"counts": {"9": 1, "10": 2}}


def test_a_statement_that_was_edited_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("results/x.json")
    with making(MADE):
        storage.write_json(path, {"value": 1}, "x 1")
    whole = json.loads(path.read_text())
    whole["recsens"]["code"] = "mine"
    path.write_text(json.dumps(whole))
    with pytest.raises(ArtefactError, match="damaged: its statement about itself was changed"):
        storage.read_json(path, "x 1")
