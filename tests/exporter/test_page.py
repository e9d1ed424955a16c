"""The page about trained models shows the lines that the trials run, and has a section for every framework."""

import ast
import re

import pytest

from trials.test_frameworks import ENVIRONMENT_OF, PROGRAMS
from workspaces import REPOSITORY

PAGE = (REPOSITORY / "docs/your-model.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("framework", ENVIRONMENT_OF)
def test_the_lines_of_a_framework_are_those_that_the_trials_run(framework: str):
    (block,) = (block for block in BLOCKS if f"recsens_export.from_{framework}(" in block)
    (line,) = (line for line in block.splitlines() if line.startswith("scores = "))
    assert line in (PROGRAMS / f"{framework}_models.py").read_text(encoding="utf-8")
    assert len([each for each in block.splitlines() if each]) <= 5


@pytest.mark.parametrize("block", BLOCKS)
def test_the_page_calls_what_the_exporter_has(block: str, recsens_export):
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.Attribute):
            owner = recsens_export if ast.unparse(node.value) == "recsens_export" else recsens_export.Scores
            assert hasattr(owner, node.attr)


def test_the_methods_that_the_page_names_are_there(recsens_export):
    named = set(re.findall(r"`scores\.(\w+)\(", PAGE)) | set(re.findall(r"`(from_\w+)`", PAGE)) - {"from_file"}
    assert {"save", "save_ranks", "save_lists", "from_function"} <= named
    assert not [name for name in named if not hasattr(recsens_export.Scores, name) and not hasattr(recsens_export, name)]
