"""Resources: one table says what each rule asks for, and every rule is in it."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from recsens.workflow.resources import REQUESTS, memory_mb, minutes
from workspaces import REPOSITORY


def rules() -> dict[str, str]:
    """The text of each rule that runs a step, by its name."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(REPOSITORY, "workflow/rules").glob("*.smk")))
    _, *parts = re.split(r"^rule (\w+):$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_rule_asks_for_what_the_table_says_of_it():
    found = rules()
    assert found.keys() == REQUESTS.keys()
    for rule, text in found.items():
        assert f'mem_mb=memory_mb("{rule}")' in text
        assert f'runtime=minutes("{rule}")' in text


@pytest.mark.parametrize(
    ("rule", "attempt", "memory", "time"), [("fit", 1, 1300, 30), ("fit", 3, 5200, 120), ("truth", 1, 1500, 5)]
)
def test_a_request_grows_with_the_input_and_doubles_at_each_attempt(rule, attempt, memory, time):
    given = {"wildcards": None, "input": SimpleNamespace(size_mb=10), "attempt": attempt}
    assert memory_mb(rule)(**given) == memory
    assert minutes(rule)(**given) == time
