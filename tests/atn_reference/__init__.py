"""A second simulator of the ATN study, for tests: TP4 over CLNP and five strategies against congestion.

It was written from working paper 197 and the notes on it, not from the engine, shares nothing with it (no line, no
random number, no way to keep time), and stays so: whoever changes it reads the paper, not `crates`. It is slow and
plain on purpose, has the readings of `docs/studies/atn.md` and no options; a test that wants another reading overrides
a method.

- ``network``: the clock, NPDUs, output queues, and the two bottlenecks with the systems round them
- ``connection``: what both sides of a connection have, T1 among it
- ``sender``: the side that opens it, and the windows of senders
- ``receiver``: the other side, and the credit that it gives
- ``simulation``: users, hosts, the two scenarios, the five strategies, and the columns of the paper's tables

Times are in seconds, sizes in bits unless a name says octets.
"""

from atn_reference.simulation import SCENARIOS, STRATEGIES, Simulation

__all__ = ["SCENARIOS", "STRATEGIES", "Simulation"]
