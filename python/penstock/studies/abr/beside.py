"""Additional figures of the ABR study: sweeps, the bound on Crm, and rule 6 in other circumstances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet, Trace
from penstock.studies.abr import captions, grid
from penstock.studies.abr.figures import RATE, TIME, in_milliseconds
from penstock.studies.abr.grid import CRM_32, LATE, NRM, PAUSE_FROM, PRINTED, TURNS, Point
from penstock.studies.abr.runs import Runs, window
from penstock.studies.abr.verdicts import MEGA, least_without_cut, named
from penstock.studies.drawing import curve, drawn
from penstock.studies.runs import MissingRunError
from penstock.truth import abr

WINDOWS = {"early": "275 to 825 ms", "late": "825 to 1200 ms"}
THROUGHPUT = "throughput (Mb/s)"
GRANTED = Point().granted / MEGA


def beside_figures(runs: Runs) -> Iterator[Sheet]:
    """All figures that have runs."""
    return drawn(MAKERS, runs)


def needed(runs: Runs, points: Sequence[Point]) -> None:
    """A point that was not run is an error."""
    for point in points:
        if point not in runs.measures:
            raise MissingRunError(str(point))


def throughputs(
    runs: Runs, groups: Mapping[str, Mapping[float, Point]], x_label: str, suffixes: Mapping[str, str], *, log_x: bool
) -> list[Panel]:
    """Two panels, before and after the first feedback takes effect: one curve a group and kind of cell."""
    for places in groups.values():
        needed(runs, list(places.values()))
    return [
        Panel(
            x_label,
            THROUGHPUT,
            curves=[
                curve(runs, f"{name}{suffix}", places, scale=1 / MEGA, label=", ".join(filter(None, (label, kind))))
                for label, places in groups.items()
                for suffix, kind in suffixes.items()
            ],
            title=title,
            top=150.0,
            level=GRANTED,
            level_label="granted, 140 Mb/s",
            log_x=log_x,
            each_seed=False,
        )
        for name, title in WINDOWS.items()
    ]


def crm_sheet(runs: Runs) -> Sheet:
    """Throughput against Crm."""
    groups = {"": {float(point.crm): point for point in grid.crm_sweep()}}
    panels = throughputs(runs, groups, "Crm", {"": "all cells", ".data": "data cells"}, log_x=True)
    return Sheet("crm-sweep", "Throughput against Crm", captions.CRM, panels, columns=2)


def turn_sheet(runs: Runs) -> Sheet:
    """Throughput against Crm, by the way in which RM cells wait at the destination."""
    names = {"overwrite": "newest only", "queue": "all queued", "idle": "idle way back"}
    groups = {
        names[turn]: {float(point.crm): point for point in grid.crm_sweep(turn, grid.TURN_CRMS)} for turn in TURNS
    }
    panels = throughputs(runs, groups, "Crm", {"": ""}, log_x=True)
    title = "RM cells that wait at the destination"
    return Sheet("turn-round", title, captions.TURN, panels, columns=2)


def cdf_sheet(runs: Runs) -> Sheet:
    """Throughput against CDF."""
    panels = []
    for name, title in WINDOWS.items():
        curves = []
        for crm in grid.CDF_CRMS:
            points = {named(point.cdf): runs.by_seed(name, point) for point in grid.cdf_sweep(crm)}
            values = {cdf: {seed: value / MEGA for seed, value in each.items()} for cdf, each in points.items()}
            curves.append(Curve(f"Crm = {crm}", values))
        panels.append(Panel("CDF", THROUGHPUT, curves=curves, title=title, top=150.0, each_seed=False))
    return Sheet("cdf-sweep", "Throughput against CDF", captions.CDF, panels, columns=2)


def bound_sheet(runs: Runs) -> Sheet:
    """The least Crm without a cut in each network, divided by its hops and by its rate in units of 155 Mb/s."""
    found, by_rate, by_line, printed = {}, {}, {}, {}
    for line, hops in grid.bound_networks():
        points = grid.bound_points(line, hops)
        connection = points[0].connection
        least = least_without_cut(runs, points)
        if least is None:
            raise MissingRunError(str(points[0]))
        name, parts = f"{hops} x {line}", hops * connection.rate / Point().rate
        found[name] = {1: least / parts}
        by_rate[name] = {0: abr.crm_of_bound(connection.initial, connection.round_trip) / parts}
        by_line[name] = {0: abr.crm_of_bound(connection.rate, connection.round_trip) / parts}
        if grid.is_printed(line, hops):
            printed[name] = {0: PRINTED[line] * hops / parts}
    curves = [
        Curve("least by runs", found, 0),
        Curve("RTT x ICR / 32", by_rate, 0, exact=True),
        Curve("RTT x line rate / 32", by_line, 2, exact=True),
        Curve("printed", printed, 1, exact=True),
    ]
    label = "Crm for each hop and 155 Mb/s"
    panel = Panel("hops x line rate (Mb/s)", label, curves=curves, bottom=5500.0, top=6400.0, each_seed=False)
    return Sheet("crm-bound", "The least Crm without a cut", captions.BOUND, [panel])


def cuts_sheet(runs: Runs) -> Sheet:
    """Cuts against Crm."""
    curves = []
    for line, hops in grid.bound_networks():
        points, least = grid.bound_points(line, hops), grid.least_crm(line, hops)
        needed(runs, points)
        places = {point.crm / least: point for point in points}
        curves.append(curve(runs, "cuts", places, label=f"{line} Mb/s, {hops} hop{'s' * (hops > 1)}: {least}"))
    panel = Panel("Crm as a share of the number named", "cuts", curves=curves, bottom=-4.0, each_seed=False)
    return Sheet("crm-cuts", "Cuts before the first feedback", captions.CUTS, [panel])


def exposure_sheet(runs: Runs) -> Sheet:
    """Crm against TBE."""
    found, exact = {}, {}
    for point in grid.exposure_points():
        found[point.amount] = {1: (runs.one("sent", point) - 1) / NRM - (runs.one("cuts", point) - 1)}
        exact[point.amount] = {0: float(abr.crm(round(point.amount)))}
    curves = [Curve("by runs", found), Curve("TBE / 32, rounded up", exact, 0, exact=True)]
    panel = Panel("TBE (cells)", "Crm", curves=curves, log_x=True, log_y=True, each_seed=False)
    return Sheet("exposure", "Crm by TBE", captions.EXPOSURE, [panel])


def trigger_sheet(runs: Runs) -> Sheet:
    """The rate on a short line whose way back is slow or congested."""
    slow, congested = grid.ratio_points(), grid.video_points()
    needed(runs, [*slow, *congested])
    ratios = {"slow way back": [point.amount for point in slow]}
    ratios["video on the way back"] = [runs.one("ratio", point) for point in congested]
    traces = [
        Trace(label, ratio, [runs.one("acr.mean", point) / MEGA for point in points])
        for (label, ratio), points in zip(ratios.items(), (slow, congested), strict=True)
    ]
    panel = Panel(
        "forward RM cells at full rate for each backward one",
        "mean ACR (Mb/s)",
        traces=traces,
        limit=float(CRM_32),
        limit_label="Crm = 32",
        span=(0.0, float(max(grid.RATIOS)) + 2),
        top=150.0,
        marked=True,
    )
    return Sheet("trigger", "Rule 6 in congestion", captions.TRIGGER, [panel])


def pause_sheet(runs: Runs) -> Sheet:
    """The rate from the start on, and from the end of a pause on."""
    point = grid.pause_points()["again"]
    acr = runs.trace(point, "acr")
    panels = []
    back = 1e3 * point.connection.first_feedback()
    for title, origin in (("from the start", 0.0), ("from the end of the pause", PAUSE_FROM + point.amount)):
        shown = window(acr, (origin, origin + LATE[1]))
        trace = Trace("", *in_milliseconds(shown, MEGA, origin))
        panels.append(Panel(TIME, RATE, traces=[trace], title=title, limit=back, limit_label="first feedback"))
    return Sheet("pause", "An idle period, and the start", captions.PAUSE, panels, columns=2)


def rule_5_sheet(runs: Runs) -> Sheet:
    """The rate around pauses, where ICR is low."""
    panels = []
    for name in ("short", "long"):
        point = grid.pause_points()[name]
        resumed = PAUSE_FROM + point.amount
        shown = window(runs.trace(point, "acr"), (0.0, resumed + LATE[1]))
        panels.append(
            Panel(
                TIME,
                RATE,
                traces=[Trace("", *in_milliseconds(shown, MEGA))],
                title=f"a pause of {point.amount:g} s from {PAUSE_FROM:g} s on",
                level=point.icr * point.rate / MEGA,
                level_label="ICR",
                top=150.0,
            )
        )
    return Sheet("rule-5", "Use it or lose it: ADTF", captions.RULE_5, panels, columns=2)


def broken_sheet(runs: Runs) -> Sheet:
    """The rate after a link broke, and the losses."""
    points = grid.broken_points()
    needed(runs, points)
    traces = [
        Trace(f"Crm = {point.crm}", *in_milliseconds(window(runs.trace(point, "acr"), (1.1, grid.BREAK_END)), MEGA))
        for point in points
        if point.crm in grid.SHOWN_BREAKS
    ]
    lost = curve(runs, "lost", {float(point.crm): point for point in points}, label="", hue=0, scale=1e-3)
    panels = [
        Panel(TIME, RATE, traces=traces, limit=1e3 * grid.BREAK_AT, limit_label="the line breaks", marked=True),
        Panel("Crm", "cells lost (1000)", curves=[lost], log_x=True, each_seed=False),
    ]
    return Sheet("broken-link", "A broken link", captions.BROKEN, panels, columns=2)


MAKERS: Sequence[Callable[[Runs], Sheet]] = (
    crm_sheet,
    turn_sheet,
    cdf_sheet,
    bound_sheet,
    cuts_sheet,
    exposure_sheet,
    trigger_sheet,
    pause_sheet,
    rule_5_sheet,
    broken_sheet,
)
