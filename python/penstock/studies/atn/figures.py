"""The figures of the ATN study: its two tables, the load, the exercises of the annex, and runs against time.

The paper has two tables and no curves: all curves are of its exercises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet, Trace, heat_map, shared_traces
from penstock.studies.atn import grid
from penstock.studies.atn.grid import (
    COMPARED,
    EXERCISES,
    RECEIVER,
    RUSHES,
    SCENARIOS,
    STRATEGIES,
    Exercise,
    Point,
    table_points,
)
from penstock.studies.atn.measures import LOAD, LOAD_COUNTED, Runs, queues_of, summed, windows_of
from penstock.studies.atn.printed import COLUMNS, TABLES, TITLES
from penstock.studies.drawing import Quantity, against, captioned, scaled

DRAWN = "Means over seeds with their 95 % intervals."
TABLE_CAPTION = (
    "The printed table next to our runs. Topology, rates, sizes and traffic are inferred, because the paper's figures "
    "are lost. The printed power is throughput over delay, as the paper defines it; one printed value is a misprint."
)
LOAD_CAPTION = (
    "The five strategies, and DECbit, against the mean time between two packets of a connection: the load falls from "
    "left to right. The curve of none is exercise STU/TP4/1. All have the same connections and packets, and are "
    "drawn side by side so that all are visible. Power is throughput over delay."
)
EXERCISE_CAPTION = "{reference}: {strategy}, a packet every second on each connection; both scenarios."
MAP_CAPTION = "{reference}: {strategy}, its {parameter} against the mean time between two packets. {held}"
HELD_CAPTION = "At {curve}; data/points.csv has the others. All other parameters are those of the tables."
ALL_HELD_CAPTION = "All other parameters are those of the tables."
BUFFERS_CAPTION = (
    "Mean load of all output queues of each intermediate system, without NPDUs in transmission. IS6 has the "
    "congested queue in both scenarios. The axis is logarithmic: a system where none waits has no mark."
)
READINGS_CAPTION = (
    "Three interpretations of the delay (from the transmission of the copy first delivered, from the first "
    "transmission, from the production of the packet), and two of the buffer load (without the NPDU in transmission, "
    "and with it)."
)
OSCILLATION_CAPTION = (
    "Scenario B, two senders: the window advertised to each (0 without a connection) and the bits in the congested "
    "queue. The paper: with few end systems the window oscillates between 1 and a high value under withdrawing credit, "
    "and not under congestion avoidance; the verdict on claim atn.oscillation says whether ours do. Seed {seed}, the "
    "first {minutes:g} minutes."
)
RUSH_CAPTION = (
    "Two connections on scenario A's network; at 120 s {told}. The paper: withdrawing credit reacts more efficiently "
    "to a sudden increase; the verdict on claim atn.reaction says whether it does here. The sum of the windows of "
    "these two connections, and the bits in the congested queue; seed {seed}."
)

OURS_HUE, PRINTED_HUE = 0, 1
NEAR_EACH_OTHER = ("accepted_per_s", "success_once", "success_all")
"""Columns of the tables whose values differ by little, so that an axis from 0 would show none of it."""
SHORT = {"none": "none", "avoidance": "avoid", "withdrawing": "withdraw", "backoff": "backoff", "error": "error"}


DELAY = Quantity("delay_mean_s", "mean delay (s)", log_y=True)
THROUGHPUT = Quantity("accepted_per_s", "throughput (packets/s)")
POWER = Quantity("power", "power (packets/s²)")
DISCARDED = Quantity("discard_share", "discarded (%)", 100.0)
BUFFER_LOAD = Quantity(LOAD, "buffer load (kbit)", 1e-3)
SUCCESS = Quantity("success_once", "success ratio, first copies", top=1.0, floor=0.9)
SUCCESS_ALL = Quantity("success_all", "success ratio, all copies", top=1.0, floor=0.9)
ERRORS = Quantity("error_report_share", "Error NPDUs (%)", 100.0)
RECORDED = (DELAY, THROUGHPUT, POWER, DISCARDED, BUFFER_LOAD, SUCCESS, SUCCESS_ALL)
"""The quantities that the annex asks of each exercise; also the share of Error NPDUs in its exercise."""
KBIT = 1e-3
INTERPRODUCTION = "mean interproduction time (s)"
SHOWN_S = 600.0


def table_sheet(number: str) -> Callable[[Runs], Sheet]:
    """A table of the paper, one panel for each column: the printed values next to ours."""
    table = TABLES[number]

    def make(runs: Runs) -> Sheet:
        panels = []
        for measure, column in COLUMNS.items():
            own = {SHORT[name]: runs.by_seed(measure, Point(name, table.scenario)) for name in STRATEGIES}
            printed = {SHORT[name]: {0: table.value(name, measure)} for name in STRATEGIES}
            curves = [Curve("ours", own, OURS_HUE), Curve("printed", printed, PRINTED_HUE)]
            bottom = None if measure in NEAR_EACH_OTHER else 0.0
            panels.append(Panel("", column.label, curves=curves, bottom=bottom, each_seed=False))
        caption = captioned(runs, table_points(table.scenario), TABLE_CAPTION, DRAWN)
        return Sheet(f"table-{number}", TITLES[number], caption, panels, columns=2)

    return make


def panel(
    runs: Runs,
    quantity: Quantity,
    places: Mapping[str, Mapping[str, Point]],
    x_label: str,
    *,
    title: str = "",
) -> Panel:
    """A quantity against a parameter, whose values are named in their order; one curve for each name."""
    (found,) = against(runs, places, x_label, [quantity], title=title, joined=True)
    return found


# ------------------------------------------------------------------------------------------------ additional figures
def load_sheet(scenario: str) -> Callable[[Runs], Sheet]:
    """All strategies against the load."""

    def make(runs: Runs) -> Sheet:
        places = {
            name: {f"{point.interproduction:g}": point for point in grid.against_load(strategy, scenario)}
            for strategy, name in COMPARED.items()
        }
        points = [point for each in places.values() for point in each.values()]
        panels = [panel(runs, quantity, places, INTERPRODUCTION) for quantity in RECORDED]
        panels.insert(2, share_of_none(runs, places))
        caption = captioned(runs, points, LOAD_CAPTION, DRAWN)
        title = f"The strategies against the load: {SCENARIOS[scenario].name}"
        return Sheet(f"load-{scenario}", title, caption, panels, columns=2, panel_height=2.6, panel_width=4.8)

    return make


def share_of_none(runs: Runs, places: Mapping[str, Mapping[str, Point]]) -> Panel:
    """The throughput of each strategy as a part of that without one, seed by seed."""
    first, *others = places
    curves = []
    for hue, name in enumerate(others, start=1):
        points = {}
        for x, point in places[name].items():
            if point in runs.measures and places[first][x] in runs.measures:
                own, none = (runs.by_seed("accepted_per_s", each) for each in (point, places[first][x]))
                points[x] = {seed: 100 * own[seed] / none[seed] for seed in own.keys() & none.keys()}
        curves.append(Curve(name, points, hue))
    label = f"throughput (% of that with {first})"
    return Panel(INTERPRODUCTION, label, curves=curves, bottom=None, level=100.0, each_seed=False, joined=True)


def exercise_sheet(name: str, exercise: Exercise) -> Callable[[Runs], Sheet]:
    """An exercise at one load: a row a quantity, a column a scenario."""

    def make(runs: Runs) -> Sheet:
        quantities = [*RECORDED, ERRORS] if exercise.strategy == "error" else RECORDED
        places = {
            scenario: {
                label: {exercise.form(x): point for x, point in curve.items()}
                for label, curve in exercise.points(scenario).items()
            }
            for scenario in SCENARIOS
        }
        panels = [
            panel(runs, quantity, places[scenario], exercise.label, title=network.name)
            for quantity in quantities
            for scenario, network in SCENARIOS.items()
        ]
        points = [point for each in places.values() for curve in each.values() for point in curve.values()]
        about = EXERCISE_CAPTION.format(reference=exercise.reference, strategy=STRATEGIES[exercise.strategy])
        title = f"{exercise.reference}: {STRATEGIES[exercise.strategy]} against its {exercise.parameter}"
        caption = captioned(runs, points, about, DRAWN)
        return Sheet(f"exercise-{name}", title, caption, panels, columns=2, panel_height=2.3)

    return make


def exercise_map(name: str, exercise: Exercise, scenario: str, quantity: Quantity) -> Callable[[Runs], Sheet]:
    """A measure against the interproduction time and the parameter of an exercise."""

    def make(runs: Runs) -> Sheet:
        values = {}
        for load in grid.EXERCISE_LOADS:
            for x, point in exercise.points(scenario, load)[exercise.usual].items():
                values[f"{load:g}", exercise.form(x)] = scaled(runs, quantity, point)
        strategy = STRATEGIES[exercise.strategy]
        held = HELD_CAPTION.format(curve=exercise.usual) if exercise.curves else ALL_HELD_CAPTION
        about = MAP_CAPTION.format(
            reference=exercise.reference, strategy=strategy, parameter=exercise.parameter, held=held
        )
        what = f"{quantity.label.partition(' (')[0]} against the {exercise.parameter}"
        return heat_map(
            f"map-{name}-{scenario}",
            f"{exercise.reference}, scenario {scenario.upper()}: {what}",
            values,
            x_label=INTERPRODUCTION,
            y_label=exercise.label,
            quantity=quantity.label,
            caption=about,
            each_is="seeds",
        )

    return make


def buffer_sheet(runs: Runs) -> Sheet:
    """The load of every intermediate system."""
    systems = [f"is{number}" for number in range(1, 12)]
    panels = []
    for scenario, network in SCENARIOS.items():
        curves = []
        for strategy, name in STRATEGIES.items():
            point = Point(strategy, scenario)
            loads = {system: runs.by_seed(f"{LOAD}.{system}", point) for system in systems}
            curves.append(
                Curve(
                    name,
                    {
                        system.upper(): {seed: KBIT * value for seed, value in found.items()}
                        for system, found in loads.items()
                    },
                )
            )
        panels.append(Panel("", BUFFER_LOAD.label, curves=curves, title=network.name, log_y=True, each_seed=False))
    points = [point for scenario in SCENARIOS for point in grid.table_points(scenario)]
    caption = captioned(runs, points, BUFFERS_CAPTION, DRAWN)
    return Sheet("buffers", "Buffer load of every intermediate system", caption, panels)


def reading_sheet(runs: Runs) -> Sheet:
    """The columns of the tables with several interpretations."""
    readings = {
        "mean delay (s)": {
            "from the copy delivered": ("delay_mean_s", 1.0),
            "from the first transmission": ("delay_transmission_mean_s", 1.0),
            "from the production": ("delay_production_mean_s", 1.0),
        },
        BUFFER_LOAD.label: {
            "without the NPDU in transmission": (LOAD, KBIT),
            "with it": (LOAD_COUNTED, KBIT),
        },
    }
    panels = []
    hues = {kind: hue for hue, kind in enumerate(kind for kinds in readings.values() for kind in kinds)}
    for label, kinds in readings.items():
        for scenario, network in SCENARIOS.items():
            curves = [
                Curve(
                    kind,
                    {
                        SHORT[strategy]: {
                            seed: scale * value for seed, value in runs.by_seed(name, Point(strategy, scenario)).items()
                        }
                        for strategy in STRATEGIES
                    },
                    hues[kind],
                )
                for kind, (name, scale) in kinds.items()
            ]
            is_delay = label == DELAY.label
            panels.append(Panel("", label, curves=curves, title=network.name, log_y=is_delay, each_seed=False))
    points = [point for scenario in SCENARIOS for point in grid.table_points(scenario)]
    caption = captioned(runs, points, READINGS_CAPTION, DRAWN)
    return Sheet("readings", "Interpretations of delay and buffer load", caption, panels, columns=2)


def oscillation_sheet(runs: Runs) -> Sheet:
    """Windows and the queue against time, for both strategies of the receiver."""
    panels = []
    for strategy in RECEIVER:
        point = Point(strategy, "b")
        queues = queues_of(runs, "watched", point)
        seed = min(queues)
        windows = windows_of(runs, "watched", point)[seed]
        traces = [shown(sender.upper(), trace, hue=hue) for hue, (sender, trace) in enumerate(windows.items())]
        panels += [
            Panel("", "window (packets)", traces=traces, title=STRATEGIES[strategy], top=float(grid.SAW)),
            Panel("", "queue (kbit)", traces=[shown("queue", queues[seed], KBIT, 3)], title=STRATEGIES[strategy]),
        ]
    caption = OSCILLATION_CAPTION.format(seed=seed, minutes=SHOWN_S / 60)
    return shared_traces("oscillation", "Window and queue with few end systems", panels, caption=caption)


def rush_sheet(kind: str) -> Callable[[Runs], Sheet]:
    """Windows and the queue around a sudden increase in load."""

    def make(runs: Runs) -> Sheet:
        windows, queues = [], []
        for hue, strategy in enumerate(RECEIVER):
            point = Point(strategy, "a")
            found = queues_of(runs, kind, point)
            seed = min(found)
            before = [trace for name, trace in windows_of(runs, kind, point)[seed].items() if name in ("es1", "es2")]
            windows.append(shown(STRATEGIES[strategy], summed(before), hue=hue))
            queues.append(shown(STRATEGIES[strategy], found[seed], KBIT, hue))
        panels = [Panel("", "sum of both windows (packets)", traces=windows), Panel("", "queue (kbit)", traces=queues)]
        caption = RUSH_CAPTION.format(told=RUSHES[kind], seed=seed)
        return shared_traces(f"increase-{kind}", f"A sudden increase: {RUSHES[kind]}", panels, caption=caption)

    return make


def shown(label: str, trace: tuple[Sequence[float], Sequence[float]], scale: float = 1.0, hue: int = 0) -> Trace:
    """The beginning of a time series."""
    kept = [(at, scale * value) for at, value in zip(*trace, strict=True) if at <= SHOWN_S]
    return Trace(label, [at for at, _ in kept], [value for _, value in kept], hue)


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {number: [table_sheet(number)] for number in TABLES}
BESIDE: Sequence[Callable[[Runs], Sheet]] = (
    *(load_sheet(scenario) for scenario in SCENARIOS),
    *(exercise_sheet(name, exercise) for name, exercise in EXERCISES.items()),
    *(exercise_map(name, exercise, scenario, POWER) for name, exercise in EXERCISES.items() for scenario in SCENARIOS),
    buffer_sheet,
    reading_sheet,
    oscillation_sheet,
    *(rush_sheet(kind) for kind in RUSHES),
)
