"""A parameter of a line that follows a list of values during the run, as a part of a scenario file."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.files import prepare_file, write_text
from penstock.core.quantities import DELAY_UNITS, shown
from penstock.core.texts import LARGEST_FILE
from penstock.importing.document import key, list_of, named_list, quoted

MOST_VALUES = 100_000
"""A series has at most as many."""


def entry(at_ns: Decimal, value: str) -> str:
    """One value of a series: from when on it holds, and the value as TOML writes it."""
    return f"[{quoted(shown(at_ns, DELAY_UNITS))}, {value}]"


def kept_from(end_ns: Decimal) -> str:
    """What a comment says of a run that lasts longer than a series."""
    return f"From {end_ns / 10**9:f} s on the line keeps the last value: give a longer run its own --duration here."


def series_of(
    line: str,
    parameter: str,
    values: Iterable[str],
    notes: Iterable[str] = (),
    list_out: str | Path | None = None,
    read: Iterable[str | Path] = (),
) -> str:
    """The table of a series in TOML: that of a parameter of a line, with these entries and comments before it.

    With `list_out`, the entries are written into this file, which is none of those that were `read`, and the table
    names it with its SHA-256.
    """
    rows = list(values)
    listed = list_of(rows)
    if list_out is None:
        if len(listed.encode()) > LARGEST_FILE:
            reason = f"{len(rows):,} values make a scenario of more than {LARGEST_FILE:,} octets"
            remedy = "write them into a file beside it: --list-out FILE"
            raise InputError(reason, path=f"line.{line}.{parameter}", remedy=remedy)
        entries = [listed.rstrip("\n")]
    else:
        write_text(prepare_file(list_out, read), listed)
        entries = [*named_list(Path(list_out).name, listed)]
    path = f"path = {quoted(f'line.{key(line)}.{parameter}')}"
    return "\n".join((*(f"# {note}" for note in notes), "[[series]]", path, *entries)) + "\n"
