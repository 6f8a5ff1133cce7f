"""The runs of the BECN study: one switch, N sources that never pause, and three ways to notify them of congestion.

The ready files `atm_lan/` define everything; here only the number of sources, the delay, the filter's period, the
threshold and the order within an instant change. Times are in cell times of the output line, one way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from penstock.studies import framework
from penstock.studies.framework import Reading, SeriesPoint, Wanted
from penstock.studies.runs import FULL_SEEDS


@dataclass(frozen=True, slots=True)
class Scheme:
    """A filter and the reaction of sources to a notice: its name, its ready file, and the levels of its sources."""

    name: str
    file: str
    peak: float
    levels: int

    @property
    def rates(self) -> tuple[float, ...]:
        """The rate at each level, as a share of the line: peak, then halves, the last is zero."""
        return (*(self.peak / 2**level for level in range(self.levels - 1)), 0.0)


SCHEMES = {
    "halve": Scheme("halve, simple filter, peak 25 %", "figure-2", 0.25, 6),
    "halve-output": Scheme("halve, simple filter, peak 25 %, recovery by the letter", "figure-2-letter", 0.25, 6),
    "halve-full": Scheme("halve, simple filter, peak 100 %", "full-rate", 1.0, 6),
    "stop": Scheme("stop, simple filter, peak 100 %", "figure-3", 1.0, 6),
    "per-vc": Scheme("halve, filter per VC, peak 100 %", "figure-4", 1.0, 9),
    "reserved": Scheme("halve, filter per VC, peak 100 %, below reserved traffic", "reserved-traffic", 1.0, 9),
}

FIGURES = (2, 3, 4)

THRESHOLD = 250
DELAYS = tuple(range(0, 101, 10))
COARSE = (0, 20, 50, 100)
SHORT = (0, 10, 20, 30)
"""The delays "of up to 30 cell times" of the text: a few switches."""
HALVE_PERIODS = (0, 1, 2, 4, 8)
STOP_PERIODS = (1, 2, 4, 8)
LETTER_PERIODS = (0, 2, 8)
FULL_RATE_PERIODS = (1, 4)
PER_VC_PERIOD = 768
HALVE_SOURCES, STOP_SOURCES = 20, 5
PER_VC_SOURCES = (2, 5, 10, 20, 50, 100)
FEW = (2, 5, 10, 20)
"""The numbers "up to about 20 sources", which are limited numbers, too."""
SHORT_PERIODS = dict.fromkeys(FEW, STOP_PERIODS[1:]) | {7: (4,), 8: (4,)}
"""The filter's periods over the short delays, by the number of sources that stop: those of figures, and two between."""

MANY = (5, 10, 20, 50)
"""Sources that stop on a notice: numbers up to too many for the simple filter."""
MANY_PERIOD = 4
FEWEST_AND_MOST = (MANY[0], MANY[-1])
MANY_DELAY = (20,)
"""The delay at which the claim on too many sources compares these two."""
THRESHOLDS = (50, 150, 250, 500)
THRESHOLD_SOURCES = 10
THRESHOLD_DELAYS = (10, 30, 50, 70, 90)
LONG = (200, 300, 400)
"""Delays of a network of some hundred kilometres: 0.6 km of fibre to a cell time."""
LONG_SOURCES = (5, 20)
MAP_PERIODS = (192, 384, 768, 1536)
MAP_DELAYS = (0, 100, 200, 400)
MAP_SOURCES = 20
ORDER_PERIOD = 4
ORDERS = ("random", "fixed")

RESERVED = (0, 5, 10)
"""Reserved connections, each of 5 % of the link."""
RESERVED_PART = 0.05
RESERVED_SOURCES = 20
RESERVED_DELAYS = (0, 50, 100)
BESIDE_SEEDS = FULL_SEEDS
"""The most seeds of the additional figures."""
WATCHED_DELAY = 50
WATCHED = {
    "no-filter": ("halve", HALVE_SOURCES, 0),
    "halve": ("halve", HALVE_SOURCES, 4),
    "stop": ("stop", STOP_SOURCES, 4),
    "per-vc": ("per-vc", 10, PER_VC_PERIOD),
}
"""The runs with queue, notices and rates drawn against time, one of each kind."""
WATCHED_END = 160_000
WATCHED_FROM = 140_000
PULSE_END = 400_000
SAMPLE = 32
GROWTH_DELAYS = (100,)
"""The delay at which the growth of the queue is measured: the longest, at which queues are longest."""
GROWTH_END = {"halve": 2_500_000, "stop": 2_500_000, "per-vc": 3_500_000}
"""The length of these runs, in cell times: about that of the figures, with their warm-up."""
GROWTH_SAMPLES = 1250
"""Their readings, whatever the length."""
GROWTH = {"growth": 1, "growth-long": 3}
"""The kinds of these runs, and how many times the length they have."""


