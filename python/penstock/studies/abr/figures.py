"""The figures of the ABR study: 2, 4 and 5 of the paper, with the closed form in figure 2, and additional figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from penstock.core.counts import counted
from penstock.plot import Curve, Panel, Sheet, Trace, shared_traces
from penstock.studies.abr import grid
from penstock.studies.abr.grid import CRM_32, CRM_FULL, LATE, NRM, PAUSE_FROM, PRINTED, TURNS, Point, watched
from penstock.studies.abr.measures import DESTINATION, MEGA, Runs, cells, least_without_cut, named, trace_of, window
from penstock.studies.drawing import curve
from penstock.studies.runs import MissingRunError
from penstock.studies.runs import Trace as Readings
from penstock.truth import abr
from penstock.truth.abr import rate_without_feedback

TITLES = {
    2: "Figure 2: the rate while no RM cell returns, Crm = 32",
    4: "Figure 4: one connection over a satellite, Crm = 32",
    5: "Figure 5: one connection over a satellite, Crm = 6144",
}

STATES = {
    2: "The paper on figure 2: after Crm + k forward RM cells without an answer the rate is ICR (1 - CDF)^(k "
    "+ 1); it shows the shape alone.",
    4: "The paper on figure 4: the rate starts at 140 Mb/s; after 1024 cells rule 6 cuts it; the first "
    "feedback arrives after about 550 ms; then the rate oscillates between very low and 140 Mb/s. "
    "Throughput 32 Mb/s from 275 to 825 ms, 45 Mb/s from 825 to 1200 ms.",
    5: "The paper on figure 5: the rate remains at its optimum, and the throughput is high.",
}

ONCE = "One run each: nothing in them is random."
WHEN = "Vertical lines: the first feedback arrives at the source; its effect arrives at the destination."
DRAWN = {
    2: f"Lines: runs, the rate against the number of forward RM cells sent; dashed: the closed form. {ONCE}",
    4: f"Read every 0.2 ms; cells of every kind, including RM cells. {WHEN} {ONCE}",
    5: f"Read every 1 ms; cells of every kind, including RM cells. {WHEN} {ONCE}",
}

DETAIL_CAPTION = (
    "Figure 4 in detail: each answer sets the rate to 140 Mb/s at once (RIF = 1) and the count of "
    "unanswered RM cells to 0; before the next answer, 32 more RM cells are sent. Answers are as rare "
    f"as the RM cells that were sent one round trip before. {ONCE}"
)
CRM_CAPTION = (
    "The six Crm of the paper's table and others. Left: until the effect of the first feedback is at the "
    "destination; right: after it. Horizontal line: the grant of ERICA. Two of 32 cells are RM cells, one of each "
    f"direction, so data alone get 30/32. {ONCE}"
)
TURN_CAPTION = (
    "A backward RM cell waits at the far end, whose own source has data to send. A newer one takes its "
    "place, or all are queued: TM 4.0 allows both. If the far end has nothing to send, none waits. The paper "
    f"has 45 Mb/s from 825 to 1200 ms at Crm = 32. All cells are counted. {ONCE}"
)
CDF_CAPTION = (
    "The paper: results do not significantly vary for different CDF. CDF = 0 never cuts. With CDF = 1 one cut "
    f"stops the source except for out-of-rate RM cells, ten a second. Data and RM cells. {ONCE}"
)
BOUND_CAPTION = (
    "The least Crm without a cut, found by runs that end after the first feedback, for lines of 155 and 622 "
    "Mb/s and one to three satellite hops of 550 ms each; to be compared, each is divided by its hops and by "
    "4 for 622 Mb/s. It is the number of forward RM cells sent until then: round trip x ICR / 32, "
    "rounded up; the round trip includes the cell's time on each line and its wait at the far end. The paper's "
    "6144, 24576 and multiples are enough, because the rate is 90 % of the line's; at the line's rate its formula "
    f"needs more. {ONCE}"
)
CUTS_CAPTION = (
    "How often rule 6 acts before the first feedback, against Crm as a share of the least without a cut. One "
    f"less than that is one cut. {ONCE}"
)
EXPOSURE_CAPTION = (
    "The number of the forward RM cell that is cut first, less one, for sources of different TBE on a broken "
    "line; dashed: TBE / 32, rounded up. The greatest TBE that 24 bits can signal, 16,777,215 cells, gives a "
    f"Crm of 524,288 = 2^19. {ONCE}"
)
TRIGGER_CAPTION = (
    "Rule 6 without a satellite, Crm = 32: its mean ACR, against forward RM cells at full rate for each that "
    f"returns. The way back is slow by a low peak rate, or congested by video with priority. {ONCE}"
)
PAUSE_CAPTION = (
    "Both ends pause for three seconds, at Crm = 256, and start again: without answers on their way, rule 6 "
    f"acts as at the start. Left: from the start on; right: from the end of the pause on. {ONCE}"
)
RULE_5_CAPTION = (
    "Sources with an ICR of 70 Mb/s pause; Crm is large enough. If no forward RM cell is sent for more than ADTF, 0.5 "
    "s, the next one sets the rate to ICR (rule 5); after a short pause the rate is as before. "
    f"{ONCE}"
)
BROKEN_CAPTION = (
    "The purpose of rule 6: the satellite line breaks at 1.2 s. Answers on their way still arrive; after the "
    "last of them Crm RM cells are sent, then the rate falls. All cells sent into the broken line until 3 s are "
    f"lost: the cost of a large Crm. {ONCE}"
)

SHOWN_CDFS = (1 / 64, 1 / 16, 1 / 4, 1.0)
SHOWN_CELLS = 120
"""Forward RM cells in figure 2."""
DETAIL_SPAN = (0.9, 0.96)
"""Seconds of figure 4 in detail."""
RATE = "ACR (Mb/s)"
TIME = "time (ms)"
WINDOWS = {"early": "275 to 825 ms", "late": "825 to 1200 ms"}
THROUGHPUT = "throughput (Mb/s)"
GRANTED = Point().granted / MEGA


def caption(number: int) -> str:
    """The paper's statement on a figure, and what is drawn."""
    return f"{STATES[number]} {DRAWN[number]}"


