"""The runs of the EPRCA study: one switch and its link, ABR connections that never pause, and MPEG video with priority.

The ready files `abr/eprca-*` define everything; here only the parameters of a figure or a map change. `tau` is the
propagation delay from source to destination in ms, half of it before the switch and half after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from penstock.studies import framework
from penstock.studies.framework import Reading, SeriesPoint, Wanted
from penstock.studies.runs import FULL_SEEDS


@dataclass(frozen=True, slots=True)
class Scheme:
    """A switch of the paper: its name in figures, its ready file, and the name of its congestion point."""

    name: str
    file: str
    point: str


SCHEMES = {
    "efci": Scheme("EPRCA, EFCI switch", "eprca-efci", "efci"),
    "bes": Scheme("EPRCA, BES", "eprca-bes", "bes"),
    "eds": Scheme("EPRCA, EDS", "eprca-eds", "eds"),
    "plus": Scheme("EPRCA++", "eprca-plus-plus", "eprca_plus_plus"),
}
EPRCA = ("efci", "bes", "eds")
"""The switches that measure their queue."""
FOUR = (*EPRCA, "plus")

FIGURES = range(2, 15)

LINK_BPS = 156e6
CELL_BITS = 424
INTERVAL_CELLS = 30
LAN, WAN = 0.01, 1.0
STAGGER_S = 0.005
SETTLED_S = 0.050
"""Link use, means and fairness are counted from here on: all ten connections have started by 45 ms."""
CONNECTIONS = 10
PROPER, TARGET = 0.85, 0.95
TARGETS = (0.80, 0.825, 0.85, 0.875, 0.90, 0.925, 0.95, 0.975, 1.0)
TAUS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0)
NUMBERS = (1, 2, 5, 10, 20, 30, 50)

QT, DQT, AIR, MRF = 100, 200, 53, 0.25
QTS = (50, 100, 200, 500, 1000)
RATIOS = (1.5, 2.0, 3.0)
"""DQT over QT."""
AIRS = (13, 27, 53, 106, 212)
MRFS = (0.25, 0.5, 0.75, 0.95)
FORWARD_TAUS = (0.01, 0.1, 1.0, 5.0)
READING_TARGETS = (0.80, 0.85, 0.90, 0.95, 1.0)
SHARES = ("target", "available")
"""The rates of which the fair share of EPRCA++ may be a part."""

BESIDE_SEEDS = FULL_SEEDS
"""The most seeds of the additional figures."""
SPREAD_MS = 1.0
"""Interval of the readings of all seeds of figures 2 to 10."""
WATCHED_MS = 0.25
STEP_MS = 0.05
STEPS_END_S = 0.080


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed. QT and DQT are in cells, AIR in kb/s per cell."""

    scheme: str
    tau: float = WAN
    connections: int = CONNECTIONS
    video: str = "even"
    target: float = TARGET
    qt: int = QT
    dqt: int = DQT
    air: int = AIR
    mrf: float = MRF
    er_written: str = "backward"
    fair_share: str = "target"
    ccr: str = "forward_rm"

    def __str__(self) -> str:
        told = f"{SCHEMES[self.scheme].name}, tau = {self.tau:g} ms, N = {self.connections}"
        usual = Point(self.scheme)
        names = {"video": "video {}", "target": "target {}", "qt": "QT = {}", "dqt": "DQT = {}", "air": "AIR = {} kb/s"}
        names |= {
            "mrf": "MRF = {}",
            "er_written": "ER written {}",
            "fair_share": "fair share of the {} rate",
            "ccr": "CCR {}",
        }
        differing = (name for name in names if getattr(self, name) != getattr(usual, name))
        return ", ".join([told, *(names[name].format(getattr(self, name)) for name in differing)])

    @property
    def is_drawn(self) -> bool:
        """Whether figures 2 to 10 show it, so that its readings are stored."""
        return self in drawn_points()

    @property
    def file(self) -> str:
        """The ready file of its switch."""
        return f"abr/{SCHEMES[self.scheme].file}"

    @property
    def changes(self) -> dict[str, object]:
        """What differs from it."""
        half = f"{self.tau / 2:g} ms"
        changes: dict[str, object] = {
            "measure.sample": f"{SPREAD_MS:g} ms" if self.is_drawn else None,
            "measure.sample_flows": False,
            "line.link.delay": half,
            "flow.abr.access.delay": half,
            "flow.abr.count": self.connections,
        }
        at = f"line.link.congestion_point.{SCHEMES[self.scheme].point}"
        if self.scheme == "plus":
            changes[f"{at}.target"] = self.target
            changes[f"{at}.er_written"] = self.er_written
            changes[f"{at}.fair_share"] = self.fair_share
            changes[f"{at}.ccr"] = self.ccr
        else:
            changes[f"{at}.qt"] = f"{self.qt} PDUs"
            changes["flow.abr.reaction_point.eprca.air"] = f"{self.air} kb/s"
        if self.scheme in ("bes", "eds"):
            changes[f"{at}.dqt"] = f"{self.dqt} PDUs"
        if self.scheme == "eds":
            changes[f"{at}.mrf"] = self.mrf
        if self.video == "none":
            changes["flow.video"] = None
        elif self.video == "burst":
            changes["flow.video.traffic.mpeg.sending.burst"] = BURST
        return changes


