"""Fingerprints of the code behind a result, so that an edit re-runs exactly what it touches.

Snakemake tracks a rule's script, not the library that it imports. Every rule therefore carries a digest of the syntax trees of its
step, of all that the step imports from recsens, of the plug-ins it names, and of the versions of the libraries these import.
Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from recsens.own import is_own
from recsens.plugins import Plugin

_DISTRIBUTIONS = {"sklearn": "scikit-learn", "yaml": "PyYAML"}
"""Top-level modules whose distribution has another name."""


def code_digest(modules: Iterable[str], plugins: Iterable[type[Plugin]] = (), quoted: Iterable[Path] = ()) -> str:
    """Digest the code of some modules and plug-ins and all they import statically, 16 hexadecimal digits.

    Of a user's own plug-in, what it imports from the folders of plug-ins is followed. The files in ``quoted`` count to the last
    byte, comments and all.
    """
    names = {*modules, *(plugin.__module__ for plugin in plugins)}
    reached = _closure(names)
    lines = [f"{name} {_tree_digest(name)}" for name in sorted(reached)]
    lines += sorted({_version(top) for name in reached for top in _imports(name)[1] if not _is_followed(top)})
    lines += sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in quoted)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _closure(names: set[str]) -> set[str]:
    reached: set[str] = set()
    waiting = sorted(names)
    while waiting:
        name = waiting.pop()
        if name not in reached and _source(name) is not None:
            reached.add(name)
            waiting += [found for found in _imports(name)[0] if _is_followed(found.partition(".")[0])]
    return reached


def _is_followed(top: str) -> bool:
    return top == "recsens" or is_own(top)


@cache
def _source(name: str) -> Path | None:
    """Return the file of a module; None where ``name`` is an attribute of a module, or has no source."""
    outer = _source(name.rpartition(".")[0]) if "." in name else None
    if outer is not None and outer.name != "__init__.py":
        return None  # Asking Python would import the module, which may need what only runs elsewhere.
    try:
        found = find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    return Path(found.origin) if found is not None and found.origin and found.origin.endswith(".py") else None


@cache
def _tree(name: str) -> ast.Module:
    source = _source(name)
    assert source is not None
    tree = ast.parse(source.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return tree


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@cache
def _tree_digest(name: str) -> str:
    return hashlib.sha256(ast.dump(_tree(name)).encode()).hexdigest()


@cache
def _imports(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the candidate module names that a module imports, and the top-level ones among them."""
    found = list(_imported_names(_tree(name), name))
    return tuple(found), tuple(sorted({module.partition(".")[0] for module in found} - set(sys.stdlib_module_names)))


def _imported_names(tree: ast.Module, name: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, name)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _absolute(node: ast.ImportFrom, name: str) -> str:
    if not node.level:
        return node.module or ""
    source = _source(name)
    is_package = source is not None and source.name == "__init__.py"
    parts = name.split(".")[: len(name.split(".")) - node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


@cache
def _version(top: str) -> str:
    distribution = _DISTRIBUTIONS.get(top, top)
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return f"{distribution} (no version)"
