"""Figures: one style, one function per kind, and files that are the same bytes on every run.

A caller gives the data and gets a `Sheet`; `save` makes files of it, and `inline` elements of an HTML page.

    against        a quantity against a parameter, with the interval of its mean
    over_time      quantities of one run against time
    shared_traces  the same, several quantities above one another on one time axis
    tails          the share of delays above x, on a log axis
    heat_map       a quantity against two parameters
    network        the nodes and lines of a network, and the flows beside them

Sheets of several panels are made from `Panel`. matplotlib is imported only when something is drawn.

There are two renderers, each with its own figures. matplotlib draws every figure that can be a file, and a page has the
same drawing (`inline`): so a page and a file show the same. `light` draws the sheets that are only on the page of a
league (`Sheet.light`). Such a page has hundreds of panels: with 17 schemes, matplotlib takes 120 ms and 27 kB for each,
`light` 0.4 ms and 4 kB. Axes, colours, markers, the points of lines (`traces.line_of`) and the values for the script of
the page (`values`) have one definition for both.
"""

from penstock.plot.arrange import left_out
from penstock.plot.curves import against
from penstock.plot.diagram import network
from penstock.plot.heat import heat_map
from penstock.plot.inline import inline
from penstock.plot.layout import draw, prepare_place, save
from penstock.plot.sheet import Cells, Curve, Diagram, Lane, Panel, Sheet, Spot, Tail, Trace, Wire
from penstock.plot.style import DARK
from penstock.plot.tails import tails
from penstock.plot.traces import over_time, shared_traces

__all__ = [
    "DARK",
    "Cells",
    "Curve",
    "Diagram",
    "Lane",
    "Panel",
    "Sheet",
    "Spot",
    "Tail",
    "Trace",
    "Wire",
    "against",
    "draw",
    "heat_map",
    "inline",
    "left_out",
    "network",
    "over_time",
    "prepare_place",
    "save",
    "shared_traces",
    "tails",
]