BURST = "14.84 Mb/s"
"""Rate of a frame's cells in a burst: the largest frame still takes its whole time."""


# ---------------------------------------------------------------------------------------------- points of the figures
WATCHED = {
    2: Point("efci", LAN),
    3: Point("bes", LAN),
    4: Point("eds", LAN),
    5: Point("plus", LAN),
    6: Point("efci"),
    7: Point("bes"),
    8: Point("eds"),
    9: Point("plus"),
}
"""The points of figures 2 to 9."""
CURVES = {
    **{SCHEMES[name].name: Point(name) for name in EPRCA},
    **{f"EPRCA++, target {target:g}": Point("plus", target=target) for target in (TARGET, PROPER)},
}
"""The curves of figures 12 to 14, each by one of its points."""


def of_available(point: Point) -> Point:
    """The same with the fair share of the whole available rate."""
    return replace(point, fair_share="available")


READINGS: dict[str, Callable[[Point], Point]] = {
    "the fair share of the available rate": of_available,
    "ER written forward": lambda point: replace(point, er_written="forward"),
    "both of these": lambda point: replace(point, fair_share="available", er_written="forward"),
    "the CCR of the backward RM cell": lambda point: replace(point, ccr="backward_rm"),
}
"""The other readings of EPRCA++, by their names: a point of it under each."""


def under(name: str) -> Callable[[Point], dict[str, object]]:
    """What one of them changes in the scenario of a point: nothing in those of EPRCA."""

    def changes(point: Point) -> dict[str, object]:
        own, other = point.changes, READINGS[name](point).changes
        return {path: value for path, value in other.items() if path.startswith("line.") and own[path] != value}

    return changes


def readings(point: Point) -> dict[str, Point]:
    """A point of EPRCA++ under the other readings, by their names."""
    return {name: read(point) for name, read in READINGS.items()}


def drawn_points() -> frozenset[Point]:
    """The points whose queue and rates are stored against time: those drawn, and what the claim on the LAN needs."""
    return frozenset([*WATCHED.values(), *readings(WATCHED[5]).values()])


def against_tau(curve: Point) -> list[Point]:
    """Figure 12."""
    return [replace(curve, tau=tau) for tau in TAUS]


def against_number(curve: Point, tau: float) -> list[Point]:
    """Figures 13 and 14."""
    return [replace(curve, tau=tau, connections=number) for number in NUMBERS]


def against_target(video: str) -> list[Point]:
    """Figure 11, with or without video."""
    return [Point("plus", video=video, target=target) for target in TARGETS]


def figure_points(figure: int) -> list[Point]:
    """The points of one figure of the paper."""
    if figure in WATCHED:
        return [WATCHED[figure]]
    if figure == 10:
        return [Point(name) for name in FOUR]
    if figure == 11:
        return [point for video in ("even", "none") for point in against_target(video)]
    if figure == 12:
        return [point for curve in CURVES.values() for point in against_tau(curve)]
    return [point for curve in CURVES.values() for point in against_number(curve, LAN if figure == 13 else WAN)]


# ------------------------------------------------------------------------------------------------ additional points
def by_thresholds(scheme: str, ratio: float) -> list[Point]:
    """A switch against QT, with DQT so many times that; the EFCI switch has no DQT."""
    return [Point(scheme, qt=qt, dqt=DQT if scheme == "efci" else round(ratio * qt)) for qt in QTS]


def by_increase(scheme: str, mrf: float = MRF) -> list[Point]:
    """A switch against AIR; the major reduction is the EDS switch's."""
    return [Point(scheme, air=air, mrf=mrf) for air in AIRS]


def map_points() -> list[Point]:
    """All settings of the sensitivity maps."""
    thresholds = [point for name in EPRCA for ratio in RATIOS for point in by_thresholds(name, ratio)]
    rates = [point for name in EPRCA for point in by_increase(name)]
    reductions = [point for mrf in MRFS for point in by_increase("eds", mrf)]
    return list(dict.fromkeys([*thresholds, *rates, *reductions]))


