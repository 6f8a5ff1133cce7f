"""Credits of receivers (pull): how long an incast takes.

Source: the simulators csg-htsim and spcl/HTSIM, whose incasts end after N S / C and about a round trip; the bounds here
are those of ``docs/models/pull.md``. Rates in bits per second, times in seconds, lengths in bits on the line.
"""

from __future__ import annotations


def incast(senders: int, message: float, segment: float, rate: float, base: float, *, credit: int = 4) -> list[float]:
    """The least and the largest time after which the last of so many equal messages, begun at once, has arrived.

    The line carries all messages: N S / C. The first segments need half of the base round trip ``base`` to arrive. For
    a round trip at most no data arrive, between the last segment without credit and the first with. The last credit of
    each message, for ``credit`` segments, may allow all but one of them in vain. Half a round trip more is for the
    lines before the last.
    """
    carried = senders * message / rate
    unused = senders * (credit - 1) * segment / rate
    return [carried + 0.5 * base, carried + 2 * base + unused]
