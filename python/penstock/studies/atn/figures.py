"""The two tables of the ATN paper as figures, and code that the figures of the study share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet
from penstock.statistics import student
from penstock.studies.atn.captions import DRAWN, TABLE, TITLES
from penstock.studies.atn.grid import STRATEGIES, Point, table_points
from penstock.studies.atn.printed import COLUMNS, TABLES, Printed
from penstock.studies.atn.runs import Runs
from penstock.studies.drawing import Quantity, curve, extent
from penstock.studies.runs import MissingRunError

OURS_HUE, PRINTED_HUE = 0, 1
NEAR_EACH_OTHER = ("throughput", "success", "success.all")
"""Columns of the tables whose values differ by little, so that an axis from 0 would show none of it."""
SHORT = {"none": "none", "avoidance": "avoid", "withdrawing": "withdraw", "backoff": "backoff", "error": "error"}


DELAY = Quantity("delay", "mean delay (s)", log_y=True)
THROUGHPUT = Quantity("throughput", "throughput (packets/s)")
POWER = Quantity("power", "power (packets/s²)")
DISCARDED = Quantity("discarded", "discarded (%)", 100.0)
LOAD = Quantity("load", "buffer load (kbit)", 1e-3)
SUCCESS = Quantity("success", "success ratio, first copies", top=1.0, floor=0.9)
SUCCESS_ALL = Quantity("success.all", "success ratio, all copies", top=1.0, floor=0.9)
ERRORS = Quantity("error.share", "Error NPDUs (%)", 100.0)
RECORDED = (DELAY, THROUGHPUT, POWER, DISCARDED, LOAD, SUCCESS, SUCCESS_ALL)
"""The quantities that the annex asks of each exercise; also the share of Error NPDUs in its exercise."""


def table_figures(runs: Runs, numbers: Sequence[str]) -> Iterator[Sheet]:
    """Both tables, as far as there are runs for them."""
    for number in numbers:
        try:
            yield table_sheet(runs, TABLES[number])
        except MissingRunError:
            continue


def told(runs: Runs, caption: str, points: Sequence[Point]) -> str:
    """A caption with a description of the marks, and the number of runs."""
    if not any(point in runs.measures for point in points):
        raise MissingRunError(str(points[0]))
    return f"{caption} {DRAWN} {extent(runs, points)}"


def table_sheet(runs: Runs, table: Printed) -> Sheet:
    """One panel for each column: the printed values next to ours."""
    panels = []
    for measure, column in COLUMNS.items():
        own = {SHORT[name]: runs.by_seed(measure, Point(name, table.scenario)) for name in STRATEGIES}
        printed = {SHORT[name]: {0: table.value(name, measure)} for name in STRATEGIES}
        curves = [Curve("ours", own, OURS_HUE), Curve("printed", printed, PRINTED_HUE)]
        bottom = None if measure in NEAR_EACH_OTHER else 0.0
        panels.append(Panel("", column.label, curves=curves, bottom=bottom, each_seed=False))
    caption = told(runs, TABLE, table_points(table.scenario))
    return Sheet(f"table-{table.number}", TITLES[table.number], caption, panels, columns=2)


def panel(
    runs: Runs,
    quantity: Quantity,
    places: Mapping[str, Mapping[str, Point]],
    x_label: str,
    *,
    title: str = "",
) -> Panel:
    """A quantity against a parameter, whose values are named in their order; one curve for each name."""
    curves = [
        curve(runs, quantity.measure, points, scale=quantity.scale, label=label) for label, points in places.items()
    ]
    return Panel(
        x_label,
        quantity.label,
        curves=curves,
        title=title,
        top=quantity.top,
        bottom=floor_of(quantity, curves),
        log_y=quantity.log_y,
        each_seed=False,
        joined=True,
    )


def floor_of(quantity: Quantity, curves: Sequence[Curve]) -> float:
    """The lower end of the axis: that of the quantity, or less if an interval goes below it."""
    if quantity.floor is None:
        return 0.0
    estimates = [student(found.values()) for each in curves for found in each.points.values()]
    return min([quantity.floor, *(each.mean if each.low is None else each.low for each in estimates)])
