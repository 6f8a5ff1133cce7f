"""What the figures of all studies share: curves from runs, and what a caption says of how much was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from penstock.plot import Curve
from penstock.studies.runs import P, Runs


def curve(
    runs: Runs[P], name: str, places: Mapping[float, P], *, scale: float = 1.0, label: str = "", hue: int | None = None
) -> Curve:
    """A measure against x, as far as there are runs; `places` is the point at each x."""
    points = {}
    for x, point in places.items():
        values = runs.measures.get(point, {})
        found = {seed: measures[name] * scale for seed, measures in values.items() if name in measures}
        if found:
            points[float(x)] = found
    return Curve(label, points, hue)


def extent(runs: Runs[P], points: Sequence[P], wanted: Mapping[P, int] | None = None, told: str = "") -> str:
    """How much of what belongs to a figure has been run.

    `wanted` says how many seeds a point should have, where not all have those of the study; `told` stands before.
    """
    there = [len(runs.measures.get(point, {})) for point in points]
    needed = [runs.wanted if wanted is None else wanted[point] for point in points]
    if any(count < need for count, need in zip(there, needed, strict=True)):
        return f"INCOMPLETE: {sum(map(min, there, needed))} of {sum(needed)} runs."
    few, many = min(needed), max(needed)
    return f"{told}{many} seeds." if few == many else f"{told}{few} to {many} seeds."


def capitalised(text: str) -> str:
    """A sentence from a clause."""
    return f"{text[0].upper()}{text[1:]}."
