"""Mistakes in a user's own plug-in that can be found without running it, reported with file and line."""

import ast
import inspect
from functools import cache
from pathlib import Path

from pydantic import BaseModel, PydanticUndefinedAnnotation

from recsens.errors import SpecError
from recsens.plugins.own._modules import is_own, line_of, shown

_LEARNT = "keep what fit learns in self._learned under a name, self._learned = {{'{name}': ...}}; score reads it from there"
_ELSEWHERE = "keep it in a local variable, or in an attribute whose name begins with _"


@cache
def refuse_mistakes(kind: str, name: str, own: type[BaseModel]) -> None:
    """Refuse a class that a study names as a plug-in if it cannot work as a plug-in of this kind.

    Raises SpecError if a method is missing or does not accept the contract's arguments; if a parameter has no default or an unknown
    type; if a declared file next to the module is missing; or if a method sets an attribute of the plug-in.
    """
    written = f"{kind} '{name}'"
    missing = sorted(getattr(own, "__abstractmethods__", ()))
    if missing:
        calls = " and ".join(_call(own, method) for method in missing)
        raise SpecError(f"{written} does not define {', '.join(missing)}", where=_line(own), remedy=f"add the method {calls}")
    if "__init__" in vars(own):
        raise SpecError(
            f"{written} defines __init__, so its parameters would not be recorded",
            where=_line(own, _method(own, "__init__")),
            remedy="declare parameters as fields of the class, k: int = 50, and drop __init__",
        )
    files_beside(own)
    _refuse_parameters(written, own)
    _refuse_signatures(written, own)
    _refuse_assignments(written, own, _LEARNT if kind == "recommender" else _ELSEWHERE)


def explained(error: Exception) -> SpecError:
    """Return the error for a user's module that cannot be imported, with file and line."""
    return SpecError(
        f"cannot be imported: {type(error).__name__}: {getattr(error, 'msg', error)}",
        where=line_of(error),
        remedy="fix the module; everything it imports must be installed in the environment of recsens",
    )


def files_beside(own: type) -> list[Path]:
    """Return the files that a class declares in ``files_beside``, relative to the folder of the declaring module.

    Raises SpecError if the declaration is not a tuple or list of names, or if a file is missing.
    """
    files = []
    for each in own.__mro__:
        declared = vars(each).get("files_beside", ())
        source = inspect.getsourcefile(each) if declared else None
        if source is None:
            continue
        if not isinstance(declared, tuple | list) or not all(isinstance(name, str) for name in declared):
            raise SpecError(
                f"files_beside of {each.__name__} is {declared!r}", where=source, allowed='names of files: ("weights.csv",)'
            )
        for name in declared:
            file = Path(source).parent / name
            if not file.is_file():
                raise SpecError(f"files_beside of {each.__name__}: there is no file {file}", where=source)
            files.append(file)
    return files


def _refuse_parameters(written: str, own: type[BaseModel]) -> None:
    try:
        own.model_rebuild()
    except PydanticUndefinedAnnotation as error:
        raise SpecError(
            f"{written} has a parameter of the type '{error.name}', which is not defined",
            where=_line(own),
            allowed="bool, int, float, str, Literal['a', 'b'], or a type that the module imports",
        ) from error
    for name, field in own.model_fields.items():
        if field.is_required():
            raise SpecError(
                f"{written}: the parameter '{name}' has no default",
                where=_line(own),
                remedy=f"give it one, such as {name}: int = 50",
            )


def _refuse_signatures(written: str, own: type[BaseModel]) -> None:
    """Refuse a method whose signature does not accept the contract's arguments."""
    contract = {name: base for base in own.__mro__ for name in getattr(base, "__abstractmethods__", ())}
    contract["prose"] = next(base for base in own.__mro__ if "prose" in vars(base) and base.__module__.startswith("recsens."))
    for name, base in sorted(contract.items()):
        if not inspect.isfunction(getattr(base, name)):
            continue
        try:
            inspect.signature(getattr(own, name)).bind(*inspect.signature(getattr(base, name)).parameters)
        except TypeError as error:
            raise SpecError(
                f"{written}: the method {_call(own, name)} does not accept its arguments",
                where=_line(own, _method(own, name)),
                allowed=_call(base, name),
            ) from error


def _refuse_assignments(written: str, own: type[BaseModel], remedy: str) -> None:
    """Refuse ``self.name = ...`` in a method: parameters never change, and a model stores no other attribute."""
    for each in own.__mro__:
        for method in _methods(each):
            itself = method.args.args[0].arg if method.args.args else None
            for node in ast.walk(method):
                match node:
                    # Names that begin with _ may be set.
                    case ast.Attribute(ast.Name(name), attr, ast.Store()) if name == itself != "cls" and not attr.startswith("_"):
                        raise SpecError(
                            f"{written}: self.{attr} cannot be set: attributes of a plug-in never change",
                            where=_line(each, node),
                            remedy=remedy.format(name=attr),
                        )


def _call(own: type, method: str) -> str:
    """Write a method with its argument names, or a property by its name alone."""
    function = getattr(own, method)
    return f"{method}({', '.join(inspect.signature(function).parameters)})" if inspect.isfunction(function) else method


def _method(own: type, name: str) -> ast.FunctionDef | None:
    return next((node for node in _methods(own) if node.name == name), None)


def _methods(own: type) -> list[ast.FunctionDef]:
    """List the methods in the definition of a user's own class; none for any other class."""
    tree = _definition(own)
    return [] if tree is None else [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _definition(own: type) -> ast.ClassDef | None:
    file = _file(own)
    if file is None:
        return None
    nodes = ast.walk(ast.parse(file.read_bytes()))
    return next((node for node in nodes if isinstance(node, ast.ClassDef) and node.name == own.__name__), None)


def _file(own: type) -> Path | None:
    """Return the file that defines a user's own class; None for any other class."""
    if not is_own(own.__module__):
        return None
    file = inspect.getsourcefile(own)
    return None if file is None else Path(file)


def _line(own: type, node: ast.stmt | ast.expr | None = None) -> str | None:
    """Return the file and line of a user's own class, or of part of its definition."""
    file, definition = _file(own), node or _definition(own)
    return None if file is None or definition is None else f"{shown(file)}:{definition.lineno}"
