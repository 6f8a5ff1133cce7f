"""Results of theory beside the measurements of a run: as plain data, as the lines of a table, on a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.api.run import Result
    from penstock.show.report import Table

HEADINGS = ("theory", "of", "quantity", "truth", "measured", "holds for")
TITLE = "Theory"


def rows(result: Result) -> list[dict[str, Any]]:
    """The results of theory as plain data, in SI units; without an interval ``low`` and ``high`` are null."""
    from penstock.theory import theory

    return [
        {
            "theory": row.theory,
            "of": row.of,
            "quantity": row.quantity,
            "relation": row.relation,
            "truth": row.truth,
            "measured": row.measured.mean,
            "low": row.measured.low,
            "high": row.measured.high,
            "condition": row.condition,
        }
        for row in theory(result)
    ]


def cells(row: dict[str, Any]) -> list[str]:
    """A line of the table: a bound begins with "at most", a mean has its interval if it has one."""
    bound = "at most " if row["relation"] == "<=" else ""
    interval = "" if row["low"] is None else f" ({row['low']:.5g} to {row['high']:.5g})"
    truth, measured = f"{bound}{row['truth']:.5g}", f"{row['measured']:.5g}{interval}"
    return [row["theory"], row["of"], row["quantity"], truth, measured, row["condition"]]


def theory_table(result: Result) -> Table | None:
    """The table of a page, about the first replication alone; None if no theory applies."""
    from penstock.show.report import Table

    first = replace(result, groups=result.groups.filter(replication=0), ports=result.ports.filter(replication=0))
    told = rows(first)
    return Table(TITLE, HEADINGS, [cells(row) for row in told]) if told else None
