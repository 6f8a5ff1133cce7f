"""The runs of the ATN study: five strategies in two scenarios, against the load and each strategy's parameters.

The ready files `atn/scenario-a` and `atn/scenario-b` define everything; here only the strategy, the interproduction
time and what an exercise of the paper's annex varies change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from penstock.studies import framework
from penstock.studies.framework import Reading, SeriesPoint, Wanted
from penstock.studies.runs import FULL_SEEDS


@dataclass(frozen=True, slots=True)
class Network:
    """One of the two scenarios: its name in figures, its ready file, and its congested queue.

    `rate_bps` is the rate of the queue's line, and `ce_threshold` the usual threshold of marks, in bits.
    """

    name: str
    file: str
    bottleneck: str
    rate_bps: float
    ce_threshold: int


SCENARIOS = {
    "a": Network("scenario A, six senders", "atn/scenario-a", "is6-is7", 64e3, 27_000),
    "b": Network("scenario B, two senders", "atn/scenario-b", "is6-is10", 8e3, 1),
}
TABLE_OF = {"5-1": "a", "5-2": "b"}
"""The scenario of each table of the paper."""
STRATEGIES = {
    "none": "none",
    "avoidance": "congestion avoidance",
    "withdrawing": "withdrawing credit",
    "backoff": "sender backoff",
    "error": "Error NPDU",
}
"""Those of the paper, in the order of its tables."""
COMPARED = {**STRATEGIES, "decbit": "DECbit"}
"""Also DECbit, the origin of their marks, with the parameters of its authors."""
RECEIVER = ("avoidance", "withdrawing")
"""The strategies of the receiving transport layer."""

CAPACITY_BITS = 262_144
PACKET_BITS = 13_376
SAW = 7
INTERPRODUCTION_S = 1.0
LOADS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
"""Mean interproduction times in seconds; the shorter, the higher the load."""
EXERCISE_LOADS = (0.5, 1.0, 2.0, 5.0)
CE_THRESHOLDS = (1, 13_500, 27_000, 54_000, 108_000, 216_000)
"""Bits: any packet in the queue, and more than 1, 2, 4, 8 and 16 packets."""
DECREASES = (0.5, 0.625, 0.75, 0.875)
INITIAL = 2
"""The usual initial window, in packets."""
INITIALS = (1, 2, 4, SAW)
MULTIPLE = 4
"""The usual par_mult."""
MULTIPLES = (1, 2, 3, 4)
USUAL = 0
"""Stands for the usual value of a parameter: other readings change that one, and not what an exercise sets."""
THRESHOLDS = (1, 2, 4, 8)
ERROR_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Thresholds of Error NPDUs, in shares of the queue's capacity."""

