"""Where files are looked for, and how they are downloaded, from a server that the test runs on this machine."""

import hashlib
import io
import logging
import shutil
import sys
import urllib.request
import zipfile
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from approved import refusal
from recsens.data.datasets import DataSet, RawFile, destinations, fetch, locate, sha256_of
from recsens.errors import DataError

RATINGS = b"1,1,3\n" * 50_000


class Stored(DataSet):
    """A data set whose files the test lists."""

    files: tuple[RawFile, ...] = ()

    def raw_files(self):
        return self.files

    def load(self, files: Sequence[Path], stream):
        raise NotImplementedError


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty working directory, without a folder of local copies."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RECSENS_DATA", raising=False)
    return folder


@pytest.fixture
def server(tmp_path):
    """A folder and the address at which it is served."""
    folder = tmp_path / "server"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as served:
        thread = Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield folder, f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


def archive(folder: Path, **members: bytes) -> str:
    """Write the archive and return its SHA-256."""
    with zipfile.ZipFile(folder / "set.zip", "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(f"inside/{name}", content)
    return hashlib.sha256((folder / "set.zip").read_bytes()).hexdigest()


def stored(address: str | None, sha256: str | None = None, names=("ratings", "users"), **more) -> Stored:
    return Stored(
        files=tuple(
            RawFile(
                name=name,
                folder="set",
                url=address and f"{address}/set.zip",
                archive_member=f"inside/{name}",
                sha256=sha256,
                terms="https://example.org/terms",
                optional=name != "ratings",
                **more,
            )
            for name in names
        )
    )


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() or not any(path.iterdir()))


# Looking


