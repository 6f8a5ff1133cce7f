"""The figures of the EPRCA study: 2 to 14 of the paper, and additional figures.

The plots of the paper are lost; the captions repeat its text on each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from penstock.core.counts import counted
from penstock.plot import Curve, Panel, Sheet, Trace, heat_map, shared_traces
from penstock.studies.drawing import Quantity, against, captioned, panel_of, scaled
from penstock.studies.eprca import grid
from penstock.studies.eprca.grid import (
    CONNECTIONS,
    CURVES,
    FOUR,
    LAN,
    LINK_BPS,
    QT,
    SCHEMES,
    WAN,
    WATCHED,
    Point,
    against_number,
    against_target,
    against_tau,
    figure_points,
)
from penstock.studies.eprca.measures import MBPS, Runs, acr, across, in_ms, total_allowed, windows
from penstock.studies.runs import mean

TITLES = {
    **{
        number: f"Figure {number}: {SCHEMES[point.scheme].name}, tau = {point.tau:g} ms, {CONNECTIONS} connections"
        for number, point in WATCHED.items()
    },
    10: "Figure 10: aggregate throughput, tau = 1 ms, 10 connections",
    11: "Figure 11: EPRCA++, longest ABR queue against the target, tau = 1 ms, 10 connections",
    12: "Figure 12: longest ABR queue against tau, 10 connections",
    13: "Figure 13: longest ABR queue against the number of connections, tau = 0.01 ms",
    14: "Figure 14: longest ABR queue against the number of connections, tau = 1 ms",
}

LAN_CAPTION = (
    "The paper on figures 2 to 5: the rates rise and fall with the video's rate; in a LAN no "
    "scheme is bad beside video, and EPRCA++ is best."
)
WAN_CAPTION = (
    "The paper on figures 6 to 10: with the longer delay the BES uses the link best; the EFCI switch notifies too "
    "slowly, and the EDS reduces all rates too often."
)
EXPLOSION_CAPTION = (
    "The paper on figure 9: at a target of 0.95 the queue of EPRCA++ explodes, because the rates are out of date when "
    "they reach the sources; a target of 0.85 would avoid it."
)
STATES = {
    **dict.fromkeys((2, 3, 4, 5), LAN_CAPTION),
    **dict.fromkeys((6, 7, 8, 10), WAN_CAPTION),
    9: EXPLOSION_CAPTION,
    11: "The paper on figure 11: the queue grows rapidly unless the target is set properly, and a target only slightly "
    "too high has a serious effect.",
    12: "The paper on figure 12: on the effect of tau the text says only that EPRCA is good at any scale of the "
    "network, and that EPRCA++ is hard to use in a WAN.",
    13: "The paper on figure 13: EPRCA is good, and EPRCA++ is almost optimal in a LAN.",
    14: "The paper on figure 14: EPRCA is good, and EPRCA++ is hard to use in a WAN.",
}
DRAWN = "Means over seeds with their 95 % intervals; the queue is the longest in 300 ms, link use counts from 50 ms on."
SERIES_CAPTION = (
    "Rates: the ACR of connections, the sum of ACR over started connections, and the video cells that leave. "
    "The nth connection starts at 5 (n - 1) ms. Seed {seed}; below also the mean and the greatest of {seeds} seeds, "
    "each with other video."
)
THROUGHPUT_CAPTION = (
    "Cells that leave the switch, means over {window:g} ms; their sum is the load of the link. Seed {seed}, and the "
    "mean of ABR over {seeds} seeds."
)

THRESHOLDS_CAPTION = (
    "EPRCA at tau = 1 ms against the threshold QT, with the second threshold DQT as a multiple of it; 100 and 200 "
    "cells elsewhere. The EFCI switch has no DQT."
)
RATES_CAPTION = (
    "EPRCA at tau = 1 ms against the additive increase AIR for each cell and, for the EDS, the factor MRF of a major "
    "reduction; 53 kb/s and 0.25 elsewhere."
)
USE_CAPTION = "Link use from 50 ms on."
QUEUE_CAPTION = "Mean ABR queue from 50 ms on."
LEAD_CAPTION = (
    "Link use of the BES minus that of the better of the other two, in points: above 0 it is best, as in the paper "
    "with its own parameters, which are lost."
)
BURST_CAPTION = (
    "A video frame's cells are sent evenly over the frame's time, as in all other figures, or as a burst at 14.84 Mb/s "
    "from its start."
)
FORWARD_CAPTION = (
    "EPRCA++ writes its rate into RM cells on their way back, as in all other figures, or on their way forward: then "
    "it returns by way of the destination. The paper says that its notification is like FECN."
)
SHARE_CAPTION = (
    "EPRCA++ beside video. Its fair share is a part of the target rate, as in all other figures, or of the whole "
    "available rate, as in the example that the paper prints: connections at that share fill the link at any target, "
    "and no queue drains."
)
READING_CAPTION = (
    "The three switches of EPRCA, and EPRCA++ under four readings, at a target of 0.95: its fair share as a part of "
    "the target rate or of the whole available rate, ER written on the way back or forward. No reading has both the "
    "shortest queue of all in the LAN and a queue that explodes in the WAN."
)
FAIRNESS_CAPTION = (
    "Jain's index of the cells delivered to each connection from 50 ms on, 1 if all get the same; with video and "
    "without. Ten connections."
)
STEPS_CAPTION = (
    "Without video, tau = 1 ms: a connection starts every 5 ms. The paper: EPRCA++ sets all rates within one round "
    "trip, which is 2 ms here, and is fairer and more responsive than EPRCA."
)
CALM_CAPTION = (
    "Without video, tau = 1 ms and 0.01 ms: the schemes alone. Ten connections; longest queue of all "
    "300 ms, mean queue and link use from 50 ms on."
)

PER_CENT = 100.0
TIME = "time (ms)"
LINK = LINK_BPS * MBPS
SHOWN = (1, 4, 7, 10)
"""The connections whose rates are drawn."""
VIDEO_HUE, TOTAL_HUE = 1, 3
WINDOW_S, SMOOTH_S = 0.002, 0.001
"""Window of the means for throughputs and the rate of video, so that single cells do not count."""
LEAST_USE = 90.0
"""The start of axes of link use, in per cent, or less, so that a full link looks full."""

LONGEST = Quantity("longest_queue", "longest ABR queue (cells)", log_y=True)
MEAN = Quantity("queue_mean", "mean ABR queue (cells)")
USE = Quantity("utilisation", "link use (%)", PER_CENT, 100.5, LEAST_USE)
FAIRNESS = Quantity("fairness", "Jain's index", top=1.0, floor=0.98)

Row = Mapping[str, Sequence[Point]]
"""The lines of a map: the points of each, by its name."""


def paper_figure(number: int) -> Callable[[Runs], Sheet]:
    """One figure of the paper."""

    def make(runs: Runs) -> Sheet:
        if number in WATCHED:
            return series_sheet(runs, number)
        return throughput_sheet(runs) if number == 10 else maximum_sheet(runs, number)

    return make


def series_sheet(runs: Runs, number: int) -> Sheet:
    """Rates and the queue against time."""
    point = WATCHED[number]
    watched = runs.of_kind("watched")
    rates = acr(watched, point)
    (seed,) = watched.series[point]
    video, queue = (watched.traces(point, "link", name)[seed] for name in ("throughput_0", "queue_1"))
    video = windows(video, SMOOTH_S)
    queues = runs.traces(point, "link", "queue_1")
    total = total_allowed(rates)
    panels = [
        Panel(
            "",
            "aggregate rate (Mb/s)",
            traces=[
                Trace("ABR allowed", *in_ms(total, MBPS), hue=0),
                Trace("video", *in_ms(video, MBPS), hue=VIDEO_HUE),
            ],
            level=LINK,
            level_label="the link",
        ),
        Panel(
            "",
            "ACR (Mb/s)",
            traces=[Trace(f"connection {each}", *begun(in_ms(rates[each - 1], MBPS), each)) for each in SHOWN],
            log_y=True,
        ),
        Panel(
            "",
            "ABR queue (cells)",
            traces=[
                Trace(f"greatest of {counted(len(queues), 'seed')}", *in_ms(across(queues, max)), hue=5),
                Trace(f"seed {seed}", *in_ms(queue), hue=0),
                Trace(f"mean of {counted(len(queues), 'seed')}", *in_ms(across(queues, mean)), hue=TOTAL_HUE),
            ],
            level=None if point.scheme == "plus" else float(QT),
            level_label="" if point.scheme == "plus" else "QT",
        ),
    ]
    caption = captioned(
        runs, figure_points(number), STATES[number], SERIES_CAPTION.format(seed=seed, seeds=len(queues))
    )
    return shared_traces(f"figure-{number}", TITLES[number], panels, x_label=TIME, caption=caption)


def begun(trace: tuple[list[float], list[float]], connection: int) -> tuple[list[float], list[float]]:
    """A connection's rate, in ms, from its beginning on."""
    kept = [(at, rate) for at, rate in zip(*trace, strict=True) if at >= 5.0 * (connection - 1)]
    return [at for at, _ in kept], [rate for _, rate in kept]


