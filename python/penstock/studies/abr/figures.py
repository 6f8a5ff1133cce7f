"""Figures 2, 4 and 5 of the ABR paper, drawn from the runs, with the closed form in figure 2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.plot import Panel, Sheet, Trace, shared_traces
from penstock.studies.abr.captions import DETAIL, DRAWN, STATES, TITLES
from penstock.studies.abr.grid import CRM_32, CRM_FULL, Point, watched
from penstock.studies.abr.runs import Runs, cells, window
from penstock.studies.abr.verdicts import MEGA, named
from penstock.studies.runs import MissingRunError
from penstock.studies.runs import Trace as Readings
from penstock.truth.abr import rate_without_feedback

SHOWN_CDFS = (1 / 64, 1 / 16, 1 / 4, 1.0)
SHOWN_CELLS = 120
"""Forward RM cells in figure 2."""
DETAIL_SPAN = (0.9, 0.96)
"""Seconds of figure 4 in detail."""
RATE = "ACR (Mb/s)"
TIME = "time (ms)"


def paper_figures(runs: Runs, numbers: Sequence[int]) -> Iterator[Sheet]:
    """The figures of the paper, as far as there are runs for them."""
    for number in numbers:
        try:
            yield from decay_sheet(runs) if number == 2 else over_satellite(runs, number)
        except MissingRunError:
            continue


def caption(number: int) -> str:
    """The paper's statement on a figure, and what is drawn."""
    return f"{STATES[number]} {DRAWN[number]}"


def decay_sheet(runs: Runs) -> Iterator[Sheet]:
    """ACR against the number of forward RM cells, for some CDF."""
    traces = []
    for hue, cdf in enumerate(SHOWN_CDFS):
        found: dict[int, float] = {}
        for point in (Point("start", cdf=cdf), Point(cdf=cdf)):
            found |= unanswered(runs, point)
        sent = sorted(number for number in found if number <= SHOWN_CELLS)
        exact = [rate_without_feedback(point.granted, cdf, CRM_32, number) for number in range(1, SHOWN_CELLS + 1)]
        traces += [
            Trace(f"CDF = {named(cdf)}", sent, [found[number] / MEGA for number in sent], hue),
            Trace("", range(1, SHOWN_CELLS + 1), [rate / MEGA for rate in exact], hue, exact=True),
        ]
    panel = Panel(
        "forward RM cells sent",
        RATE,
        traces=traces,
        limit=CRM_32,
        limit_label="Crm = 32",
        span=(0, SHOWN_CELLS),
        marked=True,
    )
    yield Sheet("figure-2", TITLES[2], caption(2), [panel])


def unanswered(runs: Runs, point: Point) -> dict[int, float]:
    """ACR by the number of forward RM cells sent, before the first feedback."""
    acr, sent, missing = (runs.trace(point, name)[1] for name in ("acr", "forward_rm_cells", "unack"))
    return {round(number): rate for rate, number, open_ in zip(acr, sent, missing, strict=True) if number == open_}


def over_satellite(runs: Runs, number: int) -> Iterator[Sheet]:
    """The rate, and the cells received at the destination, against time."""
    point = watched(CRM_32 if number == 4 else CRM_FULL)
    times, counted = cells(runs.series[point][1], point.rate) if point in runs.series else ([], [])
    if not times:
        raise MissingRunError(str(point))
    back = 1e3 * point.connection.first_feedback()
    effect = back + 1e3 * point.connection.one_way
    panels = [
        Panel("", RATE, traces=[Trace("", *in_milliseconds(runs.trace(point, "acr"), MEGA))], limit=back),
        Panel("", "cells received (1000)", traces=[Trace("", *in_milliseconds((times, counted), 1000))], limit=effect),
    ]
    yield shared_traces(f"figure-{number}", TITLES[number], panels, x_label=TIME, caption=caption(number))
    if number == 4:
        yield detail_sheet(runs, point)


def detail_sheet(runs: Runs, point: Point) -> Sheet:
    """A part of the oscillation."""
    panels = [
        Panel("", label, traces=[Trace("", *in_milliseconds(window(runs.trace(point, name), DETAIL_SPAN), scale))])
        for name, label, scale in (("acr", RATE, MEGA), ("unack", "RM cells unanswered", 1.0))
    ]
    panels[1] = Panel("", panels[1].y_label, traces=panels[1].traces, level=point.crm, level_label=f"Crm = {point.crm}")
    title = "Figure 4 in detail: 60 ms of the oscillation"
    return shared_traces("figure-4-detail", title, panels, x_label=TIME, caption=DETAIL)


def in_milliseconds(trace: Readings, scale: float, origin: float = 0.0) -> Readings:
    """A time series with times in milliseconds from `origin` on, and values in multiples of `scale`."""
    return [1e3 * (time - origin) for time in trace[0]], [value / scale for value in trace[1]]
