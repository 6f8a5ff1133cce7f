"""The code of a worker process: one simulation after the other.

It imports only the engine and the standard library, so that a worker starts fast and stays small. Results are the
engine's own tables, sent as Arrow IPC streams.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from penstock import _engine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from multiprocessing.synchronize import Event

Form = Literal["fast", "plain"]
"""The forms of the engine; both give the same results."""

TABLES = (
    "flows",
    "groups",
    "ports",
    "queues",
    "messages",
    "losses",
    "levels",
    "slowdowns",
    "series",
    "distributions",
)
"""The tables of a run's results."""
LONGEST_BATCH_S = 1.5
"""Wall time after which a worker returns its results, and leaves the rest of its batch to others."""
ENDING = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a process to end."""
GRACE_S = 10.0
"""Seconds after SIGTERM until a worker ends by itself, if its parent has not ended it."""
DIGEST_OCTETS = 16
"""The octets of a scenario's SHA-256 that the identity of a run has."""
SLICE_S = 0.05
"""Wall time between two checks of signals, progress and the stop request."""
LEAST_SPAN_S = 0.001
"""Simulated time of the first slice, and of the shortest. The engine returns by itself after about a second of work;
with a shorter slice it would return too often, and stopping it is expensive."""
LONGEST_SPAN_S = 2e7
"""Simulated time of the longest slice: more than the longest run."""


class Limits(NamedTuple):
    """What a run may use: PDUs sent and bytes of memory, for lower bounds that are known before it starts.

    ``None`` is the engine's own limit: 10**11 PDUs, 8 * 10**9 bytes. With ``python`` it may run the classes in Python
    that its scenario has: the user has consented.
    """

    pdus: int | None = None
    memory: int | None = None
    python: bool = False


USUAL = Limits()
"""The engine's own limits."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run: a scenario's JSON (``Scenario.to_json()``), a seed and a replication.

    ``key`` is the caller's own name for it. ``form`` is ``fast``, or ``plain``, which processes all nodes in
    order of time, with the same results. A run that certainly exceeds its ``limits`` fails before it starts.
    """

    scenario: str
    seed: int
    replication: int = 0
    key: str = ""
    form: Form = "fast"
    limits: Limits = USUAL


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a task: its tables by name, and the run's own figures.

    ``end_s`` is the simulated time at the end, ``measured_s`` that since warm-up; ``fingerprint`` is a hash of all
    deliveries and discards, in 16 hexadecimal digits. ``events`` is the number of PDUs that nodes have processed, each
    counted at every node. ``wall_s`` is its wall time, ``started`` its start (seconds since 1970, UTC), ``host`` the
    machine.
    """

    key: str
    seed: int
    replication: int
    tables: Mapping[str, _engine.Table]
    fingerprint: str
    events: int
    end_s: float
    measured_s: float
    wall_s: float
    started: float
    host: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The result of a failed task: the error that ended it."""

    error: Exception

    @property
    def reason(self) -> str:
        """The error, as one line."""
        told = " ".join(str(self.error).split())
        return told if isinstance(self.error, ValueError | RuntimeError) else f"{type(self.error).__name__}: {told}"


class Stopped(Exception):
    """The run was stopped at the caller's request."""


def simulate(task: Task, watch: Callable[[float], None]) -> Outcome:
    """Run ``task`` to its end. About every 50 ms ``watch`` gets the share done; an exception from it ends the run."""
    started, start = time.time(), time.perf_counter()
    pdus, memory, python = task.limits
    loader = class_loader() if python else None
    run = _engine.Run(task.scenario, task.seed, task.replication, task.form, pdus, memory, load_trace, loader)

    def outcome() -> Outcome:
        return Outcome(
            key=task.key,
            seed=task.seed,
            replication=task.replication,
            tables=run.report(),
            fingerprint=run.fingerprint,
            events=run.events,
            end_s=run.end_s,
            measured_s=run.measured_s,
            wall_s=time.perf_counter() - start,
            started=started,
            host=socket.gethostname(),
        )

    span_s = LEAST_SPAN_S
    ended = False
    while not ended:
        before = time.perf_counter()
        try:
            ended = run.advance(span_s)
        except _engine.ScenarioError as error:
            if loader is not None:  # a class has failed: what was measured until then is the user's
                error.measured = outcome()  # type: ignore[attr-defined]
            raise
        took_s = time.perf_counter() - before
        watch(run.progress)
        span_s = next_span_s(span_s, took_s)
    return outcome()


