"""What stands between the cells of a table: a semicolon, a tabulator, a comma or blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence

SEPARATORS = (";", "\t", ",")
"""A semicolon comes first, for with it a comma may be in a number."""
SEPARATOR_LINE = r'"?sep=([;,\t])"?'
"""The first line of some spreadsheets, which only says what stands between cells."""
LOOKED_AT = 20
"""Lines that say what stands between cells."""
QUOTED = re.compile(r'"[^"]*"')


def separator_of(lines: Sequence[str]) -> str:
    """What stands between the cells of lines, of which the first names the columns; a blank if nothing else does.

    Of several signs outside of quotes in the first line, the one that the first lines have equally often; a square may
    lack the cell above its names. Otherwise the first of :data:`SEPARATORS`.
    """
    outside = [QUOTED.sub("", line) for line in lines[:LOOKED_AT]]
    there = [one for one in SEPARATORS if outside and one in outside[0]]
    for one in there:
        head, *others = (line.count(one) for line in outside)
        if len({*others}) <= 1 and all(head in (each, each - 1) for each in others):
            return one
    return there[0] if there else " "
