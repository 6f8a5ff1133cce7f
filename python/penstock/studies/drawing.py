"""Code that the figures of all studies share: the choice of a figure, curves from runs, and the end of captions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from penstock.core.counts import counted
from penstock.plot import Curve, Panel, Sheet
from penstock.statistics import Estimate
from penstock.studies.runs import MissingRunError, P, Runs

R = TypeVar("R")
X = TypeVar("X", int, float, str)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measure as figures show it; `top` and `floor` bound the axis."""

    measure: str
    label: str
    scale: float = 1.0
    top: float | None = None
    floor: float | None = None
    log_y: bool = False


def drawn(makers: Iterable[Callable[[R], Sheet]], runs: R) -> Iterator[Sheet]:
    """The figures that have runs."""
    for make in makers:
        try:
            yield make(runs)
        except MissingRunError:
            continue


def curve(
    runs: Runs[P], name: str, places: Mapping[X, P], *, scale: float = 1.0, label: str = "", hue: int | None = None
) -> Curve:
    """A measure against x, as far as there are runs; `places` has the point at each x."""
    points: dict[X, dict[int, float]] = {}
    estimates: dict[float | str, Estimate] = {}
    for x, point in places.items():
        values = runs.measures.get(point, {})
        found = {seed: measures[name] * scale for seed, measures in values.items() if name in measures}
        if found:
            points[x] = found
            raw = (measures[name] for measures in values.values() if name in measures)
            estimates[x] = runs.sample(name, raw, scale).estimate()
    return Curve(label, points, hue, estimates=estimates)


def against(
    runs: Runs[P],
    groups: Mapping[str, Mapping[X, P]],
    x_label: str,
    quantities: Sequence[Quantity],
    *,
    title: str = "",
    names: Sequence[str] = (),
    log_x: bool = False,
    joined: bool = False,
) -> list[Panel]:
    """One panel a quantity, with one curve a group; a group has the point at each x.

    `names` gives the colours of the groups, for a whole sheet.
    """
    hues = {name: hue for hue, name in enumerate(names or groups)}
    panels = []
    for quantity in quantities:
        curves = [
            curve(runs, quantity.measure, places, scale=quantity.scale, label=label, hue=hues[label])
            for label, places in groups.items()
        ]
        panels.append(panel_of(quantity, curves, x_label, title=title, log_x=log_x, joined=joined))
    return panels


def panel_of(
    quantity: Quantity,
    curves: Sequence[Curve],
    x_label: str = "",
    *,
    title: str = "",
    log_x: bool = False,
    joined: bool = False,
) -> Panel:
    """A panel of one quantity; its axis begins at the quantity's floor, or below the least value."""
    values = [value for each in curves for found in each.points.values() for value in found.values()]
    return Panel(
        x_label,
        quantity.label,
        curves=curves,
        title=title,
        top=quantity.top,
        bottom=0.0 if quantity.floor is None else min([quantity.floor, *(0.98 * value for value in values)]),
        log_x=log_x,
        log_y=quantity.log_y,
        each_seed=False,
        joined=joined,
    )


def scaled(runs: Runs[P], quantity: Quantity, point: P) -> dict[int, float]:
    """A quantity at one point in the unit of its label, for each seed."""
    return {seed: quantity.scale * value for seed, value in runs.by_seed(quantity.measure, point).items()}


def captioned(runs: Runs[P], points: Sequence[P], *parts: str) -> str:
    """A caption of several parts and the number of runs. Raises :class:`MissingRunError` if no point was run."""
    if not any(point in runs.measures for point in points):
        raise MissingRunError(str(points[0]))
    return " ".join([*filter(None, parts), extent(runs, points)])


def extent(runs: Runs[P], points: Sequence[P], told: str = "") -> str:
    """The number of runs of a figure, as text; `told` is put before it."""
    there = [len(runs.measures.get(point, {})) for point in points]
    needed = [runs.seeds_at(point) for point in points]
    if any(count < need for count, need in zip(there, needed, strict=True)):
        return f"INCOMPLETE: {sum(map(min, there, needed))} of {sum(needed)} runs."
    few, many = min(needed), max(needed)
    return f"{told}{counted(many, 'seed')}." if few == many else f"{told}{few} to {many} seeds."


def capitalised(text: str) -> str:
    """A sentence from a clause."""
    return f"{text[0].upper()}{text[1:]}."
