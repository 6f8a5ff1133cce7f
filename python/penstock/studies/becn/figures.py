"""The figures of the BECN study: 2, 3 and 4 of the paper, with the ideal model beside figure 4, and additional ones.

The plots of the paper are lost; the captions repeat its text on each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from penstock.plot import Curve, Panel, Sheet, Trace, heat_map, shared_traces
from penstock.studies.becn import grid
from penstock.studies.becn.grid import (
    HALVE_PERIODS,
    PER_VC_SOURCES,
    SCHEMES,
    STOP_PERIODS,
    THRESHOLD,
    WATCHED,
    Point,
    figure_points,
    halve,
    per_vc,
    stop,
)
from penstock.studies.becn.measures import Runs, window
from penstock.studies.drawing import Quantity, against, capitalised, captioned
from penstock.studies.runs import Trace as Readings

TITLES = {
    2: "Figure 2: simple filter, sources halve; 20 sources, peak 25 %",
    3: "Figure 3: simple filter, sources stop; 5 sources, peak 100 %",
    4: "Figure 4: filter per VC, sources halve; 2 to 100 sources, peak 100 %",
}

STATES = {
    2: "The paper on figure 2: without a filter (F = 0) the throughput is about 70 %; as the filter's period grows, "
    "the throughput grows, the notices become fewer, and the queue grows faster with the delay; periods up to 8 "
    "improve on no filter.",
    3: "The paper on figure 3: periods between 2 and 8 give a similar throughput, above 80 %; periods of 4 and 8 "
    "keep the notices below 10 % of the cells for delays of up to 100 cell times.",
    4: "The paper on figure 4: the throughput is mostly above 80 % for any number of sources; notices take about "
    "0.08 % of the link for each source, whatever the delay, below 9 % for 100 sources and just over 1 % for 20; "
    "the mean queue is below 200 cells, and up to about 20 sources the longest is below 400. It plots the mean "
    "queue for 10 sources.",
}

RUN = {
    2: "Run: F = 0, 1, 2, 4, 8, of which the text names 0 and 8; recovery after 128 of a source's own cell times at "
    "peak, which are 512 of the line's (another figure has both interpretations); steady state, after 0.5 "
    "million cell times, over 2 million cells.",
    3: "Run: recovery after 256 cell times; steady state, after 0.5 million cell times, over 2 million cells.",
    4: "Run: filter period 768 cell times, nine rates, recovery after 768 cell times at the lowest to 3072 at the "
    "highest; steady state, after 1.5 million cell times, over 2 million cells. The ideal model: all sources "
    "together alternate between 130 and 65 % of the link; its queue does not depend on the number of sources.",
}

DRAWN = "Means over seeds with their 95 % intervals."

LEVELS_CAPTION = (
    "The paper: each source centres on about its fair share of the link and toggles between this rate, the one "
    "above and the one below. Share of the time of all sources at each rate, over delays of 0 to 100 cell times; "
    "each rate is half of the one above, the last is zero."
)
RECOVERY_CAPTION = (
    "The paper gives the recovery constant of figure 2 as 128 cell times, and says that all delays are in cell "
    "times of the output line. Left, as figure 2 is drawn here: counted in a source's own cell times at 25 % of "
    "the link, which is 512 of the line's; only then is the throughput without a filter about 70 %, as the paper "
    "states. Right: counted in cell times of the line, by the letter."
)
FULL_RATE_CAPTION = (
    "The paper: with 20 sources at a peak of 100 % the simple filter makes the longest queue grow too rapidly to be "
    "useful, even for periods as small as 1. Sources halve and recover after 128 cell times; also figure 2's sources "
    "at a peak of 25 % with F = 8."
)
FEW_SOURCES_CAPTION = (
    "The paper: stopping on a notice copes with a limited number of sources at a peak of 100 % only, before the "
    "longest queue becomes unacceptable even at reasonable delays. Figure 3 with F = 4 and more sources."
)
THRESHOLD_CAPTION = (
    "The paper: adjusting the threshold trades throughput for delay, by the mean queue and the time that the "
    "queue remains empty. Filter per VC, 10 sources."
)
LONG_CAPTION = (
    "The paper: work in progress suggests that the filter per VC tolerates delays of several hundred kilometres, "
    "with some slight loss of throughput and longer queues. One cell time is about 0.6 km of fibre, so 400 are "
    "about 240 km. The filter's period stays at 768 cell times. Dashed: the ideal model."
)
FAIRNESS_CAPTION = (
    "Jain's index of the cells delivered to each source, 1 if all get the same. The paper states that "
    "recovery in proportion to the rate ensures fairness, without a measurement."
)
START_CAPTION = (
    "Left: the longest queue after the start, before warm-up ends; right: in steady state, for which the paper's "
    "bounds are. All sources start at full rate, at random moments within the shortest recovery period, so the "
    "queue fills long before the first notice takes effect, and more with more sources. The paper says nothing "
    "about it."
)
START_MAP_CAPTION = (
    "The longest queue after the start against sources and delay, filter per VC. Each source gets a notice at"
    " most once in a filter's period, so N sources at full rate need several periods to slow down."
)
MAP_SIMPLE_CAPTION = (
    "The simple filter with halving, 20 sources at a peak of 25 %: the longest queue in steady state against the "
    "filter's period and the delay; period 0 is no filter."
)
MAP_PER_VC_CAPTION = (
    "The filter per VC, 20 sources: the longest queue in steady state. The shortest recovery is the filter's "
    "period, the longest four times that. The paper: the best period is of the order of the longest propagation "
    "delay."
)
ORDER_CAPTION = (
    "Cells that arrive in one instant: processed in random order, as in all other figures, or always in that of the "
    "sources' names. With the simple filter, a fixed order notifies the same sources again and again. Figure 2's "
    "sources."
)
SERIES_CAPTION = (
    "One run, from 140,000 cell times after the start. Notices: BECN cells per 100 cell times of the line. Rates: "
    "three of the sources, and the sum of all, as shares of the link."
)

DELAY = "transmission delay (cell times)"
PER_CENT = 100.0
SHOWN_SOURCES = 3

SHARE = Quantity("notice_share", "BECN cells (% of output cells)", PER_CENT)
LONGEST = Quantity("queue_max", "maximum queue (cells)")
MEAN = Quantity("queue_mean", "mean queue (cells)")
THROUGHPUT = Quantity("utilisation", "throughput (% of the link)", PER_CENT, 105.0)
FAIRNESS = Quantity("fairness", "Jain's index")
START = Quantity("queue_max_start", "maximum queue after the start (cells)")
QUANTITIES = (SHARE, LONGEST, THROUGHPUT, MEAN)

Group = Mapping[str, Sequence[Point]]
"""The curves of a figure: the points of each, by its name."""


def paper_groups(figure: int) -> Group:
    """The meaning of each curve of a figure of the paper."""
    if figure == 2:
        return {"F = 0 (no filter)" if period == 0 else f"F = {period}": halve(period) for period in HALVE_PERIODS}
    if figure == 3:
        return {f"F = {period}": stop(period) for period in STOP_PERIODS}
    return {f"N = {sources}": per_vc(sources) for sources in PER_VC_SOURCES}


def paper_figure(number: int) -> Callable[[Runs], Sheet]:
    """One figure of the paper."""

    def make(runs: Runs) -> Sheet:
        points = figure_points(number)
        caption = captioned(runs, points, STATES[number], RUN[number], DRAWN)
        panels = against_delay(runs, paper_groups(number), QUANTITIES)
        if number == 4:
            panels = [with_ideal(panel, quantity) for panel, quantity in zip(panels, QUANTITIES, strict=True)]
            panels = logarithmic(panels, SHARE.label)
        return Sheet(f"figure-{number}", TITLES[number], caption, panels, columns=2)

    return make


def against_delay(
    runs: Runs, groups: Group, quantities: Sequence[Quantity], title: str = "", names: Sequence[str] = ()
) -> list[Panel]:
    """One panel a quantity, with one curve a group, against the delay; `names` gives colours, for a whole sheet."""
    places = {label: {point.delay: point for point in points} for label, points in groups.items()}
    return against(runs, places, DELAY, quantities, title=title, names=names)


def logarithmic(panels: Sequence[Panel], *labels: str) -> list[Panel]:
    """The panels, with logarithmic y axes if the y label is one of those."""
    return [replace(panel, log_y=True) if panel.y_label in labels else panel for panel in panels]


def with_ideal(panel: Panel, quantity: Quantity) -> Panel:
    """A panel with the ideal model as dashed lines over the delays of its curves."""
    from penstock.truth import becn

    delays = sorted({float(x) for each in panel.curves for x in each.points})
    if quantity is LONGEST or quantity is MEAN:
        model = becn.greatest_queue if quantity is LONGEST else becn.mean_queue
        points = {delay: {0: model(THRESHOLD, delay)} for delay in delays}
        ideal = [Curve("ideal model, any N", points, hue=3, exact=True)]
    elif quantity is SHARE:
        ideal = [
            Curve(
                f"ideal, N = {sources}",
                {delay: {0: PER_CENT * becn.notice_share(sources, THRESHOLD, delay)} for delay in delays},
                hue=each.hue,
                exact=True,
            )
            for each in panel.curves
            for sources in [int(each.label.removeprefix("N = "))]
        ]
    else:
        return panel
    return replace(panel, curves=[*panel.curves, *ideal])


# ------------------------------------------------------------------------------------------------ additional figures
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
    caption = captioned(runs, points, LEVELS_CAPTION, DRAWN)
    title = "How long sources send at each rate: filter per VC"
    return Sheet("levels", title, caption, panels, columns=2, panel_height=2.5)


def recovery_sheet(runs: Runs) -> Sheet:
    """The two interpretations of figure 2's recovery constant, side by side."""
    own = {f"F = {period}": halve(period, grid.COARSE) for period in grid.LETTER_PERIODS}
    output = {f"F = {period}": halve(period, grid.COARSE, "halve-output") for period in grid.LETTER_PERIODS}
    caption = captioned(runs, all_points(own, output), RECOVERY_CAPTION, DRAWN)
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
    caption = captioned(runs, all_points(groups), FULL_RATE_CAPTION, DRAWN)
    panels = against_delay(runs, groups, (LONGEST, SHARE, THROUGHPUT, MEAN))
    panels = logarithmic(panels, LONGEST.label, MEAN.label)
    return Sheet("full-rate", "Simple filter, sources halve: 20 sources, peak 100 %", caption, panels, columns=2)


