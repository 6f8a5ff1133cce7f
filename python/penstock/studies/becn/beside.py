"""Additional figures of the BECN study: interpretations, limits, fairness, starts, maps and time series."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from penstock.plot import Curve, Panel, Sheet, Trace, heat_map, shared_traces
from penstock.studies.becn import captions, grid
from penstock.studies.becn.figures import (
    DELAY,
    LONGEST,
    MEAN,
    PER_CENT,
    SHARE,
    THROUGHPUT,
    Group,
    against_delay,
    logarithmic,
    paper_groups,
    with_ideal,
)
from penstock.studies.becn.grid import SCHEMES, THRESHOLD, WATCHED, Point, halve, per_vc, stop
from penstock.studies.becn.runs import Runs, window
from penstock.studies.drawing import Quantity, capitalised, curve, drawn, extent
from penstock.studies.runs import MissingRunError
from penstock.studies.runs import Trace as Readings

SHOWN_SOURCES = 3
FAIRNESS = Quantity("fairness", "Jain's index")
START = Quantity("queue.start", "maximum queue after the start (cells)")


def beside_figures(runs: Runs) -> Iterator[Sheet]:
    """All figures that have runs."""
    return drawn(MAKERS, runs)


def told(runs: Runs, caption: str, points: Sequence[Point]) -> str:
    """A caption with a description of the marks, and the number of runs."""
    if not any(point in runs.measures for point in points):
        raise MissingRunError(str(points[0]))
    few = min(runs.wanted, grid.BESIDE_SEEDS)
    beside = set(grid.beside_points())
    wanted = {point: few if point in beside else runs.wanted for point in points}
    return f"{caption} {captions.DRAWN} {extent(runs, points, wanted)}"


def all_points(*groups: Group) -> list[Point]:
    """The points of all curves."""
    return [point for group in groups for points in group.values() for point in points]


def levels_sheet(runs: Runs) -> Sheet:
    """Share of time at each rate, one panel for each number of sources."""
    panels = []
    rates = SCHEMES["per-vc"].rates
    for sources in grid.PER_VC_SOURCES:
        points = per_vc(sources)
        names = ["0" if rate == 0 else "1" if rate == 1 else f"1/{round(1 / rate)}" for rate in rates]
        values = {
            name: {seed: PER_CENT * value for seed, value in runs.seed_means(f"level.{level}", points).items()}
            for level, name in enumerate(names)
        }
        panels.append(
            Panel(
                "rate (share of the link)",
                "time (%)",
                curves=[Curve("", values, hue=0)],
                title=f"N = {sources}, fair share 1/{sources}",
                top=100.0,
                each_seed=False,
            )
        )
    points = [point for sources in grid.PER_VC_SOURCES for point in per_vc(sources)]
    caption = f"{captions.LEVELS} {captions.DRAWN} {extent(runs, points)}"
    title = "How long sources send at each rate: filter per VC"
    return Sheet("levels", title, caption, panels, columns=2, panel_height=2.5)


def recovery_sheet(runs: Runs) -> Sheet:
    """The two interpretations of figure 2's recovery constant, side by side."""
    own = {f"F = {period}": halve(period, grid.COARSE) for period in grid.LETTER_PERIODS}
    output = {f"F = {period}": halve(period, grid.COARSE, "halve-output") for period in grid.LETTER_PERIODS}
    caption = told(runs, captions.RECOVERY, all_points(own, output))
    quantities = (THROUGHPUT, SHARE, LONGEST)
    left = against_delay(runs, own, quantities, "own cell times (512 of the line's)")
    right = against_delay(runs, output, quantities, "cell times of the line (128)")
    panels = [panel for pair in zip(left, right, strict=True) for panel in pair]
    panels = logarithmic(panels, LONGEST.label)
    return Sheet("recovery", "Two interpretations of figure 2's recovery constant", caption, panels, columns=2)


def full_rate_sheet(runs: Runs) -> Sheet:
    """Halving with the simple filter, if the peak is the line's rate."""
    groups = {
        f"peak 100 %, F = {period}": halve(period, grid.COARSE, "halve-full") for period in grid.FULL_RATE_PERIODS
    }
    groups["peak 25 %, F = 8"] = halve(8, grid.COARSE)
    caption = told(runs, captions.FULL_RATE, all_points(groups))
    panels = against_delay(runs, groups, (LONGEST, SHARE, THROUGHPUT, MEAN))
    panels = logarithmic(panels, LONGEST.label, MEAN.label)
    return Sheet("full-rate", "Simple filter, sources halve: 20 sources, peak 100 %", caption, panels, columns=2)


