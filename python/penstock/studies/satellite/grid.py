"""The runs of the satellite study: three traffic scenarios, three cases, and the alternatives that the text discusses.

The ready files `satellite/SCENARIO-case-CASE.toml` and `satellite/alternative-SCENARIO-NAME.toml` define everything;
here only the numbers of sources change. The thesis does not print its mixes: these are the integer mixes whose loads
fit the printed ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock.studies import framework
from penstock.studies.framework import SeriesPoint, Wanted

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
ALTERNATIVE_SCENARIOS = (1, 3)
SERIES_ALTERNATIVES = ("forward-marking",)


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
    return [*((point, None) for point in grid() + alternatives()), *((each, None) for each in series_points())]
