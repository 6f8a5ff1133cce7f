"""Expressions over packets: the columns that one names, and whether it needs more than the packet it is about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.core.errors import near_or_listed
from penstock.importing.kinds import ROW

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

OVER_ROWS = {
    *("Agg", "Len", "Over", "Window", "Rolling", "Explode"),
    *("Gather", "Filter", "Slice", "Sort", "SortBy", "Rank"),
    *("Quantile", "Shift", "Range", "CumSum", "CumCount", "CumMin"),
    *("CumMax", "CumProd", "Diff", "Mode", "Correlation", "Skew", "Kurtosis"),
    *("Unique", "Reverse", "ArgMin", "ArgMax", "RLE", "Random"),
}
"""Parts of an expression whose value for a packet depends on other packets, as polars names them."""

GIVEN = ("Column", "Literal")
"""Parts that are named by the user, and may have any name."""


def in_sql(column: str) -> str:
    """A column as SQL names it: in quotes, if it is none or another one without them."""
    import polars as pl

    try:
        is_plain = pl.sql_expr(f"{column} > 0").meta.root_names() == [column]
    except pl.exceptions.PolarsError:
        is_plain = False
    return column if is_plain else '"{}"'.format(column.replace('"', '""'))


def condition(column: str, test: str) -> str:
    """The option that leaves out the packets whose value in this column does not meet a test."""
    quote = "'" if (name := in_sql(column)) != column else '"'
    return f"--where {quote}{name} {test}{quote}"


def columns_in(where: str) -> list[str]:
    """The columns that an expression in SQL names; none if it is no expression."""
    import polars as pl

    try:
        return list(dict.fromkeys(pl.sql_expr(where).meta.root_names()))
    except pl.exceptions.PolarsError:
        return []


def unknown_in(expression: pl.Expr, columns: Sequence[str]) -> tuple[str, str]:
    """A column that an expression names and that is not there, with the remedy; two empty texts without one."""
    unknown = next((name for name in expression.meta.root_names() if name not in columns), "")
    if not unknown:
        return "", ""
    remedy = f"{near_or_listed(unknown, columns)}; a text stands in single quotes, as 'udp'"
    if quoted := next((in_sql(name) for name in columns if in_sql(name) != name), ""):
        remedy += f", and a column such as {quoted} in double ones"
    return unknown, remedy


def said_of(error: str) -> str:
    """What polars says of an expression that it cannot use, in one line. It names its own types."""
    is_mixed = "cannot compare string" in error or "'is_in' cannot check" in error
    return "it compares a text with a number" if is_mixed else error.splitlines()[0]


def texts_in(where: str, frame: pl.DataFrame, unit: str) -> str:
    """The remedy for an expression that takes columns of texts for numbers; empty if it names none.

    Of each column it has a value that is no number, if there is one, with its line, row or packet (`unit`) of the file.
    """
    import polars as pl

    found = []
    for name in columns_in(where):
        if name in frame.columns and frame[name].dtype == pl.String:
            is_number = pl.col(name).cast(pl.Float64, strict=False).is_not_null()
            written = frame.filter(pl.col(name) != "").select(ROW, name).sort(is_number, maintain_order=True)
            for row, value in written.head(1).iter_rows():
                text = "'{}'".format(value.replace("'", "''"))
                found.append(f"{name} has texts, as in {unit} {row}, so write them in quotes: {in_sql(name)} = {text}")
    return "; ".join(found)


def needs_other_rows(expression: pl.Expr) -> bool:
    """Whether the value for one row depends on other rows: an aggregate, a window, a rank, a shift."""
    return _has(json.loads(expression.meta.serialize(format="json")))


def _has(part: object) -> bool:
    if isinstance(part, dict):
        return any(name in OVER_ROWS or _has(value) for name, value in part.items() if name not in GIVEN)
    if isinstance(part, list):
        return any(map(_has, part))
    return part in OVER_ROWS if isinstance(part, str) else False