CE_PATH = "line.*.congestion_point.clnp.ce_threshold"
TP4_PATH = "flow.*.transport.tp4"
WATCHED_SEEDS = FULL_SEEDS
"""The most seeds of the long runs with time series."""
SAMPLE_S = 1.0
WATCHED_S = 1200.0
RUSH_S, RUSH_END_S = 120.0, 240.0
"""When the load suddenly increases, and the end of those runs."""


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed. Parameters of other strategies keep their usual values.

    `ce_threshold`, `initial` and `multiple` may be `USUAL`.
    """

    strategy: str
    scenario: str
    interproduction: float = INTERPRODUCTION_S
    ce_threshold: int = USUAL
    decrease: float = 0.625
    initial: int = USUAL
    multiple: int = USUAL
    threshold: int = 8
    error_share: float = 0.5

    def __str__(self) -> str:
        told = f"{COMPARED[self.strategy]}, {SCENARIOS[self.scenario].name}"
        usual = Point(self.strategy, self.scenario)
        names = {
            "interproduction": "a packet every {:g} s",
            "ce_threshold": "CE above {} bits",
            "decrease": "factor {}",
        }
        names |= {"initial": "initial window {}", "multiple": "multiple {}", "threshold": "initial threshold {}"}
        names |= {"error_share": "Error NPDUs above {:.0%}"}
        differing = (name for name in names if getattr(self, name) != getattr(usual, name))
        return ", ".join([told, *(names[name].format(getattr(self, name)) for name in differing)])

    @property
    def file(self) -> str:
        """The ready file of its scenario."""
        return SCENARIOS[self.scenario].file

    @property
    def transport(self) -> dict[str, dict[str, dict[str, float]]]:
        """The algorithms of credit at the receiver, and of the window at the sender."""
        credit: dict[str, dict[str, float]] = {"whole": {}}
        window: dict[str, dict[str, float]] = {"unlimited": {}}
        if self.strategy == "avoidance":
            credit = {"congestion_avoidance": {"initial": self.initial or INITIAL, "decrease": self.decrease}}
        elif self.strategy == "withdrawing":
            credit = {"withdrawing_credit": {"multiple": self.multiple or MULTIPLE}}
        elif self.strategy == "backoff":
            window = {"backoff": {"initial_threshold": self.threshold}}
        elif self.strategy == "error":
            window = {"error_npdu": {"initial_threshold": self.threshold}}
        elif self.strategy == "decbit":
            window = {"decbit": {}}
        return {"credit": credit, "window": window}

    @property
    def changes(self) -> dict[str, object]:
        """What differs from it."""
        changes: dict[str, object] = {
            "sweep": None,
            "flow.data.traffic.connections.interproduction_time.exponential": f"{self.interproduction:g} s",
            **{f"flow.data.transport.tp4.{name}": value for name, value in self.transport.items()},
        }
        if self.strategy == "decbit":
            changes["line.*.congestion_point"] = {"decbit": {}}
        else:
            error = f"{round(self.error_share * CAPACITY_BITS / 8)} octets"
            threshold = self.ce_threshold or SCENARIOS[self.scenario].ce_threshold
            changes[CE_PATH] = f"{threshold} bits"
            changes["line.*.congestion_point.clnp.error_reports.threshold"] = error
        return changes


READ = {"measure.sample": f"{SAMPLE_S:g} s", "measure.sample_flows": True}
"""Readings of the queue and of each connection."""
RUSHES = {"connections": "four connections start", "cross": "other packets arrive at 32 kb/s"}


def lasting(data: dict[str, dict[str, dict[str, object]]], after: str) -> dict[str, object]:
    """The same packets on one connection that opens at that time and is never released."""
    usual = data["traffic"]["connections"]
    kept = {name: usual[name] for name in ("interproduction_time", "packet_size")}
    return {"connections": {"inter_connection_time": {"constant": after}, **kept}}


def watched(point: Point) -> SeriesPoint[Point]:
    """A point with readings."""
    return SeriesPoint(point, "watched", {**READ, "duration": f"{WATCHED_S:g} s"})


def rush(point: Point, kind: str) -> SeriesPoint[Point]:
    """A point with a sudden increase in load.

    Two connections that never end are joined at 120 s by four others (`connections`), or by packets without a transport
    at half the bottleneck's rate (`cross`).
    """
    data = point.build().tree["flow"]["data"]
    changes: dict[str, object] = {**READ, "duration": f"{RUSH_END_S:g} s", "flow.data.from": ["es1", "es2"]}
    changes["flow.data.traffic"] = lasting(data, "1 s")
    if kind == "connections":
        senders = ["es3", "es4", "es5", "es6"]
        changes["flow.rush"] = {**data, "from": senders, "traffic": lasting(data, f"{RUSH_S:g} s")}
    else:
        changes["flow.rush"] = {
            "path": ["is6", "is7"],
            "access": {"rate": "32 kb/s"},
            "octets": 1672,
            "traffic": {"greedy": {"start": f"{RUSH_S:g} s"}},
        }
    return SeriesPoint(point, kind, changes)


# ------------------------------------------------------------------------------------------------------ points
def table_points(scenario: str) -> list[Point]:
    """One of the paper's tables: five strategies, and DECbit."""
    return [Point(strategy, scenario) for strategy in COMPARED]


def against_load(strategy: str, scenario: str) -> list[Point]:
    """A strategy at all interproduction times."""
    return [Point(strategy, scenario, load) for load in LOADS]