def few_sources_sheet(runs: Runs) -> Sheet:
    """The largest number of sources that stop on a notice for the simple filter."""
    groups = {f"N = {sources}": stop(grid.MANY_PERIOD, grid.COARSE, sources) for sources in grid.MANY}
    caption = captioned(runs, all_points(groups), FEW_SOURCES_CAPTION, DRAWN)
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
    caption = captioned(runs, [point for points in by_delay.values() for point in points], THRESHOLD_CAPTION, DRAWN)
    places = {f"D = {delay}": {point.threshold: point for point in points} for delay, points in by_delay.items()}
    quantities = (THROUGHPUT, Quantity("idle", "time that the queue is empty (%)", PER_CENT), MEAN, LONGEST)
    panels = [replace(panel, top=None) for panel in against(runs, places, "threshold (cells)", quantities)]
    return Sheet("threshold", "The threshold trades throughput for delay", caption, panels, columns=2)


def long_sheet(runs: Runs) -> Sheet:
    """Delays beyond those of the paper."""
    delays = (*grid.COARSE, *grid.LONG)
    groups = {f"N = {sources}": per_vc(sources, delays) for sources in grid.LONG_SOURCES}
    caption = captioned(runs, all_points(groups), LONG_CAPTION, DRAWN)
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
    caption = captioned(runs, all_points(*groups.values()), FAIRNESS_CAPTION, DRAWN)
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
    caption = captioned(runs, all_points(*kinds.values()), START_CAPTION, DRAWN)
    steady = Quantity("queue_max", "maximum queue in steady state (cells)")
    names = list(paper_groups(4))
    panels = [
        panel for title, group in kinds.items() for panel in against_delay(runs, group, (START, steady), title, names)
    ]
    panels = logarithmic(panels, START.label, steady.label)
    return Sheet("start-up", "Start-up after the start, apart from the steady state", caption, panels, columns=2)


