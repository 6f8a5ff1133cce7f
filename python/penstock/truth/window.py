"""A fixed window over one bottleneck, fluid and deterministic.

Source: Kleinrock, Power and deterministic rules of thumb, ICC (1979); the pipe holds rate times round trip.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Steady:
    """The steady state: throughput (per unit of time), round trip with queueing, and queue in front of the server."""

    throughput: float
    round_trip: float
    queue: float


def fixed(window: float, rate: float, round_trip: float) -> Steady:
    """X = min(C, W/tau), queue max(0, W - C tau), round trip W/X; `round_trip` tau is that of an empty network.

    The queue counts what is beyond the bandwidth-delay product; where tau contains the bottleneck's own service
    time, the packet in service is part of the product.
    """
    throughput = min(rate, window / round_trip)
    return Steady(throughput=throughput, round_trip=window / throughput, queue=max(0.0, window - rate * round_trip))
