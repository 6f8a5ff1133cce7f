"""Figures 2, 3 and 4 of the BECN paper, drawn from the runs, with the ideal model beside figure 4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from penstock.plot import Curve, Panel, Sheet
from penstock.studies.becn.captions import DRAWN, RUN, STATES, TITLES
from penstock.studies.becn.grid import (
    HALVE_PERIODS,
    PER_VC_SOURCES,
    STOP_PERIODS,
    THRESHOLD,
    Point,
    figure_points,
    halve,
    per_vc,
    stop,
)
from penstock.studies.becn.runs import Runs
from penstock.studies.drawing import Quantity, curve, extent

DELAY = "transmission delay (cell times)"
PER_CENT = 100.0


SHARE = Quantity("share", "BECN cells (% of output cells)", PER_CENT)
LONGEST = Quantity("queue.max", "maximum queue (cells)")
MEAN = Quantity("queue.mean", "mean queue (cells)")
THROUGHPUT = Quantity("throughput", "throughput (% of the link)", PER_CENT, 105.0)
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


def paper_figures(runs: Runs, numbers: Sequence[int]) -> Iterator[Sheet]:
    """The figures of the paper, as far as there are runs for them."""
    for number in numbers:
        points = figure_points(number)
        if not any(point in runs.measures for point in points):
            continue
        panels = against_delay(runs, paper_groups(number), QUANTITIES)
        if number == 4:
            panels = [with_ideal(panel, quantity) for panel, quantity in zip(panels, QUANTITIES, strict=True)]
            panels = logarithmic(panels, SHARE.label)
        yield Sheet(
            name=f"figure-{number}",
            title=TITLES[number],
            caption=" ".join([STATES[number], RUN[number], DRAWN, extent(runs, points)]),
            panels=panels,
            columns=2,
        )


def against_delay(
    runs: Runs, groups: Group, quantities: Sequence[Quantity], title: str = "", names: Sequence[str] = ()
) -> list[Panel]:
    """One panel a quantity, with one curve a group, against the delay; `names` gives colours, for a whole sheet."""
    hues = {name: hue for hue, name in enumerate(names or groups)}
    return [
        Panel(
            DELAY,
            quantity.label,
            curves=[
                curve(
                    runs,
                    quantity.measure,
                    {point.delay: point for point in points},
                    scale=quantity.scale,
                    label=label,
                    hue=hues[label],
                )
                for label, points in groups.items()
            ],
            title=title,
            top=quantity.top,
            each_seed=False,
        )
        for quantity in quantities
    ]


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
