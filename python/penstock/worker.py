"""What a worker process runs: one simulation after the other, and nothing else.

It imports the engine and the standard library alone, so that a worker starts at once and stays small. Results are
the engine's own tables, which travel as Arrow IPC streams.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from penstock import _engine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from multiprocessing.synchronize import Event

Form = Literal["fast", "plain"]
"""How the engine goes about a run; both give the same results."""

SLICE_S = 0.05
"""Wall time between two looks at signals, at progress and at the stop sign."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run: a scenario's JSON (``Scenario.to_json()``), a seed and a replication.

    ``key`` is the caller's own name for it. ``tables`` are those that come back. ``form`` is ``fast``, or ``plain``
    for the engine's plain stepping of every hop, which gives the same results.
    """

    scenario: str
    seed: int
    replication: int = 0
    key: str = ""
    tables: tuple[str, ...] = ("groups", "ports", "losses")
    form: Form = "fast"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task gave: its tables by name, and the run's own figures.

    ``end_s`` is the simulated time at the end, ``measured_s`` that since warm-up, ``wall_s`` the time it took;
    ``fingerprint`` is a hash of all that happened, in 16 hexadecimal digits.
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


class Stopped(Exception):
    """The run was given up half-way, because the caller wants no more."""


def simulate(task: Task, watch: Callable[[float], None]) -> Outcome:
    """Run ``task`` to its end. Every 50 ms or so ``watch`` is given the share done; what it raises ends the run."""
    started = time.perf_counter()
    run = _engine.Run(task.scenario, task.seed, task.replication, task.form)
    span_s = 0.001
    ended = False
    while not ended:
        before = time.perf_counter()
        ended = run.advance(span_s)
        took_s = time.perf_counter() - before
        watch(run.progress)
        span_s *= min(4.0, max(0.25, SLICE_S / max(took_s, 1e-6)))
    tables = run.report()
    return Outcome(
        key=task.key,
        seed=task.seed,
        replication=task.replication,
        tables={name: tables[name] for name in task.tables},
        fingerprint=run.fingerprint,
        events=run.events,
        end_s=run.end_s,
        measured_s=run.measured_s,
        wall_s=time.perf_counter() - started,
    )


_stop: Event | None = None


def begin(stop: Event) -> None:
    """Prepare a worker process: Ctrl-C is its parent's affair, and it ends when its parent does."""
    global _stop  # one per process, set once
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def work(tasks: Sequence[Task]) -> list[Outcome]:
    """Run ``tasks`` one after the other in a worker process; once told to stop, return those that are finished."""
    outcomes: list[Outcome] = []
    try:
        for task in tasks:
            _watch(0.0)
            outcomes.append(simulate(task, _watch))
    except Stopped:
        pass
    return outcomes


def _watch(_share: float) -> None:
    if _stop is not None and _stop.is_set():
        raise Stopped


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
