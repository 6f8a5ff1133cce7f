"""The runs of the study of heirs: seven schemes on the LAN of 1993 and over a satellite, and the rows of theory.

The networks are the ready files `heirs/`; here only the scheme, the number of sources, the delay and the place of the
satellite change. The rows are the checks of `penstock verify` about the heirs, with more seeds, and some of them again
with another setting or scheme, for which they should not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from penstock.core.scenario import Scenario
from penstock.studies import framework
from penstock.studies.framework import SeriesPoint, Wanted
from penstock.verify import heirs
from penstock.verify.check import Check

QUESTIONS = {
    "1": "the LAN, as time goes by",
    "2": "the LAN, with more sources and longer lines",
    "3": "the satellite, as time goes by",
    "4": "the satellite, before it and behind it",
    "5": "where each heir should rest",
    "6": "a long way beside short ones",
}
"""What each figure of the study is about. A figure has the number of its question."""

NAMES = {
    "becn": "BECN",
    "qcn": "QCN",
    "efci": "EFCI",
    "dcqcn": "DCQCN",
    "erica": "ERICA",
    "rcp": "RCP",
    "hpcc": "HPCC",
}
"""The schemes, each heir after the scheme that it is from."""
FAMILIES = {"becn": ("qcn",), "efci": ("dcqcn",), "erica": ("rcp", "hpcc")}
"""The heirs of each scheme."""
PAIRS = tuple((heir, older) for older, own in FAMILIES.items() for heir in own)
"""Each heir with its older scheme."""
BACKWARD = ("becn", "qcn")
"""Schemes whose ports tell the sources, without a way over the receivers."""
EXPLICIT, BINARY = ("erica", "rcp", "hpcc"), ("efci", "dcqcn")
"""Schemes over the receivers: those that tell a rate or a load, and those that tell one bit."""
SEGMENT = 1460
"""Octets of a segment of HPCC, without its header. All others send cells."""
HEADER = 82

LAN, SATELLITE = "lan", "satellite"
SOURCES, DELAYS = (5, 20, 50), (10, 100, 400)
"""Sources on the LAN, and the delay of their access lines in cell times."""
USUAL_SOURCES, USUAL_DELAY = 20, 10
BEFORE, BEHIND = "before", "behind"
PLACES = {BEFORE: "congestion before the satellite", BEHIND: "congestion behind the satellite"}
NUMBERS = (2, 10)
"""Sources over the satellite."""
WATCHED = "watched"
"""The kind of the runs that are drawn against time."""
WATCHED_S = {LAN: 0.2, SATELLITE: 12.0}
"""Their lengths in seconds."""
SAMPLES = 1000

NOTICE, RECOVERY, EQUILIBRIUM = "qcn-notice", "qcn-recovery", "qcn"
MARKS, STEP, REST, CHAIN, LOAD = "dcqcn", "rcp-step", "rcp", "chain", "hpcc"
CHECKS: Mapping[str, Callable[[int], Check]] = {
    NOTICE: lambda _sources: heirs.qcn_notice_check(),
    RECOVERY: lambda _sources: heirs.qcn_recovery_check(),
    EQUILIBRIUM: heirs.qcn_queue_check,
    MARKS: heirs.dcqcn_check,
    STEP: heirs.rcp_step_check,
    REST: lambda _sources: heirs.rcp_line_check(),
    CHAIN: heirs.rcp_chain_check,
    LOAD: heirs.hpcc_check,
}
"""The checks behind the rows, by the network of a point; its `sources` are the number that each of them takes."""
OTHER_GAIN, OTHER_EQUILIBRIUM = "gain 1/100", "equilibrium 52 kB"
OTHERS: Mapping[str, Mapping[str, object]] = {
    OTHER_GAIN: {"flow.data.reaction_point.qcn.gain": 0.01},
    OTHER_EQUILIBRIUM: {"line.line.congestion_point.qcn.equilibrium": f"{2 * heirs.EQUILIBRIUM:g} kB"},
}
"""Settings with which a row of QCN should not hold."""
MARKED, MANY = (2, 8), 10
"""Sources of DCQCN, and how many where the feedback is late."""
FEEDBACK_US = (4, 85)
"""Round trips of DCQCN in microseconds; those of the check have 4."""
LOADS_MBPS = (80, 120)
CHAINS = (2, 3)
RESTING = (1, 2, 4, 16)
"""Sources of HPCC. Nothing in their runs is random, so few seeds are enough."""
FEW_SEEDS = 3


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed; `delay` is in cell times on the LAN, and the round trip in us for DCQCN's rows."""

    network: str
    scheme: str = ""
    sources: int = 0
    delay: int = 0
    place: str = ""
    setting: str = ""

    def __str__(self) -> str:
        told = (self.network, NAMES.get(self.scheme, self.scheme), f"{self.sources} sources", f"delay {self.delay}")
        return ", ".join(filter(None, (*told, self.place, self.setting)))

    @property
    def check(self) -> Check | None:
        """The check of `penstock verify` that it runs; None for a network of the study."""
        return check_of(self.network, self.sources) if self.network in CHECKS else None

    @property
    def file(self) -> str:
        """The ready file of its network, or the name of its check."""
        return f"{self.check.theory}, {self.check.setting}" if self.check else f"heirs/{self.network}"

    def base(self) -> Scenario:
        """The scenario of its file."""
        return Scenario.parse(self.check.scenario, name=self.file) if self.check else framework.ready(self.file)

    @property
    def changes(self) -> dict[str, object]:
        """What differs from it."""
        if self.network == CHAIN:
            return {} if self.scheme == "rcp" else {"scheme": self.scheme} | segments(self.scheme, "defaults.flow")
        if self.network == MARKS:
            # The line of the check has 1 us each way, so its access lines have the rest of the round trip.
            return {"flow.data.access.delay": f"{500 * self.delay - 1000} ns"}
        if self.network in CHECKS:
            return dict(OTHERS.get(self.setting, {}))
        found = {"scheme": self.scheme, "flow.source.count": self.sources} | segments(self.scheme, "flow.source")
        if self.network == LAN:
            return found | {"flow.source.access.delay": f"{self.delay} cell times"}
        if self.place == BEHIND:
            return found | {"line.satellite.delay": "5 us", "flow.source.access.delay": "275 ms"}
        return found


