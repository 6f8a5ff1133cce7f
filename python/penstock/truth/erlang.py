"""Calls at a group of servers: Erlang's and Engset's formulas.

Sources: Erlang (1917); Kleinrock, Queueing Systems I (1975), sections 3.5 to 3.9. Offered traffic is in erlangs.
"""

import math


def blocking(offered: float, servers: int) -> float:
    """Erlang B by the recursion B(n) = A B(n-1) / (n + A B(n-1)), B(0) = 1."""
    share = 1.0
    for number in range(1, servers + 1):
        share = offered * share / (number + offered * share)
    return share


def waiting(offered: float, servers: int) -> float:
    """Erlang C, the probability that a call waits: N B / (N - A (1 - B)); 1 if A is N or more."""
    if offered >= servers:
        return 1.0
    lost = blocking(offered, servers)
    return servers * lost / (servers - offered * (1.0 - lost))


def time_congestion(sources: int, offered: float, servers: int) -> float:
    """Engset: the share of time that all servers are busy; `offered` is the ratio of call to idle time of a source."""
    weights = [math.comb(sources, number) * offered**number for number in range(servers + 1)]
    return weights[-1] / math.fsum(weights)


def call_congestion(sources: int, offered: float, servers: int) -> float:
    """Engset: the share of calls that find all servers busy, which is the time congestion with one source less."""
    return time_congestion(sources - 1, offered, servers)
