"""What a worker process runs: one simulation after the other, and nothing else.

It imports the engine and the standard library alone, so that a worker starts at once and stays small. Results are
the engine's own tables, which travel as Arrow IPC streams.
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
"""How the engine goes about a run; both give the same results."""

LONGEST_BATCH_S = 1.5
"""Wall time after which a worker hands in what it has, and leaves the rest of its batch to others."""
ENDING = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a process to end."""
GRACE_S = 10.0
"""Seconds after SIGTERM until a worker ends by itself, if its parent has not ended it."""
SLICE_S = 0.05
"""Wall time between two looks at signals, at progress and at the stop sign."""
LEAST_SPAN_S = 0.001
"""Simulated time of the first slice, and of the shortest. The engine comes back by itself after a second or so of work;
a shorter span would only make it come back for nothing, where to stop at all takes long."""


class Limits(NamedTuple):
    """How much a run may be, by what is certain of it before it begins: PDUs sent, bytes of memory.

    ``None`` stands for the engine's own limit: 10**11 PDUs, 8 * 10**9 bytes.
    """

    pdus: int | None = None
    memory: int | None = None


USUAL = Limits()
"""The engine's own limits."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run: a scenario's JSON (``Scenario.to_json()``), a seed and a replication.

    ``key`` is the caller's own name for it. ``form`` is ``fast``, or ``plain``, in which all nodes of the network take
    turns in order of time, with the same results. One that is certain to be beyond its ``limits`` fails before it
    begins.
    """

    scenario: str
    seed: int
    replication: int = 0
    key: str = ""
    form: Form = "fast"
    limits: Limits = USUAL


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task gave: its tables by name, and the run's own figures.

    ``end_s`` is the simulated time at the end, ``measured_s`` that since warm-up; ``fingerprint`` is a hash of all
    that happened, in 16 hexadecimal digits. ``events`` is the number of PDUs that nodes have taken, each counted at
    every node that it came to. ``wall_s`` is the time it took, ``started`` when it began (seconds since 1970, UTC),
    ``host`` where.
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
    """What a task gave that came to nothing: the error that ended it."""

    error: Exception

    @property
    def reason(self) -> str:
        """What went wrong, as one line."""
        told = " ".join(str(self.error).split())
        return told if isinstance(self.error, ValueError | RuntimeError) else f"{type(self.error).__name__}: {told}"


class Stopped(Exception):
    """The run was given up half-way, because the caller wants no more."""


def simulate(task: Task, watch: Callable[[float], None]) -> Outcome:
    """Run ``task`` to its end. Every 50 ms or so ``watch`` is given the share done; what it raises ends the run."""
    started, start = time.time(), time.perf_counter()
    run = _engine.Run(task.scenario, task.seed, task.replication, task.form, *task.limits)
    span_s = LEAST_SPAN_S
    ended = False
    while not ended:
        before = time.perf_counter()
        ended = run.advance(span_s)
        took_s = time.perf_counter() - before
        watch(run.progress)
        span_s = max(LEAST_SPAN_S, span_s * min(4.0, max(0.25, SLICE_S / max(took_s, 1e-6))))
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


_stop: Event | None = None


def begin(stop: Event) -> None:
    """Prepare a worker process: Ctrl-C and SIGTERM are its parent's affair, and it ends when its parent does."""
    global _stop  # one per process, set once
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end_later)
    if hasattr(signal, "pthread_sigmask"):  # held back by the parent until now
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def engine_sources() -> str:
    """Digest of the sources that the engine was built from: results of different ones are different results."""
    return _engine.sources


def engine_version() -> str:
    """The version of Penstock."""
    return _engine.__version__


def stack(column: str, labels: Sequence[str], tables: Sequence[_engine.Table]) -> _engine.Table:
    """Tables of the same columns, one under the other, with a first column that holds the label of each."""
    return _engine.Table.stack(column, labels, tables)


def report_of(panic: BaseException) -> str:
    """What is said of a panic that came past the engine's own face, as one of another library in Rust does."""
    return f"a part written in Rust has failed: {' '.join(str(panic).split())}; {_engine.REPORT}"


def work(tasks: Sequence[Task], sources: str) -> list[Outcome | Failure]:
    """Run ``tasks`` one after the other in a worker, as :func:`run_each`, until told to stop.

    ``sources`` is :func:`engine_sources` of the caller; ``RuntimeError`` if the worker's own are others.
    """
    if sources != engine_sources():
        raise RuntimeError(f"{socket.gethostname()} has another engine than the process that sends the runs")
    return run_each(tasks, _watch)


def run_each(tasks: Sequence[Task], watch: Callable[[float], None]) -> list[Outcome | Failure]:
    """Run ``tasks`` one after the other for about a second, at least one; one that fails does not stop the next.

    ``watch`` is told how many are done, as 2.5 in the middle of the third; it may raise :class:`Stopped`.
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
        except BaseException as panic:  # which is no Exception: nothing else on its way may be lost
            results.append(Failure(_engine.DefectError(report_of(panic))))
    return results


def _watch(_done: float) -> None:
    if _stop is not None and _stop.is_set():
        raise Stopped


def _end_later(_number: int, _frame: object) -> None:
    """A signal that all processes of a group get, the parent too: it wants what has finished, then ends this one."""
    end = threading.Timer(GRACE_S, os._exit, (128 + signal.SIGTERM,))
    end.daemon = True
    end.start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
