"""The figures of the satellite study: 11 to 49 of the thesis, and additional figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from penstock.plot import Curve, Panel, Sheet, Trace
from penstock.studies import drawing
from penstock.studies.drawing import capitalised
from penstock.studies.runs import MissingRunError
from penstock.studies.satellite.captions import PLANS, TITLES, Y_LABELS, Kind, Plan
from penstock.studies.satellite.grid import (
    ALTERNATIVE_SCENARIOS,
    ALTERNATIVES,
    CASE_NAMES,
    CASES,
    MIXES,
    REAL_TIME,
    Point,
    case_points,
    largest,
)
from penstock.studies.satellite.runs import Runs, unconstrained


class TrafficClass(NamedTuple):
    """A class of the congestion point: its number, priority, name and colour."""

    number: str
    priority: int
    label: str
    hue: int


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
    "transfer": SHARE,
    "throughput": SHARE,
}


def thesis_figures(runs: Runs, numbers: Sequence[int]) -> Iterator[Sheet]:
    """The figures of the thesis, as far as there are runs for them."""
    for number in numbers:
        plan = PLANS[number]
        curves = load_curves(runs, plan) if plan.kind == "load" else plain_curves(runs, plan)
        if not any(curve.points for curve in curves):
            continue
        mix = MIXES[plan.scenario]
        yield Sheet(
            name=f"figure-{number}",
            title=f"Figure {number}: {TITLES[plan.kind]}, scenario {plan.scenario} ({mix.name}), case {plan.case}",
            caption=caption(runs, number, plan),
            panels=[panel(plan, curves)],
        )


def caption(runs: Runs, number: int, plan: Plan) -> str:
    """The statement of the text, the runs, and a description of the marks."""
    states = (
        f"The thesis on figure {number}: {plan.states}."
        if "says nothing" not in plan.states
        else capitalised(plan.states)
    )
    drawn = "Thin: one line per seed; thick: their mean, with its 95 % interval shaded."
    if plan.kind == "load" and plan.case == "1":
        drawn += (
            " Dashed: analytic means at nominal rates, without slow start, which the thesis plots for voice and video;"
        )
        drawn += " solid: as measured, with slow start."
    if plan.kind == "transfer":
        drawn += " Files that finished within the run."
    return f"{states} {drawn} {extent(runs, case_points(plan.scenario, plan.case))}"


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


def plain_curves(runs: Runs, plan: Plan) -> list[Curve]:
    """One curve: a measure of one case."""
    return [curve(runs, plan.kind, plan.scenario, plan.case, SCALES[plan.kind])]


def curve(runs: Runs, name: str, scenario: int, case: str, scale: float, label: str = "", hue: int = 0) -> Curve:
    """A measure against the number of sources."""
    places: dict[float, Point] = {point.n: point for point in case_points(scenario, case)}
    return drawing.curve(runs, name, places, scale=scale, label=label, hue=hue)


def load_curves(runs: Runs, plan: Plan) -> list[Curve]:
    """Load by kind of source and in sum; in case 1 the analytic means too."""
    groups = MIXES[plan.scenario].groups
    curves = []
    if len(groups) > 1:
        curves += [curve(runs, f"load.{g}", plan.scenario, plan.case, PER_CENT, g, HUES[g]) for g in groups]
    curves.append(curve(runs, "load", plan.scenario, plan.case, PER_CENT, "sum" if curves else "data", HUES["sum"]))
    if plan.case == "1":
        curves += analytic_curves(runs, plan, groups if len(groups) > 1 else ())
    return curves


def analytic_curves(runs: Runs, plan: Plan, groups: Sequence[str]) -> list[Curve]:
    """The loads that the parameters give at nominal rates."""

    def exact(members: Sequence[str], label: str, hue: int) -> Curve:
        points = [point for point in case_points(plan.scenario, "1") if point in runs.measures]
        values = {float(point.n): {0: PER_CENT * unconstrained(runs, point, members)} for point in points}
        return Curve(label, values, hue, exact=True)

    curves = [exact((group,), f"{group}, analytic", HUES[group]) for group in groups if group in REAL_TIME]
    return [*curves, exact(MIXES[plan.scenario].groups, "sum, analytic", HUES["sum"])]


# ------------------------------------------------------------------------------------------------ additional figures
def beside_figures(runs: Runs) -> Iterator[Sheet]:
    """Time series, marks and notices, fairness and alternatives that have runs."""
    for make in (*SERIES_SHEETS, *MARK_SHEETS, fairness_sheet, *ALTERNATIVE_SHEETS):
        try:
            yield make(runs)
        except MissingRunError:
            continue


def series_sheet(scenario: int, case: str) -> Callable[[Runs], Sheet]:
    """Filtered input rates, queues and one source's factor of the first seed."""
    groups = MIXES[scenario].groups

    def make(runs: Runs) -> Sheet:
        point = largest(scenario, case)
        seed = min(runs.traces(point, "satellite", "filtered.total"))

        def trace(component: str, quantity: str, label: str, hue: int) -> Trace:
            return Trace(label, *runs.traces(point, component, quantity)[seed], hue)

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
            rows += [("data_loss", PER_CENT, "data cells lost (%)"), ("transfer", SHARE, "mean file time (s)")]
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


SERIES_SHEETS = [series_sheet(scenario, case) for scenario in MIXES for case in ("2", "3")]
MARK_SHEETS = [mark_sheet(scenario, case) for scenario in MIXES for case in ("2", "3")]
ALTERNATIVE_SHEETS = [alternatives_sheet(scenario) for scenario in ALTERNATIVE_SCENARIOS]