ROOM = 1_000_000
"""Cells of the output's queue in the reading in which it would grow without end."""


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed."""

    scheme: str
    sources: int
    delay: int
    filter_period: int
    threshold: int = THRESHOLD
    order: str = "random"
    reserved: int = 0

    def __str__(self) -> str:
        told = f"{SCHEMES[self.scheme].name}, N = {self.sources}, D = {self.delay}, F = {self.filter_period}"
        if self.threshold != THRESHOLD:
            told += f", threshold {self.threshold}"
        if self.reserved:
            told += f", {self.reserved} reserved connections"
        return told if self.order == "random" else f"{told}, {self.order} order"

    @property
    def file(self) -> str:
        """The ready file of its scheme."""
        return f"atm_lan/{SCHEMES[self.scheme].file}"

    @property
    def changes(self) -> dict[str, object]:
        """What differs from it."""
        is_per_vc = self.scheme in ("per-vc", "reserved")
        changes: dict[str, object] = {
            "flow.source.count": self.sources,
            "flow.source.access.delay": f"{self.delay} cell times",
            "line.output.order": self.order,
            "line.output.congestion_point.becn.threshold": f"{self.threshold} cells",
            "line.output.congestion_point.becn.filter": {
                "per_vc" if is_per_vc else "simple": {"period": f"{self.filter_period} cell times"}
            },
        }
        if self.reserved:
            changes |= {"flow.reserved.count": self.reserved, "flow.reserved.access.delay": f"{self.delay} cell times"}
        if is_per_vc and self.filter_period != PER_VC_PERIOD:  # the shortest recovery is about the filter's period
            changes["flow.source.reaction_point.becn.recovery"] = {
                "by_level": {
                    "lowest": f"{self.filter_period} cell times",
                    "highest": f"{4 * self.filter_period} cell times",
                }
            }
        return changes


# ---------------------------------------------------------------------------------------------- points of the figures
def halve(period: int, delays: Sequence[int] = DELAYS, scheme: str = "halve", order: str = "random") -> list[Point]:
    """Halving with the simple filter, 20 sources, against delay."""
    return [Point(scheme, HALVE_SOURCES, delay, period, order=order) for delay in delays]


def stop(period: int, delays: Sequence[int] = DELAYS, sources: int = STOP_SOURCES) -> list[Point]:
    """Stopping with the simple filter, against delay."""
    return [Point("stop", sources, delay, period) for delay in delays]


def per_vc(sources: int, delays: Sequence[int] = DELAYS, threshold: int = THRESHOLD) -> list[Point]:
    """The filter per VC, against delay."""
    return [Point("per-vc", sources, delay, PER_VC_PERIOD, threshold) for delay in delays]


def reserving(connections: int) -> list[Point]:
    """The filter per VC below reserved traffic, against delay; without reserved traffic it is that of figure 4."""
    if not connections:
        return per_vc(RESERVED_SOURCES, RESERVED_DELAYS)
    return [
        Point("reserved", RESERVED_SOURCES, delay, PER_VC_PERIOD, reserved=connections) for delay in RESERVED_DELAYS
    ]


def mapped() -> list[Point]:
    """The filter per VC with other periods, and with them other recoveries."""
    return [Point("per-vc", MAP_SOURCES, delay, period) for period in MAP_PERIODS for delay in MAP_DELAYS]


def figure_points(figure: int) -> list[Point]:
    """The points of one figure of the paper."""
    if figure == 2:
        return [point for period in HALVE_PERIODS for point in halve(period)]
    if figure == 3:
        return [point for period in STOP_PERIODS for point in stop(period)]
    return [point for sources in PER_VC_SOURCES for point in per_vc(sources)]


def claimed_points() -> list[Point]:
    """What the claims read beside the figures."""
    return [
        *halve(0, COARSE[1:], "halve-output"),
        *(point for period in FULL_RATE_PERIODS for point in halve(period, COARSE, "halve-full")),
        *(point for sources in FEWEST_AND_MOST for point in stop(MANY_PERIOD, MANY_DELAY, sources)),
        *(point for few, periods in SHORT_PERIODS.items() for each in periods for point in stop(each, SHORT, few)),
        *(point for threshold in THRESHOLDS for point in per_vc(THRESHOLD_SOURCES, THRESHOLD_DELAYS, threshold)),
        *(point for sources in LONG_SOURCES for point in per_vc(sources, LONG)),
        *(point for connections in RESERVED[1:] for point in reserving(connections)),
    ]


def beside_points() -> list[Point]:
    """The additional runs: each point once, without those of the figures. Claims read some, the others are drawn."""
    wanted = [
        *claimed_points(),
        *(point for period in LETTER_PERIODS for point in halve(period, COARSE, "halve-output")),
        *(point for sources in MANY for point in stop(MANY_PERIOD, COARSE, sources)),
        *mapped(),
        *halve(ORDER_PERIOD, COARSE, order="fixed"),
    ]
    shown = {point for figure in FIGURES for point in figure_points(figure)}
    return [point for point in dict.fromkeys(wanted) if point not in shown]


def watched_point(name: str) -> Point:
    """The point of a run that is drawn against time."""
    scheme, sources, period = WATCHED[name]
    return Point(scheme, sources, WATCHED_DELAY, period)


def series_points() -> list[Wanted[Point]]:
    """The points whose time series are stored: those that are drawn, and those whose oscillation is measured."""
    watched: list[Wanted[Point]] = [(with_series(watched_point(name), "watched", WATCHED_END), 1) for name in WATCHED]
    pulses = [with_series(point, "pulse", PULSE_END) for point in pulse_points()]
    lasting = [growing(point, kind) for kind in GROWTH for point in growth_points()]
    return [*watched, *((each, BESIDE_SEEDS) for each in (*pulses, *lasting))]


def growing(point: Point, kind: str) -> SeriesPoint[Point]:
    """A point with few readings of a long run."""
    end = GROWTH[kind] * GROWTH_END[point.scheme]
    return with_series(point, kind, end, end // GROWTH_SAMPLES)


def with_series(point: Point, kind: str, end: int, sample: int = SAMPLE) -> SeriesPoint[Point]:
    """A point with time series from the start, for so many cell times."""
    changes = {
        "duration": f"{end} cell times",
        "warm_up": "0 cell times",
        "stop": None,
        "measure.sample": f"{sample} cell times",
        "measure.sample_flows": kind == "watched",
    }
    return SeriesPoint(point, kind, changes)


def pulse_points() -> list[Point]:
    """The points whose oscillation's period is measured: the simple filter's periods."""
    return [Point("halve", HALVE_SOURCES, WATCHED_DELAY, period) for period in HALVE_PERIODS]


def growth_points() -> list[Point]:
    """The points whose queue's growth is measured: every curve of the figures, at its longest delay."""
    return [
        *(point for period in HALVE_PERIODS for point in halve(period, GROWTH_DELAYS)),
        *(point for period in STOP_PERIODS for point in stop(period, GROWTH_DELAYS)),
        *(point for sources in PER_VC_SOURCES for point in per_vc(sources, GROWTH_DELAYS)),
    ]


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points to run for a figure, or for all: those of the figures, the additional ones, and time series."""
    if figure is not None:
        return [(point, None) for point in figure_points(int(figure))]
    shown = [(point, None) for number in FIGURES for point in figure_points(number)]
    return [*shown, *((point, BESIDE_SEEDS) for point in beside_points()), *series_points()]


# --------------------------------------------------------------------------------------------------- other readings
def judged_points() -> list[Wanted[Point]]:
    """What the other readings run: what the claims read, and no figure alone."""
    drawn = {*beside_points()} - {*claimed_points()}
    return [
        each
        for each in points(None)
        if each[0] not in drawn and not (isinstance(each[0], SeriesPoint) and each[0].kind == "watched")
    ]


def only(schemes: Sequence[str], path: str, value: object) -> Callable[[Point], Mapping[str, object]]:
    """A change of the points of some schemes."""
    return lambda point: {path: value} if point.scheme in schemes else {}


def in_fixed_order(point: Point) -> dict[str, object]:
    """The changes of a point for cells in the order of the sources.

    The same sources get each notice. With 50 sources that stop, some are never notified, and nothing but a limit bounds
    the queue: a run would fill the memory of the machine.
    """
    order: dict[str, object] = {"line.output.order": "fixed"} if point.order == "random" else {}
    limit = [{"drop_tail": {"size": f"{ROOM} cells"}}]
    return order | ({"line.output.queues": limit} if (point.scheme, point.sources) == ("stop", MANY[-1]) else {})


PER_VC = ("per-vc", "reserved")
SOURCE = "flow.source"
READINGS: tuple[Reading[Point], ...] = (
    Reading(
        "together",
        "sources at the full rate start within one cell interval, so all in one slot",
        "at random moments within the shortest recovery period: the paper measures its steady state",
        "text",
        only(("halve-full", "stop", *PER_VC), f"{SOURCE}.traffic.greedy.phase", "1 cell time"),
    ),
    Reading(
        "letter",
        "figure 2's recovery of 128 is counted in cell times of the line",
        "in a source's own cell times at 25 % of the link: with the other the throughput is not the printed 70 %",
        "specification",
        only(("halve",), f"{SOURCE}.reaction_point.becn.recovery", {"constant": "128 cell times"}),
    ),
    Reading(
        "fixed-order",
        "cells of one cell time are processed in the order of the sources",
        "in random order: the paper says nothing, and a fixed order always hits the same sources",
        "specification",
        in_fixed_order,
    ),
    Reading(
        "down-to-zero",
        "the recovery per VC falls linearly down to the level zero",
        "down to the lowest rate above zero, as zero has: section 4.3 gives 768 cell times to the lowest rate",
        "text",
        only(PER_VC, f"{SOURCE}.reaction_point.becn.recovery.by_level.down_to_zero", True),
    ),
    Reading(
        "address-by-address",
        "the memory of the filter per VC is reset address by address, once in each period",
        "all of it is cleared at the beginning of each period: section 4.3 names the other as the cheaper circuit",
        "text",
        only(PER_VC, "line.output.congestion_point.becn.filter.per_vc.reset", "address_by_address"),
    ),
)
"""The other readings of the paper that the study judges."""
