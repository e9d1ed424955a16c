"""Components as arguments of a call: text as in a study file, or an object."""

from collections.abc import Callable
from typing import TypeVar

from recsens.errors import SpecError
from recsens.plugins import Plugin

P = TypeVar("P", bound=Plugin)


def taken(kind: str, given: str | P, build: Callable[[str], P]) -> P:
    """Return the component that a text names, or the object itself if it is a component.

    Raises
    ------
    SpecError
        If it is neither, or no component has that name; the message suggests the nearest name.
    """
    if isinstance(given, str):
        try:
            return build(given)
        except SpecError as error:
            if error.remedy is not None and "'plugins:'" in error.remedy:
                error.remedy = "give a class of your own as an object of it, not by its name"
            raise
    if not isinstance(given, Plugin) or given.kind != kind:
        raise SpecError(
            f"{kind} is written as text, not as {given!r}",
            allowed=f"text as in a study file, or an object of kind {kind}",
            remedy=f"make an object of the class: {given.__name__}()" if isinstance(given, type) else None,
        )
    return given
