"""Tables 5-1 and 5-2 of the ATN paper, as printed and from our runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.statistics import student
from penstock.studies import PaperTable
from penstock.studies.atn.captions import TITLES
from penstock.studies.atn.grid import COMPARED, SCENARIOS, STRATEGIES, Point
from penstock.studies.atn.printed import COLUMNS, TABLES, Printed
from penstock.studies.atn.runs import Runs


def side_by_side(runs: Runs, numbers: Sequence[str]) -> Iterator[PaperTable]:
    """One table for each of the paper's, as far as there are runs for all its rows."""
    for number in numbers:
        table = TABLES[number]
        if all(Point(name, table.scenario) in runs.measures for name in COMPARED):
            yield beside_printed(runs, table)


def beside_printed(runs: Runs, table: Printed) -> PaperTable:
    """A row for each strategy and source; the last two columns are our other interpretations of delay and load."""
    others = {"delay.transmission": "{:.4f}", "load.waiting": "{:.0f}"}
    headings = ["delay from the first transmission (s)", "load without the NPDU in transmission (bits)"]
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
    return measure != "error.share" or strategy == "error"


def ours(runs: Runs, measure: str, point: Point, form: str) -> str:
    """A mean with its interval."""
    estimate = student(runs.values(measure, point))
    told = form.format(estimate.mean)
    return told if estimate.half_width is None else f"{told} ± {form.format(estimate.half_width)}"