def decay_sheet(runs: Runs) -> Sheet:
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
    return Sheet("figure-2", TITLES[2], caption(2), [panel])


def unanswered(runs: Runs, point: Point) -> dict[int, float]:
    """ACR by the number of forward RM cells sent, before the first feedback."""
    acr, sent, missing = (trace_of(runs, point, name)[1] for name in ("acr", "forward_rm_cells", "unack"))
    return {round(number): rate for rate, number, open_ in zip(acr, sent, missing, strict=True) if number == open_}


def over_satellite(number: int) -> Callable[[Runs], Sheet]:
    """The rate, and the cells received at the destination, against time: figure 4 or 5."""
    point = watched(CRM_32 if number == 4 else CRM_FULL)

    def make(runs: Runs) -> Sheet:
        counted = cells(trace_of(runs, point, "utilisation", DESTINATION), point.rate)
        back = 1e3 * point.connection.first_feedback()
        effect = back + 1e3 * point.connection.one_way
        acr = in_milliseconds(trace_of(runs, point, "acr"), MEGA)
        panels = [
            Panel("", RATE, traces=[Trace("", *acr)], limit=back),
            Panel("", "cells received (1000)", traces=[Trace("", *in_milliseconds(counted, 1000))], limit=effect),
        ]
        return shared_traces(f"figure-{number}", TITLES[number], panels, x_label=TIME, caption=caption(number))

    return make


def detail_sheet(runs: Runs) -> Sheet:
    """A part of the oscillation in figure 4."""
    point = watched(CRM_32)
    shown = {name: window(trace_of(runs, point, name), DETAIL_SPAN) for name in ("acr", "unack")}
    panels = [
        Panel("", RATE, traces=[Trace("", *in_milliseconds(shown["acr"], MEGA))]),
        Panel(
            "",
            "RM cells unanswered",
            traces=[Trace("", *in_milliseconds(shown["unack"], 1.0))],
            level=point.crm,
            level_label=f"Crm = {point.crm}",
        ),
    ]
    title = "Figure 4 in detail: 60 ms of the oscillation"
    return shared_traces("figure-4-detail", title, panels, x_label=TIME, caption=DETAIL_CAPTION)


def in_milliseconds(trace: Readings, scale: float, origin: float = 0.0) -> Readings:
    """A time series with times in milliseconds from `origin` on, and values in multiples of `scale`."""
    return [1e3 * (time - origin) for time in trace[0]], [value / scale for value in trace[1]]


# ------------------------------------------------------------------------------------------------ additional figures
def throughputs(
    runs: Runs, groups: Mapping[str, Mapping[float, Point]], x_label: str, suffixes: Mapping[str, str], *, log_x: bool
) -> list[Panel]:
    """Two panels, before and after the first feedback takes effect: one curve a group and kind of cell."""
    for places in groups.values():
        runs.require(list(places.values()))
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
    return Sheet("crm-sweep", "Throughput against Crm", CRM_CAPTION, panels, columns=2)


