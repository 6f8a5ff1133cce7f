"""The figures of the ATN study's future work: one for each question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from penstock.plot import Curve, Panel, Sheet
from penstock.studies.atn.grid import SCENARIOS, STRATEGIES
from penstock.studies.atn.measures import LOAD
from penstock.studies.atn_beyond.grid import (
    BREAK_S,
    FAR,
    MARKED,
    MOVES_S,
    NEAR,
    PATHS,
    QUESTIONS,
    QUEUES,
    TIMED,
    TIMERS,
    Point,
)
from penstock.studies.atn_beyond.measures import Runs
from penstock.studies.drawing import Quantity, captioned, panel_of, scaled

AGAIN = Quantity("retransmitted_share", "sent again (%)", 100.0)
DELAY = Quantity("delay_mean_s", "mean delay (s)")
POWER = Quantity("power", "power")
DISCARDS = Quantity("discard_share", "discarded (%)", 100.0)
WAITING = Quantity(LOAD, "buffer load (kbit)", 1e-3)
DRAWN = "Means over seeds with 95 % intervals."


def bars(runs: Runs, quantity: Quantity, places: Mapping[str, Mapping[str, Point]], title: str = "") -> Panel:
    """A panel of one quantity, with a curve for each group over named places."""
    curves = [
        Curve(label, {place: scaled(runs, quantity, point) for place, point in own.items()}, hue)
        for hue, (label, own) in enumerate(places.items())
    ]
    return panel_of(quantity, curves, title=title)


def timers_sheet(runs: Runs) -> Sheet:
    """Six algorithms of T1 in both scenarios."""
    points = [Point(name, scenario, timer) for scenario in SCENARIOS for name in TIMED for timer in TIMERS]
    panels = [
        bars(
            runs,
            quantity,
            {STRATEGIES[name]: {timer: Point(name, scenario, timer) for timer in TIMERS} for name in TIMED},
            network.name,
        )
        for quantity in (AGAIN, DELAY, POWER)
        for scenario, network in SCENARIOS.items()
    ]
    told = "T1: " + "; ".join(f"{name}, {text}" for name, (text, _) in TIMERS.items()) + "."
    return sheet(runs, "1", panels, points, told)


def priority_sheet(runs: Runs) -> Sheet:
    """Both kinds of queue, by priority."""
    points = [Point(name, "a", queue) for name in MARKED for queue in QUEUES]
    panels = []
    for quantity in (DELAY, POWER, Quantity("accepted_per_s", "packets/s")):
        for name in MARKED:
            curves = []
            for hue, group in enumerate(("urgent", "data")):
                own = Quantity(f"{quantity.measure}.{group}", quantity.label, quantity.scale)
                places = {queue: scaled(runs, own, Point(name, "a", queue)) for queue in QUEUES}
                curves.append(Curve({"urgent": "priority 14", "data": "priority 0"}[group], places, hue))
            panels.append(panel_of(quantity, curves, title=STRATEGIES[name]))
    told = "Every other sender is urgent. " + "; ".join(f"{name}: {text}" for name, text in QUEUES.items()) + "."
    return sheet(runs, "2", panels, points, told)


def path_sheet(runs: Runs) -> Sheet:
    """All strategies on a path that changes and on one that does not."""
    points = [Point(name, "a", path) for name in STRATEGIES for path in PATHS]
    places = {text: {STRATEGIES[name]: Point(name, "a", path) for name in STRATEGIES} for path, text in PATHS.items()}
    panels = [bars(runs, quantity, places) for quantity in (POWER, DELAY, WAITING, DISCARDS, AGAIN)]
    moves = ", ".join(map(str, MOVES_S))
    told = (
        f"Scenario A. At {moves} s the congested line changes between {' and '.join(NEAR)}, and {' and '.join(FAR)}, "
        f"and is broken for {BREAK_S} s."
    )
    return sheet(runs, "3", panels, points, told)


def sheet(runs: Runs, question: str, panels: Sequence[Panel], points: Sequence[Point], told: str) -> Sheet:
    """The figure of a question."""
    title = f"Question {question}: {QUESTIONS[question]}"
    caption = captioned(runs, points, told, DRAWN)
    return Sheet(f"figure-{question}", title, caption, panels, columns=2, panel_height=2.4)


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {
    "1": [timers_sheet],
    "2": [priority_sheet],
    "3": [path_sheet],
}
