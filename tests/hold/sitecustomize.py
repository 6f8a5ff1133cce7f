"""Holds a process at a chosen moment, or makes it report an active run: the process side of `moments.py`.

Python imports this file at the start of every process whose PYTHONPATH has its folder, so in workers too.

    MOMENT   as "os.rename */plan.parquet 2": the process stops (SIGSTOP) right before the second time that it does this
             with such a path; the word is the name of an audit event of Python
    RUNNING  a named pipe: every run writes one octet into it when it is active
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from fnmatch import fnmatch
from functools import cache

UNDER_WAY = "test.run"
"""Our own audit event: a run has finished its first slice, and has not returned its results."""


def stop_before(event: str, pattern: str, number: int) -> None:
    """Stops this process right before the event with that number."""
    left = number

    def look(told: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if told == event and any(fnmatch(str(argument), pattern) for argument in arguments[:2]):
            left -= 1
            if left == 0:
                signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # this thread stops here

    sys.addaudithook(look)


def tell_of_runs(path: str) -> None:
    """Writes one octet into the named pipe for every active run."""
    opened = cache(os.open)  # at the first run: a process without runs would wait for a reader for ever

    def look(told: str, _arguments: tuple[object, ...]) -> None:
        if told == UNDER_WAY:
            os.write(opened(path, os.O_WRONLY), b".")

    sys.addaudithook(look)


def audit_runs() -> None:
    """Makes an audit event of every run's first slice."""
    from penstock.execute import worker

    simulate = worker.simulate

    def audited(task: worker.Task, watch: Callable[[float], None]) -> worker.Outcome:
        slices = 0

        def watched(share: float) -> None:
            nonlocal slices
            slices += 1
            if slices == 1:
                sys.audit(UNDER_WAY, "")
            watch(share)

        return simulate(task, watched)

    worker.simulate = audited


if "MOMENT" in os.environ:
    event, pattern, number = os.environ["MOMENT"].split()
    stop_before(event, pattern, int(number))
if "RUNNING" in os.environ:
    tell_of_runs(os.environ["RUNNING"])
audit_runs()
