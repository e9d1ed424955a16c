"""Fixtures that every test may use."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from recsens.own import _modules

# The same examples in every run, and no failure because a machine is busy.
settings.register_profile("recsens", derandomize=True, deadline=None)
settings.load_profile("recsens")


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test find the plug-ins of another's folders."""
    monkeypatch.setattr(_modules, "_FOLDERS", list(_modules._FOLDERS))
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Find a file of a real data set below RECSENS_DATA; the test is skipped where there is none."""

    def find(name: str) -> Path:
        root = os.environ.get("RECSENS_DATA")
        if not root:
            pytest.skip("RECSENS_DATA is not set")
        path = Path(root).resolve() / name
        if not path.exists():
            pytest.skip(f"no {name} below RECSENS_DATA")
        return path

    return find
