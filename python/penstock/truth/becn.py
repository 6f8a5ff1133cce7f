"""An ideal scheme of backward notification, as a fluid: the dashed lines of the BECN study.

Source: Newman, Backward explicit congestion notification for ATM local area networks (Globecom 1993), section 4.3,
after Gersht and Lee, IEEE JSAC 9(7) (1991). All sources together send `OVERLOAD` times the line's rate until the queue
passes its threshold. One notice to each source halves that; the halved rate arrives a round trip later and lasts until
the queue is down to one cell. Then all sources recover at once, and the cycle repeats.

Times are in cell times of the line, queues in cells, delays one way.
"""

OVERLOAD = 1.3
UNDERLOAD = OVERLOAD / 2
LEAST_QUEUE = 1.0


def greatest_queue(threshold: float, delay: float) -> float:
    """Qmax = Qt + (1.3 - 1) 2 D: cells still arrive at the higher rate for one round trip."""
    return threshold + (OVERLOAD - 1) * 2 * delay


def period(threshold: float, delay: float) -> float:
    """Time of one oscillation: (Qmax - 1) (1 / 0.30 + 1 / 0.35), up at the higher rate and down at the lower."""
    rise = greatest_queue(threshold, delay) - LEAST_QUEUE
    return rise * (1 / (OVERLOAD - 1) + 1 / (1 - UNDERLOAD))


def mean_queue(threshold: float, delay: float) -> float:
    """(Qmax + 1) / 2: the queue goes up and down in straight lines."""
    return (greatest_queue(threshold, delay) + LEAST_QUEUE) / 2


def notice_share(sources: int, threshold: float, delay: float) -> float:
    """Notices per cell of the line: one for each source in each oscillation."""
    return sources / period(threshold, delay)
