"""Additional figures of the ATN study: the load, the exercises of the annex, and runs against time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet, Trace, heat_map, shared_traces
from penstock.studies.atn import captions, grid
from penstock.studies.atn.figures import (
    DELAY,
    ERRORS,
    LOAD,
    POWER,
    RECORDED,
    SHORT,
    panel,
    told,
)
from penstock.studies.atn.grid import COMPARED, EXERCISES, RECEIVER, RUSHES, SCENARIOS, STRATEGIES, Exercise, Point
from penstock.studies.atn.runs import Runs, summed
from penstock.studies.drawing import Quantity, drawn

KBIT = 1e-3
INTERPRODUCTION = "mean interproduction time (s)"
SHOWN_S = 600.0


def beside_figures(runs: Runs) -> Iterator[Sheet]:
    """All figures that have runs."""
    return drawn(MAKERS, runs)


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
        caption = told(runs, captions.LOAD, points)
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
                own, none = (runs.by_seed("throughput", each) for each in (point, places[first][x]))
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
        about = captions.EXERCISE.format(reference=exercise.reference, strategy=STRATEGIES[exercise.strategy])
        title = f"{exercise.reference}: {STRATEGIES[exercise.strategy]} against its {exercise.parameter}"
        caption = told(runs, about, points)
        return Sheet(f"exercise-{name}", title, caption, panels, columns=2, panel_height=2.3)

    return make


def exercise_map(name: str, exercise: Exercise, scenario: str, quantity: Quantity) -> Callable[[Runs], Sheet]:
    """A measure against the interproduction time and the parameter of an exercise."""

    def make(runs: Runs) -> Sheet:
        values = {}
        for load in grid.EXERCISE_LOADS:
            for x, point in exercise.points(scenario, load)[exercise.usual].items():
                values[f"{load:g}", exercise.form(x)] = {
                    seed: quantity.scale * value for seed, value in runs.by_seed(quantity.measure, point).items()
                }
        strategy = STRATEGIES[exercise.strategy]
        held = captions.HELD.format(curve=exercise.usual) if exercise.curves else captions.ALL_HELD
        about = captions.MAP.format(
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
            loads = {system: runs.by_seed(f"load.{system}", point) for system in systems}
            curves.append(
                Curve(
                    name,
                    {
                        system.upper(): {seed: KBIT * value for seed, value in found.items()}
                        for system, found in loads.items()
                    },
                )
            )
        panels.append(Panel("", LOAD.label, curves=curves, title=network.name, log_y=True, each_seed=False))
    points = [point for scenario in SCENARIOS for point in grid.table_points(scenario)]
    caption = told(runs, captions.BUFFERS, points)
    return Sheet("buffers", "Buffer load of every intermediate system", caption, panels)


def reading_sheet(runs: Runs) -> Sheet:
    """The columns of the tables with several interpretations."""
    readings = {
        "mean delay (s)": {
            "from the copy delivered": ("delay", 1.0),
            "from the first transmission": ("delay.transmission", 1.0),
            "from the production": ("delay.production", 1.0),
        },
        LOAD.label: {"with the NPDU in transmission": ("load", KBIT), "without": ("load.waiting", KBIT)},
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
    caption = told(runs, captions.READINGS, points)
    return Sheet("readings", "Interpretations of delay and buffer load", caption, panels, columns=2)


def oscillation_sheet(runs: Runs) -> Sheet:
    """Windows and the queue against time, for both strategies of the receiver."""
    panels = []
    for strategy in RECEIVER:
        point = Point(strategy, "b")
        queues = runs.queue("watched", point)
        seed = min(queues)
        windows = runs.windows("watched", point)[seed]
        traces = [shown(sender.upper(), trace, hue=hue) for hue, (sender, trace) in enumerate(windows.items())]
        panels += [
            Panel("", "window (packets)", traces=traces, title=STRATEGIES[strategy], top=float(grid.SAW)),
            Panel("", "queue (kbit)", traces=[shown("queue", queues[seed], KBIT, 3)], title=STRATEGIES[strategy]),
        ]
    caption = captions.OSCILLATION.format(seed=seed, minutes=SHOWN_S / 60)
    return shared_traces("oscillation", "Window and queue with few end systems", panels, caption=caption)


def rush_sheet(kind: str) -> Callable[[Runs], Sheet]:
    """Windows and the queue around a sudden increase in load."""

    def make(runs: Runs) -> Sheet:
        windows, queues = [], []
        for hue, strategy in enumerate(RECEIVER):
            point = Point(strategy, "a")
            found = runs.queue(kind, point)
            seed = min(found)
            before = [trace for name, trace in runs.windows(kind, point)[seed].items() if name in ("es1", "es2")]
            windows.append(shown(STRATEGIES[strategy], summed(before), hue=hue))
            queues.append(shown(STRATEGIES[strategy], found[seed], KBIT, hue))
        panels = [Panel("", "sum of both windows (packets)", traces=windows), Panel("", "queue (kbit)", traces=queues)]
        caption = captions.RUSH.format(told=RUSHES[kind], seed=seed)
        return shared_traces(f"increase-{kind}", f"A sudden increase: {RUSHES[kind]}", panels, caption=caption)

    return make


def shown(label: str, trace: tuple[Sequence[float], Sequence[float]], scale: float = 1.0, hue: int = 0) -> Trace:
    """The beginning of a time series."""
    kept = [(at, scale * value) for at, value in zip(*trace, strict=True) if at <= SHOWN_S]
    return Trace(label, [at for at, _ in kept], [value for _, value in kept], hue)


MAKERS: Sequence[Callable[[Runs], Sheet]] = (
    *(load_sheet(scenario) for scenario in SCENARIOS),
    *(exercise_sheet(name, exercise) for name, exercise in EXERCISES.items()),
    *(exercise_map(name, exercise, scenario, POWER) for name, exercise in EXERCISES.items() for scenario in SCENARIOS),
    buffer_sheet,
    reading_sheet,
    oscillation_sheet,
    *(rush_sheet(kind) for kind in RUSHES),
)
