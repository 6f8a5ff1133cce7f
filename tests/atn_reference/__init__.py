"""A second simulator of the ATN study, for tests: TP4 over CLNP and five strategies against congestion.

It was written from working paper 197 and the notes on it, not from the engine, and shares nothing with it (no code, no
random numbers, no clock). It must stay so: to change it, read the paper, not `crates`. It is slow and simple on
purpose, has the interpretations of `docs/studies/atn.md` and no options; a test of another interpretation overrides a
method. Beside the paper's exercises it has two mechanisms that the paper only names, priorities and duplex connections,
and two of the standard, segmentation and selective acknowledgement.

- ``network``: the clock, NPDUs, output queues (by priority too), and the two bottlenecks with the systems around them
- ``connection``: code of both sides of a connection, including T1
- ``sender``: the side that opens it, and the windows of senders
- ``receiver``: the other side, and the credit that it gives
- ``duplex``: connections with data in both directions
- ``more``: segmentation and selective acknowledgement
- ``readings``: other readings of one rule each
- ``simulation``: users, hosts, the two scenarios, the five strategies, and the columns of the paper's tables

Times are in seconds, sizes in bits unless a name says octets.
"""

from atn_reference.duplex import DuplexSimulation
from atn_reference.more import SegmentingSimulation, SelectiveSimulation
from atn_reference.readings import DownSimulation, NewestSimulation, RealSimulation, WaitingSimulation
from atn_reference.simulation import SCENARIOS, STRATEGIES, PrioritySimulation, Simulation

__all__ = [
    "SCENARIOS",
    "STRATEGIES",
    "DownSimulation",
    "DuplexSimulation",
    "NewestSimulation",
    "PrioritySimulation",
    "RealSimulation",
    "SegmentingSimulation",
    "SelectiveSimulation",
    "Simulation",
    "WaitingSimulation",
]