def next_span_s(span_s: float, took_s: float) -> float:
    """How far to simulate next, if a span took so many seconds: as far as about fills a slice.

    A run may stop early again and again, so that no span is long enough; there is no longer run than the longest span.
    """
    wanted = span_s * min(4.0, max(0.25, SLICE_S / max(took_s, 1e-6)))
    return min(LONGEST_SPAN_S, max(LEAST_SPAN_S, wanted))


def load_trace(name: str, sha256: str) -> _engine.Trace:
    """The packets of a trace in the store of traces, by their digest. Raises :class:`InputError`."""
    from penstock.core.traces import load  # few runs have a trace

    return load(name, sha256)


def class_loader() -> Callable[[str], object]:
    """What makes the instances of the classes in Python of one run."""
    from penstock.core.classes import Loader  # few runs have a class

    return Loader()


_stop: Event | None = None


def begin(stop: Event) -> None:
    """Prepare a worker process: its parent handles Ctrl-C and SIGTERM, and it ends when its parent ends."""
    global _stop  # one per process, set once
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end_later)
    if hasattr(signal, "pthread_sigmask"):  # blocked by the parent until now
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def engine_sources() -> str:
    """Digest of the sources of the engine: results of different engines are not mixed."""
    return _engine.sources


def run_ids(sources: str, digests: bytes, seed: int, replication: int) -> list[str]:
    """The identities of the runs of scenarios with these digests, which stand one behind the other.

    ``sources`` is :func:`engine_sources`.
    """
    return _engine.run_ids(sources, digests, seed, replication)


def engine_version() -> str:
    """The version of Penstock."""
    return _engine.__version__


def stack(column: str, labels: Sequence[str], tables: Sequence[_engine.Table]) -> _engine.Table:
    """Tables of the same columns, concatenated, with a first column that has the label of each."""
    return _engine.Table.stack(column, labels, tables)


def report_of(panic: BaseException) -> str:
    """The message for a panic outside the engine, such as one of another Rust library."""
    return f"a part written in Rust has failed: {' '.join(str(panic).split())}; {_engine.REPORT}"


def work(tasks: Sequence[Task], sources: str) -> list[Outcome | Failure]:
    """Run ``tasks`` one after the other in a worker, as :func:`run_each`, until a stop request.

    ``sources`` is :func:`engine_sources` of the caller; ``RuntimeError`` if the worker's own differ.
    """
    if sources != engine_sources():
        raise RuntimeError(f"{socket.gethostname()} has another engine than the process that sends the runs")
    return run_each(tasks, _watch)


def run_each(tasks: Sequence[Task], watch: Callable[[float], None]) -> list[Outcome | Failure]:
    """Run ``tasks`` one after the other for about a second, at least one; a failed one does not stop the next.

    ``watch`` gets the number of finished tasks, such as 2.5 in the middle of the third; it may raise :class:`Stopped`.
    """
    results: list[Outcome | Failure] = []
    end = time.monotonic() + LONGEST_BATCH_S

    def within(share: float) -> None:
        watch(len(results) + share)

    for task in tasks:
        if results and time.monotonic() > end:
            break
        try:
            within(0.0)
            results.append(simulate(task, within))
        except Stopped:
            break
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            results.append(Failure(error))
        except BaseException as panic:  # not an Exception, but the other results must not be lost
            results.append(Failure(_engine.DefectError(report_of(panic))))
    return results


def _watch(_done: float) -> None:
    if _stop is not None and _stop.is_set():
        raise Stopped


def _end_later(_number: int, _frame: object) -> None:
    """For a signal to all processes of a group, the parent too: it collects finished runs, then ends this process."""
    end = threading.Timer(GRACE_S, os._exit, (128 + signal.SIGTERM,))
    end.daemon = True
    end.start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
