"""The map of the library: its layers, and the purpose of each package, read from docstrings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import recsens
from docs.generate.kinds import kind_of
from docs.generate.markdown import NOTICE, code, from_docstring
from recsens.plugins import PACKAGES

LAYERS = (
    ("cli",),
    ("notebook",),
    ("runs",),
    ("workflow",),
    ("report",),
    ("conclusions",),
    ("pipeline",),
    ("outcomes", "tables"),
    ("study",),
    ("ranking",),
    ("recommenders",),
    ("artefacts", "metrics", "comparison"),
    ("testing",),
    ("inputs",),
    ("data",),
    ("plugins", "score_files"),
    ("files",),
    ("seeds",),
    ("arrays", "vocabulary", "errors", "moved", "processes"),
    ("compiled",),
)
"""The packages and loose modules of recsens, from top to bottom: each imports only from lower layers and from itself."""

_ROOT = Path(recsens.__file__).parent
_PAGES = {package: kind_of(kind).page for kind, package in PACKAGES.items()}
"""Package of plug-ins -> name of the page of the reference that lists them."""


_INTRO = f"""\
{NOTICE}

# Packages

The packages and modules of `src/recsens`, from top to bottom. Imports point down: a package uses only lower layers, and only their
public names ([development](../development.md))."""


def packages_page() -> str:
    """Write the page: a list of packages for each layer, the highest first."""
    layers = (f"**Layer {len(LAYERS) - depth}**\n\n{_layer(names)}" for depth, names in enumerate(LAYERS))
    return "\n\n".join([_INTRO, *layers]) + "\n"


def _layer(names: tuple[str, ...]) -> str:
    return "\n".join(line for name in names for line in _lines(_ROOT / name))


def _lines(path: Path) -> Iterator[str]:
    """Describe a loose module or a package in one line, followed by a line for each package inside it."""
    if not path.is_dir():
        yield f"- {code(path.name)}: {_first_sentence(path.with_suffix('.py'))}"
        return
    page = _PAGES.get(".".join(path.relative_to(_ROOT).parts))
    listed = f" ([all]({page}.md))" if page else ""
    yield f"- {code(f'{path.name}/')}: {_first_sentence(path / '__init__.py')}{listed}"
    for inner in sorted(file.parent for file in path.glob("*/__init__.py")):
        yield from (f"  {line}" for line in _lines(inner))


def _first_sentence(file: Path) -> str:
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    sentence = re.split(r"(?<=\.)\s+(?=[A-Z`])", docstring.partition("\n\n")[0], maxsplit=1)[0]
    return " ".join(from_docstring(sentence).split())
