"""Progress of a fit: a bar on a terminal, and a log line after every tenth of the steps."""

import logging
from collections.abc import Iterator, Sequence
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")

_PATIENCE = 5.0
"""Seconds before a bar appears: most fits are over by then."""

log = logging.getLogger(__name__)


def progress(steps: Sequence[T], what: str) -> Iterator[T]:
    """Iterate over the steps of a fit, such as ``range(epochs)``, and show how many are done."""
    tenth = max(len(steps) // 10, 1)
    # No bar if standard error is a file: the log has the lines.
    with tqdm(total=len(steps), desc=what, leave=False, delay=_PATIENCE, disable=None) as bar:
        for done, step in enumerate(steps, start=1):
            yield step
            bar.update()
            if done % tenth == 0:
                log.info("%s: %d of %d", what, done, len(steps))