def throughput_sheet(runs: Runs) -> Sheet:
    """The cells that leave the switch, scheme by scheme, in panels on one time axis."""
    panels = []
    for name in FOUR:
        point = Point(name)
        abr, video = (runs.traces(point, "link", f"throughput_{priority}") for priority in (1, 0))
        seed = min(abr)
        own, other = (in_ms(windows(each[seed], WINDOW_S), MBPS) for each in (abr, video))
        both = [one + two for one, two in zip(own[1], other[1], strict=True)]
        averaged = in_ms(windows(across(abr, mean), WINDOW_S), MBPS)
        panels.append(
            Panel(
                "",
                f"{SCHEMES[name].name} (Mb/s)",
                traces=[
                    Trace("link", own[0], both, hue=TOTAL_HUE),
                    Trace("ABR", *own, hue=0),
                    Trace("video", *other, hue=VIDEO_HUE),
                    Trace(f"ABR, mean of {counted(len(abr), 'seed')}", *averaged, hue=6),
                ],
                top=LINK,
            )
        )
    about = THROUGHPUT_CAPTION.format(window=1000 * WINDOW_S, seed=seed, seeds=len(abr))
    caption = captioned(runs, figure_points(10), STATES[10], about)
    return shared_traces("figure-10", TITLES[10], panels, x_label=TIME, caption=caption)


