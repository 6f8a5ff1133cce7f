"""The command as a process: its standard streams, and the signal SIGTERM."""

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
"""The reader of the output has ended: a shell reports this status for a process that SIGPIPE ended."""
TERMINATED = 128 + signal.SIGTERM
"""A shell reports this status for a process that SIGTERM ended."""


def open_streams() -> None:
    """Open ``/dev/null`` for each standard stream that the process lacks (``>&-``).

    Otherwise the next file that is opened would become standard output.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # opens the lowest free descriptor, which is this one
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def give_up(stream: TextIO) -> None:
    """Detach a stream that cannot be written to, so that Python prints no error about it at exit."""
    with suppress(OSError, ValueError):
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, stream.fileno())
        os.close(descriptor)


def flush() -> OSError | None:
    """Flush standard output; return the error if this fails, and then detach the stream."""
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
        """The exit status: 143 in place of 130 if SIGTERM interrupted."""
        return TERMINATED if self.came and status == INTERRUPTED else status


@contextmanager
def terminable() -> Iterator[Termination]:
    """Makes SIGTERM act as Ctrl-C, so that finished runs are stored and processes end in order.

    Only in the main thread, and only if SIGTERM has its default action.
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
