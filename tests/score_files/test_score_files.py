"""Score files: every form is read as written, and other content is refused with the names of file and array."""

import ast
import gzip
import io
import tracemalloc
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from approved import refusal
from recsens import score_files
from recsens.arrays import equal_scores
from recsens.errors import DataError
from recsens.files import FileTable
from recsens.files.text import blocks
from recsens.score_files import JudgedRanks, ScoreFile, describe, files_of, format_by_content, format_by_name, read_scores
from score_files.written import ITEMS, USERS, WHOLE, dense, factors, lists, ranks, weights, write, write_mapped


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def arrays_of(kind: str, **arrays: Any) -> ScoreFile:
    found = read_scores(write("scores.npz", kind, **arrays))
    assert isinstance(found, ScoreFile)
    return found


def refused(path: Path | str) -> str:
    with pytest.raises(DataError) as found:
        read_scores(Path(path))
    assert str(path).partition(".")[0] in str(found.value)
    return str(found.value)


# What is read


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_factors_keep_their_precision(bits):
    given = factors(user_factors=np.ones((3, 2), f"f{bits // 8}"), global_bias=np.float64(3.5))
    found = arrays_of("factors", **given)
    assert (found.users, found.items) == (USERS, ITEMS)
    assert found.arrays["user_factors"].dtype == np.dtype(f"f{bits // 8}")
    assert found.arrays["global_bias"] == 3.5
    assert found.is_half_precision == (bits == 16)
    assert describe(found) == "factors of 3 users and 4 items"


def test_whole_numbers_are_names_and_big_endian_arrays_are_turned():
    found = arrays_of("dense", users=[7, -1, 2**40], items=np.array(ITEMS), scores=np.arange(12, dtype=">f8").reshape(3, 4))
    assert found.users == ["7", "-1", str(2**40)]
    assert found.arrays["scores"].tolist() == np.arange(12).reshape(3, 4).tolist()
    assert found.arrays["scores"].dtype.isnative


def test_an_array_in_fortran_order_and_a_compressed_archive_hold_the_same():
    scores = np.arange(12, dtype=np.float64).reshape(3, 4)
    np.savez_compressed("packed.npz", recsens_scores=1, kind="dense", **dense(scores=np.asfortranarray(scores)))
    np.testing.assert_array_equal(read_scores(Path("packed.npz")).arrays["scores"], scores)


def test_nan_is_no_score_and_only_in_dense_scores():
    assert np.isnan(arrays_of("dense", **dense(scores=np.full((3, 4), np.nan))).arrays["scores"]).all()
    assert "contains nan at (1, 0)" in refused(write("f.npz", "factors", **factors(user_factors=[[1.0, 1], [np.nan, 1], [1, 1]])))


def test_a_matrix_beside_its_names_is_mapped_and_not_read(tmp_path):
    path = write_mapped(tmp_path / "a.b.npy", np.arange(12.0).reshape(3, 4))
    found = read_scores(path)
    assert isinstance(found.arrays["scores"], np.memmap)
    assert (found.users, found.items) == (USERS, ITEMS)
    assert files_of(path) == [path, tmp_path / "a.b.users.txt", tmp_path / "a.b.items.txt"]
    path.with_name("a.b.users.txt").write_bytes(b"\xef\xbb\xbfu1\r\nu2\r\n\xc3\xa9")
    assert read_scores(path).users == ["u1", "u2", "é"]


def test_words_and_stored_zeros_of_weights_are_kept():
    found = arrays_of("item_weights", **weights(data=[0.0, 1, 1, 1]))
    assert found.users == []
    assert {name: str(found.arrays[name]) for name in ("profile", "unreached")} == {"profile": "ones", "unreached": "zero"}
    assert str(arrays_of("item_weights", **weights(profile="ratings")).arrays["profile"]) == "ratings"
    assert describe(found) == "weights between items of 4 items"


def test_lists_are_rows_with_minus_the_rank_unless_they_have_scores():
    found = read_scores(write("l.npz", "lists", **lists()))
    assert isinstance(found, FileTable)
    rows = [(found.user[row], found.item[row], found.value[row]) for row in range(len(found))]
    assert rows == [("u1", "i4", -1), ("u1", "i1", -2), ("u3", "i2", -1), ("u3", "i3", -2), ("u3", "i1", -3)]
    assert found.place(3) == "l.npz, place 2 of user 'u3'"
    scored = write("s.npz", "lists", **lists(scores=[0.5, 0.25, 3, 2, 1]))
    assert read_scores(scored).value.tolist() == [0.5, 0.25, 3, 2, 1]
    assert read_scores(scored, rank_by="rank").value.tolist() == [1, 2, 1, 2, 3]


