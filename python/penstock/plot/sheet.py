"""The content of a figure: sheets of panels, and the content of panels, without their style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penstock.plot.letters import boxes_in
from penstock.statistics import Estimate, student

Points = Mapping[float, Mapping[int, float]] | Mapping[int, Mapping[int, float]] | Mapping[str, Mapping[int, float]]
"""At each x one value per seed. (The key type of a `Mapping` is invariant, so each kind of x is named.)"""


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity against x: at each x one value per seed. An `exact` curve is from theory and has one value.

    x is a number, or a label: then the values are side by side without a line. `hue` is the place in the
    palette, by default that of the curve in its panel. `estimates` has the mean and interval at each x, for a quantity
    with bounds; without it they are Student's.
    """

    label: str
    points: Points
    hue: int | None = None
    exact: bool = False
    estimates: Mapping[float | str, Estimate] | None = None

    def estimated(self) -> dict[float | str, Estimate]:
        """The mean and interval at each x that has values."""
        if self.estimates is not None:
            return dict(self.estimates)
        return {x: student(values.values()) for x, values in self.points.items() if values}


@dataclass(frozen=True, slots=True)
class Trace:
    """A line of many points: one quantity of one run against time, or a result of theory (`exact`)."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    hue: int | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Tail:
    """The count of each value. For a histogram, give the upper ends of its bins: there the shares are exact."""

    label: str
    counts: Mapping[float, int]
    hue: int | None = None


@dataclass(frozen=True, slots=True)
class Cells:
    """A quantity against two parameters: `values[line][column]`, the lowest line first, None without a value."""

    quantity: str
    columns: Sequence[str]
    lines: Sequence[str]
    values: Sequence[Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Spot:
    """One thing by two quantities: the mean of each, with its interval. `hue` is its place in the palette.

    A `hollow` mark has no filling. The label of a `named` one is beside it, and not in the legend alone.
    """

    label: str
    x: Estimate
    y: Estimate
    hue: int
    hollow: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Wire:
    """A line of a network: its name, its two nodes, its texts, and for each direction what stands at its port.

    `label` is its rate and delay, `percent` its utilisation if that is a number; empty if they are not shown. `points`
    are the congestion points: True if another part hears it, False if none does, None without one. `used` is the
    utilisation from 0 to 1, `queues` are the mean and the longest queue as shares of its size; None without results or
    without traffic.
    """

    name: str
    ends: tuple[str, str]
    label: str
    percent: str = ""
    points: tuple[bool | None, bool | None] = (None, None)
    used: tuple[float | None, float | None] = (None, None)
    queues: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)

    @property
    def text(self) -> str:
        """All that it says, in several rows."""
        return "\n".join(filter(None, (self.label, self.percent)))


@dataclass(frozen=True, slots=True)
class Lane:
    """A group of flows beside the lines: its hops from node to node, its ends, and whether it has parts there."""

    label: str
    hops: Sequence[tuple[str, str]]
    senders: Sequence[str]
    receivers: Sequence[str]
    has_reaction: bool = False
    has_notification: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """A network: the place of each node, lines, and groups of flows.

    In a `row` all nodes are at one height. `parts` are the texts of the legend for the roles of a control scheme: that
    of the reaction, the congestion and the notification point; empty for a role that nothing has.
    """

    nodes: Mapping[str, tuple[float, float]]
    wires: Sequence[Wire]
    lanes: Sequence[Lane]
    row: bool
    parts: tuple[str, str, str] = ("", "", "")


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes.

    `top` is the least upper end of the y axis, `level` a horizontal and `limit` a vertical line of reference, `span`
    the x axis if it is not that of the data; a `log_y` axis is that of the positive values, and linear if these are
    close together. Curves show a thin line for `each_seed`, and are `joined` if their labels have an order;
    traces that are `marked` have a few markers, which distinguish them in grey print; `instants` are vertical lines,
    with numbers if they are `numbered`. Rows have `estimates`, by default Student's; in a light sheet each has a bar up
    to its mean, in another colour for the names in `chosen`.
    """

    x_label: str
    y_label: str
    curves: Sequence[Curve] = ()
    traces: Sequence[Trace] = ()
    rows: Mapping[str, Sequence[float]] | None = None
    estimates: Mapping[str, Estimate] | None = None
    title: str = ""
    top: float | None = None
    bottom: float | None = 0.0
    level: float | None = None
    level_label: str = ""
    chosen: Sequence[str] = ()
    tails: Sequence[Tail] = ()
    spots: Sequence[Spot] = ()
    cells: Cells | None = None
    diagram: Diagram | None = None
    limit: float | None = None
    limit_label: str = ""
    span: tuple[float, float] | None = None
    log_x: bool = False
    log_y: bool = False
    each_seed: bool = True
    joined: bool = False
    marked: bool = False
    instants: Sequence[float] = ()
    numbered: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A figure: panels under a title, a caption below. A sheet is equal only to itself, so that it is drawn once.

    Side by side, panels are at least `panel_width` inches wide. A `light` sheet has rows with bars, spots or traces; it
    is drawn for pages only, without matplotlib (:mod:`penstock.plot.light`).
    """

    name: str
    title: str
    caption: str
    panels: Sequence[Panel]
    columns: int = 1
    panel_height: float = 3.1
    panel_width: float = 3.3
    light: bool = False

    @property
    def told(self) -> str:
        """The caption, with a sentence about letters that the font has not."""
        boxes = "" if self.light else boxes_in((self.title, self.caption, self.panels))
        return f"{self.caption} {boxes}".strip() if boxes else self.caption
