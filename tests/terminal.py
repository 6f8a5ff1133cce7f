"""A command in a real pseudo-terminal, whose screen is read until a text appears."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pyte


@dataclass
class Terminal:
    """The other end of the terminal of a process."""

    process: int
    end: int
    screen: pyte.Screen
    stream: pyte.ByteStream = field(init=False)

    def __post_init__(self) -> None:
        self.stream = pyte.ByteStream(self.screen)

    @property
    def lines(self) -> list[str]:
        """What the screen shows."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """The same in one."""
        return "\n".join(self.lines)

    def until(self, *texts: str) -> None:
        """Read what the process draws until all these texts are on the screen; fails if it ends before."""
        while not all(text in self.text for text in texts):
            assert self.read(), f"the process has ended without {texts}:\n{self.text}"

    def until_line(self, number: int, text: str) -> None:
        """Read until a line of the screen has this text."""
        while text not in self.lines[number]:
            assert self.read(), f"the process has ended without {text} in line {number}:\n{self.text}"

    def read(self) -> bool:
        """Read what there is; False at the end."""
        try:
            octets = os.read(self.end, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.stream.feed(octets)
        return bool(octets)

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self.end, keys.encode())

    def resize(self, columns: int, lines: int) -> None:
        """Make the terminal larger or smaller."""
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def finish(self) -> int:
        """Read to the end, and return the exit status."""
        while self.read():
            pass
        _, status = os.waitpid(self.process, 0)
        self.process = 0
        return os.waitstatus_to_exitcode(status)


@contextmanager
def terminal(*arguments: object, columns: int = 80, lines: int = 24, **environment: str) -> Iterator[Terminal]:
    """``python -m penstock`` with these arguments in a terminal of that size."""
    command = [sys.executable, "-m", "penstock", *map(str, arguments)]
    variables = {**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment}
    for name in ("COLUMNS", "LINES"):
        variables.pop(name, None)
    own, other = pty.openpty()
    fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_DUP2, other, place) for place in range(3)]
    actions.append((os.POSIX_SPAWN_CLOSE, own))
    process = os.posix_spawn(START[0], [*START, *command], variables, file_actions=actions, setsid=True)
    made = Terminal(process, own, pyte.Screen(columns, lines))
    os.close(other)
    try:
        yield made
    finally:
        if made.process:
            with suppress(ProcessLookupError):
                os.kill(made.process, 9)
            os.waitpid(made.process, 0)
        os.close(own)


CONTROL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
START = [sys.executable, "-c", CONTROL]
"""Makes the terminal that of the session, so that Ctrl-C is a signal, and becomes the command."""
