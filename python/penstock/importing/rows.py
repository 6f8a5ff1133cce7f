"""The lines of a table as text, block by block, without those that have no cells: empty ones and comments."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from penstock.core.errors import InputError
from penstock.core.texts import utf_16
from penstock.importing.separators import LOOKED_AT, SEPARATOR_LINE, separator_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK = 1 << 24
"""Octets that are read at once."""
LONGEST_LINE = 1 << 20
COMMENT = b"#"
AS_UTF_8 = "save the table as UTF-8"
QUOTE = b'"'
QUOTED = re.compile(rb'"[^"]*"')
STATED = re.compile(SEPARATOR_LINE.encode() + rb"\r?(?=\n)")
BLANKS = re.compile(rb'("[^"]*")|[ \t]+')
"""Blanks between cells; those in quotes are in the first group."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines with cells, their numbers in the file, from 1, and what stands between the cells of each.

    `comments` is the number of comments among them, and `above` has those before the first line. `open_quotes` is the
    number of lines with quotes that are a part of their cell, for they are not closed.
    """

    octets: bytes
    numbers: Sequence[int]
    separator: str
    comments: int = 0
    above: Sequence[bytes] = ()
    open_quotes: int = 0

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
        return replace(self, octets=self.octets.partition(b"\n")[2], numbers=self.numbers[1:])

    def cells_in(self, line: bytes) -> int:
        """The number of cells of a line."""
        return (QUOTED.sub(b"", line) if QUOTE in line else line).count(self.separator.encode()) + 1


def blocks_of(stream: BinaryIO, file: str) -> Iterator[Rows]:
    """The rows of a stream, in blocks of whole lines, of which some may have cells. Raises :class:`InputError`."""
    first, separator = 1, ""
    while block := _lines(stream, file, first):
        if first == 1 and (reason := utf_16(block)):
            raise InputError(reason, file=file, remedy=AS_UTF_8)
        block = block.removeprefix(codecs.BOM_UTF8) if first == 1 else block
        lines = block.count(b"\n") + (not block.endswith(b"\n"))
        if first == 1 and (stated := STATED.match(block)):
            separator, block = stated[1].decode(), block[stated.end() :]
        separator = separator or _separator_of(block)
        yield _with_cells(block, range(first, first + lines), separator)
        first += lines


def _separator_of(block: bytes) -> str:
    """What stands between the cells of the first lines that have some; empty without any."""
    lines = (line.strip(b" \r") for line in block.split(b"\n"))
    filled = (line for line in lines if line.strip() and not line.lstrip().startswith(COMMENT))
    first = [line.decode(errors="replace") for line in islice(filled, LOOKED_AT)]
    return separator_of(first) if first else ""


def _with_cells(block: bytes, numbers: Sequence[int], separator: str) -> Rows:
    """The lines of a block that have cells. Where tabulators part cells, a line of them has cells that are empty."""
    comments, above = 0, list[bytes]()
    # Most tables have neither comments nor empty lines, and a search for octets is fast.
    if any(mark in block for mark in (COMMENT, b"\n\n", b"\n\r", b"\n ", b"\n\t")) or block[:1] <= b" ":
        around = b" \r\t" if separator == " " else b" \r"
        lines = [(line.strip(around), number) for number, line in zip(numbers, block.split(b"\n"), strict=False)]
        filled = [(line, number) for line, number in lines if (line if separator == "\t" else line.strip())]
        kept = [(line, number) for line, number in filled if not line.lstrip().startswith(COMMENT)]
        block, numbers = b"".join(line + b"\n" for line, _ in kept), [number for _, number in kept]
        comments = len(filled) - len(kept)
        above = [line for line, number in filled if kept and number < kept[0][1]]
    open_quotes = 0
    if separator == "\t" and QUOTE in block:
        block, open_quotes = _in_quotes(block)
    if separator == " ":
        block = BLANKS.sub(lambda found: found[1] or b" ", block)
        block = block.replace(b" \r\n", b"\n").replace(b" \n", b"\n").rstrip(b" \r")
    elif QUOTE + b" " in block or b" " + QUOTE in block:
        # Blanks around quotes are no part of a cell, and quotes behind blanks would be.
        block = _around_quotes(separator).sub(rb"\1\2\3", block)
    return Rows(block, numbers, separator, comments, above, open_quotes)


def _in_quotes(block: bytes) -> tuple[bytes, int]:
    """Lines of a table with tabulators in which cells with a quote that is not closed are in quotes, and their number.

    Programs that write such tables, as tshark, have no quotes around cells. A line whose quotes are closed stays.
    """
    lines, changed = block.split(b"\n"), 0
    for place, line in enumerate(lines):
        if line.count(QUOTE) % 2:
            end = b"\r" if line.endswith(b"\r") else b""
            cells = line.removesuffix(b"\r").split(b"\t")
            doubled = (b'"%b"' % cell.replace(QUOTE, b'""') if cell.count(QUOTE) % 2 else cell for cell in cells)
            lines[place] = b"\t".join(doubled) + end
            changed += 1
    return b"\n".join(lines), changed


@cache
def _around_quotes(separator: str) -> re.Pattern[bytes]:
    """A separator with the blanks before a quote, a cell in quotes with those behind it, or what is in other quotes."""
    mark = re.escape(separator.encode())
    return re.compile(rb'((?:^|%b|\n)) +(?=")|("[^"\n]*") +(?=%b|\r|\n|$)|("[^"\n]*")' % (mark, mark))


def _lines(stream: BinaryIO, file: str, first: int) -> bytes:
    """Whole lines of about one block, of which the first has this number; empty at the end."""
    block = stream.read(BLOCK)
    if block and not block.endswith(b"\n"):
        rest = stream.readline(LONGEST_LINE)
        if len(rest) == LONGEST_LINE:
            line, remedy = first + block.count(b"\n"), "give a table of short lines"
            raise InputError("a line has more than a million octets", file=file, line=line, remedy=remedy)
        block += rest
    return block
