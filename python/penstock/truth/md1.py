"""M/D/1 and M/D/1/K: Poisson arrivals, constant service, one server. The unit of time is the service time.

Sources: the numbers present by level crossing of the chain at departures (Ramaswami, A stable recursion for the steady
state vector in Markov chains of M/G/1 type, Stochastic Models 4, 1988); the tail of the wait by Franx, A simple
solution for the M/D/c waiting time distribution, Operations Research Letters 29 (2001), here in its complementary
form, so that every term is positive and small probabilities keep all their digits.
"""

import math

import numpy as np
import scipy
from numpy.typing import NDArray


def wait_mean(load: float) -> float:
    """Mean wait: r / (2 (1-r)) (Pollaczek and Khinchine)."""
    return load / (2.0 * (1.0 - load))


def wait_variance(load: float) -> float:
    """Variance of the wait: Wq^2 + r / (3 (1-r)) (Takács)."""
    return wait_mean(load) ** 2 + load / (3.0 * (1.0 - load))


def number(load: float, largest: int) -> NDArray[np.float64]:
    """P(N = n) for n = 0..`largest`, the one in service counted."""
    return (1.0 - load) * _departure_chain(load, largest)


def number_tail(load: float, largest: int) -> NDArray[np.float64]:
    """P(N > n) for n = 0..`largest`.

    Summed from above; beyond the last computed state, 40 decay times away, the probabilities fall as exp(-eta n).
    """
    eta, _ = decay(load)
    last = largest + 40 + math.ceil(40.0 / eta)
    states = number(load, last)
    beyond = states[-1] / math.expm1(eta)
    tails = beyond + np.concatenate([np.cumsum(states[:0:-1])[::-1], [0.0]])
    return np.asarray(tails[: largest + 1], dtype=np.float64)


def wait_tail(load: float, time: float) -> float:
    """P(Wq > t), exact: with k = floor(t) + 1 and y = r (k-t), the sum over j of e^-y y^j / j! P(N > k-j).

    At k-t before an arrival N were present, since then j arrived, and a busy server ends exactly k services by the
    time t after the arrival. So the wait exceeds t if N + j > k, which is certain from j = k+1 on (and at j = k, for
    the server was not idle then).
    """
    if time < 0.0:
        return 1.0
    steps = math.floor(time) + 1
    mean = load * (steps - time)
    fresh = np.arange(steps)
    weights = scipy.special.xlogy(fresh, mean) - mean - scipy.special.gammaln(fresh + 1.0)
    certain = float(scipy.special.gammainc(steps, mean))
    return float(np.exp(weights) @ number_tail(load, steps)[steps - fresh]) + certain


def decay(load: float) -> tuple[float, float]:
    """Pair (eta, C) of P(Wq > t) ~ C exp(-eta t): r (e^eta - 1) = eta, C = (1-r) / (r e^eta - 1)."""
    eta = float(-scipy.special.lambertw(-load * math.exp(-load), -1).real) - load
    return eta, (1.0 - load) / (load * math.exp(eta) - 1.0)


def loss(load: float, places: int) -> float:
    """Share of arrivals lost with `places` places, the server's counted, for any load: 1 - 1 / (pi0 + r).

    pi0 is the empty state's share at departures, whose chain never sees the last place.
    """
    ratios = _departure_chain(load, places - 1)
    empty = 1.0 / float(ratios.sum())
    return (empty + load - 1.0) / (empty + load)


def _departure_chain(load: float, largest: int) -> NDArray[np.float64]:
    """States 0..`largest` at departures, relative to the empty one.

    Down over the level between n and n+1 goes state n+1 when nothing arrives; up go the states below when enough
    arrives: p[n+1] a0 = p[0] P(A > n) + sum over i = 1..n of p[i] P(A > n+1-i).
    """
    more = scipy.special.gammainc(np.arange(1.0, largest + 2.0), load)
    states = np.empty(largest + 1)
    states[0] = 1.0
    for level in range(largest):
        upward = more[level] + states[1 : level + 1] @ more[level:0:-1]
        states[level + 1] = upward * math.exp(load)
    return states
