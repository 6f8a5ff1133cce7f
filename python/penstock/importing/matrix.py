"""Demands from a file of their own: a list of pairs or a dense matrix as text, or the demands of SNDlib or REPETITA.

    from,to,rate            ,Berlin,Bonn
    Berlin,Bonn,640         Berlin,0,640
    Bonn,Berlin,2 Mb/s      Bonn,2000,0

A square of numbers alone has the nodes of the network in their order.
Columns are divided by commas, semicolons, tabulators or blanks. A line that begins with `#` is a comment.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from penstock.core.counts import counted
from penstock.core.errors import InputError
from penstock.core.quantities import (
    RATE_UNITS,
    in_capitals,
    is_number,
    is_rate_unit,
    own_unit,
    parted,
    size_of,
    unit_in_name,
)
from penstock.core.texts import TextKind
from penstock.importing import repetita, sndlib, sndlib_xml
from penstock.importing.document import Wanted
from penstock.importing.encoded import read_text
from penstock.importing.graph import Demand
from penstock.importing.names import composed, plain
from penstock.importing.separators import LOOKED_AT, SEPARATOR_LINE, separator_of
from penstock.importing.square import FROM, TO, Row, read_square, refuse_unit
from penstock.importing.units import beside

RATE = ("rate", "demand", "value", "bandwidth", "bw", "traffic", "volume", "load", "bitrate", "capacity")
UNIT = ("unit", "units")
"""The names that columns may have, in small letters, those first that count most."""
NODE = re.compile(r"[ _-]?(?:node|id)$")
"""How the name of a column of nodes may end."""
STATED = re.compile(SEPARATOR_LINE)
MATRIX = TextKind(
    "a matrix of demands",
    50_000_000,
    "give a part of it",
    "write it as CSV, saved as UTF-8: from,to,rate",
    zipped=True,
)


def read_matrix(path: Path, nodes: Sequence[str]) -> Wanted:
    """The demands of a file, for a network with these nodes by their ids. Raises :class:`InputError`."""
    text, of_text = read_text(path, MATRIX)
    wanted = _wanted_of(composed(text), str(path), nodes)
    return replace(wanted, notes=[*(f"demands: {note}" for note in of_text), *wanted.notes]) if of_text else wanted


def _wanted_of(text: str, file: str, nodes: Sequence[str]) -> Wanted:
    """The demands of a file with this text."""
    if sndlib.is_native(text) or sndlib_xml.is_xml(text):
        graph = (sndlib if sndlib.is_native(text) else sndlib_xml).read(text, file)
        notes = [f"demands: their file says more: {note}" for note in graph.notes]
        if graph.edges:
            notes.append(f"demands: their file has a network, too, not used: {counted(len(graph.edges), 'link')}")
        return Wanted(_some(graph.demands, file), file, graph.demand_unit, notes)
    if repetita.is_demands(text):
        return Wanted(_some(repetita.read_demands(text, file), file), file, repetita.RATE_UNIT)
    rows, comments = _rows(text, file)
    if not rows:
        raise InputError("the file is empty", file=file, remedy="its first line is from,to,rate")
    rows = _without_empty_column(rows)
    first, head, written = rows[0]
    sender, receiver = _column(head, FROM), _column(head, TO)
    if sender is not None and receiver is not None:
        wanted: Wanted | None = _listed(rows, (sender, receiver), file)
    else:
        _refuse_no_names(rows, file)
        wanted = read_square(rows, nodes, file)
    if wanted is not None:
        notes = [f"demands: comments, lines that begin with #: {comments:,}"] if comments else []
        return replace(wanted, notes=[*wanted.notes, *notes])
    raise InputError(
        "the first line is not from,to,rate, nor from,to, nor has it the names of the nodes of a square matrix",
        value=written[:100],
        file=file,
        line=first,
        remedy=f"name the columns: {', '.join(f'{known[0]} (or {_others(known)})' for known in (FROM, TO, RATE))}",
    )


def _others(known: Sequence[str]) -> str:
    """The names that a column may have beside the first of these."""
    return ", ".join(name for name in known[1:] if len(name) > 1)


def _refuse_no_names(rows: Sequence[Row], file: str) -> None:
    """Refuse a list of pairs whose first line is a pair, too, and no names of columns."""
    first, head, written = rows[0]
    is_square = set(head[1:]) == {row.cells[0] for row in rows[1:]}
    width = len(head)
    if width < 3 or is_square or any(len(row.cells) != width or not all(row.cells[:2]) for row in rows):
        return
    if width > 3 and any(is_number(row.cells[1]) for row in rows):
        return  # a square that is not whole
    if len(rows) == 3 and all(is_number(cell) for row in rows for cell in row.cells):
        return  # a square of numbers alone
    if all(is_number(rate) or own_unit(rate) or not rate for rate in (row.cells[2] for row in rows)):
        reason = "this is a demand, and the line before it that names the columns is missing"
        remedy = "write from,to,rate into the first line"
        raise InputError(reason, value=written[:100], file=file, line=first, remedy=remedy)


def _rows(text: str, file: str) -> tuple[list[Row], int]:
    """The lines that are neither empty nor comments, with their numbers; and the number of comments."""
    written = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    lines = [(number, line) for number, line in written if not line.lstrip().startswith("#")]
    comments = len(written) - len(lines)
    if not lines:
        return [], comments
    stated = STATED.fullmatch(lines[0][1].strip())
    separator = stated[1] if stated else separator_of([line for _, line in lines[:LOOKED_AT]])
    lines = lines[1:] if stated else lines
    found = []
    try:
        for number, line in lines:
            if separator == " " and '"' not in line:
                cells = line.split()
            else:
                cells = next(csv.reader([line.strip(" ")], delimiter=separator, skipinitialspace=True, strict=True))
            found.append(Row(number, [cell.strip() for cell in cells], line.strip()))
    except (csv.Error, StopIteration) as error:
        raise InputError(f"this is no CSV: {error}", file=file, line=number, remedy="close the quotes") from None
    return [row for row in found if any(row.cells)], comments


def _without_empty_column(rows: list[Row]) -> list[Row]:
    """The same lines without the last column, if it is empty: each line ends with a separator."""
    return rows if any(row.cells[-1] for row in rows) else [row._replace(cells=row.cells[:-1]) for row in rows]


def _column(head: Sequence[str], known: Sequence[str]) -> int | None:
    """The column that has the first of these names that is there; `source_node` and `sourceId` are `source`, too."""
    bare = [NODE.sub("", name.lower()) for name in head]
    names = [short if len(short) > 1 else name.lower() for short, name in zip(bare, head, strict=True)]
    return next((names.index(name) for name in known if name in names), None)


def _rate_column(head: Sequence[str], file: str, first: int) -> tuple[int | None, str, str]:
    """The column with the rates, and the unit that its name states, `rate (Mb/s)` or `Mb/s` alone; or one in capitals.

    In capitals, as `RATE_MBPS`, it does not say whether it means bits.
    """
    for place, name in enumerate(head):
        column, unit = parted(name)
        is_rate = column.lower() in RATE
        if is_rate and (known := unit_in_name(name, RATE_UNITS)[1]):
            return place, known, ""
        if (capitals := in_capitals(unit if is_rate else name)) and (is_rate or capitals == name):
            return place, "", capitals
        refuse_unit(unit if is_rate else name, file, first)
    if (own := _column(head, RATE)) is not None:
        return own, "", ""
    units = [place for place, name in enumerate(head) if is_rate_unit(name)]
    return (units[0], head[units[0]], "") if len(units) == 1 else (None, "", "")


def _unit_columns(head: Sequence[str], rate: int | None) -> list[int]:
    """The columns with the unit of each rate, as `unit` or, beside `rate`, `rate_unit`."""
    own = beside(dict.fromkeys(head, "unit"), parted(head[rate])[0]) if rate is not None else {}
    return [place for place, name in enumerate(head) if name.lower() in UNIT or name in own]


def _listed(rows: Sequence[Row], ends: tuple[int, int], file: str) -> Wanted:
    """The demands of a list with one pair a line, and the names of its columns in the first."""
    first, head, written = rows[0]
    (sender, receiver), (rate, stated, capitals) = ends, _rate_column(head, file, first)
    units = _unit_columns(head, rate)
    counts = Counter(name.lower() for name in head)
    if twice := [name for name in head if name and counts[name.lower()] > 1]:
        raise InputError("two columns have this name", value=twice[0], file=file, line=first, remedy="delete one")
    if rate is None and len(head) > len(ends):
        raise InputError(
            "no column has a known name of a rate",
            value=written[:100],
            file=file,
            line=first,
            remedy=f"call it rate (or {_others(RATE)}), with its unit as rate (Mb/s), or delete the other "
            "columns: then demands are greedy",
        )
    demands = []
    for line, row, text in rows[1:]:
        if len(row) != len(head):
            reason = f"the line has {counted(len(row), 'value')}, and the first line {len(head)}"
            raise InputError(reason, value=text[:100], file=file, line=line, remedy="give one value a column")
        value = row[rate] if rate is not None else ""
        owns = [row[place] for place in units if value and row[place]]
        said = [each for each in (own_unit(value), *owns, stated if owns else "") if each]
        if len({size_of(each, RATE_UNITS) for each in said}) > 1:
            reason = f"two units are stated for this rate, {said[0]} and {said[1]}"
            raise InputError(reason, path="rate", value=value, file=file, line=line, remedy="delete one of the two")
        value = f"{value} {owns[0]}" if owns and is_number(value) else value
        demands.append(Demand(row[sender], row[receiver], value or None, line))
    unused = [(place, name) for place, name in enumerate(head, start=1) if place - 1 not in (*ends, rate, *units)]
    others = [plain(name) or f"column {place}, without a name" for place, name in unused]
    notes = [f"demands: columns that are not used: {', '.join(others)}"] if others else []
    return Wanted(_some(demands, file), file, stated, notes, capitals)


def _some(demands: Sequence[Demand], file: str) -> Sequence[Demand]:
    if not demands:
        raise InputError("there is no demand", file=file, remedy="add lines such as A,B,2 Mb/s")
    return demands
