"""Additional figures of the EPRCA study: sensitivity, interpretations, bursts, fairness, and runs without video."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from penstock.plot import Panel, Sheet, Trace, heat_map, shared_traces
from penstock.studies.drawing import Quantity, drawn, extent
from penstock.studies.eprca import captions, grid
from penstock.studies.eprca.figures import (
    LONGEST,
    MEAN,
    PER_CENT,
    TIME,
    USE,
    begun,
    named,
    panel_of,
    panels_of,
)
from penstock.studies.eprca.grid import FOUR, LAN, SCHEMES, WAN, WATCHED, Point
from penstock.studies.eprca.runs import MBPS, Runs, acr, in_ms
from penstock.studies.runs import MissingRunError

FAIRNESS = Quantity("fairness", "Jain's index", top=1.0, floor=0.98)
Row = Mapping[str, Sequence[Point]]
"""The lines of a map: the points of each, by its name."""


def beside_figures(runs: Runs) -> Iterator[Sheet]:
    """All figures that have runs."""
    return drawn(MAKERS, runs)


def told(runs: Runs, caption: str, points: Sequence[Point], drawn: str = captions.DRAWN) -> str:
    """A caption with a description of the marks, and the number of runs."""
    if not any(point in runs.measures for point in points):
        raise MissingRunError(str(points[0]))
    few = min(runs.wanted, grid.BESIDE_SEEDS)
    beside = set(grid.beside_points())
    wanted = {point: few if point in beside else runs.wanted for point in points}
    return " ".join(filter(None, [caption, drawn, extent(runs, points, wanted)]))


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
        told_of = captions.USE if quantity is USE else captions.QUEUE
        return heat_map(
            name,
            title,
            {
                (place(point), line): {
                    seed: quantity.scale * value for seed, value in runs.by_seed(quantity.measure, point).items()
                }
                for line, points in lines.items()
                for point in points
            },
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
        return rows(), lambda point: point.qt, "QT (cells)", captions.THRESHOLDS
    return rows(), lambda point: point.air, "AIR (kb/s for each cell)", captions.RATES


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
            caption=f"{about} {captions.LEAD}",
            each_is="seeds",
        )

    return make


def lead(runs: Runs, eds: Point) -> dict[int, float]:
    """The BES's link use less the better of the EDS's and the EFCI switch's, in points, all at the same settings."""
    bes = replace(eds, scheme="bes", mrf=grid.MRF)
    efci = replace(eds, scheme="efci", mrf=grid.MRF, dqt=grid.DQT)
    own, down, marking = (runs.by_seed("use", point) for point in (bes, eds, efci))
    seeds = sorted(own.keys() & down.keys() & marking.keys())
    return {seed: PER_CENT * (own[seed] - max(down[seed], marking[seed])) for seed in seeds}


# ------------------------------------------------------------------------------------------------- one thing changed
def burst_sheet(runs: Runs) -> Sheet:
    """Video cells evenly over the frame time, or as a burst."""
    kinds = {"even": list(WATCHED.values()), "burst": [grid.burst(point) for point in WATCHED.values()]}
    caption = told(runs, captions.BURST, [point for points in kinds.values() for point in points])
    return Sheet("burst", "Video cells: even, or as bursts", caption, labelled(runs, kinds), columns=2)


def calm_sheet(runs: Runs) -> Sheet:
    """With video and without."""
    kinds = {
        "with video": list(WATCHED.values()),
        "without video": [grid.calm(point.scheme, point.tau) for point in WATCHED.values()],
    }
    caption = told(runs, captions.CALM, [point for points in kinds.values() for point in points])
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
    caption = told(runs, captions.FORWARD, points_of(places))
    panels = panels_of(runs, places, "tau (ms)", (LONGEST, USE), log_x=True)
    return Sheet("er-written", "EPRCA++: ER written on the way back or forward", caption, panels, columns=2)


def reading_sheet(runs: Runs) -> Sheet:
    """Two interpretations of EPRCA++'s fair share."""
    places = {
        f"{share} rate, tau = {tau:g} ms": {point.target: point for point in grid.reading(share, tau)}
        for share in ("available", "target")
        for tau in (LAN, WAN)
    }
    caption = told(runs, captions.READING, points_of(places))
    panels = panels_of(runs, places, "target utilisation", (LONGEST, MEAN, USE))
    return Sheet("fair-share", "EPRCA++: two interpretations of the fair share", caption, panels, columns=3)


def reading_number_sheet(runs: Runs) -> Sheet:
    """The same against the number of connections."""
    places: dict[str, dict[float, Point]] = {}
    for share in ("available", "target"):
        for tau in (LAN, WAN):
            points = grid.against_number(Point("plus", fair_share=share), tau)
            places[f"{share} rate, tau = {tau:g} ms"] = {point.connections: point for point in points}
    caption = told(runs, captions.READING, points_of(places))
    panels = panels_of(runs, places, "number of connections", (LONGEST, MEAN, USE))
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
    caption = told(runs, captions.FAIRNESS, [point for points in kinds.values() for point in points.values()], "")
    curves = [named(runs, points, FAIRNESS, label, hue) for hue, (label, points) in enumerate(kinds.items())]
    return Sheet("fairness", "Fairness among the connections", caption, [panel_of(FAIRNESS, curves)])


def steps_sheet(runs: Runs) -> Sheet:
    """The rates when the connections start, without video."""
    panels = []
    for name in FOUR:
        rates = [in_ms(rate, MBPS) for rate in acr(runs.steps, grid.calm(name))]
        traces = [Trace(f"connection {each}", *begun(rates[each - 1], each)) for each in (1, 2, 5, 10)]
        panels.append(Panel("", f"{SCHEMES[name].name}, ACR (Mb/s)", traces=traces))
    return shared_traces(
        "steps", "Rates after the start of each connection", panels, x_label=TIME, caption=captions.STEPS
    )


MAKERS: Sequence[Callable[[Runs], Sheet]] = (
    lead_map("map-lead-thresholds", "Where the BES leads: thresholds", threshold_rows),
    lead_map("map-lead-rates", "Where the BES leads: increase and major reduction", increase_rows),
    setting_map("map-use-thresholds", "Link use against the thresholds", threshold_rows, USE),
    setting_map("map-use-rates", "Link use against increase and major reduction", increase_rows, USE),
    setting_map("map-queue-thresholds", "Mean queue against the thresholds", threshold_rows, MEAN),
    setting_map("map-queue-rates", "Mean queue against increase and major reduction", increase_rows, MEAN),
    reading_sheet,
    reading_number_sheet,
    forward_sheet,
    burst_sheet,
    calm_sheet,
    fairness_sheet,
    steps_sheet,
)
