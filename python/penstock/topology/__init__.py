"""The network of a scenario as a graph, and the place of each node in a drawing."""

from penstock.topology.layout import Layout, lay_out
from penstock.topology.network import Group, Hop, Link, Network

__all__ = ["Group", "Hop", "Layout", "Link", "Network", "lay_out"]
