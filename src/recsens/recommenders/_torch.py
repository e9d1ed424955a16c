"""PyTorch, which only an extra of recsens installs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from recsens.plugins import Plugin, refuse_absent


def pytorch(recommender: Plugin) -> Any:
    """Import PyTorch: within a fit, as a process that has started its threads cannot fork workers.

    Raises ConfigError if it is not installed.
    """
    refuse_absent(type(recommender))
    import torch  # noqa: PLC0415  # as above

    return torch


@contextmanager
def on_one_thread(torch: Any) -> Iterator[None]:
    """Let PyTorch add on one thread, so that no sum depends on their number; afterwards it has as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
