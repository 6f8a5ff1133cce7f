"""The runs of the ATN study's future work: another timer, queues by priority, or a path that changes.

Every run is one of the ATN study with one variant. The variant `usual` changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.studies import framework
from penstock.studies.atn import grid as atn
from penstock.studies.atn.grid import CAPACITY_BITS, SCENARIOS, STRATEGIES, TP4_PATH
from penstock.studies.framework import Wanted

QUESTIONS = {"1": "the retransmission timer", "2": "marks by priority", "3": "a path that changes"}
"""What each figure of the study is about. A figure has the number of its question."""

USUAL, FIXED, MEAN_ONLY, MOVING = "usual", "fixed", "mean-only", "moving"
TIMERS: dict[str, tuple[str, Mapping[str, object]]] = {
    USUAL: ("mean + 4 deviations, at least 8 s", {}),
    "low": ("mean + 4 deviations, at least 1 s", {"least": "1 s"}),
    MEAN_ONLY: ("mean alone, at least 1 s", {"least": "1 s", "deviations": 0}),
    "newest": ("as low, a sample of the newest", {"least": "1 s", "sampled": "newest"}),
    "no-karn": ("as low, without Karn's rule", {"least": "1 s", "karn": False}),
    FIXED: ("8 s, never measured", {"initial": "8 s", "least": "8 s", "most": "8 s"}),
}
"""The algorithms of T1: what each is, and its parameters."""
QUEUES = {"one-queue": "one queue, marks by all of it", "by-priority": "by priority, marks by own and higher"}
"""Half of the senders are urgent (14), the others not (0)."""
PATHS = {USUAL: "still", MOVING: "moving", "moving-low": "moving, T1 at least 1 s"}
"""The path of the mobile system: the same, or two subnetworks in turn."""
URGENT, LEAST = 14, 0
"""The priorities of the two groups."""
TIMED = ("none", "avoidance", "backoff")
"""The strategies with every timer: none, the paper's best one, and the one that T1 itself drives."""
MARKED = ("avoidance", "withdrawing")
"""The strategies that marks drive."""

MOVES_S = (120, 240, 360, 480)
"""When the mobile system changes its subnetwork, in runs of 600 s."""
BREAK_S = 5
"""How long it has none then."""
NEAR, FAR = ("64 kb/s", "5 ms"), ("16 kb/s", "500 ms")
"""The rate and the delay of the line to it: that of the ATN study, and that of a slower, longer one. Ours."""


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed: a strategy, a scenario, and a variant."""

    strategy: str
    scenario: str
    variant: str = USUAL

    def __str__(self) -> str:
        told = {**{name: text for name, (text, _) in TIMERS.items()}, **QUEUES, **PATHS, USUAL: "as in the ATN study"}
        return f"{STRATEGIES[self.strategy]}, {SCENARIOS[self.scenario].name}, {told[self.variant]}"

    @property
    def own(self) -> atn.Point:
        """The point of the ATN study that it changes."""
        return atn.Point(self.strategy, self.scenario)

    @property
    def file(self) -> str:
        """The ready file of its scenario."""
        return SCENARIOS[self.scenario].file

    @property
    def changes(self) -> dict[str, object]:
        """What differs from it."""
        if self.variant in QUEUES:
            return {**self.own.changes, **by_priority(self)}
        timer = "low" if self.variant == "moving-low" else self.variant
        _, values = TIMERS.get(timer, ("", {}))
        moves: dict[str, object] = {"change": moving(SCENARIOS[self.scenario].bottleneck)}
        return {
            **self.own.changes,
            **{f"{TP4_PATH}.retransmission.{name}": value for name, value in values.items()},
            **(moves if self.variant.startswith(MOVING) else {}),
        }


def by_priority(point: Point) -> dict[str, object]:
    """Two groups, an urgent one of every other sender, and queues with or without sub-queues by priority."""
    data = point.own.build().tree["flow"]["data"]
    groups = {"urgent": (data["from"][::2], URGENT), "data": (data["from"][1::2], LEAST)}
    changes: dict[str, object] = {}
    for name, (senders, priority) in groups.items():
        tp4 = {**data["transport"]["tp4"], "priority": {"constant": priority}}
        changes[f"flow.{name}"] = {**data, "from": senders, "transport": {"tp4": tp4}}
    if point.variant == "by-priority":
        changes["line.*.queues"] = [{"npdu_priority": {"size": f"{CAPACITY_BITS} bits"}}]
    return changes


def moving(line: str) -> list[dict[str, object]]:
    """A line that is broken at each move, and has the rate and the delay of the other subnetwork afterwards."""
    found: list[dict[str, object]] = []
    for place, at in enumerate(MOVES_S):
        rate, delay = NEAR if place % 2 else FAR
        outage = {"from": f"{at} s", "to": f"{at + BREAK_S} s"}
        for key, value in (("rate", rate), ("delay", delay), ("outage", outage)):
            found.append({"at": f"{at} s", "path": f"line.{line}.{key}", "value": value})
    return found


def of_question(question: str) -> list[Point]:
    """The points of one question."""
    if question == "1":
        return [Point(name, scenario, timer) for scenario in SCENARIOS for name in TIMED for timer in TIMERS]
    if question == "2":
        return [Point(name, "a", queue) for name in MARKED for queue in QUEUES]
    return [Point(name, "a", path) for name in STRATEGIES for path in PATHS]


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points of a question, or of all: each is run once."""
    questions = QUESTIONS if figure is None else [figure]
    return [(point, None) for point in dict.fromkeys(point for each in questions for point in of_question(each))]