def load_points() -> list[Point]:
    """All strategies against the load, including the tables (all exercises at their usual parameters)."""
    return [point for scenario in SCENARIOS for strategy in COMPARED for point in against_load(strategy, scenario)]


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise of the annex: what it varies besides the interproduction time, and the parameter of its curves.

    `form` formats a value of the field as in figures.
    """

    reference: str
    strategy: str
    field: str
    label: str
    values: tuple[float, ...]
    curves: str = ""
    each: tuple[float, ...] = ()
    form: Callable[[float], str] = "{:g}".format

    def points(self, scenario: str, load: float = INTERPRODUCTION_S) -> dict[str, dict[float, Point]]:
        """The points of each curve by x."""
        usual = Point(self.strategy, scenario, load)
        return {
            self.curve(value): {
                x: changed(usual, {self.field: x, **({self.curves: value} if self.curves else {})}) for x in self.values
            }
            for value in (self.each or (0.0,))
        }

    def curve(self, value: float) -> str:
        """The name of a curve with that value of its own parameter."""
        names = {"decrease": "factor {:g}", "multiple": "multiple {:g}"}
        return names[self.curves].format(value) if self.curves else STRATEGIES[self.strategy]

    @property
    def usual(self) -> str:
        """The curve that has the parameter of the tables."""
        own = {"decrease": Point(self.strategy, "a").decrease, "multiple": float(MULTIPLE)}
        return self.curve(own[self.curves] if self.curves else 0.0)

    @property
    def parameter(self) -> str:
        """The varied parameter, without its unit."""
        return self.label.partition(" (")[0]


def changed(point: Point, values: dict[str, float]) -> Point:
    """The same point with other parameters."""
    return Point(**{**{name: getattr(point, name) for name in point.__slots__}, **values})


def packets(bits: float) -> str:
    """A CE threshold in whole packets; below one, anything in the queue is above it."""
    return f"{bits // PACKET_BITS:g}" if bits >= PACKET_BITS else ">0"


CE = f"CE threshold (packets of {PACKET_BITS:,} bits)"
EXERCISES = {
    "avoidance": Exercise("STU/TP4/2", "avoidance", "ce_threshold", CE, CE_THRESHOLDS, "decrease", DECREASES, packets),
    "initial-window": Exercise("STU/TP4/2", "avoidance", "initial", "initial window (packets)", INITIALS),
    "withdrawing": Exercise(
        "STU/TP4/3", "withdrawing", "ce_threshold", CE, CE_THRESHOLDS, "multiple", MULTIPLES, packets
    ),
    "backoff": Exercise("STU/TP4/4", "backoff", "threshold", "initial threshold (packets)", THRESHOLDS),
    "error": Exercise(
        "STU/CLNP/1", "error", "error_share", "Error NPDU threshold (of capacity)", ERROR_SHARES, form="{:.0%}".format
    ),
}


def exercise_points() -> list[Point]:
    """All settings of the exercises."""
    return [
        point
        for exercise in EXERCISES.values()
        for scenario in SCENARIOS
        for load in EXERCISE_LOADS
        for points in exercise.points(scenario, load).values()
        for point in points.values()
    ]


def claimed_points() -> list[Point]:
    """The points whose measures the claims read: the tables, backoff against the load, and each varied parameter.

    A parameter that is varied alone leaves the others at what is usual.
    """
    wanted: list[Point] = []
    for scenario in SCENARIOS:
        wanted += [Point(strategy, scenario) for strategy in STRATEGIES]
        wanted += against_load("backoff", scenario)
        wanted += [Point(name, scenario, ce_threshold=each) for name in RECEIVER for each in CE_THRESHOLDS]
        wanted += [Point("avoidance", scenario, decrease=each) for each in DECREASES]
        wanted += [Point("avoidance", scenario, initial=each) for each in INITIALS]
        wanted += [Point("withdrawing", scenario, multiple=each) for each in MULTIPLES]
        wanted += [Point("backoff", scenario, threshold=each) for each in THRESHOLDS]
        wanted += [Point("error", scenario, error_share=each) for each in ERROR_SHARES]
    return list(dict.fromkeys(wanted))


def series_points() -> list[Wanted[Point]]:
    """The runs with time series."""
    drawn = [watched(Point(strategy, "b")) for strategy in RECEIVER]
    filled = [SeriesPoint(Point(strategy, "a"), "filled", READ) for strategy in ("backoff", *RECEIVER)]
    rushes = [rush(Point(strategy, "a"), kind) for kind in RUSHES for strategy in RECEIVER]
    return [*((each, WATCHED_SEEDS) for each in drawn), *((each, None) for each in filled + rushes)]


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points to run for a table, or for all: the load with both tables, the exercises, and time series."""
    if figure is not None:
        return [(point, None) for point in table_points(TABLE_OF[figure])]
    wanted = dict.fromkeys([*load_points(), *exercise_points(), *claimed_points()])
    return [*((point, None) for point in wanted), *series_points()]


# ------------------------------------------------------------------------------------------------------ other readings
def judged_points() -> list[Wanted[Point]]:
    """What the claims read: measures, and time series."""
    return [*((point, None) for point in claimed_points()), *series_points()]


def timer(**values: object) -> Callable[[Point], dict[str, object]]:
    """Another retransmission timer in every connection."""
    changes = {f"{TP4_PATH}.retransmission.{name}": value for name, value in values.items()}
    return lambda _point: changes


def with_many(changes: Callable[[Point], dict[str, object]]) -> Callable[[Point], dict[str, object]]:
    """Changes with many senders alone: those of table 5-1."""
    return lambda point: changes(point) if point.scenario == TABLE_OF["5-1"] else {}


def begun_open(point: Point) -> dict[str, object]:
    """Congestion avoidance begins with the whole window, except where an exercise sets it."""
    if point.strategy != "avoidance" or point.initial != USUAL:
        return {}
    return {f"{TP4_PATH}.credit.congestion_avoidance.initial": SAW}


