"""Text files of a kind, read with errors that say what is wrong with the file and what would be right."""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.errors import InputError
from penstock.core.reading import STDIN, NotRegularError, TooLargeError, read_octets, unzipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LARGEST_FILE = 1_000_000
"""A scenario file of more octets than this is refused by its size, unread."""
LARGEST_RECORDING = 10_000_000
"""The same limit for a file of frame sizes or with a list."""


@dataclass(frozen=True, slots=True)
class TextKind:
    """A kind of file: its name, its most octets, and remedies for one that is too large or no text.

    ``otherwise`` is the way to read something that is not a file; ``zipped`` whether gzip may have compressed it.
    """

    name: str
    largest: int
    too_large: str
    no_text: str
    otherwise: str = ""
    zipped: bool = False


SCENARIO = TextKind(
    "a scenario file",
    LARGEST_FILE,
    "is it a result or a trace instead of a scenario?",
    "give a scenario file in TOML, saved as UTF-8",
    f", or give {STDIN} and the scenario on standard input",
)
RECORDING = TextKind(
    "a file of frame sizes", LARGEST_RECORDING, "give a part of it", "give one frame a line, saved as UTF-8 text"
)
LIST = TextKind(
    "a file with a list", LARGEST_RECORDING, "give a part of it", "give a list in TOML, saved as UTF-8 text"
)
INSTANTS = TextKind(
    "a trace of Mahimahi", LARGEST_RECORDING, "give a part of it", "give one time in milliseconds a line, as text"
)
PROGRAM = TextKind("a program in Python", LARGEST_FILE, "give a shorter one", "give a class in Python, saved as UTF-8")


class MissingFileError(InputError):
    """The file does not exist."""


def read_file_of(
    path: Path, kind: TextKind, sha256: str | None = None, recode: Callable[[bytes], bytes] | None = None
) -> str:
    """The text of a file, of octets that ``recode`` puts into UTF-8 if it is given.

    Raises :class:`InputError` if it is missing, too large, no text, or has another SHA-256.
    """

    def octets() -> bytes:
        read = read_octets(path, kind.largest)
        if sha256 is not None and (found := hashlib.sha256(read).hexdigest()) != sha256:
            reason = f"its SHA-256 is {found}, and the scenario names {sha256}"
            raise InputError(
                reason, file=str(path), remedy="give the file that was meant, or name the SHA-256 of this one"
            )
        read = unzipped(read, str(path), kind.largest) if kind.zipped else read
        return recode(read) if recode is not None else read

    return text_of(str(path), kind, octets)


def text_of(name: str, kind: TextKind, octets_of: Callable[[], bytes]) -> str:
    """The text of the octets that ``octets_of`` reads. Raises :class:`InputError`, as :func:`read_file_of`."""
    try:
        octets = octets_of()
    except InputError:
        raise
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise MissingFileError("there is no such file", file=name, remedy="check its name") from None
    except NotRegularError as error:
        remedy = f"name {kind.name} in it" if error.what == "a directory" else f"name {kind.name}{kind.otherwise}"
        raise InputError(f"this is {error.what}", file=name, remedy=remedy) from None
    except TooLargeError as error:
        reason = f"this has more than {kind.largest:,} octets"
        if error.octets is not None:
            reason = f"the file has {error.octets:,} octets; {kind.name} has at most {kind.largest:,}"
        raise InputError(reason, file=name, remedy=kind.too_large) from None
    except OSError as error:
        raise _unreadable(name, error) from None
    return _decoded(octets, name, kind)


def utf_16(octets: bytes) -> str:
    """The reason to refuse octets that are a text in UTF-16, as spreadsheets may save it; empty if they are not."""
    head = octets[:200]
    # Without a mark of the order: every other octet of Latin letters is zero.
    halves = [any(head[0::2]), any(head[1::2])] if len(head) > 3 else []
    has_mark = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "this looks like UTF-16, and not like UTF-8" if has_mark or sorted(halves) == [False, True] else ""


def _decoded(octets: bytes, name: str, kind: TextKind) -> str:
    if reason := utf_16(octets):
        raise InputError(reason, file=name, remedy=kind.no_text)
    try:
        text = octets.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"octet {error.start + 1} is not UTF-8, so this is no text",
            file=name,
            line=octets[: error.start].count(b"\n") + 1,
            remedy=kind.no_text,
        ) from None
    if "\0" in text:
        raise InputError("this is a binary file", file=name, remedy=kind.no_text)
    return text


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(f"the file cannot be read: {error.strerror}", file=name, remedy="check its name and your rights")