def test_judged_ranks_are_the_same_in_an_archive_and_in_tables():
    archive = read_scores(write("r.npz", "judged_ranks", **ranks()))
    assert isinstance(archive, JudgedRanks)
    Path("r.csv").write_text("item,user,above,equal,candidates,rating\ni2,u1,0,0,4,5\ni4,u1,1,1,4,1\ni1,u3,2,0,3,2\n")
    table = score_files.read_judged_ranks(Path("r.csv"))
    assert score_files.has_judged_ranks(Path("r.csv"))
    assert not score_files.has_judged_ranks(Path("missing.csv"))
    for name in ("above", "equal"):
        np.testing.assert_array_equal(getattr(table, name), getattr(archive, name))
    assert [table.users[user] for user in table.user] == [archive.users[user] for user in archive.user] == ["u1", "u1", "u3"]
    assert dict(zip(table.users, table.candidates, strict=True)) == {"u1": 4, "u3": 3}
    assert dict(zip(archive.users, archive.candidates, strict=True)) == {"u1": 4, "u2": 0, "u3": 3}


def test_the_first_bytes_and_the_name_say_what_a_file_is(tmp_path):
    write("a.npz", "dense", **dense())
    write_mapped(tmp_path / "b.npy", np.zeros((3, 4)))
    Path("c.npz").write_text("user,item,score\n")
    assert [format_by_content(Path(name)) for name in ("a.npz", "b.npy", "c.npz", "missing.npz")] == ["npz", "npy", None, None]
    assert list(map(format_by_name, ("a.NPZ", "b.npy", "npz", "c.csv"))) == ["npz", "npy", None, None]


def test_an_archive_is_closed_once_it_is_read_or_refused(monkeypatch):
    opened = []

    class Recorded(zipfile.ZipFile):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            opened.append(self)

    good, bad = write("a.npz", "dense", **dense()), write("b.npz", "dense", **dense(recsens_scores=2))
    monkeypatch.setattr(zipfile, "ZipFile", Recorded)
    read_scores(good)
    with pytest.raises(DataError, match="version 2 of the format"):
        read_scores(bad)
    assert {archive.fp for archive in opened} == {None}


# What is refused

HUGE = 1e200

BAD_ARRAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "no version": ("dense", dense(recsens_scores=None)),
    "a later version": ("dense", dense(recsens_scores=2)),
    "a version of text": ("dense", dense(recsens_scores="1")),
    "another kind": ("denze", dense()),
    "a missing array": ("factors", factors(item_factors=None)),
    "a misspelt array": ("factors", factors(item_bias=np.zeros(4))),
    "an array of another form": ("dense", dense(user_factors=np.zeros((3, 2)))),
    "factors of two widths": ("factors", factors(item_factors=np.zeros((4, 3)))),
    "too few rows": ("factors", factors(user_factors=np.zeros((2, 2)))),
    "a vector of factors": ("factors", factors(user_factors=np.zeros(3))),
    "factors of whole numbers": ("factors", factors(user_factors=np.zeros((3, 2), int))),
    "complex factors": ("factors", factors(user_factors=np.zeros((3, 2), complex))),
    "wide floats": ("factors", factors(user_factors=np.zeros((3, 2), np.longdouble))),
    "an infinite factor": ("factors", factors(item_biases=[1, 2, np.inf, 3])),
    "factors that multiply to more than a float": (
        "factors",
        factors(user_factors=np.full((3, 2), HUGE), item_factors=np.full((4, 2), HUGE)),
    ),
    "weights that add up to more than a float": ("item_weights", weights(data=[1.7e308, 0.5, 0.5, 1.0], profile="ratings")),
    "another product": ("factors", factors(combine="cosine")),
    "a bias of one row": ("factors", factors(global_bias=[1.0])),
    "an infinite score": ("dense", dense(scores=np.full((3, 4), -np.inf))),
    "scores turned round": ("dense", dense(scores=np.zeros((4, 3)))),
    "a name twice": ("dense", dense(users=["u1", "u2", "u1"])),
    "a number as text": ("dense", dense(users=np.array([b"u1", b"u2", b"u3"]))),
    "an empty name": ("dense", dense(items=["i1", "", "i3", "i4"])),
    "no names": ("dense", dense(users=np.zeros(0, int), scores=np.zeros((0, 4)))),
    "floating names": ("dense", dense(users=[1.0, 2.0, 3.0])),
    "half a character": ("dense", dense(users=["u1", "u2", "\ud800"])),
    "rows that fall": ("item_weights", weights(indptr=[0, 3, 2, 3, 4])),
    "rows that end early": ("item_weights", weights(indptr=[0, 1, 2, 3, 3])),
    "a column beyond": ("item_weights", weights(indices=[1, 2, 0, 4])),
    "a negative column": ("item_weights", weights(indices=[1, 2, 0, -1])),
    "a weight twice": ("item_weights", weights(indices=[2, 2, 0, 3])),
    "too few weights": ("item_weights", weights(data=[1.0])),
    "another profile": ("item_weights", weights(profile="rating")),
    "an item twice in a list": ("lists", lists(indices=[3, 3, 1, 2, 0])),
    "a list without an end": ("lists", lists(indptr=[0, 2, 5])),
    "empty lists": ("lists", lists(indptr=[0, 0, 0, 0], indices=np.zeros(0, int))),
    "a score of a list that is none": ("lists", lists(scores=[1, 2, np.nan, 3, 4.0])),
    "ranks beyond the end": ("judged_ranks", ranks(above=[0, 1, 3])),
    "a pair twice": ("judged_ranks", ranks(item=[1, 1, 0])),
    "other candidates": ("judged_ranks", ranks(candidates=[4, 5, 3])),
    "ties that disagree": ("judged_ranks", ranks(above=[0, 0, 2])),
    "a rank within ties": ("judged_ranks", ranks(equal=[1, 0, 0])),
    "too many for a place": ("judged_ranks", ranks(above=[1, 1, 2], equal=[0, 0, 0])),
    "a negative count": ("judged_ranks", ranks(above=[-1, 1, 2])),
    "a count beyond all": ("judged_ranks", ranks(candidates=[4, 4, 2**31])),
    "a user beyond": ("judged_ranks", ranks(user=[0, 0, 3])),
    "counts that are no numbers": ("judged_ranks", ranks(equal=[0.0, 1, 0])),
    "no ranks": ("judged_ranks", ranks(**dict.fromkeys(ranks().keys() - {"users", "items"}, np.zeros(0, int)))),
}