def queue_map(name: str, title: str, points: Sequence[Point], caption: str) -> Callable[[Runs], Sheet]:
    """The longest queue in steady state against the filter's period and the delay."""

    def make(runs: Runs) -> Sheet:
        return heat_map(
            name,
            title,
            {(point.delay, point.filter_period): runs.by_seed(LONGEST.measure, point) for point in points},
            x_label=DELAY,
            y_label="filter period (cell times)",
            quantity=LONGEST.label,
            caption=caption,
            each_is="seeds",
        )

    return make


def start_map(runs: Runs) -> Sheet:
    """The longest queue after the start against N and D."""
    points = [point for sources in grid.PER_VC_SOURCES for point in per_vc(sources)]
    return heat_map(
        "start-up-map",
        "The longest queue after the start: filter per VC",
        {(point.delay, str(point.sources)): runs.by_seed(START.measure, point) for point in reversed(points)},
        x_label=DELAY,
        y_label="number of sources",
        quantity=START.label,
        caption=START_MAP_CAPTION,
        each_is="seeds",
    )


def order_sheet(runs: Runs) -> Sheet:
    """Random and fixed order of the cells of one instant."""
    groups = {
        f"F = {grid.ORDER_PERIOD}, {order} order": halve(grid.ORDER_PERIOD, grid.COARSE, order=order)
        for order in grid.ORDERS
    }
    caption = captioned(runs, all_points(groups), ORDER_CAPTION, DRAWN)
    panels = logarithmic(against_delay(runs, groups, (SHARE, FAIRNESS, LONGEST, THROUGHPUT)), LONGEST.label)
    return Sheet("order", "Cells of one instant: random or fixed order", caption, panels, columns=2)


