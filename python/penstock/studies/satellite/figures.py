"""The figures of the satellite study: 11 to 49 of the thesis, and additional figures.

The plots of the thesis are lost; the captions repeat the statements of its text in our words, with its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from penstock.plot import Curve, Panel, Sheet, Trace
from penstock.statistics import LEAST
from penstock.studies import drawing
from penstock.studies.drawing import capitalised
from penstock.studies.runs import MissingRunError
from penstock.studies.satellite.grid import (
    ALTERNATIVE_SCENARIOS,
    ALTERNATIVES,
    CASE_NAMES,
    CASES,
    FIGURES,
    MIXES,
    REAL_TIME,
    Point,
    case_points,
    largest,
)
from penstock.studies.satellite.measures import Runs, unconstrained


class TrafficClass(NamedTuple):
    """A class of the congestion point: its number, priority, name and colour."""

    number: str
    priority: int
    label: str
    hue: int


Kind = Literal["load", "loss", "jitter", "data_loss", "transfer_mean_s", "throughput"]

Y_LABELS: dict[Kind, str] = {
    "load": "load sent (% of 6 Mb/s)",
    "loss": "voice and video cell loss ratio (%)",
    "jitter": "cells over own minimum + 20 ms (%)",
    "data_loss": "data cell loss ratio (%)",
    "transfer_mean_s": "mean file transfer time (s)",
    "throughput": "data throughput (share of 6 Mb/s)",
}

TITLES: dict[Kind, str] = {
    "load": "load by type of traffic",
    "loss": "voice and video cell loss",
    "jitter": "cells over the jitter limit",
    "data_loss": "data cell loss",
    "transfer_mean_s": "mean file transfer time",
    "throughput": "data throughput",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """One figure of the thesis: its measure, what the text states, and the upper end of its axis."""

    kind: Kind
    states: str
    top: float | None = None


PLANS: dict[int, Plan] = {
    11: Plan("load", "from 96 sources on, the traffic offered is more than the satellite link can carry"),
    12: Plan("load", "the load stays fairly level between 70 and 80 % of the link, whatever the number of sources"),
    13: Plan("load", "the load lies about 10 points above case 2, well below case 1, and below the link rate"),
    14: Plan("loss", "the loss grows with the load, up to 13 % at a load of about 1.2; seeds differ visibly"),
    15: Plan("jitter", "at a load of 1.1 more than 60 % of the cells are over the limit"),
    16: Plan("loss", "no cell is lost, at any number of sources"),
    17: Plan("jitter", "no cell is over the limit, at any number of sources"),
    18: Plan("loss", "the loss is of the order of 1e-4 (0.01 %): far below case 1, but not zero"),
    19: Plan("jitter", "up to 6 % of the cells are over the limit"),
    20: Plan("load", "from 25 sources on, the traffic sent is more than the link can carry"),
    21: Plan("load", "the load is fairly level around 75 % of the link, close to 80 % with 29 sources"),
    22: Plan("load", "the load is over 10 points above case 2: 90 % of the link with 29 sources"),
    23: Plan("data_loss", "the loss comes close to 20 % at a load of 1.25; the printed axis ends at 20 %", 20.0),
    24: Plan("transfer_mean_s", "files take slightly more than 16 s (the slow start), for any number of sources"),
    25: Plan("throughput", "the text says nothing about this figure"),
    26: Plan("data_loss", "no cell is lost; the printed axis ends at 0.0010 %", 0.0010),
    27: Plan("transfer_mean_s", "files take longer as sources are added: about 35 s with 29, or 0.23 Mb/s each"),
    28: Plan("throughput", "the highest throughput without loss"),
    29: Plan("data_loss", "the loss is of the order of 1e-4 (0.01 %); the printed axis ends at 0.08 %", 0.08),
    30: Plan("transfer_mean_s", "files take about 25 s with 29 sources, or 0.32 Mb/s each: less than in case 2"),
    31: Plan("throughput", "more than 10 % above case 2, with losses"),
    32: Plan("load", "from 57 sources on, the traffic sent is more than the link can carry"),
    33: Plan("load", "the load levels off around 80 % of the link as sources are added"),
    34: Plan("load", "the load is over 10 points above case 2, and 1.0 of the link with 113 sources"),
    35: Plan("loss", "the loss is not acceptable"),
    36: Plan("jitter", "the jitter requirement is not met"),
    37: Plan("data_loss", "the loss is not acceptable"),
    38: Plan("transfer_mean_s", "files take around 16 s, the nominal time"),
    39: Plan("throughput", "the throughput declines at the higher loads, as many data cells are discarded"),
    40: Plan("loss", "no voice or video cell is lost"),
    41: Plan("jitter", "no cell is over the limit: data do not disturb voice and video"),
    42: Plan("data_loss", "no data cell is lost"),
    43: Plan("transfer_mean_s", "files take longer as sources are added: about 85 s with 113, or 0.1 Mb/s each"),
    44: Plan("throughput", "the throughput settles around 24 % of the link, above cases 1 and 3 at higher loads"),
    45: Plan("loss", "the loss is of the order of 1e-4 (0.01 %); the printed axis ends at 0.03 %", 0.03),
    46: Plan("jitter", "up to 1.5 % of the cells are over the limit"),
    47: Plan("data_loss", "the loss is not acceptable"),
    48: Plan("transfer_mean_s", "files take longer than in case 2: almost 150 s with 113 sources, or 0.05 Mb/s each"),
    49: Plan("throughput", "the throughput declines at the higher loads, as many data cells are discarded"),
}

SOURCES = "number of sources"
HUES = {"video": 0, "data": 1, "voice": 2, "sum": 3}
PER_CENT = 100.0
SHARE = 1.0

CLASSES = (
    TrafficClass("1", 0, "high CLP 0", 0),
    TrafficClass("2", 1, "low CLP 0", 1),
    TrafficClass("3", 0, "high CLP 1", 2),
    TrafficClass("4", 1, "low CLP 1", 4),
)

SCALES: dict[Kind, float] = {
    "load": PER_CENT,
    "loss": PER_CENT,
    "jitter": PER_CENT,
    "data_loss": PER_CENT,
    "transfer_mean_s": SHARE,
    "throughput": SHARE,
}


def thesis_figure(number: int) -> Callable[[Runs], Sheet]:
    """One figure of the thesis."""
    plan, (scenario, case) = PLANS[number], FIGURES[number]

    def make(runs: Runs) -> Sheet:
        curves = (
            load_curves(runs, scenario, case)
            if plan.kind == "load"
            else [curve(runs, plan.kind, scenario, case, SCALES[plan.kind])]
        )
        if not any(curve.points for curve in curves):
            raise MissingRunError(str(largest(scenario, case)))
        return Sheet(
            name=f"figure-{number}",
            title=f"Figure {number}: {TITLES[plan.kind]}, scenario {scenario} ({MIXES[scenario].name}), case {case}",
            caption=caption(runs, number, plan),
            panels=[panel(plan, curves)],
        )

    return make


def caption(runs: Runs, number: int, plan: Plan) -> str:
    """The statement of the text, the runs, and a description of the marks."""
    states = (
        f"The thesis on figure {number}: {plan.states}."
        if "says nothing" not in plan.states
        else capitalised(plan.states)
    )
    scenario, case = FIGURES[number]
    most = max(map(runs.seeds_at, case_points(scenario, case)))
    shaded = "with its 95 % interval shaded" if most >= LEAST else "from too few seeds for an interval"
    drawn = f"Thin: one line per seed; thick: their mean, {shaded}."
    if plan.kind == "load" and case == "1":
        drawn += (
            " Dashed: analytic means at nominal rates, without slow start, which the thesis plots for voice and video;"
        )
        drawn += " solid: as measured, with slow start."
    if plan.kind == "transfer_mean_s":
        drawn += " Files that finished within the run."
    return f"{states} {drawn} {extent(runs, case_points(scenario, case))}"


def extent(runs: Runs, points: Sequence[Point]) -> str:
    """The runs of a figure and their case."""
    case = points[0].case
    return drawing.extent(runs, points, told=f"Case {case}: {CASE_NAMES[case]}; 180 s a run, ")


def panel(plan: Plan, curves: Sequence[Curve]) -> Panel:
    """Axes like the thesis's: the quantity against the number of sources."""
    level = 100.0 if plan.kind == "load" else None
    label = "link rate" if plan.kind == "load" else ""
    top = plan.top or (110.0 if plan.kind == "load" else None)
    return Panel(SOURCES, Y_LABELS[plan.kind], curves=curves, top=top, level=level, level_label=label)


