"""One BLAS thread: with two threads a matrix product differs in its last bits from one thread, and near-ties flip."""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run BLAS on one thread, as in every job of a study; the former number of threads is restored."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield
