"""What the flows of a network by name offer: the table of its kinds of traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.show.terminal import print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.findings import Offered


def print_offered(offered: Offered) -> None:
    """Print the kinds of traffic with their flows and rates on standard output, and the load that they give."""
    rates = [kind.flows * kind.rate_bps for kind in offered.kinds if kind.rate_bps is not None]
    columns: list[tuple[str, str, Callable[[Any], str]]] = [
        ("kind", "kind", str),
        ("flows", "flows", "{:,}".format),
        ("mean rate of each", "rate", "{:.1f} kb/s".format),
        ("share of the rate", "share", "{:.3f}".format),
    ]
    rows = [
        {
            "kind": kind.kind or "all",
            "flows": kind.flows,
            "rate": None if kind.rate_bps is None else kind.rate_bps / 1e3,
            "share": None if kind.rate_bps is None else kind.flows * kind.rate_bps / sum(rates),
            "load": kind.load,
        }
        for kind in offered.kinds
    ]
    if offered.load:
        columns.append((f"load of {offered.load.port}", "load", "{:.4f}".format))
    print_table("Traffic", columns, rows)
    if load := offered.load:
        print_text(f"Whole flows load {load.port} with {load.load:.4f} ({load.wanted:g} asked for)")
        print()
