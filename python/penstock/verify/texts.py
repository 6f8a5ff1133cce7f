"""Texts of scenarios that several checks share, and columns that they read.

Where the server is a line of 424 kb/s, one cell time is a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock.verify.check import Ratio

if TYPE_CHECKING:
    from penstock.verify.check import Tables

CELL_S = 0.001
"""The cell time of the line of :func:`one_line`, in seconds."""


def one_line(flows: str, *, seconds: float, limit: float = 1.0, line: str = "", warm_up: float = 2.0) -> str:
    """Flows from node a to node b over a line of one cell a millisecond.

    Delays more than ``limit`` cell times above the minimum are counted.
    """
    return f"""
duration = "{seconds:g} s"
warm_up = "{warm_up:g} s"
measure.jitter_limit = "{limit * 1e3:g} us"
[line.server]
between = ["a", "b"]
rate = "424 kb/s"
{line}
{flows}
"""


def poisson(load: float, *, name: str = "cells", more: str = "") -> str:
    """A group of one Poisson flow that brings this load to a line of one cell a millisecond."""
    return f"""
[flow.{name}]
path = ["a", "b"]
traffic.poisson = {{ rate = "{round(load * 424_000)} b/s" }}
{more}
"""


def drop_tail(places: int) -> str:
    """One queue with so many places, that of the server included."""
    return f'queues = [{{ drop_tail = {{ size = "{places} cells" }} }}]'


def ratio(events: str, trials: str, table: str = "groups") -> Callable[[Tables], Ratio]:
    """The ratio of two counts, each summed over a table."""
    return lambda tables: Ratio(float(tables(table)[events].sum()), float(tables(table)[trials].sum()))


LATE = ratio("over_jitter_limit", "delivered")
"""The share of delays above the flow's own minimum plus the limit."""
LOST = ratio("lost", "sent")


def series(tables: Tables, component: str, quantity: str) -> list[float]:
    """The readings of a quantity, in order of time."""
    found = tables("series").filter(component=component, quantity=quantity).sort("time_s")
    return [float(value) for value in found["value"]]
