"""Parameters of plug-ins that no method reads; varying such a parameter in a study would change nothing."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import Any

from pydantic import BaseModel

_Reader = tuple[FunctionType, str]
"""A function, and the name of its argument for the plug-in."""


def unread_parameters(plugin: type[BaseModel]) -> list[str]:
    """List the parameters that none of a plug-in's methods reads.

    A method reads a parameter as ``self.k`` or ``getattr(self, "k")``, directly or in a function that it calls. Such a function is
    another method, possibly inherited, or a function that receives the instance, as in ``helper(self)``. Validators, which only
    check values, and ``prose``, which computes nothing, do not count.

    Examples
    --------
    >>> from recsens.recommenders.nearest_neighbours import UserKNN
    >>> unread_parameters(UserKNN)
    []
    """
    checks = _validators(plugin)
    reached = {name for name in dir(plugin) if not name.startswith(("_", "prose"))} - checks - _ONLY_CALLED_BY_FIT
    waiting = {reader for name in reached for reader in _methods(plugin, name)}
    seen = set(waiting)
    while waiting:
        function, argument = waiting.pop()
        read = _attributes_read(function, argument) - checks - reached
        readers = {reader for name in read for reader in _methods(plugin, name)} | _helpers(function, argument)
        reached |= read
        waiting |= readers - seen
        seen |= readers
    return [name for name in plugin.model_fields if name not in reached]


_ONLY_CALLED_BY_FIT = {"shared_by", "nearness", "prepare", "finish"}
"""Parts of a shared fit, which nothing calls if a class overrides ``fit``."""


def _validators(plugin: type[BaseModel]) -> set[str]:
    decorators = plugin.__pydantic_decorators__
    return {*decorators.field_validators, *decorators.model_validators}


def _methods(plugin: type, name: str) -> Iterator[_Reader]:
    """Yield the functions that a method call runs: the first that a plug-in class defines, then the functions called by super."""
    for each in plugin.__mro__:
        if each in BaseModel.__mro__ or name not in vars(each):
            continue
        method = vars(each)[name]
        method = method.fget if isinstance(method, property) else method.func if isinstance(method, cached_property) else method
        if not isinstance(method, FunctionType):
            return
        function = inspect.unwrap(method)
        yield function, next(iter(inspect.signature(function).parameters))
        if "super" not in function.__code__.co_names:
            return


@cache
def _attributes_read(function: FunctionType, argument: str) -> frozenset[str]:
    """Return the attribute names that a function reads from an argument; if it calls ``getattr``, all strings in the function."""
    nodes = _syntax_nodes(function)
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_name(node.value, argument)}
    if any(isinstance(node, ast.Call) and _is_name(node.func, "getattr") and _is_name(node.args[0], argument) for node in nodes):
        names |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(names)


@cache
def _helpers(function: FunctionType, argument: str) -> frozenset[_Reader]:
    """Return the functions to which a function passes its argument."""
    return frozenset(
        (helper, name)
        for node in _syntax_nodes(function)
        if isinstance(node, ast.Call)
        for helper in [inspect.unwrap(_called_object(node.func, function.__globals__))]
        if isinstance(helper, FunctionType)
        for name, value in _bound_arguments(node, list(inspect.signature(helper).parameters))
        if _is_name(value, argument)
    )


def _bound_arguments(call: ast.Call, names: list[str]) -> Iterator[tuple[str, ast.expr]]:
    """Yield the arguments of a call for the parameters in ``names``, each with the name of its parameter."""
    yield from zip(names, call.args, strict=False)
    yield from ((each.arg, each.value) for each in call.keywords if each.arg in names)


def _called_object(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Look up a called object by its name, or as a module's attribute; None for anything else."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        module = _called_object(node.value, names)
        return getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
    return None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


@cache
def _syntax_nodes(function: FunctionType) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(dedent(inspect.getsource(function)))))