def test_an_array_that_is_not_of_the_format_is_named(approved):
    approved({name: refused(write("scores.npz", kind, **arrays)) for name, (kind, arrays) in BAD_ARRAYS.items()})


def test_objects_are_never_unpickled():
    path = Path("scores.npz")
    np.savez(path, recsens_scores=1, kind="dense", **dense(users=np.array(USERS, dtype=object)))
    assert "the array 'users' cannot be read: it contains Python objects" in refused(path)


def damaged(content: bytes, name: str) -> bytes:
    at = content.index(b"scores.npy")
    return {
        "cut off": content[:-40],
        "cut in half": content[: len(content) // 2],
        "a byte changed": content[: at + 200] + bytes([content[at + 200] ^ 1]) + content[at + 201 :],
        "text": b"user,item,score\n",
        "nothing": b"",
    }[name]


@pytest.mark.parametrize("name", ["cut off", "cut in half", "a byte changed", "text", "nothing"])
def test_a_damaged_archive_is_named(name):
    path = write("whole.npz", "dense", **dense(scores=np.arange(1200.0).reshape(3, 400), items=np.arange(400)))
    Path("broken.npz").write_bytes(damaged(path.read_bytes(), name))
    assert "broken.npz: " in refused("broken.npz")


def test_a_missing_file_and_a_strange_member_are_named():
    assert "no such file" in refused("missing.npz")
    with zipfile.ZipFile(write("scores.npz", "dense", **dense()), "a") as archive:
        archive.writestr("notes.txt", "mine")
    assert "contains 'notes.txt', which is not a numpy array" in refused("scores.npz")


def test_an_array_whose_header_lies_is_named():
    content = io.BytesIO()
    np.lib.format.write_array(content, np.zeros((3, 4)))
    short = content.getvalue().replace(b"(3, 4)", b"(9, 4)")
    with zipfile.ZipFile("scores.npz", "w") as archive:
        for name, array in {"recsens_scores": 1, "kind": "dense", **dense(scores=None)}.items():
            if array is not None:
                with archive.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, np.asarray(array))
        archive.writestr("scores.npy", short)
    assert "its header says 288 bytes, but it contains 96" in refused("scores.npz")


def test_an_archive_larger_than_the_memory_is_refused_before_it_is_unpacked(monkeypatch):
    path = write("scores.npz", "dense", **dense())
    monkeypatch.setattr(score_files._archive.psutil, "virtual_memory", lambda: type("Memory", (), {"available": 100}))
    assert "write dense scores as npy, which is mapped" in refused(path)


