"""A module's syntax-tree digest and imports, cached on disk because parsing is slow."""

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from recsens.artefacts.storage import write_text
from recsens.errors import ArtefactError

_MOST_KEPT = 5_000
"""Largest number of sources in the cache; a checkout has a few hundred, and each edit adds one."""

_HELPERS = "recsens.plugins.prose"
"""Module of helpers with which plug-ins describe themselves."""

_IMPORTERS = {"import_module", "__import__"}


class Import(NamedTuple):
    """An import as written: ``from ..sub import a, b`` has level 2, module ``sub`` and names ``a`` and ``b``."""

    level: int
    module: str
    names: tuple[str, ...] = ()


class Tree(NamedTuple):
    """A syntax tree's digest and imports."""

    digest: str
    imports: tuple[Import, ...]


class Kept:
    """A cache of trees by the digest of their source, in a file that any process may replace.

    The key covers the source, this module and the version of Python, so an entry is correct whichever process wrote it. A cache
    file that is damaged, or cannot be read or written, counts as missing.

    Parameters
    ----------
    folder
        Folder of the file; if it does not exist, nothing is cached.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder.absolute() / "recsens-code.json"
        self._known: dict[str, Any] = {}
        with suppress(OSError, ValueError):
            self._known = dict(json.loads(self._file.read_text(encoding="utf-8")))
        self._is_changed = False
        self._about = Path(__file__).read_bytes() + sys.version.encode()

    def tree(self, source: bytes) -> Tree:
        """Return the tree of a source; raises SyntaxError as `ast.parse` does."""
        key = hashlib.sha256(hashlib.sha256(self._about).digest() + source).hexdigest()
        if key not in self._known:
            self._known[key] = parsed(source)
            self._is_changed = True
        digest, imports = self._known[key]
        return Tree(digest, tuple(Import(level, module, tuple(names)) for level, module, names in imports))

    def save(self) -> None:
        """Write new entries, and drop the oldest if there are too many."""
        if self._is_changed and self._file.parent.is_dir():
            text = json.dumps(dict(list(self._known.items())[-_MOST_KEPT:]))
            with suppress(OSError, ArtefactError):
                write_text(self._file, text)
            self._is_changed = False


@cache
def kept() -> Kept:
    """Return the trees cached in Snakemake's folder of the working directory."""
    return Kept(Path(".snakemake"))


def parsed(source: bytes) -> Tree:
    """Parse a source without comments, docstrings, layout, plug-ins' descriptions of themselves, or code for type checkers."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_ignored(line)]  # type: ignore[attr-defined]
    _drop_words(tree)
    return Tree(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), tuple(_imports(tree)))


def _is_ignored(node: ast.AST) -> bool:
    """Whether a statement is only text, such as a docstring, or only for type checkers."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"} and not node.orelse
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _drop_words(tree: ast.Module) -> None:
    """Leave out plug-ins' descriptions of themselves: ``prose``, ``prose_...``, their helpers, and parameter descriptions."""
    lines = ((node, line) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for line in node.body)
    said = [(node, line) for node, line in lines if f"{_name_of(line)}_".startswith("prose_")]
    for node, line in said:
        node.body.remove(line)
    if any(_is_import(node, "pydantic", "Field") for node in ast.walk(tree)):
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "Field":
                call.keywords = [each for each in call.keywords if each.arg != "description"]
    # Texts that the rest of the module uses may affect results, so they stay.
    named = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(tree)}
    for node, line in said:
        if _name_of(line) in named:
            node.body.append(line)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    tree.body = [line for line in tree.body if not (_is_import(line, _HELPERS) and used.isdisjoint(_aliases(line)))]


def _name_of(node: ast.stmt) -> str:
    """Return the name of a method or a class attribute; empty for anything else, such as a field."""
    match node:
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.AnnAssign(target=ast.Name(id=name)) if "ClassVar" in ast.unparse(node.annotation):
            return name
    return ""


def _is_import(node: ast.AST, module: str, name: str = "") -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == module and not node.level and (not name or name in _aliases(node))


def _aliases(node: ast.stmt) -> set[str]:
    return {alias.asname or alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()


def _imports(tree: ast.Module) -> Iterator[Import]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(node.level, node.module or "", tuple(alias.name for alias in node.names))
        elif isinstance(node, ast.Call) and (name := _called(node)) is not None:
            module = name.lstrip(".")
            yield Import(len(name) - len(module), module)


def _called(node: ast.Call) -> str | None:
    """Return the module that ``import_module("name")`` imports; None for any other call, or if the name is computed."""
    function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    argument = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    return argument if function in _IMPORTERS and isinstance(argument, str) else None
