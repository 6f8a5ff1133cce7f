"""The runs of the thesis' future work: variants of the satellite study's own scenarios.

Every run is one of `satellite/SCENARIO-case-CASE.toml` with one variant. The variant `thesis` changes nothing but the
numbers of sources: all questions compare with it, and share its runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.studies import framework
from penstock.studies.framework import Wanted, ready
from penstock.studies.satellite.grid import CASES, MIXES, REAL_TIME

QUESTIONS = {
    "1": "true link sizes",
    "2": "two satellite links with cross traffic",
    "3": "retransmission of files",
    "4": "dynamic capacity",
    "5": "quality of voice and video",
}
"""What each figure of the study is about. A figure has the number of its question."""

VARIANTS = {
    "thesis": "as in the thesis",
    "true": "true sizes, printed queues",
    "true-queues": "true sizes, queues x 7.5",
    "two-links": "two satellite links",
    "cells": "lost cells sent again",
    "frames": "lost frames sent again",
    "fixed-equal": "two stations of 6 Mb/s, equal load",
    "dynamic-equal": "12 Mb/s for two stations, equal load",
    "fixed-unequal": "two stations of 6 Mb/s, unequal load",
    "dynamic-unequal": "12 Mb/s for two stations, unequal load",
    "long": "sessions of 180 s",
}
SIZES = ("thesis", "true", "true-queues")
REPEATS = ("thesis", "cells", "frames")
SCALE = 7.5
"""The true satellite link of 45 Mb/s over the 6 Mb/s of the thesis; 155 over 21 Mb/s is nearly the same."""
CROSSING = {1: 96, 2: 25, 3: 57}
"""The number of sources at which the load first exceeds the link's rate in case 1."""
FRAME = "32 cells"
LONG_SESSION, LONG_RUN = "180 s", "2160 s"
"""The thesis has sessions of 15 s and runs of 180 s, in place of about three minutes and twelve times the run."""
PARTS = ("through", "first", "second")
"""The traffic over two links: over both, and over the first or second alone."""
STATIONS = ("east", "west")
"""The traffic of two stations that share a capacity. With unequal load the west has the least sources."""
LOADS = ("equal", "unequal")
CAPACITY = {
    "lines": ["satellite", "satellite_west"],
    "total": "12 Mb/s",
    "least": "3 Mb/s",
    "most": "9 Mb/s",
    "period": "560 ms",
    "delay": "540 ms",
    "weight": 0.5,
}
"""The shared capacity: our design. The delay is that of a request to the satellite's controller and of its answer."""


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed: a scenario, a case, the number of sources of the thesis, and a variant."""

    scenario: int
    case: str
    n: int
    variant: str

    def __str__(self) -> str:
        return f"scenario {self.scenario} case {self.case}, N = {self.n}, {VARIANTS[self.variant]}"

    @property
    def file(self) -> str:
        """The ready file of the case, which has the largest number of sources."""
        return f"satellite/{self.scenario}-case-{self.case}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of its traffic, if it has several."""
        if self.variant == "two-links":
            return PARTS
        return STATIONS if self.variant.partition("-")[2] in LOADS else ()

    @property
    def counts(self) -> dict[str, int]:
        """Sources of each kind as in the thesis."""
        mix = MIXES[self.scenario]
        return mix.counts(mix.sizes.index(self.n))

    @property
    def changes(self) -> dict[str, object]:
        """The numbers of sources, and the variant."""
        counts = {f"flow.{group}.count": count for group, count in self.counts.items()}
        return counts | CHANGES[self.variant](self)


def scaled(count: int) -> int:
    """So many sources, or cells, of the thesis at true link sizes; a half is rounded up."""
    return int(SCALE * count + 0.5)


def true_sizes(point: Point) -> dict[str, object]:
    """True rates, and as many times the sources."""
    rates = {"user_link": "155 Mb/s", "satellite": "45 Mb/s", "ground": "155 Mb/s"}
    return {f"line.{line}.rate": rate for line, rate in rates.items()} | {
        f"flow.{group}.count": scaled(count) for group, count in point.counts.items()
    }


def true_sizes_and_queues(point: Point) -> dict[str, object]:
    """The same with queues that are longer by the same factor."""
    lines = ready(point.file).tree["line"]
    changes: dict[str, object] = {}
    for name, line in lines.items():
        changes[f"line.{name}.queues"] = [longer(queue) for queue in line["queues"]]
        if "reverse" in line:
            changes[f"line.{name}.reverse.queues"] = [longer(queue) for queue in line["reverse"]["queues"]]
    return true_sizes(point) | changes


