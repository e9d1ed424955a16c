"""The same work on many things, on as many threads as the job has."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numba

from recsens.conclusions.meta._board import Board
from recsens.metrics import MeasuredAt
from recsens.plugins import Plugin
from recsens.recommenders import progress

T = TypeVar("T")
Result = TypeVar("Result")


def n_threads_for(board: Board, metrics: Sequence[MeasuredAt]) -> int:
    """Return on how many threads parts of a board can be measured at the same time: as many as the job has (NUMBA_NUM_THREADS).

    One if a metric or the aggregate is the user's own, as its class may keep what it works on between calls; or if this computer's
    threads of numba cannot be started by several threads.
    """
    parts: list[Plugin] = [*(each.metric for each in metrics), board.rules.aggregate]
    if not all(type(each).__module__.startswith("recsens.") for each in parts):
        return 1
    # Starts numba's threads, which settles what they are made of.
    numba.set_num_threads(numba.get_num_threads())
    return 1 if numba.threading_layer() == "workqueue" else int(numba.config.NUMBA_NUM_THREADS)


def on_threads(work: Callable[[T], Result], things: Sequence[T], what: str, n_threads: int) -> list[Result]:
    """Return what ``work`` makes of each thing, in their order, whichever thread was at it; ``what`` names the work in the log."""
    if n_threads == 1:
        return [work(thing) for thing in progress(things, what)]
    # One thread each: parallel loops within would start as many again.
    with ThreadPoolExecutor(n_threads, initializer=numba.set_num_threads, initargs=(1,)) as pool:
        waiting = [pool.submit(work, thing) for thing in things]
        try:
            return [each.result() for each in progress(waiting, what)]
        finally:
            # Nothing left if all is well; after an error, what has not begun never does.
            pool.shutdown(cancel_futures=True)
