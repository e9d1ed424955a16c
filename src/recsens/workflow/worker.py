"""The worker: a process that imports the library once, and then forks for each job.

The forking process has one thread and runs no steps: it only imports, and waits for jobs. Each job is `recsens.workflow.job.run` in
a separate process, which is like a fresh Python: it has its own number of threads, none of the user's plug-ins, and none of our
signal handlers.

Loading the machine code of a kernel takes longer than a small job. Jobs therefore name the kernels that they have loaded, and the
forking process loads these once, for all later jobs.

Each job has its own socket. The request and the answer are JSON objects. If a socket closes without an answer, the process has
ended.
"""

import atexit
import gc
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NoReturn

from recsens.compiled.machine_code import load_kernel
from recsens.processes import end_with_parent
from recsens.workflow.job import ONE_BLAS_THREAD, Job, run

_ENVIRONMENT = {
    **ONE_BLAS_THREAD,
    "OMP_NUM_THREADS": "1",
    # Arrow's allocator would start a thread, and a process with two threads cannot fork safely.
    "JE_ARROW_MALLOC_CONF": "background_thread:false,oversize_threshold:0,dirty_decay_ms:1000,muzzy_decay_ms:0",
}

_AT_FIRST_USE = ("pyarrow.dataset", "multiprocessing.synchronize")
"""Modules that pyarrow imports when it reads the first file, and numba when it runs the first parallel kernel."""

_TRIES = 2
"""How often to try a job if the worker instead of the job is at fault."""


@dataclass(frozen=True)
class Used:
    """Resources used by a job's process.

    Attributes
    ----------
    code
        The exit code; zero if the job is done.
    cpu
        Seconds of processor time.
    peak_mib
        The peak memory, including libraries shared with the worker.
    read_mib, written_mib
        Amounts that the process read from disks and wrote to disks.
    """

    code: int
    cpu: float
    peak_mib: float
    read_mib: float
    written_mib: float


class Worker:
    """Runs jobs in a worker process, which starts with the first job, and restarts if it dies. Threads may share it.

    Use the worker only after the run is planned; then the code that it imports is at least as new as the jobs' code digests.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_closed = False

    def run(self, job: Job, limit: str | None = None) -> Used | None:
        """Run a job as `recsens.workflow.job.run` does, wait for it, and return the resources it used; None if it was killed.

        If a job ends because the worker died, it runs again.
        """
        request = json.dumps({**vars(job), "limit": limit}).encode()
        for _ in range(_TRIES):
            worker, connection = self._connect()
            with connection:
                with suppress(ConnectionError):
                    connection.sendall(request)
                    connection.shutdown(socket.SHUT_WR)
                answer = _receive_all(connection)
            if answer:
                return Used(**json.loads(answer))
            if self._is_closed:
                return None
            try:
                worker.wait(timeout=5)  # On a busy system, it may take some seconds to see that the worker has ended.
            except subprocess.TimeoutExpired:
                return None
        return None

    def close(self) -> None:
        """End the worker process, and do not start it again; running jobs end with it."""
        self._is_closed = True
        with self._lock:
            if self._control is not None:
                self._control.close()
            if self._process is not None:
                self._process.wait()
            self._control = self._process = None

    def _connect(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        """Send one end of a new socket to the worker, and return the other."""
        with self._lock:
            if self._process is None or self._control is None or self._process.poll() is not None:
                self._start()
            assert self._process is not None
            assert self._control is not None
            ours, theirs = socket.socketpair()
            with theirs, suppress(BrokenPipeError):
                socket.send_fds(self._control, [b"j"], [theirs.fileno()])
            return self._process, ours

    def _start(self) -> None:
        if self._control is not None:
            self._control.close()
        self._control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "-m", "recsens.workflow.worker", str(number)],
                env={**os.environ, **_ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                pass_fds=[number],
            )


def _receive_all(connection: socket.socket) -> bytes:
    parts = []
    with suppress(ConnectionError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


# In the worker process


def serve_jobs(control: socket.socket) -> None:
    """Fork a process for each job, until the other end of ``control`` is closed."""
    _import_library()
    # Otherwise the garbage collector would write to every page shared with the jobs.
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    at_work: set[int] = set()
    kernels = _Kernels()
    while True:
        _, descriptors, *_ = socket.recv_fds(control, 1, 1)
        at_work -= {child for child in at_work if os.waitpid(child, os.WNOHANG)[0]}
        if not descriptors:
            break
        kernels.load()
        with socket.socket(fileno=descriptors[0]) as connection:
            try:
                child = os.fork()
            except OSError as error:
                sys.stderr.write(f"recsens: cannot start a process for a job: {error.strerror}\n")
                continue
            if child == 0:
                _run_requested(connection, control, kernels)
            at_work.add(child)
    for child in at_work:
        os.kill(child, signal.SIGTERM)
    for child in at_work:
        os.waitpid(child, 0)


def _import_library() -> None:
    """Import every step and all recsens plug-ins, with their libraries."""
    steps = import_module("recsens.workflow.steps")
    for step in iter_modules(steps.__path__, f"{steps.__name__}."):
        import_module(step.name)
    import_module("recsens.workflow.job_inputs")
    plugins = import_module("recsens.plugins")
    for kind in plugins.PACKAGES:
        for name in plugins.names(kind):
            plugins.load(kind, name)
    for module in _AT_FIRST_USE:
        import_module(module)
    # Load what numba needs before the first kernel. Only jobs run kernels, because parallel kernels start threads.
    import_module("numba.core.registry").cpu_target.target_context.refresh()


class _Kernels:
    """A pipe in which jobs name the kernels that they have loaded, one per line."""

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        for end in (self._read, self.write):
            os.set_blocking(end, False)

    def load(self) -> None:
        """Load the kernels that jobs have named since the last call."""
        with suppress(BlockingIOError):
            for name in os.read(self._read, 1 << 20).decode().splitlines():
                with suppress(Exception):  # A job loads or compiles the kernels that are not loaded here.
                    load_kernel(name)

    def close(self) -> None:
        """Close this process's copy of the reading end; only the forking process reads."""
        os.close(self._read)


