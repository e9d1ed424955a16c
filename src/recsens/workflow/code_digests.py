"""Code digests: fingerprints of the code behind a result; after an edit, only the results that it affects are made again.

Snakemake tracks the script of a rule, but not the library that the script imports. Every rule therefore has a digest as a
parameter. The digest covers the syntax trees of the rule's step, and of the modules behind every name that the step imports from
recsens. It also covers the plug-ins that the rule names, with their imports from the user's folders and the files that they
declare, and the versions of the libraries that all this code imports. The digest ignores comments, docstrings, layout, plug-ins'
descriptions of themselves (`recsens.plugins.Plugin.prose`) and code that only type checkers read.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from recsens import plugins
from recsens.artefacts.storage import write_text
from recsens.errors import ArtefactError
from recsens.moved import present_attribute, present_name
from recsens.plugins import Plugin
from recsens.plugins.own import files_beside, is_own
from recsens.plugins.specs import Spec

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
            self._known[key] = parse_code(source)
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
def cached_trees() -> Kept:
    """Return the trees cached in Snakemake's folder of the working directory."""
    return Kept(Path(".snakemake"))


def parse_code(source: bytes) -> Tree:
    """Parse a source without comments, docstrings, layout, plug-ins' descriptions of themselves, or code for type checkers."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_ignored(line)]  # type: ignore[attr-defined]
    _drop_words(tree)
    return Tree(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), tuple(_import_statements(tree)))


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


def _import_statements(tree: ast.Module) -> Iterator[Import]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(node.level, node.module or "", tuple(alias.name for alias in node.names))
        elif isinstance(node, ast.Call) and (name := _imported_by_call(node)) is not None:
            module = name.lstrip(".")
            yield Import(len(name) - len(module), module)


def _imported_by_call(node: ast.Call) -> str | None:
    """Return the module that ``import_module("name")`` imports; None for any other call, or if the name is computed."""
    function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    argument = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    return argument if function in _IMPORTERS and isinstance(argument, str) else None


_DISTRIBUTIONS = {"sklearn": "scikit-learn", "yaml": "PyYAML"}
"""Top-level modules that are not named like their distribution."""

_UNDERNEATH = {"numba": "llvmlite"}
"""Libraries whose results depend on another library that no other code imports."""

_BETWEEN = "; "

_RECSENS = Path(__file__).parents[1]


def code_digest(modules: Iterable[str], classes: Iterable[type[Plugin]] = (), quoted: Iterable[Path] = ()) -> str:
    """Return a digest of modules, plug-ins and everything that they import statically, as 16 hexadecimal digits.

    Imports are followed into recsens and into the user's own folders of plug-ins. Of compiled modules there, and of files that a
    plug-in declares, the content is digested. The files in ``quoted`` are digested byte by byte, including comments.
    """
    classes = list(classes)
    reached = _modules_reached(modules, classes)
    lines = [f"{name} {_digest(name)}" for name in sorted(reached)]
    lines += _libraries(reached)
    lines += sorted(f"{file.name} {_file_digest(file)}" for own in classes for file in files_beside(own))
    lines += sorted(_file_digest(path) for path in quoted)
    cached_trees().save()
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def own_sources(classes: Iterable[type[Plugin]]) -> dict[str, str]:
    """Return the SHA-256, by path, of the user's own files behind plug-ins: their modules, and the files that they declare."""
    classes = list(classes)
    modules = (_module_file(name) for name in _closure({plugin.__module__ for plugin in classes}) if is_own(name))
    files = {file for file in modules if file is not None} | {file for own in classes for file in files_beside(own)}
    return {str(file): _file_digest(file) for file in sorted(files)}


def forget_code() -> None:
    """Forget all code read so far. During a long-running process, such as a notebook, the code may have been edited."""
    for cached in (step_code, _module_file, _module_tree, _digest, _module_imports, _imported_modules, _reexported_names):
        cached.cache_clear()


@cache
def step_code(step: str, classes: frozenset[type[Plugin]] = frozenset(), *, quoted: tuple[Path, ...] = ()) -> str:
    """Return the digest of a step and of its job's plug-ins, followed by the libraries that it covers (see `parts_of_code`)."""
    module = f"recsens.workflow.steps.{step}"
    return _BETWEEN.join([code_digest([module], classes, quoted), *_libraries(_modules_reached([module], classes))])


def parts_of_code(code: str) -> tuple[str, list[str]]:
    """Split the output of `step_code` into the digest and the libraries with their versions, such as ``numpy 2.4.6``."""
    digest, *libraries = code.split(_BETWEEN)
    return digest, libraries


def classes_of(components: Iterable[tuple[str, Spec]]) -> frozenset[type[Plugin]]:
    """Return the classes of components, given by kind and spec, and the classes of the components inside them."""
    classes: set[type[Plugin]] = set()
    for kind, spec in dict.fromkeys(components):
        built = plugins.build(kind, spec)
        classes |= {type(built), *(plugins.load(inner, component.name) for inner, component in built.nested())}
    return frozenset(classes)