def maximum_sheet(runs: Runs, number: int) -> Sheet:
    """The longest queue, link use and mean queue against the target, tau or the number of connections."""
    places: Mapping[str, Mapping[float, Point]]
    if number == 11:
        names = {"even": "with video", "none": "without video"}
        places = {label: {point.target: point for point in against_target(video)} for video, label in names.items()}
        x_label = "target utilisation"
    elif number == 12:
        places = {label: {point.tau: point for point in against_tau(each)} for label, each in CURVES.items()}
        x_label = "tau (ms)"
    else:
        tau = LAN if number == 13 else WAN
        places = {
            label: {point.connections: point for point in against_number(each, tau)} for label, each in CURVES.items()
        }
        x_label = "number of connections"
    return Sheet(
        f"figure-{number}",
        TITLES[number],
        captioned(runs, figure_points(number), STATES[number], DRAWN),
        against(runs, places, x_label, (LONGEST, MEAN, USE), log_x=number == 12),
        columns=3,
    )


def named(runs: Runs, points: Mapping[str, Point], quantity: Quantity, label: str, hue: int) -> Curve:
    """A measure at named points, side by side."""
    return Curve(label, {name: scaled(runs, quantity, point) for name, point in points.items()}, hue)


# --------------------------------------------------------------------------------------------------------------- maps
def threshold_rows() -> Row:
    """The switches against QT, each with several DQT."""
    rows = {"EFCI": grid.by_thresholds("efci", 2.0)}
    for name in ("bes", "eds"):
        rows |= {f"{name.upper()}, DQT {ratio:g} QT": grid.by_thresholds(name, ratio) for ratio in grid.RATIOS}
    return rows


def increase_rows() -> Row:
    """The switches against AIR, the EDS with several MRF."""
    return {
        "EFCI": grid.by_increase("efci"),
        "BES": grid.by_increase("bes"),
        **{f"EDS, MRF {mrf:g}": grid.by_increase("eds", mrf) for mrf in grid.MRFS},
    }


def setting_map(name: str, title: str, rows: Callable[[], Row], quantity: Quantity) -> Callable[[Runs], Sheet]:
    """A measure of all three switches against two parameters."""

    def make(runs: Runs) -> Sheet:
        lines, place, x_label, about = axes_of(rows)
        told_of = USE_CAPTION if quantity is USE else QUEUE_CAPTION
        return heat_map(
            name,
            title,
            {(place(point), line): scaled(runs, quantity, point) for line, points in lines.items() for point in points},
            x_label=x_label,
            y_label="",
            quantity=quantity.label,
            caption=f"{about} {told_of}",
            each_is="seeds",
        )

    return make