def curve(runs: Runs, name: str, scenario: int, case: str, scale: float, label: str = "", hue: int = 0) -> Curve:
    """A measure against the number of sources."""
    places: dict[float, Point] = {point.n: point for point in case_points(scenario, case)}
    return drawing.curve(runs, name, places, scale=scale, label=label, hue=hue)


def load_curves(runs: Runs, scenario: int, case: str) -> list[Curve]:
    """Load by kind of source and in sum; in case 1 the analytic means too."""
    groups = MIXES[scenario].groups
    curves = []
    if len(groups) > 1:
        curves += [curve(runs, f"load.{g}", scenario, case, PER_CENT, g, HUES[g]) for g in groups]
    curves.append(curve(runs, "load", scenario, case, PER_CENT, "sum" if curves else "data", HUES["sum"]))
    if case == "1":
        curves += analytic_curves(runs, scenario, groups if len(groups) > 1 else ())
    return curves


def analytic_curves(runs: Runs, scenario: int, groups: Sequence[str]) -> list[Curve]:
    """The loads that the parameters give at nominal rates."""

    def exact(members: Sequence[str], label: str, hue: int) -> Curve:
        points = [point for point in case_points(scenario, "1") if point in runs.measures]
        values = {float(point.n): {0: PER_CENT * unconstrained(runs, point, members)} for point in points}
        return Curve(label, values, hue, exact=True)

    curves = [exact((group,), f"{group}, analytic", HUES[group]) for group in groups if group in REAL_TIME]
    return [*curves, exact(MIXES[scenario].groups, "sum, analytic", HUES["sum"])]


