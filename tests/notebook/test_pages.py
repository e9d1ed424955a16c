"""The pages for newcomers are correct: programs run, messages are quoted as printed, and components can be built."""

import ast
import doctest
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

import recsens
from recsens import plugins
from recsens.errors import SpecError
from recsens.metrics import parse_measured_at
from recsens.plugins.specs import parse_chain
from workspaces import REPOSITORY

DOCS = REPOSITORY / "docs"
SOURCES = Path(recsens.__file__).parent


def rows(page: str, *, under: str = "", but: str = "\0") -> list[list[str]]:
    """Read the rows of all tables of a page, of those under one heading, or of those under all headings but one."""
    parts = re.split(r"^## ", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    chosen = [part for part in parts if part.startswith(under) and not part.startswith(but)]
    found = [line for part in chosen for line in re.findall(r"^\| (.+) \|$", part, re.MULTILINE)]
    return [[cell.strip() for cell in re.split(r"(?:^| )\|(?: |$)", line)] for line in found if not line.startswith("---")]


def test_the_program_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "notebook.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec("\n".join(programs), {"__name__": "page"})  # noqa: S102 - a page of our own
    assert len(programs) == 5
    assert "p_value" in capsys.readouterr().out


@pytest.mark.parametrize("module", ["ratings", "measures", "evaluations", "leaks_and_numbers"])
def test_the_examples_of_docstrings_hold(module: str):
    n_failed, n_tried = doctest.testmod(importlib.import_module(f"recsens.notebook.{module}"))
    assert n_failed == 0
    assert n_tried >= 2


def test_the_page_tells_of_every_call():
    told = {name for row in rows("notebook.md") for name in re.findall(r"`(\w+)`", row[0])}
    assert told == set(recsens.__all__)


@cache
def texts() -> list[str]:
    """List every text in the sources except docstrings, with a sign instead of the parts that vary."""
    found = []
    for path in SOURCES.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in docstrings:
                continue
            if isinstance(node, ast.JoinedStr):
                found.append("".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"%[sd]", "…", node.value))
    return found


MESSAGES = [row[0].strip("`") for row in rows("troubleshooting.md", but="Snakemake") if row[0] != "message"]


def test_a_quoted_message_stands_in_the_sources():
    rules = [path.read_text(encoding="utf-8") for path in (DOCS.parent / "workflow" / "rules").glob("*.smk")]
    sources = [*texts(), *rules]
    for message in MESSAGES:
        pattern = re.compile(".*".join(map(re.escape, message.split("…"))), re.DOTALL)
        assert len(re.sub(r"\W", "", message)) >= 7, "too short to tell"
        assert any(pattern.search(text) for text in sources), message


NOT_FOUND = "argument --executor/-e: invalid choice: "


def test_snakemake_says_what_the_page_quotes():
    quoted = [row[0].strip("`") for row in rows("troubleshooting.md", under="Snakemake") if row[0] != "message"]
    quoted.remove(f"{NOT_FOUND}'recsens'")
    assert len(quoted) == 4
    folder = Path(str(importlib.util.find_spec("snakemake").origin)).parent
    said = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    assert [message for message in quoted if message not in said] == []


def test_snakemake_says_what_the_page_quotes_of_an_executor_that_it_does_not_find(capsys: pytest.CaptureFixture[str]):
    from snakemake.cli import get_argument_parser

    with pytest.raises(SystemExit):
        get_argument_parser().parse_args(["--executor", "nobody"])
    assert f"{NOT_FOUND}'nobody'" in capsys.readouterr().err


OURS = [
    (row[0], component)
    for row in rows("coming-from.md")
    if row[1] not in {"here", "none"}
    for component in re.findall(r"`([^`]+)`", row[1])
    if not re.match(r"[a-z]+: ", component)
]


def built(text: str) -> list[plugins.Plugin]:
    """Build the component, or the chain of filters, that a text names; `random` is one of several kinds."""
    chain = list(parse_chain(text))
    kinds = [kind for kind in plugins.PACKAGES if chain[0].name in plugins.names(kind)]
    refused = []
    for kind in ["filter"] if len(chain) > 1 else kinds:
        try:
            return [plugins.build(kind, link) for link in chain]
        except SpecError as error:
            refused.append(str(error))
    raise AssertionError("\n".join(refused) or f"no component is called {chain[0].name}")


def test_a_component_for_those_who_come_from_elsewhere_builds():
    for theirs, ours in OURS:
        is_metric = re.search(r"@\d+$", ours) or ours in plugins.names("metric")
        assert parse_measured_at(ours) if is_metric else built(ours), theirs


def test_every_table_says_what_is_missing():
    told = [row[1] for row in rows("coming-from.md")]
    assert told.count("none") > 5
    assert len(OURS) > 70