def axes_of(rows: Callable[[], Row]) -> tuple[Row, Callable[[Point], float], str, str]:
    """The lines of a map, the place of a point in its line, and the captions."""
    if rows is threshold_rows:
        return rows(), lambda point: point.qt, "QT (cells)", THRESHOLDS_CAPTION
    return rows(), lambda point: point.air, "AIR (kb/s for each cell)", RATES_CAPTION


def lead_map(name: str, title: str, rows: Callable[[], Row]) -> Callable[[Runs], Sheet]:
    """By how many points of link use the BES leads, for each line of the EDS."""

    def make(runs: Runs) -> Sheet:
        lines, place, x_label, about = axes_of(rows)
        values = {}
        for line, points in lines.items():
            if line.startswith("EDS"):
                for point in points:
                    values[place(point), line.removeprefix("EDS, ")] = lead(runs, point)
        return heat_map(
            name,
            title,
            values,
            x_label=x_label,
            y_label="",
            quantity="lead of the BES (points of link use)",
            caption=f"{about} {LEAD_CAPTION}",
            each_is="seeds",
        )

    return make


def lead(runs: Runs, eds: Point) -> dict[int, float]:
    """The BES's link use less the better of the EDS's and the EFCI switch's, in points, all at the same settings."""
    bes = replace(eds, scheme="bes", mrf=grid.MRF)
    efci = replace(eds, scheme="efci", mrf=grid.MRF, dqt=grid.DQT)
    own, down, marking = (runs.by_seed("utilisation", point) for point in (bes, eds, efci))
    seeds = sorted(own.keys() & down.keys() & marking.keys())
    return {seed: PER_CENT * (own[seed] - max(down[seed], marking[seed])) for seed in seeds}


# ------------------------------------------------------------------------------------------------- one thing changed
def burst_sheet(runs: Runs) -> Sheet:
    """Video cells evenly over the frame time, or as a burst."""
    kinds = {"even": list(WATCHED.values()), "burst": [grid.burst(point) for point in WATCHED.values()]}
    caption = captioned(runs, [point for points in kinds.values() for point in points], BURST_CAPTION, DRAWN)
    return Sheet("burst", "Video cells: even, or as bursts", caption, labelled(runs, kinds), columns=2)


def calm_sheet(runs: Runs) -> Sheet:
    """With video and without."""
    kinds = {
        "with video": list(WATCHED.values()),
        "without video": [grid.calm(point.scheme, point.tau) for point in WATCHED.values()],
    }
    caption = captioned(runs, [point for points in kinds.values() for point in points], CALM_CAPTION, DRAWN)
    return Sheet("without-video", "With video and without", caption, labelled(runs, kinds), columns=2)


def labelled(runs: Runs, kinds: Mapping[str, Sequence[Point]]) -> list[Panel]:
    """Longest queue and link use at the points of figures 2 to 9, once for each kind."""
    return [
        panel_of(
            replace(quantity, label=quantity.label.replace(" (", f", tau = {tau:g} ms (")),
            [
                named(runs, {short(point): point for point in points if point.tau == tau}, quantity, label, hue)
                for hue, (label, points) in enumerate(kinds.items())
            ],
        )
        for quantity in (LONGEST, USE)
        for tau in (LAN, WAN)
    ]


def short(point: Point) -> str:
    """The switch of a point in one word."""
    return {"efci": "EFCI", "bes": "BES", "eds": "EDS", "plus": "EPRCA++"}[point.scheme]


def forward_sheet(runs: Runs) -> Sheet:
    """The RM cells into which EPRCA++ writes its rate."""
    places = {
        f"ER written {written}": {tau: grid.forward(tau, written) for tau in grid.FORWARD_TAUS}
        for written in ("backward", "forward")
    }
    caption = captioned(runs, points_of(places), FORWARD_CAPTION, DRAWN)
    panels = against(runs, places, "tau (ms)", (LONGEST, USE), log_x=True)
    return Sheet("er-written", "EPRCA++: ER written on the way back or forward", caption, panels, columns=2)


