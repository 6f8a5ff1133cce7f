"""The figures of the future work: one for each question, and the other scenarios beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet
from penstock.studies.claims import Clauses
from penstock.studies.drawing import Quantity, against, captioned, curve, panel_of
from penstock.studies.framework import PaperTable
from penstock.studies.predicates import evidence_of
from penstock.studies.runs import mean
from penstock.studies.satellite.grid import CASE_NAMES, CASES, MIXES
from penstock.studies.satellite_beyond.claims import PREDICATES
from penstock.studies.satellite_beyond.grid import (
    CROSSING,
    LOADS,
    PARTS,
    QUESTIONS,
    REPEATS,
    SIZES,
    VARIANTS,
    Point,
    at,
    scaled,
    stations,
    three_sizes,
)
from penstock.studies.satellite_beyond.measures import BELOW, Runs

Places = Mapping[str, Mapping[int, Point]]

LOSS = Quantity("loss", "voice, video lost (%)", 100.0)
JITTER = Quantity("jitter", "voice, video over limit (%)", 100.0)
DATA_LOSS = Quantity("data_loss", "data lost (%)", 100.0)
FILE_TIME = Quantity("file_time_s", "file time (s)")
GOODPUT = Quantity("goodput", "goodput of data (% of link)", 100.0)
REPEATED = Quantity("repeats", "data cells sent again (%)", 100.0)
QUANTITIES = {1: (LOSS, JITTER), 2: (DATA_LOSS, FILE_TIME), 3: (LOSS, JITTER, DATA_LOSS, FILE_TIME)}
DELIVERED = Quantity("delivered", "delivered (% of 6 Mb/s)", 100.0)
SOURCES = "number of sources in the thesis"
DRAWN = "Means over seeds with 95 % intervals."
FILES = "File times are of all files, by the cells sent; with retransmission by the cells that arrived."
CLAIMS = {
    "1": "sat.future.sizes",
    "2": "sat.future.network",
    "3": "sat.future.files",
    "4": "sat.future.capacity",
    "5": "sat.future.quality",
}
"""The claim of each question."""
CASES_TOLD = "Columns: " + "; ".join(f"case {case}, {name}" for case, name in CASE_NAMES.items()) + "."


def headline(runs: Runs, question: str) -> str:
    """The title of a question's figure: what it is about, and how much of the claim holds."""
    evidence = evidence_of(PREDICATES[CLAIMS[question]], runs)
    if not isinstance(evidence, Clauses):
        return f"Question {question}: {QUESTIONS[question]}"
    parts = evidence.clauses
    holding = sum(part.holds for part in parts)
    return f"Question {question}: {QUESTIONS[question]}: {holding} of {len(parts)} parts of the claim hold"


def by_case(
    runs: Runs, name: str, title: str, told: str, quantities: Sequence[Quantity], places: Callable[[str], Places]
) -> Sheet:
    """A panel for each quantity and case, with a curve for each variant."""
    panels = [
        panel
        for quantity in quantities
        for case in CASES
        for panel in against(runs, places(case), SOURCES, [quantity], title=f"case {case}")
    ]
    points = [point for case in CASES for own in places(case).values() for point in own.values()]
    caption = captioned(runs, points, told, CASES_TOLD, DRAWN)
    return Sheet(name, titled(runs, name, title), caption, panels, columns=len(CASES), panel_height=2.4)


def titled(runs: Runs, name: str, title: str) -> str:
    """The title of a figure; that of a question begins with its headline."""
    question = name.removeprefix("figure-")
    return f"{headline(runs, question)} (shown: {title})" if question in QUESTIONS else title


