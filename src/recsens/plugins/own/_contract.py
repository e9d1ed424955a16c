"""The contract of a user's own plug-in: mistakes are found before it runs, arguments are read-only, and results are checked.

Mistakes that show without running it, such as a missing method, are reported with file and line.
"""

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, PydanticUndefinedAnnotation

from recsens.errors import DesignError, RecsensError, SpecError, nearest
from recsens.plugins.frozen import frozen
from recsens.plugins.own._modules import is_own, line_of, shown

Method = TypeVar("Method", bound=Callable[..., Any])

_WORDS = {"fiu": "numbers", "f": "floating-point numbers", "iu": "whole numbers", "b": "booleans"}
"""Kinds of elements of an array, in words."""


@dataclass(frozen=True)
class Call:
    """A call to a plug-in's method. The method's result is checked against the arguments.

    Attributes
    ----------
    plugin
        The plug-in.
    method
        The function that was called.
    arguments
        Its arguments, under the names in the contract.
    """

    plugin: Any
    method: Callable[..., Any]
    arguments: Mapping[str, Any]

    def refused(self, problem: str, allowed: str, remedy: str | None = None) -> DesignError:
        """Return the error for a bad result; it names the plug-in, and the file and line of the method."""
        return DesignError(f"'{self.plugin.spec}' {problem}", where=_line_of_method(self.method), allowed=allowed, remedy=remedy)

    def array(
        self, value: object, what: str, kinds: str, shape: tuple[int, ...], *, gaps: bool = False, finite: bool = True
    ) -> NDArray[Any]:
        """Check that a result is a plain numpy array.

        Raises DesignError if it is anything else.

        Parameters
        ----------
        value
            The result.
        what
            What the array contains, in a word.
        kinds
            Allowed kinds of its elements: ``fiu`` (numbers), ``iu`` (whole numbers) or ``b`` (booleans).
        shape
            Its shape.
        gaps
            Whether NaN is allowed.
        finite
            Whether infinite numbers are refused.
        """
        words = f"a numpy array of {_WORDS[kinds]}"
        # Subclasses compute differently: a masked array hides values, and * of two numpy matrices is the matrix product.
        if type(value) not in {np.ndarray, np.memmap}:
            raise self.refused(f"returned {_type_name(value)} as {what}", words)
        assert isinstance(value, np.ndarray)
        if value.dtype.kind not in kinds or (value.dtype.kind == "f" and value.dtype.itemsize > np.dtype(np.float64).itemsize):
            raise self.refused(f"returned an array of {value.dtype} as {what}", words)
        if value.shape != shape:
            raise self.refused(f"returned {what} of shape {value.shape}", f"shape {shape}")
        if value.dtype.kind == "f":
            allowed = "finite numbers, NaN where not computable" if gaps else "finite numbers"
            if not gaps and np.isnan(value).any():
                raise self.refused(f"returned NaN among the {what}", allowed)
            if finite and np.isinf(value).any():
                raise self.refused(f"returned an infinite {what.removesuffix('s')}", allowed)
        return value

    def codes(self, value: object, what: str, shape: tuple[int, ...], n: int, *, lowest: int = 0) -> NDArray[Any]:
        """Check that a result is a plain numpy array of codes from ``lowest`` to n - 1.

        Raises DesignError if it is anything else.
        """
        codes = self.array(value, what, "iu", shape)
        if codes.size and not lowest <= int(codes.min()) <= int(codes.max()) < n:
            raise self.refused(f"returned {what} with codes from {codes.min()} to {codes.max()}", f"{lowest} to {n - 1}")
        return codes

    def ratings(self, value: object, shape: tuple[int, ...], lowest: float, highest: float) -> NDArray[Any] | None:
        """Check that a result is None, or a plain numpy array of ratings on a scale.

        Raises DesignError if it is anything else.
        """
        if value is None:
            return None
        ratings = self.array(value, "ratings", "fiu", shape).astype(np.float64, copy=False)
        if len(ratings) and not lowest <= ratings.min() <= ratings.max() <= highest:
            raise self.refused(
                f"returned ratings from {ratings.min():g} to {ratings.max():g}",
                f"ratings on the scale that it returns with them, {lowest:g} to {highest:g}",
            )
        return ratings

    def times(self, value: object, shape: tuple[int, ...]) -> NDArray[Any] | None:
        """Check that a result is None, or a plain numpy array of time stamps.

        Raises DesignError if it is anything else.
        """
        return None if value is None else self.array(value, "time stamps", "iu", shape).astype(np.int64, copy=False)


Check = Callable[[Call, Any], Any]
"""Takes a call and its result; returns the result, or raises the error made by `Call.refused`."""


def returns(check: Check) -> Callable[[Method], Method]:
    """Mark a method of a contract: whenever another method overrides it, that method's results are checked.

    Arguments are made read-only.
    """

    def mark(method: Method) -> Method:
        method.__returns__ = check  # type: ignore[attr-defined]
        return method

    return mark


