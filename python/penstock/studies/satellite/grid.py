"""The runs of the satellite study: three traffic scenarios, three cases, and the alternatives that the text discusses.

The ready files `satellite/SCENARIO-case-CASE.toml` and `satellite/alternative-SCENARIO-NAME.toml` define everything;
here only the numbers of sources change. The thesis does not print its mixes: these are the integer mixes whose loads
fit the printed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from penstock.studies import framework
from penstock.studies.framework import Reading, SeriesPoint, Wanted

LINK_RATE_BPS = 6e6
PROPAGATION_S = 0.28
REAL_TIME = ("video", "voice")
CASES = ("1", "2", "3")
SERIES_INTERVAL = "50 ms"
SERIES_DURATION = "60 s"


@dataclass(frozen=True, slots=True)
class Mix:
    """A traffic scenario: the numbers of sources of each kind, which grow together."""

    name: str
    first: dict[str, int]
    step: dict[str, int]
    points: int

    def counts(self, k: int) -> dict[str, int]:
        """Sources of each kind at the k-th point."""
        return {group: self.first[group] + k * self.step[group] for group in self.first}

    @property
    def sizes(self) -> tuple[int, ...]:
        """N at each point: all sources together."""
        return tuple(sum(self.counts(k).values()) for k in range(self.points))

    @property
    def groups(self) -> tuple[str, ...]:
        """The kinds of sources."""
        return tuple(self.first)

    @property
    def larger(self) -> tuple[int, ...]:
        """The last third of the sizes: the larger numbers of sources of the text."""
        count = -(-self.points // 3)
        return self.sizes[-count:]


MIXES = {
    1: Mix("voice and video", {"video": 24, "voice": 48}, {"video": 1, "voice": 5}, 9),
    2: Mix("data", {"data": 15}, {"data": 2}, 8),
    3: Mix("voice, video and data", {"video": 16, "voice": 8, "data": 5}, {"video": 1, "voice": 5, "data": 1}, 13),
}

FIGURES = {
    number: of
    for of, numbers in {
        (1, "1"): (11, 14, 15),
        (1, "2"): (12, 16, 17),
        (1, "3"): (13, 18, 19),
        (2, "1"): (20, 23, 24, 25),
        (2, "2"): (21, 26, 27, 28),
        (2, "3"): (22, 29, 30, 31),
        (3, "1"): (32, 35, 36, 37, 38, 39),
        (3, "2"): (33, 40, 41, 42, 43, 44),
        (3, "3"): (34, 45, 46, 47, 48, 49),
    }.items()
    for number in numbers
}
"""The scenario and the case of each figure of the thesis."""

CASE_NAMES = {
    "1": "no policing, no notices",
    "2": "policing, notices by input rates and by discards",
    "3": "policing, notices by discards alone",
}

ALTERNATIVES = {
    "push-out": "a full queue pushes out a CLP=1 cell, in place of the threshold",
    "queue-length": "congestion seen in the queue length, in place of the input rate",
    "bucket-queue": "a queue in front of the leaky bucket",
    "no-priorities": "one queue for all, in place of two priorities",
    "forward-marking": "cells marked forward, the destination notifies",
    "stopping-sources": "a notified source stops",
    "second-bucket": "a second leaky bucket, in place of the peak-rate controller",
    "long-interval": "rates measured over a satellite round trip, in place of 50 ms",
    "constant-video": "one video source of constant rate besides the others",
    "contract-breakers": "three video sources ignore notices and send above their mean",
}
PEAK_BREAKERS = "peak-breakers"
"""Three video sources ignore notices and send above their peak, in scenario 1."""
BUCKET_BREAKERS = "bucket-breakers"
"""The same, with a second leaky bucket in place of the peak-rate controller."""
PUSH_OUT_DISCARDS = "push-out-discards"
"""Push-out in scenario 3 case 3, where queues do fill, in place of the threshold."""
NOMINAL_RATES = "nominal-rates"
"""Data sources of two nominal rates that always have something to send, in place of scenario 2."""
NOMINAL_KBPS = {"data": 400, "data_slow": 100}
ALTERNATIVE_SCENARIOS = (1, 3)
SERIES_ALTERNATIVES = ("forward-marking",)
UNCLAIMED = ("queue-length", "long-interval", "constant-video", "forward-marking")
"""The alternatives of whose runs no claim reads a measure: the text states no result, or time series show it."""
CLAIMED_ONCE = {"no-priorities": 3, "contract-breakers": 1}
"""The alternatives that claims read in one scenario alone."""


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed: a scenario, a case or alternative, and the number of sources."""

    scenario: int
    case: str
    n: int

    def __str__(self) -> str:
        case = f"case {self.case}" if self.case in CASES else self.case
        return f"scenario {self.scenario} {case}, N = {self.n}"

    @property
    def file(self) -> str:
        """The ready file of a case or an alternative, which has the largest number of sources."""
        if self.case in CASES:
            return f"satellite/{self.scenario}-case-{self.case}"
        return f"satellite/alternative-{self.scenario}-{self.case}"

    @property
    def groups(self) -> tuple[str, ...]:
        """The kinds of sources that heed notices."""
        return tuple(NOMINAL_KBPS) if self.case == NOMINAL_RATES else MIXES[self.scenario].groups

    @property
    def changes(self) -> dict[str, object]:
        """The numbers of sources."""
        mix = MIXES[self.scenario]
        counts = {} if self.n == mix.sizes[-1] else mix.counts(mix.sizes.index(self.n))
        return {f"flow.{group}.count": count for group, count in counts.items()}