def few_sources_sheet(runs: Runs) -> Sheet:
    """The largest number of sources that stop on a notice for the simple filter."""
    groups = {f"N = {sources}": stop(grid.MANY_PERIOD, grid.COARSE, sources) for sources in grid.MANY}
    caption = told(runs, captions.FEW_SOURCES, all_points(groups))
    panels = against_delay(runs, groups, (LONGEST, SHARE, THROUGHPUT, MEAN))
    panels = logarithmic(panels, LONGEST.label, MEAN.label)
    title = f"Simple filter, sources stop: more sources, F = {grid.MANY_PERIOD}"
    return Sheet("few-sources", title, caption, panels, columns=2)


def threshold_sheet(runs: Runs) -> Sheet:
    """Throughput against queueing, by the threshold."""
    by_delay = {
        delay: [Point("per-vc", grid.THRESHOLD_SOURCES, delay, grid.PER_VC_PERIOD, each) for each in grid.THRESHOLDS]
        for delay in grid.THRESHOLD_DELAYS
    }
    caption = told(runs, captions.THRESHOLD, [point for points in by_delay.values() for point in points])
    panels = [
        Panel(
            "threshold (cells)",
            quantity.label,
            curves=[
                curve(
                    runs,
                    quantity.measure,
                    {point.threshold: point for point in points},
                    scale=quantity.scale,
                    label=f"D = {delay}",
                )
                for delay, points in by_delay.items()
            ],
            each_seed=False,
        )
        for quantity in (THROUGHPUT, Quantity("empty", "time that the queue is empty (%)", PER_CENT), MEAN, LONGEST)
    ]
    return Sheet("threshold", "The threshold trades throughput for delay", caption, panels, columns=2)


def long_sheet(runs: Runs) -> Sheet:
    """Delays beyond those of the paper."""
    delays = (*grid.COARSE, *grid.LONG)
    groups = {f"N = {sources}": per_vc(sources, delays) for sources in grid.LONG_SOURCES}
    caption = told(runs, captions.LONG, all_points(groups))
    quantities = (THROUGHPUT, SHARE, LONGEST, MEAN)
    panels = [
        with_ideal(panel, quantity)
        for panel, quantity in zip(against_delay(runs, groups, quantities), quantities, strict=True)
    ]
    return Sheet("long-delays", "Filter per VC: delays up to 400 cell times", caption, panels, columns=2)


def fairness_sheet(runs: Runs) -> Sheet:
    """Jain's index in the three figures."""
    groups = {2: paper_groups(2), 3: paper_groups(3), 4: paper_groups(4)}
    titles = {2: "figure 2: halve", 3: "figure 3: stop", 4: "figure 4: per VC"}
    caption = told(runs, captions.FAIRNESS, all_points(*groups.values()))
    names = [*groups[2], *groups[4]]
    panels = []
    for number, group in groups.items():
        (panel,) = against_delay(runs, group, [FAIRNESS], titles[number], names)
        values = [value for each in panel.curves for point in each.points.values() for value in point.values()]
        low = min(values, default=0.0)
        panels.append(
            Panel(DELAY, FAIRNESS.label, panel.curves, title=panel.title, bottom=low - 0.02, top=1.005, each_seed=False)
        )
    return Sheet("fairness", "Fairness among sources", caption, panels, columns=3)


def start_sheet(runs: Runs) -> Sheet:
    """The longest queue after the start and that in steady state."""
    kinds: dict[str, Group] = {
        "filter per VC": paper_groups(4),
        f"stop, simple filter, F = {grid.MANY_PERIOD}": {
            f"N = {sources}": stop(grid.MANY_PERIOD, grid.COARSE, sources) for sources in grid.MANY
        },
    }
    caption = told(runs, captions.START, all_points(*kinds.values()))
    steady = Quantity("queue.max", "maximum queue in steady state (cells)")
    names = list(paper_groups(4))
    panels = [
        panel for title, group in kinds.items() for panel in against_delay(runs, group, (START, steady), title, names)
    ]
    panels = logarithmic(panels, START.label, steady.label)
    return Sheet("start-up", "Start-up after the start, apart from the steady state", caption, panels, columns=2)


def start_map(runs: Runs) -> Sheet:
    """The longest queue after the start against N and D."""
    points = [point for sources in grid.PER_VC_SOURCES for point in per_vc(sources)]
    return heat_map(
        "start-up-map",
        "The longest queue after the start: filter per VC",
        {(point.delay, str(point.sources)): runs.by_seed("queue.start", point) for point in reversed(points)},
        x_label=DELAY,
        y_label="number of sources",
        quantity="maximum queue after the start (cells)",
        caption=captions.START_MAP,
        each_is="seeds",
    )


