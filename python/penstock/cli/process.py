"""The command as a process: its standard streams, and the signal that asks it to end."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from penstock.cli.command import INTERRUPTED

if TYPE_CHECKING:
    import types
    from collections.abc import Iterator
    from typing import TextIO

PIPE_CLOSED = 141
"""Nobody reads the output any more: what a shell reports of a process that SIGPIPE ended."""
TERMINATED = 128 + signal.SIGTERM
"""What a shell reports of a process that SIGTERM ended."""


def open_streams() -> None:
    """Give the process the standard streams that it lacks (``>&-``): what goes there is lost, as in ``/dev/null``.

    Else the next file that is opened would take the place of standard output.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest place that is free, which is this one
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def give_up(stream: TextIO) -> None:
    """Let go of a stream that cannot be written to, so that nothing is said of it at exit either."""
    with suppress(OSError, ValueError):
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, stream.fileno())
        os.close(descriptor)


def flush() -> OSError | None:
    """Write out all that is left; what keeps standard output from taking it, after which it is let go of."""
    try:
        sys.stderr.flush()
    except OSError:
        give_up(sys.stderr)
    try:
        sys.stdout.flush()
    except OSError as error:
        give_up(sys.stdout)
        return error
    return None


class Termination:
    """Whether SIGTERM came."""

    def __init__(self) -> None:
        self.came = False

    def status(self, status: int) -> int:
        """The exit status: 143 in place of 130 where it was SIGTERM that interrupted."""
        return TERMINATED if self.came and status == INTERRUPTED else status


@contextmanager
def terminable() -> Iterator[Termination]:
    """Makes SIGTERM do what Ctrl-C does at that moment, so that finished runs are kept and processes end in order.

    Only in the main thread, and where SIGTERM would just end the process.
    """
    termination = Termination()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield termination
        return

    def interrupt(_number: int, frame: types.FrameType | None) -> None:
        termination.came = True
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield termination
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
