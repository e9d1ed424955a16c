"""Files beside a plug-in's module that it reads."""

import inspect
from pathlib import Path

from recsens.errors import SpecError


def files_beside(own: type) -> list[Path]:
    """Return the files that a class declares in ``files_beside``, relative to the folder of the module that declares them.

    Raises SpecError if the declaration is no tuple of names, or a file is missing.
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
