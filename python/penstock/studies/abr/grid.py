"""The runs of the ABR study: one connection over satellite hops, and the parameters of its runs.

The ready files `abr/` define everything; here only Crm (by TBE), CDF, ICR, the duration and the like change.
Nothing in these runs is random, so each is run once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from penstock.studies import framework
from penstock.studies.framework import Reading, Wanted
from penstock.truth.abr import CELL_BITS, MOST_TBE, Connection, crm

NRM = 32
FLOWS = ("eastward", "westward")
UTILISATION = 0.9
"""ERICA's target."""
PORTS = ("satellite", "satellite.reverse")
"""The line with ERICA."""
ICR = 0.9
"""The initial rate as a share of the line's."""
LINES = {155: 155.52e6, 622: 622.08e6}
"""Bits per second of the lines of a network, by their short name."""
HOPS = {1: "one-hop", 2: "two-hops", 3: "three-hops"}
CDF = 1 / 16

CRM_32, CRM_FULL = 32, 6144
PAPER_CRMS = (32, 256, 1024, 4096, 6144, 8192)
CRMS = (32, 64, 128, 256, 512, 1024, 2048, 4096, 6144, 8192)
CDFS = (0.0, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
CDF_CRMS = (32, 256)
TURNS = {"overwrite": "satellite-crm-32", "queue": "satellite-queue", "idle": "satellite-idle-reverse"}
"""How RM cells wait at the destination, if at all: the ready file of each way."""
TURN_CRMS = (32, 64, 128, 256, 512)

EARLY, LATE = (0.275, 0.825), (0.825, 1.2)
"""Seconds between which the paper counts cells: before the effect of the first feedback, and after."""
WATCHED_SAMPLE, SAMPLE, START_SAMPLE, COARSE_SAMPLE = "0.2 ms", "1 ms", "50 us", "5 ms"
START_END = 0.02
"""Seconds in which the first cuts are visible one by one."""
MOMENT = 1e-6
"""Seconds by which runs end before and after the predicted first feedback."""
TBES = (31, 32, 33, 1000, 1024, 8192, 32768, MOST_TBE)
"""TBE, in cells, of the runs into a broken link, up to the greatest that can be signalled."""
RATIOS = (8, 16, 24, 31, 32, 33, 40, 48, 64)
"""Forward RM cells for one that returns."""
VIDEO = (0.5, 0.9, 0.94, 0.96, 0.98, 0.985)
"""Shares of the way back that video uses."""
PAUSE_FROM, LONG_PAUSE, SHORT_PAUSE = 1.2, 3.0, 0.2
PAUSE_CRM = 256
LOW_ICR = 0.45
"""ICR as a share of the line, for the runs of rule 5."""
BREAK_AT, BREAK_END = 1.2, 3.0
BREAK_CRMS = (32, 256, 1024, 4096, 6144, 8192)
SHOWN_BREAKS = (32, 1024, 4096, 8192)
NUMBERS = (1, 2, 5, 10)
"""Connections over one satellite line."""
INTERVALS = (20e-6, 100e-6, 1e-3, 10e-3)
"""Seconds of ERICA's interval; the first is the paper's."""
INTERVAL_CELLS = 30
"""Cells of the paper's interval; the larger intervals have as many more."""
INTERVAL_CRMS = (CRM_32, CRM_FULL)
BOUND_OFFSETS = (-1, 0, 1)
"""Distances from the expected least Crm; coarse ones, the printed ones and that of the whole line bracket it."""
BOUND_SHARES = (0.5, 0.9)
PRINTED = {155: 6144, 622: 24576}
"""Crm of the paper's section 3.3 for one hop."""


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run. `kind` is its purpose, and decides the meaning of `amount`; lines are named by their Mb/s."""

    kind: str = "sweep"
    crm: int = CRM_32
    cdf: float = CDF
    line: int = 155
    hops: int = 1
    turn: str = "overwrite"
    icr: float = ICR
    amount: float = 0.0
    clocks: str = "separate"

    def __str__(self) -> str:
        told = f"{self.kind}, Crm = {self.crm}, CDF = {self.cdf:g}, {self.line} Mb/s, hops = {self.hops}"
        return f"{told}, {self.turn}, {self.amount:g}{', one TCR clock' * (self.clocks == 'shared')}"

    @property
    def file(self) -> str:
        """The ready file of its purpose."""
        if self.kind == "bound":
            return f"abr/satellite-622-{HOPS[self.hops]}"
        return f"abr/{FILES.get(self.kind, TURNS[self.turn])}"

    @property
    def changes(self) -> dict[str, object]:
        """What differs from it."""
        return CHANGES[self.kind](self)

    @property
    def rate(self) -> float:
        """The rate of each line, bits per second."""
        return LINES[self.line]

    @property
    def granted(self) -> float:
        """The grant of ERICA, bits per second."""
        return UTILISATION * self.rate

    @property
    def connection(self) -> Connection:
        """The closed forms for it."""
        return Connection(
            rate=self.rate, initial=self.icr * self.rate, hops=self.hops, crm=self.crm, cdf=self.cdf, nrm=NRM
        )


FILES = {
    "pause": "satellite-pause",
    "broken": "satellite-broken-link",
    "exposure": "satellite-broken-link",
    "ratio": "lan-slow-reverse",
    "video": "lan-congested-reverse",
}
"""The ready files of purposes that need their own."""


def of(rate: float) -> str:
    """A rate for a scenario."""
    return f"{rate:.0f} b/s"


def lasting(seconds: float) -> str:
    """A time for a scenario, to the picosecond."""
    return f"{round(seconds * 1e12)} ps"


def sources(point: Point, changes: dict[str, object], flows: Sequence[str] = FLOWS, tbe: int = 0) -> dict[str, object]:
    """The TBE (Crm Nrm if not given), CDF and ICR of a point, and other changes."""
    for flow in flows:
        source = f"flow.{flow}.reaction_point.tm40"
        changes[f"{source}.tbe"] = f"{tbe or point.crm * NRM} cells"
        changes[f"{source}.cdf"] = point.cdf
        changes[f"{source}.icr"] = of(point.icr * point.rate)
        changes[f"{source}.tcr_clocks"] = point.clocks
    return changes


def sweep(point: Point) -> dict[str, object]:
    """The paper's run of 1200 ms, read most often for figure 4, and least often if only throughput is needed."""
    is_drawn = point == watched(CRM_FULL) or point == Point(cdf=point.cdf, clocks=point.clocks)
    sample = WATCHED_SAMPLE if point == watched(CRM_32) else SAMPLE if is_drawn else COARSE_SAMPLE
    return sources(point, {"duration": "1200 ms", "measure.sample": sample})


def start(point: Point) -> dict[str, object]:
    """The first cuts."""
    return sources(point, {"duration": lasting(START_END), "measure.sample": START_SAMPLE})


def exposure(point: Point) -> dict[str, object]:
    """A source of a TBE of `amount` cells on a line that is broken from the start, until its first RM cell is cut.

    It ends half a cell's time after that cell, which follows Crm Nrm others, each gap a whole number of picoseconds.
    """
    gap = round(1e12 * CELL_BITS / (point.icr * point.rate))
    duration = f"{gap * point.crm * NRM + gap // 2} ps"
    changes: dict[str, object] = {
        "duration": duration,
        "measure.sample": duration,
        "line.satellite.outage": {"from": "0 s", "to": "1000 s"},
        "flow.westward.traffic": {"silent": {}},
    }
    return sources(point, changes, tbe=round(point.amount))


def feedback(point: Point) -> dict[str, object]:
    """A run until just before, or just after, the first feedback should arrive."""
    duration = lasting(point.connection.first_feedback() + point.amount)
    return sources(point, {"duration": duration, "measure.sample": duration})


def bound(point: Point) -> dict[str, object]:
    """A run over some hops, until shortly after the first feedback that an uncut source gets."""
    uncut = replace(point, crm=MOST_TBE).connection.first_feedback()
    changes: dict[str, object] = {"duration": lasting(uncut + 1e-3), "measure.sample": lasting(uncut + 1e-3)}
    lines = ["satellite"] if point.hops == 1 else [f"satellite_{hop}" for hop in range(1, point.hops + 1)]
    changes |= {f"line.{line}.rate": of(point.rate) for line in lines}
    changes |= {f"flow.{flow}.access.rate": of(point.rate) for flow in FLOWS}
    return sources(point, changes)


def pause(point: Point) -> dict[str, object]:
    """Both sources pause for so many seconds, and start again."""
    last = PAUSE_FROM + point.amount
    sample = SAMPLE if point.crm == PAUSE_CRM else COARSE_SAMPLE
    silence = {"greedy": {"pause": {"from": lasting(PAUSE_FROM), "to": lasting(last)}}}
    changes: dict[str, object] = {f"flow.{flow}.traffic": silence for flow in FLOWS}
    return sources(point, {**changes, "duration": lasting(last + LATE[1]), "measure.sample": sample})


def broken(point: Point) -> dict[str, object]:
    """The satellite line breaks, and stays broken."""
    outage = {"from": lasting(BREAK_AT), "to": lasting(BREAK_END)}
    changes: dict[str, object] = {"duration": lasting(BREAK_END), "measure.sample": COARSE_SAMPLE}
    return sources(point, {**changes, "line.satellite.outage": outage})


def ratio(point: Point) -> dict[str, object]:
    """A way back that is so many times slower."""
    slow = of(point.granted / point.amount)
    back = "flow.westward.reaction_point.tm40"
    return sources(point, {f"{back}.pcr": slow, f"{back}.icr": slow}, FLOWS[:1])


def video(point: Point) -> dict[str, object]:
    """Video uses so much of the way back."""
    return sources(point, {"flow.video.traffic.cbr.rate": of(point.amount * point.rate)})


def several(point: Point) -> dict[str, object]:
    """So many connections over the satellite line."""
    changes: dict[str, object] = {"duration": "1200 ms", "measure.sample": COARSE_SAMPLE, "measure.sample_flows": True}
    changes |= {f"flow.{flow}.count": round(point.amount) for flow in FLOWS}
    return sources(point, changes)


def interval(point: Point) -> dict[str, object]:
    """The paper's run of 1200 ms with another interval of ERICA, in seconds, and as many more cells."""
    cells = round(INTERVAL_CELLS * point.amount / INTERVALS[0])
    length = {"time": lasting(point.amount), "cells": cells}
    changes: dict[str, object] = {"duration": "1200 ms", "measure.sample": COARSE_SAMPLE}
    for end in ("", "reverse."):
        changes[f"line.satellite.{end}congestion_point.erica.interval"] = length
    return sources(point, changes)


CHANGES = {
    "sweep": sweep,
    "start": start,
    "exposure": exposure,
    "feedback": feedback,
    "bound": bound,
    "pause": pause,
    "broken": broken,
    "ratio": ratio,
    "video": video,
    "several": several,
    "interval": interval,
}


# ---------------------------------------------------------------------------------------------- points of the figures
def watched(crm: int) -> Point:
    """A run of the paper's figures 4 and 5, and of the sweep over Crm."""
    return Point(crm=crm)


def exposure_points(tbes: Sequence[int] = TBES) -> list[Point]:
    """The first cut, for each TBE."""
    return [Point("exposure", crm(tbe, NRM), amount=float(tbe)) for tbe in tbes]


def feedback_points(crm: int) -> list[Point]:
    """Just before and just after the first feedback."""
    return [Point("feedback", crm, amount=moment) for moment in (-MOMENT, MOMENT)]


def start_points() -> list[Point]:
    """The first cuts, for each CDF."""
    return [Point("start", cdf=cdf) for cdf in CDFS]


def cdf_sweep(crm: int = CRM_32) -> list[Point]:
    """Runs against CDF."""
    return [Point(crm=crm, cdf=cdf) for cdf in CDFS]


def one_clock() -> Point:
    """The greatest CDF, which leaves only out-of-rate RM cells, with one clock for those of both directions."""
    return Point(cdf=1.0, clocks="shared")


def crm_sweep(turn: str = "overwrite", crms: Sequence[int] = CRMS) -> list[Point]:
    """Runs against Crm."""
    return [Point(crm=each, turn=turn) for each in crms]


@cache
def first_feedback(connection: Connection) -> float:
    """The time of the first feedback: seconds of computation for a long path without cuts, so each is done once."""
    return connection.first_feedback()


@cache
def least_crm(line: int, hops: int) -> int:
    """The Crm around which runs search for the least without a cut: that of theory."""
    return Point("bound", line=line, hops=hops).connection.least_crm()


def is_printed(line: int, hops: int) -> bool:
    """Whether the paper gives a number for so many hops of that line."""
    return hops == 1 or line == 622


def bound_points(line: int, hops: int) -> list[Point]:
    """Runs against Crm over some hops, densest around the expected least value."""
    middle = least_crm(line, hops)
    wanted = {middle + offset for offset in BOUND_OFFSETS} | {round(share * middle) for share in BOUND_SHARES}
    return [Point("bound", crm, line=line, hops=hops) for crm in sorted(wanted | {PRINTED[line] * hops})]


def bound_networks() -> list[tuple[int, int]]:
    """Line and number of hops of each network whose bound is searched."""
    return [(line, hops) for line in LINES for hops in HOPS]


def ratio_points() -> list[Point]:
    """Forward against backward RM cells on a short line."""
    return [Point("ratio", amount=float(each)) for each in RATIOS]


def video_points() -> list[Point]:
    """Congestion on the way back of a short line."""
    return [Point("video", amount=each) for each in VIDEO]


def several_points() -> list[Point]:
    """Several connections, each with Crm = 32."""
    return [Point("several", amount=float(number)) for number in NUMBERS]


def interval_points(crm: int) -> list[Point]:
    """Runs against ERICA's interval."""
    return [Point("interval", crm, amount=length) for length in INTERVALS]


def pause_points() -> dict[str, Point]:
    """A long pause as at start-up; and a short and a long one of a source whose ICR is low."""
    return {
        "again": Point("pause", PAUSE_CRM, amount=LONG_PAUSE),
        "short": Point("pause", CRMS[-1], icr=LOW_ICR, amount=SHORT_PAUSE),
        "long": Point("pause", CRMS[-1], icr=LOW_ICR, amount=LONG_PAUSE),
    }


def broken_points() -> list[Point]:
    """A broken link for each Crm."""
    return [Point("broken", each) for each in BREAK_CRMS]


def figure_points(figure: int) -> list[Point]:
    """The points of one figure of the paper."""
    if figure == 2:
        return [*start_points(), *cdf_sweep()]
    crm = CRM_32 if figure == 4 else CRM_FULL
    return [watched(crm), *feedback_points(crm), *(exposure_points([CRM_32 * NRM]) if figure == 4 else [])]


def beside_points() -> list[Point]:
    """The additional runs."""
    return [
        *crm_sweep(),
        *(point for turn in TURNS for point in crm_sweep(turn, TURN_CRMS)),
        *(point for crm in CDF_CRMS for point in cdf_sweep(crm)),
        one_clock(),
        *(point for network in bound_networks() for point in bound_points(*network)),
        *exposure_points(),
        *ratio_points(),
        *video_points(),
        *several_points(),
        *(point for crm in INTERVAL_CRMS for point in interval_points(crm)),
        *pause_points().values(),
        *broken_points(),
    ]


def all_points() -> list[Point]:
    """Every point once, the longest runs first, so that no long run is left at the end."""
    shown = [point for figure in (2, 4, 5) for point in figure_points(figure)]
    wanted = list(dict.fromkeys([*shown, *beside_points()]))
    return sorted(wanted, key=lambda point: -point.rate * point.hops)


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points to run for a figure, or for all: nothing in them is random, so each is run once."""
    return [(point, 1) for point in (all_points() if figure is None else figure_points(int(figure)))]


READINGS: tuple[Reading[Point], ...] = (
    Reading(
        "crm-restarts",
        "the count of rule 6 restarts when the rule fires, so the next cut follows after Crm further RM cells",
        "it restarts with an answer alone: rule 6 counts since the last backward RM cell, so each further one is cut",
        "text",
        changes=lambda _point: {f"flow.{flow}.reaction_point.tm40.crm_restarts": True for flow in FLOWS},
    ),
)
"""The other readings of the paper that the study judges."""