def largest(scenario: int, case: str) -> Point:
    """The point with the most sources."""
    return Point(scenario, case, MIXES[scenario].sizes[-1])


def case_points(scenario: int, case: str) -> list[Point]:
    """Every point of one case."""
    return [Point(scenario, case, n) for n in MIXES[scenario].sizes]


def larger(scenario: int, case: str) -> list[Point]:
    """The points with the larger numbers of sources."""
    return [Point(scenario, case, n) for n in MIXES[scenario].larger]


def smaller(scenario: int, case: str) -> list[Point]:
    """As many points from the lower end."""
    return case_points(scenario, case)[: len(MIXES[scenario].larger)]


def rare_points() -> list[Point]:
    """The points whose claims are about rare events: full control of voice, video and data."""
    return case_points(3, "2")


def grid() -> list[Point]:
    """Every point of the three scenarios and cases."""
    return [point for scenario in MIXES for case in CASES for point in case_points(scenario, case)]


def alternatives() -> list[Point]:
    """The alternatives, at the largest numbers of sources."""
    return [largest(scenario, name) for scenario in ALTERNATIVE_SCENARIOS for name in ALTERNATIVES]


def contracts() -> list[Point]:
    """The points about contracts and what enforces them: sources above their peak, two nominal rates, push-out."""
    return [
        largest(1, PEAK_BREAKERS),
        largest(2, NOMINAL_RATES),
        largest(1, BUCKET_BREAKERS),
        largest(3, PUSH_OUT_DISCARDS),
    ]


