"""The pages of the API name every public function and every base class, and their examples run."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import recsens
from recsens import plugins
from recsens.plugins import PACKAGES, Plugin
from workspaces import REPOSITORY

LONG = ("sweep", "run", "results")
"""Functions that start Snakemake; they come last."""


def parts(page: str) -> dict[str, str]:
    """Return the text below each heading; that of the title comes first."""
    found = re.split(r"^#+ (.+)\n", (REPOSITORY / "docs" / page).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return dict(zip(found[::2], found[1::2], strict=True))


def program(texts: list[str]) -> str:
    return "\n".join(block for text in texts for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def documented(page: str) -> list[str]:
    return [name for text in parts(page).values() for name in re.findall(r"^\.\. auto\w+:: (\S+)$", text, re.MULTILINE)]


def test_every_function_has_its_docstring_and_an_example():
    assert sorted(documented("api.md")) == sorted(f"recsens.{name}" for name in recsens.__all__)
    assert [name for name, text in parts("api.md").items() if not program([text])] == []


def base_of(kind: str) -> type[Plugin]:
    """Return the class that all plug-ins of a kind derive from, and that the kind's package offers."""
    classes = plugins.load(kind, plugins.names(kind)[0]).__mro__
    return next(cls for cls in reversed(classes) if issubclass(cls, Plugin) and "kind" in vars(cls))


@pytest.mark.parametrize("kind", PACKAGES)
def test_every_kind_has_its_base_class_and_an_example(kind: str):
    base = base_of(kind)
    assert f"recsens.{PACKAGES[kind]}.{base.__name__}" in documented("api-plugins.md")
    assert base is getattr(import_module(f"recsens.{PACKAGES[kind]}"), base.__name__)
    assert f"{base.__name__}.build(" in program([parts("api-plugins.md")[base.__name__]])


@pytest.mark.parametrize("page", ["api.md", "api-plugins.md"])
def test_the_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    exec(program([text for name, text in parts(page).items() if name not in LONG]), {"__name__": "page"})  # noqa: S102 - our own


@pytest.mark.slow
@pytest.mark.workflow
def test_the_examples_that_start_snakemake_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    by_name = parts("api.md")
    exec(program([by_name["Python functions"], *(by_name[name] for name in LONG)]), {"__name__": "page"})  # noqa: S102 - our own
