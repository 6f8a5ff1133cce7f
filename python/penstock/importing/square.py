"""Demands as a square: a row and a column of rates for each node, with the names of the nodes or in their order.

    Mb/s,Berlin,Bonn
    Berlin,0,640
    Bonn,2000,0

The corner may state the unit, or as `to/from` that the rows are receivers, and may be missing. Rows may be in another
order than the columns. An empty cell is no demand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from penstock.core.counts import counted
from penstock.core.errors import InputError, did_you_mean
from penstock.core.quantities import (
    RATE_UNITS,
    in_capitals,
    is_number,
    is_rate_unit,
    known_units,
    parted,
    seems_rate_unit,
    unit_in_name,
)
from penstock.importing.document import Wanted
from penstock.importing.graph import Demand, is_gap
from penstock.importing.names import composed, plain

FROM = ("from", "source", "src", "sender", "origin", "ingress", "quelle", "von", "o", "s", "i")
TO = ("to", "target", "destination", "dest", "dst", "receiver", "sink", "egress", "ziel", "nach", "d", "t", "j")
"""The names of senders and receivers, in small letters, those first that count most."""
IN_ORDER = "demands: the matrix has no names: its rows and columns are the nodes of the network in their order there"


class Row(NamedTuple):
    """A line: its number, its cells, and what is written there."""

    line: int
    cells: Sequence[str]
    text: str


def read_square(rows: Sequence[Row], nodes: Sequence[str], file: str) -> Wanted | None:
    """The demands of these lines, for a network with these nodes by their ids; None if they are no square.

    Raises :class:`InputError` for a square that is not whole.
    """
    size, (first, head, _) = len(rows), rows[0]
    if all(len(row.cells) == size and all(map(_is_rate, row.cells)) for row in rows):
        if size == len(nodes):
            gaps = sum(is_gap(rate) for at, row in enumerate(rows) for to, rate in enumerate(row.cells) if at != to)
            return Wanted(_ordered(rows, nodes), file, notes=[IN_ORDER, *_gaps_note(gaps)])
        if not set(head[1:]) <= set(map(composed, nodes)):  # the names of nodes may be numbers, too
            reason = f"the square has {counted(size, 'row')}, and the network {counted(len(nodes), 'node')}"
            raise InputError(reason, file=file, remedy="name the nodes in its first line and column")
    others = rows[1:]
    if head[0] and others and len(others[0].cells) == 2:
        return None  # pairs
    has_corner = not head[0] or not others or len(others[0].cells) <= len(head)
    names = list(head[1:] if has_corner else head)
    if not {row.cells[0] for row in others} & set(names):
        return None
    _refuse_other_names(names, others, file, first)
    corner = plain(head[0]) if has_corner else ""
    bare = corner.strip("()[] ")
    for text in (bare, parted(corner)[1]):
        refuse_unit(text, file, first)
    about, unit = ("", bare) if is_rate_unit(bare) else unit_in_name(corner, RATE_UNITS)
    if capitals := "" if unit else in_capitals(bare) or in_capitals(corner):
        about = "" if capitals == bare else parted(corner)[0]
    notes = []
    if (are_receivers := _rows_are_receivers(about)) is not None:
        notes += [f"demands: the corner of the square is {corner}: its rows are receivers"] if are_receivers else []
    elif about and not unit:
        notes.append(f"demands: the corner of the square, not used: {corner}")
    demands, empty = _named(names, others, file)
    if are_receivers:
        demands = [replace(demand, sender=demand.receiver, receiver=demand.sender) for demand in demands]
    notes += _gaps_note(empty)
    return Wanted(demands, file, unit, notes, capitals)


def _is_rate(cell: str) -> bool:
    """Whether a cell is a number, or NaN in the place of one."""
    return is_number(cell) or cell.lower() == "nan"


def _gaps_note(count: int) -> list[str]:
    return [f"demands: empty cells of the square, or NaN, no demand: {count:,}"] if count else []


def _rows_are_receivers(corner: str) -> bool | None:
    """Whether a corner says so, as `to/from` or `dst`, or the opposite, as `from/to`; None if it says neither.

    One letter may be anything, but in `O/D`.
    """
    words = re.findall(r"[a-z]+", corner.lower())
    if len(words) == 1 and len(words[0]) > 1:
        return words[0] in TO if words[0] in (*FROM, *TO) else None
    if len(words) != 2:
        return None
    rows, columns = words
    is_plain, is_turned = rows in FROM and columns in TO, rows in TO and columns in FROM
    return is_turned if is_plain != is_turned else None


def refuse_unit(text: str, file: str, line: int) -> None:
    """Refuse what looks like a unit of rates that is not known. In capitals, the user may say what it is."""
    if seems_rate_unit(text) and not in_capitals(text):
        reason = "this is no unit of a rate that is known here"
        remedy = f"there are {known_units(RATE_UNITS)}: give the rates in one of them"
        raise InputError(reason, value=text, file=file, line=line, remedy=remedy)


def _refuse_other_names(names: Sequence[str], rows: Sequence[Row], file: str, first: int) -> None:
    """Refuse a square whose rows and columns do not have the same names, each once."""
    own = [row.cells[0] for row in rows]
    if "" in names or "" in own:
        what, line = ("column", first) if "" in names else ("row", next(row.line for row in rows if not row.cells[0]))
        reason, remedy = f"a {what} of the square has no name", f"name its node, or delete the {what}"
        raise InputError(reason, file=file, line=line, remedy=remedy)
    for each, what in ((names, "columns"), (own, "rows")):
        if twice := [name for name, count in Counter(each).items() if count > 1]:
            place = first if what == "columns" else [row.line for row in rows if row.cells[0] == twice[0]][1]
            raise InputError(f"two {what} have this name", value=twice[0], file=file, line=place, remedy="delete one")
    missing = [name for name in names if name not in own]
    for line, cells, _ in rows:
        if cells[0] not in names:
            remedy = did_you_mean(cells[0], missing) or "add its column, or delete the row"
            raise InputError("no column has the name of this row", value=cells[0], file=file, line=line, remedy=remedy)
    if missing:
        remedy = "add it, or delete the column"
        raise InputError("no row has the name of this column", value=missing[0], file=file, line=first, remedy=remedy)


def _named(names: Sequence[str], rows: Sequence[Row], file: str) -> tuple[list[Demand], int]:
    """The demands between nodes of these names, and how many cells off the diagonal are empty."""
    demands, empty = [], 0
    for line, row, written in rows:
        if len(row) != len(names) + 1:
            reason = f"the line has {counted(len(row) - 1, 'rate')}, for {counted(len(names), 'node')}"
            raise InputError(reason, value=written[:100], file=file, line=line, remedy="give one rate a node")
        for name, rate in zip(names, row[1:], strict=True):
            if not is_gap(rate):
                demands.append(Demand(row[0], name, rate, line))
            else:
                empty += name != row[0]
    return demands, empty


def _ordered(rows: Sequence[Row], nodes: Sequence[str]) -> list[Demand]:
    """The demands of a square of numbers alone, whose rows and columns are the nodes in their order."""
    return [
        Demand(sender, receiver, rate, line)
        for sender, (line, rates, _) in zip(nodes, rows, strict=True)
        for receiver, rate in zip(nodes, rates, strict=True)
        if not is_gap(rate)
    ]
