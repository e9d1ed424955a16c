"""The contract of a method: its arguments are read-only, and its result is checked."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError, RecsensError
from recsens.plugins.frozen import frozen
from recsens.plugins.own._modules import line_of, shown

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
        return DesignError(f"'{self.plugin.spec}' {problem}", where=_line(self.method), allowed=allowed, remedy=remedy)

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
            raise self.refused(f"returned {_named(value)} as {what}", words)
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
            setattr(cls, name, _enforced(method, contract))


def _enforced(method: Callable[..., Any], contract: Callable[..., Any]) -> Callable[..., Any]:
    names = list(inspect.signature(contract).parameters)[1:]
    check: Check = contract.__returns__  # type: ignore[attr-defined]

    @wraps(method)
    def call(itself: Any, *args: Any, **named: Any) -> Any:
        given = tuple(map(frozen, args))
        by_name = {name: frozen(value) for name, value in named.items()}
        called = Call(itself, method, {**dict(zip(names, given, strict=False)), **by_name})
        try:
            result = method(itself, *given, **by_name)
        except ValueError as error:
            if isinstance(error, RecsensError) or "read-only" not in str(error):
                raise
            raise DesignError(
                f"'{itself.spec}' writes into read-only data: {error}",
                where=line_of(error) or _line(method),
                allowed="the arguments, and what fit learnt, may only be read",
                remedy="change a copy: numpy.array(...) makes one",
            ) from error
        return check(called, result)

    call.__enforces__ = contract  # type: ignore[attr-defined]
    return call


def _named(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def _line(method: Callable[..., Any]) -> str | None:
    """Return a method's file and line; None if the method ships with recsens."""
    if method.__module__.partition(".")[0] == "recsens":
        return None
    code = inspect.unwrap(method).__code__
    return f"{shown(Path(code.co_filename))}:{code.co_firstlineno}"
