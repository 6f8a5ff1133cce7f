"""The keys of a terminal, read one by one and without waiting."""

from __future__ import annotations

import os
import re
import select
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[C": "right",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1bOC": "right",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x04": "end",
}
"""Keys that send no letter, by what they send."""
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)


@contextmanager
def keys() -> Iterator[Callable[[float], list[str]]]:
    """A function that returns the keys pressed within so many seconds, and returns with the first.

    A key is its letter or its name; ``end`` is the end of the input. Ctrl-C stays an interrupt, and Ctrl-Z does
    nothing. The terminal is as before at the end of the block. Raises :class:`InputError` on a system whose terminals
    cannot be read so.
    """
    try:
        import termios
        import tty
    except ImportError:
        raise InputError(
            "keys cannot be read on this system: its Python has no module termios",
            remedy="use `penstock run`, or penstock.Simulation in Python",
        ) from None
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def read(seconds: float) -> list[str]:
        # A terminal that is gone is ready at all times, and has nothing. One that Ctrl-C has flushed is so once.
        for wait in (max(0.0, seconds), 0.0):
            ready, _, _ = select.select([terminal], [], [], wait)
            if not ready:
                return []
            try:
                octets = os.read(terminal, 4096)
            except OSError:
                break
            if octets:
                return [NAMES.get(key, key) for key in KEY.findall(octets.decode(errors="ignore"))]
        return ["end"]

    try:
        tty.setcbreak(terminal, termios.TCSANOW)
        mode = termios.tcgetattr(terminal)
        mode[6][termios.VMIN] = 0  # a read that finds nothing returns: it would wait for a key, deaf to the signal
        mode[6][termios.VSUSP] = bytes([os.fpathconf(terminal, "PC_VDISABLE")])
        termios.tcsetattr(terminal, termios.TCSANOW, mode)
        yield read
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