def sizes_sheet(scenario: int, name: str) -> Callable[[Runs], Sheet]:
    """Scaled-down and true sizes side by side."""

    def places(case: str) -> Places:
        return {
            VARIANTS[variant]: {n: Point(scenario, case, n, variant) for n in three_sizes(scenario)}
            for variant in SIZES
        }

    told = (
        "The thesis scales its links down by about 7.5. Here they have 45 and 155 Mb/s and 7.5 times the sources, with "
        f"queues of the printed cells and with queues that are 7.5 times as long. {FILES}"
    )
    title = f"true link sizes, scenario {scenario}, {MIXES[scenario].name}"
    return lambda runs: by_case(runs, name, title, told, QUANTITIES[scenario], places)


def network_sheet(scenario: int, name: str) -> Callable[[Runs], Sheet]:
    """One satellite link against two, by part of the traffic."""

    def make(runs: Runs) -> Sheet:
        panels = []
        for quantity in QUANTITIES[scenario]:
            for case in CASES:
                one, two = (
                    {n: Point(scenario, case, n, variant) for n in three_sizes(scenario)[1:]}
                    for variant in ("thesis", "two-links")
                )
                curves = [curve(runs, quantity.measure, one, scale=quantity.scale, label="one link", hue=0)]
                for hue, part in enumerate(PARTS, 1):
                    measure = f"{quantity.measure}.{part}"
                    curves.append(curve(runs, measure, two, scale=quantity.scale, label=part, hue=hue))
                panels.append(panel_of(quantity, curves, SOURCES, title=f"case {case}"))
        points = [Point(scenario, case, n, "two-links") for case in CASES for n in three_sizes(scenario)[1:]]
        told = (
            "Two satellite links in series. Each has the number of sources below; half of them send through both "
            f"links, the others over the first or the second alone. {FILES}"
        )
        title = f"two satellite links, scenario {scenario}, {MIXES[scenario].name}"
        caption = captioned(runs, points, told, CASES_TOLD, DRAWN)
        return Sheet(name, titled(runs, name, title), caption, panels, columns=len(CASES), panel_height=2.4)

    return make


def files_sheet(scenario: int, name: str) -> Callable[[Runs], Sheet]:
    """Retransmission of cells and of frames against none."""

    def places(case: str) -> Places:
        return {
            VARIANTS[variant]: {n: Point(scenario, case, n, variant) for n in MIXES[scenario].larger}
            for variant in REPEATS
        }

    told = (
        "The sink reports gaps; the source sends each lost cell, or all 32 cells of its frame, again before the next "
        f"cell of the file. {FILES} A transfer lasts until the source sends the last cell that the sink needs. The "
        "goodput counts each cell of a file once."
    )
    quantities = (FILE_TIME, REPEATED, GOODPUT, DATA_LOSS)
    title = f"retransmission of files, scenario {scenario}, {MIXES[scenario].name}"
    return lambda runs: by_case(runs, name, title, told, quantities, places)


def capacity_sheet(scenario: int, name: str) -> Callable[[Runs], Sheet]:
    """Links of 6 Mb/s against a shared capacity: both stations with equal load, and each with unequal load."""
    mix = MIXES[scenario]
    places = {
        "equal": ("equal", ""),
        f"{mix.sizes[-1]}": ("unequal", ".east"),
        f"{mix.sizes[0]}": ("unequal", ".west"),
    }

    def panel(runs: Runs, quantity: Quantity, case: str) -> Panel:
        curves = []
        for hue, (capacity, label) in enumerate((("fixed", "6 + 6 Mb/s"), ("dynamic", "12 Mb/s shared"))):
            values = {
                place: {
                    seed: quantity.scale * value
                    for seed, value in runs.by_seed(
                        quantity.measure + part, stations(scenario, case, capacity, load)
                    ).items()
                }
                for place, (load, part) in places.items()
            }
            curves.append(Curve(label, values, hue))
        return panel_of(quantity, curves, "sources of the station", title=f"case {case}")

    def make(runs: Runs) -> Sheet:
        quantities = (DELIVERED, *QUANTITIES[scenario])
        panels = [panel(runs, quantity, case) for quantity in quantities for case in CASES]
        points = [
            stations(scenario, case, each, load) for case in CASES for each in ("fixed", "dynamic") for load in LOADS
        ]
        told = (
            f"Two stations. With equal load each has {CROSSING[scenario]} sources, and both are shown together. With "
            f"unequal load one has {mix.sizes[-1]} and the other {mix.sizes[0]}. Either each has 6 Mb/s, or they share "
            "12 Mb/s: every 560 ms each gets a share in proportion to its filtered input, 3 to 9 Mb/s, in force 540 ms "
            "later. Loads and goodput of both stations are shares of 12 Mb/s, those of one are shares of 6 Mb/s. "
            f"{FILES}"
        )
        title = f"dynamic capacity, scenario {scenario}, {mix.name}"
        caption = captioned(runs, points, told, CASES_TOLD, DRAWN)
        return Sheet(name, titled(runs, name, title), caption, panels, columns=len(CASES), panel_height=2.4)

    return make