def turn_sheet(runs: Runs) -> Sheet:
    """Throughput against Crm, by the way in which RM cells wait at the destination."""
    names = {"overwrite": "newest only", "queue": "all queued", "idle": "idle way back"}
    groups = {
        names[turn]: {float(point.crm): point for point in grid.crm_sweep(turn, grid.TURN_CRMS)} for turn in TURNS
    }
    panels = throughputs(runs, groups, "Crm", {"": ""}, log_x=True)
    title = "RM cells that wait at the destination"
    return Sheet("turn-round", title, TURN_CAPTION, panels, columns=2)


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
    return Sheet("cdf-sweep", "Throughput against CDF", CDF_CAPTION, panels, columns=2)


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
    return Sheet("crm-bound", "The least Crm without a cut", BOUND_CAPTION, [panel])


def cuts_sheet(runs: Runs) -> Sheet:
    """Cuts against Crm."""
    curves = []
    for line, hops in grid.bound_networks():
        points, least = grid.bound_points(line, hops), grid.least_crm(line, hops)
        runs.require(points)
        places = {point.crm / least: point for point in points}
        curves.append(curve(runs, "cuts", places, label=f"{line} Mb/s, {counted(hops, 'hop')}: {least}"))
    panel = Panel("Crm as a share of the number named", "cuts", curves=curves, bottom=-4.0, each_seed=False)
    return Sheet("crm-cuts", "Cuts before the first feedback", CUTS_CAPTION, [panel])


def exposure_sheet(runs: Runs) -> Sheet:
    """Crm against TBE."""
    found, exact = {}, {}
    for point in grid.exposure_points():
        found[point.amount] = {1: (runs.mean("cells_sent", point) - 1) / NRM - (runs.mean("cuts", point) - 1)}
        exact[point.amount] = {0: float(abr.crm(round(point.amount)))}
    curves = [Curve("by runs", found), Curve("TBE / 32, rounded up", exact, 0, exact=True)]
    panel = Panel("TBE (cells)", "Crm", curves=curves, log_x=True, log_y=True, each_seed=False)
    return Sheet("exposure", "Crm by TBE", EXPOSURE_CAPTION, [panel])


def trigger_sheet(runs: Runs) -> Sheet:
    """The rate on a short line whose way back is slow or congested."""
    slow, congested = grid.ratio_points(), grid.video_points()
    runs.require([*slow, *congested])
    ratios = {"slow way back": [point.amount for point in slow]}
    ratios["video on the way back"] = [runs.mean("ratio", point) for point in congested]
    traces = [
        Trace(label, ratio, [runs.mean("acr.mean", point) / MEGA for point in points])
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
    return Sheet("trigger", "Rule 6 in congestion", TRIGGER_CAPTION, [panel])


def pause_sheet(runs: Runs) -> Sheet:
    """The rate from the start on, and from the end of a pause on."""
    point = grid.pause_points()["again"]
    acr = trace_of(runs, point, "acr")
    panels = []
    back = 1e3 * point.connection.first_feedback()
    for title, origin in (("from the start", 0.0), ("from the end of the pause", PAUSE_FROM + point.amount)):
        shown = window(acr, (origin, origin + LATE[1]))
        trace = Trace("", *in_milliseconds(shown, MEGA, origin))
        panels.append(Panel(TIME, RATE, traces=[trace], title=title, limit=back, limit_label="first feedback"))
    return Sheet("pause", "An idle period, and the start", PAUSE_CAPTION, panels, columns=2)


def rule_5_sheet(runs: Runs) -> Sheet:
    """The rate around pauses, where ICR is low."""
    panels = []
    for name in ("short", "long"):
        point = grid.pause_points()[name]
        resumed = PAUSE_FROM + point.amount
        shown = window(trace_of(runs, point, "acr"), (0.0, resumed + LATE[1]))
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
    return Sheet("rule-5", "Use it or lose it: ADTF", RULE_5_CAPTION, panels, columns=2)


def broken_sheet(runs: Runs) -> Sheet:
    """The rate after a link broke, and the losses."""
    points = grid.broken_points()
    runs.require(points)
    traces = [
        Trace(f"Crm = {point.crm}", *in_milliseconds(window(trace_of(runs, point, "acr"), (1.1, grid.BREAK_END)), MEGA))
        for point in points
        if point.crm in grid.SHOWN_BREAKS
    ]
    lost = curve(runs, "cells_lost", {float(point.crm): point for point in points}, label="", hue=0, scale=1e-3)
    panels = [
        Panel(TIME, RATE, traces=traces, limit=1e3 * grid.BREAK_AT, limit_label="the line breaks", marked=True),
        Panel("Crm", "cells lost (1000)", curves=[lost], log_x=True, each_seed=False),
    ]
    return Sheet("broken-link", "A broken link", BROKEN_CAPTION, panels, columns=2)


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {
    "2": [decay_sheet],
    "4": [over_satellite(4), detail_sheet],
    "5": [over_satellite(5)],
}
BESIDE: Sequence[Callable[[Runs], Sheet]] = (
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