# ------------------------------------------------------------------------------------------------ additional figures
def series_sheet(scenario: int, case: str) -> Callable[[Runs], Sheet]:
    """Filtered input rates, queues and one source's factor of the first seed."""
    groups = MIXES[scenario].groups

    def make(runs: Runs) -> Sheet:
        point = largest(scenario, case)
        series = runs.of_kind("series")
        seed = min(series.traces(point, "satellite", "filtered.total"))

        def trace(component: str, quantity: str, label: str, hue: int) -> Trace:
            return Trace(label, *series.traces(point, component, quantity)[seed], hue)

        rates = [trace("satellite", "filtered.total", "total", 3)]
        used = {int(group == "data") for group in groups}
        rates += [
            trace("satellite", f"filtered.class_{k.number}", k.label, k.hue) for k in CLASSES if k.priority in used
        ]
        queues = [
            trace("satellite", f"queue_{priority}", ("high", "low")[priority], priority) for priority in sorted(used)
        ]
        factors = [trace(f"{group}/1", "factor", group, HUES[group]) for group in groups]
        return Sheet(
            name=f"series-{scenario}-case-{case}",
            title=f"Scenario {scenario}, case {case}, {point.n} sources: the first minute of seed {seed}",
            caption="Filtered input rates of the satellite queue by class, with the trigger of the notices at 0.9; "
            "cells in the queue; and the factor on the nominal rate of one source of each kind, as in figures 8 to 10 "
            f"of the thesis. {capitalised(CASE_NAMES[case])}",
            panels=[
                Panel("", "filtered rate / link rate", traces=rates, level=0.9, level_label="trigger"),
                Panel("", "cells in the queue", traces=queues),
                Panel("time (s)", "factor of one source", traces=factors),
            ],
            panel_height=2.1,
        )

    return make


