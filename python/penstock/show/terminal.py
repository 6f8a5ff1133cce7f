"""Text on the terminal: the one place that decides how wide it is, and how tables and sentences fit.

The width is that of ``COLUMNS``, if it is set, or that of the terminal. In a pipe or a file there is no width: a row is
one line, as long as it is, so that other programs can read it; so it is everywhere with ``--wide``.

A table that is too wide folds its text within columns first. If it is still too wide, it is printed in parts, one below
the other, which repeat its first columns. So nothing is hidden.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TextIO

from penstock.show.progress import is_lively
from penstock.statistics import LEAST, TOO_FEW

Column = tuple[str, str, Callable[[Any], str]]
"""The heading of a column, the key of its values, and their format."""

LEAST_WIDTH = 40
"""Nothing is folded to fewer columns than these."""
INDENT, GAP = "  ", "  "
KEPT = 28
"""Text of this length, as an estimate with its interval, is folded only if nothing else helps."""
PROSE = 14
"""The least width of longer text, before a table is printed in parts."""
NARROW = 6
"""The least width of a column whose words are broken."""
WITHOUT_INTERVAL = f"A mean without an interval has too few replications for one: {LEAST} are the least."

_is_wide: ContextVar[bool] = ContextVar("_is_wide", default=False)
_notes: ContextVar[dict[str, int | None] | None] = ContextVar("_notes", default=None)


@contextmanager
def wide(wanted: bool = True) -> Iterator[None]:
    """Nothing is folded within this block."""
    token = _is_wide.set(wanted)
    try:
        yield
    finally:
        _is_wide.reset(token)


def is_wide() -> bool:
    """Whether the user wants rows on one line each, as long as they are."""
    return _is_wide.get()


def columns(stream: TextIO | None = None, most: int | None = None) -> int | None:
    """The width that text on ``stream`` (standard output by default) has to fit, in columns; None without a limit.

    It is ``most`` at most, if that is given: without a terminal, too, but not if the user wants rows as they are.
    """
    if is_wide():
        return None
    found = _columns(sys.stdout if stream is None else stream)
    return min(each for each in (found, most) if each is not None) if found or most else None


def _columns(stream: TextIO) -> int | None:
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isascii() and wanted.isdigit() and int(wanted):
        return max(LEAST_WIDTH, int(wanted))
    try:
        found = os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):  # no file, or a terminal without a size
        found = 0
    return max(LEAST_WIDTH, found) if found else None


def folded(text: str, width: int | None) -> str:
    """A sentence in lines of that width. Commands in backticks stay whole if they fit, and so do paths."""
    if width is None:
        return text
    parts = text.split("`")
    for number in range(1, len(parts), 2):
        if len(parts[number]) + 2 <= width:
            parts[number] = parts[number].replace(" ", "\N{NO-BREAK SPACE}")
    kept = "`".join(parts)
    lines = textwrap.wrap(kept, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def print_text(text: str, *, most: int | None = None) -> None:
    """Print a sentence on standard output, folded to its width, and to ``most`` columns at most."""
    print(folded(text, columns(most=most)))


def _cell(row: Mapping[str, Any], key: str, write: Callable[[Any], str]) -> str:
    """A value, with its interval if ``intervals`` of the row has one."""
    if row[key] is None:
        return "-"
    ends = row.get("intervals", {}).get(key)
    return write(row[key]) + (f" ({write(ends['low'])} to {write(ends['high'])})" if ends else "")


def print_table(
    title: str,
    headings: Sequence[Column],
    rows: Iterable[Mapping[str, Any]],
    *,
    keys: int = 1,
    most: int | None = None,
) -> None:
    """Print ``rows`` on standard output.

    Text (written by ``str``) is left-aligned, numbers are right-aligned; a missing value is a dash, and a mean has its
    interval. The first ``keys`` columns say what a row is. ``most`` is the width that it has at most: see
    :func:`columns`.
    """
    limit = columns(most=most)
    texts = [_cell(row, key, write) for row in rows for _, key, write in headings]
    has_no_interval = any(TOO_FEW in text for text in texts)
    count = len(headings)
    made = [
        _Column(heading, [text.replace(TOO_FEW, "") for text in texts[place::count]], is_text=write is str)
        for place, (heading, _, write) in enumerate(headings)
    ]
    parts = [made] if limit is None else _parts(made, keys, limit - len(INDENT))
    if len(parts) > 1:
        title = f"{title} (in {len(parts)} parts; --wide prints one)"
    bold, plain = ("\x1b[1m", "\x1b[0m") if is_lively(sys.stdout) else ("", "")
    print(f"{bold}{folded(title, limit)}{plain}")
    for number, part in enumerate(parts):
        if number:
            print()
        _print_part(part, None if limit is None else limit - len(INDENT))
    print()
    if has_no_interval:
        print_note(WITHOUT_INTERVAL, most=most)


@contextmanager
def notes_below() -> Iterator[None]:
    """Notes of the tables that are printed in this block stand below the last one, each once."""
    notes: dict[str, int | None] = {}
    token = _notes.set(notes)
    try:
        yield
    finally:
        _notes.reset(token)
    for text, most in notes.items():
        print_note(text, most=most)


def print_note(text: str, *, most: int | None = None) -> None:
    """Print a note about a table on standard output; in a block of :func:`notes_below`, below its last table."""
    if (waiting := _notes.get()) is not None:
        waiting[text] = most
    else:
        print_text(text, most=most)
        print()


@dataclass(frozen=True, slots=True)
class _Column:
    """The texts of one column."""

    heading: str
    cells: Sequence[str]
    is_text: bool

    @property
    def natural(self) -> int:
        """The width without folding."""
        return max(map(len, (self.heading, *self.cells)))

    @property
    def least(self) -> int:
        """The width that keeps numbers, words and short texts whole."""
        widest = max(map(len, self.cells), default=0)
        if self.is_text and widest > KEPT:
            widest = max(PROSE, _longest_word(self.cells))
        return max(widest, _longest_word([self.heading]))


def _longest_word(texts: Iterable[str]) -> int:
    return max((len(word) for text in texts for word in text.split(" ")), default=0)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _parts(made: list[_Column], keys: int, room: int) -> list[list[_Column]]:
    """The columns of each part: as few parts as keep numbers, words and short texts whole; keys are in every part."""
    if _total([column.least for column in made]) <= room:
        return [made]
    first, others = made[:keys], made[keys:]
    kept = [min(column.least, max(NARROW, room // (2 * keys) - len(GAP))) for column in first]

    def cut(length: int) -> list[list[_Column]]:
        parts: list[list[_Column]] = []
        widths: list[int] = []
        for column in others:
            if not parts or _total([*kept, *widths, column.least]) > length:
                parts.append([*first])
                widths = []
            parts[-1].append(column)
            widths.append(column.least)
        return parts

    fewest = len(cut(room))
    even = next(length for length in range(room + 1) if len(cut(length)) == fewest or length == room)
    return cut(even) or [made]


def _widths(part: Sequence[_Column], room: int | None) -> list[int]:
    """The widths of the columns of one part, together within ``room``."""
    natural = [column.natural for column in part]
    if room is None or _total(natural) <= room:
        return natural
    widths = [min(column.least, column.natural) for column in part]
    while _total(widths) > room and (longest := max(widths)) > NARROW:
        widths[widths.index(longest)] -= 1
    while _total(widths) < room:
        needy = [place for place, width in enumerate(widths) if width < natural[place]]
        if not needy:
            break
        widths[min(needy, key=lambda place: widths[place])] += 1
    return widths


def _print_part(part: Sequence[_Column], room: int | None) -> None:
    widths = _widths(part, room)
    for number, cells in enumerate(zip(*([column.heading, *column.cells] for column in part), strict=True)):
        lines = [textwrap.wrap(cell, width) or [""] for cell, width in zip(cells, widths, strict=True)]
        if all(len(cell) <= width for cell, width in zip(cells, widths, strict=True)):
            lines = [[cell] for cell in cells]  # as it is, with its spaces
        for row in range(max(map(len, lines))):
            own = [line[row] if row < len(line) else "" for line in lines]
            placed = (
                text.ljust(width) if column.is_text else text.rjust(width)
                for text, width, column in zip(own, widths, part, strict=True)
            )
            print((INDENT + GAP.join(placed)).rstrip())
        if number == 0:
            print(INDENT + GAP.join("-" * width for width in widths))