def _run_requested(connection: socket.socket, control: socket.socket, kernels: _Kernels) -> NoReturn:
    """Run the job requested through a connection, and end the process."""
    code = 1
    try:
        _become_independent(control)
        kernels.close()
        request = json.loads(_receive_all(connection))
        limit = request.pop("limit")
        code = _exit_code_of(Job(**request), limit, connection, kernels.write)
        if code <= 1:  # Any other code means a signal to stop, so the job has no outcome.
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            mib = used.ru_maxrss / 1024, used.ru_inblock / 2048, used.ru_oublock / 2048
            answer = Used(code, used.ru_utime + used.ru_stime, *mib)
            connection.sendall(json.dumps(asdict(answer)).encode())
    except BaseException as error:  # noqa: BLE001 - no error may reach the code that this process was forked from
        with suppress(Exception):
            sys.stderr.write(f"recsens: {type(error).__name__}: {error}\n")
    finally:
        os._exit(code)


def _become_independent(control: socket.socket) -> None:
    """Make this process independent of the worker: undo the worker's own settings."""
    worker = os.getppid()
    end_with_parent(signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    control.close()
    atexit._clear()  # noqa: SLF001 - the worker's own
    import_module("numpy").random.seed()
    if worker != os.getppid():
        os._exit(1)  # The worker ended before this process could arrange to end with it.


def _exit_code_of(job: Job, limit: str | None, connection: socket.socket, kernels: int) -> int:
    _set_threads(job.threads)
    try:
        run(job, limit, private=[connection.fileno()], kernels=kernels)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
            return 1
        return int(ended.code or 0)
    return 0


def _set_threads(threads: int) -> None:
    """Set numba's number of threads; importing numba in the worker fixed another number, but started no threads."""
    parallel: Any = import_module("numba.np.ufunc.parallel")
    import_module("numba").config.NUMBA_NUM_THREADS = parallel.NUM_THREADS = threads


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as given:
        serve_jobs(given)
