"""The figures with their captions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from penstock.plot import Curve, Sheet
from penstock.studies.drawing import Quantity, against, captioned
from penstock.truth import md1

from .grid import LOADS, PLACES, Point
from .measures import Runs

LOSS = Quantity("loss_ratio", "loss ratio (%)", 100.0, log_y=True)
CAPTION = "Loss of Poisson cells at a line with K places. Dashed: theory. Means over seeds with their 95 % intervals."


def loss_sheet(runs: Runs) -> Sheet:
    """The loss against the places, one curve for each load. Raises `MissingRunError` if nothing was run."""
    points = {f"load {load:g}": {places: Point(load, places) for places in PLACES} for load in LOADS}
    (panel,) = against(runs, points, "places, K", [LOSS])
    exact = [
        Curve(f"load {load:g}, exact", {k: {0: 100 * md1.loss(load, k)} for k in PLACES}, hue, exact=True)
        for hue, load in enumerate(LOADS)
    ]
    caption = captioned(runs, [point for each in points.values() for point in each.values()], CAPTION)
    return Sheet("figure-1", "Loss against places", caption, [replace(panel, curves=[*panel.curves, *exact])])


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {"1": [loss_sheet]}
BESIDE: Sequence[Callable[[Runs], Sheet]] = ()