def simple_map(runs: Runs) -> Sheet:
    """The longest queue of figure 2 against the filter's period and the delay."""
    points = grid.figure_points(2)
    return heat_map(
        "map-simple",
        "Filter period against delay: simple filter",
        {(point.delay, point.period): runs.by_seed("queue.max", point) for point in points},
        x_label=DELAY,
        y_label="filter period (cell times)",
        quantity="maximum queue (cells)",
        caption=captions.MAP_SIMPLE,
        each_is="seeds",
    )


def per_vc_map(runs: Runs) -> Sheet:
    """The longest queue of the filter per VC against its period and the delay."""
    return heat_map(
        "map-per-vc",
        "Filter period against delay: filter per VC",
        {(point.delay, point.period): runs.by_seed("queue.max", point) for point in grid.mapped()},
        x_label=DELAY,
        y_label="filter period (cell times)",
        quantity="maximum queue (cells)",
        caption=captions.MAP_PER_VC,
        each_is="seeds",
    )


def order_sheet(runs: Runs) -> Sheet:
    """Random and fixed order of the cells of one instant."""
    groups = {
        f"F = {grid.ORDER_PERIOD}, {order} order": halve(grid.ORDER_PERIOD, grid.COARSE, order=order)
        for order in grid.ORDERS
    }
    caption = told(runs, captions.ORDER, all_points(groups))
    panels = logarithmic(against_delay(runs, groups, (SHARE, FAIRNESS, LONGEST, THROUGHPUT)), LONGEST.label)
    return Sheet("order", "Cells of one instant: random or fixed order", caption, panels, columns=2)


def series_sheet(name: str) -> Callable[[Runs], Sheet]:
    """Queue, notices and rates against time: one run of one kind."""

    def make(runs: Runs) -> Sheet:
        point = grid.watched_point(name)
        scheme = SCHEMES[point.scheme]
        seed = min(runs.traces(point, "output", "queue_0"))
        ends = (float(grid.WATCHED_FROM), float(grid.WATCHED_END))

        def readings(component: str, quantity: str) -> Readings:
            return window(runs.traces(point, component, quantity)[seed], *ends)

        times, sent = readings("output", "notices")
        per_hundred = [
            100 * (after - before) / (1000 * (later - at))
            for at, later, before, after in zip(times, times[1:], sent, sent[1:], strict=False)
        ]
        rates = []
        total = [0.0] * len(times)
        for source in range(1, point.sources + 1):
            at, levels = readings(f"source/{source}", "level")
            own = [PER_CENT * scheme.rates[round(level)] for level in levels]
            total = [before + rate for before, rate in zip(total, own, strict=True)]
            if source <= SHOWN_SOURCES:
                rates.append(Trace(f"source {source}", at, own, hue=source))
        return shared_traces(
            f"series-{name}",
            f"{capitalised(scheme.name)[:-1]}, F = {point.period}: {point.sources} sources, D = {point.delay}",
            [
                Panel(
                    "",
                    "queue (cells)",
                    traces=[Trace("queue", *readings("output", "queue_0"))],
                    level=THRESHOLD,
                    level_label="threshold",
                ),
                Panel("", "BECN cells per 100 cells", traces=[Trace("BECN cells", times[1:], per_hundred)]),
                Panel(
                    "",
                    "all sources (% of the link)",
                    traces=[Trace("sum of rates", times, total, hue=3)],
                    level=PER_CENT,
                    level_label="the link",
                ),
                Panel("", "rate (% of the link)", traces=rates),
            ],
            x_label="time (1000 cell times)",
            caption=f"{captions.SERIES} Seed {seed}.",
        )

    return make


def rest_sheet(runs: Runs) -> Sheet:
    """The start of the same runs."""
    panels = []
    for number, name in enumerate(WATCHED):
        point = grid.watched_point(name)
        seed = min(runs.traces(point, "output", "queue_0"))
        trace = window(runs.traces(point, "output", "queue_0")[seed], 0.0, 20_000.0)
        label = f"{SCHEMES[point.scheme].name}, N = {point.sources}, F = {point.period}"
        panels.append(
            Panel(
                "",
                "queue (cells)",
                traces=[Trace(label, *trace, hue=number)],
                level=THRESHOLD,
                level_label="threshold",
            )
        )
    return shared_traces(
        "series-start",
        f"The queue after the start, D = {grid.WATCHED_DELAY}",
        panels,
        x_label="time (1000 cell times)",
        caption="The first 20,000 cell times of one run of each kind: all sources start at their peak rate, within one "
        "cell interval. One cell time is 2.73 us.",
    )


MAKERS: Sequence[Callable[[Runs], Sheet]] = (
    levels_sheet,
    recovery_sheet,
    full_rate_sheet,
    few_sources_sheet,
    threshold_sheet,
    long_sheet,
    fairness_sheet,
    start_sheet,
    start_map,
    simple_map,
    per_vc_map,
    order_sheet,
    *(series_sheet(name) for name in WATCHED),
    rest_sheet,
)
