"""M/M/1 and M/M/1/K: Poisson arrivals, exponential service, one server.

Source: Kleinrock, Queueing Systems I (1975), sections 3.2 and 3.6. The unit of time is the mean service time.
"""

import math


def number_mean(load: float) -> float:
    """Mean number present, the one in service counted: L = r/(1-r)."""
    return load / (1.0 - load)


def sojourn_mean(load: float) -> float:
    """Mean time from arrival to departure: W = 1/(1-r)."""
    return 1.0 / (1.0 - load)


def wait_mean(load: float) -> float:
    """Mean time from arrival to the start of service: Wq = r/(1-r)."""
    return load / (1.0 - load)


def sojourn_tail(load: float, time: float) -> float:
    """P(W > t) = exp(-(1-r) t)."""
    return math.exp(-(1.0 - load) * time)


def wait_tail(load: float, time: float) -> float:
    """P(Wq > t) = r exp(-(1-r) t)."""
    return load * sojourn_tail(load, time)


def loss(load: float, places: int) -> float:
    """Share of arrivals lost with `places` places, the server's counted: r^K / (1 + r + ... + r^K), for any load."""
    return load**places / math.fsum(load**number for number in range(places + 1))