def mark_sheet(scenario: int, case: str) -> Callable[[Runs], Sheet]:
    """Cells marked, notices sent and obeyed, by kind of source."""

    def make(runs: Runs) -> Sheet:
        runs.values("load", largest(scenario, case))
        groups = MIXES[scenario].groups
        rows = (
            ("tagged", PER_CENT, "cells marked CLP=1 (% of sent)"),
            ("notices_mild", SHARE, "Type 0 sent, per run"),
            ("obeyed_mild", SHARE, "Type 0 obeyed, per run"),
            ("notices_severe", SHARE, "Type 2 sent, per run"),
            ("obeyed_severe", SHARE, "Type 2 obeyed, per run"),
        )
        panels = [
            Panel(
                SOURCES,
                label,
                curves=[curve(runs, f"{name}.{g}", scenario, case, scale, g, HUES[g]) for g in groups],
            )
            for name, scale, label in rows
        ]
        return Sheet(
            name=f"marks-{scenario}-case-{case}",
            title=f"Scenario {scenario}, case {case}: cells marked by the policers, notices sent and obeyed",
            caption="By kind of source, from all queues; Type 0 by input rates, Type 2 by discards. A source obeys "
            "nothing between sessions, and no Type 0 within a round trip of the last notice. Means over seeds with "
            "95 % intervals. " + extent(runs, case_points(scenario, case)),
            panels=panels,
            columns=2,
            panel_height=2.5,
        )

    return make


def fairness_sheet(runs: Runs) -> Sheet:
    """Jain's index of each kind of source, for every scenario and case."""
    panels = []
    for scenario, mix in MIXES.items():
        for case in CASES:
            runs.values("load", largest(scenario, case))
            curves = [curve(runs, f"fairness.{g}", scenario, case, SHARE, g, HUES[g]) for g in mix.groups]
            panels.append(
                Panel(
                    SOURCES,
                    "Jain's index",
                    curves=curves,
                    title=f"scenario {scenario}, case {case}",
                    bottom=0.5,
                    top=1.0,
                )
            )
    return Sheet(
        name="fairness",
        title="Fairness among sources of one kind",
        caption="Jain's index of the bits delivered, over the whole run: 1 if all sources of a kind get the same. "
        "Sources that are idle longer by chance get less, so case 1 shows the effect of chance alone.",
        panels=panels,
        columns=3,
        panel_height=2.3,
    )


def alternatives_sheet(scenario: int) -> Callable[[Runs], Sheet]:
    """Every alternative next to cases 2 and 3, measure by measure."""

    def make(runs: Runs) -> Sheet:
        names = [*CASES[1:], *ALTERNATIVES]
        for name in names:
            runs.values("load", largest(scenario, name))
        rows: list[tuple[str, float, str]] = [
            ("utilisation", PER_CENT, "utilisation of the link (%)"),
            ("loss", PER_CENT, "voice, video lost (%)"),
            ("jitter", PER_CENT, "voice, video over limit (%)"),
            ("delay.beyond", 1e3, "delay above 280 ms (ms)"),
        ]
        if "data" in MIXES[scenario].groups:
            rows += [("data_loss", PER_CENT, "data cells lost (%)"), ("transfer_mean_s", SHARE, "mean file time (s)")]
        panels = []
        for name, scale, label in rows:
            values = {
                (f"case {case}" if case in CASES else case): [
                    scale * value[name]
                    for value in runs.measures.get(largest(scenario, case), {}).values()
                    if name in value
                ]
                for case in names
            }
            panels.append(Panel("", "", rows=values, title=label))
        return Sheet(
            name=f"alternatives-{scenario}",
            title=f"Alternatives of the thesis: scenario {scenario}, {MIXES[scenario].sizes[-1]} sources",
            caption="Each alternative is case 2 with one thing changed: "
            + "; ".join(f"{name}: {text}" for name, text in ALTERNATIVES.items())
            + ". Dots: seeds; diamond: their mean, with its 95 % interval.",
            panels=panels,
            columns=2,
            panel_height=2.9,
        )

    return make


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {str(number): [thesis_figure(number)] for number in PLANS}
BESIDE: Sequence[Callable[[Runs], Sheet]] = (
    *(series_sheet(scenario, case) for scenario in MIXES for case in ("2", "3")),
    *(mark_sheet(scenario, case) for scenario in MIXES for case in ("2", "3")),
    fairness_sheet,
    *(alternatives_sheet(scenario) for scenario in ALTERNATIVE_SCENARIOS),
)
