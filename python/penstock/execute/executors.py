"""Executors of runs: this process, local processes, a Dask cluster, or any ``concurrent.futures.Executor``.

Results never depend on the executor: (scenario, seed, replication) identifies a run.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from penstock.core.errors import InputError
from penstock.execute.worker import ENDING, Stopped, begin, engine_sources, run_each, work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

    from distributed import Client, Security

    from penstock.execute.worker import Failure, Outcome, Task
    from penstock.scheduler import Scheduler

    Results = list[Outcome | Failure]

MOST_JOBS = 4096
"""The most processes on one machine."""
MOST_WORKERS = 61  # the limit of Windows
CONNECT_S = 7
ANSWER_S = 5
"""Seconds that a cluster has to connect, and to answer a request."""
LOST_S = 10.0
"""Seconds without a scheduler after which it counts as lost."""

Answer = TypeVar("Answer")
_log = logging.getLogger(__name__)


class ClusterLostError(ConnectionError):
    """The connection to the cluster's scheduler is lost, with every active task."""


class Stop:
    """A request to end. Ctrl-C or SIGTERM sets it inside :func:`interruptible`; a second one interrupts at once."""

    def __init__(self) -> None:
        self.wished = False


class Pool:
    """Runs batches on an executor. A context: at its end it closes the executor, if it created it.

    Args:
        executor: any ``concurrent.futures.Executor`` whose workers can import ``penstock``.
        width: how many batches it can run at once.
    """

    def __init__(self, executor: Executor, width: int) -> None:
        self.executor = executor
        self.width = width

    def submit(self, tasks: Sequence[Task]) -> Future[Results]:
        """Submit a batch."""
        return self.executor.submit(work, tasks, engine_sources())

    def check(self) -> None:
        """Raise :class:`ClusterLostError` if no more results can arrive."""

    def restart(self, broken: BaseException) -> None:
        """Restart after the executor broke; raises ``broken`` if this is impossible."""
        raise broken

    def stop(self) -> None:
        """Ask the active runs to stop, if this is possible."""

    def close(self) -> None:
        """Free the pool's resources."""

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class Here(Pool):
    """Runs everything in this process, one after the other. ``watch`` gets the number of finished runs of a batch."""

    def __init__(self, stop: Stop, watch: Callable[[float], None] | None = None) -> None:
        self.width = 1
        self.sign = stop
        self.watch = watch

    def submit(self, tasks: Sequence[Task]) -> Future[Results]:
        """Run a batch; the future is done when this returns."""
        from concurrent.futures import Future

        future: Future[Results] = Future()
        future.set_result(run_each(tasks, self._watch))
        return future

    def _watch(self, done: float) -> None:
        if self.watch is not None:
            self.watch(done)
        if self.sign.wished:
            raise Stopped


class Processes(Pool):
    """Local spawned processes: they import little more than the engine, and end when their parent ends."""

    def __init__(self, jobs: int) -> None:
        self.width = min(jobs, MOST_WORKERS) if sys.platform == "win32" else jobs
        self._start()

    def restart(self, broken: BaseException) -> None:
        """Start new processes after one has died."""
        _log.warning("a worker process has died: %s", broken)
        for process in list((self.executor._processes or {}).values()):
            process.kill()  # the executor has only requested their end
        self.close()
        self._start()

    def _start(self) -> None:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        context = get_context("spawn")
        self.stopping = context.Event()
        self.executor: ProcessPoolExecutor = ProcessPoolExecutor(
            self.width, mp_context=context, initializer=begin, initargs=(self.stopping,)
        )

    def submit(self, tasks: Sequence[Task]) -> Future[Results]:
        """Submit a batch; the first ones start the processes."""
        with _bare_start():
            return super().submit(tasks)

    def stop(self) -> None:
        """Ask every worker to end its run at its next check."""
        self.stopping.set()

    def close(self) -> None:
        """End the processes."""
        self.stop()
        self.executor.shutdown(wait=True, cancel_futures=True)


