"""Demands from a matrix in CSV: `from,to,rate`, one pair of nodes a line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.scenario import Kind, read_file_of
from penstock.importing.graph import Demand

COLUMNS = ("from", "to", "rate")
MATRIX = Kind("a matrix of demands", 50_000_000, "give a part of it", "write it as CSV, saved as UTF-8: from,to,rate")


def read_matrix(path: Path) -> list[Demand]:
    """The demands of a file, without those of rate zero. Raises :class:`InputError` if it has another form."""
    lines = csv.reader(io.StringIO(read_file_of(path, MATRIX), newline=""))
    try:
        rows = [(lines.line_num, [cell.strip() for cell in row]) for row in lines]
    except csv.Error as error:
        raise InputError(f"this is no CSV: {error}", file=str(path), line=lines.line_num) from None
    rows = [(line, row) for line, row in rows if any(row)]
    if not rows:
        raise InputError("the file is empty", file=str(path), remedy="its first line is from,to,rate")
    first, head = rows[0]
    names = tuple(name.lower() for name in head)
    if names not in (COLUMNS, COLUMNS[:2]):
        reason, remedy = "the first line is not from,to,rate, nor from,to", "add it, and write one pair of nodes a line"
        raise InputError(reason, value=",".join(head), file=str(path), line=first, remedy=remedy)
    demands = []
    for line, row in rows[1:]:
        if len(row) != len(head):
            reason = f"the line has {len(row)} values, and the first line {len(head)}"
            raise InputError(reason, value=",".join(row), file=str(path), line=line, remedy="give one value a column")
        rate = row[2] if len(row) == len(COLUMNS) else ""
        demands.append(Demand(row[0], row[1], rate or None, line))
    if not demands:
        raise InputError("there is no demand", file=str(path), remedy="add lines such as A,B,2 Mb/s")
    return demands
