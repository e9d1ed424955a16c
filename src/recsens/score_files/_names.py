"""Names of users and items in score files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from recsens.errors import DataError
from recsens.files.text import lines
from recsens.score_files._archive import NamedArrays


def names_in(arrays: NamedArrays, what: str) -> list[str]:
    """Return the user or item names of an archive; whole numbers become decimal text.

    Raises DataError if there are no names, or if a name is empty or occurs twice.
    """
    ids = arrays.array(what, "Uiu", (None,))
    names = [str(name) for name in ids.tolist()]
    _check(names, f"{arrays.source}: the array '{what}'", what, lambda place: f"index {place}")
    return names


def names_beside(path: Path, what: str) -> list[str]:
    """Return the names in a text file, one per line.

    Raises DataError if the file is missing or not UTF-8, and the same errors as `names_in`.
    """
    names = [line.rstrip("\r\n") for line in lines(path, "utf-8")]
    # The end of the last line does not begin another name.
    names = names[:-1] if names and not names[-1] else names
    _check(names, str(path), what, lambda place: f"line {place + 1}")
    return names


def _check(names: Sequence[str], where: str, what: str, place: Callable[[int], str]) -> None:
    if not names:
        raise DataError(f"no {what} are named", where=where, allowed="at least one name")
    places = dict(zip(names, range(len(names)), strict=True))
    if "" in places:
        raise DataError(f"the name at {place(names.index(''))} is empty", where=where, allowed="any non-empty text")
    if len(places) < len(names):
        again = next(index for index, name in enumerate(names) if places[name] != index)
        name = names[again]
        raise DataError(
            f"'{name}' at {place(places[name])} appears before, at {place(again)}",
            where=where,
            remedy=f"name each of the {what} once",
        )
    try:
        "".join(names).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a name is not valid text: {error.reason}", where=where, allowed="Unicode text") from error
