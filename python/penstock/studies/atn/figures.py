"""The two tables of the ATN paper as figures, and what the figures of the study share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet
from penstock.studies.atn.captions import DRAWN, TABLE, TITLES
from penstock.studies.atn.grid import STRATEGIES, Point, table_points
from penstock.studies.atn.printed import COLUMNS, TABLES, Printed
from penstock.studies.atn.runs import Runs
from penstock.studies.drawing import Quantity, curve, extent
from penstock.studies.runs import MissingRunError

OURS_HUE, PRINTED_HUE = 0, 1
SHORT = {"none": "none", "avoidance": "avoid", "withdrawing": "withdraw", "backoff": "backoff", "error": "error"}


DELAY = Quantity("delay", "mean delay (s)", log_y=True)
THROUGHPUT = Quantity("throughput", "throughput (packets/s)")
POWER = Quantity("power", "power (packets/s²)")
DISCARDED = Quantity("discarded", "discarded (%)", 100.0)
LOAD = Quantity("load", "buffer load (kbit)", 1e-3)
ERRORS = Quantity("error.share", "Error NPDUs (%)", 100.0)


def table_figures(runs: Runs, numbers: Sequence[str]) -> Iterator[Sheet]:
    """Both tables, as far as there are runs for them."""
    for number in numbers:
        try:
            yield table_sheet(runs, TABLES[number])
        except MissingRunError:
            continue


def told(runs: Runs, caption: str, points: Sequence[Point]) -> str:
    """A caption with what is drawn, and how much of it has been run."""
    if not any(point in runs.measures for point in points):
        raise MissingRunError(str(points[0]))
    return f"{caption} {DRAWN} {extent(runs, points)}"


def table_sheet(runs: Runs, table: Printed) -> Sheet:
    """One panel a column: the printed values beside ours."""
    panels = []
    for measure, column in COLUMNS.items():
        own = {SHORT[name]: runs.by_seed(measure, Point(name, table.scenario)) for name in STRATEGIES}
        printed = {SHORT[name]: {0: table.value(name, measure)} for name in STRATEGIES}
        curves = [Curve("ours", own, OURS_HUE), Curve("printed", printed, PRINTED_HUE)]
        panels.append(Panel("", column.label, curves=curves, top=above(curves), each_seed=False))
    caption = told(runs, TABLE, table_points(table.scenario))
    return Sheet(f"table-{table.number}", TITLES[table.number], caption, panels, columns=2)


def panel(
    runs: Runs,
    quantity: Quantity,
    places: Mapping[str, Mapping[float, Point]],
    x_label: str,
    *,
    title: str = "",
    log_x: bool = False,
) -> Panel:
    """A quantity against a parameter, one curve for each name."""
    curves = [
        curve(runs, quantity.measure, points, scale=quantity.scale, label=label) for label, points in places.items()
    ]
    return Panel(
        x_label,
        quantity.label,
        curves=curves,
        title=title,
        top=None if quantity.log_y else above(curves),
        log_x=log_x,
        log_y=quantity.log_y,
        each_seed=False,
    )


def above(curves: Sequence[Curve]) -> float | None:
    """A little more than the greatest value, so that markers of a flat curve stay whole; None if all are 0."""
    values = [value for each in curves for found in each.points.values() for value in found.values()]
    return 1.05 * max(values, default=0.0) or None
