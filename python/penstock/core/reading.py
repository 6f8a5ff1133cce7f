"""Reading input files: only regular files, and only up to a limit of octets.

Opening a pipe blocks until a program writes to it, and a device may never end or may act when it is opened. So neither
is opened by its name; the output of a program is read from standard input.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import WriteableBuffer

GZIP = b"\x1f\x8b"
"""The first octets of a file that gzip has compressed."""
STDIN = "-"
"""The argument for standard input."""
STDIN_NAME = "stdin"
"""The name of standard input in messages and in the names of files."""
AT_ONCE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opens a file to read its octets, without blocking."""

_PIECE = 1 << 20
"""Octets to read at once where the size is not known."""
_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotRegularError(OSError):
    """The file is not a regular file: ``what`` it is."""

    def __init__(self, path: Path, mode: int) -> None:
        self.what = next((what for is_it, what in _KINDS if is_it(mode)), "something")
        super().__init__(errno.EINVAL, f"this is {self.what}, not a regular file", str(path))


class TooLargeError(OSError):
    """A file has too many octets: ``octets``, if known."""

    def __init__(self, name: str, most: int, octets: int | None = None) -> None:
        self.octets = octets
        super().__init__(errno.EFBIG, f"this has more than {most:,} octets", name)


def require_regular(path: Path) -> os.stat_result:
    """The status of a regular file. Raises :class:`NotRegularError`, and ``OSError`` if there is none."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise NotRegularError(path, about.st_mode)
    return about


def read_octets(path: Path, most: int) -> bytes:
    """The content of a regular file, at most so many octets.

    Raises :class:`NotRegularError`, :class:`TooLargeError`, and ``OSError`` if the file is missing or unreadable.
    """
    octets = require_regular(path).st_size
    if octets > most:
        raise TooLargeError(str(path), most, octets)
    with os.fdopen(os.open(path, AT_ONCE), "rb") as file:
        # A file of the kernel has more than its size of zero, and others may grow meanwhile.
        return _read(file, str(path), most, octets + 1)


def unzipped(octets: bytes, name: str, most: int) -> bytes:
    """What gzip has compressed, at most so many octets; other octets as they are.

    Raises :class:`TooLargeError`, and :class:`InputError` if the compressed octets are damaged.
    """
    if octets[:2] != GZIP:
        return octets
    try:
        with gzip.open(io.BytesIO(octets)) as stream:
            return _read(cast("BinaryIO", stream), name, most, _PIECE)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _damaged(name, error) from None


def _damaged(name: str, error: Exception) -> InputError:
    remedy = "copy it again: gzip -t FILE says whether it is whole"
    return InputError(f"the compressed file is damaged: {error}", file=name, remedy=remedy)


def is_zipped(path: Path) -> bool:
    """Whether gzip has compressed a regular file. Raises ``OSError``."""
    require_regular(path)
    with os.fdopen(os.open(path, AT_ONCE), "rb") as file:
        return file.read(2) == GZIP


def unzipped_start(path: Path, octets: int) -> bytes:
    """The first octets of a regular file, unpacked if gzip has compressed them. Raises ``OSError``."""
    require_regular(path)
    with os.fdopen(os.open(path, AT_ONCE), "rb") as file:
        zipped = file.peek(2)[:2] == GZIP
        try:
            return gzip.GzipFile(fileobj=file).read(octets) if zipped else file.read(octets)
        except (EOFError, zlib.error) as error:
            raise OSError(errno.EIO, f"the compressed file is damaged: {error}", str(path)) from None


class Unzipping(io.RawIOBase):
    """What is compressed in a stream, unpacked while it is read. Raises :class:`InputError` where that is damaged."""

    def __init__(self, stream: BinaryIO, file: str) -> None:
        super().__init__()
        self._unpacked, self._file = gzip.GzipFile(fileobj=stream), file

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, octets: WriteableBuffer) -> int:
        """The next octets, as :meth:`io.RawIOBase.readinto`."""
        try:
            return self._unpacked.readinto(octets)
        except (OSError, EOFError, zlib.error) as error:
            raise _damaged(self._file, error) from None


def read_stdin(most: int) -> bytes:
    """The content of standard input, at most so many octets. Raises :class:`TooLargeError` and ``OSError``."""
    octets = getattr(sys.stdin, "buffer", None)
    if octets is None:
        raise OSError(errno.EBADF, "it is closed", STDIN_NAME)
    return _read(octets, STDIN_NAME, most, _PIECE)


def _read(file: BinaryIO, name: str, most: int, first: int) -> bytes:
    """All octets, at most so many; ``first`` of them are read at once.

    A read allocates the memory of all octets that it asks for, so nothing asks for ``most`` of them.
    """
    left, wanted = most + 1, first
    pieces: list[bytes] = []
    while left > 0:
        piece: bytes | None = file.read(min(left, wanted))
        if piece is None:  # some files of the kernel wait for events, and claim to be regular
            raise OSError(errno.EAGAIN, "there is nothing to read", name)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        left, wanted = left - len(piece), _PIECE
    raise TooLargeError(name, most)
