"""Where runs are carried out: here, in local processes, on a Dask cluster, or on any ``concurrent.futures.Executor``.

Results never depend on it: a run is known by (scenario, seed, replication) alone.
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

from penstock.errors import InputError
from penstock.worker import ENDING, Stopped, begin, engine_sources, run_each, work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

    from distributed import Client, Security

    from penstock.scheduler import Scheduler
    from penstock.worker import Failure, Outcome, Task

    Results = list[Outcome | Failure]

MOST_JOBS = 4096
"""Processes that may be asked for on one machine."""
MOST_WORKERS = 61  # what Windows can wait for
CONNECT_S = 7
ANSWER_S = 5
"""Seconds that a cluster has to be there, and to answer a question."""
LOST_S = 10.0
"""Seconds for which a scheduler may be gone before it counts as lost."""

Answer = TypeVar("Answer")
_log = logging.getLogger(__name__)


class ClusterLostError(ConnectionError):
    """The cluster's scheduler is gone, and with it every task in flight."""


class Stop:
    """A wish to end. Ctrl-C or SIGTERM makes it while :func:`interruptible` holds; a second one interrupts at once."""

    def __init__(self) -> None:
        self.wished = False


class Pool:
    """Runs batches on an executor. A context: it closes the executor at its end, if it made it.

    Args:
        executor: any ``concurrent.futures.Executor`` whose workers can import ``penstock``.
        width: how many batches it can run at once.
    """

    def __init__(self, executor: Executor, width: int) -> None:
        self.executor = executor
        self.width = width

    def submit(self, tasks: Sequence[Task]) -> Future[Results]:
        """Send a batch on its way."""
        return self.executor.submit(work, tasks, engine_sources())

    def check(self) -> None:
        """Raise :class:`ClusterLostError` when nothing more can come back."""

    def restart(self, broken: BaseException) -> None:
        """Start anew after the executor broke; raises ``broken`` where that cannot be done."""
        raise broken

    def stop(self) -> None:
        """Tell the runs under way to give up, where they can be told."""

    def close(self) -> None:
        """Free what the pool holds."""

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class Here(Pool):
    """Runs everything in this process, one after the other. ``watch`` is told how many runs of a batch are done."""

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
    """Local processes, spawned: they import the engine and little more, and end by themselves with their parent."""

    def __init__(self, jobs: int) -> None:
        self.width = min(jobs, MOST_WORKERS) if sys.platform == "win32" else jobs
        self._start()

    def restart(self, broken: BaseException) -> None:
        """Start anew with fresh processes: one has died."""
        _log.warning("a worker process has died: %s", broken)
        for process in list((self.executor._processes or {}).values()):
            process.kill()  # the executor has only asked them to end
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
        """Send a batch on its way; the first ones start the processes."""
        with _bare_start():
            return super().submit(tasks)

    def stop(self) -> None:
        """Tell every worker to end its run at its next look."""
        self.stopping.set()

    def close(self) -> None:
        """End the processes."""
        self.stop()
        self.executor.shutdown(wait=True, cancel_futures=True)


class Cluster(Pool):
    """A Dask cluster, by its scheduler or the address of that (``tcp://host:8786``); the extra ``penstock[cluster]``.

    Raises :class:`InputError` within ten seconds if nobody answers there, if no worker has joined, or if a worker
    cannot run this very engine; and for files of TLS that cannot be used.
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
        """Raise :class:`ClusterLostError` once the scheduler has been gone for ten seconds."""
        now = time.monotonic()
        if self.client.status != "running":
            if self.client.status == "closed" or now - self.seen > LOST_S:
                raise ClusterLostError(f"the scheduler at {self.address} is gone")
            return  # there is nobody to ask how many workers are left
        self.seen = now
        if now - self.counted > LOST_S:
            self.counted = now
            threads = self._threads()
            self.width = threads or self.width
            if not threads:
                _log.warning("no worker is left at %s: waiting for one", self.address)

    def close(self) -> None:
        """Leave the cluster; it goes on without us."""
        self.client.close(timeout=2)

    def _threads(self) -> int:
        """How many runs the workers of the moment can carry out at once; 0 if the scheduler does not answer."""
        try:
            return sum(within(ANSWER_S, self.client.nthreads).values())
        except OSError:
            return 0


def open_pool(
    stop: Stop, jobs: int = 1, *, cluster: str | Scheduler | None = None, watch: Callable[[float], None] | None = None
) -> Pool:
    """A pool: the Dask cluster of a scheduler, or for so many jobs: this process for one, else local processes."""
    if cluster is not None:
        return Cluster(cluster)
    return Here(stop, watch) if jobs <= 1 else Processes(jobs)


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Turns the first Ctrl-C or SIGTERM into a wish, so that nothing is interrupted halfway; in the main thread alone.

    Who has a handler of SIGTERM keeps it.
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
            "a cluster needs Dask, which is not installed", path="--cluster", remedy="pip install 'penstock[cluster]'"
        ) from None
    security = scheduler.security()
    try:
        # Asked before there is a client: one that never connected would be closed by the garbage collector, perhaps
        # while another starts, and wait for the lock of that start for ever.
        within(CONNECT_S, lambda: asyncio.run(_greet(address, security)))
        return within(
            CONNECT_S, lambda: Client(address, timeout=CONNECT_S - 1, security=security, set_as_default=False)
        )
    except Exception as error:  # whatever answers there, it is no scheduler
        _log.debug("no scheduler at %s", address, exc_info=True)
        told = " ".join(str(error).split()) or type(error).__name__
        remedy = "give the address that `dask scheduler` prints, as tcp://host:8786"
        raise _refused(address, f"no scheduler answers there: {told}", remedy) from None


async def _greet(address: str, security: Security) -> None:
    """Shakes hands with whoever listens at the address, as Dask's own do."""
    from distributed.comm import connect

    connection = await connect(address, timeout=CONNECT_S - 1, **security.get_connection_args("client"))
    await connection.close()


def _compare_engines(address: str, client: Client) -> None:
    """Results are stored as those of this engine, so no other may have made them."""
    try:
        found = within(ANSWER_S, lambda: client.run(engine_sources))
    except TimeoutError:
        raise _refused(address, "a worker does not answer", "end it, or start the cluster anew") from None
    except ImportError as error:
        raise _refused(address, f"a worker cannot import Penstock: {error}", "install it there too") from None
    for worker, sources in found.items():
        if sources != engine_sources():
            remedy = "install the same version of Penstock everywhere"
            raise _refused(address, f"the worker {worker} has another engine than this process", remedy)


def within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """What ``call`` returns or raises; ``TimeoutError`` if that takes longer. The call may go on in a thread."""
    from concurrent.futures import Future

    future: Future[Answer] = Future()

    def work_off() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # for whoever waits
            future.set_exception(error)

    threading.Thread(target=work_off, daemon=True).start()
    return future.result(seconds)


def _refused(address: str, reason: str, remedy: str) -> InputError:
    return InputError(reason, path="--cluster", value=address, remedy=remedy)


@contextmanager
def _bare_start() -> Iterator[None]:
    """Lets a process start with nothing of this one's.

    A spawned process imports the main module of its parent again: its libraries would come along, and a script
    without a guard would run twice. And until it is ready (:func:`begin`), Ctrl-C and SIGTERM must not reach it: they
    are held back here, which it inherits, and reach this process afterwards.
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
    """Keep the signals that end a sweep from processes that start meanwhile.

    They reach this one afterwards; on Windows Ctrl-C is lost.
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