def _modules_reached(modules: Iterable[str], classes: Iterable[type[Plugin]]) -> set[str]:
    return _closure({*modules, *(plugin.__module__ for plugin in classes)})


def _libraries(reached: Iterable[str]) -> list[str]:
    tops = {top for name in reached for top in _module_imports(name)[1] if not _is_ours(top)}
    return sorted(map(_library_version, tops | {below for top, below in _UNDERNEATH.items() if top in tops}))


def _closure(names: set[str]) -> set[str]:
    reached: set[str] = set()
    waiting = sorted(names)
    while waiting:
        name = present_name(waiting.pop())
        if name in reached:
            continue
        outer, top = name.rpartition(".")[0], name.partition(".")[0]
        if outer and top != "recsens":
            # Python runs the package's own file first. In recsens, these files only re-export names.
            waiting.append(outer)
        if _module_file(name) is not None:
            reached.add(name)
            waiting += _imported_modules(name)
    return reached


@cache
def _imported_modules(name: str) -> tuple[str, ...]:
    """Return the candidate names of the modules that a module imports, without modules of libraries."""
    return tuple(module for module in dict.fromkeys(_module_imports(name)[0]) if _is_ours(module))


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == "recsens" or is_own(name)


@cache
def _module_file(name: str) -> Path | None:
    """Return the file of a module; None if ``name`` is an attribute of a module, or has no file."""
    if name.partition(".")[0] == "recsens":
        # find_spec would import the packages around the module, and their libraries.
        path = _RECSENS.joinpath(*name.split(".")[1:])
        return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)
    outer = _module_file(name.rpartition(".")[0]) if "." in name else None
    if outer is not None and outer.name != "__init__.py":
        return None  # find_spec would import the module, which may need libraries that are not installed.
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith((".py", *EXTENSION_SUFFIXES)) else None


@cache
def _module_tree(name: str) -> Tree | None:
    """Return a module's syntax tree; None if it is compiled."""
    file = _module_file(name)
    assert file is not None
    return cached_trees().tree(file.read_bytes()) if file.suffix == ".py" else None


@cache
def _digest(name: str) -> str:
    tree, file = _module_tree(name), _module_file(name)
    assert file is not None
    return _file_digest(file) if tree is None else tree.digest


def _file_digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _module_imports(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return candidate names of the modules that a module imports, and their top-level modules outside the standard library."""
    tree = _module_tree(name)
    imported = [] if tree is None else [each for statement in tree.imports for each in _imported_names(statement, name)]
    return tuple(imported), tuple(sorted({module.partition(".")[0] for module in imported} - set(sys.stdlib_module_names)))


def _imported_names(statement: Import, name: str) -> Iterator[str]:
    base = _absolute_name(statement, name)
    if name.partition(".")[0] != "recsens":
        # The user's own code may use any name that a package offers, as recsens.recommenders.claim_memory after 'import recsens'.
        yield base
        # Python imports the module behind a name that 'recsens' itself offers when the name is first used.
        if base == "recsens" and not (statement.names and all(_module_file(f"recsens.{offered}") for offered in statement.names)):
            yield from (f"recsens.notebook.{file.stem}" for file in sorted((_RECSENS / "notebook").glob("[a-z]*.py")))
    elif not statement.names:
        yield base
    for imported_name in statement.names:
        yield from _candidate_modules(base, imported_name)


def _candidate_modules(base: str, name: str) -> Iterator[str]:
    """Yield the candidate modules behind ``from base import name``.

    Packages of recsens re-export names. Code that imports such a name depends on the module that defines the name, not on the whole
    package.
    """
    base, name = present_attribute(base, name)
    inner, passed_on = f"{base}.{name}", _reexported_names(base)
    home = passed_on.get(name)
    is_known = home is not None or (base.partition(".")[0] == "recsens" and _module_file(inner) is not None)
    if not is_known:
        yield base
    yield inner
    if home is not None:
        yield from _candidate_modules(home, name)


@cache
def _reexported_names(package: str) -> dict[str, str]:
    """Return the module behind each name that the file of a recsens package imports; empty for other modules."""
    if package.partition(".")[0] != "recsens" or (file := _module_file(package)) is None or file.name != "__init__.py":
        return {}
    tree = _module_tree(package)
    assert tree is not None
    return {name: _absolute_name(statement, package) for statement in tree.imports for name in statement.names}


def _absolute_name(statement: Import, name: str) -> str:
    if not statement.level:
        return statement.module
    file = _module_file(name)
    is_package = file is not None and file.name == "__init__.py"
    parts = name.split(".")[: len(name.split(".")) - statement.level + is_package]
    return ".".join([*parts, *([statement.module] if statement.module else [])])


@cache
def _library_version(top: str) -> str:
    distribution = _DISTRIBUTIONS.get(top, top)
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        # This comes last, because it reads every distribution, which is slow, and few distributions are named differently from
        # their module.
        homes = sorted(set(packages_distributions().get(top, ())))
        return ", ".join(f"{home} {version(home)}" for home in homes) or f"{distribution} (no version)"
