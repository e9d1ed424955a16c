"""Code digests: fingerprints of the code behind a result; after an edit, only the results that it affects are made again.

Snakemake tracks the script of a rule, but not the library that the script imports. Every rule therefore has a digest as a
parameter. The digest covers the syntax trees of the rule's step, and of the modules behind every name that the step imports from
recsens. It also covers the plug-ins that the rule names, with their imports from the user's folders and the files that they
declare, and the versions of the libraries that all this code imports. The digest ignores comments, docstrings, layout, plug-ins'
descriptions of themselves (`recsens.plugins.Plugin.prose`) and code that only type checkers read.
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

from recsens import plugins
from recsens.moved import present_attribute, present_name
from recsens.plugins import Plugin
from recsens.plugins.own import files_beside, is_own
from recsens.plugins.specs import Spec
from recsens.workflow.code_trees import Import, Tree, kept

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
    reached = _reached(modules, classes)
    lines = [f"{name} {_digest(name)}" for name in sorted(reached)]
    lines += _libraries(reached)
    lines += sorted(f"{file.name} {_content(file)}" for own in classes for file in files_beside(own))
    lines += sorted(_content(path) for path in quoted)
    kept().save()
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def own_sources(classes: Iterable[type[Plugin]]) -> dict[str, str]:
    """Return the SHA-256, by path, of the user's own files behind plug-ins: their modules, and the files that they declare."""
    classes = list(classes)
    modules = (_file(name) for name in _closure({plugin.__module__ for plugin in classes}) if is_own(name))
    files = {file for file in modules if file is not None} | {file for own in classes for file in files_beside(own)}
    return {str(file): _content(file) for file in sorted(files)}


def forget() -> None:
    """Forget all code read so far. During a long-running process, such as a notebook, the code may have been edited."""
    for cached in (step_code, _file, _tree, _digest, _imports, _followed, _passed_on):
        cached.cache_clear()


@cache
def step_code(step: str, classes: frozenset[type[Plugin]] = frozenset(), *, quoted: tuple[Path, ...] = ()) -> str:
    """Return the digest of a step and of its job's plug-ins, followed by the libraries that it covers (see `parts_of_code`)."""
    module = f"recsens.workflow.steps.{step}"
    return _BETWEEN.join([code_digest([module], classes, quoted), *_libraries(_reached([module], classes))])


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


def _reached(modules: Iterable[str], classes: Iterable[type[Plugin]]) -> set[str]:
    return _closure({*modules, *(plugin.__module__ for plugin in classes)})


def _libraries(reached: Iterable[str]) -> list[str]:
    tops = {top for name in reached for top in _imports(name)[1] if not _is_followed(top)}
    return sorted(map(_version, tops | {below for top, below in _UNDERNEATH.items() if top in tops}))


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
        if _file(name) is not None:
            reached.add(name)
            waiting += _followed(name)
    return reached


@cache
def _followed(name: str) -> tuple[str, ...]:
    """Return the candidate names of the modules that a module imports, without modules of libraries."""
    return tuple(module for module in dict.fromkeys(_imports(name)[0]) if _is_followed(module))


def _is_followed(name: str) -> bool:
    return name.partition(".")[0] == "recsens" or is_own(name)


@cache
def _file(name: str) -> Path | None:
    """Return the file of a module; None if ``name`` is an attribute of a module, or has no file."""
    if name.partition(".")[0] == "recsens":
        # find_spec would import the packages around the module, and their libraries.
        path = _RECSENS.joinpath(*name.split(".")[1:])
        return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)
    outer = _file(name.rpartition(".")[0]) if "." in name else None
    if outer is not None and outer.name != "__init__.py":
        return None  # find_spec would import the module, which may need libraries that are not installed.
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith((".py", *EXTENSION_SUFFIXES)) else None


@cache
def _tree(name: str) -> Tree | None:
    """Return a module's syntax tree; None if it is compiled."""
    file = _file(name)
    assert file is not None
    return kept().tree(file.read_bytes()) if file.suffix == ".py" else None


@cache
def _digest(name: str) -> str:
    tree, file = _tree(name), _file(name)
    assert file is not None
    return _content(file) if tree is None else tree.digest


def _content(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _imports(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return candidate names of the modules that a module imports, and their top-level modules outside the standard library."""
    tree = _tree(name)
    imported = [] if tree is None else [each for statement in tree.imports for each in _names(statement, name)]
    return tuple(imported), tuple(sorted({module.partition(".")[0] for module in imported} - set(sys.stdlib_module_names)))


def _names(statement: Import, name: str) -> Iterator[str]:
    base = _absolute(statement, name)
    if name.partition(".")[0] != "recsens":
        # The user's own code may use any name that a package offers, such as recsens.recommenders.claim after 'import recsens'.
        yield base
        # Python imports the module behind a name that 'recsens' itself offers when the name is first used.
        if base == "recsens" and not (statement.names and all(_file(f"recsens.{offered}") for offered in statement.names)):
            yield from (f"recsens.notebook.{file.stem}" for file in sorted((_RECSENS / "notebook").glob("[a-z]*.py")))
    elif not statement.names:
        yield base
    for imported_name in statement.names:
        yield from _homes(base, imported_name)


def _homes(base: str, name: str) -> Iterator[str]:
    """Yield the candidate modules behind ``from base import name``.

    Packages of recsens re-export names. Code that imports such a name depends on the module that defines the name, not on the whole
    package.
    """
    base, name = present_attribute(base, name)
    inner, passed_on = f"{base}.{name}", _passed_on(base)
    home = passed_on.get(name)
    is_known = home is not None or (base.partition(".")[0] == "recsens" and _file(inner) is not None)
    if not is_known:
        yield base
    yield inner
    if home is not None:
        yield from _homes(home, name)


@cache
def _passed_on(package: str) -> dict[str, str]:
    """Return the module behind each name that the file of a recsens package imports; empty for other modules."""
    if package.partition(".")[0] != "recsens" or (file := _file(package)) is None or file.name != "__init__.py":
        return {}
    tree = _tree(package)
    assert tree is not None
    return {name: _absolute(statement, package) for statement in tree.imports for name in statement.names}


def _absolute(statement: Import, name: str) -> str:
    if not statement.level:
        return statement.module
    file = _file(name)
    is_package = file is not None and file.name == "__init__.py"
    parts = name.split(".")[: len(name.split(".")) - statement.level + is_package]
    return ".".join([*parts, *([statement.module] if statement.module else [])])


@cache
def _version(top: str) -> str:
    distribution = _DISTRIBUTIONS.get(top, top)
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        # This comes last, because it reads every distribution, which is slow, and few distributions are named differently from
        # their module.
        homes = sorted(set(packages_distributions().get(top, ())))
        return ", ".join(f"{home} {version(home)}" for home in homes) or f"{distribution} (no version)"
