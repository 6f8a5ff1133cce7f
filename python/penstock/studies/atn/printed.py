"""Tables 5-1 and 5-2 of the ATN paper: as printed in `claims.toml`, next to ours, and the rule for ties.

A tie is the least effect that counts, in the paper's tables and in our runs. Our runs differ if the whole 95 % interval
of the differences, paired by seed, is beyond it. A printed value is one value without an interval.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations

from penstock.statistics import student
from penstock.studies.atn.grid import COMPARED, PACKET_BITS, RECEIVER, SCENARIOS, STRATEGIES, TABLE_OF, Point
from penstock.studies.atn.measures import LOAD, LOAD_COUNTED, Runs
from penstock.studies.claims import Clause
from penstock.studies.framework import PaperTable
from penstock.studies.orders import exceeds
from penstock.studies.runs import FULL_SEEDS, mean

TITLES = {
    "5-1": "Table 5-1: five strategies, many end systems",
    "5-2": "Table 5-2: five strategies, few end systems",
}
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
        Column("delay_s", "delay_mean_s", "mean delay (s)"),
        Column("throughput", "accepted_per_s", "throughput (packets/s)"),
        Column("power", "power", "power (packets/s²)"),
        Column("discarded", "discard_share", "discarded (share)"),
        Column("success", "success_once", "success ratio, first copies"),
        Column("success_with_retransmissions", "success_all", "success ratio, all copies"),
        Column("buffer_load_bits", LOAD, "buffer load (bits)", "{:.0f}"),
        Column("error_share", "error_report_share", "Error NPDUs (share)"),
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
        return row["accepted_per_s"] / row["delay_mean_s"] if measure == "power" else row[measure]

    @property
    def misprints(self) -> dict[str, tuple[float, float]]:
        """Strategies whose printed power is not their throughput over their delay: the printed and the right value."""
        pairs = {name: (row["power"], self.value(name, "power")) for name, row in self.cells.items()}
        return {name: (one, other) for name, (one, other) in pairs.items() if abs(one - other) > MISPRINTED * other}


def read() -> dict[str, Printed]:
    """Both tables."""
    text = files("penstock.studies.atn").joinpath("claims.toml").read_text(encoding="utf-8")
    tables = {}
    for number, scenario in TABLE_OF.items():
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
    "accepted_per_s": {"5-1": tuple(STRATEGIES), "5-2": tuple(STRATEGIES)},
    # the numbers of senders: by Little's law at a window of one; the greatest window: with a full queue
    "delay_mean_s": {"5-1": ("avoidance", "withdrawing"), "5-2": ("none", "avoidance", "withdrawing")},
    # the rates: load over delay; the capacity of the queue: the loads of full queues, and of Error NPDUs at half of it
    LOAD: {"5-1": tuple(STRATEGIES), "5-2": ("none",)},
}
"""The cells that the network was fitted to, by measure and table: the strategies whose printed value decided it."""


def is_fitted(table: Printed, measure: str, strategy: str) -> bool:
    """Whether the network was fitted to a cell."""
    return strategy in FITTED.get(measure, {}).get(table.number, ())


TABLES = read()


def tables_of(runs: Runs) -> list[Printed]:
    """The tables that the runs are for."""
    return [table for number, table in TABLES.items() if runs.figure in (None, number)]


def by_little(tables: Sequence[Printed]) -> str:
    """What Little's law says about the NPDU in transmission, from the printed cells of congestion avoidance alone."""
    told = []
    for table in tables:
        load, delay = (table.value("avoidance", measure) for measure in (LOAD, "delay_mean_s"))
        counted, added = (bits / SCENARIOS[table.scenario].rate_bps for bits in (load, load + PACKET_BITS))
        told.append(f"{counted:.2f} or {added:.2f} s in table {table.number}, which prints {delay:.2f} s")
    return (
        "by Little's law the printed load of congestion avoidance means a delay, with the NPDU in transmission in it "
        f"or added to it, of {', and of '.join(told)}"
    )


# -------------------------------------------------------------------------------------------------------- next to ours
def side_by_side(runs: Runs) -> Iterator[PaperTable]:
    """One table for each of the paper's, as far as there are runs for all its rows."""
    for table in tables_of(runs):
        if all(Point(name, table.scenario) in runs.measures for name in COMPARED):
            yield beside_printed(runs, table)