def longer(queue: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """A queue of so many times the cells."""

    def cells(size: str) -> str:
        return f"{scaled(int(size.split()[0]))} cells"

    return {policy: {name: cells(size) for name, size in sizes.items()} for policy, sizes in queue.items()}


def two_links(point: Point) -> dict[str, object]:
    """Two satellite links in series. Each has the mix of the thesis, and half of it goes over both."""
    tree = ready(point.file).tree
    own: dict[str, Any] = tree["line"]

    def line(name: str, *between: str) -> dict[str, Any]:
        return {**own[name], "between": list(between)}

    lines = {
        "user_link": own["user_link"],
        "satellite": line("satellite", "router", "middle"),
        "ground_first": line("ground", "middle", "terminal_first"),
        "user_link_second": line("user_link", "user_second", "middle"),
        "satellite_second": line("satellite", "middle", "station"),
        "ground": own["ground"],
    }
    paths = {
        "through": ["user", "router", "middle", "station", "terminal"],
        "first": ["user", "router", "middle", "terminal_first"],
        "second": ["user_second", "middle", "station", "terminal"],
    }
    flows = {
        f"{group}_{part}": {**tree["flow"][group], "path": path, "count": share_of(count, part)}
        for group, count in point.counts.items()
        for part, path in paths.items()
    }
    return {"line": lines, "flow": flows}


def two_stations(point: Point) -> dict[str, object]:
    """Two stations with links of their own to one ground station. Each has the mix of the thesis."""
    tree = ready(point.file).tree
    own: dict[str, Any] = tree["line"]
    capacity, _, load = point.variant.partition("-")
    lines = {
        **own,
        "user_link_west": {**own["user_link"], "between": ["user_west", "router_west"]},
        "satellite_west": {**own["satellite"], "between": ["router_west", "station"]},
    }
    paths = {
        "east": ["user", "router", "station", "terminal"],
        "west": ["user_west", "router_west", "station", "terminal"],
    }
    counts = {"east": point.counts, "west": point.counts if load == "equal" else MIXES[point.scenario].counts(0)}
    flows = {
        f"{group}_{part}": {**tree["flow"][group], "path": path, "count": counts[part][group]}
        for part, path in paths.items()
        for group in point.counts
    }
    changes: dict[str, object] = {"line": lines, "flow": flows}
    return changes | {"capacity": {"satellite": CAPACITY}} if capacity == "dynamic" else changes


def share_of(count: int, part: str) -> int:
    """The sources of one part of the traffic, of `count` on each link: the lesser half goes through."""
    return count // 2 if part == "through" else count - count // 2


def repeats(frame: str) -> Callable[[Point], dict[str, object]]:
    """Lost cells, or the frames that they belong to, are sent again."""
    return lambda _point: {"flow.data.notification_point": {"gap_report": {"frame": frame}}}


def long_sessions(point: Point) -> dict[str, object]:
    """Sessions of true length, and a run that is longer by the same factor."""
    changes: dict[str, object] = {"duration": LONG_RUN}
    for group in set(REAL_TIME) & set(point.counts):
        model = {"video": "two_rate_video", "voice": "on_off"}[group]
        changes[f"flow.{group}.traffic.{model}.session"] = {"active": LONG_SESSION, "idle": LONG_SESSION}
    return changes


CHANGES: dict[str, Callable[[Point], dict[str, object]]] = {
    "thesis": lambda _point: {},
    "true": true_sizes,
    "true-queues": true_sizes_and_queues,
    "two-links": two_links,
    "cells": repeats("1 cell"),
    "frames": repeats(FRAME),
    "long": long_sessions,
    "fixed-equal": two_stations,
    "dynamic-equal": two_stations,
    "fixed-unequal": two_stations,
    "dynamic-unequal": two_stations,
}


def three_sizes(scenario: int) -> tuple[int, int, int]:
    """The smallest number of sources, the one at which the load crosses the link's rate, and the largest."""
    sizes = MIXES[scenario].sizes
    return sizes[0], CROSSING[scenario], sizes[-1]


def at(scenario: int, case: str, variant: str) -> Point:
    """The point with the most sources."""
    return Point(scenario, case, MIXES[scenario].sizes[-1], variant)


def stations(scenario: int, case: str, capacity: str, load: str) -> Point:
    """Two stations: each with the N at which its load crosses 6 Mb/s; or one with the most and one with the least."""
    n = CROSSING[scenario] if load == "equal" else MIXES[scenario].sizes[-1]
    return Point(scenario, case, n, f"{capacity}-{load}")


def larger(scenario: int, case: str, variant: str) -> list[Point]:
    """The points with the larger numbers of sources: the last third, as in the satellite study."""
    return [Point(scenario, case, n, variant) for n in MIXES[scenario].larger]


def of_question(question: str) -> list[Point]:
    """The points of one question."""
    every = [(scenario, case) for scenario in MIXES for case in CASES]
    if question == "1":
        return [Point(*each, n, variant) for each in every for n in three_sizes(each[0]) for variant in SIZES]
    if question == "2":
        sizes = {scenario: three_sizes(scenario)[1:] for scenario in MIXES}
        return [Point(*each, n, name) for each in every for n in sizes[each[0]] for name in ("thesis", "two-links")]
    if question == "3":
        return [point for each in every if each[0] != 1 for name in REPEATS for point in larger(*each, name)]
    if question == "4":
        return [
            stations(*each, capacity, load) for each in every for capacity in ("fixed", "dynamic") for load in LOADS
        ]
    return [at(*each, name) for each in every if each[0] != 2 for name in ("thesis", "long")]


def points(figure: str | None) -> list[Wanted[Point]]:
    """The points of a question, or of all: each is run once."""
    questions = QUESTIONS if figure is None else [figure]
    return [(point, None) for point in dict.fromkeys(point for each in questions for point in of_question(each))]
