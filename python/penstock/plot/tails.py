"""Tails of distributions: the share of values above x, on a log axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.core.errors import InputError
from penstock.plot.sheet import Panel, Sheet, Tail, Trace
from penstock.plot.style import colour_of, marker_of, show_powers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def tails(
    name: str,
    title: str,
    tails: Sequence[Tail],
    *,
    x_label: str,
    y_label: str = "share above",
    exact: Sequence[Trace] = (),
    caption: str = "",
    limit: float | None = None,
    limit_label: str = "",
    log_x: bool = False,
) -> Sheet:
    """The share of values above x, for several distributions.

    Args:
        name: name of the files.
        title: the text above.
        tails: the counts of each value.
        x_label: the value, with its unit.
        y_label: the name of the share.
        exact: the result of theory: the probability of more than x, against x.
        caption: the text below.
        limit: a value to draw a vertical line at.
        limit_label: its label.
        log_x: whether the x axis is logarithmic too; then all values must be positive.
    """
    if log_x:
        for x in (x for tail in tails for x in tail.counts):
            if not x > 0:
                raise InputError(
                    "a logarithmic axis cannot show this", path=x_label, value=x, remedy="use a linear axis"
                )
    dashed = [replace(trace, exact=True) for trace in exact]
    named = [tail if any(tail.counts.values()) else replace(tail, label=f"{tail.label} (no values)") for tail in tails]
    totals = {sum(tail.counts.values()) for tail in tails} - {0}
    told = [caption]
    if totals:
        number = f"{min(totals):,}" if len(totals) == 1 else f"{min(totals):,} to {max(totals):,}"
        told.append(f"Each of {number} values; a line ends at the greatest.")
    if exact:
        told.append("Dashed: exact.")
    panel = Panel(
        x_label,
        y_label,
        traces=dashed,
        tails=named,
        bottom=None,
        limit=limit,
        limit_label=limit_label,
        log_x=log_x,
    )
    return Sheet(name, title, " ".join(filter(None, told)), [panel])


def shares_above(counts: Mapping[float, int]) -> tuple[list[float], list[float]]:
    """The values, in order, and the share of all that is greater than each; the last is zero."""
    total = left = sum(counts.values())
    places = sorted(x for x, count in counts.items() if count)
    shares = []
    for x in places:
        left -= counts[x]
        shares.append(left / total)
    return places, shares


def steps_of(tails: Sequence[Tail]) -> list[tuple[list[float], list[float]]]:
    """The steps of each tail: they begin at the least value of all, of which the share above is 1."""
    found = [shares_above(tail.counts) for tail in tails]
    first = min((places[0] for places, _ in found if places), default=0.0)
    return [([first, *places], [1.0, *shares]) if places else ([], []) for places, shares in found]


def draw_tails(axis: Axes, panel: Panel) -> None:
    """All tails of a panel, as steps, from the least value of all."""
    steps = steps_of(panel.tails)
    first = min((places[0] for places, _ in steps if places), default=0.0)
    least = min((share for _, shares in steps for share in shares[1:] if share > 0), default=0.1)
    axis.set_yscale("log", nonpositive="clip")
    if panel.log_x:
        axis.set_xscale("log")
    for number, (tail, (places, shares)) in enumerate(zip(panel.tails, steps, strict=True)):
        hue = number if tail.hue is None else tail.hue
        (line,) = axis.plot(
            places,
            shares,
            color=colour_of(hue),
            linewidth=1.3,
            drawstyle="steps-post",
            label=tail.label,
        )
        line.set(marker=marker_of(hue), markersize=4, markevery=marks(shares))
    axis.set_ylim(0.7 * least, 1.3)
    show_powers(axis.yaxis, least, 1.0)
    if any(places for places, _ in steps):
        if panel.limit is not None:
            axis.update_datalim([(panel.limit, 1.0)], updatey=False)
        axis.autoscale_view(scaley=False)
        axis.set_autoscalex_on(False)  # theory may have values far below those of the runs
    if panel.log_x and first > 0:
        show_powers(axis.xaxis, first, max(places[-1] for places, _ in steps if places))


def marks(shares: Sequence[float]) -> list[int]:
    """The places of a tail's markers: twice a decade, where it first falls so low."""

    def height(share: float) -> int:
        return math.floor(-2 * math.log10(share))

    return [
        number
        for number, (before, share) in enumerate(pairwise(shares), start=1)
        if share > 0 and height(share) > height(before)
    ]
