"""M/G/1: Poisson arrivals of any lengths, one server that serves them in order or all at once.

Times are in units of the mean service time. Source: Kleinrock, Queueing Systems, volumes 1 (1975) and 2 (1976).
"""


def wait_mean(load: float, square: float) -> float:
    """Mean wait in order of arrival, r (1 + c^2) / (2 (1-r)) (Pollaczek and Khinchine).

    `square` c^2 is the squared coefficient of variation of the service times.
    """
    return load * (1.0 + square) / (2.0 * (1.0 - load))


def sharing_time(service: float, load: float) -> float:
    """Mean time in the system of a job of this service time under processor sharing: s / (1-r), for any distribution.

    All jobs present share the server equally; 1 / (1-r) is the mean slowdown of each length.
    """
    return service / (1.0 - load)