def reading_sheet(runs: Runs) -> Sheet:
    """All readings of EPRCA++, beside the switches of EPRCA."""
    panels = []
    for tau in (LAN, WAN):
        plus = Point("plus", tau)
        points = {short(Point(name)): Point(name, tau) for name in grid.EPRCA} | {"target, back": plus}
        names = ("available, back", "target, forward", "both", "CCR that returns")
        points |= dict(zip(names, grid.readings(plus).values(), strict=True))
        for quantity in (LONGEST, MEAN, USE):
            labelled_by_tau = replace(quantity, label=quantity.label.replace(" (", f", tau = {tau:g} ms ("))
            panels.append(panel_of(labelled_by_tau, [named(runs, points, quantity, "", 0)]))
    wanted = [point for tau in (LAN, WAN) for point in grid.readings(Point("plus", tau)).values()]
    caption = captioned(runs, wanted, READING_CAPTION, DRAWN)
    return Sheet("readings", "EPRCA++: four readings", caption, panels, columns=3)


def share_sheet(runs: Runs) -> Sheet:
    """Two fair shares of EPRCA++."""
    places = {
        f"{share} rate, tau = {tau:g} ms": {point.target: point for point in grid.against_share(share, tau)}
        for share in grid.SHARES
        for tau in (LAN, WAN)
    }
    caption = captioned(runs, points_of(places), SHARE_CAPTION, DRAWN)
    panels = against(runs, places, "target utilisation", (LONGEST, MEAN, USE))
    return Sheet("fair-share", "EPRCA++: two interpretations of the fair share", caption, panels, columns=3)


def share_number_sheet(runs: Runs) -> Sheet:
    """The same against the number of connections."""
    places: dict[str, dict[float, Point]] = {}
    for share in grid.SHARES:
        for tau in (LAN, WAN):
            points = grid.against_number(Point("plus", fair_share=share), tau)
            places[f"{share} rate, tau = {tau:g} ms"] = {point.connections: point for point in points}
    caption = captioned(runs, points_of(places), SHARE_CAPTION, DRAWN)
    panels = against(runs, places, "number of connections", (LONGEST, MEAN, USE))
    title = "EPRCA++: two interpretations of the fair share, target 0.95"
    return Sheet("fair-share-number", title, caption, panels, columns=3)


def points_of(places: Mapping[str, Mapping[float, Point]]) -> list[Point]:
    """The points of all curves."""
    return [point for points in places.values() for point in points.values()]


def fairness_sheet(runs: Runs) -> Sheet:
    """Jain's index of the four schemes."""
    kinds = {
        f"tau = {tau:g} ms, {label}": {short(point): point for point in (make(name, tau) for name in FOUR)}
        for tau in (LAN, WAN)
        for label, make in (("video", Point), ("no video", grid.calm))
    }
    caption = captioned(runs, [point for points in kinds.values() for point in points.values()], FAIRNESS_CAPTION)
    curves = [named(runs, points, FAIRNESS, label, hue) for hue, (label, points) in enumerate(kinds.items())]
    return Sheet("fairness", "Fairness among the connections", caption, [panel_of(FAIRNESS, curves)])


def steps_sheet(runs: Runs) -> Sheet:
    """The rates when the connections start, without video."""
    panels = []
    for name in FOUR:
        rates = [in_ms(rate, MBPS) for rate in acr(runs.of_kind("steps"), grid.calm(name))]
        traces = [Trace(f"connection {each}", *begun(rates[each - 1], each)) for each in (1, 2, 5, 10)]
        panels.append(Panel("", f"{SCHEMES[name].name}, ACR (Mb/s)", traces=traces))
    return shared_traces(
        "steps", "Rates after the start of each connection", panels, x_label=TIME, caption=STEPS_CAPTION
    )


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {str(number): [paper_figure(number)] for number in TITLES}
BESIDE: Sequence[Callable[[Runs], Sheet]] = (
    lead_map("map-lead-thresholds", "Where the BES leads: thresholds", threshold_rows),
    lead_map("map-lead-rates", "Where the BES leads: increase and major reduction", increase_rows),
    setting_map("map-use-thresholds", "Link use against the thresholds", threshold_rows, USE),
    setting_map("map-use-rates", "Link use against increase and major reduction", increase_rows, USE),
    setting_map("map-queue-thresholds", "Mean queue against the thresholds", threshold_rows, MEAN),
    setting_map("map-queue-rates", "Mean queue against increase and major reduction", increase_rows, MEAN),
    reading_sheet,
    share_sheet,
    share_number_sheet,
    forward_sheet,
    burst_sheet,
    calm_sheet,
    fairness_sheet,
    steps_sheet,
)