def written_without_memory(path: Path, arrays: dict[str, object], huge: str, header: str, n_bytes: int) -> None:
    """Compress arrays, and one of zeros that is never in memory."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in {"recsens_scores": 1, **arrays}.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array))
        with archive.open(f"{huge}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, ast.literal_eval(header))
            for _ in range(n_bytes >> 20):
                member.write(bytes(1 << 20))
            member.write(bytes(n_bytes % (1 << 20)))


def test_a_small_file_that_unpacks_to_gigabytes_is_refused_before_they_are_read(monkeypatch):
    header = "{'descr': '<i8', 'fortran_order': False, 'shape': (10000000,)}"
    written_without_memory(Path("names.npz"), {"kind": "factors"}, "users", header, 80_000_000)
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (6000, 7000)}"
    names = {"kind": "dense", "users": np.arange(6000), "items": np.arange(7000)}
    written_without_memory(Path("scores.npz"), names, "scores", header, 336_000_000)
    Path("lines.csv.gz").write_bytes(gzip.compress(b"user,item,score\n" + b"u1,i1,0.5\n" * 8_000_000))
    assert max(path.stat().st_size for path in Path().iterdir()) < 500_000
    tracemalloc.start()
    assert "only 77," in refused("names.npz")
    assert "write it without compression" in refused("scores.npz")
    with pytest.raises(DataError, match="unpacks to more than 100 times its size"):
        sum(1 for _ in blocks(Path("lines.csv.gz"), "utf-8"))
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()


def test_what_a_file_accounts_for_is_read_however_large():
    many = np.arange(1_200_000)
    path = write(
        "scores.npz", "factors", users=many, items=[1], user_factors=np.zeros((len(many), 1)), item_factors=np.ones((1, 1))
    )
    assert len(read_scores(path).users) == len(many)


@pytest.mark.parametrize("header", ["{'descr': f('<f8'), 'shape': (1,)}", "(" * 300, "{'descr': '<f8'" + " " * 20_000 + "}"])
def test_a_strange_header_is_named_in_our_words(header):
    written = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin-1")
    with zipfile.ZipFile(write("scores.npz", "factors"), "a") as archive:
        archive.writestr("users.npy", written)
    Path("scores.npy").write_bytes(written)
    for name in ("scores.npz", "scores.npy"):
        assert "its header is not one that numpy.save writes" in refused(name)


BAD_MATRICES = {
    "turned round": np.zeros((4, 3)),
    "a vector": np.zeros(12),
    "whole numbers": np.zeros((3, 4), int),
    "empty": np.zeros((0, 4)),
    "infinite": np.full((3, 4), np.inf),
    "other bytes": np.zeros((3, 4), ">f8"),
}
ROWS = ("u1,i2,0,0", "u1,i2,-1,0,4", "u1,i2,0.5,0,4", "u1,,0,0,4", "u1,i2,0,0,99999999999", "u1,i2,4,0,4")


def test_a_matrix_or_a_row_of_judged_ranks_that_is_not_of_the_format_is_named(tmp_path, approved):
    path = tmp_path / "scores.npy"
    told = {name: refused(write_mapped(path, scores)) for name, scores in BAD_MATRICES.items()}
    write_mapped(path, np.zeros((3, 4)))
    path.write_bytes(path.read_bytes()[:-8])
    told["cut off"] = refused(path)
    told["a name twice"] = refused(write_mapped(path, np.zeros((3, 4)), items=["i1", "i2", "i2", "i4"]))
    told["an empty name"] = refused(write_mapped(path, np.zeros((3, 4)), items=["i1", "", "i3", "i4"]))
    path.with_name("scores.items.txt").write_bytes(b"i1\n\xff\n")
    told["a name that is no text"] = refused(path)
    path.with_name("scores.users.txt").unlink()
    told["no names"] = refused(path)
    for row in ROWS:
        Path("ranks.csv").write_text(f"user,item,above,equal,candidates\nu1,i1,1,0,4\n{row}\n")
        told[row] = refusal(partial(score_files.read_judged_ranks, Path("ranks.csv")), DataError)
    approved(told)


def test_every_form_is_read():
    assert set(WHOLE) == set(score_files.FORMS)
    for kind, arrays in WHOLE.items():
        read_scores(write("scores.npz", kind, **arrays()))


def test_equal_scores_of_different_users_stay_apart_however_many_users_and_ranks_there_are():
    # In 32 bits, which NumPy 1 keeps, the first and the last row would share a number: 143,166 * 30,000 = 2**32 + 12,704.
    user, above = np.array([0, 1, 143_166], dtype=np.int32), np.array([12_704, 29_999, 0])
    assert len(set(equal_scores(user, above).tolist())) == 3