@cache
def check_of(network: str, sources: int) -> Check:
    """The check of a row, made once."""
    return CHECKS[network](sources)


def segments(scheme: str, path: str) -> dict[str, object]:
    """Segments in place of cells, for a scheme of byte streams."""
    return {f"{path}.octets": SEGMENT} if scheme == "hpcc" else {}


# ---------------------------------------------------------------------------------------------- points of the figures
def lan(scheme: str, sources: int = USUAL_SOURCES, delay: int = USUAL_DELAY) -> Point:
    """A scheme on the LAN."""
    return Point(LAN, scheme, sources, delay)


def satellite(scheme: str, sources: int, place: str) -> Point:
    """A scheme over the satellite."""
    return Point(SATELLITE, scheme, sources, place=place)


def marks(sources: int, feedback_us: int = FEEDBACK_US[0]) -> Point:
    """DCQCN with a round trip."""
    return Point(MARKS, "dcqcn", sources, feedback_us)


def chain(scheme: str, trunks: int) -> Point:
    """A scheme on a chain of so many lines."""
    return Point(CHAIN, scheme, trunks)


def qcn(network: str, sources: int = 2, setting: str = "") -> Point:
    """A row of QCN."""
    return Point(network, "qcn", sources, setting=setting)


def step(load_mbps: int) -> Point:
    """A period of RCP."""
    return Point(STEP, "rcp", load_mbps)


REST_POINT = Point(REST, "rcp", 10)


def load(sources: int) -> Point:
    """HPCC at rest."""
    return Point(LOAD, "hpcc", sources)


def lan_points() -> list[Point]:
    """The LAN with more sources, and with longer lines."""
    own = [(sources, USUAL_DELAY) for sources in SOURCES] + [(USUAL_SOURCES, delay) for delay in DELAYS]
    return [lan(scheme, *each) for scheme in NAMES for each in dict.fromkeys(own)]


def satellite_points(numbers: Sequence[int] = NUMBERS) -> list[Point]:
    """The satellite with so many sources, in both places."""
    return [satellite(scheme, number, place) for scheme in NAMES for number in numbers for place in PLACES]


def row_points() -> list[Wanted[Point]]:
    """The rows of theory, but for those of the chain, and what their claims compare them with."""
    found = [
        qcn(NOTICE),
        qcn(NOTICE, setting=OTHER_GAIN),
        qcn(RECOVERY),
        *(qcn(EQUILIBRIUM, sources) for sources in (2, 10)),
        *(qcn(EQUILIBRIUM, sources, OTHER_EQUILIBRIUM) for sources in (2, 10)),
        *map(marks, (*MARKED, MANY)),
        marks(MANY, FEEDBACK_US[1]),
        *map(step, LOADS_MBPS),
        REST_POINT,
    ]
    return [*((point, None) for point in found), *((load(sources), FEW_SEEDS) for sources in RESTING)]


def watched(network: str) -> list[Wanted[Point]]:
    """The runs of one network that are drawn against time: one of each scheme, and place of the satellite."""
    seconds = WATCHED_S[network]
    changes = {
        "duration": f"{seconds:g} s",
        "warm_up": "0 s",
        "measure.sample": f"{1e3 * seconds / SAMPLES:g} ms",
    }
    return [(SeriesPoint(point, WATCHED, changes), 1) for point in usual(network)]


def usual(network: str) -> list[Point]:
    """Every scheme on a network with its usual number of sources, in both places of the satellite."""
    return [lan(scheme) for scheme in NAMES] if network == LAN else satellite_points(NUMBERS[-1:])


def of_question(question: str) -> list[Wanted[Point]]:
    """The points of one question, each with the most seeds that it needs."""
    if question == "5":
        return row_points()
    own = {
        "1": lambda: usual(LAN),
        "2": lan_points,
        "3": lambda: usual(SATELLITE),
        "4": satellite_points,
        "6": chain_points,
    }[question]()
    drawn = {"1": LAN, "3": SATELLITE}
    return [*((point, None) for point in own), *(watched(drawn[question]) if question in drawn else ())]


def chain_points() -> list[Point]:
    """Every scheme on both chains."""
    return [chain(scheme, trunks) for scheme in NAMES for trunks in CHAINS]


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points of a question, or of all: each is run once."""
    return list(
        dict.fromkeys(each for question in (QUESTIONS if figure is None else figure) for each in of_question(question))
    )
