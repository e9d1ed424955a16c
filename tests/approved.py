"""Approved texts: what a page, table, command or refusal says, kept in one file beside the tests and reviewed as a diff.

``approved(text)`` compares a text with the section of the test in ``approved/<module>.txt``, and ``--approve`` rewrites it.
"""

import difflib
import fcntl
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path

import pytest

import recsens
from recsens.tables.table import Table
from recsens.tables.texts import table_as_markdown

Said = str | Table | Sequence["Said"] | Mapping[str, "Said"]
CHECKOUT = Path(__file__).parents[1]
SOURCES = Path(recsens.__file__).parents[1]
"""Also of an installed library, whose sources are elsewhere."""
HEAD = re.compile(r"^=== (.+)\n", re.MULTILINE)


def as_text(said: Said) -> str:
    """Write a text, a table, a list of them by lines, or several by the name of their case, with plain spaces."""
    if isinstance(said, Table):
        said = re.sub(r"\\(?=\W)", "", table_as_markdown(said))
    if isinstance(said, Mapping):
        return "\n\n".join(f"[{case}]\n{as_text(each)}" for case, each in said.items())
    if not isinstance(said, str):
        return "\n".join(map(as_text, said)) or "(nothing)"
    return "\n".join(line.rstrip() for line in said.replace("\N{NO-BREAK SPACE}", " ").strip("\n").split("\n")) or "(nothing)"


def refusal(call: Callable[[], object], error: type[Exception] = Exception) -> str:
    """Return the message of the error that a call raises, after the name of the error."""
    try:
        call()
    except error as refused:
        return f"{type(refused).__name__}: {refused}"
    raise AssertionError(f"{call} is not refused")


def sections(path: Path) -> dict[str, str]:
    """Read a file of approved texts by test."""
    _, *parts = HEAD.split(path.read_text(encoding="utf-8")) if path.exists() else [""]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _rewrite(path: Path, name: str, text: str) -> None:
    """Put the text of a test into the file, in order of names; several processes may do so at once."""
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        known = sections(path) | {name: text}
        path.write_text("".join(f"=== {key}\n{known[key]}" for key in sorted(known)), encoding="utf-8")


@pytest.fixture
def approved(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Said], None]:
    """Compare with the approved text of the test, where ``tmp_path`` is ``‹folder›`` and the repository ``‹checkout›``."""

    def check(said: Said) -> None:
        path = request.path.parent / "approved" / f"{request.path.stem.removeprefix('test_')}.txt"
        name = request.node.name.removeprefix("test_")
        places = {tmp_path: "‹folder›", SOURCES: "‹checkout›/src", CHECKOUT: "‹checkout›"}
        text = reduce(lambda text, place: text.replace(str(place), places[place]), places, as_text(said)) + "\n\n"
        if request.config.getoption("--approve"):
            _rewrite(path, name, text)
        known = sections(path).get(name, "")
        lines = difflib.unified_diff(known.splitlines(), text.splitlines(), "approved", "now", lineterm="")
        assert text == known, "\n".join([f"not the approved text in {path} (--approve rewrites it):", *lines])

    return check