def beside_printed(runs: Runs, table: Printed) -> PaperTable:
    """A row for each strategy and source; the last two columns are our other interpretations of delay and load."""
    others = {"delay_transmission_mean_s": "{:.4f}", LOAD_COUNTED: "{:.0f}"}
    headings = ["delay from the first transmission (s)", "load with the NPDU in transmission (bits)"]
    rows: list[list[str | None]] = []
    for strategy, name in COMPARED.items():
        if strategy in STRATEGIES:
            printed = [
                column.form.format(table.cells[strategy][measure]) if is_there(measure, strategy) else None
                for measure, column in COLUMNS.items()
            ]
            rows.append([name, "printed", *printed, None, None])
        point = Point(strategy, table.scenario)
        forms = {**{measure: column.form for measure, column in COLUMNS.items()}, **others}
        own = [ours(runs, each, point, form) if is_there(each, strategy) else None for each, form in forms.items()]
        rows.append([name, "ours", *own])
    note = "Ours: means over seeds with the half width of their 95 % intervals. The paper has no DECbit."
    for strategy, (wrong, right) in table.misprints.items():
        note += (
            f" The printed power {wrong} of {STRATEGIES[strategy]} is a misprint: throughput / delay is {right:.4f}."
        )
    return PaperTable(
        f"{TITLES[table.number]} ({SCENARIOS[table.scenario].name})",
        ["strategy", "", *(column.label for column in COLUMNS.values()), *headings],
        rows,
        note,
    )


def is_there(measure: str, strategy: str) -> bool:
    """Whether a strategy has such a value: the share of Error NPDUs is blank for those that send none."""
    return measure != "error_report_share" or strategy == "error"


def ours(runs: Runs, measure: str, point: Point, form: str) -> str:
    """A mean with its interval."""
    estimate = student(runs.values(measure, point))
    told = form.format(estimate.mean)
    return told if estimate.half_width is None else f"{told} ± {form.format(estimate.half_width)}"


# ---------------------------------------------------------------------------------------------------------------- ties
TIE = 0.03
"""Values that are closer than this part of the larger are tied: as the claims have it."""
TIES = {"success_once": 0.01, "success_all": 0.01}
"""The measures with another tie: the success ratios, as in their claim."""
ALIKE = "5-1"
"""The table in which the receiver strategies are alike."""
NOTHING = {"discard_share": 0.001}
"""Values up to these count as zero: the tables print discards of 0.0003 and 0."""


def side(measure: str, ones: Mapping[int, float], others: Mapping[int, float]) -> int:
    """-1, 0 or 1: whether the first values of a measure, by seed, are below the second, tied with them, or above."""
    if max(mean(ones.values()), mean(others.values())) <= NOTHING.get(measure, 0.0):
        return 0
    apart = 1 / (1 - TIES.get(measure, TIE))
    return exceeds(ones, others, apart) - exceeds(others, ones, apart)


def printed_apart(table: Printed, measure: str) -> dict[tuple[str, str], int]:
    """The pairs of strategies that differ in a printed table: 1 if the first has more, -1 if it has less.

    In table 5-1 the receiver strategies have no order: the text finds "no great difference" between them.
    """
    printed = {name: {0: table.value(name, measure)} for name in STRATEGIES}
    pairs = [pair for pair in combinations(STRATEGIES, 2) if not (table.number == ALIKE and pair == RECEIVER)]
    sides = {pair: side(measure, *(printed[name] for name in pair)) for pair in pairs}
    return {pair: which for pair, which in sides.items() if which}


def is_open(measure: str, ones: Mapping[int, float], others: Mapping[int, float]) -> bool:
    """Whether a tie may be one only because there are fewer seeds than in a full run."""
    if side(measure, ones, others) or min(len(ones), len(others)) >= FULL_SEEDS:
        return False
    return not (no_less(measure, ones, others) and no_less(measure, others, ones))


def all_apart(
    factor: str,
    text: str,
    measure: str,
    pairs: Sequence[tuple[Mapping[int, float], Mapping[int, float], int]],
    shown: str = "",
) -> Clause:
    """Whether the first values of every pair are on a side of the second: 1 is above them, -1 below."""
    wrong = [(one, other) for one, other, wanted in pairs if side(measure, one, other) != wanted]
    undecided = bool(wrong) and all(is_open(measure, one, other) for one, other in wrong)
    return Clause(text, not wrong, shown, factor, undecided)


def no_less(measure: str, ones: Mapping[int, float], others: Mapping[int, float]) -> bool:
    """Whether the first values of a measure, by seed, are above the second, or below them by less than a tie."""
    return exceeds(ones, others, 1 - TIES.get(measure, TIE))
