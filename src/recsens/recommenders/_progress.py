"""Progress of long work: a bar on a terminal and in a notebook; elsewhere, a log line after every tenth of the steps."""

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TextIO, TypeVar

from recsens.errors import DesignError

T = TypeVar("T")

_PATIENCE = 5.0
"""Seconds before progress is shown; most work ends earlier."""

SETTING = "RECSENS_PROGRESS"
"""Environment variable: ``on`` always shows progress, ``off`` never does. By default, progress is shown on a terminal or in a
notebook."""

log = logging.getLogger(__name__)


def progress(steps: Sequence[T], what: str) -> Iterator[T]:
    """Iterate over steps, such as ``range(epochs)`` in a fit, and show how many are done."""
    tenth, begun, has_bar = max(len(steps) // 10, 1), time.monotonic(), is_watched(sys.stderr)
    # A widget in a notebook that supports widgets, otherwise a line of text.
    tqdm = import_module("tqdm.notebook" if is_in_notebook() and find_spec("ipywidgets") else "tqdm").tqdm
    with tqdm(total=len(steps), desc=what, leave=False, delay=_PATIENCE, disable=not has_bar) as bar:
        for done, step in enumerate(steps, start=1):
            yield step
            bar.update()
            if not has_bar and done % tenth == 0 and time.monotonic() - begun > _PATIENCE:
                log.info("%s: %d of %d", what, done, len(steps))


def is_watched(out: TextIO) -> bool:
    """Whether to show a line that is rewritten: on a terminal, in a notebook, or if the setting is ``on``.

    Raises
    ------
    DesignError
        If the setting is neither ``on`` nor ``off``.
    """
    setting = os.environ.get(SETTING, "")
    if setting not in {"", "on", "off"}:
        raise DesignError(f"{SETTING} = {setting!r}", allowed="on, off, or not set")
    return setting == "on" if setting else out.isatty() or is_in_notebook()


def is_in_notebook() -> bool:
    """Whether this process is a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None
