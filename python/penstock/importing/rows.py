"""The lines of a table as text, block by block, without those that have no cells: empty ones and comments."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from penstock.core.errors import InputError
from penstock.core.texts import utf_16
from penstock.importing.matrix import SEPARATORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK = 1 << 24
"""Octets that are read at once."""
LONGEST_LINE = 1 << 20
COMMENT = b"#"
AS_UTF_8 = "save the table as UTF-8"
QUOTE = b'"'
QUOTED = re.compile(rb'"[^"]*"')
BLANKS = re.compile(rb'("[^"]*")|[ \t]+')
"""Blanks between cells; those in quotes are in the first group."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines with cells, their numbers in the file, from 1, and what stands between the cells of each."""

    octets: bytes
    numbers: Sequence[int]
    separator: str

    @property
    def first(self) -> bytes:
        """The first line."""
        return self.octets.partition(b"\n")[0].strip(b" \r")

    @property
    def cells(self) -> int:
        """The number of cells of all lines."""
        return self.cells_in(self.octets) + len(self.numbers) - 1

    def without_first(self) -> Rows:
        """The lines behind the first."""
        return Rows(self.octets.partition(b"\n")[2], self.numbers[1:], self.separator)

    def cells_in(self, line: bytes) -> int:
        """The number of cells of a line."""
        return (QUOTED.sub(b"", line) if QUOTE in line else line).count(self.separator.encode()) + 1


def blocks_of(stream: BinaryIO, file: str) -> Iterator[Rows]:
    """The rows of a stream, in blocks of whole lines; no block is empty. Raises :class:`InputError`."""
    first, separator = 1, ""
    while block := _lines(stream, file):
        if first == 1 and (reason := utf_16(block)):
            raise InputError(reason, file=file, remedy=AS_UTF_8)
        block = block.removeprefix(codecs.BOM_UTF8) if first == 1 else block
        lines = block.count(b"\n") + (not block.endswith(b"\n"))
        octets, numbers = _with_cells(block, range(first, first + lines))
        if octets:
            separator = separator or _separator_of(octets.partition(b"\n")[0])
            if separator == " ":
                octets = BLANKS.sub(lambda found: found[1] or b" ", octets)
                octets = octets.replace(b" \r\n", b"\n").replace(b" \n", b"\n")
            yield Rows(octets, numbers, separator)
        first += lines


def _separator_of(line: bytes) -> str:
    """What stands between the cells of a line: a blank if nothing else does."""
    outside = QUOTED.sub(b"", line).decode(errors="replace")
    return next((one for one in SEPARATORS if one in outside), " ")


def _with_cells(block: bytes, numbers: range) -> tuple[bytes, Sequence[int]]:
    """The lines of a block that have cells, and their numbers."""
    # Most tables have neither comments nor empty lines, and a search for octets is fast.
    if not any(mark in block for mark in (COMMENT, b"\n\n", b"\n\r", b"\n ", b"\n\t")) and block[:1] > b" ":
        return block, numbers
    kept = [
        (line.strip(b" \r"), number)
        for number, line in zip(numbers, block.split(b"\n"), strict=False)
        if line.strip() and not line.lstrip().startswith(COMMENT)
    ]
    return b"".join(line + b"\n" for line, _ in kept), [number for _, number in kept]


def _lines(stream: BinaryIO, file: str) -> bytes:
    """Whole lines of about one block; empty at the end."""
    block = stream.read(BLOCK)
    if block and not block.endswith(b"\n"):
        rest = stream.readline(LONGEST_LINE)
        if len(rest) == LONGEST_LINE:
            raise InputError("a line has more than a million octets", file=file, remedy="give a table of short lines")
        block += rest
    return block