def quality_sheet(runs: Runs) -> Sheet:
    """The time of sessions below fractions of the nominal rate, by kind of source and length of sessions."""
    panels = []
    for scenario in (1, 3):
        for kind in ("video", "voice"):
            for variant, length in (("thesis", "15 s"), ("long", "180 s")):
                curves = []
                for hue, case in enumerate(CASES):
                    values = {
                        f"{below:g}": {
                            seed: 100.0 * value
                            for seed, value in runs.by_seed(
                                f"below.{below:g}.{kind}", at(scenario, case, variant)
                            ).items()
                        }
                        for below in BELOW
                    }
                    curves.append(Curve(f"case {case}", values, hue))
                title = f"scenario {scenario}, {kind}, sessions of {length}"
                panels.append(
                    Panel("below this part of the nominal rate", "time of sessions (%)", curves, title=title, top=100.0)
                )
    points = [at(scenario, case, variant) for scenario in (1, 3) for case in CASES for variant in ("thesis", "long")]
    told = (
        "How much of the time of their sessions voice and video are below 60, 80 and 100 % of their nominal rate, with "
        "the most sources. No notice reduces them below a half. Case 1 has no notices: what it shows is slow start. "
        "Sessions of 180 s have runs of 2,160 s."
    )
    caption = captioned(runs, points, told, DRAWN)
    return Sheet("figure-5", headline(runs, "5"), caption, panels, columns=2, panel_height=2.3)


def printed(runs: Runs) -> Iterator[PaperTable]:
    """The numbers of sources and the loads at both sizes."""
    rows = []
    for scenario, mix in MIXES.items():
        for n in three_sizes(scenario):
            points = [Point(scenario, "1", n, variant) for variant in ("thesis", "true")]
            if any(point not in runs.measures for point in points):
                continue
            counts = [points[0].counts, {group: scaled(count) for group, count in points[0].counts.items()}]
            row = [f"{scenario}", ", ".join(mix.groups)]
            for own, point in zip(counts, points, strict=True):
                load = mean(runs.values("load", point))
                row += [" + ".join(map(str, own.values())), f"{runs.mean('nominal', point):.3f}", f"{load:.3f}"]
            rows.append(row)
    if rows:
        yield PaperTable(
            "Sources and loads of case 1, scaled down and at true sizes",
            ("scenario", "sources", "scaled down", "nominal load", "load sent", "true", "nominal load ", "load sent "),
            rows,
            "Loads are shares of the satellite link. The nominal load is the mean at nominal rates without slow start.",
        )


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {
    "1": [sizes_sheet(3, "figure-1"), sizes_sheet(1, "true-sizes-1"), sizes_sheet(2, "true-sizes-2")],
    "2": [network_sheet(3, "figure-2"), network_sheet(1, "two-links-1"), network_sheet(2, "two-links-2")],
    "3": [files_sheet(3, "figure-3"), files_sheet(2, "files-2")],
    "4": [capacity_sheet(3, "figure-4"), capacity_sheet(1, "capacity-1"), capacity_sheet(2, "capacity-2")],
    "5": [quality_sheet],
}
BESIDE: Sequence[Callable[[Runs], Sheet]] = ()