def eds_settings() -> list[Point]:
    """All settings of the EDS switch that are run in the WAN."""
    return [point for point in map_points() if point.scheme == "eds"]


def burst(point: Point) -> Point:
    """The same with the cells of a video frame sent as a burst."""
    return replace(point, video="burst")


def forward(tau: float, er_written: str) -> Point:
    """EPRCA++ with ER written into RM cells on their way back, or on their way forward."""
    return Point("plus", tau, er_written=er_written)


def against_share(fair_share: str, tau: float) -> list[Point]:
    """EPRCA++ against its target, with the fair share of the target rate, or of the whole available rate."""
    return [Point("plus", tau, target=target, fair_share=fair_share) for target in READING_TARGETS]


def calm(scheme: str, tau: float = WAN) -> Point:
    """Without video: the effect of the scheme alone."""
    return Point(scheme, tau, video="none")


def beside_points() -> list[Point]:
    """The additional runs: each point once, without those of the figures."""
    wanted = [
        *map_points(),
        *(burst(point) for point in WATCHED.values()),
        *(forward(tau, written) for tau in FORWARD_TAUS for written in ("backward", "forward")),
        *(point for share in SHARES for tau in (LAN, WAN) for point in against_share(share, tau)),
        *(of_available(point) for tau in (LAN, WAN) for point in against_number(Point("plus"), tau)),
        *(point for tau in (LAN, WAN) for point in readings(Point("plus", tau)).values()),
        *(of_available(point) for video in ("even", "none") for point in against_target(video)),
        *(of_available(point) for point in against_tau(Point("plus"))),
        *(calm(name, tau) for name in FOUR for tau in (LAN, WAN)),
    ]
    shown = {point for figure in FIGURES for point in figure_points(figure)}
    return [point for point in dict.fromkeys(wanted) if point not in shown]


def watched(point: Point) -> SeriesPoint[Point]:
    """A point with time series of each connection."""
    return SeriesPoint(point, "watched", {"measure.sample": f"{WATCHED_MS:g} ms", "measure.sample_flows": True})


def steps(point: Point) -> SeriesPoint[Point]:
    """The start of a point, read more often."""
    changes = {"measure.sample": f"{STEP_MS:g} ms", "duration": f"{1000 * STEPS_END_S:g} ms"}
    return SeriesPoint(point, "steps", {**changes, "measure.sample_flows": True})


def series_points() -> list[SeriesPoint[Point]]:
    """The runs with time series of each connection."""
    return [*(watched(point) for point in WATCHED.values()), *(steps(calm(name)) for name in FOUR)]


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points to run for a figure, or for all: those of the figures, the additional ones, and time series."""
    if figure is not None:
        number = int(figure)
        series = [(watched(WATCHED[number]), 1)] if number in WATCHED else []
        return [*((point, None) for point in figure_points(number)), *series]
    shown = dict.fromkeys(point for number in FIGURES for point in figure_points(number))
    return [
        *((point, None) for point in shown),
        *((point, BESIDE_SEEDS) for point in beside_points()),
        *((each, 1) for each in series_points()),
    ]


# --------------------------------------------------------------------------------------------------- other readings
def judged_points() -> Sequence[Wanted[Point]]:
    """What the other readings run: all points but those of the figures that compare the readings themselves."""

    def is_own(point: Point) -> bool:
        return replace(point, er_written="backward", fair_share="target", ccr="forward_rm") == point

    return [each for each in points(None) if isinstance(each[0], SeriesPoint) or is_own(each[0])]


OTHER_READINGS: tuple[Reading[Point], ...] = (
    Reading(
        "available",
        "the fair share of EPRCA++ is one of the whole available rate, the printed example of f1",
        'of the target rate, "around which the switch is utilized": with the example the link is full at any target',
        "text",
        under("the fair share of the available rate"),
    ),
    Reading(
        "forward",
        "ER is written into RM cells on their way forward: its notification is called FECN-like",
        "into those on their way back: section II computes the ER value of backward RM cells",
        "text",
        under("ER written forward"),
    ),
    Reading("available-forward", "available and forward together", "as for each", "text", under("both of these")),
    Reading(
        "returning-ccr",
        "f2 scales the CCR of the backward RM cell into which ER is written",
        "that of the newest forward RM cell, a round trip newer: the paper does not say whose",
        "specification",
        under("the CCR of the backward RM cell"),
    ),
)
"""The same as `READINGS`, for the study to judge every claim under each."""