def put(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(RATINGS)
    return folder


def test_nowhere(home):
    assert locate(stored(None)) is None


def test_simulated_data_need_no_file():
    assert locate(Stored()) == fetch(Stored()) == destinations(Stored()) == ()


def test_environment_goes_before_the_working_directory(home, tmp_path, monkeypatch):
    put(home / "data/set", "ratings", "users")
    assert locate(stored(None)) == (Path("data/set/ratings"), Path("data/set/users"))
    monkeypatch.setenv("RECSENS_DATA", str(tmp_path / "store"))
    assert locate(stored(None)) == (Path("data/set/ratings"), Path("data/set/users"))
    store = put(tmp_path / "store/set", "ratings")
    assert locate(stored(None)) == (store / "ratings",)


def test_path_goes_before_everything_and_may_be_a_folder(home, tmp_path, monkeypatch):
    put(home / "data/set", "ratings")
    own = put(tmp_path / "own", "ratings", "users")
    for path in (own, own / "ratings"):
        assert locate(stored(None, path=str(path))) == (own / "ratings", own / "users")


def test_path_may_have_any_name(home):
    put(home, "mine.dat")
    assert locate(stored(None, path="mine.dat")) == (Path("mine.dat"),)


def test_files_that_are_not_there_are_named_even_if_another_copy_is(home, tmp_path, approved):
    put(home / "data/set", "ratings")
    (home / "empty").mkdir()
    put(home, "a")
    calls = {
        "file": lambda: locate(stored(None, path="absent/ratings.dat")),
        "folder": lambda: locate(stored(None, path="empty")),
        "file next to another": lambda: locate(Stored(files=(RawFile("a", "set", path="a"), RawFile("b", "set")))),
        "digest": lambda: sha256_of(tmp_path / "absent"),
    }
    approved({case: refusal(call, DataError) for case, call in calls.items()})
    put(home / "data/set", "a")
    assert locate(Stored(files=(RawFile("a", "set"), RawFile("b", "set")))) is None


def test_digest(tmp_path):
    path = put(tmp_path, "ratings") / "ratings"
    assert sha256_of(path) == hashlib.sha256(RATINGS).hexdigest()


# Downloading


def test_download_puts_the_wanted_members_in_place_and_nothing_else(home, server, caplog):
    folder, address = server
    sha256 = archive(folder, ratings=RATINGS, users=b"1\n", other=b"x")
    data_set = stored(address, sha256)
    assert fetch(data_set) == destinations(data_set) == (Path("data/set/ratings"), Path("data/set/users"))
    assert everything(home) == ["data/set/ratings", "data/set/users"]
    assert (home / "data/set/ratings").read_bytes() == RATINGS
    assert "https://example.org/terms" in caplog.text
    (folder / "set.zip").unlink()
    assert fetch(data_set) == locate(data_set) == destinations(data_set)


def test_download_shows_its_progress_on_a_terminal(home, server, monkeypatch):
    folder, address = server
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    fetch(stored(address, archive(folder, ratings=RATINGS, users=b"1\n")))
    assert "100%" in terminal.getvalue()


def test_download_of_something_else_is_refused_and_leaves_nothing(home, server):
    folder, address = server
    archive(folder, ratings=RATINGS, users=b"1\n")
    with pytest.raises(DataError, match="is not the expected one") as caught:
        fetch(stored(address, "0" * 64))
    assert caught.value.allowed == "0" * 64
    assert everything(home) == ["data"]


def test_unknown_checksum_is_recorded_and_held_against_the_next_download(home, server, caplog):
    folder, address = server
    sha256 = archive(folder, ratings=RATINGS, users=b"1\n")
    fetch(stored(address))
    assert sha256 in caplog.text
    assert (home / "data/set/set.zip.sha256").read_text() == f"{sha256}  set.zip\n"
    (home / "data/set/ratings").unlink()
    archive(folder, ratings=b"changed", users=b"1\n")
    with pytest.raises(DataError, match="is not the expected one"):
        fetch(stored(address))
    assert not (home / "data/set/ratings").exists()


def test_what_cannot_be_downloaded_is_told_and_leaves_nothing(home, server, monkeypatch, approved):
    folder, address = server
    told = {}

    def refuse(case: str, data_set: Stored) -> None:
        told[case] = refusal(lambda: fetch(data_set), DataError).replace(address, "http://server")
        assert not any(path.is_file() for path in home.rglob("*")) or (
            case == "no archive" and not (home / "data/set/ratings").exists()
        )

    sha256 = archive(folder, users=b"1\n")
    refuse("an archive without the member", stored(address, sha256))
    (folder / "set.zip").write_bytes(b"<html>")
    refuse("no archive", stored(address))
    shutil.rmtree(home / "data")
    (folder / "set.zip").unlink()
    refuse("nothing at the address", stored(address, "0" * 64))
    # Nothing listens on port 9 of this machine.
    refuse("no connection", stored("http://127.0.0.1:9", "0" * 64))
    refuse("no address", stored(None))
    answer = io.BytesIO(b"PK")
    answer.headers = {"Content-Length": "1000"}
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: answer)
    refuse("an early end", stored("http://here"))
    approved(told)


def test_plain_file_is_taken_as_it_is(home, server):
    folder, address = server
    (folder / "ratings").write_bytes(RATINGS)
    file = RawFile("ratings", "set", url=f"{address}/ratings", sha256=hashlib.sha256(RATINGS).hexdigest())
    assert fetch(Stored(files=(file,))) == (Path("data/set/ratings"),)
    assert (home / "data/set/ratings").read_bytes() == RATINGS


def test_member_names_cannot_lead_out_of_the_folder(home, server):
    folder, address = server
    with zipfile.ZipFile(folder / "set.zip", "w") as opened:
        opened.writestr("../../evil", b"x")
        opened.writestr("inside/ratings", RATINGS)
        opened.writestr("inside/users", b"1\n")
    fetch(stored(address, sha256_of(folder / "set.zip")))
    assert everything(home) == ["data/set/ratings", "data/set/users"]
    assert not (home.parent / "evil").exists()


@pytest.fixture(autouse=True)
def _messages(caplog):
    caplog.set_level(logging.INFO)
