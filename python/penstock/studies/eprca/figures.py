"""Figures 2 to 14 of the EPRCA paper, drawn from the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet, Trace, shared_traces
from penstock.studies.drawing import Quantity, curve, extent
from penstock.studies.eprca.captions import DRAWN, SERIES, STATES, THROUGHPUT, TITLES
from penstock.studies.eprca.grid import (
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
from penstock.studies.eprca.runs import MBPS, Runs, acr, across, in_ms, total_allowed, windows
from penstock.studies.runs import MissingRunError, mean

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


LONGEST = Quantity("queue.max", "longest ABR queue (cells)", log_y=True)
MEAN = Quantity("queue.mean", "mean ABR queue (cells)")
USE = Quantity("use", "link use (%)", PER_CENT, 100.5, LEAST_USE)


def paper_figures(runs: Runs, numbers: Sequence[int]) -> Iterator[Sheet]:
    """The figures of the paper, as far as there are runs for them."""
    for number in numbers:
        try:
            if number in WATCHED:
                yield series_sheet(runs, number)
            elif number == 10:
                yield throughput_sheet(runs)
            else:
                yield maximum_sheet(runs, number)
        except MissingRunError:
            continue


def told(runs: Runs, number: int, *further: str) -> str:
    """The caption of a figure of the paper."""
    points = figure_points(number)
    if not any(point in runs.measures for point in points):
        raise MissingRunError(str(points[0]))
    return " ".join([STATES[number], *further, extent(runs, points)])


def series_sheet(runs: Runs, number: int) -> Sheet:
    """Rates and the queue against time."""
    point = WATCHED[number]
    rates = acr(runs.watched, point)
    (seed,) = runs.watched.series[point]
    video, queue = (runs.watched.traces(point, "link", name)[seed] for name in ("throughput_0", "queue_1"))
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
                Trace(f"greatest of {len(queues)} seeds", *in_ms(across(queues, max)), hue=5),
                Trace(f"seed {seed}", *in_ms(queue), hue=0),
                Trace(f"mean of {len(queues)} seeds", *in_ms(across(queues, mean)), hue=TOTAL_HUE),
            ],
            level=None if point.scheme == "plus" else float(QT),
            level_label="" if point.scheme == "plus" else "QT",
        ),
    ]
    caption = told(runs, number, SERIES.format(seed=seed, seeds=len(queues)))
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
                    Trace(f"ABR, mean of {len(abr)} seeds", *averaged, hue=6),
                ],
                top=LINK,
            )
        )
    caption = told(runs, 10, THROUGHPUT.format(window=1000 * WINDOW_S, seed=seed, seeds=len(abr)))
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
        told(runs, number, DRAWN),
        panels_of(runs, places, x_label, (LONGEST, MEAN, USE), log_x=number == 12),
        columns=3,
    )


def panels_of(
    runs: Runs,
    places: Mapping[str, Mapping[float, Point]],
    x_label: str,
    quantities: Sequence[Quantity],
    *,
    log_x: bool = False,
) -> list[Panel]:
    """One panel a quantity, with one curve for each name; `places` has the point at each x."""
    panels = []
    for quantity in quantities:
        curves = [
            curve(runs, quantity.measure, points, scale=quantity.scale, label=label) for label, points in places.items()
        ]
        panels.append(panel_of(quantity, curves, x_label, log_x=log_x))
    return panels


def panel_of(quantity: Quantity, curves: Sequence[Curve], x_label: str = "", *, log_x: bool = False) -> Panel:
    """A panel of one quantity; an axis without its own bottom begins below the least value."""
    values = [value for each in curves for found in each.points.values() for value in found.values()]
    return Panel(
        x_label,
        quantity.label,
        curves=curves,
        top=quantity.top,
        bottom=0.0 if quantity.floor is None else min([quantity.floor, *(0.98 * value for value in values)]),
        log_x=log_x,
        log_y=quantity.log_y,
        each_seed=False,
    )


def named(runs: Runs, points: Mapping[str, Point], quantity: Quantity, label: str, hue: int) -> Curve:
    """A measure at named points, side by side."""
    values = {name: runs.by_seed(quantity.measure, point) for name, point in points.items()}
    return Curve(
        label,
        {name: {seed: quantity.scale * value for seed, value in found.items()} for name, found in values.items()},
        hue,
    )
