"""A line that is broken during the times of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.quantities import DELAY_UNITS, quantity
from penstock.core.texts import TextKind, read_file_of
from penstock.generating.arguments import limited, outages_of
from penstock.importing.series import series_of

LIST = TextKind("a list of outages", 10_000_000, "give a part of it", "give two times a line, as text")


def outages(line: str, times: str | Path | Iterable[tuple[str, str]], *, list_out: str | Path | None = None) -> str:
    """The outages of a line, as a part of a scenario file.

    Args:
        line: the name of the line.
        times: the beginning and the end of each outage, as ``[("10 s", "12.5 s")]``, in the order of time; or a file
            with two times a line, divided by a comma, a semicolon or blanks. A number without a unit is in seconds. A
            line that begins with ``#`` is a comment, and the first line may have names of columns.
        list_out: a file to write the outages into. The scenario names it, with its SHA-256, and is to be beside it.

    Raises:
        InputError: a file that cannot be read, a time that is none, an outage that ends before it begins, or begins
            before the one before it has ended.
    """
    rows = _rows(Path(times)) if isinstance(times, str | Path) else list(enumerate(times, start=1))
    file = str(times) if isinstance(times, str | Path) else ""
    spans: list[tuple[Decimal, Decimal]] = []
    last = Decimal(0)
    for number, row in rows:
        begin, end = (_time(text, file, number) for text in row)
        if end <= begin:
            raise _refused(f"{row[1]} is not after {row[0]}", file, number, "give the beginning, then the end")
        if begin < last:
            raise _refused(f"{row[0]} is before the end of the outage before", file, number, "join both, or sort them")
        spans.append((begin, end))
        last = end
    if not spans:
        raise InputError("there are no outages", file=file, remedy='give one a line, as "10 s, 12.5 s"')
    limited(len(spans), "outages", file, "give a part of them")
    return series_of(line, "outage", outages_of(spans), [f"{len(spans):,} outages"], list_out, [file] if file else [])


def _rows(path: Path) -> Iterator[tuple[int, tuple[str, str]]]:
    is_first = True
    for number, line in enumerate(read_file_of(path, LIST).splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        # A blank may stand before a unit, as in "10 s".
        words = re.split(r"\s*[,;]\s*|\s+(?=[-+.\d])", text)
        if is_first and not any(re.match(r"[-+.\d]", word) for word in words):
            is_first = False
            continue
        is_first = False
        if len(words) != 2:
            raise _refused(f"this is not two times: {text[:40]}", str(path), number, 'write "10 s, 12.5 s"')
        yield number, (words[0], words[1])


def _time(text: str, file: str, line: int) -> Decimal:
    try:
        return quantity(text, "s", DELAY_UNITS)
    except ValueError as error:
        raise _refused(f"{text[:40]}: {error}", file, line, 'write it as "10 s"') from None


def _refused(reason: str, file: str, line: int, remedy: str) -> InputError:
    if not file:
        return InputError(f"outage {line}: {reason}", remedy=remedy)
    return InputError(reason, file=file, line=line, remedy=remedy)