def rounded(how: str) -> Callable[[Point], dict[str, object]]:
    """Congestion avoidance with another window after a decrease."""
    changes: dict[str, object] = {f"{TP4_PATH}.credit.congestion_avoidance.rounding": how}
    return lambda point: changes if point.strategy == "avoidance" else {}


def waiting_threshold(point: Point) -> dict[str, object]:
    """Thresholds of what waits, without the NPDU in transmission; DECbit has another measure."""
    return {} if point.strategy == "decbit" else {"line.*.congestion_point.clnp.counts_transmission": False}


def own_thresholds(point: Point) -> dict[str, object]:
    """Withdrawing credit with few senders: marks above two packets, and a window that opens sooner."""
    changes: dict[str, object] = {}
    if (point.strategy, point.scenario) == ("withdrawing", "b"):
        if point.ce_threshold == USUAL:
            changes[CE_PATH] = f"{SCENARIOS['a'].ce_threshold} bits"
        if point.multiple == USUAL:
            changes[f"{TP4_PATH}.credit.withdrawing_credit.multiple"] = 1
    return changes


def one_sender(point: Point) -> dict[str, object]:
    """The same with one active sender in place of few."""
    alone: dict[str, object] = {"flow.data.from": ["es1"]} if point.scenario == "b" else {}
    return {**own_thresholds(point), **alone}


OTHER_TIMER = timer(initial="10 s", least="2 s", recheck=2)
KARN = "the text and the standard are silent; of what an acknowledgement covers, none was sent twice (Karn)"
ROUNDED = "W is whole, as the CDT field in which the text transmits it; the text does not round, so the nearest"
T1_OPEN = "the text calls T1 work in progress, the standard leaves its value open"
ONE_THRESHOLD = "one threshold for both strategies of the receiver (3.2.1 refers to 3.1.1), 1 bit in B; par_mult 4"
READINGS: tuple[Reading[Point], ...] = (
    Reading(
        "npdu-counted",
        "the buffer load counts the NPDU in transmission",
        "it does not count: table 5-2 prints 12442 bits, less than the one NPDU that a full line always transmits",
        "text",
        instead={"waiting_mean_bits": "queue_mean_bits", "queue_mean_bits": "waiting_mean_bits"},
    ),
    Reading(
        "first-copy",
        "the delay is counted from the first transmission of a packet",
        "from the transmission of the copy that arrives first",
        "specification",
        instead={
            "delay_mean_s": "delay_transmission_mean_s",
            "delay_transmission_mean_s": "delay_mean_s",
            "power": "power_transmission",
        },
    ),
    Reading(
        "t1",
        "T1 is 10 s before the first round trip, and at least 2 s",
        f"8 s, and at least 8 s: {T1_OPEN}",
        "specification",
        changes=timer(initial="10 s", least="2 s"),
    ),
    Reading(
        "recheck",
        "a packet other than the oldest is checked again after twice its T1",
        "after 0.3 of its T1: the standard leaves open which packets are sent again",
        "specification",
        changes=timer(recheck=2),
    ),
    Reading(
        "t1-recheck",
        "t1 and recheck together",
        "as for each",
        "specification",
        changes=OTHER_TIMER,
    ),
    Reading(
        "many",
        "t1 and recheck in scenario A alone, as if each table had its own timer",
        "as for each, and the same in both",
        "specification",
        changes=with_many(OTHER_TIMER),
    ),
    Reading(
        "t1-newest",
        "an acknowledgement gives a round trip if the newest TPDU that it covers was sent once",
        KARN,
        "specification",
        changes=timer(sampled="newest"),
    ),
    Reading(
        "threshold-waiting",
        "the thresholds of marks and of Error NPDUs count what waits, without the NPDU in transmission",
        'the "depth of the output queue" has the NPDU in transmission; the text does not say',
        "specification",
        changes=waiting_threshold,
    ),
    Reading(
        "real-window",
        "W of congestion avoidance is a real number, and the credit its integer part",
        ROUNDED,
        "text",
        changes=rounded("none"),
    ),
    Reading(
        "window-down",
        "a decrease of W is rounded down",
        ROUNDED,
        "specification",
        changes=rounded("down"),
    ),
    Reading(
        "w0-saw",
        "congestion avoidance begins with the largest window, 7 packets",
        "with 2 packets: section 5.1 has 1 or 2",
        "text",
        changes=begun_open,
    ),
    Reading(
        "thresholds",
        "withdrawing credit has its own threshold in scenario B, 27000 bits, and par_mult 1",
        ONE_THRESHOLD,
        "text",
        changes=own_thresholds,
    ),
    Reading(
        "one-sender",
        "thresholds, and one sender in scenario B",
        "as for thresholds; two senders, because table 5-2 has a few",
        "text",
        changes=one_sender,
    ),
)
"""The other readings of the paper that the study judges."""
