"""HPCC: the load of a port from two segments, and where sources come to rest.

Source: Li et al., HPCC: High Precision Congestion Control, SIGCOMM 2019. Rates in bits per second, times in seconds,
queues in bits.
"""

from __future__ import annotations

ETA = 0.95


def load(sent: float, time: float, queues: tuple[float, float], rate: float, base: float) -> float:
    """The load of a port that sent so many bits in a time: (sent / time) / B + min(q, q before) / (B T)."""
    return sent / time / rate + min(queues) / (rate * base)


def fixed_point(sources: int, added: float, *, eta: float = ETA) -> float:
    """The load U of a line with so many equal sources that always follow it: eta + N a / (B T).

    ``added`` is what each adds in a round, as a share of what the line sends in a base round trip. Each has a window of
    W = W eta / U + a, and N W = U B T.
    """
    return eta + sources * added
