"""Tables 5-1 and 5-2 of the ATN paper, from `claims.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from penstock.studies.atn.grid import STRATEGIES

ROWS = ("none", "congestion_avoidance", "withdrawing_credit", "sender_backoff", "error_npdu")
"""The rows of `claims.toml`, in the order of our strategies."""
AS_PRINTED = {("5-1", "none", "power"): 1.9357}
"""The printed value, if `claims.toml` has a corrected one."""
MISPRINTED = 0.01
"""A printed power further from throughput over delay than this part of it is a misprint."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the tables: its name in `claims.toml`, our measure, its heading, and its format."""

    name: str
    measure: str
    label: str
    form: str = "{:.4f}"


COLUMNS = {
    each.measure: each
    for each in (
        Column("delay_s", "delay", "mean delay (s)"),
        Column("throughput", "throughput", "throughput (packets/s)"),
        Column("power", "power", "power (packets/s²)"),
        Column("discarded", "discarded", "discarded (share)"),
        Column("success", "success", "success ratio, first copies"),
        Column("success_with_retransmissions", "success.all", "success ratio, all copies"),
        Column("buffer_load_bits", "load", "buffer load (bits)", "{:.0f}"),
        Column("error_share", "error.share", "Error NPDUs (share)"),
    )
}


@dataclass(frozen=True, slots=True)
class Printed:
    """One table of the paper: the scenario that it is run in, and each cell by strategy and measure, as printed."""

    number: str
    scenario: str
    cells: Mapping[str, Mapping[str, float]]

    def value(self, strategy: str, measure: str) -> float:
        """A cell; the power is throughput over delay, as the paper defines it, misprint or not."""
        row = self.cells[strategy]
        return row["throughput"] / row["delay"] if measure == "power" else row[measure]

    @property
    def misprints(self) -> dict[str, tuple[float, float]]:
        """Strategies whose printed power is not their throughput over their delay: the printed and the right value."""
        pairs = {name: (row["power"], self.value(name, "power")) for name, row in self.cells.items()}
        return {name: (one, other) for name, (one, other) in pairs.items() if abs(one - other) > MISPRINTED * other}


def read() -> dict[str, Printed]:
    """Both tables."""
    text = files("penstock.studies.atn").joinpath("claims.toml").read_text(encoding="utf-8")
    tables = {}
    for number, scenario in (("5-1", "a"), ("5-2", "b")):
        found = tomllib.loads(text)["atn"][f"table-{number}"]
        cells = {
            strategy: {
                column.measure: AS_PRINTED.get(
                    (number, strategy, column.measure), float(found[row][found["columns"].index(column.name)])
                )
                for column in COLUMNS.values()
            }
            for strategy, row in zip(STRATEGIES, ROWS, strict=True)
        }
        tables[number] = Printed(number, scenario, cells)
    return tables


FITTED: dict[str, dict[str, tuple[str, ...]]] = {
    # every full bottleneck has the throughput of its rate and the size of packets, which come from these cells
    "throughput": {"5-1": tuple(STRATEGIES), "5-2": tuple(STRATEGIES)},
    # the numbers of senders: by Little's law at a window of one; the greatest window: with a full queue
    "delay": {"5-1": ("avoidance", "withdrawing"), "5-2": ("none", "avoidance", "withdrawing")},
    # the rates: load over delay; the capacity of the queue: the loads of full queues, and of Error NPDUs at half of it
    "load": {"5-1": tuple(STRATEGIES), "5-2": ("none",)},
}
"""The cells that the network was fitted to, by measure and table: the strategies whose printed value decided it."""


def is_fitted(table: Printed, measure: str, strategy: str) -> bool:
    """Whether the network was fitted to a cell."""
    return strategy in FITTED.get(measure, {}).get(table.number, ())


TABLES = read()
