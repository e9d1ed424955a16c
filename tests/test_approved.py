"""Approved texts belong to tests that exist, so that none is kept that no test compares."""

import re
from pathlib import Path

from approved import sections

TESTS = Path(__file__).parent


def test_each_approved_text_belongs_to_a_test():
    strays = []
    for path in sorted(TESTS.rglob("approved/*.txt")):
        module = path.parents[1] / f"test_{path.stem}.py"
        names = set(re.findall(r"^def test_(\w+)", module.read_text(encoding="utf-8"), re.MULTILINE)) if module.exists() else set()
        strays += [f"{path.relative_to(TESTS)}: {name}" for name in sections(path) if name.split("[")[0] not in names]
    assert strays == []
