"""Caches of numba and Snakemake, with and without a writable home folder."""

import logging
import os
from pathlib import Path

import pytest

from recsens.workflow import caches


@pytest.fixture
def ended(monkeypatch):
    """Record what is done when the process ends, and forget where caches are."""
    done = []
    monkeypatch.setattr(caches.atexit, "register", done.append)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    return done


@pytest.mark.parametrize("home", ["a file", "no user", "read-only"])
def test_without_a_home_caches_go_to_a_temporary_folder(tmp_path, monkeypatch, caplog, ended, home):
    if home == "a file":
        (tmp_path / "home").touch()
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
    elif home == "no user":
        monkeypatch.setattr(Path, "home", _nobody)
    else:
        monkeypatch.setattr(caches, "TemporaryFile", _read_only)
    with caplog.at_level(logging.WARNING):
        caches.ensure_caches()
    folder = Path(os.environ["XDG_CACHE_HOME"])
    assert folder.is_dir()
    assert "set XDG_CACHE_HOME to a folder that keeps caches between runs" in caplog.text
    ended[0]()
    assert not folder.exists()


def test_caches_that_can_be_written_stay_where_they_are_and_nothing_is_made(tmp_path, monkeypatch, ended):
    monkeypatch.setenv("HOME", str(tmp_path))
    caches.ensure_caches()
    assert os.environ["XDG_CACHE_HOME"] == ""
    assert ended == []
    assert list(tmp_path.iterdir()) == []


def _nobody():
    raise RuntimeError("Could not determine home directory.")


def _read_only(**_):
    raise OSError(30, os.strerror(30))