def series_sheet(name: str) -> Callable[[Runs], Sheet]:
    """Queue, notices and rates against time: one run of one kind."""

    def make(runs: Runs) -> Sheet:
        point = grid.watched_point(name)
        scheme = SCHEMES[point.scheme]
        watched = runs.of_kind("watched")
        seed = min(watched.traces(point, "output", "queue_0"))
        ends = (float(grid.WATCHED_FROM), float(grid.WATCHED_END))

        def readings(component: str, quantity: str) -> Readings:
            return window(watched.traces(point, component, quantity)[seed], *ends)

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
            f"{capitalised(scheme.name)[:-1]}, F = {point.filter_period}: {point.sources} sources, D = {point.delay}",
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
            caption=f"{SERIES_CAPTION} Seed {seed}.",
        )

    return make


def rest_sheet(runs: Runs) -> Sheet:
    """The start of the same runs."""
    panels = []
    for number, name in enumerate(WATCHED):
        point = grid.watched_point(name)
        trace = window(runs.of_kind("watched").first_trace(point, "output", "queue_0"), 0.0, 20_000.0)
        label = f"{SCHEMES[point.scheme].name}, N = {point.sources}, F = {point.filter_period}"
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
        caption="The first 20,000 cell times of one run of each kind: all sources start at their peak rate, at "
        "random moments. One cell time is 2.73 us.",
    )


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {str(number): [paper_figure(number)] for number in TITLES}
BESIDE: Sequence[Callable[[Runs], Sheet]] = (
    levels_sheet,
    recovery_sheet,
    full_rate_sheet,
    few_sources_sheet,
    threshold_sheet,
    long_sheet,
    fairness_sheet,
    start_sheet,
    start_map,
    queue_map("map-simple", "Filter period against delay: simple filter", figure_points(2), MAP_SIMPLE_CAPTION),
    queue_map("map-per-vc", "Filter period against delay: filter per VC", grid.mapped(), MAP_PER_VC_CAPTION),
    order_sheet,
    *(series_sheet(name) for name in WATCHED),
    rest_sheet,
)
