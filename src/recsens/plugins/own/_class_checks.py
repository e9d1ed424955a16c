"""Mistakes in a user's own plug-in that can be found without running it, reported with file and line."""

import inspect
from functools import cache
from pathlib import Path

from pydantic import BaseModel, PydanticUndefinedAnnotation

from recsens.errors import SpecError
from recsens.plugins.own._modules import line_of, shown


@cache
def refuse_mistakes(kind: str, name: str, own: type[BaseModel]) -> None:
    """Refuse a class that a study names as a plug-in if it cannot work as a plug-in of this kind.

    Raises SpecError if a method is missing, if the class defines ``__init__``, if a parameter has no default or an unknown type, or
    if a declared file next to the module is missing.
    """
    written = f"{kind} '{name}'"
    missing = sorted(getattr(own, "__abstractmethods__", ()))
    if missing:
        calls = " and ".join(_call(own, method) for method in missing)
        raise SpecError(f"{written} does not define {', '.join(missing)}", where=_line(own), remedy=f"add the method {calls}")
    if "__init__" in vars(own):
        raise SpecError(
            f"{written} defines __init__, so its parameters would not be recorded",
            where=_line(own),
            remedy="declare parameters as fields of the class, k: int = 50, and drop __init__",
        )
    files_beside(own)
    _refuse_parameters(written, own)


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


def _call(own: type, method: str) -> str:
    """Write a method with its argument names, or a property by its name alone."""
    function = getattr(own, method)
    return f"{method}({', '.join(inspect.signature(function).parameters)})" if inspect.isfunction(function) else method


def _line(own: type) -> str:
    """Return the file and line of a user's own class."""
    return f"{shown(inspect.getfile(own))}:{inspect.getsourcelines(own)[1]}"
