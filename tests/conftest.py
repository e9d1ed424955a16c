"""Fixtures that every test may use."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


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
