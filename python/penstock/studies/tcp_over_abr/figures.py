"""The figures of the study of TCP over UBR and ABR: three of the same runs, each with a column for each distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from penstock.plot import Panel, Sheet
from penstock.studies.drawing import Quantity, against, captioned
from penstock.studies.tcp_over_abr.grid import DISTANCES, FIGURES, SERVICES, points, row
from penstock.studies.tcp_over_abr.measures import FAIRNESS, GOODPUT, LONGEST, LOST, SOURCE, SWITCH, Runs

DRAWN: Mapping[str, Sequence[Quantity]] = {
    "1": [Quantity(GOODPUT, "goodput (part of the line's)", top=1.0)],
    "2": [
        Quantity(SWITCH, "at the switch (cells, mean)"),
        Quantity(SOURCE, "at the sources (cells, mean)"),
        Quantity(LONGEST, "at the switch (cells, most)"),
    ],
    "3": [Quantity(LOST, "cells lost"), Quantity(FAIRNESS, "Jain's index", top=1.0)],
}
"""The quantities of each figure."""
TOLD = {
    "1": "Goodput of segments with their headers, as a part of the most that the line can carry of them.",
    "2": "At the sources cells wait for their allowed rate; over UBR there is none, and they wait at the switch alone.",
    "3": "Cells lost in the measured time, and Jain's index of the rates of the five streams.",
}
ENDS = "Five streams of NewReno over 45 Mb/s. Means over seeds with 95 % intervals."


def sheet(number: str, runs: Runs) -> Sheet:
    """The figure of a number: a row for each quantity, a column for each distance."""
    drawn = DRAWN[number]
    columns = [of_distance(runs, distance, drawn) for distance in DISTANCES]
    panels = [panels[place] for place in range(len(drawn)) for panels in columns]
    title = f"Figure {number}: {FIGURES[number]}"
    caption = captioned(runs, [point for point, _ in points(None)], TOLD[number], ENDS)  # type: ignore[misc]
    return Sheet(f"figure-{number}", title, caption, panels, columns=len(DISTANCES), panel_height=2.4)


def of_distance(runs: Runs, distance: str, drawn: Sequence[Quantity]) -> list[Panel]:
    """The panels of one distance, one for each quantity."""
    groups = {label: row(service, distance) for service, label in SERVICES.items()}
    title = DISTANCES[distance].name
    return against(runs, groups, "buffer of the switch (cells)", drawn, title=title, log_x=True, joined=True)


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {number: [partial(sheet, number)] for number in FIGURES}