def enforce(cls: type) -> None:
    """Enforce the contract in the methods of a class, including those inherited from bases that are not plug-ins."""
    contracts = {
        name: method for base in reversed(cls.__mro__) for name, method in vars(base).items() if hasattr(method, "__returns__")
    }
    for name, contract in contracts.items():
        method = getattr(cls, name)
        if inspect.isfunction(method) and not hasattr(method, "__returns__") and not hasattr(method, "__enforces__"):
            setattr(cls, name, _enforce_method(method, contract))


def _enforce_method(method: Callable[..., Any], contract: Callable[..., Any]) -> Callable[..., Any]:
    names = list(inspect.signature(contract).parameters)[1:]
    check: Check = contract.__returns__  # type: ignore[attr-defined]

    @wraps(method)
    def call(itself: Any, *args: Any, **named: Any) -> Any:
        given = tuple(map(frozen, args))
        by_name = {name: frozen(value) for name, value in named.items()}
        called = Call(itself, method, {**dict(zip(names, given, strict=False)), **by_name})
        try:
            result = method(itself, *given, **by_name)
        except AttributeError as error:
            if error.obj is not itself or not error.name:
                raise
            advice = LEARNT if called.plugin.kind == "recommender" else "set it before it is read"
            known = [*type(called.plugin).model_fields, *vars(itself), *getattr(itself, "_learned", ())]
            raise DesignError(
                f"{type(itself).__name__} reads self.{error.name}, which was never set, or is not kept from one job to the next"
                f"{nearest(error.name, known)}",
                where=line_of(error) or _line_of_method(method),
                remedy=advice.format(name=error.name.strip("_")),
            ) from error
        except ValueError as error:
            if isinstance(error, RecsensError) or "read-only" not in str(error):
                raise
            raise DesignError(
                f"'{itself.spec}' writes into read-only data: {error}",
                where=line_of(error) or _line_of_method(method),
                allowed="the arguments, and what fit learnt, may only be read",
                remedy="change a copy: numpy.array(...) makes one",
            ) from error
        return check(called, result)

    call.__enforces__ = contract  # type: ignore[attr-defined]
    return call


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def _line_of_method(method: Callable[..., Any]) -> str | None:
    """Return a method's file and line; None if the method ships with recsens."""
    if method.__module__.partition(".")[0] == "recsens":
        return None
    code = inspect.unwrap(method).__code__
    return f"{shown(Path(code.co_filename))}:{code.co_firstlineno}"


LEARNT = "keep what fit learns in self._learned under a name, self._learned = {{'{name}': ...}}; score reads it from there"
"""Advice on what a recommender keeps between fit and score."""

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
        calls = " and ".join(_call_text(own, method) for method in missing)
        raise SpecError(f"{written} does not define {', '.join(missing)}", where=_line(own), remedy=f"add the method {calls}")
    if "__init__" in vars(own):
        raise SpecError(
            f"{written} defines __init__, so its parameters would not be recorded",
            where=_line(own, _find_method(own, "__init__")),
            remedy="declare parameters as fields of the class, k: int = 50, and drop __init__",
        )
    files_beside(own)
    _refuse_parameters(written, own)
    _refuse_signatures(written, own)
    _refuse_assignments(written, own, LEARNT if kind == "recommender" else _ELSEWHERE)


def import_error(error: Exception) -> SpecError:
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
                f"{written}: the method {_call_text(own, name)} does not accept its arguments",
                where=_line(own, _find_method(own, name)),
                allowed=_call_text(base, name),
            ) from error


def _refuse_assignments(written: str, own: type[BaseModel], remedy: str) -> None:
    """Refuse ``self.name = ...`` in a method: parameters never change, and a model stores no other attribute."""
    for each in own.__mro__:
        for method in _defined_methods(each):
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


def _call_text(own: type, method: str) -> str:
    """Write a method with its argument names, or a property by its name alone."""
    function = getattr(own, method)
    return f"{method}({', '.join(inspect.signature(function).parameters)})" if inspect.isfunction(function) else method


def _find_method(own: type, name: str) -> ast.FunctionDef | None:
    return next((node for node in _defined_methods(own) if node.name == name), None)


def _defined_methods(own: type) -> list[ast.FunctionDef]:
    """List the methods in the definition of a user's own class; none for any other class."""
    tree = _class_definition(own)
    return [] if tree is None else [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _class_definition(own: type) -> ast.ClassDef | None:
    file = _defining_file(own)
    if file is None:
        return None
    nodes = ast.walk(ast.parse(file.read_bytes()))
    return next((node for node in nodes if isinstance(node, ast.ClassDef) and node.name == own.__name__), None)


def _defining_file(own: type) -> Path | None:
    """Return the file that defines a user's own class; None for any other class."""
    if not is_own(own.__module__):
        return None
    file = inspect.getsourcefile(own)
    return None if file is None else Path(file)


def _line(own: type, node: ast.stmt | ast.expr | None = None) -> str | None:
    """Return the file and line of a user's own class, or of part of its definition."""
    file, definition = _defining_file(own), node or _class_definition(own)
    return None if file is None or definition is None else f"{shown(file)}:{definition.lineno}"
