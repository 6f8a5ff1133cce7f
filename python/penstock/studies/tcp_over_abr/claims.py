"""The verdicts on TCP over UBR and ABR. Orders are judged by differences paired by seed (`orders`)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.studies.claims import Clause, Evidence
from penstock.studies.orders import BySeed, above, all_above, constant, rising, times
from penstock.studies.predicates import Factor, Predicates, clauses
from penstock.studies.runs import mean
from penstock.studies.tcp_over_abr.grid import ABR, DISTANCES, EPD, SERVICES, UBR, Point, row
from penstock.studies.tcp_over_abr.measures import FAIRNESS, GOODPUT, LOST, SOURCE, SWITCH, Runs

PREDICATES: Predicates[Runs] = Predicates(service=Factor(("service",), uncontrolled=(UBR,)), buffer=Factor(("buffer",)))
claim = PREDICATES.claim

NO_LESS = 1.03
"""A goodput is no less if it differs by at most so much."""
FAIR = 0.99
"""Jain's index of shares that are called fair."""
SHARE = "{:.3f}"


def ends(service: str) -> Iterator[tuple[str, Point, Point]]:
    """The name of each distance, and the points of a service with its smallest and its largest buffer."""
    for distance, own in DISTANCES.items():
        yield own.name, Point(service, distance, own.buffers[0]), Point(service, distance, own.buffers[-1])


def beside(point: Point, service: str) -> Point:
    """The same point of another service."""
    return Point(service, point.distance, point.buffer)


@claim("tcp-abr.waste")
def _(runs: Runs) -> Evidence:
    parts = []
    for name, small, _large in ends(EPD):
        pair = runs.by_seed(GOODPUT, small), runs.by_seed(GOODPUT, beside(small, UBR))
        parts.append(above("service", f"{name}: early packet discard has more goodput", *pair, SHARE))
    return clauses(runs, *parts)


@claim("tcp-abr.buffer")
def _(runs: Runs) -> Evidence:
    parts = []
    for distance, own in DISTANCES.items():
        columns = [runs.by_seed(GOODPUT, point) for point in row(UBR, distance).values()]
        parts.append(rising("buffer", f"{own.name}: goodput over UBR rises with the buffer", columns, SHARE))
    return clauses(runs, *parts)


@claim("tcp-abr.windows")
def _(runs: Runs) -> Evidence:
    parts = []
    for distance, own in DISTANCES.items():
        *smaller, largest = (runs.by_seed(LOST, point) for point in row(UBR, distance).values())
        none = not any(largest.values())
        parts.append(
            Clause(f"{own.name}: the largest buffer loses nothing", none, f"{mean(largest.values()):.0f} cells")
        )
        text = f"{own.name}: each smaller buffer loses cells"
        shown = ", ".join(f"{mean(each.values()):.0f}" for each in smaller)
        parts.append(all_above("buffer", text, [(each, largest) for each in smaller], shown))
    return clauses(runs, *parts)


@claim("tcp-abr.edge")
def _(runs: Runs) -> Evidence:
    parts: list[Clause] = []
    for name, _small, large in ends(ABR):
        source, switch = (runs.by_seed(place, large) for place in (SOURCE, SWITCH))
        text = f"{name}: over ABR more waits at the sources than at the switch"
        parts.append(above("", text, source, switch, "{:.0f} cells"))
        without = runs.by_seed(SWITCH, beside(large, UBR))
        text = f"{name}: over UBR more waits at the switch than over ABR"
        parts.append(above("service", text, without, switch, "{:.0f} cells"))
    return clauses(runs, *parts)


@claim("tcp-abr.independent")
def _(runs: Runs) -> Evidence:
    parts = []
    for distance, own in DISTANCES.items():
        _first, *middle, largest = (runs.by_seed(GOODPUT, point) for point in row(ABR, distance).values())
        pairs = [pair for each in middle for pair in within(each, largest)]
        shown = ", ".join(SHARE.format(mean(each.values())) for each in (*middle, largest))
        parts.append(all_above("", f"{own.name}: all buffers but the smallest have one goodput over ABR", pairs, shown))
    return clauses(runs, *parts)


def within(ones: BySeed, others: BySeed) -> list[tuple[BySeed, BySeed]]:
    """What must be above what, so that two values differ by at most 3 %."""
    return [(times(NO_LESS, ones), others), (times(NO_LESS, others), ones)]


@claim("tcp-abr.small")
def _(runs: Runs) -> Evidence:
    parts = []
    for name, small, _large in ends(ABR):
        own = runs.by_seed(GOODPUT, small)
        for service in (UBR, EPD):
            text = f"{name}: ABR has more goodput than {SERVICES[service]}"
            parts.append(above("service", text, own, runs.by_seed(GOODPUT, beside(small, service)), SHARE))
    return clauses(runs, *parts)


@claim("tcp-abr.ample")
def _(runs: Runs) -> Evidence:
    parts = []
    for name, _small, large in ends(UBR):
        pair = runs.by_seed(GOODPUT, large), runs.by_seed(GOODPUT, beside(large, ABR))
        parts.append(above("service", f"{name}: UBR has more goodput than ABR", *pair, SHARE))
    return clauses(runs, *parts)


@claim("tcp-abr.fair")
def _(runs: Runs) -> Evidence:
    parts = []
    for name, small, _large in ends(ABR):
        own, epd = (runs.by_seed(FAIRNESS, beside(small, service)) for service in (ABR, EPD))
        parts.append(above("service", f"{name}: the index of ABR is above that of UBR with EPD", own, epd, SHARE))
        fair = [(own, constant(FAIR, own))]
        parts.append(all_above("", f"{name}: that of ABR is above {FAIR}", fair, SHARE.format(mean(own.values()))))
    return clauses(runs, *parts)
