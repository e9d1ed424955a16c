"""What a plug-in changes for everything else in its process, undone."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np


@contextmanager
def unchanged(moved: Callable[[], Exception]) -> Iterator[None]:
    """Put back numpy's handling of floating-point errors and the filters of warnings, and return to the working directory.

    Raises
    ------
    Exception
        What ``moved`` returns, if the working directory is another one at the end.
    """
    filters, here = list(warnings.filters), _here()
    try:
        with np.errstate():
            yield
    finally:
        if warnings.filters != filters:
            warnings.resetwarnings()
            warnings.filters.extend(filters)  # type: ignore[attr-defined]
        went = here is not None and here != _here()
        if went and here is not None:
            os.chdir(here)
    if went:
        raise moved()


def _here() -> Path | None:
    """Return the working directory; None if it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None
