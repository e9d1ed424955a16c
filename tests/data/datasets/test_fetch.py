"""Where files are looked for, and how they are downloaded, from a server that the test runs on this machine."""

import hashlib
import io
import logging
import sys
import urllib.request
import zipfile
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from recsens.data.datasets import DataSet, RawFile, destinations, digest, fetch, locate
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


def test_path_that_is_not_there_is_an_error_even_if_another_copy_is(home):
    put(home / "data/set", "ratings")
    with pytest.raises(DataError, match=r"there is no file 'absent/ratings\.dat'") as caught:
        locate(stored(None, path="absent/ratings.dat"))
    assert str(home) in str(caught.value.remedy)
    (home / "empty").mkdir()
    with pytest.raises(DataError, match="the folder that contains ratings"):
        locate(stored(None, path="empty"))


def test_a_required_neighbour_must_be_there(home):
    files = (RawFile("a", "set", path="a"), RawFile("b", "set"))
    put(home, "a")
    with pytest.raises(DataError, match="there is no file 'b' next to 'a'"):
        locate(Stored(files=files))
    put(home / "data/set", "a")
    assert locate(Stored(files=(RawFile("a", "set"), RawFile("b", "set")))) is None


def test_digest(tmp_path):
    path = put(tmp_path, "ratings") / "ratings"
    assert digest(path) == hashlib.sha256(RATINGS).hexdigest()
    with pytest.raises(DataError, match="cannot be read"):
        digest(tmp_path / "absent")


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


def test_archive_without_the_member(home, server):
    folder, address = server
    sha256 = archive(folder, users=b"1\n")
    with pytest.raises(DataError, match="does not contain 'inside/ratings'"):
        fetch(stored(address, sha256))
    assert everything(home) == ["data"]


def test_archive_that_is_none(home, server):
    folder, address = server
    (folder / "set.zip").write_bytes(b"<html>")
    with pytest.raises(DataError, match="the archive is damaged"):
        fetch(stored(address))
    assert not (home / "data/set/ratings").exists()


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
    fetch(stored(address, digest(folder / "set.zip")))
    assert everything(home) == ["data/set/ratings", "data/set/users"]
    assert not (home.parent / "evil").exists()


def test_address_that_is_not_there(home, server):
    with pytest.raises(DataError, match="404"):
        fetch(stored(server[1], "0" * 64))
    assert everything(home) == ["data"]


def test_offline_names_address_place_and_path(home):
    # Nothing listens on port 9 of this machine.
    with pytest.raises(DataError, match="cannot be downloaded") as caught:
        fetch(stored("http://127.0.0.1:9", "0" * 64))
    message = str(caught.value)
    for part in ("http://127.0.0.1:9/set.zip", "data/set/ratings", "RECSENS_DATA", "path="):
        assert part in message


def test_without_an_address_there_is_no_download(home):
    with pytest.raises(DataError, match="cannot be downloaded") as caught:
        fetch(stored(None))
    assert caught.value.allowed == "data/set/ratings"


@pytest.fixture(autouse=True)
def _messages(caplog):
    caplog.set_level(logging.INFO)


def test_a_connection_that_ends_early_leaves_nothing(home, monkeypatch):
    answer = io.BytesIO(b"PK")
    answer.headers = {"Content-Length": "1000"}
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: answer)
    with pytest.raises(DataError, match="cannot be downloaded: the connection ended after 2 of 1,000 bytes"):
        fetch(stored("http://here"))
    assert everything(home) == ["data"]
