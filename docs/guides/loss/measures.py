"""Which columns: the loss ratio, and the cells that it counts."""

from collections.abc import Iterator

from penstock.studies import runs
from penstock.studies.runs import RunTables

from .grid import Point

Runs = runs.Runs[Point]
TABLES = {"groups": ("random",)}
"""The result tables to read, and the names of their rows."""


def measure(_point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run. A measure that is a column of a result table has its name."""
    group = run.row("groups", group="random")
    for column in ("loss_ratio", "lost", "sent"):
        yield column, float(group[column])