def series_points() -> list[SeriesPoint[Point]]:
    """The points whose first minute is stored as time series."""
    cases = [largest(scenario, case) for scenario in MIXES for case in ("2", "3")]
    others = [largest(scenario, name) for scenario in ALTERNATIVE_SCENARIOS for name in SERIES_ALTERNATIVES]
    changes = {"measure.sample": SERIES_INTERVAL, "duration": SERIES_DURATION}
    return [SeriesPoint(point, "series", changes) for point in cases + others]


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points to run for a figure, or for all: the grid, the alternatives and the time series."""
    if figure is not None:
        return [(point, None) for point in case_points(*FIGURES[int(figure)])]
    return [
        *((point, None) for point in grid() + alternatives() + contracts()),
        *((each, None) for each in series_points()),
    ]


# --------------------------------------------------------------------------------------------------- other readings
Changes = Mapping[str, object]


def judged_points() -> list[Wanted[Point]]:
    """What the other readings run: what the claims read, and no figure alone."""

    def is_read(point: Point) -> bool:
        return point.case not in UNCLAIMED and CLAIMED_ONCE.get(point.case, point.scenario) == point.scenario

    return [each for each in points(None) if isinstance(each[0], SeriesPoint) or is_read(each[0])]


def by_rates(name: str, value: object, *without: str) -> Callable[[Point], Changes]:
    """A parameter of the congestion points that measure input rates, in all lines: not in case 1 and in others."""
    places = ("satellite", "ground", "user_link.reverse")
    paths = {f"line.{place}.congestion_point.class_rates.{name}": value for place in places}
    return lambda point: {} if point.case in ("1", "queue-length", *without) else paths


def reaction(name: str, *without: str) -> Callable[[Point], Changes]:
    """A switch of the reaction points of all sources that have one: not in case 1 and in others."""

    def change(point: Point) -> Changes:
        if point.case in ("1", "stopping-sources", *without):
            return {}
        return {f"flow.{group}.reaction_point.rate_factor.{name}": True for group in point.groups}

    return change


def larger_share(point: Point) -> Changes:
    """The penalised classes hold 0.24 of the link, and ignored notices postpone the next increase."""
    by_discards = ("3", PUSH_OUT_DISCARDS)
    rates = by_rates("share", 0.24, *by_discards)(point)
    return {**rates, **reaction("ignored_postpones", *by_discards)(point)}


def data_policer(path: str, value: object, *without: str) -> Callable[[Point], Changes]:
    """A parameter of the policers of data sources: not in case 1 and in these alternatives."""

    def change(point: Point) -> Changes:
        if point.case in ("1", *without):
            return {}
        return {f"flow.{group}.policers{path}": value for group in point.groups if group.startswith("data")}

    return change


def other_mix(point: Point) -> Changes:
    """Scenario 1 with one video source more, and one voice source less, at each N."""
    if point.scenario != 1:
        return {}
    counts = MIXES[1].counts(MIXES[1].sizes.index(point.n))
    breakers = 3 if point.case in ("contract-breakers", PEAK_BREAKERS, BUCKET_BREAKERS) else 0
    return {"flow.video.count": counts["video"] + 1 - breakers, "flow.voice.count": counts["voice"] - 1}


READINGS: tuple[Reading[Point], ...] = (
    Reading(
        "every-cell",
        "a marked cell that a full peak-rate controller sends early restarts its timer, by the letter of 6.1.2",
        "it does not: by the letter 96 % of the data at 600 kb/s are marked, and sections 3.2 and 4 mark the excess",
        "specification",
        data_policer("[0].peak_rate_controller.timer", "every_pdu", "second-bucket"),
    ),
    Reading(
        "raw",
        "the filter weighs the input rate of the interval before, by the letter of 5.1 (previous input rate values)",
        "the filtered rate of the interval before, as a filter does",
        "specification",
        by_rates("previous", "raw"),
    ),
    Reading(
        "tagged-pass",
        "cells that the peak-rate controller has marked take no token of the leaky bucket",
        "every cell that it sends takes one: section 3.1 counts down for each",
        "text",
        data_policer("[1].leaky_bucket.tagged_use_tokens", False, "bucket-queue"),
    ),
    Reading(
        "shallow",
        "the leaky bucket of data holds one cell",
        "143 cells, as that of video: the printed formula is negative for data, and the depth was increased",
        "specification",
        data_policer("[1].leaky_bucket.depth", "1 cell"),
    ),
    Reading(
        "single",
        "notified is the lowest single class that has a fifth of the link",
        "the lowest classes that have it together: section 5.1 counts upwards from class 4",
        "text",
        by_rates("rule", "single", "3", PUSH_OUT_DISCARDS),
    ),
    Reading(
        "larger-share",
        "the penalised classes are to have 0.24 of the link, and an ignored Type 0 postpones the next increase",
        "0.20, as printed, and an ignored message changes nothing",
        "text",
        larger_share,
    ),
    Reading(
        "severe-once",
        "a Type 2 is obeyed once in a round trip, as a Type 0 is",
        "always: the text ignores Type 0 alone for a round trip",
        "text",
        reaction("severe_once"),
    ),
    Reading(
        "unfinished",
        "the file time counts the files that a run does not finish, by the cells sent",
        "the mean over the finished ones, as the text says",
        "text",
        instead={"transfer_mean_s": "transfer_mean_all_s"},
    ),
    Reading(
        "mix",
        "scenario 1 begins with 25 video and 47 voice sources",
        "with 24 and 48: both fit the printed loads, and this one keeps video within the printed 80 to 85 %",
        "specification",
        other_mix,
    ),
)
"""The other readings of the thesis that the study judges."""
