"""Many equal on/off sources over one line, as a fluid: the distribution of the queue, and the loss of a finite one.

Source: Anick, Mitra and Sondhi, Stochastic theory of a data-handling system with multiple sources, Bell System
Technical Journal 61 (1982). A source is on and off for exponential times and sends at its peak rate while on. With j of
N on, the queue changes at the net rate d[j] = j peak - C; F_j(x) = P(j on, queue <= x) solves F' D = F M, a sum of
exponentials exp(z x) whose z are the eigenvalues of the pencil (M, D).

The fluid says nothing about the queue that cells form within one cell time of each other: compare for about 30 cells
and above.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Multiplexer:
    """`sources` with exponential on and off times of these means and this peak rate, over a line of `capacity`.

    Rates in one unit, the queue in that unit times the unit of time. A source that alternates between two positive
    rates is one of peak high - low over a capacity less N low. `capacity` must not be a multiple of `peak`.
    """

    sources: int
    mean_on: float
    mean_off: float
    peak: float
    capacity: float

    @property
    def probability_on(self) -> float:
        """Share of time that a source is on."""
        return self.mean_on / (self.mean_on + self.mean_off)

    @property
    def load(self) -> float:
        """Mean rate of all sources over the capacity."""
        return self.sources * self.peak * self.probability_on / self.capacity

    @property
    def net_rates(self) -> NDArray[np.float64]:
        """d[j] = j peak - C for j = 0..N sources on."""
        return np.arange(self.sources + 1, dtype=np.float64) * self.peak - self.capacity

    @property
    def occupancy(self) -> NDArray[np.float64]:
        """P(j sources on): binomial."""
        return np.asarray(
            scipy.stats.binom.pmf(np.arange(self.sources + 1), self.sources, self.probability_on), dtype=np.float64
        )

    def loss_bufferless(self) -> float:
        """Share of the fluid above capacity: lost without a queue."""
        excess = np.maximum(self.net_rates, 0.0)
        return float(excess @ self.occupancy) / (self.load * self.capacity)


def queue_tail(multiplexer: Multiplexer, queue: float) -> float:
    """P(Q > x) with an unlimited queue: minus the sum of a[k] (1 . phi[k]) exp(z[k] x), in closed form.

    1 . phi[k] = (1 - r1)^i (1 - r2)^(N-i), with r1, r2 the roots of l x^2 + (z + 1 - l) x - 1 and i the residue of
    the generating function's logarithmic derivative at r1; a[k] = -(l/(1+l))^N prod over i != k of z[i] / (z[i]-z[k]).
    Here z is per mean on time at peak rate, l = mean on / mean off, c = C / peak.
    """
    sources, ratio = multiplexer.sources, multiplexer.mean_on / multiplexer.mean_off
    channels = multiplexer.capacity / multiplexer.peak
    roots = _negative_roots(multiplexer)
    total = 0.0
    for k, root in enumerate(roots):
        half = root + 1.0 - ratio
        spread = math.sqrt(half * half + 4.0 * ratio)
        first, second = (-half + spread) / (2.0 * ratio), (-half - spread) / (2.0 * ratio)
        power = round((root * channels - sources * ratio + sources * ratio * first) / (ratio * (first - second)))
        others = np.delete(roots, k)
        coefficient = multiplexer.probability_on**sources * np.prod(others / (others - root))
        mass = (1.0 - first) ** power * (1.0 - second) ** (sources - power)
        total += coefficient * mass * math.exp(root * queue / (multiplexer.peak * multiplexer.mean_on))
    return float(total)


def decay_rate(multiplexer: Multiplexer) -> float:
    """Slowest exponent per unit of queue, below 0: P(Q > x) falls as exp(decay_rate x)."""
    return float(_negative_roots(multiplexer).max()) / (multiplexer.peak * multiplexer.mean_on)


def queue_tail_generic(multiplexer: Multiplexer, queue: float) -> float:
    """P(Q > x) again, by numerical eigenvectors and the boundary F_j(0) = 0 in overload: checks the closed form."""
    exponents, vectors = _modes(multiplexer)
    exponents, vectors = exponents[exponents < 0.0], vectors[:, exponents < 0.0]
    overload = multiplexer.net_rates > 0.0
    root = np.sqrt(multiplexer.occupancy)
    weights = scipy.linalg.solve(vectors[overload], -root[overload])
    return -float(root @ vectors @ (weights * np.exp(exponents * queue)))


def loss(multiplexer: Multiplexer, size: float) -> float:
    """Share of the fluid lost at a queue of `size`: F_j(0) = 0 in overload, F_j(size-) = P(j on) in underload.

    Each mode is counted from that end of the queue at which it is largest, so that none overflows.
    """
    exponents, vectors = _modes(multiplexer)
    overload = multiplexer.net_rates > 0.0
    root = np.sqrt(multiplexer.occupancy)
    at_empty = vectors * np.exp(-np.maximum(exponents, 0.0) * size)
    at_full = vectors * np.exp(np.minimum(exponents, 0.0) * size)
    boundary = np.where(overload[:, np.newaxis], at_empty, at_full)
    weights = scipy.linalg.solve(boundary, np.where(overload, 0.0, root))
    full = root * (root - at_full @ weights)
    return float(multiplexer.net_rates[overload] @ full[overload]) / (multiplexer.load * multiplexer.capacity)


def _negative_roots(multiplexer: Multiplexer) -> NDArray[np.float64]:
    """All N - floor(c) negative z: two from the quadratic that k and N-k share, one from the double k = N/2."""
    sources, ratio = multiplexer.sources, multiplexer.mean_on / multiplexer.mean_off
    channels = multiplexer.capacity / multiplexer.peak
    roots: list[float] = []
    for k in range(sources // 2 + 1):
        here, there = (sources / 2 - k) ** 2, (sources / 2 - channels) ** 2
        square = here - there
        linear = 2.0 * (1.0 - ratio) * here - sources * (1.0 + ratio) * (sources / 2 - channels)
        constant = -((1.0 + ratio) ** 2) * (sources**2 / 4 - here)
        double = 2 * k == sources
        spread = 0.0 if double else math.sqrt(linear * linear - 4.0 * square * constant)
        larger = -(linear + math.copysign(spread, linear)) / 2.0
        roots += [larger / square] if double else [larger / square, constant / larger]
    return np.sort([root for root in roots if root < -1e-12])


def _modes(multiplexer: Multiplexer) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exponents z and, as columns, the vectors y of S y = z D y, where phi = y sqrt(P(j on)).

    S is M made symmetric by sqrt(P(j on)) = e, so S e = 0; every other y has e D y = 0. Hence A = -S + (D e)(D e)' is
    positive definite where the load is not 1, and D y = w A y is a symmetric problem with w = -1/z; the mode e itself,
    of exponent 0, is the only one not orthogonal to D e.
    """
    number = np.arange(multiplexer.sources + 1)
    births = (multiplexer.sources - number) / multiplexer.mean_off
    deaths = number / multiplexer.mean_on
    beside = np.sqrt(births[:-1] * deaths[1:])
    symmetric = np.diag(-(births + deaths)) + np.diag(beside, 1) + np.diag(beside, -1)
    drift = multiplexer.net_rates * np.sqrt(multiplexer.occupancy)
    values, vectors = scipy.linalg.eigh(np.diag(multiplexer.net_rates), np.outer(drift, drift) - symmetric)
    exponents = -1.0 / values
    exponents[np.argmax(np.abs(drift @ vectors))] = 0.0
    return exponents, vectors / np.linalg.norm(vectors, axis=0)
