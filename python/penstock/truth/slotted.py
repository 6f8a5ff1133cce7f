"""A slotted switch with Bernoulli inputs: in each slot a cell arrives at an input with probability p.

Source: Karol, Hluchyj and Morgan, Input versus output queueing on a space-division packet switch, IEEE Transactions on
Communications 35 (1987). Times are in slots.
"""


def wait_mean(inputs: int, load: float) -> float:
    """Mean wait at an output queue: (N - 1) / N p / (2 (1 - p))."""
    return (inputs - 1) / inputs * load / (2.0 * (1.0 - load))