class Cluster(Pool):
    """A Dask cluster, by its scheduler or its address (``tcp://host:8786``); needs the package ``distributed``.

    Raises :class:`InputError` within ten seconds if no scheduler answers, if there is no worker, or if a worker has
    another engine; and for invalid TLS files.
    """

    def __init__(self, where: str | Scheduler) -> None:
        from penstock.scheduler import Scheduler

        scheduler = Scheduler(where) if isinstance(where, str) else where
        self.address = address = scheduler.address
        self.client = _connect(scheduler)
        try:
            self.width = self._threads()
            if not self.width:
                raise _refused(address, "the scheduler has no workers", "start some: dask worker ADDRESS")
            _compare_engines(address, self.client)
        except BaseException:
            self.close()
            raise
        self.executor = self.client.get_executor(pure=False)
        self.seen = self.counted = time.monotonic()

    def check(self) -> None:
        """Raise :class:`ClusterLostError` after ten seconds without the scheduler."""
        now = time.monotonic()
        if self.client.status != "running":
            if self.client.status == "closed" or now - self.seen > LOST_S:
                raise ClusterLostError(f"the scheduler at {self.address} is lost")
            return  # without a scheduler the number of workers is unknown
        self.seen = now
        if now - self.counted > LOST_S:
            self.counted = now
            threads = self._threads()
            self.width = threads or self.width
            if not threads:
                _log.warning("no worker is left at %s: waiting for one", self.address)

    def close(self) -> None:
        """Disconnect from the cluster, which continues."""
        self.client.close(timeout=2)

    def _threads(self) -> int:
        """How many runs the present workers can run at once; 0 if the scheduler does not answer."""
        try:
            return sum(within(ANSWER_S, self.client.nthreads).values())
        except OSError:
            return 0


def open_pool(
    stop: Stop, jobs: int = 1, *, cluster: str | Scheduler | None = None, watch: Callable[[float], None] | None = None
) -> Pool:
    """A pool: a Dask cluster if a scheduler is given; else this process for one job, local processes for more."""
    if cluster is not None:
        return Cluster(cluster)
    return Here(stop, watch) if jobs <= 1 else Processes(jobs)


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Turns the first Ctrl-C or SIGTERM into a request, so that no step is interrupted; only in the main thread.

    An existing handler of SIGTERM is not changed.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def wish(number: int, frame: types.FrameType | None) -> None:
        if stop.wished:
            signal.default_int_handler(number, frame)
        stop.wished = True

    is_free = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    before = {number: signal.signal(number, wish) for number in (ENDING if is_free else (signal.SIGINT,))}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _connect(scheduler: Scheduler) -> Client:
    import asyncio

    address = scheduler.address

    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "a cluster needs Dask, which is not installed",
            path="--cluster",
            remedy="install it: python -m pip install distributed",
        ) from None
    security = scheduler.security()
    try:
        # Tested before there is a client: the garbage collector would close a client that never connected, perhaps
        # while another starts, and wait for the lock of that start for ever.
        within(CONNECT_S, lambda: asyncio.run(_greet(address, security)))
        return within(
            CONNECT_S, lambda: Client(address, timeout=CONNECT_S - 1, security=security, set_as_default=False)
        )
    except Exception as error:  # something answers, but it is not a scheduler
        _log.debug("no scheduler at %s", address, exc_info=True)
        told = " ".join(str(error).split()) or type(error).__name__
        remedy = "give the address that `dask scheduler` prints, as tcp://host:8786"
        raise _refused(address, f"no scheduler answers there: {told}", remedy) from None


async def _greet(address: str, security: Security) -> None:
    """Connects to the address, with the handshake of Dask."""
    from distributed.comm import connect

    connection = await connect(address, timeout=CONNECT_S - 1, **security.get_connection_args("client"))
    await connection.close()


def _compare_engines(address: str, client: Client) -> None:
    """Refuse workers with another engine: results are stored as those of this engine."""
    try:
        found = within(ANSWER_S, lambda: client.run(engine_sources))
    except TimeoutError:
        raise _refused(address, "a worker does not answer", "end it, or restart the cluster") from None
    except ImportError as error:
        raise _refused(address, f"a worker cannot import Penstock: {error}", "install it there too") from None
    for worker, sources in found.items():
        if sources != engine_sources():
            remedy = "install the same version of Penstock everywhere"
            raise _refused(address, f"the worker {worker} has another engine than this process", remedy)


def within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """What ``call`` returns or raises; ``TimeoutError`` if this takes longer. The call may continue in a thread."""
    from concurrent.futures import Future

    future: Future[Answer] = Future()

    def work_off() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # for the waiting thread
            future.set_exception(error)

    threading.Thread(target=work_off, daemon=True).start()
    return future.result(seconds)


def _refused(address: str, reason: str, remedy: str) -> InputError:
    return InputError(reason, path="--cluster", value=address, remedy=remedy)


@contextmanager
def _bare_start() -> Iterator[None]:
    """Starts a process without this process's main module and without its signals.

    A spawned process imports the main module of its parent again: it would load its libraries, and a script without a
    guard would run twice. Until the process is ready (:func:`begin`), Ctrl-C and SIGTERM must not reach it: they are
    blocked here, which it inherits, and reach this process afterwards.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        with _ending_put_off():
            yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _ending_put_off() -> Iterator[None]:
    """Block the signals that end a sweep in processes that start inside this context.

    They reach this process afterwards; on Windows Ctrl-C is lost.
    """
    if sys.platform != "win32":
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # a process inherits it from its parent
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    elif threading.current_thread() is threading.main_thread():
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
    else:
        yield
