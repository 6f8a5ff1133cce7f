"""The runs of the satellite study: three traffic scenarios, three cases, and the alternatives that the text discusses.

The ready files `satellite/SCENARIO-case-CASE.toml` and `satellite/alternative-SCENARIO-NAME.toml` define everything;
here only the numbers of sources change. The thesis does not print its mixes: these are the integer mixes whose loads
fit the printed ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from penstock.core.scenario import Scenario

LINK_RATE_BPS = 6e6
PROPAGATION_S = 0.28
REAL_TIME = ("video", "voice")
CASES = ("1", "2", "3")
SERIES_INTERVAL = "50 ms"
SERIES_DURATION = "60 s"
RARE_SEEDS = 200
"""The seeds of a full run where the claims are about rare events."""


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
class Point:
    """One run without its seed: a scenario, a case or alternative, and the number of sources."""

    scenario: int
    case: str
    n: int

    def __str__(self) -> str:
        case = f"case {self.case}" if self.case in CASES else self.case
        return f"scenario {self.scenario} {case}, N = {self.n}"

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of the point, by name."""
        return {"scenario": self.scenario, "case": self.case, "n": self.n, "kind": "run"}

    def build(self) -> Scenario:
        """The scenario of this point, from its ready file."""
        base = ready(self.scenario, self.case)
        mix = MIXES[self.scenario]
        if self.n == mix.sizes[-1]:
            return base
        counts = mix.counts(mix.sizes.index(self.n))
        return base.with_({f"flow.{group}.count": count for group, count in counts.items()})


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """A point with time series of its first minute."""

    point: Point

    @property
    def parameters(self) -> dict[str, object]:
        """Those of the point; only the kind differs."""
        return {**self.point.parameters, "kind": "series"}

    def build(self) -> Scenario:
        """The scenario of the point, shorter, with readings."""
        return self.point.build().with_({"measure.sample": SERIES_INTERVAL, "duration": SERIES_DURATION})


@cache
def ready(scenario: int, case: str) -> Scenario:
    """The ready file of a case or an alternative, at the largest number of sources."""
    name = f"{scenario}-case-{case}" if case in CASES else f"alternative-{scenario}-{case}"
    return Scenario.load(f"satellite/{name}")


def largest(scenario: int, case: str) -> Point:
    """The point with the most sources."""
    return Point(scenario, case, MIXES[scenario].sizes[-1])


def case_points(scenario: int, case: str) -> list[Point]:
    """Every point of one case."""
    return [Point(scenario, case, n) for n in MIXES[scenario].sizes]


@cache
def rare_points() -> tuple[Point, ...]:
    """The points whose claims are about rare events: full control of voice, video and data."""
    return tuple(case_points(3, "2"))


def grid() -> list[Point]:
    """Every point of the three scenarios and cases."""
    return [point for scenario in MIXES for case in CASES for point in case_points(scenario, case)]


def alternatives() -> list[Point]:
    """The alternatives, at the largest numbers of sources."""
    return [largest(scenario, name) for scenario in ALTERNATIVE_SCENARIOS for name in ALTERNATIVES]


def series_points() -> list[Point]:
    """The points whose time series are stored."""
    cases = [largest(scenario, case) for scenario in MIXES for case in ("2", "3")]
    return cases + [largest(scenario, name) for scenario in ALTERNATIVE_SCENARIOS for name in SERIES_ALTERNATIVES]
